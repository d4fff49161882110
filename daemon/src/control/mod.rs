//! What all requests share: who is in flight, what was counted, how the daemon ends.

mod broker;
mod program;
mod requests;
mod shutdown;
mod stats;
pub(crate) mod warden;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Instant};

pub(crate) use broker::Broker;
use lean_beam_proto::Identity;
pub(crate) use program::ProgramFile;
pub(crate) use requests::{Admission, RequestTable, Requester};
pub(crate) use shutdown::Shutdown;
pub(crate) use stats::OperationCounters;

use crate::config::Config;

/// The daemon, as its operations see it.
#[derive(Debug)]
pub(crate) struct Services {
    pub(crate) identity: Identity,
    pub(crate) started: Instant,
    pub(crate) config: Arc<Config>,
    pub(crate) program: ProgramFile,
    pub(crate) socket: PathBuf,
    pub(crate) log_file: PathBuf,
    /// The variables that decide which Lean is used.
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) broker: Broker,
    pub(crate) requests: RequestTable,
    pub(crate) counters: OperationCounters,
    pub(crate) shutdown: Shutdown,
}
