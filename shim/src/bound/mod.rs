//! Results of bearable size.
//!
//! Clients put a result into a model's context, and cut or refuse what is too long for that. A result
//! over the limit is shortened here, visibly: long lists keep their start, long texts lose their middle,
//! and a member `truncation` says what is missing and how to get it.

mod tree;

use tree::Tree;

/// How far to go, step by step, until a result fits: longest text in characters, shortest list.
const STEPS: [(usize, usize); 6] = [
    (10_000, 20),
    (4_000, 10),
    (1_500, 5),
    (600, 2),
    (200, 1),
    (80, 0),
];

/// Room for the members that say what was cut, in characters.
const NOTE_CHARACTERS: usize = 600;

/// Most cut lists that the note names.
const LISTS_NAMED: usize = 4;

/// `json`, an object, cut down to about `limit` characters where it is longer. `remedy` is a sentence
/// that says how to get the rest, perhaps empty.
pub fn bounded(json: String, limit: usize, remedy: &str) -> String {
    if json.len() <= limit || json.chars().count() <= limit {
        return json;
    }
    let Ok(mut tree) = Tree::parse(&json) else {
        return json;
    };
    drop(json);
    let room = limit.saturating_sub(NOTE_CHARACTERS);
    let mut cuts = Vec::new();
    for (longest_text, shortest_list) in STEPS {
        cut_texts(&mut tree, longest_text);
        cut_lists(&mut tree, room, shortest_list, &mut cuts);
        if tree.size() <= room {
            break;
        }
    }
    if tree.size() > room {
        // Many members with long names; nothing that an operation answers looks like this.
        tree = Tree::Object(Vec::new());
    }
    tree.set_member("truncation", Tree::Text(note(&cuts, limit, remedy)));
    tree.to_json()
}

/// One list that lost its end.
struct Cut {
    at: String,
    shown: usize,
    total: usize,
}

fn note(cuts: &[Cut], limit: usize, remedy: &str) -> String {
    let mut note = format!("This result was cut to about {limit} characters.");
    for cut in cuts.iter().take(LISTS_NAMED) {
        note.push_str(&format!(
            " {} shows {} of {}.",
            cut.at, cut.shown, cut.total
        ));
    }
    if !remedy.is_empty() {
        note.push(' ');
        note.push_str(remedy);
    }
    note
}

/// Takes the middle out of every text that is longer than `longest` characters.
fn cut_texts(tree: &mut Tree, longest: usize) {
    match tree {
        Tree::Scalar(_) => {}
        Tree::Text(text) => {
            if let Some(shorter) = without_middle(text, longest) {
                *text = shorter;
            }
        }
        Tree::List(items) => items.iter_mut().for_each(|item| cut_texts(item, longest)),
        Tree::Object(members) => members
            .iter_mut()
            .for_each(|(_, value)| cut_texts(value, longest)),
    }
}

/// The start and the end of `text` with a mark between them. `None` when it is short enough.
fn without_middle(text: &str, longest: usize) -> Option<String> {
    if text.len() <= longest {
        return None;
    }
    let count = text.chars().count();
    if count <= longest {
        return None;
    }
    let kept = longest.saturating_sub(40).max(2);
    let head = kept - kept / 3;
    let tail = kept / 3;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - tail).collect();
    let left_out = count - head - tail;
    Some(format!(
        "{start} … [{left_out} characters left out] … {end}"
    ))
}

/// Shortens the largest lists until the tree has `room` characters or no list is longer than `shortest`.
fn cut_lists(tree: &mut Tree, room: usize, shortest: usize, cuts: &mut Vec<Cut>) {
    loop {
        let size = tree.size();
        if size <= room {
            return;
        }
        let mut largest = None;
        find_largest(tree, shortest, &mut Vec::new(), &mut largest);
        let Some((_, path)) = largest else { return };
        cut_list(tree, &path, size - room, shortest, cuts);
    }
}

/// The largest list with more than `shortest` items: its size and the way to it.
fn find_largest(
    tree: &Tree,
    shortest: usize,
    path: &mut Vec<usize>,
    largest: &mut Option<(usize, Vec<usize>)>,
) {
    let mut descend = |index: usize, child: &Tree, path: &mut Vec<usize>| {
        path.push(index);
        find_largest(child, shortest, path, largest);
        path.pop();
    };
    match tree {
        Tree::Scalar(_) | Tree::Text(_) => {}
        Tree::Object(members) => {
            for (index, (_, value)) in members.iter().enumerate() {
                descend(index, value, path);
            }
        }
        Tree::List(items) => {
            for (index, item) in items.iter().enumerate() {
                descend(index, item, path);
            }
            let size = tree.size();
            // A list beats the lists inside it: what stands first is worth more than what stands deep.
            if items.len() > shortest && largest.as_ref().is_none_or(|(other, _)| size > *other) {
                *largest = Some((size, path.clone()));
            }
        }
    }
}

/// Takes items off the end of the list at `path` until `excess` characters are gone, and marks its owner.
fn cut_list(tree: &mut Tree, path: &[usize], excess: usize, shortest: usize, cuts: &mut Vec<Cut>) {
    let (owner, name, at) = owner_of(tree, path);
    let Tree::Object(members) = &mut *owner else {
        return;
    };
    let Some((_, Tree::List(items))) = members.iter_mut().find(|(key, _)| *key == name) else {
        return;
    };
    let before = items.len();
    let mut gone = 0;
    while items.len() > shortest && gone <= excess {
        gone += items.pop().map_or(0, |item| item.size() + 1);
    }
    let shown = items.len();
    let total = match cuts.iter_mut().find(|cut| cut.at == at) {
        Some(cut) => {
            cut.shown = shown;
            cut.total
        }
        None => {
            cuts.push(Cut {
                at,
                shown,
                total: before,
            });
            before
        }
    };
    mark(owner, total);
}

/// Says beside a list that it is not complete, in the way that results say it.
fn mark(owner: &mut Tree, total: usize) {
    owner.set_member("truncated", Tree::Scalar("true".to_owned()));
    if owner.member("total").is_none() && owner.member("counts").is_none() {
        owner.set_member("total", Tree::Scalar(total.to_string()));
    }
}

/// The object that holds the list at `path`, the member's name, and the place for people. A list
/// directly inside a list has no such object; no result contains one.
fn owner_of<'a>(tree: &'a mut Tree, path: &[usize]) -> (&'a mut Tree, String, String) {
    let mut at = String::new();
    let mut name = String::new();
    let mut owner = tree;
    for (depth, index) in path.iter().enumerate() {
        let is_last = depth + 1 == path.len();
        if let Tree::Object(members) = &*owner
            && let Some((key, _)) = members.get(*index)
        {
            if !at.is_empty() {
                at.push('.');
            }
            at.push_str(key);
            name.clone_from(key);
        }
        if is_last {
            break;
        }
        owner = match owner {
            Tree::Object(members) => &mut members[*index].1,
            Tree::List(items) => &mut items[*index],
            leaf => leaf,
        };
    }
    (owner, name, at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    const LIMIT: usize = 4_000;

    fn bound(value: &Value) -> Value {
        let text = bounded(value.to_string(), LIMIT, "Ask for less.");
        assert!(
            text.chars().count() <= LIMIT,
            "{} characters",
            text.chars().count()
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn what_fits_is_left_alone() {
        let json = r#"{"b":[1,2],"a":"x"}"#.to_owned();
        assert_eq!(bounded(json.clone(), LIMIT, ""), json);
    }

    #[test]
    fn a_long_list_keeps_its_start_and_says_how_long_it_was() {
        let items: Vec<_> = (0..500)
            .map(|n| json!({"n": n, "text": "some text"}))
            .collect();
        let cut =
            bound(&json!({"path": "A.lean", "locations": items, "total": 700, "truncated": false}));
        let shown = cut["locations"].as_array().unwrap();
        assert!(shown.len() > 50 && shown.len() < 500);
        assert_eq!(shown[0]["n"], 0);
        assert_eq!(cut["truncated"], true);
        assert_eq!(cut["total"], 700, "a total that was there stays");
        let note = cut["truncation"].as_str().unwrap();
        assert!(
            note.contains(&format!("locations shows {} of 500", shown.len())),
            "{note}"
        );
        assert!(note.ends_with("Ask for less."));
    }

    #[test]
    fn a_list_without_total_gets_one_unless_counts_tell() {
        let items: Vec<_> = (0..900).map(|n| format!("item {n}")).collect();
        let cut =
            bound(&json!({"symbols": items, "inner": {"counts": {"total": 900}, "items": items}}));
        assert_eq!(cut["total"], 900);
        assert_eq!(cut["inner"]["truncated"], true);
        assert!(cut["inner"].get("total").is_none());
    }

    #[test]
    fn a_long_text_loses_its_middle() {
        let text = format!("START{}END", "é".repeat(20_000));
        let cut = bound(&json!({"contents": text}));
        let contents = cut["contents"].as_str().unwrap();
        assert!(contents.starts_with("START") && contents.ends_with("END"));
        assert!(contents.contains("characters left out"));
    }

    #[test]
    fn even_a_few_huge_items_fit_in_the_end() {
        let goal = "h : a = b\n".repeat(5_000);
        let cut = bound(&json!({"goals": [goal, goal, goal], "status": "open"}));
        assert_eq!(cut["status"], "open");
        assert!(!cut["goals"].as_array().unwrap().is_empty());
    }

    #[test]
    fn a_hopeless_object_is_given_up_and_says_so() {
        let members: serde_json::Map<_, _> = (0..2_000)
            .map(|n| (format!("member{n}"), json!(n)))
            .collect();
        let cut = bound(&Value::Object(members));
        assert!(cut["truncation"].is_string());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_limit_holds_for_any_result(
            texts in proptest::collection::vec(("[a-c\\n\"é]{0,300}", 1usize..40), 0..60),
            numbers in proptest::collection::vec(any::<u64>(), 0..2000),
        ) {
            let texts: Vec<_> = texts.into_iter().map(|(text, times)| json!({"message": text.repeat(times)})).collect();
            bound(&json!({"messages": texts, "deep": {"numbers": numbers, "list": [{"items": texts}]}}));
        }
    }
}
