//! The one way in which the daemon ends.

use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;

/// Asks for the end, once gently and a second time in a hurry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shutdown {
    begun: CancellationToken,
    hurry: CancellationToken,
    cause: std::sync::Arc<OnceLock<String>>,
}

impl Shutdown {
    /// Begins the shutdown, or hurries one that has begun.
    pub(crate) fn request(&self, cause: &str) {
        if self.cause.set(cause.to_owned()).is_err() {
            self.hurry.cancel();
        }
        self.begun.cancel();
    }

    /// Begins the shutdown; one that has begun goes on as it is.
    pub(crate) fn request_once(&self, cause: &str) {
        self.cause.set(cause.to_owned()).ok();
        self.begun.cancel();
    }

    /// Ends when a shutdown begins.
    pub(crate) async fn begun(&self) {
        self.begun.cancelled().await;
    }

    /// True once a shutdown has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    /// Cancelled when there is no time for the gentle steps.
    pub(crate) fn hurry(&self) -> &CancellationToken {
        &self.hurry
    }

    /// Why it began.
    pub(crate) fn cause(&self) -> &str {
        self.cause.get().map_or("no cause given", String::as_str)
    }
}
