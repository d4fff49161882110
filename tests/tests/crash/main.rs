//! Whatever happens to Lean, those who wait are told, and the next call works.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod answers;
mod servers;
mod stream;
mod workers;

use lean_beam_proto::BeamError;
use lean_beam_tests::{
    fake::{Scenario, scenario::Rule},
    must::Must,
    world::{Beam, Project},
};

fn with_rules(rules: impl Into<Vec<Rule>>) -> Scenario {
    Scenario {
        rules: rules.into(),
        ..Scenario::default()
    }
}

/// A scripted world with a file that has one error and one warning.
fn fake_world(scenario: Scenario) -> (Beam, Project) {
    let beam = Beam::fake(scenario);
    let project = beam.project();
    project.write("A.lean", "word other\nERROR: bad\nWARN: so so\n");
    (beam, project)
}

/// Fails unless a plain sync gives the verdict that is due.
async fn assert_works(project: &Project) {
    let result = project.sync("A.lean").await.must("sync when all is well");
    let counts = result.diagnostics.counts;
    assert_eq!(
        (counts.error, counts.warning, counts.total),
        (1, 1, 2),
        "{result:?}"
    );
}

/// Mends the server, and fails unless it is used once the workspace is dropped.
async fn assert_works_once_mended(beam: &Beam, project: &Project) {
    beam.play(&Scenario::default());
    project.drop_workspace().await.must("drop");
    assert_works(project).await;
}

/// The lines of standard error that an error carries.
fn stderr_of(error: &BeamError) -> String {
    error
        .data
        .as_ref()
        .map(|data| data["stderr"].to_string())
        .unwrap_or_default()
}
