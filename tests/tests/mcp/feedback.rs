//! `beam_feedback_report` and `lean-beam feedback-report`: what a report holds, and above all what it does not.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use lean_beam_tests::{
    fake::Scenario,
    must::Must,
    world::{Beam, Lean, Project},
};
use serde_json::{Value, json};

use crate::client::{ERAS, Era, Mcp, with};

/// Strings that are nowhere but where the tests put them.
const PLACE: &str = "planted-place-7f3";
const SOURCE: &str = "planted_source_9d1";
const PAYLOAD: &str = "planted_payload_4c7";
const TOKEN: &str = "planted-token-e0a77";

const TOOL: &str = "beam_feedback_report";

/// A world with a secret in its environment, and a project with one in its path and one in its source.
fn world() -> (Beam, Project) {
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .env("EXAMPLE_TOKEN", TOKEN)
        .build();
    let project = beam.project_named(PLACE);
    project.write("A.lean", SOURCE);
    (beam, project)
}

fn report(more: Value) -> Value {
    let report = json!({
        "title": "It fails", "summary": "A summary.", "reproduction": "Steps.", "expected": "This.", "actual": "That.",
        "request": {"op": PAYLOAD}, "response": {"text": PAYLOAD},
    });
    with(report, more)
}

fn about(project: &Project, more: Value) -> Value {
    let mut arguments = report(more);
    arguments["workspace"] = json!({"root": project.root_text()});
    arguments
}

/// The directory of bundles of a world.
fn bundles(beam: &Beam) -> PathBuf {
    Path::new(&beam.environment()["LEAN_BEAM_STATE_DIR"]).join("feedback")
}

/// The names and the joined content of all files below `directory`.
fn files(directory: &Path) -> (BTreeSet<String>, String) {
    let (mut names, mut content) = (BTreeSet::new(), String::new());
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).must("list a bundle") {
            let path = entry.must("list a bundle").path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let name = path.strip_prefix(directory).must("stay in the bundle");
            names.insert(name.display().to_string());
            content.push_str(&String::from_utf8_lossy(&fs::read(&path).must("read it")));
        }
    }
    (names, content)
}

#[track_caller]
fn is_clean(text: &str, planted: &[&str]) {
    for planted in planted {
        assert!(!text.contains(planted), "{planted} in {text}");
    }
}

#[tokio::test]
async fn it_tells_about_its_project_and_about_no_other() {
    let (beam, project) = world();
    let other = beam.project_named("other-planted");
    for project in [&project, &other] {
        project.write("B.lean", "ERROR: no");
        project.sync("B.lean").await.must("sync");
    }
    for era in ERAS {
        let mut mcp = Mcp::connect(&beam, era).await;
        let asked = about(&project, json!({"include_collected": true, "kind": "bug"}));
        let answer = mcp.ask(TOOL, asked).await;
        assert_eq!(answer["workspace"]["root"], project.root_text());
        let collected = &answer["collected"];
        assert_eq!(
            collected["workspace"]["root"],
            project.root_text(),
            "{answer}"
        );
        assert_eq!(collected["open_files"][0]["path"], "B.lean");
        assert_eq!(collected["stats"]["root"], project.root_text());
        assert!(
            !collected["log"]
                .as_array()
                .must("have log lines")
                .is_empty()
        );
        assert_eq!(answer["metadata"]["kind"], "bug");
        assert_eq!(answer["collection_warnings"], json!([]));
        let markdown = answer["markdown"].as_str().must("have a card");
        assert!(markdown.starts_with("# It fails\n"), "{markdown}");
        assert!(markdown.contains(PAYLOAD), "{markdown}");
        is_clean(&answer.to_string(), &["other-planted", TOKEN]);
    }
}

#[tokio::test]
async fn it_starts_nothing_and_loads_nothing() {
    let (beam, project) = world();
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    let answer = mcp.ask(TOOL, about(&project, json!({}))).await;
    let warning = answer["collection_warnings"][0]
        .as_str()
        .must("get a warning");
    assert!(warning.contains("no daemon is running"), "{answer}");
    assert_eq!(answer.get("collected"), None);
    assert_eq!(beam.daemon(), None);
    beam.ensure().await;
    mcp.ask(TOOL, about(&project, json!({}))).await;
    assert_eq!(beam.status().await.workspaces, [], "the project was loaded");
    assert!(!bundles(&beam).exists(), "something was written");
}

#[tokio::test]
async fn secrets_of_the_environment_and_the_home_directory_are_taken_out() {
    let (beam, project) = world();
    let home = &beam.environment()["HOME"];
    let summary = format!("With {TOKEN} in {home}/x.");
    let mut mcp = Mcp::connect(&beam, Era::Legacy).await;
    let answer = mcp
        .ask(TOOL, about(&project, json!({"summary": summary})))
        .await;
    let markdown = answer["markdown"].as_str().must("have a card");
    assert!(
        markdown.contains("With <value of EXAMPLE_TOKEN> in ~/x."),
        "{markdown}"
    );
    let open = about(&project, json!({"summary": summary, "redact": false}));
    let answer = mcp.ask(TOOL, open).await;
    assert!(
        answer["markdown"]
            .as_str()
            .must("have a card")
            .contains(&summary)
    );
}

#[tokio::test]
async fn a_confidential_report_repeats_nothing_of_the_project() {
    let (beam, project) = world();
    project.sync("A.lean").await.must("sync");
    for era in ERAS {
        let mut mcp = Mcp::connect(&beam, era).await;
        for mode in ["none", "dir", "zip"] {
            let confidential = json!({
                "confidential": true, "bundle": mode, "include_collected": true,
                "summary": format!("In {}/Deep/A.lean with {TOKEN}", project.root_text()),
                "reproduction": format!("```\n{SOURCE}\n```"),
                "evidence": [{"name": "a", "path": "A.lean"}, {"name": "b", "content": PAYLOAD}],
            });
            let answer = mcp.ask(TOOL, about(&project, confidential)).await;
            is_clean(&answer.to_string(), &[PLACE, SOURCE, PAYLOAD, TOKEN]);
            assert_eq!(answer.get("workspace"), None);
            assert_eq!(answer["metadata"]["root"], Value::Null);
        }
        let wrong = [
            about(&project, json!({"confidential": true, "kind": PAYLOAD})),
            about(
                &project,
                json!({"confidential": true, "evidence": [{"name": "../x", "path": PAYLOAD}]}),
            ),
            json!({"workspace": {"root": format!("/{PLACE}")}}),
        ];
        for mut arguments in wrong {
            let full = report(json!({"confidential": true}));
            for (name, value) in full.as_object().must("be an object") {
                arguments
                    .as_object_mut()
                    .must("be an object")
                    .entry(name)
                    .or_insert(value.clone());
            }
            let error = mcp.ask_in_vain(TOOL, arguments).await;
            assert_eq!(error["code"], "invalidInput");
            is_clean(&error.to_string(), &[PLACE, SOURCE, PAYLOAD, TOKEN]);
        }
    }
    let (names, content) = files(&bundles(&beam));
    is_clean(
        &format!("{names:?} {content}"),
        &[PLACE, SOURCE, PAYLOAD, TOKEN],
    );
    let of_directories = names.iter().filter(|name| !name.ends_with(".zip"));
    let kinds: BTreeSet<_> = of_directories
        .filter_map(|name| name.split_once('/').map(|(_, file)| file))
        .collect();
    assert_eq!(
        kinds,
        BTreeSet::from(["card.md", "metadata.json", "report.json"])
    );
}

#[tokio::test]
async fn a_bundle_holds_the_report_and_its_evidence() {
    let (beam, project) = world();
    project.write("sub/log.txt", "evidence of a file");
    let evidence = json!([
        {"name": "inline.txt", "content": format!("inline {TOKEN}")},
        {"name": "file.txt", "path": "sub/log.txt"},
    ]);
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    let dir = about(&project, json!({"bundle": "dir", "evidence": evidence}));
    let answer = mcp.ask(TOOL, dir).await;
    let directory = answer["bundle_dir"].as_str().must("name the bundle");
    let (names, content) = files(Path::new(directory));
    let expected = [
        "card.md",
        "collected.json",
        "evidence/file.txt",
        "evidence/inline.txt",
        "metadata.json",
        "report.json",
    ];
    assert_eq!(names, expected.map(str::to_owned).into());
    assert!(content.contains("evidence of a file"), "{content}");
    is_clean(&content, &[TOKEN, SOURCE]);
    let zip = about(&project, json!({"bundle": "zip", "evidence": evidence}));
    let answer = mcp.ask(TOOL, zip).await;
    let zip = fs::read(answer["zip_path"].as_str().must("name the file")).must("read it");
    // Members are stored as they are.
    let zip = String::from_utf8_lossy(&zip);
    for part in [
        "evidence/file.txt",
        "evidence of a file",
        "card.md",
        "# It fails",
    ] {
        assert!(zip.contains(part), "{part}");
    }
    is_clean(&zip, &[TOKEN, SOURCE]);
}

#[tokio::test]
async fn hostile_evidence_and_unknown_fields_are_refused() {
    let (beam, project) = world();
    let outside = beam.root().join("outside");
    fs::write(&outside, PAYLOAD).must("write a file");
    symlink(&outside, project.path("link")).must("make a link");
    symlink(beam.root(), project.path("up")).must("make a link");
    project.write(".env", PAYLOAD);
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    let absolute = outside.display().to_string();
    for path in [
        "../outside",
        "link",
        "up/outside",
        ".env",
        &absolute,
        "/etc/passwd",
        "/proc/self/environ",
    ] {
        let evidence = json!({"bundle": "dir", "evidence": [{"name": "x", "path": path}]});
        let error = mcp.ask_in_vain(TOOL, about(&project, evidence)).await;
        assert_eq!(
            error["data"]["field"], "evidence[0].path",
            "{path}: {error}"
        );
    }
    for (more, field) in [
        (json!({"confidental": true}), "confidental"),
        (json!({"output_dir": "/tmp"}), "output_dir"),
        (
            json!({"evidence": [{"name": "x", "content": "y", "mode": 1}]}),
            "evidence[0].mode",
        ),
        (json!({"severity": "huge"}), "severity"),
    ] {
        let error = mcp.ask_in_vain(TOOL, about(&project, more)).await;
        assert_eq!(error["data"]["field"], field, "{error}");
    }
    let error = mcp.ask_in_vain(TOOL, report(json!({}))).await;
    assert_eq!(error["data"]["field"], "workspace");
    assert!(!bundles(&beam).exists(), "something was written");
}

#[tokio::test]
async fn a_call_with_a_token_hears_of_its_preparation_alone() {
    let (beam, project) = world();
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    mcp.call_watched("watched", TOOL, about(&project, json!({})))
        .await;
    mcp.result("watched").await;
    assert_eq!(mcp.notifications("notifications/progress").len(), 1);
}

#[tokio::test]
async fn the_command_line_makes_the_same_report() {
    let (beam, project) = world();
    let template = beam
        .cli(["feedback-report", "--template"])
        .run()
        .await
        .expect_code(0);
    let given = report(json!({"bundle": "zip"})).to_string();
    for input in [&template.stdout, &given] {
        let cli = project.cli(&beam, ["feedback-report", "--stdin", "--bundle", "dir"]);
        let answer = cli
            .stdin(input.as_bytes())
            .run()
            .await
            .expect_code(0)
            .json();
        assert_eq!(answer["metadata"]["root"], project.root_text());
        let directory = answer["bundle_dir"].as_str().must("name the bundle");
        assert!(Path::new(directory).join("card.md").is_file());
    }
    let file = project.write("report.json", &given);
    let file = file.display().to_string();
    let out = beam.root().join("out");
    let arguments = [
        "feedback-report",
        "--input",
        &file,
        "--output-dir",
        "../out",
    ];
    let shown = project
        .cli(&beam, arguments)
        .run_on_terminal()
        .await
        .expect_code(0);
    assert!(shown.stdout.contains("# It fails"), "{shown:?}");
    assert!(shown.stdout.contains("Nothing was sent"), "{shown:?}");
    let (names, _) = files(&out);
    assert_eq!(names.len(), 1);
    assert_eq!(beam.daemon(), None);
}

#[tokio::test]
async fn the_command_line_keeps_confidence_and_refuses_what_is_wrong() {
    let (beam, project) = world();
    let given = report(json!({"summary": format!("In {}", project.root_text())}));
    let ask = |arguments: &'static [&'static str], input: Value| {
        let cli = project.cli(&beam, arguments.iter().copied());
        cli.stdin(input.to_string()).run()
    };
    let answer = ask(
        &["feedback-report", "--confidential", "--bundle", "dir"],
        given,
    )
    .await;
    let (_, content) = files(&bundles(&beam));
    is_clean(&answer.expect_code(0).stdout, &[PLACE, PAYLOAD, TOKEN]);
    is_clean(&content, &[PLACE, PAYLOAD, TOKEN]);
    let wrong = ask(&["feedback-report"], report(json!({"mood": "bad"}))).await;
    assert_eq!(
        wrong.expect_code(2).json()["error"]["data"]["field"],
        "mood"
    );
    let evidence = json!({"evidence": [{"name": "x", "path": "/etc/passwd"}]});
    let wrong = ask(&["feedback-report"], report(evidence)).await;
    assert_eq!(wrong.expect_code(2).json()["error"]["code"], "invalidInput");
    let empty = project
        .cli(&beam, ["feedback-report"])
        .run_on_terminal()
        .await;
    assert!(empty.expect_code(2).stdout.contains("--template"));
}
