//! No Lean process outlives its daemon, however either of them ends.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::time::Duration;

use lean_beam_proto::status::SessionState;
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Stop, Workers},
    },
    lean_text::BUSY_EVAL,
    must::Must,
    process::{Process, descendants},
    wait::{HANG, eventually, within},
    world::{Beam, Project},
};
use nix::sys::signal::Signal;

/// How soon everything of Lean must be gone.
const GONE: Duration = Duration::from_secs(3);

/// A project whose only file keeps its worker busy for ever, with a client that waits for it.
async fn busy(beam: &Beam) -> Project {
    let project = beam.project();
    project.write("Busy.lean", BUSY_EVAL);
    let waiting = project.sync("Busy.lean");
    let until_busy = eventually(HANG, "a busy worker", async || {
        let worker = beam.lean_processes().into_iter().find(Process::is_worker)?;
        (processor_time(&worker) > 50).then_some(())
    });
    tokio::select! {
        result = waiting => panic!("a verdict on an endless computation: {result:?}"),
        () = until_busy => {}
    }
    project
}

/// How long it has been computing, in clock ticks (hundredths of a second).
fn processor_time(process: &Process) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.pid)).unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    // Counted after the name: state is 0, so user time is 11 and system time 12.
    let field = |at: usize| after_name.split_whitespace().nth(at)?.parse().ok();
    field(11).unwrap_or(0) + field(12).unwrap_or(0)
}

/// The Lean server for documents.
fn the_server(beam: &Beam) -> Process {
    let mut all = beam.lean_processes();
    all.retain(|one| one.is_server() && !one.is_for_probes());
    all.pop().must("find the Lean server")
}

/// The Lean server for documents and everything below it.
fn the_tree(beam: &Beam) -> Vec<Process> {
    let server = the_server(beam);
    let mut tree = descendants(server.pid);
    tree.push(server);
    tree
}

#[tokio::test]
async fn stop_ends_lean_in_the_middle_of_an_endless_computation() {
    let beam = Beam::real();
    let _project = busy(&beam).await;
    beam.stop().await;
    beam.assert_no_lean_within(GONE).await;
    beam.assert_nothing_left(GONE).await;
}

#[tokio::test]
async fn a_killed_daemon_takes_lean_with_it() {
    let beam = Beam::real();
    let _project = busy(&beam).await;
    beam.kill_daemon().await;
    beam.assert_no_lean_within(GONE).await;
    beam.assert_nothing_left(GONE).await;
}

#[tokio::test]
async fn a_killed_watchdog_takes_its_workers_with_it_and_the_next_call_has_a_new_one() {
    let beam = Beam::real();
    let project = busy(&beam).await;
    let before = the_tree(&beam);
    the_server(&beam).signal(Signal::SIGKILL);
    eventually(GONE, "the end of the old Lean", async || {
        before.iter().all(|one| !one.is_alive()).then_some(())
    })
    .await;
    project.write("A.lean", "#check nope\n");
    let result = within(HANG, "a verdict after the crash", project.sync("A.lean")).await;
    assert_eq!(
        result.must("sync after the crash").diagnostics.counts.error,
        1
    );
}

#[tokio::test]
async fn dropping_a_workspace_ends_its_lean_and_no_other() {
    let beam = Beam::real();
    let busy_one = busy(&beam).await;
    let other = beam.project_named("other");
    other.write("B.lean", "#check nope\n");
    let version = other.sync("B.lean").await.unwrap().version;
    let of_other = server_in(&beam, &other).must("find the other server");
    let result = busy_one.drop_workspace().await.unwrap();
    assert!(result.dropped);
    eventually(GONE, "the end of one workspace's Lean", async || {
        let left = beam.lean_processes();
        let of_dropped = left.iter().filter(|one| {
            one.directory()
                .is_some_and(|place| place == busy_one.root())
        });
        (of_dropped.count() == 0).then_some(())
    })
    .await;
    assert_eq!(server_in(&beam, &other), Some(of_other));
    assert_eq!(other.sync("B.lean").await.unwrap().version, version);
    let again = busy_one.drop_workspace().await.unwrap();
    assert!(!again.dropped);
    assert_eq!(again.reason.as_deref(), Some("notFound"));
}

/// The Lean server for the documents of a project.
fn server_in(beam: &Beam, project: &Project) -> Option<Process> {
    let mut all = beam.lean_processes();
    all.retain(|one| {
        one.is_server()
            && !one.is_for_probes()
            && one.directory().is_some_and(|place| place == project.root())
    });
    all.pop()
}

/// Ids of the processes that the daemon counts to a project, in ascending order.
async fn processes_of(beam: &Beam, project: &Project) -> Vec<u32> {
    let status = beam.status().await;
    let workspace = status
        .workspaces
        .iter()
        .find(|one| one.root == project.root_text())
        .must("find the workspace");
    let mut found: Vec<_> = workspace.processes.iter().map(|one| one.pid).collect();
    found.sort_unstable();
    found
}

#[tokio::test]
async fn the_status_names_every_process_of_lean() {
    let beam = Beam::real();
    let project = beam.project();
    for name in ["A.lean", "B.lean"] {
        project.write(name, "#check Nat\n");
        project.sync(name).await.unwrap();
    }
    let status = beam.status().await;
    let workspace = &status.workspaces[0];
    assert_eq!(workspace.root, project.root_text());
    assert_eq!(workspace.state, SessionState::Running);
    assert_eq!(workspace.open_documents, 2);
    let kinds = |kind: &str| {
        workspace
            .processes
            .iter()
            .filter(|one| one.kind == kind)
            .count()
    };
    assert_eq!(
        (kinds("server"), kinds("worker")),
        (1, 2),
        "{:?}",
        workspace.processes
    );
    let mut paths: Vec<_> = workspace
        .processes
        .iter()
        .filter_map(|one| one.path.clone())
        .collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths, ["A.lean", "B.lean"]);
    assert!(
        workspace
            .processes
            .iter()
            .all(|one| one.resident_bytes > 1_000_000)
    );
    eventually(HANG, "a status that names what is there", async || {
        let told = processes_of(&beam, &project).await;
        let mut real: Vec<_> = beam.lean_processes().iter().map(|one| one.pid).collect();
        real.sort_unstable();
        (told == real).then_some(())
    })
    .await;
}

#[tokio::test]
async fn lean_is_told_how_long_to_collect_messages() {
    // The form for options that may be unknown, `weak.…`, has no effect on this one.
    for (config, option) in [
        ("", "-Dserver.reportDelayMs=0"),
        (
            "[lean]\nreport_delay_ms = 20\n",
            "-Dserver.reportDelayMs=20",
        ),
    ] {
        let beam = Beam::builder().config(config).build();
        let project = beam.project();
        project.write("A.lean", "#check Nat\n");
        project.sync("A.lean").await.unwrap();
        let server = the_server(&beam);
        assert!(
            server.command.iter().any(|part| part == option),
            "{:?}",
            server.command
        );
        let told = beam.status().await.workspaces[0].command.clone();
        assert!(told.iter().any(|part| part == option), "{told:?}");
    }
}

/// A world whose scripted server has a worker in a session of its own that only a kill ends.
async fn with_stubborn_worker(stop: Stop) -> Beam {
    let beam = Beam::fake(Scenario {
        workers: Some(Workers {
            ignore_eof: true,
            ignore_term: true,
        }),
        stop,
        ..Scenario::default()
    });
    let project = beam.project();
    project.write("A.lean", "ERROR: x\n");
    project
        .sync("A.lean")
        .await
        .must("sync with a scripted server");
    let worker = beam
        .lean_processes()
        .into_iter()
        .find(Process::is_worker)
        .must("find the worker");
    assert_eq!(worker.session, worker.pid, "the worker has its own session");
    beam
}

#[tokio::test]
async fn a_stubborn_worker_in_its_own_session_ends_with_a_stop() {
    let beam = with_stubborn_worker(Stop::default()).await;
    beam.stop().await;
    beam.assert_nothing_left(GONE).await;
}

#[tokio::test]
async fn a_stubborn_worker_of_a_stubborn_server_ends_with_a_stop() {
    let beam = with_stubborn_worker(Stop::only_by_kill()).await;
    beam.stop().await;
    beam.assert_nothing_left(GONE).await;
}

#[tokio::test]
async fn a_stubborn_worker_ends_when_the_daemon_is_killed() {
    let beam = with_stubborn_worker(Stop::only_by_kill()).await;
    beam.kill_daemon().await;
    beam.assert_nothing_left(GONE).await;
}

#[tokio::test]
async fn a_stubborn_worker_ends_when_its_server_is_killed() {
    let beam = with_stubborn_worker(Stop::default()).await;
    let before = the_tree(&beam);
    assert_eq!(before.len(), 2);
    the_server(&beam).signal(Signal::SIGKILL);
    eventually(GONE, "the end of server and worker", async || {
        before.iter().all(|one| !one.is_alive()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn killing_daemon_and_server_together_leaves_nothing() {
    let beam = with_stubborn_worker(Stop::only_by_kill()).await;
    let server = the_server(&beam);
    beam.daemon()
        .must("find the daemon")
        .signal(Signal::SIGKILL);
    server.signal(Signal::SIGKILL);
    beam.assert_nothing_left(GONE).await;
}

#[tokio::test]
async fn killing_the_daemon_while_lean_starts_leaves_nothing() {
    let mut scenario = Scenario::default();
    scenario.start.delay_ms = 60_000;
    let beam = Beam::fake(scenario);
    let project = beam.project();
    project.write("A.lean", "x\n");
    let started = eventually(HANG, "a starting server", async || {
        beam.lean_processes().into_iter().find(Process::is_server)
    });
    tokio::select! {
        result = project.sync("A.lean") => panic!("a verdict of a server that has not started: {result:?}"),
        _server = started => {}
    }
    beam.kill_daemon().await;
    beam.assert_nothing_left(GONE).await;
}
