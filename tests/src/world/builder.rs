//! Making a private world.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder, Permissions},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

use super::Beam;
use crate::{
    fake::{LOG_VARIABLE, SCENARIO_VARIABLE, Scenario},
    must::Must,
    process, programs,
};

/// Somebody without rights, for tests that run as a user who may do anything.
const NOBODY: u32 = 65534;

/// Which Lean a world has.
#[derive(Debug, Clone, Default)]
pub enum Lean {
    /// The real one.
    #[default]
    Real,
    /// A scripted one.
    Fake(Scenario),
    /// None: nothing is to be found.
    None,
}

/// What a world is to be like.
#[derive(Debug, Default)]
pub struct Builder {
    lean: Lean,
    config: Option<String>,
    environment: BTreeMap<String, String>,
    unprivileged: bool,
}

impl Builder {
    /// Which Lean there is. Default: the real one.
    #[must_use]
    pub fn lean(mut self, lean: Lean) -> Self {
        self.lean = lean;
        self
    }

    /// The text of the configuration file. Default: there is no such file.
    #[must_use]
    pub fn config(mut self, text: &str) -> Self {
        self.config = Some(text.to_owned());
        self
    }

    /// One more environment variable, or another value for one.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The command line runs as a user without special rights, even when the test itself has them.
    #[must_use]
    pub fn unprivileged(mut self) -> Self {
        self.unprivileged = true;
        self
    }

    /// Makes the world. Nothing runs in it yet: the first client starts the daemon.
    pub fn build(self) -> Beam {
        // Sockets need short paths, so not below the target folder.
        let root = tempfile::Builder::new()
            .prefix("lb-")
            .tempdir_in("/tmp")
            .must("make a directory");
        let user = (self.unprivileged && process::is_root()).then_some(NOBODY);
        if user.is_some() {
            copy_programs(root.path());
        }
        let environment = self.make_environment(root.path());
        let launcher = write_launcher(root.path(), &environment);
        if let Some(user) = user {
            give_away(root.path(), user);
        }
        Beam::new(root, environment, launcher, user)
    }

    fn make_environment(&self, root: &Path) -> BTreeMap<String, String> {
        let directory = |name: &str, mode: u32| {
            let path = root.join(name);
            DirBuilder::new()
                .mode(mode)
                .create(&path)
                .must("make a directory of the world");
            text_of(&path)
        };
        let mut environment = BTreeMap::from([
            ("HOME".to_owned(), directory("home", 0o755)),
            ("TMPDIR".to_owned(), directory("tmp", 0o755)),
            ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("USER".to_owned(), "tester".to_owned()),
            ("SHELL".to_owned(), "/bin/sh".to_owned()),
            ("TERM".to_owned(), "xterm".to_owned()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            (
                "LEAN_BEAM_RUNTIME_DIR".to_owned(),
                text_of(&root.join("run")),
            ),
            (
                "LEAN_BEAM_STATE_DIR".to_owned(),
                text_of(&root.join("state")),
            ),
        ]);
        self.add_config(root, &mut environment);
        self.add_lean(root, &mut environment);
        environment.extend(self.environment.clone());
        environment
    }

    fn add_config(&self, root: &Path, environment: &mut BTreeMap<String, String>) {
        let path = root.join("config.toml");
        if let Some(text) = &self.config {
            fs::write(&path, text).must("write the configuration");
        }
        environment.insert("LEAN_BEAM_CONFIG".to_owned(), text_of(&path));
    }

    fn add_lean(&self, root: &Path, environment: &mut BTreeMap<String, String>) {
        let mut set = |name: &str, path: &Path| {
            environment.insert(name.to_owned(), text_of(path));
        };
        match &self.lean {
            Lean::Real => set("LEAN_BEAM_LEAN", programs::real_lean()),
            Lean::Fake(scenario) => {
                write_scenario(root, scenario);
                set("LEAN_BEAM_LEAN", &program(root, "fake_lean"));
                set(SCENARIO_VARIABLE, &scenario_file(root));
                set(LOG_VARIABLE, &record_file(root));
            }
            Lean::None => {}
        }
    }
}

/// The program `name` as the world's user can run it.
pub(super) fn program(root: &Path, name: &str) -> PathBuf {
    let copy = root.join("bin").join(name);
    if copy.is_file() {
        copy
    } else {
        programs::built(name)
    }
}

/// The build may be where only its owner can look.
fn copy_programs(root: &Path) {
    let folder = root.join("bin");
    fs::create_dir(&folder).must("make a directory for programs");
    for name in ["lean-beam", "lean-beam-daemon", "fake_lean"] {
        fs::copy(programs::built(name), folder.join(name)).must("copy a program");
    }
}

/// Puts `scenario` in place for the next start of the scripted server.
pub(super) fn write_scenario(root: &Path, scenario: &Scenario) {
    let text = serde_json::to_string(scenario).must("write the scenario as JSON");
    // A server that starts at this moment must see one whole scenario or the other.
    let fresh = root.join("scenario.new");
    fs::write(&fresh, text).must("write the scenario");
    fs::rename(&fresh, scenario_file(root)).must("put the scenario in place");
}

pub(super) fn record_file(root: &Path) -> PathBuf {
    root.join("record.jsonl")
}

fn scenario_file(root: &Path) -> PathBuf {
    root.join("scenario.json")
}

/// A script that starts the daemon with the world's environment and nothing of the test's own.
fn write_launcher(root: &Path, environment: &BTreeMap<String, String>) -> PathBuf {
    let mut script = "#!/bin/sh\nexec env -i".to_owned();
    for (name, value) in environment {
        script.push_str(&format!(" {name}={}", quoted(value)));
    }
    let daemon = text_of(&program(root, "lean-beam-daemon"));
    script.push_str(&format!(" {} \"$@\"\n", quoted(&daemon)));
    let path = root.join("start-daemon");
    fs::write(&path, script).must("write the launcher");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).must("make the launcher executable");
    path
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn give_away(path: &Path, user: u32) {
    std::os::unix::fs::chown(path, Some(user), Some(user)).must("give the world away");
    let entries = fs::read_dir(path).must("list the world");
    for entry in entries {
        let path = entry.must("list the world").path();
        std::os::unix::fs::chown(path, Some(user), Some(user)).must("give the world away");
    }
}

fn text_of(path: &Path) -> String {
    path.to_str().must("have a path of plain text").to_owned()
}
