//! The display-control matrix: which notifications come, in which form, and when.

mod logs;
mod progress;
mod status;

use serde_json::{Value, json};

use crate::stage::*;

fn file_progress(line: u32) -> Value {
    json!({"event": "progress", "path": "A.lean", "version": 3, "updates": line, "done": false,
        "range_start_line": line, "range_end_line": 100, "lines": 100})
}

fn file_done() -> Value {
    json!({"event": "progress", "path": "A.lean", "version": 3, "updates": 9, "done": true, "lines": 100})
}

fn setup() -> Value {
    json!({"event": "setup", "path": "A.lean", "message": "Building Dep"})
}

/// One tool with arguments and a result that fit it.
fn sample(world: &World, tool: &str) -> (Value, Value) {
    let mut arguments = world.about_a_file();
    let result = match tool {
        "lean_sync" | "lean_refresh" => sync_result(),
        "lean_save" => save_result(),
        "lean_close_save" => json!({"closed": true, "saved": save_result()}),
        "lean_update" => update_result(),
        "lean_close" => json!({"closed": true, "was_open": true}),
        "lean_hover" => {
            for (name, value) in [("version", 1), ("line", 0), ("character", 0)] {
                arguments[name] = json!(value);
            }
            json!({"version": 1, "contents": null})
        }
        "lean_drop_workspace" => {
            arguments = world.about_the_project();
            drop_result()
        }
        other => panic!("no sample for {other}"),
    };
    (arguments, result)
}

fn save_result() -> Value {
    let mut sync = sync_result();
    let progress = sync.as_object_mut().unwrap().remove("document_progress");
    json!({
        "path": "A.lean", "module": "A", "version": 3, "source_hash": "0123456789abcdef", "olean": "/p/A.olean",
        "ilean": "/p/A.ilean", "c": "/p/A.c", "trace": "/p/A.olean.trace", "sync": sync, "document_progress": progress,
    })
}

const FORWARDED: [&str; 8] = [
    "lean_sync",
    "lean_refresh",
    "lean_save",
    "lean_close_save",
    "lean_update",
    "lean_close",
    "lean_hover",
    "lean_drop_workspace",
];

fn shows_setup(tool: &str) -> bool {
    ["lean_sync", "lean_refresh", "lean_save", "lean_close_save"].contains(&tool)
}
