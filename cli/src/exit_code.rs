//! What the exit code says, in one list.

use std::process::ExitCode;

use lean_beam_proto::{BeamError, ErrorCode};

/// The list for `--help`, kept beside the type so that both change together.
pub(crate) const HELP: &str = "\
Exit codes:
  0    all is well
  1    Lean says no: the file has errors or cannot be judged as it is, the text is refused, no
       candidate works, the declaration rests on `sorry`; `doctor`: something is wrong
  2    the command line is wrong; nothing was asked
  3    the request failed: a position outside the file, a passed deadline, a crashed Lean
  4    no daemon can be reached or started
  129, 130, 143    ended by SIGHUP, SIGINT (Ctrl-C) or SIGTERM";

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Ok,
    /// Lean gave its verdict, and it is no.
    LeanSaysNo,
    /// The command line is wrong.
    Usage,
    /// The request failed.
    RequestFailed,
    /// There is no daemon to ask.
    DaemonUnavailable,
    /// A signal of this number ended it.
    Signal(u8),
}

impl Exit {
    /// The exit code for a request that ended with `error`.
    pub(crate) fn of(error: &BeamError) -> Self {
        match error.code {
            ErrorCode::DaemonUnavailable | ErrorCode::ProtocolMismatch => Self::DaemonUnavailable,
            _ => Self::RequestFailed,
        }
    }

    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::LeanSaysNo => 1,
            Self::Usage => 2,
            Self::RequestFailed => 3,
            Self::DaemonUnavailable => 4,
            Self::Signal(number) => 128_u8.saturating_add(number),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_documentation() {
        let numbers = [
            Exit::Ok,
            Exit::LeanSaysNo,
            Exit::Usage,
            Exit::RequestFailed,
            Exit::DaemonUnavailable,
            Exit::Signal(1),
            Exit::Signal(2),
            Exit::Signal(15),
        ]
        .map(Exit::code);
        assert_eq!(numbers, [0, 1, 2, 3, 4, 129, 130, 143]);
        for number in numbers {
            assert!(
                HELP.contains(&number.to_string()),
                "{number} is not in the help"
            );
        }
    }

    #[test]
    fn errors_about_the_daemon_itself_are_told_from_failed_requests() {
        let exit = |code| Exit::of(&BeamError::new(code, "x"));
        assert_eq!(exit(ErrorCode::DaemonUnavailable), Exit::DaemonUnavailable);
        assert_eq!(exit(ErrorCode::ProtocolMismatch), Exit::DaemonUnavailable);
        assert_eq!(exit(ErrorCode::WorkerCrashed), Exit::RequestFailed);
        assert_eq!(exit(ErrorCode::Unknown), Exit::RequestFailed);
    }
}
