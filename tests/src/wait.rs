//! Waiting, always with a limit.
//!
//! The only place of the harness where time passes on purpose: a test waits for something to become
//! true, never for a while.

use std::{
    fmt::Debug,
    future::Future,
    thread,
    time::{Duration, Instant},
};

/// Long enough for anything that a healthy system does, even on a busy machine. Passing it means a hang.
pub const HANG: Duration = Duration::from_secs(60);

/// How often a condition is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The output of `future`, which must come within `limit`.
///
/// # Panics
/// The limit passed; `what` says what was waited for.
pub async fn within<T>(limit: Duration, what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(limit, future).await {
        Ok(output) => output,
        Err(_) => panic!("{what} took longer than {limit:?}"),
    }
}

/// Looks again and again until `look` finds something, and returns that.
///
/// # Panics
/// The limit passed; `what` says what was waited for.
pub async fn eventually<T>(
    limit: Duration,
    what: &str,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let search = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    within(limit, what, search).await
}

/// As [`eventually`], where each look that finds nothing says what it saw instead.
///
/// # Panics
/// The limit passed; the message holds `what` and what was seen last.
pub async fn eventually_ok<T>(
    limit: Duration,
    what: &str,
    mut look: impl AsyncFnMut() -> Result<T, String>,
) -> T {
    let end = Instant::now() + limit;
    loop {
        let remaining = end.saturating_duration_since(Instant::now());
        match within(remaining.max(LOOK_EVERY), what, look()).await {
            Ok(found) => return found,
            Err(seen) if Instant::now() >= end => {
                panic!("{what} took longer than {limit:?}; last seen: {seen}")
            }
            Err(_) => tokio::time::sleep(LOOK_EVERY).await,
        }
    }
}

/// As [`eventually`], for code that cannot be asynchronous such as `Drop`. `None` when the limit passed.
pub fn eventually_blocking<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() >= end {
            return None;
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Looks at `look` for all of `span` and fails as soon as it finds something: for things that must
/// not happen.
///
/// # Panics
/// It happened.
pub async fn never_during<T: Debug>(
    span: Duration,
    what: &str,
    mut look: impl AsyncFnMut() -> Option<T>,
) {
    let end = Instant::now() + span;
    while Instant::now() < end {
        if let Some(found) = look().await {
            panic!("{what}: {found:?}");
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
