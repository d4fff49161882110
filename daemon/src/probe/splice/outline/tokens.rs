//! What each token means inside a tactic or a term.

use super::{
    NodeKind,
    parser::{Arms, Body, Bracket, Frame, Parser, Pending, Rules, Tactic},
    words::Head,
};
use crate::probe::splice::lexer::{Kind, Token};

/// What a `|` is to the tactic that it may belong to.
enum Bar {
    /// It starts alternatives.
    Starts(Body),
    /// It is a part of a pattern or of a list of names.
    Pattern,
    /// It belongs to something further out.
    Outer,
}

impl Parser<'_> {
    /// Takes in a token that does not start a tactic.
    pub(super) fn inside(&mut self, token: Token) {
        self.start_rule(token);
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
            "fun" => self.frames.push(Frame::Binder),
            "match" => self.push_arms(Body::Terms, false),
            "with" => self.with(),
            "if" => self.frames.push(Frame::If { tactics: false }),
            "then" => self.branch(false),
            "else" => self.branch(true),
            "let" | "have" | "suffices" => {
                if let Some(tactic) = self.own_tactic() {
                    tactic.lets += 1;
                }
            }
            "in" => self.scope(),
            "where" | "termination_by" => self.close_to(self.bracket_base()),
            "decreasing_by" => {
                self.close_to(self.bracket_base());
                let block = self.expect_block(1);
                self.opener(block, token);
            }
            _ => {}
        }
    }

    fn symbol(&mut self, word: &str, token: Token) {
        match word {
            "(" | "[" | "{" | "⟨" | "⦃" | "@[" => self.open_bracket(token, false),
            ")" | "]" | "}" | "⟩" | "⦄" => self.close_bracket(word),
            "λ" | "∀" | "∃" | "Σ" | "∑" | "∏" | "⋃" | "⋂" => {
                self.frames.push(Frame::Binder)
            }
            "," => self.comma(token),
            ";" => self.semicolon(token),
            "<;>" => self.chain(token),
            "=>" | "↦" => self.arrow(token),
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
        self.frames.push(Frame::Proof { node });
        self.opener(block, token);
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
        let rules = match self.own_tactic() {
            Some(Tactic {
                head: Head::Rewrite,
                ..
            }) if close == "]" => Rules::Between,
            _ => Rules::None,
        };
        self.frames.push(Frame::Bracket(Bracket {
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
            self.close_to(at);
        }
    }

    /// How many frames are up to and with the innermost bracket.
    fn bracket_base(&self) -> usize {
        self.frames
            .iter()
            .rposition(|frame| matches!(frame, Frame::Bracket(_)))
            .map_or(0, |at| at + 1)
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

    fn start_rule(&mut self, token: Token) {
        let begins = matches!(
            self.frames.last(),
            Some(Frame::Bracket(Bracket {
                rules: Rules::Between,
                ..
            }))
        );
        if begins && self.source.word(token) != "]" {
            let node = self.node(NodeKind::Rule, token);
            self.set_rules(Rules::In(node));
        }
    }

    /// A rule reaches through to its comma.
    fn end_rule(&mut self, comma: Token) {
        if let Some(Frame::Bracket(Bracket {
            rules: Rules::In(rule),
            ..
        })) = self.frames.last()
        {
            let (rule, trail) = (*rule, self.following());
            let node = &mut self.outline.nodes[rule];
            (node.end, node.trail) = (comma.end, trail);
            self.set_rules(Rules::Between);
        }
    }

    fn set_rules(&mut self, new: Rules) {
        if let Some(Frame::Bracket(Bracket { rules, .. })) = self.frames.last_mut() {
            *rules = new;
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
        let Some(Tactic {
            whole,
            part: Some(part),
            ..
        }) = self.own_tactic()
        else {
            return;
        };
        let (whole, part) = (*whole, *part);
        self.finish(part);
        self.child(NodeKind::Separator { tactic: part }, token, Some(whole));
        if let Some(tactic) = self.own_tactic() {
            tactic.part = None;
        }
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

    // --- alternatives -------------------------------------------------------------------------------

    pub(super) fn push_arms(&mut self, body: Body, open: bool) {
        self.frames.push(Frame::Arms(Arms {
            column: None,
            body,
            open,
            waiting: false,
            arm: None,
        }));
    }

    fn with(&mut self) {
        match self.frames.last_mut() {
            Some(Frame::Arms(arms)) => arms.open = true,
            Some(Frame::Block {
                tactic: Some(tactic),
                ..
            }) => tactic.with = true,
            _ => {}
        }
    }

    /// `then` and `else`.
    fn branch(&mut self, last: bool) {
        let base = self.bracket_base();
        let found = self.frames[base..]
            .iter()
            .rposition(|frame| matches!(frame, Frame::If { .. }));
        let Some(at) = found.map(|at| at + base) else {
            return;
        };
        let tactics = matches!(self.frames[at], Frame::If { tactics: true });
        self.close_to(if last { at } else { at + 1 });
        if tactics {
            let least = self.saved_column().unwrap_or(0);
            self.expect_block(least);
        }
    }

    fn arrow(&mut self, token: Token) {
        let least = self.saved_column().unwrap_or(0);
        match self.frames.last_mut() {
            Some(Frame::Binder) => {
                self.frames.pop();
            }
            Some(Frame::Arms(arms)) => {
                arms.waiting = false;
                if let Some(arm) = arms.arm.take() {
                    self.arm_body(arm, token, least);
                }
            }
            Some(Frame::Block {
                tactic: Some(tactic),
                ..
            }) if !tactic.arrow && matches!(tactic.head, Head::Case | Head::Plain) => {
                tactic.arrow = true;
                let block = self.expect_block(least);
                self.opener(block, token);
            }
            _ => {}
        }
    }

    /// The `=>` of an alternative.
    fn arm_body(&mut self, arm: usize, token: Token, least: usize) {
        let trail = self.following();
        let node = &mut self.outline.nodes[arm];
        (node.end, node.trail) = (token.end, trail);
        if let NodeKind::Opener { block } = node.kind {
            self.outline.blocks[block].opened = token.end;
            self.pending = Some(Pending { block, least });
        }
    }

    fn bar(&mut self, token: Token) {
        let Some((at, starts)) = self.bar_owner(token) else {
            return;
        };
        self.close_to(at + 1);
        if let Some(body) = starts {
            self.push_arms(body, true);
        }
        self.start_arm(token);
    }

    /// The frame that a `|` belongs to, and the alternatives that it starts there if they are new.
    fn bar_owner(&mut self, token: Token) -> Option<(usize, Option<Body>)> {
        if !self.is_spaced(token) {
            return None;
        }
        if matches!(self.frames.last(), Some(Frame::Binder)) {
            // `fun | pattern => …`
            self.frames.pop();
            self.push_arms(Body::Terms, true);
        }
        let column = self.source.column(token.start);
        for at in (0..self.frames.len()).rev() {
            match &self.frames[at] {
                Frame::Bracket(_) => return None,
                Frame::Arms(arms)
                    if arms.open && arms.column.is_none_or(|least| column >= least) =>
                {
                    return Some((at, None));
                }
                Frame::Block {
                    column: least,
                    tactic: Some(tactic),
                    ..
                } if column >= *least => match self.bar_of(tactic) {
                    Bar::Starts(body) => return Some((at, Some(body))),
                    Bar::Pattern => return None,
                    Bar::Outer => {}
                },
                _ => {}
            }
        }
        if self.frames.is_empty() {
            // The equations of a definition.
            self.push_arms(Body::Terms, true);
            return Some((0, None));
        }
        None
    }

    /// A `|` with blanks on both sides; without them it may be an absolute value.
    fn is_spaced(&self, token: Token) -> bool {
        let text = self.source.text;
        let after = text[token.end..].starts_with([' ', '\n', '\r']);
        (after && text[..token.start].ends_with([' ', '\n']))
            || self.source.is_line_start(token.start)
    }

    fn bar_of(&self, tactic: &Tactic) -> Bar {
        let previous = self
            .index
            .checked_sub(1)
            .map(|index| self.source.word(self.source.tokens[index]));
        match tactic.head {
            Head::First => Bar::Starts(Body::Choices),
            Head::Cases if tactic.with => Bar::Starts(Body::Tactics),
            Head::Patterns if tactic.with => Bar::Pattern,
            Head::Obtain if !tactic.assigned => Bar::Pattern,
            Head::Case if !tactic.arrow => Bar::Pattern,
            Head::Let if !tactic.assigned => Bar::Starts(Body::Terms),
            Head::Intro if previous == Some("intro") => Bar::Starts(Body::Tactics),
            _ if previous == Some("with") => Bar::Starts(Body::Tactics),
            _ => Bar::Outer,
        }
    }

    fn start_arm(&mut self, token: Token) {
        let column = self.source.column(token.start);
        let Some(Frame::Arms(arms)) = self.frames.last_mut() else {
            return;
        };
        let least = *arms.column.get_or_insert(column);
        if arms.waiting {
            // `| one | two => …`
            return;
        }
        let body = arms.body;
        arms.waiting = body != Body::Choices;
        match body {
            Body::Terms => {}
            Body::Choices => {
                let block = self.expect_block(least);
                self.opener(block, token);
            }
            Body::Tactics => {
                let block = self.new_block(least);
                let node = self.opener(block, token);
                if let Some(Frame::Arms(arms)) = self.frames.last_mut() {
                    arms.arm = Some(node);
                }
            }
        }
    }
}
