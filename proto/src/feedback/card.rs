//! The report as Markdown, to be pasted into a form or a mail.

use super::{
    collect::Collected,
    evidence::Piece,
    input::{BundleMode, FeedbackParams},
};

/// Most characters of one piece of evidence in the card itself.
const SHOWN_CHARACTERS: usize = 4_000;

const PUBLIC: &str = "> Not sent anywhere. It may hold what you wrote, payloads, paths, states of the daemon and parts of its log: \
read it before you share it.";
const CONFIDENTIAL: &str = "> **Confidential: do not post this in public.** Nothing about the project was collected; payloads, evidence, \
paths and code blocks were left out. Not sent anywhere.";

/// What the card is made of. Every text is redacted already.
#[derive(Debug)]
pub(super) struct Card<'a> {
    pub(super) params: &'a FeedbackParams,
    pub(super) generated_at: &'a str,
    pub(super) pieces: &'a [Piece],
    /// `None` for a confidential report.
    pub(super) collected: Option<&'a Collected>,
    /// What was collected as JSON, where the caller asked for it.
    pub(super) details: Option<&'a str>,
    /// The line about the program for a confidential report.
    pub(super) program: &'a str,
}

impl Card<'_> {
    /// The Markdown text.
    pub(super) fn markdown(&self) -> String {
        let params = self.params;
        let mut text = format!("# {}\n\n", params.title);
        text.push_str(if params.confidential {
            CONFIDENTIAL
        } else {
            PUBLIC
        });
        text.push_str("\n\n");
        text.push_str(&self.facts());
        for (heading, paragraph) in [
            ("Summary", Some(&params.summary)),
            ("Reproduction", Some(&params.reproduction)),
            ("Expected", Some(&params.expected)),
            ("Actual", Some(&params.actual)),
            ("Impact", params.impact.as_ref()),
            ("Workaround", params.workaround.as_ref()),
        ] {
            if let Some(paragraph) = paragraph {
                section(&mut text, heading, paragraph.trim());
            }
        }
        section(&mut text, "Runtime", &self.runtime());
        if !params.confidential {
            self.payloads(&mut text);
        }
        text
    }

    fn facts(&self) -> String {
        let params = self.params;
        let mut facts = vec![format!("- made: {}", self.generated_at)];
        let name = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(kind) = params.kind {
            facts.push(format!("- kind: {}", name(&serde_json::json!(kind))));
        }
        if let Some(severity) = params.severity {
            facts.push(format!(
                "- severity: {}",
                name(&serde_json::json!(severity))
            ));
        }
        if !params.tags.is_empty() {
            facts.push(format!("- tags: {}", params.tags.join(", ")));
        }
        facts.join("\n") + "\n"
    }

    fn runtime(&self) -> String {
        let Some(collected) = self.collected else {
            return format!("- {}", self.program);
        };
        let program = &collected.program;
        let mut lines = vec![format!(
            "- {} {} (build {}, protocol {}), {} {}",
            program.name,
            program.version,
            program.build,
            program.protocol,
            program.system,
            program.architecture
        )];
        lines.push(daemon_line(collected));
        if let Some(workspace) = &collected.workspace {
            let toolchain = workspace.toolchain.as_deref().unwrap_or("none named");
            let server = workspace.server.as_deref().unwrap_or("not up");
            lines.push(format!(
                "- project: toolchain {}, server {server}, {} of {} documents open, {} processes",
                toolchain.trim(),
                workspace.open_documents,
                workspace.documents,
                workspace.processes.len()
            ));
        }
        for incident in &collected.incidents {
            let at = super::time::utc(incident.time_ms);
            lines.push(format!("- crash at {at}: {}", incident.kind));
        }
        lines.join("\n")
    }

    fn payloads(&self, text: &mut String) {
        for (heading, payload) in [
            ("Request", &self.params.request),
            ("Response", &self.params.response),
        ] {
            if let Some(payload) = payload {
                let json = serde_json::to_string_pretty(payload).unwrap_or_default();
                section(text, heading, &fenced(&json, "json"));
            }
        }
        if !self.pieces.is_empty() {
            let pieces: Vec<_> = self.pieces.iter().map(|piece| self.piece(piece)).collect();
            section(text, "Evidence", &pieces.join("\n\n"));
        }
        if let Some(details) = self.details {
            section(text, "Collected", &fenced(details, "json"));
        }
    }

    fn piece(&self, piece: &Piece) -> String {
        let title = format!("`{}` ({} bytes)", piece.name, piece.text.len());
        if self.params.bundle != BundleMode::None {
            return format!("{title}: in the bundle");
        }
        let shown: String = piece.text.chars().take(SHOWN_CHARACTERS).collect();
        let cut = if shown.len() < piece.text.len() {
            format!(
                "\n\nOnly the first {SHOWN_CHARACTERS} characters are shown; a bundle has all of it."
            )
        } else {
            String::new()
        };
        format!("{title}\n\n{}{cut}", fenced(&shown, ""))
    }
}

fn daemon_line(collected: &Collected) -> String {
    let Some(daemon) = &collected.daemon else {
        return "- daemon: not known".to_owned();
    };
    let identity = &daemon.identity;
    let currency = match daemon.runtime_current {
        Some(false) => ", no longer the installed one",
        _ => "",
    };
    format!(
        "- daemon {} (build {}, protocol {}), up for {} s{currency}",
        identity.version,
        identity.build,
        identity.protocol,
        daemon.uptime_ms / 1000
    )
}

fn section(text: &mut String, heading: &str, body: &str) {
    text.push_str(&format!("\n## {heading}\n\n{body}\n"));
}

/// A block that nothing inside can end.
fn fenced(text: &str, language: &str) -> String {
    let longest = text
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!(
        "{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_own_block() {
        assert_eq!(fenced("a\n", ""), "```\na\n```");
        let block = fenced("x\n````\ny", "json");
        assert!(
            block.starts_with("`````json\n") && block.ends_with("\n`````"),
            "{block}"
        );
    }
}
