//! Tools about the process, the daemon and lean-beam itself.

use std::time::Duration;

use lean_beam_proto::feedback::FeedbackParams;

use crate::tools::{
    display::Display,
    tool::{Action, Hints, Parameters, Tool, Wait},
};

/// How long a report may take: the daemon gets some seconds for each of three questions.
const REPORT_WAIT: Wait = Wait::Fixed(Duration::from_secs(40));

/// How long the daemon may take over something that needs no Lean.
const SHORT_WAIT: Wait = Wait::Fixed(Duration::from_secs(10));

/// `beam_stats`.
pub(super) static STATS: Tool = Tool {
    name: "beam_stats",
    title: "Counters of the daemon",
    description: "Counters of the Beam daemon since its start: requests by operation with times and errors, and the \
        workspaces that are loaded. For debugging; it selects nothing for later calls. Starts no daemon: running is \
        false when there is none.",
    hints: Hints::ReadOnly,
    display: Display::QUIET,
    wait: SHORT_WAIT,
    when_cut: "`lean-beam stats` shows all of them.",
    action: Action::Stats,
};

/// `beam_version`.
pub(super) static VERSION: Tool = Tool {
    name: "beam_version",
    title: "Identity of this server",
    description: "Version, build and process of this MCP server and of the Beam daemon, if one runs. Starts nothing. \
        runtime_current: false means that a newer program is installed than the one running: restart the MCP client, \
        and the daemon with `lean-beam restart`.",
    hints: Hints::ReadOnly,
    display: Display::QUIET,
    wait: SHORT_WAIT,
    when_cut: "",
    action: Action::Version,
};

/// `beam_feedback_report`.
pub(super) static FEEDBACK_REPORT: Tool = Tool {
    name: "beam_feedback_report",
    title: "Report about Beam itself",
    description: "Make a report about a fault or a wish concerning Beam, as Markdown to be pasted into an issue. Nothing is \
        uploaded: the report is returned to you, and written to disk only with bundle: \"dir\" or \"zip\". It adds version, \
        daemon state, crashes and log lines of this workspace and starts nothing; include_collected: true shows all of \
        them. For a project that is not public set confidential: true: nothing is collected, and payloads, evidence, paths \
        and code blocks are left out. Show the report to the user before anybody shares it. Unknown fields are errors.",
    hints: Hints::None,
    display: Display::PREPARATION,
    wait: REPORT_WAIT,
    when_cut: "Ask for bundle: \"dir\", which holds everything, or leave include_collected out.",
    action: Action::Feedback(Parameters::of::<FeedbackParams>()),
};
