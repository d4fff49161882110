//! Where a text may go so that it sees the tactic state that Lean shows at a position.

use lean_beam_proto::text::Position;

use super::{
    Form, Insertion,
    command::command_around,
    outline::{Block, NodeKind, Outline, Source, column_of, is_line_start, outline},
    state::picks,
};
use crate::text::DocumentText;

/// Most candidates that are given.
const LIMIT: usize = 12;

/// Candidates for the tactic state that Lean shows at `position`, likeliest first, no duplicates, at most 12.
pub(crate) fn tactic_candidates(text: &DocumentText, position: Position) -> Vec<Insertion> {
    let Ok(offset) = text.offset(position) else {
        return Vec::new();
    };
    let source = text.as_str();
    let command = command_around(source, offset);
    let source = command.source(source);
    let outline = outline(source);
    let picked = picks(
        &outline,
        offset,
        column_of(text.as_str(), offset),
        text.as_str().len(),
    );
    let mut found = Candidates {
        source,
        outline: &outline,
        list: Vec::new(),
    };
    for pick in &picked {
        found.side(pick.node, pick.after);
    }
    if let Some(pick) = picked.first() {
        found.with_tails(pick.node);
    }
    for pick in &picked {
        found.around(pick.node, pick.after);
    }
    found.list
}

struct Candidates<'a> {
    source: Source<'a>,
    outline: &'a Outline,
    list: Vec<Insertion>,
}

impl Candidates<'_> {
    fn add(&mut self, insertion: Insertion) {
        if self.list.len() < LIMIT && !self.list.contains(&insertion) {
            self.list.push(insertion);
        }
    }

    /// The state before or after a node.
    fn side(&mut self, node: usize, after: bool) {
        match self.outline.nodes[node].kind {
            NodeKind::Tactic { block } | NodeKind::Part { block } if after => {
                self.after(node, block);
            }
            NodeKind::Tactic { .. } | NodeKind::Part { .. } => self.before(node),
            NodeKind::Proof { block } | NodeKind::Focus { block } if after => self.block_end(block),
            NodeKind::Opener { focuses: true, .. } if !after => self.parent(node, false),
            NodeKind::Proof { block }
            | NodeKind::Focus { block }
            | NodeKind::Opener { block, .. } => {
                self.block_start(block);
            }
            NodeKind::Separator { tactic } => self.side(tactic, true),
            NodeKind::Start => self.parent(node, false),
            NodeKind::Rule { .. } if after => self.rule(node),
            NodeKind::RulesEnd { .. } if after => self.parent(node, true),
            NodeKind::RulesEnd { last } => self.side(last, true),
            NodeKind::Step { .. } if after => self.step(node),
            NodeKind::Rule { previous } | NodeKind::Step { previous } => match previous {
                Some(previous) => self.side(previous, true),
                None => self.parent(node, false),
            },
        }
    }

    fn parent(&mut self, node: usize, after: bool) {
        if let Some(parent) = self.outline.nodes[node].parent {
            self.side(parent, after);
        }
    }

    fn before(&mut self, node: usize) {
        // A `skip` at the start of what `repeat` repeats would never end.
        if !self.outline.starts_loop(node) {
            self.add(self.just_before(node));
        }
    }

    fn just_before(&self, node: usize) -> Insertion {
        let block = self.outline.block_of(node);
        let node = &self.outline.nodes[node];
        // What follows `<;>` may start a line without starting a tactic of its block.
        let heads_line = is_line_start(self.source.text, node.start)
            && block.is_some_and(|block| self.outline.blocks[block].column == node.column);
        Insertion {
            offset: node.start,
            column: node.column,
            form: if heads_line {
                Form::HereBlank
            } else {
                Form::Here
            },
            lead: String::new(),
            tail: String::new(),
        }
    }

    fn after(&mut self, node: usize, block: usize) {
        self.add(Insertion {
            offset: self.outline.nodes[node].end,
            column: self.outline.blocks[block].column,
            form: Form::OwnLine,
            lead: String::new(),
            tail: String::new(),
        });
    }

    fn block_start(&mut self, block: usize) {
        let Block { tactics, .. } = &self.outline.blocks[block];
        match tactics.first() {
            Some(first) => self.before(*first),
            None => self.empty_block(block),
        }
    }

    fn block_end(&mut self, block: usize) {
        match self.outline.blocks[block].tactics.last() {
            Some(last) => self.after(*last, block),
            None => self.empty_block(block),
        }
    }

    fn empty_block(&mut self, block: usize) {
        let Block { column, opened, .. } = self.outline.blocks[block];
        self.add(Insertion {
            offset: opened,
            column,
            form: Form::OwnLine,
            lead: String::new(),
            tail: String::new(),
        });
    }

    /// After one argument of a tactic.
    fn step(&mut self, node: usize) {
        if let Some(block) = self.outline.block_of(node) {
            self.after(node, block);
        }
    }

    /// After some rules of a `rw`: the tactic is done again with those alone.
    fn rule(&mut self, node: usize) {
        let nodes = &self.outline.nodes;
        let Some(parent) = nodes[node].parent else {
            return;
        };
        let tactic = &nodes[parent];
        let last = nodes.iter().rfind(|other| {
            other.parent == Some(parent) && matches!(other.kind, NodeKind::Rule { .. })
        });
        let list_end = last
            .map_or(tactic.end, |last| last.trail + 1)
            .min(tactic.end);
        let begun = self.source.text[tactic.start..nodes[node].end].trim_end_matches(',');
        let location = self
            .source
            .text
            .get(list_end..tactic.end)
            .unwrap_or_default()
            .trim();
        self.add(Insertion {
            lead: rewrite_lead(begun, location),
            ..self.just_before(parent)
        });
    }

    /// The first candidate again, followed by what is behind the proof that it is in. Before `:`, which
    /// says what that proves, this comes first.
    fn with_tails(&mut self, node: usize) {
        let (Some(first), Some(proof)) = (self.list.first().cloned(), self.proof_around(node))
        else {
            return;
        };
        let end = self.outline.nodes[proof].end;
        let behind = self
            .source
            .tokens
            .partition_point(|token| token.start < end);
        let Some(next) = self.source.tokens.get(behind) else {
            return;
        };
        let tails = [
            self.bracket_end(behind),
            self.source.tokens.last().map(|last| last.end),
        ];
        let plain = (self.source.word(*next) == ":").then(|| self.list.remove(0));
        for tail_end in tails.into_iter().flatten() {
            self.add(Insertion {
                tail: self.source.text[end..tail_end].to_owned(),
                ..first.clone()
            });
        }
        plain.into_iter().for_each(|plain| self.add(plain));
    }

    fn proof_around(&self, node: usize) -> Option<usize> {
        let nodes = &self.outline.nodes;
        std::iter::successors(Some(node), |index| nodes[*index].parent)
            .find(|index| matches!(nodes[*index].kind, NodeKind::Proof { .. }))
    }

    /// The end of the bracket that is open before the token at `index`.
    fn bracket_end(&self, index: usize) -> Option<usize> {
        let mut depth = 0usize;
        for token in &self.source.tokens[index..] {
            match self.source.word(*token) {
                "(" | "[" | "{" | "⟨" | "@[" => depth += 1,
                ")" | "]" | "}" | "⟩" if depth == 0 => return Some(token.end),
                ")" | "]" | "}" | "⟩" => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// What else it may be: the other side, then what contains the node.
    fn around(&mut self, node: usize, after: bool) {
        self.side(node, !after);
        let mut parent = self.outline.nodes[node].parent;
        while let Some(index) = parent {
            self.side(index, true);
            self.side(index, false);
            parent = self.outline.nodes[index].parent;
        }
    }
}

/// A `rw` that was read up to some rule, as a tactic of its own. `rw` itself would try to close the goal.
fn rewrite_lead(begun: &str, location: &str) -> String {
    let word_end = begun.find([' ', '[', '\n', '\r']).unwrap_or(begun.len());
    let (word, rest) = begun.split_at(word_end);
    let word = match word {
        "rw" | "rwa" => "rewrite",
        "nth_rw" => "nth_rewrite",
        "grw" => "grewrite",
        other => other,
    };
    let location = if location.starts_with("at ") {
        location
    } else {
        ""
    };
    format!("{word}{rest}] {location}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::probe::splice::{command_candidates, place_of, splice_command, splice_tactic};

    /// What is kept of a text that has `‸` at the position, and what follows that for the likeliest candidate.
    fn likeliest(marked: &str) -> (String, String) {
        let offset = marked.find('‸').unwrap();
        let text = DocumentText::new(marked.replace('‸', ""));
        let candidates = tactic_candidates(&text, text.position(offset));
        let first = candidates.first().expect(marked);
        let splice = splice_tactic(&text, first, &["P"]);
        let (kept, rest) = splice.text.split_at(first.offset);
        (kept.to_owned(), rest.to_owned())
    }

    /// Asserts what is kept of a text, and the column and form in which the probe follows.
    fn follows(marked: &str, kept_end: &str, column: usize, form: Form) {
        let (kept, rest) = likeliest(marked);
        assert!(
            kept.ends_with(kept_end),
            "{marked}\nkept {kept:?}, not {kept_end:?}"
        );
        let (deep, own) = (" ".repeat(column + 1), " ".repeat(column));
        let probe = format!("(\n{deep}P\n{own})");
        let expected = match form {
            Form::OwnLine => format!("\n{own}{probe}\n{own}trace "),
            Form::Here => format!("{probe}; trace "),
            Form::HereBlank => format!("{probe}\n{own}trace "),
        };
        assert!(
            rest.starts_with(&expected),
            "{marked}\nfollowed by {rest:?}"
        );
    }

    const SWAP: &str = "theorem swap (h : p ∧ q) : q ∧ p := by\n  have hp := h.left\n  constructor\n\n  · exact h.right\n  · exact hp\n\nend";

    fn swap(before: &str) -> String {
        SWAP.replacen(before, &format!("{before}‸"), 1)
    }

    #[test]
    fn at_its_first_character_or_before_it_a_tactic_has_not_run() {
        for before in [":= ", ":= by", ":= by\n", ":= by\n  "] {
            follows(&swap(before), ":= by\n  ", 2, Form::HereBlank);
        }
    }

    #[test]
    fn inside_and_behind_it_a_tactic_has_run() {
        for before in ["  h", "  have hp := h.left", "h.left\n "] {
            follows(&swap(before), "h.left", 2, Form::OwnLine);
        }
        for before in [
            "  const",
            "constructor",
            "constructor\n",
            "constructor\n\n ",
        ] {
            follows(&swap(before), "constructor", 2, Form::OwnLine);
        }
    }

    #[test]
    fn a_bullet_focuses_behind_its_first_character() {
        follows(
            &swap("constructor\n\n  "),
            "constructor\n\n  ",
            2,
            Form::HereBlank,
        );
        follows(&swap("  ·"), "  · ", 4, Form::Here);
        follows(&swap("  · "), "  · ", 4, Form::Here);
        follows(&swap("  · exact"), "exact h.right", 4, Form::OwnLine);
    }

    #[test]
    fn on_blank_lines_the_column_says_how_far_out_one_is() {
        let text = "example : p := by\n  constructor\n  · skip\n    exact a\n@\n  exact b\n";
        let at = |column: usize| text.replace('@', &format!("{}‸", " ".repeat(column)));
        follows(&at(4), "exact a", 4, Form::OwnLine);
        follows(&at(3), "exact a", 2, Form::OwnLine);
        follows(&at(0), "exact a", 2, Form::OwnLine);
    }

    #[test]
    fn a_proof_reaches_to_the_next_command() {
        follows(&swap("exact hp\n"), "exact hp", 2, Form::OwnLine);
        follows(
            &swap("exact hp\n\n").replace("‸end", "‸"),
            "exact hp",
            2,
            Form::OwnLine,
        );
        let behind = DocumentText::new(SWAP);
        assert_eq!(tactic_candidates(&behind, behind.position(SWAP.len())), []);
    }

    #[test]
    fn alternatives_show_their_goal_from_the_bar_on() {
        let text =
            "example : p := by\n  cases h with\n  | inl a =>\n    exact a\n  | inr b => exact b\n";
        let at = |before: &str| text.replacen(before, &format!("{before}‸"), 1);
        follows(&at("with\n  "), "=>\n    ", 4, Form::HereBlank);
        follows(&at("inl a"), "=>\n    ", 4, Form::HereBlank);
        follows(&at("| inr"), "inr b => ", 13, Form::Here);
        follows(&at("exact b"), "exact b", 13, Form::OwnLine);
        follows(&at("  cas"), "by\n  ", 2, Form::HereBlank);
    }

    #[test]
    fn steps_in_a_line_are_apart() {
        let text = "example : p := by constructor; exact a; exact b";
        let at = |before: &str| text.replacen(before, &format!("{before}‸"), 1);
        follows(&at("constr"), "constructor", 18, Form::OwnLine);
        follows(&at("constructor;"), "constructor", 18, Form::OwnLine);
        follows(&at("constructor; "), "constructor; ", 31, Form::Here);
        follows(&at("exact b"), "exact b", 18, Form::OwnLine);
    }

    #[test]
    fn proofs_in_terms_end_at_commas_brackets_and_colons() {
        let text = "example : p := by\n  exact ⟨by skip, f (by\n    left) (by right : r)⟩\n";
        let at = |before: &str| text.replacen(before, &format!("{before}‸"), 1);
        follows(&at("sk"), "by skip", 12, Form::OwnLine);
        follows(&at("lef"), "left", 4, Form::OwnLine);
        let (kept, rest) = likeliest(&at("righ"));
        assert!(kept.ends_with("by right"));
        assert!(rest.ends_with("\" : r)\n"), "{rest:?}");
    }

    #[test]
    fn each_side_of_a_chain_has_a_state() {
        let text = "example : p := by\n  constructor <;> exact a\n";
        let at = |before: &str| text.replacen(before, &format!("{before}‸"), 1);
        follows(&at("const"), "constructor", 2, Form::OwnLine);
        follows(&at("constructor <"), "constructor", 2, Form::OwnLine);
        follows(&at("<;> "), "<;> ", 18, Form::Here);
        follows(&at("<;> ex"), "exact a", 2, Form::OwnLine);
    }

    #[test]
    fn a_rewrite_is_done_again_up_to_the_rule() {
        let text = "example : p := by\n  rw [a, ← b] at h\n  rfl\n";
        let at = |before: &str| text.replacen(before, &format!("{before}‸"), 1);
        follows(&at("rw ["), "by\n  ", 2, Form::HereBlank);
        for (before, lead) in [
            ("rw [a", "rewrite [a] at h"),
            ("← ", "rewrite [a, ← b] at h"),
        ] {
            let (kept, rest) = likeliest(&at(before));
            assert!(kept.ends_with("by\n  "), "{kept:?}");
            assert!(
                rest.starts_with(&format!("{lead}\n  (\n   P\n")),
                "{rest:?}"
            );
        }
        follows(&at("] at"), "] at h", 2, Form::OwnLine);
    }

    #[test]
    fn an_empty_block_can_be_filled() {
        follows("example : p := by‸", "by", 2, Form::OwnLine);
        follows(
            "example : p := by\n  constructor\n  · ‸\n  · rfl",
            "·",
            4,
            Form::OwnLine,
        );
    }

    #[test]
    fn nothing_is_put_at_the_start_of_a_loop() {
        let text = "example : p := by\n  repeat constructor\n";
        let document = DocumentText::new(text);
        let at = document.position(text.find("constructor").unwrap());
        let all = tactic_candidates(&document, at);
        assert!(!all.is_empty());
        assert!(
            all.iter()
                .all(|candidate| candidate.offset != document.offset(at).unwrap())
        );
    }

    #[test]
    fn windows_line_ends_change_nothing() {
        let text = swap("constructor\n").replace('\n', "\r\n");
        follows(&text, "constructor", 2, Form::OwnLine);
    }

    /// Texts that look like Lean, well formed or not.
    fn leanish() -> impl Strategy<Value = String> {
        let words = vec![
            "theorem x : p := ",
            "by",
            "by\n  ",
            "\n",
            "\n  ",
            "\n    ",
            "\r\n  ",
            " ",
            "· ",
            "(",
            ")",
            "⟨",
            "⟩",
            "[",
            "]",
            "{",
            "}",
            "; ",
            ", ",
            " <;> ",
            "| ",
            "=> ",
            ":= ",
            " : ",
            "cases h with",
            "case a =>",
            "first",
            "exact h",
            "rw [",
            "intro a b",
            "fun x => ",
            "match h with",
            "if h : p then ",
            "else ",
            "repeat ",
            "calc ",
            "conv => ",
            "simpa using h",
            "-- c\n",
            "/- c -/",
            "\"s\"",
            "«a»",
            "h'",
            "𝓅",
            "end",
            "mutual",
            "open Nat in",
            "@[simp]",
            "where",
            "∃ x, ",
            "stop",
        ];
        prop::collection::vec(prop::sample::select(words), 0..30).prop_map(|words| words.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn candidates_are_few_distinct_and_between_characters(text in prop_oneof![leanish(), any::<String>()]) {
            let document = DocumentText::new(text.as_str());
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let position = document.position(offset);
                let candidates = tactic_candidates(&document, position);
                prop_assert!(candidates.len() <= LIMIT);
                for (index, candidate) in candidates.iter().enumerate() {
                    prop_assert!(text.is_char_boundary(candidate.offset));
                    prop_assert!(!candidates[..index].contains(candidate));
                    let splice = splice_tactic(&document, candidate, &["P"]);
                    prop_assert!(splice.text.starts_with(&text[..candidate.offset]));
                }
                let ends = command_candidates(&document, position);
                prop_assert!(ends.len() <= 6 && ends.is_sorted_by(|one, other| one < other));
                for end in ends {
                    prop_assert!(splice_command(&document, end, &["P"]).text.starts_with(&text[..end]));
                }
            }
        }

        #[test]
        fn no_position_panics(text in leanish(), line in 0u32..9, character in 0u32..50) {
            let document = DocumentText::new(text);
            let position = Position::new(line, character);
            drop((tactic_candidates(&document, position), command_candidates(&document, position), place_of(&document, position)));
        }
    }
}
