//! Completion scripts and manual pages.

use std::{fs, path::Path};

use clap::CommandFactory as _;
use clap_complete::generate;
use serde::Serialize;

use crate::{
    app::{App, Outcome},
    args::{Cli, CompletionsForArgs, ManArgs},
    exit_code::Exit,
    output::human::words::counted,
};

/// Prints the completion script of a shell.
pub(super) fn completions(app: &App, args: &CompletionsForArgs) -> Outcome {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "lean-beam", &mut script);
    app.output.raw(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}

/// Prints the manual page of the program, or writes those of all commands.
pub(super) fn man(app: &App, args: &ManArgs) -> Outcome {
    match &args.directory {
        Some(directory) => write_pages(app, directory),
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            app.output.raw(&String::from_utf8_lossy(&page))?;
            Ok(Exit::Ok)
        }
    }
}

fn write_pages(app: &App, directory: &Path) -> Outcome {
    #[derive(Serialize)]
    struct Pages<'a> {
        directory: &'a Path,
        pages: usize,
    }
    fs::create_dir_all(directory)?;
    clap_mangen::generate_to(Cli::command(), directory)?;
    // One for the program itself, one per command, and one for the `help` that clap adds.
    let pages = fs::read_dir(directory)?.flatten().filter(is_page).count();
    let written = Pages { directory, pages };
    app.output.show(&written, || {
        format!("{} in {}\n", counted(pages, "page"), directory.display())
    })?;
    Ok(Exit::Ok)
}

fn is_page(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    name.starts_with("lean-beam") && name.ends_with(".1")
}

#[cfg(test)]
mod tests {
    use clap_complete::Shell;

    use super::*;

    #[test]
    fn every_shell_has_a_script_that_knows_the_commands() {
        for shell in [
            Shell::Bash,
            Shell::Zsh,
            Shell::Fish,
            Shell::Elvish,
            Shell::PowerShell,
        ] {
            let mut script = Vec::new();
            generate(shell, &mut Cli::command(), "lean-beam", &mut script);
            let script = String::from_utf8(script).unwrap();
            assert!(script.contains("open-files"), "{shell}");
        }
    }

    #[test]
    fn the_manual_page_names_commands_and_exit_codes() {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command())
            .render(&mut page)
            .unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains("sync"), "{page}");
        assert!(page.contains("Exit codes"), "{page}");
    }
}
