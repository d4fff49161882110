//! How well a name fits what was searched for.

/// How well a name fits; smaller is better. Names of the project come before those of other code that fit
/// equally well, shorter ones before longer ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    fit: Fit,
    outside_root: bool,
    length: usize,
}

/// The kinds of fit, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Whole,
    LastPart,
    WholeAnyCase,
    StartOfLastPart,
    Part,
    PartAnyCase,
    Letters,
}

/// The rank of `name` for `query`.
pub(super) fn rank(name: &str, query: &str, outside_root: bool) -> Rank {
    Rank {
        fit: fit(name, query),
        outside_root,
        length: name.chars().count(),
    }
}

/// Sorts `found` by how well each one's name fits the name that `before` ends with: the whole of it, or what is behind
/// its last dot. Where nothing is written yet the order stays as it is.
pub(super) fn by_fit<T>(found: &mut [T], before: &str, name_of: impl Fn(&T) -> &str) {
    let written = written_name(before);
    let last = written.rsplit('.').next().unwrap_or(written);
    if last.is_empty() {
        return;
    }
    found.sort_by_cached_key(|one| {
        let name = name_of(one);
        rank(name, written, false).min(rank(name, last, false))
    });
}

/// The name that a text ends with, dots included.
fn written_name(text: &str) -> &str {
    let in_name = |character: char| {
        character.is_alphanumeric() || "_'!?.«»".contains(character) || is_subscript(character)
    };
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, character)| in_name(*character))
        .last();
    start.map_or("", |(start, _)| &text[start..])
}

fn is_subscript(character: char) -> bool {
    ('\u{2080}'..='\u{209c}').contains(&character) || ('\u{1d62}'..='\u{1d6a}').contains(&character)
}

fn fit(name: &str, query: &str) -> Fit {
    let last = name.rsplit('.').next().unwrap_or(name);
    let (small_name, small_query) = (name.to_lowercase(), query.to_lowercase());
    let small_last = last.to_lowercase();
    match () {
        () if name == query => Fit::Whole,
        () if last == query => Fit::LastPart,
        () if small_name == small_query || small_last == small_query => Fit::WholeAnyCase,
        () if small_last.starts_with(&small_query) => Fit::StartOfLastPart,
        () if name.contains(query) => Fit::Part,
        () if small_name.contains(&small_query) => Fit::PartAnyCase,
        () => Fit::Letters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_fits_come_first() {
        let names = [
            "add",
            "Nat.add",
            "Nat.Add",
            "Nat.add_comm",
            "Nat.zero_add",
            "Nat.zero_Add",
            "Nat.a_d_d",
        ];
        let ranks: Vec<_> = names.iter().map(|name| rank(name, "add", false)).collect();
        assert!(ranks.is_sorted() && ranks.windows(2).all(|pair| pair[0].fit < pair[1].fit));
    }

    #[test]
    fn the_project_comes_first_among_equals_and_short_names_before_long_ones() {
        assert!(rank("Mine.add", "add", false) < rank("A.add", "add", true));
        assert!(rank("A.add", "add", false) < rank("Long.add", "add", false));
        assert!(rank("A.add", "add", true) < rank("add_mine", "add", false));
    }

    #[test]
    fn what_is_written_is_looked_for_as_a_whole_and_behind_its_last_dot() {
        let sorted = |before: &str| {
            let mut names = [
                "instPoint",
                "Nat.sum",
                "Pointless",
                "sum",
                "Point",
                "aPoint",
            ];
            by_fit(&mut names, before, |name| name);
            names
        };
        assert_eq!(sorted("#check (Poin")[..2], ["Point", "Pointless"]);
        assert_eq!(sorted("exact Nat.su")[..2], ["sum", "Nat.sum"]);
        assert_eq!(sorted("(x₁).su")[0], "sum");
        assert_eq!(sorted("exact p.")[0], "instPoint", "the order stays");
        assert_eq!(written_name("h₁'.left"), "h₁'.left");
    }
}
