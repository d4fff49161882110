//! What to measure and how often.

use std::str::FromStr;

/// Text for `--help`.
pub(super) const USAGE: &str = "\
usage: bench [OPTIONS] [GROUP ...]

Measures what lean-beam adds to what Lean takes. Groups, all of them by default:
  report-delay  how Lean should report: verdict time, traffic and CPU by server.reportDelayMs
  verdict       from an edit to Lean's verdict: plain client, kept client, command line
  questions     hover, goals and definition with several numbers of open documents
  start         process and daemon starts, first verdict from nothing
  probe         running texts: one, 32 candidates, a tree search
  memory        resident memory of the daemon, its guardian and Lean
  save          artifacts beside plain `lean -o`; memory by project, document and lane; after an eviction

  --quick             fewer samples, 1 and 10 documents
  --runs N            samples of each figure (default: by group, 3 to 400)
  --documents N,N,..  numbers of open documents for questions and memory (default: 1,10,100)
  --lines N           lines of the large file (default: 20000)
  --json              one JSON object instead of tables
  --help              this text

Lean is the one that the tests use: $LEAN_BEAM_TEST_LEAN, else the portable Lean.
";

/// A set of figures that are measured together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    ReportDelay,
    Verdict,
    Questions,
    Start,
    Probe,
    Memory,
    Save,
}

const GROUPS: [(&str, Group); 7] = [
    ("report-delay", Group::ReportDelay),
    ("verdict", Group::Verdict),
    ("questions", Group::Questions),
    ("start", Group::Start),
    ("probe", Group::Probe),
    ("memory", Group::Memory),
    ("save", Group::Save),
];

/// The command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) groups: Vec<Group>,
    /// Numbers of open documents, ascending.
    pub(super) documents: Vec<usize>,
    /// Lines of the large file.
    pub(super) lines: usize,
    pub(super) json: bool,
    pub(super) help: bool,
    runs: Runs,
}

/// How many samples to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runs {
    Usual,
    Quick,
    Given(usize),
}

/// Documents and samples of `--quick`: one in so many of the usual ones, but not less than three.
const QUICK_DOCUMENTS: [usize; 2] = [1, 10];
const QUICK_PART: usize = 5;
const QUICK_LEAST: usize = 3;

impl Options {
    /// Reads the arguments, without the program's name.
    ///
    /// # Errors
    /// A text for people.
    pub(super) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            groups: Vec::new(),
            documents: vec![1, 10, 100],
            lines: 20_000,
            json: false,
            help: false,
            runs: Runs::Usual,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_default();
            match argument.as_str() {
                "--json" => options.json = true,
                "--help" | "-h" => options.help = true,
                "--quick" => options.be_quick(),
                "--runs" => options.runs = Runs::Given(positive(&argument, &value())?),
                "--lines" => options.lines = positive(&argument, &value())?,
                "--documents" => options.documents = ascending(&argument, &value())?,
                name => options.groups.push(group(name)?),
            }
        }
        if options.groups.is_empty() {
            options.groups = GROUPS.map(|(_, group)| group).to_vec();
        }
        Ok(options)
    }

    /// How many samples to take of a figure for which `usual` are enough.
    pub(super) fn runs(&self, usual: usize) -> usize {
        match self.runs {
            Runs::Usual => usual,
            Runs::Quick => (usual / QUICK_PART).max(QUICK_LEAST),
            Runs::Given(number) => number,
        }
    }

    fn be_quick(&mut self) {
        self.runs = Runs::Quick;
        self.documents = QUICK_DOCUMENTS.to_vec();
    }
}

fn group(name: &str) -> Result<Group, String> {
    let found = GROUPS.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, group)| *group)
        .ok_or_else(|| format!("bench: there is no group or option {name}\n\n{USAGE}"))
}

fn positive(option: &str, text: &str) -> Result<usize, String> {
    match usize::from_str(text) {
        Ok(number @ 1..) => Ok(number),
        _ => Err(format!(
            "bench: {option} needs a number from 1, not {text:?}"
        )),
    }
}

fn ascending(option: &str, text: &str) -> Result<Vec<usize>, String> {
    let numbers: Result<Vec<_>, _> = text.split(',').map(|part| positive(option, part)).collect();
    let mut numbers = numbers?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &str) -> Result<Options, String> {
        Options::parse(arguments.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn without_arguments_everything_is_measured() {
        let options = parse("").unwrap();
        assert_eq!(options.groups.len(), GROUPS.len());
        assert_eq!(options.documents, [1, 10, 100]);
        assert_eq!(options.runs(7), 7);
    }

    #[test]
    fn groups_and_numbers_are_taken_over() {
        let options = parse("questions --runs 3 --documents 10,1,10 memory --json").unwrap();
        assert_eq!(options.groups, [Group::Questions, Group::Memory]);
        assert_eq!(options.documents, [1, 10]);
        assert_eq!(options.runs(7), 3);
        assert!(options.json);
    }

    #[test]
    fn quick_can_be_corrected_by_what_follows() {
        let options = parse("--quick --documents 3").unwrap();
        assert_eq!(options.documents, [3]);
        assert_eq!((options.runs(100), options.runs(5)), (20, 3));
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (arguments, named) in [
            ("hovver", "hovver"),
            ("--runs", "--runs"),
            ("--runs 0", "\"0\""),
            ("--documents 1,x", "\"x\""),
        ] {
            let text = parse(arguments).unwrap_err();
            assert!(text.contains(named), "{arguments}: {text}");
        }
    }
}
