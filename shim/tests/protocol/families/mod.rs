//! Rules of the two protocol families, on the pure protocol.

mod choice;
mod legacy;
mod modern;
mod results;

use serde_json::{Value, json};

use crate::support::*;

fn bare(method: &str) -> Value {
    legacy(9, method, json!({}))
}
