//! The few styles that this program uses. The stream drops them where colors are not wanted.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Good news.
pub(crate) const GOOD: Style = AnsiColor::BrightGreen.on_default().bold();
/// Bad news.
pub(crate) const BAD: Style = AnsiColor::BrightRed.on_default().bold();
/// Something to look at.
pub(crate) const CARE: Style = AnsiColor::Yellow.on_default().bold();
/// Something to know.
pub(crate) const NEWS: Style = AnsiColor::BrightBlue.on_default().bold();
/// What leads from a message to its place.
pub(crate) const LINK: Style = NEWS;
/// Names.
pub(crate) const STRONG: Style = Style::new().bold();
/// What matters least.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Names of hypotheses.
pub(crate) const NAME: Style = AnsiColor::Yellow.on_default();
/// What stands before the target of a goal.
pub(crate) const TURNSTILE: Style = NEWS;
/// Lean code.
pub(crate) const CODE: Style = AnsiColor::Cyan.on_default();

/// `text` in `style`.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
