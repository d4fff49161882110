//! The program itself: signals, memory, what it leaves behind.

use std::{
    io::Write,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::stage::*;

/// The server as a process, ended with its owner.
struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<Written>,
}

impl Process {
    fn start(world: &World) -> Self {
        let mut child = command(world)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            lines: lines_of(child.stdout.take().unwrap()),
            child,
        }
    }

    fn send(&mut self, text: &[u8]) {
        self.input.as_mut().unwrap().write_all(text).unwrap();
    }

    fn request(&mut self, id: u64, method: &str, mut params: Value) {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(format!("{message}\n").as_bytes());
    }

    #[track_caller]
    fn answer(&self, id: u64) -> Value {
        loop {
            let written = self.lines.recv_timeout(LIMIT).expect("no answer");
            if written.message["id"] == id {
                return written.message;
            }
        }
    }

    fn signal(&self, name: &str) {
        let sent = shell(&format!("kill -{name} {}", self.child.id()))
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// The exit code, and how long the process took to leave.
    #[track_caller]
    fn exit(&mut self) -> (Option<i32>, Duration) {
        let start = Instant::now();
        let status = eventually("the process does not leave", || {
            self.child.try_wait().unwrap()
        });
        (status.code(), start.elapsed())
    }

    /// One line of the system's account of the process, in KiB.
    fn memory(&self, line: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let found = status
            .lines()
            .find_map(|found| found.strip_prefix(line))
            .unwrap();
        found
            .trim_start_matches(':')
            .trim()
            .trim_end_matches(" kB")
            .parse()
            .unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the test starts the program under test, and ends it"
)]
fn command(world: &World) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lean-beam-mcp"));
    command
        .env_clear()
        .env("LEAN_BEAM_RUNTIME_DIR", world.runtime_dir.path())
        .env("HOME", world.base());
    command
}

#[expect(
    clippy::disallowed_methods,
    reason = "the shell's kill is the shortest way to a signal"
)]
fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    command
}

#[test]
fn the_end_of_input_is_a_good_end() {
    let world = World::new();
    let mut process = Process::start(&world);
    process.request(1, "tools/list", json!({}));
    process.answer(1);
    process.input = None;
    let (code, elapsed) = process.exit();
    assert_eq!(code, Some(0));
    assert!(elapsed < Duration::from_secs(2));
}

#[test]
fn signals_cancel_calls_and_end_the_process_within_two_seconds() {
    for name in ["TERM", "INT", "HUP"] {
        let world = World::new();
        let daemon = Daemon::listen(&world);
        let mut process = Process::start(&world);
        let call = json!({"name": "lean_sync", "arguments": world.about_a_file()});
        process.request(1, "tools/call", call);
        let job = daemon.next();
        process.signal(name);
        job.wait_for_hang_up();
        let (code, elapsed) = process.exit();
        assert_eq!(code, Some(0), "{name}");
        assert!(elapsed < Duration::from_secs(2), "{name}: {elapsed:?}");
    }
}

#[test]
fn a_killed_server_hangs_up_on_its_requests() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut killed = Process::start(&world);
    let mut other = Process::start(&world);
    let call = json!({"name": "lean_sync", "arguments": world.about_a_file()});
    killed.request(1, "tools/call", call.clone());
    let first = daemon.next();
    other.request(1, "tools/call", call);
    let second = daemon.next();
    killed.signal("KILL");
    first.wait_for_hang_up();
    second.succeed(sync_result());
    assert_eq!(
        other.answer(1)["result"]["structuredContent"]["version"],
        3,
        "others go on"
    );
}

#[test]
fn hostile_input_is_answered_line_by_line_and_memory_stays_flat() {
    let world = World::new();
    let mut process = Process::start(&world);
    process.request(1, "tools/list", json!({}));
    process.answer(1);
    let before = process.memory("VmRSS");
    let lines: [&[u8]; 6] = [
        b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n",
        b"[1,2,3]\n",
        b"\xff\xfe\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/list\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"lean_sync\",\"arguments\":{}}}\n",
    ];
    let total = 100_000;
    let mut input = process.input.take().unwrap();
    let writer = std::thread::spawn(move || {
        for number in 0..total {
            input.write_all(lines[number % lines.len()]).unwrap();
        }
        input
    });
    for _ in 0..total {
        let written = process
            .lines
            .recv_timeout(LIMIT)
            .expect("fewer answers than lines");
        assert!(
            written.message["error"]["code"].is_i64(),
            "{}",
            written.message
        );
    }
    process.input = Some(writer.join().unwrap());
    let after = process.memory("VmRSS");
    assert!(after < before + 2_048, "{before} KiB became {after} KiB");
}

#[test]
fn a_line_over_the_limit_is_refused_and_the_next_one_works() {
    let world = World::new();
    let mut process = Process::start(&world);
    let mut input = process.input.take().unwrap();
    let writer = std::thread::spawn(move || {
        let chunk = vec![b'x'; 1024 * 1024];
        for _ in 0..17 {
            input.write_all(&chunk).unwrap();
        }
        input.write_all(b"\n").unwrap();
        input
    });
    let refused = process.lines.recv_timeout(LIMIT).unwrap().message;
    assert_eq!(refused["error"]["code"], -32600);
    assert!(refused.get("id").is_none());
    process.input = Some(writer.join().unwrap());
    process.request(1, "tools/list", json!({}));
    assert!(process.answer(1)["result"].is_object());
}

#[test]
fn the_version_and_help_are_told_without_a_server() {
    let world = World::new();
    let output = command(&world).arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        text.trim(),
        format!("lean-beam-mcp {}", env!("CARGO_PKG_VERSION"))
    );
    let output = command(&world).arg("--nonsense").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn a_self_check_says_which_part_does_not_work() {
    let world = World::new();
    let check = |file: &std::path::Path| {
        let output = command(&world)
            .arg("--self-check")
            .arg(file)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (code, report) = check(&world.base().join("missing.lean"));
    assert_eq!(code, Some(2), "{report}");
    let outside = world.base().join("outside.lean");
    std::fs::write(&outside, "").unwrap();
    let (code, report) = check(&outside);
    assert_eq!(code, Some(2), "{report}");
    assert!(report.contains("no project"), "{report}");

    let file = world.project.join("A.lean");
    std::fs::write(&file, "").unwrap();
    let daemon = Daemon::listen(&world);
    let answering = std::thread::spawn(move || {
        daemon.next_for("sync").succeed(sync_result());
        daemon
            .next_for("sync")
            .fail(json!({"code": "runtimeSetup", "message": "no lean", "hint": "install"}));
    });
    let (code, report) = check(&file);
    assert_eq!(code, Some(0), "{report}");
    assert_eq!(
        report
            .lines()
            .filter(|line| line.starts_with("ok "))
            .count(),
        5,
        "{report}"
    );
    let (code, report) = check(&file);
    assert_eq!(code, Some(3), "{report}");
    assert!(
        report.contains("no lean") && report.contains("install"),
        "{report}"
    );
    answering.join().unwrap();
}
