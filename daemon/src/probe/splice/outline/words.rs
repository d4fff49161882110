//! What Lean's words mean for layout.

/// Words that start a command wherever they stand: Lean reserves them. Sorted.
const COMMAND_WORDS: [&str; 42] = [
    "abbrev",
    "attribute",
    "axiom",
    "class",
    "declare_syntax_cat",
    "def",
    "deriving",
    "elab",
    "elab_rules",
    "end",
    "example",
    "export",
    "import",
    "inductive",
    "infix",
    "infixl",
    "infixr",
    "initialize",
    "instance",
    "lemma",
    "local",
    "macro",
    "macro_rules",
    "mutual",
    "namespace",
    "noncomputable",
    "nonrec",
    "notation",
    "opaque",
    "partial",
    "postfix",
    "prefix",
    "private",
    "protected",
    "scoped",
    "section",
    "structure",
    "syntax",
    "theorem",
    "unif_hint",
    "universe",
    "variable",
];

/// Words at the start of a line that carry a command on. Sorted.
const CONTINUING_WORDS: [&str; 13] = [
    "at",
    "by",
    "decreasing_by",
    "else",
    "extends",
    "from",
    "fun",
    "generalizing",
    "in",
    "termination_by",
    "then",
    "where",
    "with",
];

/// Words before the word that says what a declaration is. Sorted.
const MODIFIERS: [&str; 8] = [
    "local",
    "noncomputable",
    "nonrec",
    "partial",
    "private",
    "protected",
    "scoped",
    "unsafe",
];

/// Words that no tactic starts with. Sorted.
const NOT_TACTICS: [&str; 14] = [
    "_",
    "at",
    "by",
    "else",
    "extends",
    "from",
    "fun",
    "generalizing",
    "in",
    "only",
    "then",
    "using",
    "where",
    "with",
];

/// Tactics that are followed by a block at once. Sorted.
const BLOCK_TACTICS: [&str; 18] = [
    "all_goals",
    "any_goals",
    "checkpoint",
    "classical",
    "fail_if_no_progress",
    "fail_if_success",
    "focus",
    "iterate",
    "repeat",
    "repeat'",
    "repeat1",
    "repeat1'",
    "show_term",
    "try",
    "unhygienic",
    "with_reducible",
    "with_reducible_and_instances",
    "with_unfolding_all",
];

/// What the first word of a tactic says about the rest of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    /// Nothing in particular: terms, and a block after `=>` if there is one.
    Plain,
    /// `·` and its like.
    Bullet,
    /// `(` or `{`.
    Bracket,
    /// Followed by a block.
    Block,
    /// `first` and its like: blocks, each after a `|`.
    First,
    /// `cases` and `induction`: alternatives after `with`.
    Cases,
    /// `rcases` and its like: `|` after `with` is a part of a pattern.
    Patterns,
    /// `obtain`: `|` before `:=` is a part of a pattern.
    Obtain,
    /// `case`: `|` before `=>` separates names.
    Case,
    /// `have` and `let`: equations before `:=`.
    Let,
    /// `intro`, which may be followed by alternatives.
    Intro,
    /// `if`, with blocks after `then` and `else`.
    If,
    /// `match`, with blocks in its alternatives.
    Match,
    /// `open … in` and `set_option … in`.
    Scope,
    /// `rw` and its like: a state after each rule.
    Rewrite,
    /// `rename`: no block after its `=>`.
    Rename,
    /// `stop`: what follows in the block is read and dropped.
    Stop,
}

impl Head {
    pub(super) fn of(word: &str) -> Self {
        match word {
            "·" | "." => Self::Bullet,
            "(" | "{" => Self::Bracket,
            "first" | "solve" => Self::First,
            "cases" | "induction" | "fun_cases" | "fun_induction" => Self::Cases,
            "rcases" | "cases'" | "induction'" | "rcases?" => Self::Patterns,
            "obtain" | "rintro" => Self::Obtain,
            "case" | "case'" => Self::Case,
            "have" | "let" | "haveI" | "letI" | "have'" | "let'" => Self::Let,
            "intro" => Self::Intro,
            "if" => Self::If,
            "match" => Self::Match,
            "open" | "set_option" => Self::Scope,
            "rw" | "rewrite" | "rwa" | "erw" | "nth_rw" | "nth_rewrite" | "simp_rw"
            | "rw_mod_cast" | "grw" | "grewrite" => Self::Rewrite,
            "rename" => Self::Rename,
            "stop" => Self::Stop,
            _ if BLOCK_TACTICS.binary_search(&word).is_ok() => Self::Block,
            _ => Self::Plain,
        }
    }
}

pub(crate) fn starts_command(word: &str) -> bool {
    COMMAND_WORDS.binary_search(&word).is_ok()
}

pub(crate) fn continues_command(word: &str) -> bool {
    CONTINUING_WORDS.binary_search(&word).is_ok()
}

pub(crate) fn is_modifier(word: &str) -> bool {
    MODIFIERS.binary_search(&word).is_ok()
}

pub(super) fn may_start_tactic(word: &str) -> bool {
    NOT_TACTICS.binary_search(&word).is_err()
}
