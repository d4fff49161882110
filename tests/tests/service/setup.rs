//! `lean-beam setup service`, with a `systemctl` that takes notes.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use lean_beam_tests::{must::Must, programs, world::Beam};
use serde_json::Value;

use crate::{sync, world};

/// A `systemctl` that notes what it is told, says that nothing is active before it was enabled, and ends with `exit`.
fn stand_in(beam: &Beam, exit: i32) -> String {
    let bin = beam.root().join("stand-in");
    fs::create_dir_all(&bin).must("make a directory");
    let (log, state) = (
        beam.root().join("systemctl.log"),
        beam.root().join("enabled"),
    );
    let script = format!(
        "#!/bin/sh
echo \"$@\" >> '{log}'
case \"$*\" in
  *is-active*) test -e '{state}'; exit ;;
  *restart*) test {exit} != 0 || touch '{state}' ;;
  *disable*) rm -f '{state}' ;;
esac
test {exit} = 0 || echo 'no bus' >&2
exit {exit}
",
        log = log.display(),
        state = state.display()
    );
    let program = bin.join("systemctl");
    fs::write(&program, script).must("write a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).must("make it executable");
    format!("{}:{}", bin.display(), beam.environment()["PATH"])
}

/// What the stand-in was told since the last look.
fn told(beam: &Beam) -> Vec<String> {
    let log = beam.root().join("systemctl.log");
    let text = fs::read_to_string(&log).unwrap_or_default();
    drop(fs::remove_file(log));
    let told = text.lines().filter(|line| !line.contains("is-active"));
    told.map(str::to_owned).collect()
}

async fn setup(beam: &Beam, path: &str, arguments: &[&str]) -> Value {
    let arguments = ["setup", "service"].iter().chain(arguments).copied();
    let output = beam.cli(arguments).env("PATH", path).run().await;
    output.expect_code(0).json()
}

fn units(beam: &Beam) -> PathBuf {
    Path::new(&beam.environment()["HOME"]).join(".config/systemd/user")
}

#[tokio::test]
async fn the_service_is_set_up_and_taken_away_by_the_systems_own_means() {
    let (beam, project) = world();
    let path = stand_in(&beam, 0);
    let units = units(&beam);
    fs::create_dir_all(&units).must("make a directory");
    fs::write(units.join("other.service"), "[Service]\n").must("write a unit");
    sync(&beam, &project).await;

    let printed = setup(&beam, &path, &["--print"]).await;
    let unasked = beam.cli(["setup", "service"]).env("PATH", &path);
    let shown = unasked.run().await.expect_code(2).json();
    let diff = shown["error"]["data"]["changes"][0]["diff"].as_str();
    assert!(
        diff.must("show the change").contains("+ListenStream="),
        "{shown}"
    );
    assert!(!units.join("lean-beam.socket").exists(), "nobody said yes");
    assert_eq!(told(&beam), Vec::<String>::new());
    assert!(beam.daemon().is_some());

    let report = setup(&beam, &path, &["--yes"]).await;
    assert_eq!(
        (&report["installed"], &report["changed"]),
        (&true.into(), &true.into())
    );
    assert_eq!(beam.daemon(), None, "the socket's place is free");
    assert_eq!(
        told(&beam),
        [
            "--user daemon-reload",
            "--user enable lean-beam.socket",
            "--user restart lean-beam.socket",
        ]
    );
    for file in printed["files"].as_array().must("list the files") {
        let name = file["file"].as_str().must("name the file");
        let text = fs::read_to_string(name).must("read a unit");
        assert_eq!(file["text"], text, "{name}");
    }
    let socket = fs::read_to_string(units.join("lean-beam.socket")).must("read a unit");
    let listen = format!("\nListenStream={}\n", beam.runtime_dir().socket().display());
    assert!(socket.contains(&listen), "{socket}");
    let service = fs::read_to_string(units.join("lean-beam.service")).must("read a unit");
    let daemon = programs::built("lean-beam-daemon");
    let daemon = daemon.canonicalize().must("find the daemon");
    let start = format!("\nExecStart=\"{}\" --foreground\n", daemon.display());
    assert!(service.contains(&start), "{service}");
    let look = async || beam.cli(["setup"]).run().await.expect_code(0).json();
    assert_eq!(look().await["service"]["state"], "current");
    let program = daemon.display().to_string();
    fs::write(
        units.join("lean-beam.service"),
        service.replace(&program, "/gone/daemon"),
    )
    .must("write a unit");
    assert_eq!(look().await["service"]["state"], "elsewhere");
    let doctor = beam.cli(["doctor", "--no-trial"]).run().await.json();
    let findings = doctor["findings"]
        .as_array()
        .must("list the findings")
        .iter();
    let found = findings.filter(|finding| finding["check"] == "service");
    let advice: Vec<_> = found.map(|finding| finding["run"].clone()).collect();
    assert_eq!(advice, ["lean-beam setup service --yes"]);
    let renewed = setup(&beam, &path, &["--yes"]).await;
    assert_eq!(renewed["changes"][0]["action"], "edit", "{renewed}");
    told(&beam);
    let again = setup(&beam, &path, &["--yes"]).await;
    assert_eq!(again["changed"], false, "{again}");

    let removed = setup(&beam, &path, &["--remove", "--yes"]).await;
    assert_eq!(removed["changed"], true);
    assert_eq!(
        told(&beam),
        [
            "--user disable --now lean-beam.socket lean-beam.service",
            "--user daemon-reload",
        ]
    );
    let left: Vec<_> = fs::read_dir(&units)
        .must("list the units")
        .flatten()
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let nothing = setup(&beam, &path, &["--remove"]).await;
    assert_eq!(nothing["changed"], false);
}

#[tokio::test]
async fn a_service_that_does_not_run_is_started_by_setting_it_up_again() {
    let (beam, _project) = world();
    let path = stand_in(&beam, 1);
    let failing = beam.cli(["setup", "service", "--yes"]).env("PATH", &path);
    let report = failing.run().await.expect_code(3).json();
    assert_eq!(report["commands"][0]["ok"], false);
    assert_eq!(report["commands"][0]["said"], "no bus");
    let path = stand_in(&beam, 0);
    told(&beam);
    let report = setup(&beam, &path, &["--yes"]).await;
    assert_eq!(report["changes"], serde_json::json!([]));
    assert_eq!(told(&beam).len(), 3, "{report}");
    let without = beam
        .cli(["setup", "service", "--yes"])
        .env("PATH", "/nonexistent");
    let report = without.run().await.expect_code(3).json();
    let said = report["commands"][0]["said"].as_str().must("say why");
    assert!(said.contains("systemctl"), "{report}");
}

#[tokio::test]
async fn units_of_somebody_else_are_left_alone() {
    let (beam, _project) = world();
    let path = stand_in(&beam, 0);
    let theirs = units(&beam).join("lean-beam.service");
    fs::create_dir_all(units(&beam)).must("make a directory");
    fs::write(&theirs, "[Service]\nExecStart=/bin/true\n").must("write a unit");
    let refused = beam.cli(["setup", "service", "--yes"]).env("PATH", &path);
    let refused = refused.run().await.expect_code(3).json();
    let message = refused["error"]["message"].as_str().must("say why");
    assert!(message.contains("not written by lean-beam"), "{message}");
    let removed = setup(&beam, &path, &["--remove", "--yes"]).await;
    assert_eq!(removed["changed"], false);
    assert_eq!(removed["remarks"].as_array().must("remark it").len(), 1);
    assert!(theirs.exists());
}
