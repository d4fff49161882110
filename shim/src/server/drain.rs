//! Leaving: the input has ended, the output is lost, or a signal came.

use std::time::Duration;

use tokio::time::Instant;

use super::Server;

/// How long calls may take to come to an end. Clients kill a server that takes longer than 2 s.
const DRAIN_LIMIT: Duration = Duration::from_millis(1_700);

impl Server {
    /// Takes in nothing more, stops all calls that can be stopped and waits for the others.
    ///
    /// Stopped calls get no answer: a client that closes its end may take one for a fault of its own.
    pub(super) fn begin_drain(&mut self) {
        if self.leave_by.is_none() {
            self.leave_by = Some(Instant::now() + DRAIN_LIMIT);
            let effects = self.protocol.close();
            self.carry_out(effects);
        }
    }

    /// True when there is nothing left to do. Lets go of the writer once nobody needs it.
    pub(super) fn is_finished(&mut self) -> bool {
        let is_over = self.leave_by.is_some()
            && self.protocol.is_idle()
            && self.calls.is_empty()
            && self.waiting.is_empty();
        if is_over {
            // The writer ends with its last sender.
            self.shared = None;
            self.output = None;
        }
        is_over && self.writer_finished
    }
}
