//! Texts of Lean whose verdict is known beforehand.
//!
//! They use only what every Lean has, and assert places and severities, never wording.

use lean_beam_proto::text::{Diagnostic, Position, Range, Severity};

/// A computation in a proof that takes `ms` milliseconds; what comes after the proof does not wait for it.
pub fn slow_proof(ms: u64) -> String {
    format!("theorem slow : 1 = 1 := by\n  sleep {ms}\n  rfl\n")
}

/// A command that keeps its worker busy with an endless computation which nothing but a kill stops.
pub const BUSY_EVAL: &str = "partial def spin (n : Nat) : Nat := spin (n + 1)\n#eval spin 0\n";

/// What Lean says about one line: severity, first and last column in UTF-16 units.
pub type Verdict = Option<(Severity, u32, u32)>;

/// One line that is a command of its own, or a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    /// A proof of something true.
    Good(u32),
    /// Nothing but a comment.
    Comment(u32),
    /// An unknown name.
    Unknown(u32),
    /// An unknown name behind characters outside the basic plane.
    Astral(u32),
    /// A proof of something false.
    Mismatch,
    /// A gap.
    Sorry,
    /// A question that Lean answers.
    Check,
}

impl Line {
    /// The kinds in turn, so that numbers make lines.
    pub fn of(kind: u32, number: u32) -> Self {
        match kind % 7 {
            0 => Self::Good(number),
            1 => Self::Comment(number),
            2 => Self::Unknown(number),
            3 => Self::Astral(number),
            4 => Self::Mismatch,
            5 => Self::Sorry,
            _ => Self::Check,
        }
    }

    /// Its text, without a line end.
    pub fn text(self) -> String {
        match self {
            Self::Good(number) => format!("example : {number} = {number} := rfl"),
            Self::Comment(number) => format!("-- nothing, number {number}"),
            Self::Unknown(number) => format!("#check nope{number}"),
            Self::Astral(number) => format!("/- 𝔸😀 -/ #check nope{number}"),
            Self::Mismatch => "example : 1 = 2 := rfl".to_owned(),
            Self::Sorry => "example : 1 = 2 := sorry".to_owned(),
            Self::Check => "#check Nat".to_owned(),
        }
    }

    /// What Lean says about it.
    pub fn verdict(self) -> Verdict {
        let (severity, from, what) = match self {
            Self::Good(_) | Self::Comment(_) => return None,
            Self::Unknown(number) | Self::Astral(number) => {
                (Severity::Error, "nope", format!("nope{number}"))
            }
            Self::Mismatch => (Severity::Error, "rfl", "rfl".to_owned()),
            Self::Sorry => (Severity::Warning, "example", "example".to_owned()),
            Self::Check => (Severity::Information, "#check", "#check".to_owned()),
        };
        let text = self.text();
        let before = text.split(from).next().unwrap_or_default();
        let start = utf16(before);
        Some((severity, start, start + utf16(&what)))
    }
}

/// The text of `lines` with `end` after each.
pub fn text_of(lines: &[Line], end: &str) -> String {
    lines.iter().map(|line| line.text() + end).collect()
}

/// Where Lean finds something in the text of `lines`, in document order.
pub fn expected(lines: &[Line]) -> Vec<(Severity, Range)> {
    (0..)
        .zip(lines)
        .filter_map(|(number, line)| {
            let (severity, start, end) = line.verdict()?;
            let range = Range::new(Position::new(number, start), Position::new(number, end));
            Some((severity, range))
        })
        .collect()
}

/// The same about what Lean really found.
pub fn found(diagnostics: &[Diagnostic]) -> Vec<(Severity, Range)> {
    diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.severity, diagnostic.range))
        .collect()
}

fn utf16(text: &str) -> u32 {
    text.encode_utf16().map(|_| 1).sum()
}
