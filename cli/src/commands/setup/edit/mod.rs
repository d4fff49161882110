//! Editing configuration files that belong to others.

pub(super) mod json;
mod scan;
pub(super) mod toml;
