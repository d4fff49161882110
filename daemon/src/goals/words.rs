//! The words by which the outline tells commands, tactics and what goes on inside them.

use super::tokens::{Token, TokenKind};

/// Words that declare what comes after them, and are nothing else anywhere: they start a command on any line.
const DECLARATIONS: [&str; 11] = [
    "theorem",
    "lemma",
    "def",
    "abbrev",
    "example",
    "instance",
    "structure",
    "inductive",
    "namespace",
    "axiom",
    "opaque",
];
/// Words that declare what comes after them, and start a command when they stand in the first column.
const DECLARATIONS_IN_FIRST_COLUMN: [&str; 13] = [
    "class",
    "section",
    "mutual",
    "macro",
    "syntax",
    "notation",
    "elab",
    "infix",
    "infixl",
    "infixr",
    "prefix",
    "postfix",
    "irreducible_def",
];
/// Words that declare what comes after them in some versions and libraries; elsewhere they are names as others are, so
/// they are not taken for the start of a command.
const OTHER_DECLARATIONS: [&str; 2] = ["constant", "alias"];
/// Starts a command on any line and declares nothing that has a name.
const RULES: &str = "macro_rules";
/// Other words that start a command when they stand in the first column.
const COMMANDS_IN_FIRST_COLUMN: [&str; 28] = [
    "end",
    "open",
    "variable",
    "variables",
    "universe",
    "import",
    "prelude",
    "module",
    "set_option",
    "attribute",
    "declare_syntax_cat",
    "elab_rules",
    "private",
    "protected",
    "noncomputable",
    "partial",
    "unsafe",
    "deriving",
    "initialize",
    "builtin_initialize",
    "export",
    "local",
    "scoped",
    "public",
    "meta",
    "nonrec",
    "add_decl_doc",
    "run_cmd",
];

/// Tactics that run the tactics after them.
pub(super) const WRAPPING: [&str; 16] = [
    "try",
    "repeat",
    "repeat'",
    "repeat1",
    "repeat1'",
    "all_goals",
    "any_goals",
    "focus",
    "classical",
    "fail_if_success",
    "show_term",
    "with_reducible",
    "with_reducible_and_instances",
    "with_unfolding_all",
    "unhygienic",
    "stop",
];
/// Those, and others, that go on when what they run fails.
pub(super) const CATCHING: [&str; 9] = [
    "try",
    "first",
    "solve",
    "repeat",
    "repeat'",
    "repeat1",
    "repeat1'",
    "any_goals",
    "fail_if_success",
];
/// Tactics that run others again and again.
pub(super) const REPEATING: [&str; 5] = ["repeat", "repeat'", "repeat1", "repeat1'", "iterate"];
/// Tactics that run others once for each goal.
pub(super) const DISTRIBUTING: [&str; 2] = ["all_goals", "any_goals"];
/// Tactics that change the goals or fail. Of any other, a success that changes nothing cannot be told from a
/// failure that was caught.
const WORKING: [&str; 81] = [
    "absurd",
    "ac_rfl",
    "aesop",
    "apply",
    "apply_assumption",
    "apply_mod_cast",
    "assumption",
    "assumption_mod_cast",
    "bv_decide",
    "by_cases",
    "by_contra",
    "calc",
    "cases",
    "choose",
    "constructor",
    "contradiction",
    "contrapose",
    "convert",
    "decide",
    "eapply",
    "eq_refl",
    "erw",
    "exact",
    "exact_mod_cast",
    "exists",
    "existsi",
    "ext",
    "fapply",
    "fun_cases",
    "fun_induction",
    "funext",
    "generalize",
    "grind",
    "have",
    "have'",
    "haveI",
    "induction",
    "infer_instance",
    "injection",
    "interval_cases",
    "intro",
    "left",
    "let",
    "let'",
    "letI",
    "linarith",
    "linear_combination",
    "match",
    "native_decide",
    "nlinarith",
    "nofun",
    "nomatch",
    "nth_rewrite",
    "nth_rw",
    "obtain",
    "omega",
    "polyrith",
    "rcases",
    "refine",
    "refine'",
    "replace",
    "rewrite",
    "rfl",
    "right",
    "rintro",
    "rw",
    "rwa",
    "set",
    "simp",
    "simp_rw",
    "simpa",
    "solve_by_elim",
    "specialize",
    "split",
    "subst",
    "suffices",
    "tauto",
    "trivial",
    "unfold",
    "use",
    "wlog",
];
/// Tactics with a `:` that belongs to them and not to brackets around them.
pub(super) const ASCRIBING: [&str; 18] = [
    "have",
    "haveI",
    "let",
    "letI",
    "suffices",
    "obtain",
    "by_cases",
    "by_contra",
    "rcases",
    "cases",
    "induction",
    "generalize",
    "ext",
    "set",
    "intro",
    "rintro",
    "replace",
    "calc",
];
/// Tactics that run what comes after `=>`.
pub(super) const ARROWED: [&str; 7] = [
    "case", "case'", "next", "conv", "conv_lhs", "conv_rhs", "on_goal",
];
/// Tactics with alternatives after `with`.
pub(super) const MATCHING: [&str; 5] =
    ["cases", "induction", "match", "fun_cases", "fun_induction"];
/// Tactics whose arguments may hold `|`.
pub(super) const PATTERNED: [&str; 6] =
    ["rcases", "obtain", "rintro", "intro", "rcases?", "obtain?"];
/// Tactics with rewrite rules in brackets, each with a state of its own.
pub(super) const REWRITING: [&str; 6] = ["rw", "rewrite", "rwa", "erw", "nth_rw", "nth_rewrite"];
/// Tactics that run one tactic after `in`.
pub(super) const SCOPED: [&str; 2] = ["set_option", "open"];
/// Words that no tactic starts with.
pub(super) const CONTINUING: [&str; 17] = [
    "with",
    "at",
    "using",
    "from",
    "then",
    "else",
    "in",
    "generalizing",
    "only",
    "_",
    "fun",
    "λ",
    "by",
    "do",
    "return",
    "deriving",
    "extends",
];
/// Words that end every block when a line starts with them.
pub(super) const CLAUSES: [&str; 3] = ["where", "termination_by", "decreasing_by"];

/// `word`, if it is a keyword that declares what comes after it.
pub(super) fn declaring(word: &str) -> Option<&'static str> {
    DECLARATIONS
        .iter()
        .chain(&DECLARATIONS_IN_FIRST_COLUMN)
        .chain(&OTHER_DECLARATIONS)
        .copied()
        .find(|keyword| *keyword == word)
}

/// True for the first token of a command.
pub(super) fn starts_command(text: &str, token: &Token) -> bool {
    let in_first_column = token.first_on_line && token.column == 0;
    match token.kind {
        TokenKind::Doc => in_first_column,
        TokenKind::Word => {
            let word = &text[token.span.clone()];
            (token.first_on_line && starts_on_any_line(word))
                || (in_first_column && starts_in_first_column(word))
        }
        _ => false,
    }
}

fn starts_on_any_line(word: &str) -> bool {
    word == RULES || DECLARATIONS.contains(&word)
}

fn starts_in_first_column(word: &str) -> bool {
    word.starts_with('#')
        || word.starts_with("@[")
        || DECLARATIONS_IN_FIRST_COLUMN.contains(&word)
        || COMMANDS_IN_FIRST_COLUMN.contains(&word)
}

/// True for a tactic that may leave the goals as they are when it succeeds.
pub(crate) fn may_do_nothing(tactic: &str) -> bool {
    let end =
        tactic.find(|character: char| !(character.is_alphanumeric() || "_'?!".contains(character)));
    let word = &tactic[..end.unwrap_or(tactic.len())];
    !WORKING.contains(&word.trim_end_matches(['?', '!']))
}
