//! Installing, updating and removing, as the scripts do it for a user.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

use lean_beam_tests::{
    fake::Scenario,
    must::Must,
    process::command,
    programs,
    wait::{HANG, eventually, never_during},
    world::{Beam, Lean, Project},
};
use serde_json::Value;

/// A user with a home in a private world, who has nothing installed yet.
struct User {
    beam: Beam,
}

impl User {
    fn new() -> Self {
        Self::with_config("")
    }

    fn with_config(config: &str) -> Self {
        let lean = Lean::Fake(Scenario::default());
        Self {
            beam: Beam::builder().lean(lean).config(config).build(),
        }
    }

    /// A user of the command line that was just installed, whose daemon has judged `A.lean`.
    fn at_work(config: &str) -> (Self, Project) {
        let user = Self::with_config(config);
        user.install(&built());
        let project = user.beam.project();
        project.write("A.lean", "ERROR: one\n");
        user.sync(&project);
        (user, project)
    }

    fn sync(&self, project: &Project) -> Value {
        self.json(&["sync", "--root", project.root_text(), "A.lean"])
    }

    fn home(&self) -> PathBuf {
        PathBuf::from(&self.beam.environment()["HOME"])
    }

    fn prefix(&self) -> PathBuf {
        self.home().join(".local")
    }

    fn script(&self, name: &str, arguments: &[&str]) -> Output {
        let mut script = command("sh");
        script.arg(programs::repository().join("install").join(name));
        self.run(script, arguments)
    }

    fn install(&self, from: &Path) -> String {
        let from = from.display().to_string();
        succeeded(&self.script("install.sh", &["--from", &from]))
    }

    /// Runs the installed command line.
    fn beam(&self, arguments: &[&str]) -> Output {
        self.run(command(self.prefix().join("bin/lean-beam")), arguments)
    }

    /// Runs a program with the environment of this world.
    fn run(&self, mut program: Command, arguments: &[&str]) -> Output {
        program
            .args(arguments)
            .env_clear()
            .envs(self.beam.environment())
            .current_dir(self.beam.root());
        program.output().must("run a program")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_slice(&self.beam(arguments).stdout).must("read an answer")
    }

    fn files(&self) -> BTreeSet<PathBuf> {
        files_below(&self.home())
    }
}

fn succeeded(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

fn built() -> PathBuf {
    let program = programs::built("lean-beam");
    program.parent().must("find the programs").to_owned()
}

/// A copy of the programs that differs from the original, as another version would.
fn other_version(place: &Path) -> PathBuf {
    let folder = place.join("other-version");
    fs::create_dir(&folder).must("make a directory");
    for name in ["lean-beam", "lean-beam-daemon", "lean-beam-mcp"] {
        let mut bytes = fs::read(programs::built(name)).must("read a program");
        // What stands behind the end of a program is not looked at when it runs.
        bytes.extend_from_slice(b"another version");
        fs::write(folder.join(name), bytes).must("write a program");
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755))
            .must("make it executable");
    }
    folder
}

fn files_below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.insert(path);
        }
    }
    found
}

#[test]
fn everything_that_is_installed_is_listed_works_and_goes_away_again() {
    let user = User::new();
    let mine = user.prefix().join("bin/mine");
    fs::create_dir_all(user.prefix().join("bin")).must("make a directory");
    fs::write(&mine, "mine").must("write a file");
    let said = user.install(&built());

    let manifest = user.prefix().join("share/lean-beam/manifest.txt");
    let text = fs::read_to_string(&manifest).must("read the list");
    let listed: BTreeSet<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("file "))
        .map(|file| user.prefix().join(file))
        .collect();
    let mut installed = user.files();
    installed.remove(&mine);
    assert_eq!(listed, installed);
    for file in &installed {
        assert!(
            said.contains(&file.display().to_string()),
            "{file:?}: {said}"
        );
    }
    let version = succeeded_text(&user.beam(&["--version"]));
    assert!(version.contains("lean-beam"), "{version}");
    for page in ["man/man1/lean-beam.1", "man/man1/lean-beam-sync.1"] {
        assert!(user.prefix().join("share").join(page).is_file(), "{page}");
    }
    for (file, word) in [
        ("bash-completion/completions/lean-beam", "complete"),
        ("zsh/site-functions/_lean-beam", "#compdef lean-beam"),
        (
            "fish/vendor_completions.d/lean-beam.fish",
            "complete -c lean-beam",
        ),
    ] {
        let text = fs::read_to_string(user.prefix().join("share").join(file)).must("read it");
        assert!(text.contains(word), "{file}");
    }

    let said = succeeded(&user.script("uninstall.sh", &[]));
    assert!(said.contains("bin/lean-beam-daemon"), "{said}");
    assert_eq!(user.files(), BTreeSet::from([mine]));
    let left: Vec<_> = fs::read_dir(user.prefix()).must("list").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let again = user.script("uninstall.sh", &[]);
    assert!(!again.status.success(), "there is nothing left to remove");
}

fn succeeded_text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_second_time_changes_nothing() {
    let user = User::new();
    user.install(&built());
    let program = user.prefix().join("bin/lean-beam-daemon");
    let before = (
        user.files(),
        fs::metadata(&program).unwrap().modified().unwrap(),
    );
    let said = user.install(&built());
    let after = (
        user.files(),
        fs::metadata(&program).unwrap().modified().unwrap(),
    );
    assert_eq!(before, after);
    assert!(!said.contains("bin/lean-beam-daemon"), "{said}");
    succeeded(&user.script("uninstall.sh", &[]));
    assert_eq!(user.files(), BTreeSet::new());
}

#[test]
fn a_running_daemon_survives_an_update_knows_it_and_is_replaced() {
    let (user, project) = User::at_work("");
    let before = user.json(&["status"]);
    assert_eq!(before["runtime_current"], true, "{before}");

    user.install(&other_version(user.beam.root()));
    let still = user.sync(&project);
    assert_eq!(still["diagnostics"]["counts"]["error"], 1, "{still}");
    let during = user.json(&["status"]);
    assert_eq!(during["identity"], before["identity"], "it goes on");
    assert_eq!(during["runtime_current"], false, "{during}");
    let doctor = user.json(&["doctor", "--no-trial"]);
    let findings = doctor["findings"].as_array().must("list the findings");
    let daemon = findings
        .iter()
        .find(|finding| finding["check"] == "daemon")
        .must("find the daemon's");
    assert_eq!(daemon["state"], "warning", "{daemon}");

    user.json(&["restart"]);
    let after = user.json(&["status"]);
    assert_ne!(after["identity"]["pid"], before["identity"]["pid"]);
    assert_eq!(after["runtime_current"], true, "{after}");
    succeeded(&user.script("uninstall.sh", &[]));
    assert_eq!(user.beam.daemon(), None, "uninstalling stops the daemon");
}

#[tokio::test]
async fn an_idle_daemon_makes_room_for_an_update_by_itself() {
    let (user, project) = User::at_work("[daemon]\nreplaced_idle_seconds = 1\n");
    let before = user.json(&["status"]);
    never_during(
        Duration::from_secs(2),
        "its end without an update",
        async || user.beam.daemon().is_none().then_some(()),
    )
    .await;
    user.install(&other_version(user.beam.root()));
    eventually(HANG, "the end of the old daemon", async || {
        user.beam.daemon().is_none().then_some(())
    })
    .await;
    let verdict = user.sync(&project);
    assert_eq!(verdict["diagnostics"]["counts"]["error"], 1, "{verdict}");
    let after = user.json(&["status"]);
    assert_ne!(after["identity"]["pid"], before["identity"]["pid"]);
    assert_eq!(after["runtime_current"], true, "{after}");
}

#[test]
fn files_of_an_earlier_version_are_removed_by_an_update() {
    let user = User::new();
    user.install(&built());
    let manifest = user.prefix().join("share/lean-beam/manifest.txt");
    let old = user.prefix().join("share/man/man1/lean-beam-former.1");
    fs::write(&old, "").must("write a file");
    let text = fs::read_to_string(&manifest).must("read the list");
    fs::write(
        &manifest,
        format!("{text}file share/man/man1/lean-beam-former.1\n"),
    )
    .must("write the list");
    user.install(&built());
    assert!(!old.exists());
    let text = fs::read_to_string(&manifest).must("read the list");
    assert!(!text.contains("former"), "{text}");
}

#[test]
fn what_cannot_be_installed_leaves_everything_as_it_was() {
    let user = User::new();
    let nothing = user.beam.root().join("nothing");
    fs::create_dir(&nothing).must("make a directory");
    let missing = user.script("install.sh", &["--from", nothing.to_str().unwrap()]);
    assert!(!missing.status.success());
    let said = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(said.contains("there is no program"), "{said}");
    assert!(said.contains("next:"), "{said}");
    assert_eq!(user.files(), BTreeSet::new());

    let wrong = user.script("install.sh", &["--bogus"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_service_has_to_go_before_its_program() {
    let user = User::new();
    user.install(&built());
    // Where no service manager is found the files are written all the same, and the failure is told.
    let service = |arguments: &[&str]| {
        command(user.prefix().join("bin/lean-beam"))
            .args(["setup", "service", "--yes"])
            .args(arguments)
            .env_clear()
            .envs(user.beam.environment())
            .env("PATH", "/nonexistent")
            .output()
            .must("run lean-beam")
    };
    let setup = service(&[]);
    assert_eq!(setup.status.code(), Some(3), "{setup:?}");
    let refused = user.script("uninstall.sh", &[]);
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("setup service --remove"), "{said}");
    assert!(user.prefix().join("bin/lean-beam-daemon").exists());
    let removed = service(&["--remove"]);
    assert!(removed.status.success(), "{removed:?}");
    succeeded(&user.script("uninstall.sh", &[]));
    let left = user.files();
    let ours = |file: &&PathBuf| file.to_string_lossy().contains("lean-beam");
    assert_eq!(left.iter().find(ours), None, "{left:?}");
}

#[test]
fn a_list_that_leads_elsewhere_is_refused() {
    let user = User::new();
    let outside = user.home().join("precious");
    fs::write(&outside, "x").must("write a file");
    let share = user.prefix().join("share/lean-beam");
    fs::create_dir_all(&share).must("make a directory");
    for path in ["../precious", "bin/../../precious", "/etc/passwd"] {
        fs::write(share.join("manifest.txt"), format!("file {path}\n")).must("write the list");
        let refused = user.script("uninstall.sh", &[]);
        assert!(!refused.status.success(), "{path}");
        assert!(outside.exists(), "{path}");
    }
}
