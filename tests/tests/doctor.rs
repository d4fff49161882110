//! `lean-beam doctor`: each fault is named, and what it advises mends it.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    fs::{self, Permissions},
    io::{BufRead, BufReader, Write},
    os::unix::{
        fs::{PermissionsExt, symlink},
        net::UnixListener,
    },
    path::{Path, PathBuf},
    thread,
};

use lean_beam_proto::lock::LockFile;
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Occurrence, Rule},
    },
    must::Must,
    process::command,
    programs,
    wait::{HANG, eventually},
    world::{Beam, Lean},
};
use serde_json::Value;

/// What `doctor` found, with its exit code checked against it.
async fn doctor(beam: &Beam, directory: &Path, environment: &[(&str, &str)]) -> Value {
    let mut cli = beam.cli(["doctor"]).in_directory(directory);
    for (name, value) in environment {
        cli = cli.env(name, value);
    }
    let output = cli.run().await;
    let report = output.json();
    let expected = i32::from(report["healthy"] == false);
    assert_eq!(output.code, expected, "{output:?}");
    report
}

#[track_caller]
fn finding<'a>(report: &'a Value, check: &str) -> &'a Value {
    let findings = report["findings"].as_array().must("list the findings");
    findings
        .iter()
        .find(|finding| finding["check"] == check)
        .must(&format!("find {check} in {report}"))
}

#[track_caller]
fn is(report: &Value, check: &str, state: &str, words: &str) -> Value {
    let finding = finding(report, check);
    assert_eq!(finding["state"], state, "{finding}");
    let message = finding["message"].as_str().must("read a message");
    assert!(message.contains(words), "{finding}");
    if state == "problem" || state == "warning" {
        let remedy = finding["remedy"].as_str().must("read a remedy");
        assert!(!remedy.is_empty(), "{finding}");
    }
    finding.clone()
}

/// Carries out the line that a finding offers.
fn follow(beam: &Beam, finding: &Value) {
    let line = finding["run"].as_str().must("find a line to run");
    let bin = programs::built("lean-beam");
    let bin = bin.parent().must("find the programs").display().to_string();
    let path = format!("{bin}:{}", beam.environment()["PATH"]);
    let status = command("sh")
        .args(["-c", line])
        .env_clear()
        .envs(beam.environment())
        .env("PATH", path)
        .status()
        .must("run the remedy");
    assert!(status.success(), "{line}");
}

fn script(path: &Path, text: &str) -> String {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).must("write a script");
    fs::set_permissions(path, Permissions::from_mode(0o755)).must("make it executable");
    path.display().to_string()
}

#[tokio::test]
async fn a_good_installation_is_healthy_and_nothing_is_left_running() {
    let beam = Beam::real();
    let project = beam.project();
    let report = doctor(&beam, project.root(), &[]).await;
    assert_eq!(report["healthy"], true, "{report}");
    is(&report, "lean", "ok", "4.");
    is(&report, "toolchain", "ok", "leanprover/lean4");
    is(&report, "socket", "ok", "nobody listens");
    is(&report, "daemon", "ok", "not running");
    is(&report, "incidents", "ok", "nothing");
    let trial = is(&report, "trial", "ok", "first verdict");
    for time in ["daemon_ready_ms", "first_verdict_ms", "next_verdict_ms"] {
        assert!(trial["data"][time].as_f64().is_some_and(|time| time > 0.0));
    }
    assert_eq!(beam.daemon(), None, "the user's daemon was started");
    beam.assert_nothing_left(HANG).await;
}

#[tokio::test]
async fn it_is_readable_on_a_terminal_and_useful_outside_of_projects() {
    let beam = Beam::fake(Scenario::default());
    let output = beam.cli(["doctor", "--no-trial"]).run_on_terminal().await;
    assert!(output.stdout.contains("toolchain"), "{output:?}");
    assert!(output.stdout.contains("give --root"), "{output:?}");
    let wrong = beam.cli(["doctor", "--root", "/nonexistent"]).run().await;
    wrong.expect_code(2);
}

#[tokio::test]
async fn without_lean_it_says_where_it_looked_and_the_variable_mends_it() {
    let beam = Beam::builder().lean(Lean::None).build();
    let project = beam.project();
    let report = doctor(&beam, project.root(), &[]).await;
    let lean = is(&report, "lean", "problem", "lean on PATH");
    is(&report, "trial", "note", "no Lean");
    let variable = lean["data"]["variable"].as_str().must("name a variable");
    let program = programs::real_lean().display().to_string();
    let mended = doctor(&beam, project.root(), &[(variable, &program)]).await;
    assert_eq!(mended["healthy"], true, "{mended}");
}

#[tokio::test]
async fn a_broken_lean_is_quoted() {
    let beam = Beam::builder().lean(Lean::None).build();
    let project = beam.project();
    let broken = script(
        &beam.root().join("lean"),
        "echo 'no such file: libleanshared' >&2; exit 127",
    );
    let report = doctor(&beam, project.root(), &[("LEAN_BEAM_LEAN", &broken)]).await;
    let lean = is(&report, "lean", "problem", "libleanshared");
    let variable = lean["data"]["variable"].as_str().must("name a variable");
    let other = script(&beam.root().join("other"), "echo hello");
    let report = doctor(&beam, project.root(), &[(variable, &other)]).await;
    is(&report, "lean", "problem", "is no Lean");
    let program = programs::real_lean().display().to_string();
    let mended = doctor(&beam, project.root(), &[(variable, &program)]).await;
    assert_eq!(mended["healthy"], true, "{mended}");
}

#[tokio::test]
async fn a_lakefile_without_lake_is_a_problem_and_lake_mends_it() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("lakefile.toml", "name = \"p\"\n");
    let report = doctor(&beam, project.root(), &[]).await;
    let lake = is(&report, "lake", "problem", "has a lakefile");
    let variable = lake["data"]["variable"].as_str().must("name a variable");
    let lake = script(&beam.root().join("lake"), "echo 'Lake version 5.0.0'");
    let mended = doctor(&beam, project.root(), &[(variable, &lake)]).await;
    is(&mended, "lake", "ok", "Lake version 5.0.0");
    assert_eq!(mended["healthy"], true, "{mended}");
}

#[tokio::test]
async fn a_directory_open_to_others_is_closed_by_the_line_it_offers() {
    let beam = Beam::fake(Scenario::default());
    let run = beam.runtime_dir();
    fs::create_dir(run.path()).must("make the directory");
    fs::set_permissions(run.path(), Permissions::from_mode(0o755)).must("open it");
    let report = doctor(&beam, beam.root(), &[]).await;
    let found = is(&report, "runtime_directory", "problem", "open to others");
    follow(&beam, &found);
    let mended = doctor(&beam, beam.root(), &[]).await;
    is(&mended, "runtime_directory", "ok", "private");
}

#[tokio::test]
async fn a_socket_path_that_is_too_long_is_mended_by_the_variable() {
    let beam = Beam::fake(Scenario::default());
    let long = format!("/tmp/{}", "x".repeat(100));
    let report = doctor(&beam, beam.root(), &[("LEAN_BEAM_RUNTIME_DIR", &long)]).await;
    let found = is(&report, "runtime_directory", "problem", "bytes");
    let variable = found["data"]["variable"].as_str().must("name a variable");
    let short = beam.root().join("r").display().to_string();
    let mended = doctor(&beam, beam.root(), &[(variable, &short)]).await;
    is(&mended, "runtime_directory", "ok", "will be made");
}

#[tokio::test]
async fn a_blocked_socket_names_the_directory_to_allow() {
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .unprivileged()
        .build();
    beam.cli(["serve"]).run().await.expect_code(0);
    let socket = beam.runtime_dir().socket();
    fs::set_permissions(&socket, Permissions::from_mode(0o000)).must("block the socket");
    let report = doctor(&beam, beam.root(), &[]).await;
    let found = is(&report, "socket", "problem", "does not let us connect");
    let allow = found["data"]["allow"].as_str().must("name the directory");
    assert_eq!(Path::new(allow), beam.runtime_dir().path());
    fs::set_permissions(&socket, Permissions::from_mode(0o600)).must("allow it");
    let mended = doctor(&beam, beam.root(), &[]).await;
    is(&mended, "socket", "ok", "a daemon answers");
}

#[tokio::test]
async fn a_daemon_whose_program_was_replaced_is_renewed_by_the_line_it_offers() {
    let beam = Beam::fake(Scenario::default());
    let bin = beam.root().join("bin");
    fs::create_dir(&bin).must("make a directory");
    for program in ["lean-beam", "lean-beam-daemon", "lean-beam-mcp"] {
        fs::copy(programs::built(program), bin.join(program)).must("copy a program");
    }
    let run = |arguments: &[&str]| {
        let output = command(bin.join("lean-beam"))
            .args(arguments)
            .env_clear()
            .envs(beam.environment())
            .current_dir(beam.root())
            .output()
            .must("run lean-beam");
        serde_json::from_slice::<Value>(&output.stdout).must("read its answer")
    };
    run(&["serve"]);
    let healthy = run(&["doctor", "--no-trial"]);
    is(&healthy, "daemon", "ok", "is running");

    let fresh = beam.root().join("fresh");
    fs::copy(programs::built("lean-beam-daemon"), &fresh).must("copy a program");
    fs::rename(&fresh, bin.join("lean-beam-daemon")).must("replace the program");
    let report = run(&["doctor", "--no-trial"]);
    let found = is(&report, "daemon", "warning", "replaced since it started");
    assert_eq!(found["data"]["runtime_current"], false);
    assert_eq!(found["run"], "lean-beam restart");
    run(&["restart"]);
    let mended = run(&["doctor", "--no-trial"]);
    is(&mended, "daemon", "ok", "is running");
}

#[tokio::test]
async fn a_full_disk_is_told_and_another_place_mends_it() {
    let beam = Beam::fake(Scenario::default());
    let state = PathBuf::from(&beam.environment()["LEAN_BEAM_STATE_DIR"]);
    fs::create_dir_all(&state).must("make the directory");
    // The one device on every Linux that is always full.
    symlink("/dev/full", state.join("daemon.log")).must("put a full disk in place");
    let report = doctor(&beam, beam.root(), &[]).await;
    let found = is(&report, "log", "problem", "the disk is full");
    let variable = found["data"]["variable"].as_str().must("name a variable");
    let elsewhere = beam.root().join("elsewhere").display().to_string();
    let mended = doctor(&beam, beam.root(), &[(variable, &elsewhere)]).await;
    is(&mended, "log", "ok", "can be written");
}

#[tokio::test]
async fn a_daemon_works_on_a_full_disk() {
    let beam = Beam::fake(Scenario::default());
    let state = PathBuf::from(&beam.environment()["LEAN_BEAM_STATE_DIR"]);
    fs::create_dir_all(&state).must("make the directory");
    symlink("/dev/full", state.join("daemon.log")).must("put a full disk in place");
    let project = beam.project();
    project.write("A.lean", "ERROR: one\n");
    let result = project.sync("A.lean").await.must("sync on a full disk");
    assert_eq!(result.diagnostics.counts.error, 1);
}

#[tokio::test]
async fn a_configuration_that_cannot_be_read_is_quoted() {
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .config("[limits]\nrequest = 3\n")
        .build();
    let report = doctor(&beam, beam.root(), &[]).await;
    is(&report, "configuration", "problem", "request");
    fs::write(
        &beam.environment()["LEAN_BEAM_CONFIG"],
        "[limits]\nrequests = 3\n",
    )
    .must("mend the file");
    let mended = doctor(&beam, beam.root(), &[]).await;
    is(&mended, "configuration", "ok", "config.toml");
}

#[tokio::test]
async fn a_worker_that_crashed_is_on_record_without_source_text() {
    let rule = Rule::on(
        "textDocument/waitForDiagnostics",
        [
            Action::stderr("panic in planted_secret_name"),
            Action::CrashWorker { after_ms: 50 },
        ],
    );
    let beam = Beam::fake(Scenario {
        rules: vec![rule.when(Occurrence::Only(1))],
        ..Scenario::default()
    });
    let project = beam.project();
    project.write("Secret.lean", "planted_secret_name\n");
    let state = PathBuf::from(&beam.environment()["LEAN_BEAM_STATE_DIR"]);
    let record = eventually(HANG, "a record of the crash", async || {
        drop(project.sync("Secret.lean").await);
        let entry = fs::read_dir(state.join("incidents")).ok()?.next()?.ok()?;
        fs::read_to_string(entry.path()).ok()
    })
    .await;
    assert!(!record.contains("planted_secret_name"), "{record}");
    let record: Value = serde_json::from_str(&record).must("read the record");
    assert_eq!(record["kind"], "worker", "{record}");
    assert_eq!(record["root"], project.root_text());
    let report = doctor(&beam, project.root(), &[]).await;
    let found = is(&report, "incidents", "note", "worker");
    assert!(
        found["data"]["count"]
            .as_u64()
            .is_some_and(|count| count >= 1)
    );
}

/// A daemon of protocol 0 that knows what is frozen and nothing else, and ends when it is told to.
fn daemon_of_another_protocol(beam: &Beam) -> thread::JoinHandle<()> {
    let runtime_dir = beam.runtime_dir();
    runtime_dir.ensure().must("make the directory");
    let lock = LockFile::acquire(&runtime_dir.life_lock()).must("take the life lock");
    let socket = runtime_dir.socket_of(0);
    let listener = UnixListener::bind(&socket).must("listen");
    thread::spawn(move || {
        let identity = r#"{"version":"0.0.1","protocol":0,"build":"old","pid":7,"started_ms":0}"#;
        for stream in listener.incoming() {
            let mut stream = stream.must("accept");
            let mut request = String::new();
            BufReader::new(&stream)
                .read_line(&mut request)
                .must("read a request");
            let is_over = request.contains("\"shutdown\"");
            let result = if is_over {
                r#"{"stopping":true,"cancelled_requests":0}"#
            } else {
                r#"{"busy":false}"#
            };
            if is_over {
                drop(fs::remove_file(&socket));
            }
            let line = format!("{{\"response\":{{\"ok\":{result}}},\"identity\":{identity}}}\n");
            // One that only knocked has left already.
            drop(stream.write_all(line.as_bytes()));
            if is_over {
                break;
            }
        }
        drop(lock);
    })
}

#[tokio::test]
async fn a_daemon_of_another_protocol_is_told_apart_and_replaced_by_the_line_it_offers() {
    let beam = Beam::fake(Scenario::default());
    let old = daemon_of_another_protocol(&beam);
    let arguments = ["doctor", "--no-trial"];
    let report = beam.cli(arguments).run().await.expect_code(0).json();
    let found = is(&report, "daemon", "warning", "another protocol");
    assert_eq!(found["data"]["identity"]["version"], "0.0.1");
    assert_eq!(found["run"], "lean-beam restart");
    let status = beam.cli(["status"]).run().await.expect_code(0).json();
    assert_eq!(status["identity"]["protocol"], 0);
    let line = found["run"].as_str().must("find a line to run");
    let words: Vec<_> = line.split(' ').skip(1).collect();
    beam.cli(words).run().await.expect_code(0);
    assert!(old.join().is_ok(), "the old one failed");
    let mended = beam.cli(arguments).run().await.expect_code(0).json();
    is(&mended, "daemon", "ok", "is running");
}
