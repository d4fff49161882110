//! `lean-beam setup`: registrations are written, told apart, and taken back to the byte.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use lean_beam_tests::{
    fake::Scenario,
    must::Must,
    programs,
    world::{Beam, Output},
};
use serde_json::{Value, json};

/// Every client with the file that lists its servers, below the home directory.
const CLIENTS: [(&str, &str); 9] = [
    ("claude", ".claude.json"),
    ("codex", ".codex/config.toml"),
    ("opencode", ".config/opencode/opencode.json"),
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
    ("copilot", ".copilot/mcp-config.json"),
    ("vibe", ".vibe/config.toml"),
    ("cursor", ".cursor/mcp.json"),
    ("vscode", ".config/Code/User/mcp.json"),
];

fn home(beam: &Beam) -> PathBuf {
    PathBuf::from(&beam.environment()["HOME"])
}

async fn setup(beam: &Beam, arguments: &[&str]) -> Output {
    beam.cli(["setup"].into_iter().chain(arguments.iter().copied()))
        .run()
        .await
}

async fn done(beam: &Beam, arguments: &[&str]) -> Value {
    setup(beam, arguments).await.expect_code(0).json()
}

/// Every file below `folder` with its bytes, and every directory with none.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).must("list a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(everything(&path));
            found.insert(path, None);
        } else {
            let bytes = fs::read(&path).must("read a file");
            found.insert(path, Some(bytes));
        }
    }
    found
}

fn server() -> String {
    programs::built("lean-beam-mcp").display().to_string()
}

async fn state_of(beam: &Beam, client: &str) -> Value {
    let survey = done(beam, &[]).await;
    let clients = survey["clients"].as_array().must("list the clients");
    let found = clients.iter().find(|one| one["client"] == client);
    found.must("find the client").clone()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().must("have a directory")).must("make a directory");
    fs::write(path, text).must("write a file");
}

#[tokio::test]
async fn every_client_is_registered_in_an_empty_home_and_nothing_is_left_afterwards() {
    let beam = Beam::fake(Scenario::default());
    let before = everything(&home(&beam));
    for (client, file) in CLIENTS {
        assert_eq!(state_of(&beam, client).await["registration"], "none");
        let report = done(&beam, &[client, "--yes"]).await;
        assert_eq!(report["changed"], true, "{report}");
        let text = fs::read_to_string(home(&beam).join(file)).must("read its file");
        assert!(text.contains(&server()), "{client}: {text}");
        let state = state_of(&beam, client).await;
        assert_eq!(state["registration"], "current", "{state}");
        assert_eq!(state["command"], server());
        assert_ne!(state["skill"], false, "{state}");

        let with = everything(&home(&beam));
        let again = done(&beam, &[client, "--yes"]).await;
        assert_eq!(again["changed"], false, "{client}: {again}");
        assert_eq!(everything(&home(&beam)), with, "{client}");

        let removed = done(&beam, &[client, "--remove", "--yes"]).await;
        assert_eq!(removed["changed"], true, "{removed}");
        assert_eq!(everything(&home(&beam)), before, "{client}");
        let nothing = done(&beam, &[client, "--remove", "--yes"]).await;
        assert_eq!(nothing["changed"], false, "{client}: {nothing}");
    }
}

#[tokio::test]
async fn the_entries_are_what_each_client_wants() {
    let beam = Beam::fake(Scenario::default());
    for (client, _) in CLIENTS {
        done(&beam, &[client, "--yes"]).await;
    }
    let read = |file: &str| fs::read_to_string(home(&beam).join(file)).must("read a file");
    let json = |file: &str| serde_json::from_str::<Value>(&read(file)).must("understand a file");
    let claude = &json(".claude.json")["mcpServers"]["lean-beam"];
    assert_eq!(
        (&claude["type"], &claude["command"]),
        (&json!("stdio"), &json!(server()))
    );
    // Programs of this world find the daemon of this world only when they are told where it is.
    assert_eq!(
        claude["env"]["LEAN_BEAM_RUNTIME_DIR"],
        beam.environment()["LEAN_BEAM_RUNTIME_DIR"]
    );
    let opencode = &json(".config/opencode/opencode.json")["mcp"]["lean-beam"];
    assert_eq!(opencode["command"], json!([server()]));
    assert_eq!(opencode["type"], "local");
    let copilot = &json(".copilot/mcp-config.json")["mcpServers"]["lean-beam"];
    assert_eq!(copilot["tools"], json!(["*"]));
    assert_eq!(
        json(".config/Code/User/mcp.json")["servers"]["lean-beam"]["command"],
        server()
    );
    let codex: toml::Table = read(".codex/config.toml").parse().must("understand codex");
    let codex = &codex["mcp_servers"]["lean-beam"];
    assert_eq!(codex["command"].as_str(), Some(server().as_str()));
    assert_eq!(codex["supports_parallel_tool_calls"].as_bool(), Some(true));
    let vibe: toml::Table = read(".vibe/config.toml").parse().must("understand vibe");
    let vibe = &vibe["mcp_servers"][0];
    assert_eq!(vibe["name"].as_str(), Some("lean-beam"));
    assert_eq!(vibe["transport"].as_str(), Some("stdio"));
}

#[tokio::test]
async fn what_others_wrote_keeps_every_byte() {
    let beam = Beam::fake(Scenario::default());
    let json_text = "{\n  // mine\n  \"theme\" : \"dark\",\n  \"mcpServers\": { \"other\": {\"command\": \"x\"} , },\n}\r\n";
    let empty = "{ \"mcpServers\": {  } }";
    let toml_text = "# mine\nmodel   = 'o3'\n\n[mcp_servers.other]\ncommand = \"x\" # why\n";
    let list = "theme = \"x\"\nmcp_servers = []\n\n[models]\na = 1\n";
    for (client, file, text) in [
        ("gemini", ".gemini/settings.json", json_text),
        ("claude", ".claude.json", empty),
        ("cursor", ".cursor/mcp.json", ""),
        ("codex", ".codex/config.toml", toml_text),
        ("vibe", ".vibe/config.toml", list),
    ] {
        let path = home(&beam).join(file);
        write(&path, text);
        let report = done(&beam, &[client, "--yes"]).await;
        let diff = report["changes"][0]["diff"].as_str().must("read the diff");
        assert!(diff.contains("lean-beam-mcp"), "{diff}");
        assert_ne!(fs::read_to_string(&path).unwrap(), text);
        done(&beam, &[client, "--remove", "--yes"]).await;
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{client}");
    }
}

#[tokio::test]
async fn what_a_client_added_meanwhile_stays() {
    let beam = Beam::fake(Scenario::default());
    let path = home(&beam).join(".claude.json");
    done(&beam, &["claude", "--yes"]).await;
    // As clients do: read it, add to it, write it in a layout of their own.
    let mut value: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    value["numStartups"] = json!(7);
    value["mcpServers"]["other"] = json!({ "command": "x" });
    fs::write(&path, serde_json::to_string(&value).unwrap()).unwrap();
    done(&beam, &["claude", "--remove", "--yes"]).await;
    let left: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(
        left,
        json!({ "numStartups": 7, "mcpServers": { "other": { "command": "x" } } })
    );
}

#[tokio::test]
async fn nothing_is_written_without_consent() {
    let beam = Beam::fake(Scenario::default());
    let before = everything(&home(&beam));
    let refused = setup(&beam, &["claude"]).await.expect_code(2).json();
    assert!(refused["error"]["hint"].as_str().unwrap().contains("--yes"));
    let diff = &refused["error"]["data"]["changes"][0]["diff"];
    assert!(
        diff.as_str().unwrap().contains("lean-beam-mcp"),
        "{refused}"
    );
    let printed = done(&beam, &["codex", "--print"]).await;
    assert!(
        printed["text"]
            .as_str()
            .unwrap()
            .contains("[mcp_servers.lean-beam]")
    );
    assert_eq!(everything(&home(&beam)), before);
    let asked = beam.cli(["setup", "claude"]).stdin("no\n");
    let asked = asked.run_on_terminal().await;
    assert!(asked.stdout.contains("[y/N]"), "{asked:?}");
    assert!(asked.stdout.contains("Nothing was changed"), "{asked:?}");
    assert_eq!(everything(&home(&beam)), before);
    let asked = beam.cli(["setup", "claude"]).stdin("y\n");
    let agreed = asked.run_on_terminal().await;
    assert!(agreed.stdout.contains("claude mcp list"), "{agreed:?}");
    assert_eq!(state_of(&beam, "claude").await["registration"], "current");
    for wrong in [
        &["emacs"][..],
        &["--yes"],
        &["claude", "--print", "--remove"],
    ] {
        setup(&beam, wrong).await.expect_code(2);
    }
}

#[tokio::test]
async fn a_file_that_is_not_understood_is_left_alone() {
    let beam = Beam::fake(Scenario::default());
    for (client, file, text) in [
        ("claude", ".claude.json", "{ \"mcpServers\": "),
        ("gemini", ".gemini/settings.json", "{ \"mcpServers\": [] }"),
        ("codex", ".codex/config.toml", "model = "),
    ] {
        let path = home(&beam).join(file);
        write(&path, text);
        let refused = setup(&beam, &[client, "--yes"]).await.expect_code(3).json();
        let message = refused["error"]["message"]
            .as_str()
            .must("read the message");
        assert!(message.contains(file), "{message}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(
        state_of(&beam, "claude").await["registration"],
        "unreadable"
    );
}

#[tokio::test]
async fn an_older_registration_is_renewed_and_foreign_skills_stay() {
    let beam = Beam::fake(Scenario::default());
    let path = home(&beam).join(".gemini/settings.json");
    write(
        &path,
        "{\n  \"mcpServers\": {\n    \"lean-beam\": {\"command\": \"/gone/lean-beam-mcp\", \"timeout\": 9}\n  }\n}\n",
    );
    let skill = home(&beam).join(".gemini/skills/lean-beam/SKILL.md");
    write(&skill, "---\nname: lean-beam\n---\nmy own\n");
    assert_eq!(state_of(&beam, "gemini").await["registration"], "broken");
    let report = done(&beam, &["gemini", "--yes"]).await;
    assert!(
        report["remarks"][0].as_str().unwrap().contains("SKILL.md"),
        "{report}"
    );
    let value: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let entry = &value["mcpServers"]["lean-beam"];
    assert_eq!(
        (&entry["command"], &entry["timeout"]),
        (&json!(server()), &json!(9))
    );
    done(&beam, &["gemini", "--remove", "--yes"]).await;
    let value: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(
        value,
        json!({ "mcpServers": {} }),
        "not the broken one again"
    );
    assert!(fs::read_to_string(&skill).unwrap().contains("my own"));
}
