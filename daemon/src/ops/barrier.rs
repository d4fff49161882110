//! Errors that say why a file cannot be judged because of what it imports, and which calls help.

use lean_beam_proto::{
    BeamError, ErrorCode,
    text::{Diagnostic, Severity},
};
use serde_json::{Value, json};

use crate::{
    imports::{Chain, ChainModule},
    session::DocumentSnapshot,
    workspace::DocumentAt,
};

/// How many errors are listed as blocking.
const BLOCKING_SHOWN: usize = 20;

/// The imports of a file, as far as they keep it from being judged.
///
/// # Errors
/// `syncBarrierIncomplete` for a cycle, and for modules whose artifacts are not what their sources say.
pub(super) fn check_chain(document: &DocumentAt, chain: &Chain) -> Result<(), BeamError> {
    if let Some(cycle) = &chain.cycle {
        let message = format!(
            "{} is part of an import cycle or imports one: {}",
            document.path.display,
            cycle.join(" → ")
        );
        return Err(error(document, message, json!({})).with_hint(
            "Remove one of these imports; Lean can load none of the modules as it is.",
        ));
    }
    let stale: Vec<&ChainModule> = chain.stale().collect();
    if stale.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = stale.iter().map(|module| module.name.as_str()).collect();
    let message = format!(
        "{} imports modules that are not saved as their sources are: {}",
        document.path.display,
        names.join(", ")
    );
    Err(
        error(document, message, stale_data(document, chain, &stale)).with_hint(
            "Make the calls of `recovery_plan` in order: save each of these, then sync this file.",
        ),
    )
}

fn stale_data(document: &DocumentAt, chain: &Chain, stale: &[&ChainModule]) -> Value {
    let mut plan: Vec<Value> = stale
        .iter()
        .map(|module| json!({ "op": "save", "path": module.path }))
        .collect();
    plan.push(json!({ "op": "sync", "path": document.path.display }));
    json!({
        "stale_direct_deps": stale.iter().filter(|module| chain.direct.contains(&module.name)).map(|module| &module.name).collect::<Vec<_>>(),
        "save_deps": stale.iter().map(|module| &module.path).collect::<Vec<_>>(),
        "stale": stale.iter().map(|module| json!({ "module": module.name, "path": module.path, "reason": module.stale.map(|reason| reason.as_str()) })).collect::<Vec<_>>(),
        "recovery_plan": plan,
    })
}

/// Lean or Lake says that imports are out of date, and loading them again did not help.
pub(super) fn stale_imports(
    document: &DocumentAt,
    message: &str,
    snapshot: &DocumentSnapshot,
) -> BeamError {
    let message = format!(
        "imports of {} are out of date: {message}",
        document.path.display
    );
    blocked(document, message, snapshot).with_hint("`refresh` the file: that lets Lake build the imports once. Or save the changed imports first.")
}

/// Lean gave the file up.
pub(super) fn given_up(document: &DocumentAt, snapshot: &DocumentSnapshot) -> BeamError {
    let message = format!("Lean gave {} up without saying why", document.path.display);
    blocked(document, message, snapshot)
        .with_hint("`refresh` the file; if that does not help, see `lean-beam logs`.")
}

fn blocked(document: &DocumentAt, message: String, snapshot: &DocumentSnapshot) -> BeamError {
    let blocking: Vec<&Diagnostic> = snapshot
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .take(BLOCKING_SHOWN)
        .collect();
    let plan = json!([{ "op": "refresh", "path": document.path.display }]);
    error(
        document,
        message,
        json!({ "recovery_plan": plan, "completion_blocking_diagnostics": blocking }),
    )
}

fn error(document: &DocumentAt, message: String, more: Value) -> BeamError {
    let mut data = json!({
        "root": *document.path.root,
        "path": document.path.display,
        "version": document.version,
        "stale_direct_deps": [],
        "save_deps": [],
        "recovery_plan": [],
        "completion_blocking_diagnostics": [],
    });
    if let (Value::Object(data), Value::Object(more)) = (&mut data, more) {
        data.extend(more);
    }
    BeamError::new(ErrorCode::SyncBarrierIncomplete, message).with_data(data)
}
