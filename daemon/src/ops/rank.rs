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
}
