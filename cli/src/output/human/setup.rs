//! Clients, and changes of their files.

use std::path::Path;

use super::{
    aligned,
    style::{BAD, CARE, DIM, GOOD, STRONG, styled},
};
use crate::commands::setup::{Manager, Registration, Service, ServiceState, Survey, Surveyed};

/// Every client on a line.
pub(crate) fn survey(survey: &Survey) -> String {
    let rows: Vec<_> = survey.clients.iter().map(row).collect();
    let mut text: String = aligned(&rows)
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    text.extend(survey.service.map(service));
    text.push_str(
        "\n`lean-beam setup NAME` registers, `lean-beam setup NAME --remove` takes it back.\n\
         `lean-beam setup service` lets the system start the daemon.\n",
    );
    text
}

fn service(service: Service) -> String {
    let name = match service.manager {
        Manager::Systemd => "systemd",
        Manager::Launchd => "launchd",
    };
    let (mark, state) = match service.state {
        ServiceState::None => (
            styled(DIM, "·"),
            "does not start the daemon; the first client does",
        ),
        ServiceState::Current => (styled(GOOD, "✓"), "starts the daemon"),
        ServiceState::Elsewhere => (styled(CARE, "!"), "is set up for another installation"),
        ServiceState::Foreign => (
            styled(DIM, "·"),
            "has files named lean-beam by somebody else",
        ),
    };
    format!("\n{mark} {name} {state}\n")
}

fn row(client: &Surveyed) -> Vec<String> {
    let (mark, state) = match client.registration {
        Registration::Current => (styled(GOOD, "✓"), "registered"),
        Registration::Elsewhere => (styled(CARE, "!"), "registered with another installation"),
        Registration::Broken => (styled(BAD, "✗"), "registered with a program that is gone"),
        Registration::Unreadable => (styled(BAD, "✗"), "its file is not understood"),
        Registration::None if client.found => (styled(STRONG, "·"), "found, not registered"),
        Registration::None => (styled(DIM, "·"), "not found"),
    };
    let skill = if client.skill == Some(true) {
        ", with the skill"
    } else {
        ""
    };
    vec![
        mark,
        client.title.to_owned(),
        format!("{state}{skill}"),
        styled(DIM, client.file.display()),
    ]
}

/// Diffs with their colors.
pub(crate) fn changes(diffs: impl Iterator<Item = String>) -> String {
    diffs.map(|diff| colored(&diff)).collect()
}

fn colored(diff: &str) -> String {
    let line = |line: &str| {
        let style = match line.chars().next() {
            Some('+') => GOOD,
            Some('-') => BAD,
            Some('@') => DIM,
            _ => return format!("{line}\n"),
        };
        format!("{}\n", styled(style, line))
    };
    diff.lines().map(line).collect()
}

/// The name of a file above its text.
pub(crate) fn file_heading(file: &Path) -> String {
    styled(DIM, format!("# {}", file.display()))
}
