//! Reading one tactic, by what its first word says about the rest.

use super::{
    super::{
        outline::{Block, BlockKind, Failure, Runs, Tactic, TacticKind},
        tokens::TokenKind,
        words::{
            ARROWED, ASCRIBING, CATCHING, DISTRIBUTING, MATCHING, PATTERNED, REPEATING, REWRITING,
            SCOPED, WRAPPING,
        },
    },
    Holds, Limits, Parser,
    rules::rewrite_rules,
};

impl Parser<'_> {
    /// Reads a tactic with everything that `<;>` ties to it.
    pub(super) fn tactic(&mut self, limits: Limits) -> Tactic {
        let mut first = self.part(limits);
        if self.word() != "<;>" {
            self.leftover(limits, &mut first);
            return first;
        }
        let mut tactic = Tactic {
            kind: TacticKind::Wrapping,
            fails: Failure::AnyPart,
            ..Tactic::from_to(&first, first.span.end)
        };
        tactic.parts.push(first);
        while self.word() == "<;>" {
            self.at += 1;
            if self.starts_tactic() {
                let part = self.part(limits);
                tactic.parts.push(part);
            }
            self.leftover(limits, &mut tactic);
        }
        tactic
    }

    /// What stands behind the last block of a tactic and still belongs to it.
    fn leftover(&mut self, limits: Limits, tactic: &mut Tactic) {
        tactic
            .blocks
            .extend(self.stretch(limits, Holds::default(), &[]));
        tactic.span.end = self.last_end();
    }

    fn part(&mut self, limits: Limits) -> Tactic {
        let Some(first) = self.peek() else {
            // Callers look before they call.
            return Tactic::empty(self.last_end());
        };
        let start = self.at;
        let word = &self.text[first.span.clone()];
        let (kind, blocks) = self.shape(limits);
        let end = self.last_end();
        let steps = if REWRITING.contains(&word) {
            rewrite_rules(self.text, &self.tokens[start..self.at])
        } else {
            Vec::new()
        };
        Tactic {
            catches: CATCHING.contains(&word),
            fails: failure(word, &kind),
            runs: match () {
                () if REPEATING.contains(&word) => Runs::Again,
                () if DISTRIBUTING.contains(&word) => Runs::EachGoal,
                () => Runs::Once,
            },
            shows_its_goal: matches!(word, "case" | "case'"),
            span: first.span.start..end,
            head: first.span.end,
            column: first.column,
            kind,
            blocks,
            parts: Vec::new(),
            steps,
        }
    }

    /// Reads one tactic by what its first word says about the rest.
    fn shape(&mut self, limits: Limits) -> (TacticKind, Vec<Block>) {
        let word = self.word();
        match word {
            "·" | "." => {
                let body = self.block(BlockKind::Body, limits);
                (TacticKind::Focusing { tag: None }, vec![body])
            }
            "(" | "{" => self.bracketed(),
            "first" | "solve" => {
                self.at += 1;
                (
                    TacticKind::Wrapping,
                    self.alternatives(BlockKind::Body, limits),
                )
            }
            "if" => self.conditional(limits),
            "iterate" => {
                self.at += 1;
                if self
                    .peek()
                    .is_some_and(|token| token.kind == TokenKind::Literal)
                {
                    self.at += 1;
                }
                self.body(self.at, limits)
            }
            _ if WRAPPING.contains(&word) => {
                self.at += 1;
                self.body(self.at - 1, limits)
            }
            _ if ARROWED.contains(&word) => self.arrowed(limits),
            _ if SCOPED.contains(&word) => self.scoped(limits),
            _ if MATCHING.contains(&word) => self.matching(limits),
            _ => {
                self.at += 1;
                let may_hold = Holds {
                    bars: PATTERNED.contains(&word),
                    colons: ASCRIBING.contains(&word),
                };
                (TacticKind::Plain, self.stretch(limits, may_hold, &[]))
            }
        }
    }

    /// The tactics after an opener that ends before the current token.
    fn body(&mut self, from: usize, limits: Limits) -> (TacticKind, Vec<Block>) {
        let opener = self.tokens[from.min(self.at - 1)].span.start..self.last_end();
        let body = self.tactics(BlockKind::Body, opener, limits);
        (TacticKind::Wrapping, vec![body])
    }

    /// `(a; b)`
    fn bracketed(&mut self) -> (TacticKind, Vec<Block>) {
        let limits = Limits {
            column: None,
            bracketed: true,
        };
        let body = self.block(BlockKind::Body, limits);
        self.skip_to_close();
        (TacticKind::Wrapping, vec![body])
    }

    /// Behind the bracket that closes the current one; stays where it is when there is none.
    fn skip_to_close(&mut self) {
        let mut open = 0_usize;
        for (number, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token.kind {
                TokenKind::Open => open += 1,
                TokenKind::Close if open == 0 => {
                    self.at = number + 1;
                    return;
                }
                TokenKind::Close => open -= 1,
                _ if self.is_outside(token) => return,
                _ => {}
            }
        }
    }

    /// `case x =>`, `next =>`, `conv at h =>`
    fn arrowed(&mut self, limits: Limits) -> (TacticKind, Vec<Block>) {
        let start = self.at;
        let word = self.word();
        self.at += 1;
        let mut blocks = self.stretch(limits, Holds::ALL, &["=>"]);
        if self.word() != "=>" {
            return (TacticKind::Plain, blocks);
        }
        let kind = match word {
            "case" | "case'" => TacticKind::Focusing {
                tag: self
                    .tokens
                    .get(start + 1)
                    .map(|tag| self.text[tag.span.clone()].to_owned())
                    .filter(|tag| tag != "_"),
            },
            "next" => TacticKind::Focusing { tag: None },
            _ => TacticKind::Wrapping,
        };
        self.at += 1;
        let opener = self.tokens[start].span.start..self.last_end();
        blocks.push(self.tactics(BlockKind::Body, opener, limits));
        (kind, blocks)
    }

    /// `set_option x y in tactic`
    fn scoped(&mut self, limits: Limits) -> (TacticKind, Vec<Block>) {
        let start = self.at;
        self.at += 1;
        let mut blocks = self.stretch(limits, Holds::ALL, &["in"]);
        if self.word() != "in" {
            return (TacticKind::Plain, blocks);
        }
        self.at += 1;
        let opener = self.tokens[start].span.start..self.last_end();
        blocks.push(self.tactics(BlockKind::Body, opener, limits));
        (TacticKind::Wrapping, blocks)
    }

    /// What comes after the first word of a tactic, up to `end`: terms that may have types, with no bars of its own.
    fn subject(&mut self, limits: Limits, end: &str) -> Vec<Block> {
        self.at += 1;
        let holds = Holds {
            bars: false,
            colons: true,
        };
        self.stretch(limits, holds, &[end])
    }

    /// `cases h with | a => … | b => …`
    fn matching(&mut self, limits: Limits) -> (TacticKind, Vec<Block>) {
        let mut blocks = self.subject(limits, "with");
        if self.word() != "with" {
            return (TacticKind::Plain, blocks);
        }
        self.at += 1;
        // A tactic for all cases may come before the first alternative.
        if !self.is_bar() {
            blocks.extend(self.stretch(limits, Holds::default(), &[]));
        }
        let cases = self.alternatives(BlockKind::Alternative, limits);
        let complete = !cases.is_empty() && cases.iter().all(|case| !case.items.is_empty());
        blocks.extend(cases);
        if complete {
            (TacticKind::Focusing { tag: None }, blocks)
        } else {
            (TacticKind::Wrapping, blocks)
        }
    }

    /// Alternatives, each from its bar on. One further left than the first belongs to a tactic around this one.
    fn alternatives(&mut self, kind: BlockKind, limits: Limits) -> Vec<Block> {
        let mut blocks = Vec::new();
        let column = self.peek().map_or(0, |bar| bar.column);
        while let Some(bar) = self.peek().filter(|_| self.is_bar()) {
            // The first one may stand anywhere.
            if bar.first_on_line && bar.column < column {
                break;
            }
            let start = bar.span.start;
            self.at += 1;
            if kind == BlockKind::Alternative {
                blocks.extend(self.stretch(limits, Holds::ALL, &["=>"]));
                if self.word() != "=>" {
                    break;
                }
                self.at += 1;
            }
            let opener = start..self.last_end();
            let block = self.tactics(kind, opener, limits);
            if block.items.is_empty() {
                // A hole in place of tactics.
                self.stretch(limits, Holds::default(), &[]);
            }
            blocks.push(block);
        }
        blocks
    }

    /// `if h : p then … else …`
    fn conditional(&mut self, limits: Limits) -> (TacticKind, Vec<Block>) {
        let mut blocks = self.subject(limits, "then");
        for word in ["then", "else"] {
            if self.word() != word {
                return (TacticKind::Wrapping, blocks);
            }
            blocks.push(self.block(BlockKind::Body, limits));
        }
        (TacticKind::Focusing { tag: None }, blocks)
    }
}

impl Tactic {
    fn empty(at: usize) -> Self {
        Self {
            span: at..at,
            head: at,
            column: 0,
            kind: TacticKind::Plain,
            blocks: Vec::new(),
            parts: Vec::new(),
            shows_its_goal: false,
            catches: false,
            runs: Runs::Once,
            fails: Failure::Own,
            steps: Vec::new(),
        }
    }

    /// A tactic that starts as `first` does.
    fn from_to(first: &Self, end: usize) -> Self {
        Self {
            span: first.span.start..end,
            head: first.head,
            column: first.column,
            ..Self::empty(end)
        }
    }
}

/// What it takes for a tactic with this first word to fail.
fn failure(word: &str, kind: &TacticKind) -> Failure {
    match word {
        "first" | "solve" => Failure::AllBlocks,
        "(" | "{" | "focus" | "all_goals" => Failure::AnyPart,
        _ => match kind {
            TacticKind::Plain => Failure::Own,
            TacticKind::Focusing { .. } => Failure::AnyPart,
            TacticKind::Wrapping => Failure::Unknown,
        },
    }
}
