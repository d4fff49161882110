//! How the server introduces itself.

use std::sync::OnceLock;

use lean_beam_proto::VERSION;

use super::meta::MODERN_REVISION;
use crate::{jsonrpc::JsonObject, tools::find};

/// Name of the server in both families.
pub const SERVER_NAME: &str = "lean-beam-mcp";

/// The revisions that `initialize` accepts, the newest first. The newest answers any other wish.
pub const LEGACY_REVISIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// How long a client may keep what depends on nothing but the program, in milliseconds.
const CACHE_TTL_MS: u32 = 3_600_000;

/// What the server offers.
const CAPABILITIES: &str = r#"{"tools":{},"logging":{}}"#;

/// Name and version of the server as JSON.
pub(super) fn server_info() -> &'static str {
    static INFO: OnceLock<String> = OnceLock::new();
    INFO.get_or_init(|| {
        JsonObject::new()
            .with("name", SERVER_NAME)
            .with("title", "Lean Beam")
            .with("version", VERSION)
            .finish()
    })
}

/// The members that make a result one of the modern family, added to `result`.
pub(super) fn modern_result(result: JsonObject) -> String {
    let meta = JsonObject::new().with_raw("io.modelcontextprotocol/serverInfo", server_info());
    JsonObject::new()
        .with("resultType", "complete")
        .with_members_of(&result.finish())
        .with_raw("_meta", &meta.finish())
        .finish()
}

/// The members that let any client keep a result of the modern family for an hour.
pub(super) fn cacheable(result: JsonObject) -> JsonObject {
    result
        .with("ttlMs", &CACHE_TTL_MS)
        .with("cacheScope", "public")
}

/// The result of `server/discover`.
pub(super) fn discovery() -> String {
    let result = JsonObject::new()
        .with("supportedVersions", &[MODERN_REVISION])
        .with_raw("capabilities", CAPABILITIES)
        .with("instructions", instructions());
    modern_result(cacheable(result))
}

/// The result of `initialize` for a client that asks for `requested`.
pub(super) fn initialization(requested: &str) -> String {
    let revision = LEGACY_REVISIONS
        .into_iter()
        .find(|revision| *revision == requested)
        .unwrap_or(LEGACY_REVISIONS[0]);
    JsonObject::new()
        .with("protocolVersion", revision)
        .with_raw("capabilities", CAPABILITIES)
        .with_raw("serverInfo", server_info())
        .with("instructions", instructions())
        .finish()
}

/// What an agent should know before its first call. Only tools that are listed are mentioned.
pub fn instructions() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let known = |(tool, text): &(&str, &'static str)| {
            (tool.is_empty() || find(tool).is_some()).then_some(*text)
        };
        INSTRUCTIONS
            .iter()
            .filter_map(known)
            .collect::<Vec<_>>()
            .join("\n")
    })
}

/// Paragraphs, each with the tool that must exist for it to make sense.
const INSTRUCTIONS: &[(&str, &str)] = &[
    (
        "",
        "Lean Beam keeps Lean 4 warm and answers questions about a project. Every call names its project: \
         workspace: {\"root\": \"/absolute/path\"}, the directory with the lakefile or lean-toolchain. The first call \
         starts Lean and may take a while; later ones are fast.",
    ),
    (
        "lean_sync",
        "The loop: 1. Edit and save the .lean file with your own tools; Beam never writes source. 2. Call lean_sync with \
         diagnostics_in_result: true and read the errors. 3. Repeat until readiness.save_ready is true.",
    ),
    (
        "lean_save",
        "4. When the file is ready and others import it, lean_save builds its artifacts, so that they see the change. If an \
         import is stale, the error has a recovery_plan: make its calls in order.",
    ),
    (
        "lean_run_at",
        "Before editing, try ideas without touching the file: lean_run_at runs a command or tactics at a position.",
    ),
    (
        "lean_try",
        "lean_try compares several candidates at one position in one call. Write the one that works into the file, then \
         sync.",
    ),
    (
        "lean_goals",
        "lean_goals shows the proof state before or after a tactic.",
    ),
    ("lean_todo", "lean_todo lists what is left to do in a file."),
    (
        "",
        "Positions are zero-based lines and UTF-16 columns of the file on disk, and belong to a version: pass the version \
         from lean_sync or lean_update. On contentModified, sync again. On deadlineExceeded, call again: Lean goes on \
         meanwhile. After a change of lakefile, manifest or toolchain, call lean_drop_workspace. A failed call says what \
         to do next in hint.",
    ),
];

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tools::TOOLS;

    fn parse(json: &str) -> Value {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn discovery_has_what_the_modern_family_requires() {
        let result = parse(&discovery());
        assert_eq!(result["resultType"], "complete");
        assert_eq!(
            result["supportedVersions"],
            serde_json::json!(["2026-07-28"])
        );
        assert_eq!(result["ttlMs"], 3_600_000);
        assert_eq!(result["cacheScope"], "public");
        assert_eq!(
            result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
            SERVER_NAME
        );
        assert!(result.get("serverInfo").is_none());
        assert!(result["capabilities"]["tools"].is_object());
        assert!(result["capabilities"]["logging"].is_object());
    }

    #[test]
    fn a_known_revision_is_echoed_and_any_other_gets_the_newest() {
        for revision in LEGACY_REVISIONS {
            assert_eq!(
                parse(&initialization(revision))["protocolVersion"],
                revision
            );
        }
        for wish in ["2026-07-28", "2023-01-01", "", "x"] {
            assert_eq!(
                parse(&initialization(wish))["protocolVersion"],
                "2025-11-25"
            );
        }
    }

    #[test]
    fn a_legacy_result_has_nothing_of_the_modern_family() {
        let result = parse(&initialization("2025-11-25"));
        for member in [
            "resultType",
            "ttlMs",
            "cacheScope",
            "_meta",
            "supportedVersions",
        ] {
            assert!(result.get(member).is_none(), "{member}");
        }
    }

    #[test]
    fn instructions_name_no_tool_that_is_not_listed() {
        let words = instructions().split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        for word in words.filter(|word| word.starts_with("lean_") || word.starts_with("beam_")) {
            assert!(TOOLS.iter().any(|tool| tool.name == word), "{word}");
        }
        assert!(instructions().len() < 2048);
    }
}
