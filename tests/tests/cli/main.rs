//! The command line: exit codes, both kinds of output, roots, signals.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod daemon;
mod output;
mod requests;
mod roots;

use lean_beam_tests::{
    fake::Scenario,
    world::{Beam, Project},
};

fn fake_world() -> (Beam, Project) {
    let beam = Beam::fake(Scenario::default());
    let project = beam.project();
    project.write("Good.lean", "word\n");
    project.write("Bad.lean", "word\nERROR: bad\nWARN: so so\n");
    (beam, project)
}
