//! Many calls and many servers at once.

use futures_util::future::join_all;
use lean_beam_tests::{must::Must, world::Beam};
use serde_json::json;

use crate::client::{ERAS, Era, Mcp, about};

const SERVERS: usize = 30;
const CALLS: usize = 64;

#[tokio::test]
async fn sixty_four_calls_at_once_each_get_their_own_answer() {
    for era in ERAS {
        let beam = Beam::real();
        let project = beam.project();
        for number in 0..4 {
            let errors = "#check nope\n".repeat(number);
            project.write(&format!("F{number}.lean"), format!("#check Nat\n{errors}"));
        }
        let mut mcp = Mcp::connect(&beam, era).await;
        for id in 0..CALLS {
            let file = format!("F{}.lean", id % 4);
            mcp.call(id, "lean_sync", about(&project, &file)).await;
        }
        let mut answered = [false; CALLS];
        while answered.contains(&false) {
            let message = mcp.next_line().await.must("get an answer");
            if message.get("method").is_some() {
                continue;
            }
            let id = usize::try_from(message["id"].as_u64().must("get an id")).unwrap();
            let content = &message["result"]["structuredContent"];
            assert_eq!(content["path"], format!("F{}.lean", id % 4), "{message}");
            assert_eq!(content["diagnostics"]["counts"]["error"], id % 4);
            assert!(!std::mem::replace(&mut answered[id], true), "{id} twice");
        }
        let stats = mcp.ask("beam_stats", json!({})).await;
        assert_eq!(stats["workspaces"][0]["servers_started"], 1);
    }
}

#[tokio::test]
async fn thirty_servers_at_once_share_one_daemon_and_one_lean() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "#check Nat\n#check nope\n");
    let era = |number: usize| {
        if number.is_multiple_of(2) {
            Era::Legacy
        } else {
            Era::Modern
        }
    };
    let sessions = (0..SERVERS).map(async |number| {
        let mut mcp = Mcp::connect(&beam, era(number)).await;
        mcp.call(number, "lean_sync", about(&project, "A.lean"))
            .await;
        let sync = mcp.result(number).await;
        assert_eq!(sync["diagnostics"]["counts"]["error"], 1);
        mcp
    });
    let mut servers = join_all(sessions).await;
    let daemon = beam.daemon().must("find the daemon").pid;
    for server in &mut servers {
        let version = server.ask("beam_version", json!({})).await;
        assert_eq!(version["daemon"]["pid"], daemon);
    }
    let stats = servers[0].ask("beam_stats", json!({})).await;
    assert_eq!(stats["workspaces"].as_array().map(Vec::len), Some(1));
    assert_eq!(stats["workspaces"][0]["servers_started"], 1);
    assert_eq!(stats["workspaces"][0]["server_crashes"], 0);
}
