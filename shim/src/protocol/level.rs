//! The levels of log notifications.

/// A level of MCP's logging, from the most talkative to the gravest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LogLevel {
    /// Everything.
    Debug,
    /// Information and graver.
    Info,
    /// Normal but noteworthy events and graver.
    Notice,
    /// Warnings and graver.
    Warning,
    /// Errors and graver.
    Error,
    /// Critical conditions and graver.
    Critical,
    /// Conditions that want action at once, and graver.
    Alert,
    /// Nothing but the end of the world.
    Emergency,
}

impl LogLevel {
    /// All levels in ascending order.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// The wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// The level of this wire form. `None` for anything else, JSON that is no string included.
    pub fn from_json(json: &serde_json::value::RawValue) -> Option<Self> {
        let name: String = serde_json::from_str(json.get()).ok()?;
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_by_their_exact_names() {
        for level in LogLevel::ALL {
            let json = format!("\"{}\"", level.as_str());
            assert_eq!(
                LogLevel::from_json(serde_json::from_str(&json).unwrap()),
                Some(level)
            );
        }
        for json in ["\"Debug\"", "\"loud\"", "3", "null"] {
            assert_eq!(
                LogLevel::from_json(serde_json::from_str(json).unwrap()),
                None
            );
        }
        assert!(LogLevel::ALL.is_sorted());
    }
}
