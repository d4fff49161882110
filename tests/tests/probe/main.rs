//! Running texts harms nothing and stops when it should: hostile texts, the user's document, many candidates,
//! deadlines, crowds.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod candidates;
mod document;
mod hostile;

use std::time::Duration;

/// How soon work must stop that nobody wants any more.
const STOPPED: Duration = Duration::from_secs(3);
