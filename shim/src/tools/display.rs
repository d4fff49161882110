//! What a client gets to see while a tool works.
//!
//! One constant per row of the display-control matrix in `docs/mcp.md`.

/// When a call without a progress token says once that it is still alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// Never.
    Quiet,
    /// After two seconds.
    AfterDelay,
    /// At the first sign of a Lake setup, or after two seconds.
    OnSetupOrAfterDelay,
}

/// Which notifications a tool may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Display {
    /// One update at the start of a call with a progress token.
    pub preparation: bool,
    /// What Lake does, as progress.
    pub setup: bool,
    /// How far Lean is with the file, as progress.
    pub file_progress: bool,
    /// The sign of life of a call without a progress token.
    pub liveness: Liveness,
    /// Diagnostics as log notifications while they come in.
    pub diagnostics: bool,
}

impl Display {
    /// Nothing at all; a token is not used.
    pub const QUIET: Self = Self {
        preparation: false,
        setup: false,
        file_progress: false,
        liveness: Liveness::Quiet,
        diagnostics: false,
    };

    /// The preparation, and nothing more.
    pub const PREPARATION: Self = Self {
        preparation: true,
        liveness: Liveness::AfterDelay,
        ..Self::QUIET
    };

    /// The preparation and Lean's progress with the file.
    pub const INSPECTION: Self = Self {
        file_progress: true,
        ..Self::PREPARATION
    };

    /// As [`Display::INSPECTION`], and Lake's setup.
    pub const EXECUTION: Self = Self {
        setup: true,
        liveness: Liveness::OnSetupOrAfterDelay,
        ..Self::INSPECTION
    };

    /// As [`Display::EXECUTION`], and diagnostics while they come in.
    pub const VERDICT: Self = Self {
        diagnostics: true,
        ..Self::EXECUTION
    };
}
