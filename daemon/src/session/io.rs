//! The tasks at the process's pipes.

use futures_util::StreamExt;
use tokio::{
    io::AsyncWriteExt,
    process::{ChildStdin, ChildStdout},
    sync::mpsc,
};
use tokio_util::codec::FramedRead;

use super::inbox::Inbox;
use crate::lsp::{Incoming, LspCodec};

/// Reads messages until the end of Lean's output. Never waits for anybody.
pub(super) async fn read(stdout: ChildStdout, inbox: mpsc::UnboundedSender<Inbox>) {
    let mut frames = FramedRead::with_capacity(stdout, LspCodec::default(), 64 * 1024);
    while let Some(frame) = frames.next().await {
        let message = match frame {
            Ok(body) => {
                Incoming::parse(&body).map_err(|error| format!("{error} in {:?}", snippet(&body)))
            }
            Err(error) => Err(error.to_string()),
        };
        let (message, go_on) = match message {
            Ok(message) => (Inbox::Lean(message), true),
            Err(reason) => (Inbox::Unreadable(reason), false),
        };
        if inbox.send(message).is_err() || !go_on {
            return;
        }
    }
    inbox.send(Inbox::OutputEnded).ok();
}

/// Writes frames in order. Ends when the actor drops its sender, which closes Lean's input, or when Lean
/// does not read any more, which its exit explains.
pub(super) async fn write(mut stdin: ChildStdin, mut frames: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(frame) = frames.recv().await {
        if let Err(error) = stdin.write_all(&frame).await {
            tracing::debug!(%error, "Lean's input is closed");
            return;
        }
    }
}

fn snippet(body: &[u8]) -> String {
    String::from_utf8_lossy(&body[..body.len().min(120)]).into_owned()
}
