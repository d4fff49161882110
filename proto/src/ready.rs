//! What a starting daemon tells the process that started it: one line on its standard output.

use serde::{Deserialize, Serialize};

use crate::{error::BeamError, version::Identity};

/// The one line. End of file without it means that the daemon died; its standard error says why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadyLine {
    /// It listens.
    Ready(Identity),
    /// Another daemon holds the life lock, so this one leaves. The other may still be starting or stopping.
    AlreadyRunning,
    /// It could not start.
    Failed(BeamError),
}
