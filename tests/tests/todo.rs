//! What is left to do: every kind, every kind of range, places where texts run, and edits that are offered.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use lean_beam_proto::{
    ErrorCode,
    op::{
        CodeAction, CodeActionResolve, CodeActionResolveParams, CodeActionResolveResult,
        DocumentEdit, ProofStatus, RunAt, RunAtParams, TodoItem, TodoKind,
    },
    text::{Position, Range, Severity},
};
use lean_beam_tests::{
    must::{Must, MustFail},
    questions::{Page, whole},
    world::{Beam, Project},
};
use serde_json::Value;

/// Something of every kind, and words that only look like it.
const ALL: &str = "\
-- sorry in a comment
def quoted := \"sorry\"
def sorry_not : Nat := 1
theorem gaps (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  · sorry
  · exact hq
theorem short (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  · exact hp

theorem term (p q : Prop) (hp : p) (hq : q) : p ∧ q :=
  And.intro hp _
theorem hinted (p : Prop) (hp : p) : p := by
  show_term exact hp
#check nope
/- 𝔸 -/ example : 1 = 2 := sorry
theorem halted (p : Prop) (hp : p) : p := by
  stop
  exact hp
";

const EVERY: [TodoKind; 5] = TodoKind::ALL;

async fn open(beam: &Beam, text: &str) -> Page {
    let project = beam.project();
    project.write("A.lean", text);
    Page::synced(&project, "A.lean").await
}

async fn items(page: &Page, range: Range, kinds: &[TodoKind]) -> Vec<TodoItem> {
    let found = page.todo(range, kinds).await.must("list what is left");
    assert_eq!(found.range, range);
    assert_eq!((found.total, found.truncated), (found.items.len(), false));
    let order = |item: &TodoItem| (item.range.start, item.range.end, item.kind);
    assert!(found.items.is_sorted_by_key(order), "{:?}", found.items);
    found.items
}

/// Kinds with the text that each item stands at, cut to its first line.
fn shown(page: &Page, items: &[TodoItem]) -> Vec<(TodoKind, String)> {
    let text = page.project.read(&page.name);
    let line_at = |position: Position| {
        let line = text
            .split('\n')
            .nth(position.line as usize)
            .must("find a line");
        let units: Vec<u16> = line.encode_utf16().collect();
        (line, units)
    };
    items
        .iter()
        .map(|item| {
            let (start, end) = (item.range.start, item.range.end);
            let (_, units) = line_at(start);
            let to = if end.line == start.line {
                end.character as usize
            } else {
                units.len()
            };
            let shown = String::from_utf16(&units[start.character as usize..to]);
            (item.kind, shown.must("cut between characters"))
        })
        .collect()
}

fn range(start: (u32, u32), end: (u32, u32)) -> Range {
    let position = |(line, character)| Position::new(line, character);
    Range::new(position(start), position(end))
}

#[tokio::test]
async fn each_kind_alone_is_found_in_the_whole_file_and_nothing_that_only_looks_like_it() {
    let beam = Beam::real();
    let page = open(&beam, ALL).await;
    let of = |kind| {
        let page = page.clone();
        async move {
            let found = items(&page, page.whole(), &[kind]).await;
            let (kinds, texts): (Vec<_>, Vec<_>) = shown(&page, &found).into_iter().unzip();
            assert!(kinds.iter().all(|found| *found == kind));
            (texts, found)
        }
    };
    assert_eq!(of(TodoKind::Sorry).await.0, ["sorry", "sorry", "stop"]);
    assert_eq!(of(TodoKind::Hole).await.0, ["_"]);
    let (texts, found) = of(TodoKind::IncompleteProof).await;
    assert_eq!(texts, ["by"]);
    let state = found[0].proof_state.as_ref().must("get a state");
    assert_eq!(state.status, ProofStatus::Open);
    assert_eq!(state.goals.len(), 1, "{state:?}");
    assert_eq!(state.goals[0].user_name.as_deref(), Some("right"));
    let (texts, found) = of(TodoKind::CodeAction).await;
    assert!(
        texts.contains(&"show_term exact hp".to_owned()),
        "{texts:?}"
    );
    assert!(found.iter().all(|item| item.code_action.is_some()));
    let (texts, found) = of(TodoKind::Diagnostic).await;
    assert!(texts.contains(&"nope".to_owned()), "{texts:?}");
    let synced = page.project.sync(&page.name).await.must("sync");
    assert_eq!(found.len(), synced.diagnostics.counts.total);
    let severe = found
        .iter()
        .filter(|item| item.severity == Some(Severity::Error));
    assert_eq!(severe.count(), synced.diagnostics.counts.error);
}

#[tokio::test]
async fn all_kinds_together_are_the_kinds_alone_in_the_order_of_the_file() {
    let beam = Beam::real();
    let page = open(&beam, ALL).await;
    let together = items(&page, page.whole(), &EVERY).await;
    let mut alone = Vec::new();
    for kind in EVERY {
        alone.extend(items(&page, page.whole(), &[kind]).await);
    }
    let key = |item: &TodoItem| (item.range, item.kind, item.message.clone());
    alone.sort_by_key(key);
    let mut sorted = together.clone();
    sorted.sort_by_key(key);
    assert_eq!(sorted, alone);
    assert!(items(&page, page.whole(), &[]).await.is_empty());
}

#[tokio::test]
async fn ranges_are_half_open_and_points_belong_to_what_contains_them() {
    let beam = Beam::real();
    let page = open(&beam, ALL).await;
    let all = items(&page, page.whole(), &EVERY).await;
    assert!(all.len() >= 10, "{all:?}");
    let step = |position: Position, by: i64| {
        let character = i64::from(position.character) + by;
        Position::new(
            position.line,
            u32::try_from(character).must("stay on the line"),
        )
    };
    let has = async |asked: Range, item: &TodoItem| {
        let found = items(&page, asked, &[item.kind]).await;
        found
            .iter()
            .any(|one| one.range == item.range && one.message == item.message)
    };
    for item in &all {
        let (start, end) = (item.range.start, item.range.end);
        let point = |position| Range::new(position, position);
        assert!(has(point(start), item).await, "{item:?} at its start");
        if start == end {
            continue;
        }
        assert!(
            has(point(step(end, -1)), item).await,
            "{item:?} at its last place"
        );
        assert!(!has(point(end), item).await, "{item:?} behind its end");
        // Ranges that cut it on either side.
        assert!(has(Range::new(Position::new(0, 0), step(start, 1)), item).await);
        assert!(has(Range::new(step(end, -1), page.whole().end), item).await);
        assert!(
            !has(Range::new(end, page.whole().end), item).await,
            "{item:?}"
        );
        if start > Position::new(0, 0) {
            assert!(
                !has(Range::new(Position::new(0, 0), start), item).await,
                "{item:?}"
            );
        }
    }
}

async fn run(page: &Page, item: &TodoItem, text: &str) -> Result<Option<String>, String> {
    let at = item.run_at_position;
    let params = RunAtParams {
        path: page.name.clone(),
        version: page.version,
        line: at.line,
        character: Some(at.character),
        anchor: None,
        text: text.to_owned(),
    };
    match page.project.call::<RunAt>(params).await {
        Ok(result) if result.success => Ok(result.proof_state.map(|state| state.rendered)),
        Ok(result) => Err(format!("{result:?}")),
        Err(error) => Err(format!("{error:?}")),
    }
}

/// A text that changes nothing, in a proof and among commands.
async fn check_that_a_text_runs(page: &Page, item: &TodoItem) {
    let in_proof = run(page, item, "skip").await;
    let ran = match &in_proof {
        Ok(_) => in_proof.clone(),
        Err(_) => run(page, item, "section\nend").await,
    };
    let ran = ran.unwrap_or_else(|why| panic!("{item:?}: {in_proof:?}, {why}"));
    // What is shown of a proof is what a text meets there, but for a hole, whose own goal is shown.
    let state = item.proof_state.as_ref();
    if let (Some(state), Some(met)) = (state.filter(|_| item.kind != TodoKind::Hole), ran) {
        assert_eq!(state.rendered, met, "{item:?}");
    }
}

#[tokio::test]
async fn a_text_can_be_run_at_the_place_of_every_item() {
    let beam = Beam::real();
    let more = "\
macro \"gap\" : tactic => `(tactic| sorry)
theorem nested (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  have h : p := by
    sorry
  exact ⟨h, by sorry⟩
theorem several (p q : Prop) (h : p ∨ q) : q ∨ p := by
  cases h with
  | inl hp => sorry
  | inr hq =>
    left
theorem placeholders (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  refine ⟨?_, _⟩
theorem unused (p q : Prop) (hp : p) (hq : q) : p := hp
theorem empty (p : Prop) (hp : p) : p := by
theorem cut_short (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  · exact hp
theorem wrong (p : Prop) (hp : p) : p := by
  first
    | exact nope
    | exact hq
def value : Nat := if sorry then 1 else _
#eval 1 + nope
";
    for text in [ALL, more] {
        let page = open(&beam, text).await;
        for item in items(&page, page.whole(), &EVERY).await {
            check_that_a_text_runs(&page, &item).await;
        }
    }
}

#[tokio::test]
async fn a_proposed_text_is_one_that_lean_takes_there() {
    let beam = Beam::real();
    let page = open(&beam, ALL).await;
    let found = items(&page, page.whole(), &EVERY).await;
    let proposed: Vec<_> = found
        .iter()
        .filter_map(|item| Some((item, item.run_at_text.as_ref()?)))
        .collect();
    assert!(proposed.len() >= 3, "{proposed:?}");
    for (item, text) in proposed {
        run(&page, item, text).await.must("run what was proposed");
    }
}

#[tokio::test]
async fn ranges_that_make_no_sense_are_refused() {
    let beam = Beam::real();
    let page = open(&beam, ALL).await;
    for (asked, what) in [
        (range((5, 0), (4, 0)), "before its start"),
        (range((0, 0), (99, 0)), "does not exist"),
        (range((0, 999), (1, 0)), "does not exist"),
    ] {
        let error = page.todo(asked, &EVERY).await.must_fail();
        assert_eq!(error.code, ErrorCode::InvalidParams, "{error:?}");
        assert!(error.message.contains(what), "{error:?}");
    }
    let old = Page::of(&page.project, "A.lean", page.version + 7);
    let error = old.todo(page.whole(), &EVERY).await.must_fail();
    assert_eq!(error.code, ErrorCode::ContentModified, "{error:?}");
}

// Edits.

async fn resolve(page: &Page, action: &CodeAction) -> CodeActionResolveResult {
    page.project
        .call::<CodeActionResolve>(resolve_params(page, action))
        .await
        .must("resolve a code action")
}

fn resolve_params(page: &Page, action: &CodeAction) -> CodeActionResolveParams {
    let Ok(Value::Object(code_action)) = serde_json::to_value(action) else {
        panic!("no object: {action:?}");
    };
    CodeActionResolveParams {
        path: page.name.clone(),
        version: page.version,
        code_action,
    }
}

/// Makes changes as an editor does: all ranges are about the text before.
fn apply(project: &Project, edit: &DocumentEdit) {
    let text = project.read(&edit.path);
    let offset = |position: Position| {
        let lines = text.split_inclusive('\n').take(position.line as usize);
        let start: usize = lines.map(str::len).sum();
        let mut column = 0;
        let inside = text[start..].char_indices().find(|(_, character)| {
            let found = column >= position.character as usize;
            column += character.len_utf16();
            found
        });
        inside.map_or(text.len(), |(at, _)| start + at)
    };
    let mut edits = edit.edits.clone();
    edits.sort_by_key(|edit| edit.range.start);
    let mut changed = text.clone();
    for edit in edits.iter().rev() {
        let span = offset(edit.range.start)..offset(edit.range.end);
        changed.replace_range(span, &edit.new_text);
    }
    project.write(&edit.path, changed);
}

#[tokio::test]
async fn an_edit_that_lean_offers_is_resolved_and_checks_clean_when_an_editor_makes_it() {
    let text = "theorem hinted (p q : Prop) (hp : p) (_hq : q) : p ∨ q := by\n  /- 𝔸 -/ show_term exact Or.inl hp\ntheorem searched (p : Prop) (hp : p) : p := by\n  exact?\n";
    let beam = Beam::real();
    let mut page = open(&beam, text).await;
    let offered = items(&page, page.whole(), &[TodoKind::CodeAction])
        .await
        .len();
    assert!(offered >= 2, "one for each tactic that asks for it");
    for left in (0..offered).rev() {
        let found = items(&page, page.whole(), &[TodoKind::CodeAction]).await;
        let action = found[0].code_action.as_ref().must("get an action");
        assert!(action.title.contains("Try this"), "{action:?}");
        let before = page.project.read("A.lean");
        let resolved = resolve(&page, action).await;
        assert_eq!(resolved.version, page.version);
        assert_eq!(page.project.read("A.lean"), before, "nothing is applied");
        let edit = resolved.code_action.edit.must("get the changes");
        assert_eq!(edit.len(), 1);
        assert_eq!(
            (edit[0].path.as_str(), edit[0].version),
            ("A.lean", Some(page.version))
        );
        apply(&page.project, &edit[0]);
        let old = page.clone();
        page = Page::synced(&page.project, "A.lean").await;
        assert_eq!(
            items(&page, page.whole(), &[TodoKind::CodeAction])
                .await
                .len(),
            left
        );
        // It was about a text that is gone.
        let late = page
            .project
            .call::<CodeActionResolve>(resolve_params(&old, action))
            .await;
        assert_eq!(late.must_fail().code, ErrorCode::ContentModified);
    }
    let verdict = page.project.sync("A.lean").await.must("sync");
    assert_eq!(verdict.diagnostics.counts.total, 0, "{verdict:?}");
    assert!(verdict.readiness.save_ready);
}

#[tokio::test]
async fn an_edit_is_resolved_only_for_the_file_and_in_the_form_in_which_it_was_offered() {
    let beam = Beam::real();
    let page = open(&beam, "example : 1 = 1 := by\n  show_term rfl\n").await;
    let found = items(&page, page.whole(), &[TodoKind::CodeAction]).await;
    let action = found[0].code_action.clone().must("get an action");
    page.project.write("B.lean", "def b := 1\n");
    let other = Page::synced(&page.project, "B.lean").await;
    let error = page
        .project
        .call::<CodeActionResolve>(resolve_params(&other, &action))
        .await
        .must_fail();
    assert_eq!(error.code, ErrorCode::InvalidParams, "{error:?}");
    let mut broken = resolve_params(&page, &action);
    broken.code_action.remove("title");
    let error = page
        .project
        .call::<CodeActionResolve>(broken)
        .await
        .must_fail();
    assert_eq!(error.code, ErrorCode::InvalidInput, "{error:?}");
    let mut bare = action;
    (bare.data, bare.edit) = (None, None);
    let params = resolve_params(&page, &bare);
    let error = page
        .project
        .call::<CodeActionResolve>(params)
        .await
        .must_fail();
    assert_eq!(error.code, ErrorCode::InvalidInput, "{error:?}");
}

#[tokio::test]
async fn a_clean_file_has_nothing_left_and_an_empty_one_neither() {
    let beam = Beam::real();
    for text in [
        "theorem done (p : Prop) (hp : p) : p := by\n  exact hp\n",
        "",
    ] {
        let page = open(&beam, text).await;
        assert!(items(&page, whole(text), &EVERY).await.is_empty());
    }
}
