//! Requests that the daemon works on.

use lean_beam_tests::{
    wait::{HANG, eventually},
    world::Beam,
};

/// A proof that nobody waits for to the end.
pub(crate) const SLOW: &str = "theorem slow : 1 = 1 := by\n  sleep 60000\n  rfl\n";

/// Waits until the daemon works on as many requests.
pub(crate) async fn until_in_flight(beam: &Beam, wanted: usize) {
    eventually(HANG, "the requests in flight", async || {
        (beam.status().await.requests.len() == wanted).then_some(())
    })
    .await;
}
