//! A text about which the right answer to every question is known, in endless variations.

use serde_json::Value;

use crate::{
    probing::{Place, before},
    questions::Question,
};

/// A text whose names carry a number, below other lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lab {
    above: String,
    below: String,
    number: u32,
}

impl Lab {
    /// The text with names that end with `number`, and nothing around it.
    pub fn new(number: u32) -> Self {
        Self::between("", number, "")
    }

    /// The same between other lines, each of which ends with `\n`.
    pub fn between(above: &str, number: u32, below: &str) -> Self {
        Self {
            above: above.to_owned(),
            below: below.to_owned(),
            number,
        }
    }

    /// The whole text.
    pub fn text(&self) -> String {
        format!("{}{}{}", self.above, self.own(), self.below)
    }

    fn own(&self) -> String {
        let n = self.number;
        format!(
            "def two{n} : Nat := 2\n\
             theorem both{n} (p{n} q : Prop) (hp : p{n}) (hq : q) : p{n} ∧ q := by\n\
             \x20\x20constructor\n\
             \x20\x20· show_term exact hp\n\
             \x20\x20· sorry\n\
             #check Nat.add two{n} \n\
             #check tw\n"
        )
    }

    /// The name of its theorem, whose axioms are asked for, and which is looked for in the project.
    pub fn theorem(&self) -> String {
        format!("both{}", self.number)
    }

    /// Where each question is asked.
    pub fn place(&self, question: Question) -> Place {
        let (mark, columns) = match question {
            Question::TermGoal => ("exact hp", 6),
            Question::Hover | Question::Definition | Question::References => ("Nat.add two", 8),
            Question::SignatureHelp => {
                let name = format!("Nat.add two{} ", self.number);
                ("Nat.add two", u32::try_from(name.len()).unwrap_or_default())
            }
            Question::Completions => ("tw\n", 2),
            Question::Todo => ("sorry", 0),
            Question::CodeActions => ("show_term", 0),
            _ => ("constructor", 0),
        };
        let (line, character) = before(&self.own(), mark);
        (self.lines_above() + line, character + columns)
    }

    fn lines_above(&self) -> u32 {
        u32::try_from(self.above.matches('\n').count()).unwrap_or(u32::MAX)
    }

    /// Whether the result of a question at its place is right for this very text.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, question: Question, result: &Value) -> Result<(), String> {
        let n = self.number;
        let two = format!("two{n}");
        let conjunction = format!("p{n} ∧ q");
        let first_line = self.lines_above();
        let right = match question {
            Question::GoalsBefore => {
                targets(result) == [conjunction.as_str()]
                    && result["basis"]["start"]["line"] == first_line + 2
            }
            Question::GoalsAfter => targets(result) == [format!("p{n}").as_str(), "q"],
            Question::TermGoal => result["goal"]["target"] == format!("p{n}"),
            Question::Hover => has(&result["contents"], &two),
            Question::SignatureHelp => has(&result["signatures"][0]["label"], "Nat"),
            Question::Definition => starts(&result["locations"]) == [(u64::from(first_line), 4)],
            Question::References => {
                let first = u64::from(first_line);
                starts(&result["locations"]) == [(first, 4), (first + 5, 15)]
            }
            Question::DocumentSymbols => {
                let theorem = find(&result["symbols"], "name", &self.theorem());
                theorem.is_some_and(|found| {
                    found["selection_range"]["start"]["line"] == first_line + 1
                })
            }
            Question::WorkspaceSymbols => {
                let best = &result["symbols"][0];
                best["name"] == self.theorem() && best["range"]["start"]["line"] == first_line + 1
            }
            Question::Completions => result["items"][0]["label"] == two,
            Question::Todo => {
                let gap = find(&result["items"], "kind", "sorry");
                gap.is_some_and(|gap| gap["range"]["start"]["line"] == first_line + 4)
            }
            Question::CodeActions => {
                has(&result["items"][0]["code_action"]["title"], "exact hp")
                    && result["items"][0]["range"]["start"]["line"] == first_line + 3
            }
            Question::CheckAxioms => {
                result["uses_sorry"] == true && result["name"] == self.theorem()
            }
        };
        if right {
            Ok(())
        } else {
            Err(format!("{question:?} about number {n}: {result}"))
        }
    }
}

fn targets(result: &Value) -> Vec<&str> {
    let goals = result["goals"].as_array().into_iter().flatten();
    goals.filter_map(|goal| goal["target"].as_str()).collect()
}

fn starts(locations: &Value) -> Vec<(u64, u64)> {
    let start = |location: &Value| {
        let start = &location["selection_range"]["start"];
        Some((start["line"].as_u64()?, start["character"].as_u64()?))
    };
    let locations = locations.as_array().into_iter().flatten();
    locations.filter_map(start).collect()
}

fn find<'a>(list: &'a Value, key: &str, wanted: &str) -> Option<&'a Value> {
    list.as_array()?.iter().find(|one| one[key] == wanted)
}

fn has(text: &Value, part: &str) -> bool {
    text.as_str().is_some_and(|text| text.contains(part))
}
