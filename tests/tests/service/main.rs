//! The daemon under a service manager that owns its socket, played by a stand-in that passes sockets as systemd does.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod manager;
mod setup;
mod socket;

use lean_beam_tests::{
    fake::Scenario,
    world::{Beam, Lean, Project},
};
use serde_json::Value;

fn world() -> (Beam, Project) {
    world_with("")
}

fn world_with(config: &str) -> (Beam, Project) {
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .config(config)
        .build();
    let project = beam.project();
    project.write("A.lean", "ERROR: one\n");
    (beam, project)
}

async fn sync(beam: &Beam, project: &Project) -> Value {
    let output = project.cli(beam, ["sync", "A.lean"]).run().await;
    output.expect_code(1).json()
}
