//! Requests that the daemon works on.

use lean_beam_tests::{
    wait::{HANG, eventually},
    world::{Beam, Project},
};

use crate::client::{Era, Mcp, about};

/// A proof that nobody waits for to the end.
pub(crate) const SLOW: &str = "theorem slow : 1 = 1 := by\n  sleep 60000\n  rfl\n";

/// Waits until the daemon works on as many requests.
pub(crate) async fn until_in_flight(beam: &Beam, wanted: usize) {
    eventually(HANG, "the requests in flight", async || {
        (beam.status().await.requests.len() == wanted).then_some(())
    })
    .await;
}

/// A world with a client whose call 1 waits for [`SLOW`] in `Slow.lean`.
pub(crate) async fn stuck(era: Era) -> (Beam, Project, Mcp) {
    let beam = Beam::real();
    let project = beam.project();
    project.write("Slow.lean", SLOW);
    let mut mcp = Mcp::connect(&beam, era).await;
    mcp.call(1, "lean_sync", about(&project, "Slow.lean")).await;
    until_in_flight(&beam, 1).await;
    (beam, project, mcp)
}
