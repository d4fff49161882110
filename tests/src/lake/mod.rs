//! A stand-in for Lake, for what Lean and the daemon ask of it: `serve`, `setup-file` and `build +Module`.
//!
//! It is no Lake: it knows modules by their paths, builds with the Lean of `LEAN_BEAM_LEAN`, and takes a module for
//! current when its artifact is newer than its source and those of its imports. What it does badly on request
//! stands in the file that `FAKE_LAKE_MOOD` names, read anew for every call.

use std::{
    fs,
    io::{Read, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use crate::process::command;

/// Names the file with the mood.
pub const MOOD_VARIABLE: &str = "FAKE_LAKE_MOOD";

/// How a call goes wrong, if it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// It does what it is asked.
    Good,
    /// It fails with this exit code and says so.
    Exit(i32),
    /// It succeeds and prints something that is not understood.
    Junk,
    /// It says what it does, with pauses, and then does it.
    Slow,
    /// It prints one line of five million characters first.
    LongLine,
    /// It is killed.
    Killed,
}

impl Mood {
    /// The text of the mood file.
    pub fn text(self) -> String {
        match self {
            Self::Good => "good".to_owned(),
            Self::Exit(code) => format!("exit {code}"),
            Self::Junk => "junk".to_owned(),
            Self::Slow => "slow".to_owned(),
            Self::LongLine => "longline".to_owned(),
            Self::Killed => "killed".to_owned(),
        }
    }

    fn now() -> Self {
        let text = std::env::var(MOOD_VARIABLE)
            .ok()
            .and_then(|file| fs::read_to_string(file).ok())
            .unwrap_or_default();
        match text.split_once(' ') {
            Some(("exit", code)) => Self::Exit(code.trim().parse().unwrap_or(1)),
            _ => match text.trim() {
                "junk" => Self::Junk,
                "slow" => Self::Slow,
                "longline" => Self::LongLine,
                "killed" => Self::Killed,
                _ => Self::Good,
            },
        }
    }
}

/// Runs one call; gives its exit code.
pub fn run(arguments: &[String]) -> i32 {
    match arguments.first().map(String::as_str) {
        Some("serve") => serve(arguments),
        Some("setup-file") => in_mood(|| setup_file(arguments)),
        Some("build") => in_mood(|| build_target(arguments)),
        _ => {
            say_error("unsupported by the stand-in");
            1
        }
    }
}

fn in_mood(good: impl FnOnce() -> i32) -> i32 {
    match Mood::now() {
        Mood::Good => good(),
        Mood::Exit(code) => {
            say_error("error: build failed: boom");
            code
        }
        Mood::Junk => {
            say("not what was asked for");
            0
        }
        Mood::Slow => {
            for step in 1..=5 {
                say_error(&format!("✔ [{step}/5] Doing step {step}"));
                thread::sleep(Duration::from_millis(200));
            }
            good()
        }
        Mood::LongLine => {
            say_error(&"x".repeat(5_000_000));
            good()
        }
        Mood::Killed => {
            nix::sys::signal::kill(nix::unistd::getpid(), nix::sys::signal::Signal::SIGKILL).ok();
            1
        }
    }
}

/// Becomes the Lean server, in Lake's environment. Like Lake, it writes a manifest first where there is none.
fn serve(arguments: &[String]) -> i32 {
    let manifest = root().join("lake-manifest.json");
    if !manifest.exists() {
        fs::write(manifest, "{\"version\": \"1.1.0\", \"packages\": []}\n").ok();
    }
    let own = std::env::current_exe().unwrap_or_default();
    let mut server = command(lean());
    server.arg("--server").args(
        arguments
            .iter()
            .skip_while(|argument| *argument != "--")
            .skip(1),
    );
    server
        .envs(std::env::vars_os())
        .env("LAKE", own)
        .env("LEAN_SRC_PATH", sources())
        .env("LEAN_PATH", library(&root()));
    say_error(&format!("cannot start Lean: {}", server.exec()));
    1
}

/// Are the imports current? Builds them unless told not to.
fn setup_file(arguments: &[String]) -> i32 {
    let mut header = String::new();
    std::io::stdin().read_to_string(&mut header).ok();
    let header: serde_json::Value = serde_json::from_str(&header).unwrap_or_default();
    let imports = header["imports"].as_array().cloned().unwrap_or_default();
    let modules: Vec<String> = imports
        .iter()
        .filter_map(|import| import["module"].as_str().map(str::to_owned))
        .collect();
    let may_build = !arguments.iter().any(|argument| argument == "--no-build");
    for module in modules.iter().filter(|module| source(module).is_file()) {
        if !is_current(module) {
            if !may_build {
                say_error("imports are out of date");
                return 3;
            }
            if !build(module) {
                return 1;
            }
        }
    }
    say(
        r#"{"name":"F","isModule":false,"imports":null,"importArts":{},"dynlibs":[],"plugins":[],"options":{}}"#,
    );
    0
}

fn build_target(arguments: &[String]) -> i32 {
    let Some(module) = arguments.get(1).and_then(|target| target.strip_prefix('+')) else {
        return 1;
    };
    if !source(module).is_file() {
        say_error(&format!("error: unknown module `{module}`"));
        return 1;
    }
    if is_current(module) || build(module) {
        say(&format!("✔ [1/1] Built {module}"));
        0
    } else {
        say_error("error: build failed");
        1
    }
}

fn build(module: &str) -> bool {
    let imports = imports(module);
    if !imports
        .iter()
        .filter(|import| !is_current(import))
        .all(|import| build(import))
    {
        return false;
    }
    let artifact = |folder: &str, ending: &str| {
        root()
            .join(".lake/build")
            .join(folder)
            .join(format!("{}.{ending}", module.replace('.', "/")))
    };
    let (olean, ilean, c) = (
        artifact("lib/lean", "olean"),
        artifact("lib/lean", "ilean"),
        artifact("ir", "c"),
    );
    for path in [&olean, &c] {
        path.parent().map(fs::create_dir_all);
    }
    // Lake replaces artifacts, it does not write into those that a server has mapped.
    for old in [&olean, &ilean, &c] {
        fs::remove_file(old).ok();
    }
    let mut lean = command(lean());
    lean.arg("-R")
        .arg(sources())
        .arg("-o")
        .arg(&olean)
        .arg("-i")
        .arg(&ilean)
        .arg("-c")
        .arg(&c)
        .arg(source(module));
    lean.envs(std::env::vars_os())
        .env("LEAN_SRC_PATH", sources())
        .env("LEAN_PATH", library(&root()))
        .current_dir(root());
    lean.status().is_ok_and(|status| status.success())
}

fn is_current(module: &str) -> bool {
    let built = modified(&library(&root()).join(format!("{}.olean", module.replace('.', "/"))));
    let own = built.is_some() && modified(&source(module)) <= built;
    own && imports(module).iter().all(|import| {
        is_current(import)
            && modified(&library(&root()).join(format!("{}.olean", import.replace('.', "/"))))
                <= built
    })
}

fn imports(module: &str) -> Vec<String> {
    let text = fs::read_to_string(source(module)).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.strip_prefix("import "))
        .map(|name| name.trim().to_owned())
        .filter(|name| source(name).is_file())
        .collect()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .ok()
}

fn source(module: &str) -> PathBuf {
    sources().join(format!("{}.lean", module.replace('.', "/")))
}

/// The package's `srcDir`, which stands on a line of its own.
fn sources() -> PathBuf {
    let lakefile = fs::read_to_string(root().join("lakefile.toml")).unwrap_or_default();
    let mut lines = lakefile.lines();
    let directory = lines.find_map(|line| line.strip_prefix("srcDir = \"")?.strip_suffix('"'));
    root().join(directory.unwrap_or_default())
}

fn library(root: &Path) -> PathBuf {
    root.join(".lake/build/lib/lean")
}

/// Lake is started in the root.
fn root() -> PathBuf {
    PathBuf::from(".").canonicalize().unwrap_or_default()
}

fn lean() -> String {
    std::env::var("LEAN_BEAM_LEAN").unwrap_or_else(|_| "lean".to_owned())
}

fn say(line: &str) {
    drop(writeln!(std::io::stdout(), "{line}"));
}

fn say_error(line: &str) {
    drop(writeln!(std::io::stderr(), "{line}"));
}
