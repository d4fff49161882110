//! How calls send notifications.

use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

use crate::{
    jsonrpc::notification_line,
    stdio::{Delivery, Outgoing},
};

/// The way to the writer. A slow client makes senders wait, not memory grow.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    lines: mpsc::Sender<Outgoing>,
}

impl Output {
    /// Sends into the writer's channel.
    pub(crate) fn new(lines: mpsc::Sender<Outgoing>) -> Self {
        Self { lines }
    }

    /// Sends a log notification. `params` is JSON.
    pub(crate) async fn log(&self, params: &str) {
        self.send("notifications/message", params, Delivery::Plain)
            .await;
    }

    /// Sends a progress notification. The receiver gets the time when it was written.
    pub(crate) async fn progress(&self, params: &str) -> oneshot::Receiver<Instant> {
        let (written_tx, written_rx) = oneshot::channel();
        self.send(
            "notifications/progress",
            params,
            Delivery::Progress(written_tx),
        )
        .await;
        written_rx
    }

    async fn send(&self, method: &str, params: &str, delivery: Delivery) {
        let outgoing = Outgoing {
            line: notification_line(method, params),
            delivery,
        };
        // Without a writer the process is on its way out, and this call with it.
        let _gone = self.lines.send(outgoing).await;
    }
}
