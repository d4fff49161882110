//! Signals ask for the end; a second one skips ahead.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::control::Shutdown;

/// Watches SIGTERM, SIGINT and SIGHUP for the rest of the process's life.
///
/// # Errors
/// The handlers cannot be installed.
pub(crate) fn watch(shutdown: &Shutdown) -> io::Result<()> {
    for (kind, name) in [
        (SignalKind::terminate(), "SIGTERM"),
        (SignalKind::interrupt(), "SIGINT"),
        (SignalKind::hangup(), "SIGHUP"),
    ] {
        let (signals, shutdown) = (signal(kind)?, shutdown.clone());
        #[expect(
            clippy::disallowed_methods,
            reason = "lives as long as the process; no shutdown waits for it"
        )]
        tokio::spawn(pass_on(signals, shutdown, name));
    }
    Ok(())
}

async fn pass_on(mut signals: Signal, shutdown: Shutdown, name: &'static str) {
    while signals.recv().await.is_some() {
        tracing::info!(signal = name, "asked to end");
        shutdown.request(name);
    }
}
