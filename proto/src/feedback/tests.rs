use std::{collections::BTreeSet, fs, os::unix::fs::symlink};

use super::*;
use crate::{paths::RuntimeDir, version::ClientInfo};

/// Strings that are nowhere but where the tests put them.
const SOURCE: &str = "planted_source_9d1";
const PAYLOAD: &str = "planted_payload_4c7";
const PLACE: &str = "planted_place_e22";
const LOGGED: &str = "planted_log_b05";

struct World {
    directory: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(world.root()).unwrap();
        fs::create_dir_all(incidents::directory(&world.state())).unwrap();
        fs::write(world.root().join("A.lean"), SOURCE).unwrap();
        let root = world.root();
        let line = format!("INFO workspace{{root={}}}: {LOGGED}\n", root.display());
        fs::write(paths::log_file(&world.state()), line).unwrap();
        world
    }

    fn base(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(PLACE)
    }

    fn root(&self) -> PathBuf {
        self.base().join("a project")
    }

    fn state(&self) -> PathBuf {
        self.base().join("state")
    }

    fn surroundings(&self) -> Surroundings {
        let runtime_dir = RuntimeDir::at(self.directory.path().join("run")).unwrap();
        Surroundings {
            program: "test".to_owned(),
            root: Some(self.root()),
            state_dir: Some(self.state()),
            output_dir: None,
            connector: Connector::at(runtime_dir, ClientInfo::named("test")),
        }
    }

    async fn report(&self, more: &Value) -> BeamResult<Report> {
        let params = FeedbackParams::from_json(&input(more).to_string(), false)?;
        report(params, self.surroundings()).await
    }
}

fn input(more: &Value) -> Value {
    let mut input = json!({
        "title": "A title", "summary": "The summary.", "reproduction": "Steps.",
        "expected": "This.", "actual": "That.", "kind": "bug", "severity": "high",
        "impact": "Much.", "workaround": "None.", "tags": ["one", "two"],
        // The home directory of whoever runs the tests may be anywhere.
        "redact": false,
        "request": {"op": PAYLOAD}, "response": {"ok": PAYLOAD},
        "evidence": [
            {"name": "inline.txt", "content": PAYLOAD}, {"name": "file.lean", "path": "A.lean"},
        ],
    });
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    input
}

/// The files of a directory with their content, by relative name.
fn files(directory: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let name = path.strip_prefix(directory).unwrap().to_str().unwrap();
            found.push((name.to_owned(), fs::read_to_string(&path).unwrap()));
        }
    }
    found.sort();
    found
}

fn names(files: &[(String, String)]) -> BTreeSet<&str> {
    files.iter().map(|(name, _)| name.as_str()).collect()
}

#[tokio::test]
async fn a_report_says_what_was_given_and_what_was_found() {
    let world = World::new();
    let report = world
        .report(&json!({"include_collected": true}))
        .await
        .unwrap();
    for part in [
        "# A title\n",
        "- kind: bug\n",
        "- severity: high\n",
        "- tags: one, two\n",
        "## Summary\n\nThe summary.\n",
        "## Reproduction\n\nSteps.\n",
        "## Expected\n\nThis.\n",
        "## Actual\n\nThat.\n",
        "## Impact\n\nMuch.\n",
        "## Workaround\n\nNone.\n",
        "## Runtime\n",
        "## Request\n",
        "## Response\n",
        "`file.lean` (18 bytes)",
        SOURCE,
        PAYLOAD,
        LOGGED,
    ] {
        assert!(
            report.markdown.contains(part),
            "{part} in {}",
            report.markdown
        );
    }
    let collected = report.collected.unwrap();
    assert_eq!(collected["program"]["version"], VERSION);
    assert!(collected["log"][0].as_str().unwrap().contains(LOGGED));
    assert_eq!(
        report.metadata.root.unwrap(),
        world.root().to_str().unwrap()
    );
    assert!(report.collection_warnings[0].contains("no daemon is running"));
    assert_eq!((report.bundle_dir, report.zip_path), (None, None));
}

#[tokio::test]
async fn without_being_asked_what_was_collected_is_only_summed_up() {
    let world = World::new();
    let report = world.report(&json!({})).await.unwrap();
    assert_eq!(report.collected, None);
    assert!(!report.markdown.contains(LOGGED), "{}", report.markdown);
    assert!(report.markdown.contains("## Runtime"));
}

#[tokio::test]
async fn a_confidential_report_holds_nothing_of_the_project() {
    let world = World::new();
    let hostile = json!({
        "confidential": true, "redact": true, "bundle": "dir", "include_collected": true,
        "summary": format!("It fails in {} and in ../{PLACE}/x.", world.root().display()),
        "reproduction": format!("```lean\n{SOURCE}\n```"),
        "actual": format!("Deep{PLACE}/{SOURCE}.lean:3:4 is odd"),
        "tags": [format!("/{PLACE}")],
        "evidence": [{"name": "x", "path": "/etc/passwd"}, {"name": "y", "path": "A.lean"}],
    });
    let report = world.report(&hostile).await.unwrap();
    let bundle = world
        .state()
        .join(BUNDLES)
        .join(report.bundle_dir.as_deref().unwrap());
    let bundle = files(&bundle);
    assert_eq!(
        names(&bundle),
        BTreeSet::from(["card.md", "metadata.json", "report.json"])
    );
    let everything = format!("{} {bundle:?}", serde_json::to_string(&report).unwrap());
    for planted in [SOURCE, PAYLOAD, PLACE, LOGGED, "a project", "root:x:0"] {
        assert!(!everything.contains(planted), "{planted} in {everything}");
    }
    assert_eq!(
        report.collected.unwrap(),
        json!({"program": {"name": "lean-beam", "version": VERSION}})
    );
    assert_eq!(report.metadata.root, None);
    assert!(report.markdown.contains("Confidential"));
}

#[tokio::test]
async fn a_bundle_holds_what_it_should_and_nothing_else() {
    let world = World::new();
    let report = world.report(&json!({"bundle": "dir"})).await.unwrap();
    let directory = PathBuf::from(report.bundle_dir.unwrap());
    assert!(
        directory.starts_with(world.state().join(BUNDLES)),
        "{}",
        directory.display()
    );
    let files = files(&directory);
    let expected = [
        "card.md",
        "collected.json",
        "evidence/file.lean",
        "evidence/inline.txt",
        "metadata.json",
        "report.json",
    ];
    assert_eq!(names(&files), BTreeSet::from(expected));
    let content = |wanted: &str| &files.iter().find(|(name, _)| name == wanted).unwrap().1;
    assert_eq!(content("card.md"), &report.markdown);
    assert_eq!(content("evidence/file.lean"), SOURCE);
    assert_eq!(content("evidence/inline.txt"), PAYLOAD);
    let again: Value = serde_json::from_str(content("report.json")).unwrap();
    assert_eq!(again["summary"], "The summary.");
    assert_eq!(again["request"]["op"], PAYLOAD);
    assert!(content("collected.json").contains(LOGGED));
    assert!(
        !report.markdown.contains(SOURCE),
        "evidence is in the bundle"
    );
}

#[tokio::test]
async fn a_zip_bundle_is_one_file() {
    let world = World::new();
    let report = world.report(&json!({"bundle": "zip"})).await.unwrap();
    let path = PathBuf::from(report.zip_path.unwrap());
    assert_eq!(report.bundle_dir, None);
    assert!(fs::read(&path).unwrap().starts_with(b"PK\x03\x04"));
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[tokio::test]
async fn hostile_evidence_is_refused_and_nothing_is_written() {
    let world = World::new();
    symlink("/etc", world.root().join("etc")).unwrap();
    for path in [
        "/etc/passwd",
        "etc/passwd",
        "../state/daemon.log",
        "A.lean/../../x",
        "",
    ] {
        let evidence = json!({"bundle": "dir", "evidence": [{"name": "x", "path": path}]});
        let error = world.report(&evidence).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput, "{path}");
        assert_eq!(error.data.unwrap()["field"], "evidence[0].path", "{path}");
    }
    assert!(!world.state().join(BUNDLES).exists());
}

#[tokio::test]
async fn a_bundle_that_cannot_be_written_is_an_error_with_a_way_out() {
    let world = World::new();
    fs::write(world.state().join(BUNDLES), "in the way").unwrap();
    for confidential in [false, true] {
        let wanted = json!({"bundle": "zip", "confidential": confidential, "redact": confidential});
        let error = world.report(&wanted).await.unwrap_err();
        assert!(error.hint.unwrap().contains("bundle"), "{}", error.message);
        assert_eq!(
            error.message.contains(PLACE),
            !confidential,
            "{}",
            error.message
        );
    }
}

fn refused(more: &Value) -> BeamError {
    let error = FeedbackParams::from_json(&input(more).to_string(), false).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    error
}

#[test]
fn every_impossible_field_is_named() {
    let long = "x".repeat(20_001);
    let evidence = |name: &str| json!([{"name": name, "content": "x"}]);
    for (more, field) in [
        (json!({"confidental": true}), "confidental"),
        (json!({"title": ""}), "title"),
        (json!({"title": "a\nb"}), "title"),
        (json!({"summary": long}), "summary"),
        (json!({"actual": "  "}), "actual"),
        (json!({"expected": 7}), "expected"),
        (json!({"impact": ""}), "impact"),
        (json!({"kind": "rant"}), "kind"),
        (json!({"severity": "huge"}), "severity"),
        (json!({"bundle": "tar"}), "bundle"),
        (json!({"tags": [""]}), "tags[0]"),
        (json!({"tags": vec!["t"; 17]}), "tags"),
        (json!({"request": "text"}), "request"),
        (json!({"response": [1]}), "response"),
        (json!({"confidential": true}), "redact"),
        (json!({"evidence": evidence("../x")}), "evidence[0].name"),
        (json!({"evidence": evidence("a/b")}), "evidence[0].name"),
        (json!({"evidence": evidence(".x")}), "evidence[0].name"),
        (json!({"evidence": evidence("")}), "evidence[0].name"),
        (json!({"evidence": [{"name": "x"}]}), "evidence[0].content"),
        (
            json!({"evidence": [{"name": "x", "content": "", "path": "A"}]}),
            "evidence[0].path",
        ),
        (
            json!({"evidence": [{"name": "x", "content": "", "mode": 7}]}),
            "evidence[0].mode",
        ),
        (
            json!({"evidence": [{"name": "x", "content": ""}, {"name": "X", "content": ""}]}),
            "evidence[1].name",
        ),
    ] {
        assert_eq!(refused(&more).data.unwrap()["field"], field, "{more}");
    }
    let mut without = input(&json!({}));
    without.as_object_mut().unwrap().remove("expected");
    let error = FeedbackParams::from_json(&without.to_string(), false).unwrap_err();
    assert!(error.message.contains("`expected`"), "{}", error.message);
}

#[test]
fn what_is_wrong_with_a_confidential_report_is_said_without_its_values() {
    for more in [
        json!({"confidential": true, "kind": PAYLOAD}),
        json!({"confidential": true, "request": PAYLOAD}),
        json!({"confidential": true, "title": [PAYLOAD]}),
    ] {
        let error = refused(&more);
        assert!(!error.message.contains(PAYLOAD), "{}", error.message);
    }
    let open = refused(&json!({"kind": PAYLOAD}));
    assert!(open.message.contains(PAYLOAD), "{}", open.message);
}

#[test]
fn a_report_can_be_made_confidential_from_outside() {
    let open = input(&json!({"redact": true}));
    let params = FeedbackParams::from_json(&open.to_string(), true).unwrap();
    assert!(params.confidential);
    let error = FeedbackParams::from_json(&input(&json!({"kind": PAYLOAD})).to_string(), true);
    assert!(!error.unwrap_err().message.contains(PAYLOAD));
}
