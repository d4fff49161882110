//! What each token means inside a tactic or a term.

use super::{
    NodeKind,
    frames::{Body, Bracket, Frame, Tactic},
    parser::Parser,
    words::Head,
};
use crate::probe::splice::lexer::{Kind, Token};

impl Parser<'_> {
    /// Takes in a token that does not start a tactic.
    pub(super) fn inside(&mut self, token: Token) {
        self.step(token);
        let word = self.source.word(token);
        match token.kind {
            Kind::Word => self.inner_word(word, token),
            Kind::Symbol => self.symbol(word, token),
            _ => {}
        }
    }

    fn inner_word(&mut self, word: &str, token: Token) {
        match word {
            "by" | "by?" => self.proof(token),
            "fun" => self.open(Frame::Binder),
            "match" => self.push_arms(Body::Terms, false),
            "with" => self.with(),
            "if" => self.open(Frame::If { tactics: false }),
            "then" => self.branch(false),
            "else" => self.branch(true),
            "let" | "have" | "suffices" => {
                if let Some(tactic) = self.own_tactic() {
                    tactic.lets += 1;
                }
            }
            "in" => self.scope(),
            "using" => {
                if matches!(
                    self.own_tactic(),
                    Some(Tactic {
                        head: Head::Simpa,
                        ..
                    })
                ) {
                    self.start_node(token);
                }
            }
            "where" | "termination_by" => self.close_to(self.bracket_base()),
            "decreasing_by" => {
                self.close_to(self.bracket_base());
                let block = self.expect_block(1);
                self.opener(block, token, false);
            }
            _ => {}
        }
    }

    fn symbol(&mut self, word: &str, token: Token) {
        match word {
            "(" | "[" | "{" | "⟨" | "⦃" | "@[" => self.open_bracket(token, false),
            ")" | "]" | "}" | "⟩" | "⦄" => self.close_bracket(word),
            "λ" | "∀" | "∃" | "Σ" | "∑" | "∏" | "∫" | "⋃" | "⋂" | "⨆" | "⨅" | "⨁" =>
            {
                self.open(Frame::Binder);
            }
            "," => self.comma(token),
            ";" => self.semicolon(token),
            "<;>" => self.chain(token),
            "=>" | "↦" => self.arrow(token),
            ":" => self.colon(),
            ":=" => {
                if let Some(tactic) = self.own_tactic() {
                    tactic.assigned = true;
                }
            }
            "|" => self.bar(token),
            _ => {}
        }
    }

    // --- proofs in terms ----------------------------------------------------------------------------

    fn proof(&mut self, token: Token) {
        let least = self
            .saved_column()
            .map_or(self.outermost_least(), |column| column + 1);
        let block = self.expect_block(least);
        let node = self.node(NodeKind::Proof { block }, token);
        self.open(Frame::Proof { node });
        self.opener(block, token, false);
    }

    /// Inside a bracket a block may stand anywhere, in a command not at column 0.
    fn outermost_least(&self) -> usize {
        let bracketed = self
            .frames
            .iter()
            .any(|frame| matches!(frame, Frame::Bracket(_)));
        usize::from(!bracketed)
    }

    // --- brackets -----------------------------------------------------------------------------------

    pub(super) fn open_bracket(&mut self, token: Token, tactics: bool) {
        let close = match self.source.word(token) {
            "(" => ")",
            "{" => "}",
            "⟨" => "⟩",
            "⦃" => "⦄",
            _ => "]",
        };
        let rules = self.rules(token, close);
        self.open(Frame::Bracket(Bracket {
            close,
            tactics,
            rules,
        }));
    }

    fn close_bracket(&mut self, word: &str) {
        let opened = self
            .frames
            .iter()
            .rposition(|frame| matches!(frame, Frame::Bracket(bracket) if bracket.close == word));
        if let Some(at) = opened {
            self.close_to(at + 1);
            self.close_rules();
            self.close_to(at);
        }
    }

    /// How many frames are up to and with the innermost bracket.
    pub(super) fn bracket_base(&self) -> usize {
        self.frames
            .iter()
            .rposition(|frame| matches!(frame, Frame::Bracket(_)))
            .map_or(0, |at| at + 1)
    }

    /// In `(by tactic : type)` the colon ends the proof, unless the tactic has one itself.
    fn colon(&mut self) {
        let base = self.bracket_base();
        let terms = base > 0
            && matches!(
                &self.frames[base - 1],
                Frame::Bracket(Bracket { tactics: false, .. })
            );
        let Some(tactic) = self.own_tactic() else {
            return;
        };
        let own = tactic.head.takes_colon() && !tactic.colon && !tactic.assigned;
        if own || tactic.lets > 0 {
            tactic.colon = true;
        } else if terms {
            self.close_to(base);
        }
    }

    /// A comma ends what a bracket's element opened, unless it belongs to a binder or to patterns.
    fn comma(&mut self, token: Token) {
        let base = self.bracket_base();
        match self.frames.last() {
            Some(Frame::Binder) => {
                self.frames.pop();
                return;
            }
            Some(Frame::Arms(arms)) if !arms.open || arms.waiting => return,
            _ => {}
        }
        if let Some(Frame::Bracket(Bracket { tactics: false, .. })) =
            base.checked_sub(1).map(|at| &self.frames[at])
        {
            self.close_to(base);
            self.end_rule(token);
        }
    }

    // --- sequences ----------------------------------------------------------------------------------

    fn semicolon(&mut self, token: Token) {
        if let Some(tactic) = self.own_tactic()
            && tactic.lets > 0
        {
            tactic.lets -= 1;
            return;
        }
        let Some(at) = self.innermost_block() else {
            return;
        };
        if let Frame::Block {
            tactic: Some(tactic),
            ..
        } = &self.frames[at]
            && tactic.head != Head::Stop
        {
            let tactic = tactic.whole;
            self.end_tactic(at);
            self.node(NodeKind::Separator { tactic }, token);
        }
    }

    /// `<;>` belongs to the innermost tactic, wherever it stands.
    fn chain(&mut self, token: Token) {
        let Some(at) = self.innermost_block() else {
            return;
        };
        self.close_to(at + 1);
        let Some(tactic) = self.own_tactic() else {
            return;
        };
        let (whole, part) = (tactic.whole, tactic.part.take());
        let nodes = [part, tactic.focus.take(), tactic.step.take()];
        nodes
            .into_iter()
            .flatten()
            .for_each(|node| self.finish(node));
        let tactic = part.unwrap_or(whole);
        self.child(NodeKind::Separator { tactic }, token, Some(whole));
    }

    fn scope(&mut self) {
        if matches!(
            self.own_tactic(),
            Some(Tactic {
                head: Head::Scope,
                ..
            })
        ) {
            let least = self.saved_column().unwrap_or(0);
            self.expect_block(least);
        }
    }
}
