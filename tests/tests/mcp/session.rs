//! What an agent does all day, in both protocol families.

use std::time::Duration;

use lean_beam_tests::{must::Must, process::command, programs, world::Beam};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::{
    client::{ERAS, Era, Mcp, about, about_in_full},
    requests::{stuck, until_in_flight},
};

/// Clients kill a server that takes longer to leave.
const LEAVE: Duration = Duration::from_secs(2);

#[tokio::test]
async fn edit_sync_look_close_drop() {
    for era in ERAS {
        let beam = Beam::real();
        let project = beam.project();
        let mut mcp = Mcp::connect(&beam, era).await;
        project.write("A.lean", "def two := 2\n#check nope\n");

        let sync = mcp
            .ask("lean_sync", about_in_full(&project, "A.lean"))
            .await;
        assert_eq!(sync["workspace"]["root"], project.root_text());
        assert_eq!(sync["path"], "A.lean");
        assert_eq!(sync["diagnostics"]["counts"]["error"], 1);
        assert_eq!(sync["diagnostics"]["items"][0]["range"]["start"]["line"], 1);
        assert_eq!(sync["readiness"]["save_ready"], false);
        assert_eq!(sync["document_progress"]["done"], true);

        project.edit("A.lean", "#check nope", "#check two");
        let update = mcp.ask("lean_update", about(&project, "A.lean")).await;
        assert_eq!(update["changed"], true);
        let sync = mcp.ask("lean_sync", about(&project, "A.lean")).await;
        assert_eq!(sync["version"], update["version"]);
        assert_eq!(sync["readiness"]["save_ready"], true);
        assert!(sync["diagnostics"].get("items").is_none());

        let mut position = about(&project, "A.lean");
        position["version"] = sync["version"].clone();
        position["line"] = json!(1);
        position["anchor"] = json!("two");
        let hover = mcp.ask("lean_hover", position.clone()).await;
        assert!(
            hover["contents"]
                .as_str()
                .must("get a text")
                .contains("two")
        );
        position["version"] = json!(99);
        let stale = mcp.ask_in_vain("lean_hover", position).await;
        assert_eq!(stale["code"], "contentModified");
        assert_eq!(stale["data"]["reason"], "documentVersionMismatch");

        let refresh = mcp.ask("lean_refresh", about(&project, "A.lean")).await;
        assert_eq!(refresh["readiness"]["save_ready"], true);
        let close = mcp.ask("lean_close", about(&project, "A.lean")).await;
        assert_eq!(
            (&close["closed"], &close["was_open"]),
            (&json!(true), &json!(true))
        );
        let close = mcp.ask("lean_close", about(&project, "A.lean")).await;
        assert_eq!(close["was_open"], false);

        let workspace = json!({"workspace": {"root": project.root_text()}});
        assert_eq!(
            mcp.ask("lean_drop_workspace", workspace.clone()).await["dropped"],
            true
        );
        let again = mcp.ask("lean_drop_workspace", workspace).await;
        assert_eq!(
            (&again["dropped"], &again["reason"]),
            (&json!(false), &json!("notFound"))
        );
        let sync = mcp.ask("lean_sync", about(&project, "A.lean")).await;
        assert_eq!(
            sync["readiness"]["save_ready"], true,
            "a dropped workspace comes back"
        );
        let (code, _) = mcp.hang_up(LEAVE).await;
        assert_eq!(code, Some(0));
        assert!(beam.daemon().is_some(), "the daemon stays");
    }
}

#[tokio::test]
async fn looking_around_starts_neither_daemon_nor_lean() {
    for era in ERAS {
        let beam = Beam::real();
        let mut mcp = Mcp::connect(&beam, era).await;
        mcp.request("list", "tools/list", json!({})).await;
        let list = mcp.answer("list").await;
        assert!(list["result"]["tools"].as_array().must("get a list").len() >= 8);
        assert_eq!(mcp.ask("beam_stats", json!({})).await["running"], false);
        assert_eq!(
            mcp.ask("beam_version", json!({})).await["daemon"],
            Value::Null
        );
        let relative = json!({"workspace": {"root": "p"}, "path": "A.lean"});
        assert_eq!(
            mcp.ask_in_vain("lean_sync", relative).await["code"],
            "invalidInput"
        );
        let processes = beam.processes();
        assert_eq!(processes.len(), 1, "{processes:?}");
        assert!(beam.daemon().is_none());
    }
}

#[tokio::test]
async fn names_of_one_project_share_one_runtime() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "#check Nat\n");
    let alias = beam.root().join("alias");
    std::os::unix::fs::symlink(project.root(), &alias).unwrap();
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    for root in [
        json!(project.root_text()),
        json!(alias),
        json!(format!("{}/", project.root_text())),
    ] {
        let sync = mcp
            .ask(
                "lean_sync",
                json!({"workspace": {"root": root}, "path": "A.lean"}),
            )
            .await;
        assert_eq!(sync["workspace"]["root"], project.root_text());
    }
    let stats = mcp.ask("beam_stats", json!({})).await;
    let workspaces = stats["workspaces"].as_array().must("get the workspaces");
    assert_eq!(workspaces.len(), 1);
    assert_eq!(workspaces[0]["servers_started"], 1);
    let version = mcp.ask("beam_version", json!({})).await;
    assert_eq!(version["runtime_current"], true);
    assert_eq!(version["daemon"]["pid"], stats["daemon"]["pid"]);
}

#[tokio::test]
async fn progress_and_diagnostics_come_while_lean_works() {
    for era in ERAS {
        let beam = Beam::real();
        let project = beam.project();
        project.write(
            "A.lean",
            "#check nope\n#check Nat\ntheorem t : 1 = 1 := by\n  sleep 700\n  rfl\n#check nope\n",
        );
        let mut mcp = Mcp::connect(&beam, era).await;
        let mut arguments = about(&project, "A.lean");
        arguments["diagnostic_scope"] = json!("all");
        mcp.call_watched("w", "lean_sync", arguments).await;
        let sync = mcp.result("w").await;
        assert_eq!(sync["diagnostics"]["counts"]["error"], 2);

        let progress = mcp.notifications("notifications/progress");
        let text = |at: usize| progress[at]["message"].as_str().must("get a text");
        assert!(text(0).ends_with("preparing"), "{progress:?}");
        assert!(progress.len() > 1, "{progress:?}");
        assert!(progress.iter().all(|update| update["progressToken"] == 7));
        let numbers: Vec<_> = progress
            .iter()
            .map(|update| update["progress"].as_u64())
            .collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        let ends = progress
            .iter()
            .filter(|update| update["message"].to_string().contains("done=true"));
        assert!(ends.count() <= 1, "{progress:?}");

        let logs = mcp.notifications("notifications/message");
        assert!(
            logs.iter().all(|log| log["logger"] == "lean.diagnostic"),
            "{logs:?}"
        );
        let levels: Vec<_> = logs
            .iter()
            .map(|log| log["level"].as_str().must("get a level"))
            .collect();
        assert_eq!(
            levels.iter().filter(|level| **level == "error").count(),
            2,
            "{levels:?}"
        );
        assert_eq!(
            levels.iter().filter(|level| **level == "info").count(),
            1,
            "{levels:?}"
        );
        assert!(mcp.seen().is_empty(), "{:?}", mcp.seen());
    }
}

#[tokio::test]
async fn a_file_that_lean_cannot_take_is_an_error_that_says_where() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("Bad.lean", b"def a := 1\n-- \xff\n");
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    let error = mcp
        .ask_in_vain("lean_sync", about(&project, "Bad.lean"))
        .await;
    assert_eq!(error["code"], "invalidParams");
    assert_eq!(error["data"]["byte_offset"], 14);
    let error = mcp
        .ask_in_vain("lean_sync", about(&project, "Missing.lean"))
        .await;
    assert_eq!(error["code"], "invalidParams");
    assert!(error["hint"].is_string() || error["message"].is_string());
}

#[tokio::test]
async fn a_deadline_says_how_far_lean_is_and_the_wait_can_go_on() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "theorem t : 1 = 1 := by\n  sleep 2500\n  rfl\n");
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    let mut arguments = about(&project, "A.lean");
    arguments["timeout_ms"] = json!(700);
    let error = mcp.ask_in_vain("lean_sync", arguments).await;
    assert_eq!(error["code"], "deadlineExceeded");
    assert!(error["hint"].is_string());
    let sync = mcp.ask("lean_sync", about(&project, "A.lean")).await;
    assert_eq!(sync["readiness"]["save_ready"], true);
}

// ---- cancellation and the end

#[tokio::test]
async fn a_cancelled_call_ends_in_the_daemon_too_and_others_go_on() {
    for era in ERAS {
        let (beam, project, mut mcp) = stuck(era).await;
        project.write("A.lean", "#check Nat\n");
        mcp.cancel(1).await;
        until_in_flight(&beam, 0).await;
        mcp.call(1, "lean_sync", about(&project, "A.lean")).await;
        assert_eq!(
            mcp.result(1).await["path"],
            "A.lean",
            "the id is free again"
        );
        let (_, rest) = mcp.hang_up(LEAVE).await;
        assert!(
            rest.iter().all(|message| message.get("result").is_none()),
            "{rest:?}"
        );
    }
}

#[tokio::test]
async fn a_drop_waits_for_the_sync_before_it_and_holds_the_one_behind_it() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "theorem t : 1 = 1 := by\n  sleep 800\n  rfl\n");
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    mcp.call(1, "lean_sync", about(&project, "A.lean")).await;
    mcp.call(
        2,
        "lean_drop_workspace",
        json!({"workspace": {"root": project.root_text()}}),
    )
    .await;
    mcp.call(3, "lean_sync", about(&project, "A.lean")).await;
    let mut order = Vec::new();
    while order.len() < 3 {
        let message = mcp.next_line().await.must("get three answers");
        assert!(message["result"].get("isError").is_none(), "{message}");
        order.push(message["id"].as_u64());
    }
    assert_eq!(order, [Some(1), Some(2), Some(3)]);
}

#[tokio::test]
async fn the_end_of_input_cancels_what_is_in_flight() {
    for era in ERAS {
        let (beam, _project, mcp) = stuck(era).await;
        let (code, rest) = mcp.hang_up(LEAVE).await;
        assert_eq!(code, Some(0));
        assert!(rest.iter().all(|message| message["id"] != 1), "{rest:?}");
        until_in_flight(&beam, 0).await;
    }
}

#[tokio::test]
async fn signals_do_the_same() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let (beam, _project, mcp) = stuck(Era::Modern).await;
        mcp.process().signal(signal);
        let (code, _) = mcp.wait_for_exit(LEAVE).await;
        assert_eq!(code, Some(0), "{signal}");
        until_in_flight(&beam, 0).await;
    }
}

#[tokio::test]
async fn the_self_check_goes_through_the_whole_chain() {
    let beam = Beam::real();
    let project = beam.project();
    let good = project.write("Good.lean", "#check Nat\n");
    let bad = project.write("Bad.lean", "#check Nat\n  #check nope\n");
    // The command line offers the same.
    let ways = [
        ("lean-beam-mcp", "--self-check"),
        ("lean-beam", "mcp-check"),
    ];
    let files = [(good, 0, "0 errors"), (bad, 1, "2:10 ")];
    for ((program, way), (file, wanted, says)) in ways
        .into_iter()
        .flat_map(|way| files.iter().map(move |file| (way, file.clone())))
    {
        let output = command(programs::built(program))
            .args([way.as_ref(), file.as_os_str()])
            .env_clear()
            .envs(beam.environment())
            .output()
            .must("run the self check");
        let report = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(wanted), "{report}");
        assert!(report.contains(says), "{report}");
    }
}
