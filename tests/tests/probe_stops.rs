//! Work that nobody wants any more stops, and work that the file needs goes on.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::time::Duration;

use lean_beam_proto::{
    BeamError, ErrorCode,
    client::Request,
    op::{Cancel, CancelParams, RunAt, RunResult},
};
use lean_beam_tests::{
    must::{Must, MustFail},
    probing::{Place, Prober, before, rendered, until_busy, until_quiet},
    wait::{HANG, eventually, within},
    world::Beam,
};

/// How soon work must stop that nobody wants any more.
const STOPPED: Duration = Duration::from_secs(3);

const LOOPS: &str = "\
partial def spin (n : Nat) : Nat := spin (n + 1)
theorem loops (p : Prop) (h : p) : p := by
  skip
  exact h
";

/// Texts that compute for ever, in a proof and as a command.
fn endless() -> [(Place, &'static str); 2] {
    [
        (before(LOOPS, "skip"), "repeat skip"),
        (before(LOOPS, "partial"), "#eval spin 0"),
    ]
}

/// Fails unless texts still run in `prober`.
async fn assert_works(prober: &Prober) {
    assert!(prober.goals(before(LOOPS, "skip")).await.contains("⊢ p"));
    let result = prober.run_at(before(LOOPS, "partial"), "#eval 1 + 1").await;
    assert_eq!(result.must("run a command").messages[0].text, "2");
}

#[tokio::test]
async fn a_deadline_stops_the_work() {
    let (beam, prober) = world(LOOPS).await;
    for (place, text) in endless() {
        assert_works(&prober).await;
        let request = prober.request(place, text).within(Duration::from_secs(1));
        let error = finish(&beam, &request).await.must_fail();
        assert_eq!(error.code, ErrorCode::DeadlineExceeded, "{error:?}");
        until_quiet(&beam, STOPPED).await;
    }
    assert_works(&prober).await;
}

async fn finish(beam: &Beam, request: &Request<RunAt>) -> Result<RunResult, BeamError> {
    let call = beam.connector().call(request).await.must("ask");
    let answer = within(HANG, "an answer", call.finish()).await;
    answer.map(|answer| answer.output)
}

#[tokio::test]
async fn a_client_that_goes_away_stops_the_work() {
    let (beam, prober) = world(LOOPS).await;
    for (place, text) in endless() {
        assert_works(&prober).await;
        let call = beam.connector().call(&prober.request(place, text)).await;
        until_busy(&beam, HANG).await;
        drop(call);
        until_quiet(&beam, STOPPED).await;
    }
    assert_works(&prober).await;
}

#[tokio::test]
async fn cancelling_stops_the_work() {
    let (beam, prober) = world(LOOPS).await;
    for (place, text) in endless() {
        assert_works(&prober).await;
        let request = prober.request(place, text).named("endless");
        let call = beam.connector().call(&request).await.must("ask");
        until_busy(&beam, HANG).await;
        let request_id = "endless".to_owned();
        let cancel = beam.call(Request::<Cancel>::new(CancelParams { request_id }));
        assert!(cancel.await.must("cancel").cancelled);
        let error = within(HANG, "the end of a cancelled request", call.finish()).await;
        assert_eq!(
            error.map(drop).must_fail().code,
            ErrorCode::RequestCancelled
        );
        until_quiet(&beam, STOPPED).await;
    }
    assert_works(&prober).await;
}

async fn world(text: &str) -> (Beam, Prober) {
    let beam = Beam::real();
    let prober = Prober::open(&beam.project(), "A.lean", text).await;
    (beam, prober)
}

/// Takes longer than anybody waits here, once in the declaration of the place and once before it.
const SLOW: [&str; 2] = [
    "theorem own (p : Prop) (h : p) : p := by\n  sleep 4000\n  skip\n  exact h\n",
    "theorem other : True := by\n  sleep 4000\n  trivial\ntheorem own (p : Prop) (h : p) : p := by\n  skip\n  exact h\n",
];

#[tokio::test]
async fn what_the_file_needs_goes_on_after_a_deadline() {
    for text in SLOW {
        let (beam, prober) = world(text).await;
        let request = prober.request(before(text, "skip"), "exact h");
        let first = finish(&beam, &request.clone().within(Duration::from_secs(1))).await;
        assert_eq!(first.must_fail().code, ErrorCode::DeadlineExceeded);
        // Were the work thrown away each time, this would never come to an end.
        let result = eventually(HANG, "an answer within a second", async || {
            let request = request.clone().within(Duration::from_secs(1));
            finish(&beam, &request).await.ok()
        })
        .await;
        assert_eq!(rendered(&result), "no goals");
    }
}
