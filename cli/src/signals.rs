//! Ctrl-C and its relatives: the work is dropped, which cancels it in the daemon.

use std::{future::Future, io};

use nix::libc;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit_code::Exit;

/// The signals that end a command.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    /// From now on these signals no longer end the process by themselves.
    ///
    /// # Errors
    /// The system does not allow it.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> Exit {
        let number = tokio::select! {
            _ = self.interrupt.recv() => libc::SIGINT,
            _ = self.terminate.recv() => libc::SIGTERM,
            _ = self.hangup.recv() => libc::SIGHUP,
        };
        Exit::Signal(u8::try_from(number).unwrap_or_default())
    }

    /// Does `work` until it is done or a signal comes, in which case it is dropped.
    ///
    /// # Errors
    /// The signal.
    pub(crate) async fn until_interrupted<T>(
        &mut self,
        work: impl Future<Output = T>,
    ) -> Result<T, Exit> {
        tokio::select! {
            // A result that is there counts, even when a signal came at the same moment.
            biased;
            done = work => Ok(done),
            exit = self.next() => Err(exit),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nix::sys::signal::{Signal as Number, raise};
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn work_is_dropped_when_a_signal_comes() {
        let mut signals = Signals::listen().unwrap();
        let work = async {
            raise(Number::SIGTERM).unwrap();
            std::future::pending::<()>().await;
        };
        let outcome = timeout(Duration::from_secs(20), signals.until_interrupted(work))
            .await
            .unwrap();
        assert_eq!(outcome, Err(Exit::Signal(15)));
    }

    #[tokio::test]
    async fn finished_work_wins() {
        let mut signals = Signals::listen().unwrap();
        assert_eq!(signals.until_interrupted(async { 7 }).await, Ok(7));
    }
}
