//! Running texts is right, harms nothing and stops when it should: terms, hostile texts, the document, candidates,
//! deadlines, crowds.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod candidates;
mod document;
mod hostile;
mod terms;

use std::time::Duration;

/// How soon work must stop that nobody wants any more.
const STOPPED: Duration = Duration::from_secs(3);
