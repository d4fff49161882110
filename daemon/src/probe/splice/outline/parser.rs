//! Reads the tokens of a command into an outline.

use super::{
    Block, NodeKind, Outline, Source,
    frames::{Arms, Body, Bracket, Frame, Pending, Tactic},
    line::Line,
    steps::Rules,
    words::{self, Head},
};
use crate::probe::splice::lexer::{Kind, Token};

/// The outline of the command that `source` holds.
pub(crate) fn outline(source: Source<'_>) -> Outline {
    let mut parser = Parser::new(source);
    for index in 0..source.tokens.len() {
        parser.index = index;
        parser.token();
    }
    parser.index = source.tokens.len();
    parser.give_up_pending();
    parser.close_to(0);
    parser.outline
}

/// How much may be open at once. Lean gives up far earlier; without a limit, odd texts take for ever.
const DEEPEST: usize = 1000;

/// Reads token after token. What is open is a stack; the innermost is last.
pub(super) struct Parser<'a> {
    pub(super) source: Source<'a>,
    /// Index of the present token.
    pub(super) index: usize,
    /// Where the present token stands.
    pub(super) line: Line,
    pub(super) outline: Outline,
    pub(super) frames: Vec<Frame>,
    pub(super) pending: Option<Pending>,
    /// End of the token before the present one.
    pub(super) last_end: usize,
}

impl<'a> Parser<'a> {
    fn new(source: Source<'a>) -> Self {
        Self {
            source,
            index: 0,
            line: Line::default(),
            outline: Outline::default(),
            frames: Vec::new(),
            pending: None,
            last_end: source.tokens.first().map_or(0, |token| token.start),
        }
    }

    /// Takes the present token in.
    fn token(&mut self) {
        let token = self.source.tokens[self.index];
        let previous = self
            .index
            .checked_sub(1)
            .map(|index| self.source.tokens[index].start);
        self.line = self.line.next(self.source.text, previous, token.start);
        if self.starts_declaration(token) {
            // One of several in a `mutual` block.
            self.close_to(0);
        } else if !self.start_pending(token) {
            self.layout(token);
        }
        if self.wants_tactic() && self.may_start(token) {
            self.start_tactic(token);
        } else {
            self.inside(token);
        }
        self.last_end = token.end;
    }

    fn starts_declaration(&self, token: Token) -> bool {
        match token.kind {
            Kind::DocComment => true,
            Kind::Word => words::starts_command(self.source.word(token)),
            _ => false,
        }
    }

    pub(super) fn open(&mut self, frame: Frame) {
        if self.frames.len() < DEEPEST {
            self.frames.push(frame);
        }
    }

    // --- blocks -------------------------------------------------------------------------------------

    /// Opens the pending block at this token, or leaves it empty.
    pub(super) fn start_pending(&mut self, token: Token) -> bool {
        let Some(pending) = &self.pending else {
            return false;
        };
        let column = self.line.column;
        if token.kind == Kind::Number && self.outline.blocks[pending.block].repeats {
            // `iterate 3 tactic`
            return true;
        }
        if column < pending.least || !self.may_start(token) {
            self.give_up_pending();
            return false;
        }
        let block = pending.block;
        self.pending = None;
        self.outline.blocks[block].column = column;
        self.open(Frame::Block {
            block,
            column,
            tactic: None,
        });
        true
    }

    pub(super) fn give_up_pending(&mut self) {
        if self.pending.take().is_some() && matches!(self.frames.last(), Some(Frame::Proof { .. }))
        {
            self.close_to(self.frames.len() - 1);
        }
    }

    /// Expects a block after the present token, not further left than `least`.
    pub(super) fn expect_block(&mut self, least: usize) -> usize {
        let block = self.new_block(least);
        self.pending = Some(Pending { block, least });
        block
    }

    /// A block that the present token opens; empty so far.
    pub(super) fn new_block(&mut self, least: usize) -> usize {
        let opener = self.source.tokens[self.index];
        self.outline.blocks.push(Block {
            column: least.max(self.line.indentation + 2),
            tactics: Vec::new(),
            opened: opener.end,
            repeats: false,
        });
        self.outline.blocks.len() - 1
    }

    /// Ends what the position of a token ends: tactics at its column, blocks further right.
    pub(super) fn layout(&mut self, token: Token) {
        if !self.line.first || self.goes_on(token) {
            return;
        }
        let column = self.line.column;
        while let Some(at) = self.innermost_block() {
            let Frame::Block {
                column: own,
                tactic,
                ..
            } = &self.frames[at]
            else {
                return;
            };
            if matches!(tactic, Some(Tactic { part: None, .. })) {
                return;
            }
            if column < *own {
                self.close_to(at);
            } else if column == *own
                && self.may_start(token)
                && !matches!(tactic, Some(tactic) if tactic.head == Head::Stop)
            {
                self.end_tactic(at);
                return;
            } else {
                return;
            }
        }
    }

    /// True for what carries the innermost tactic or term on wherever it stands.
    pub(super) fn goes_on(&self, token: Token) -> bool {
        let word = self.source.word(token);
        token.kind == Kind::Symbol
            && !matches!(
                word,
                "·" | "." | "(" | "{" | "[" | "⟨" | "@" | "?" | "‹" | "#" | "¬"
            )
    }

    /// Index of the innermost block that no bracket separates from here.
    pub(super) fn innermost_block(&self) -> Option<usize> {
        self.frames
            .iter()
            .enumerate()
            .rev()
            .take_while(|(_, frame)| !matches!(frame, Frame::Bracket(_)))
            .find(|(_, frame)| matches!(frame, Frame::Block { .. }))
            .map(|(index, _)| index)
    }

    /// The column right of which, or at which, nested blocks have to be.
    pub(super) fn saved_column(&self) -> Option<usize> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Block { column, .. } => Some(Some(*column)),
            Frame::Arms(Arms {
                column: Some(column),
                ..
            }) => Some(Some(*column)),
            Frame::Bracket(_) => Some(None),
            _ => None,
        })?
    }

    // --- tactics ------------------------------------------------------------------------------------

    pub(super) fn wants_tactic(&self) -> bool {
        let between = matches!(
            self.frames.last(),
            Some(Frame::Block {
                tactic: None | Some(Tactic { part: None, .. }),
                ..
            })
        );
        self.pending.is_none() && between
    }

    pub(super) fn may_start(&self, token: Token) -> bool {
        let word = self.source.word(token);
        match token.kind {
            Kind::Word => words::may_start_tactic(word),
            Kind::Symbol => {
                matches!(word, "·" | "(" | "{")
                    || (word == "." && self.source.text[token.end..].starts_with([' ', '\n', '\r']))
            }
            _ => false,
        }
    }

    pub(super) fn start_tactic(&mut self, token: Token) {
        let Some(Frame::Block { block, tactic, .. }) = self.frames.last() else {
            return;
        };
        let (block, begun) = (*block, tactic.as_ref().map(|tactic| tactic.whole));
        let whole = begun.unwrap_or_else(|| self.node(NodeKind::Tactic { block }, token));
        if begun.is_none() {
            self.outline.blocks[block].tactics.push(whole);
        }
        let part = self.child(NodeKind::Part { block }, token, Some(whole));
        let head = Head::of(self.source.word(token));
        self.set_tactic(Some(Tactic::new(whole, part, head)));
        self.head(head, token);
    }

    /// What the head of a tactic, or of one side of `<;>`, opens.
    pub(super) fn head(&mut self, head: Head, token: Token) {
        let column = self.saved_column().unwrap_or(0);
        match head {
            Head::Bullet => {
                let block = self.expect_block(self.line.column + 1);
                self.opener(block, token, true);
            }
            Head::Bracket => {
                let focuses = self.source.word(token) == "{";
                self.open_bracket(token, true);
                let block = self.expect_block(0);
                if focuses {
                    self.opener(block, token, true);
                }
            }
            Head::Block => {
                self.expect_block(column);
            }
            Head::Repeat => {
                let block = self.expect_block(column);
                self.outline.blocks[block].repeats = true;
            }
            Head::Focus => {
                let block = self.expect_block(column);
                self.opener(block, token, true);
            }
            Head::Case => {
                let block = self.new_block(column);
                let node = self.node(NodeKind::Focus { block }, token);
                if let Some(tactic) = self.own_tactic() {
                    tactic.focus = Some(node);
                }
            }
            Head::Calc => {
                self.node(NodeKind::Start, token);
            }
            Head::If => self.open(Frame::If { tactics: true }),
            Head::Match => self.push_arms(Body::Tactics, false),
            _ => {}
        }
    }

    pub(super) fn set_tactic(&mut self, new: Option<Tactic>) {
        if let Some(Frame::Block { tactic, .. }) = self.frames.last_mut() {
            *tactic = new;
        }
    }

    /// The tactic whose own level the present token is at.
    pub(super) fn own_tactic(&mut self) -> Option<&mut Tactic> {
        match self.frames.last_mut() {
            Some(Frame::Block { tactic, .. }) => tactic.as_mut(),
            _ => None,
        }
    }

    /// Ends the tactic of the block at `at`, with everything in it.
    pub(super) fn end_tactic(&mut self, at: usize) {
        self.close_to(at + 1);
        if let Some(Frame::Block { tactic, .. }) = self.frames.get_mut(at)
            && let Some(tactic) = tactic.take()
        {
            self.finish_tactic(&tactic);
        }
    }

    fn finish_tactic(&mut self, tactic: &Tactic) {
        self.finish(tactic.whole);
        for node in [tactic.part, tactic.focus, tactic.step]
            .into_iter()
            .flatten()
        {
            self.finish(node);
        }
    }

    /// Closes frames until `length` are left.
    pub(super) fn close_to(&mut self, length: usize) {
        self.give_up_deep_pending(length);
        while self.frames.len() > length {
            match self.frames.pop() {
                Some(Frame::Block {
                    tactic: Some(tactic),
                    ..
                }) => self.finish_tactic(&tactic),
                Some(Frame::Proof { node }) => self.finish(node),
                Some(Frame::Arms(Arms {
                    waiting: true,
                    arm: Some(node),
                    ..
                })) => self.finish(node),
                Some(Frame::Bracket(Bracket {
                    rules:
                        Some(Rules {
                            current: Some(rule),
                            ..
                        }),
                    ..
                })) => self.finish(rule),
                _ => {}
            }
        }
    }

    pub(super) fn give_up_deep_pending(&mut self, length: usize) {
        if self.frames.len() > length {
            self.pending = None;
        }
    }
}
