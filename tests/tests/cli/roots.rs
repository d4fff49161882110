//! To which project a file belongs.

use lean_beam_tests::{fake::Scenario, must::Must, world::Beam};

use crate::fake_world;

#[tokio::test]
async fn the_root_is_the_nearest_project_above() {
    let (beam, project) = fake_world();
    project.write("Sub/Deep/C.lean", "ERROR: c\n");
    let deep = project.path("Sub/Deep");
    let json = beam
        .cli(["sync", "C.lean"])
        .in_directory(&deep)
        .run()
        .await
        .expect_code(1)
        .json();
    assert_eq!(json["path"], "Sub/Deep/C.lean");
    assert_eq!(json["workspace"]["root"], project.root_text());
    // From anywhere, by absolute path or with a root.
    let absolute = project.path("Sub/Deep/C.lean");
    let absolute = absolute.to_str().must("have plain text");
    beam.cli(["sync", absolute]).run().await.expect_code(1);
    beam.cli(["sync", "Sub/Deep/C.lean", "--root", project.root_text()])
        .run()
        .await
        .expect_code(1);
    let link = beam.root().join("link");
    std::os::unix::fs::symlink(project.root(), &link).unwrap();
    let json = beam
        .cli(["sync", "Bad.lean"])
        .in_directory(&link)
        .run()
        .await
        .expect_code(1)
        .json();
    assert_eq!(
        json["workspace"]["root"],
        project.root_text(),
        "an alias is the same project"
    );
    assert_eq!(beam.status().await.workspaces.len(), 1);
}

#[tokio::test]
async fn a_file_of_a_nearer_project_is_refused_with_that_project_as_a_hint() {
    let (beam, project) = fake_world();
    project.write("Nested/lean-toolchain", "leanprover/lean4:v4.35.0\n");
    project.write("Nested/N.lean", "ERROR: n\n");
    let nested = project.path("Nested");
    let json = project
        .cli(&beam, ["sync", "Nested/N.lean"])
        .run()
        .await
        .expect_code(1)
        .json();
    assert_eq!(
        json["workspace"]["root"].as_str(),
        nested.to_str(),
        "without --root the nearest one is meant"
    );
    let output = project
        .cli(
            &beam,
            [
                "sync",
                "Nested/N.lean",
                "--root",
                project.root_text(),
                "--human",
            ],
        )
        .run()
        .await;
    assert!(matches!(output.code, 2 | 3), "{output:?}");
    assert!(
        output
            .stderr
            .contains(nested.to_str().must("have plain text")),
        "{output:?}"
    );
    // The daemon refuses it as well, whoever asks.
    let error = project.sync("Nested/N.lean").await.map(drop).unwrap_err();
    let told = format!("{error:?}");
    assert!(told.contains("Nested"), "{told}");
    assert!(error.hint.is_some());
}

#[tokio::test]
async fn outside_of_any_project_it_says_what_a_project_is() {
    let beam = Beam::fake(Scenario::default());
    let output = beam.cli(["sync", "A.lean", "--human"]).run().await;
    assert!(matches!(output.code, 2 | 3), "{output:?}");
    assert!(output.stderr.contains("lean-toolchain"), "{output:?}");
    assert_eq!(beam.processes(), [], "nothing is started for it");
}
