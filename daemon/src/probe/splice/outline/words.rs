//! What Lean's words mean for layout.

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
    /// `repeat` and its like: the same, but a block that never fails never ends.
    Repeat,
    /// `focus`: like `all_goals`, but shows the focused goal.
    Focus,
    /// `calc`.
    Calc,
    /// `simpa`.
    Simpa,
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
    /// `conv`: shows from its first character what its block starts with.
    Conv,
    /// `have` and `let`: equations before `:=`.
    Let,
    /// A name, a colon and a type or term, as in `by_cases`.
    Named,
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
            "repeat" | "repeat'" | "repeat1" | "repeat1'" | "iterate" => Self::Repeat,
            "focus" => Self::Focus,
            "calc" => Self::Calc,
            "simpa" | "simpa!" | "simpa?" => Self::Simpa,
            "first" | "solve" => Self::First,
            "cases" | "induction" | "fun_cases" | "fun_induction" => Self::Cases,
            "rcases" | "cases'" | "induction'" | "rcases?" => Self::Patterns,
            "obtain" | "rintro" => Self::Obtain,
            "case" | "case'" | "next" => Self::Case,
            "conv" | "conv_lhs" | "conv_rhs" | "conv'" => Self::Conv,
            "have" | "let" | "haveI" | "letI" | "have'" | "let'" => Self::Let,
            "by_cases" | "suffices" | "generalize" | "set" | "replace" | "wlog" | "lift"
            | "choose" | "by_contra" => Self::Named,
            "intro" => Self::Intro,
            "if" => Self::If,
            "match" => Self::Match,
            "open" | "set_option" => Self::Scope,
            "rw" | "rewrite" | "rwa" | "erw" | "nth_rw" | "nth_rewrite" | "simp_rw"
            | "rw_mod_cast" | "grw" | "grewrite" => Self::Rewrite,
            "rename" => Self::Rename,
            "stop" => Self::Stop,
            "all_goals"
            | "any_goals"
            | "checkpoint"
            | "classical"
            | "fail_if_no_progress"
            | "fail_if_success"
            | "show_term"
            | "try"
            | "unhygienic"
            | "with_reducible"
            | "with_reducible_and_instances"
            | "with_unfolding_all" => Self::Block,
            _ => Self::Plain,
        }
    }

    /// True if a tactic may have a colon at its own level.
    pub(super) fn takes_colon(self) -> bool {
        matches!(
            self,
            Self::Named | Self::Let | Self::Obtain | Self::Patterns | Self::Cases
        )
    }
}

/// True for a word that starts a command wherever it stands: Lean reserves it.
pub(crate) fn starts_command(word: &str) -> bool {
    matches!(
        word,
        "abbrev"
            | "attribute"
            | "axiom"
            | "class"
            | "declare_syntax_cat"
            | "def"
            | "elab"
            | "elab_rules"
            | "end"
            | "example"
            | "export"
            | "import"
            | "inductive"
            | "infix"
            | "infixl"
            | "infixr"
            | "initialize"
            | "instance"
            | "lemma"
            | "local"
            | "macro"
            | "macro_rules"
            | "mutual"
            | "namespace"
            | "noncomputable"
            | "nonrec"
            | "notation"
            | "opaque"
            | "partial"
            | "postfix"
            | "prefix"
            | "private"
            | "protected"
            | "scoped"
            | "section"
            | "structure"
            | "syntax"
            | "theorem"
            | "unif_hint"
            | "universe"
            | "variable"
    )
}

/// True for a word that carries on what stands before it, command or tactic.
fn continues(word: &str) -> bool {
    matches!(
        word,
        "at" | "by"
            | "else"
            | "extends"
            | "from"
            | "fun"
            | "generalizing"
            | "in"
            | "then"
            | "where"
            | "with"
    )
}

/// True for a word that carries a command on even at the start of a line.
pub(crate) fn continues_command(word: &str) -> bool {
    continues(word) || matches!(word, "decreasing_by" | "deriving" | "termination_by")
}

/// True for a word before the one that says what a declaration is, as in `deriving instance`.
pub(crate) fn is_modifier(word: &str) -> bool {
    matches!(
        word,
        "deriving"
            | "local"
            | "meta"
            | "noncomputable"
            | "nonrec"
            | "partial"
            | "private"
            | "protected"
            | "public"
            | "scoped"
            | "unsafe"
    )
}

/// False for a word that no tactic starts with.
pub(super) fn may_start_tactic(word: &str) -> bool {
    !continues(word) && !matches!(word, "_" | "only" | "using")
}

/// True for a word of the lines at the top of a file that say what it imports.
pub(crate) fn is_header(word: &str) -> bool {
    matches!(word, "import" | "prelude" | "module" | "public" | "meta")
}
