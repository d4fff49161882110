//! Running texts harms nothing and stops when it should: hostile texts, the user's document, many candidates,
//! deadlines, crowds.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt as _, future::join_all, stream};
use lean_beam_proto::{
    ErrorCode,
    client::Request,
    op::{OpenFile, RunResult, Stats, TryItem, TryStatus},
    text::Severity,
};
use lean_beam_tests::{
    must::{Must, MustFail},
    probing::{Prober, before, lane_workers, processor_time, rendered, until_quiet},
    wait::{HANG, eventually, within},
    world::{Beam, Project},
};
use nix::sys::signal::Signal;

/// How soon work must stop that nobody wants any more.
const STOPPED: Duration = Duration::from_secs(3);

/// Blocks of all forms, each with its place.
const PLACES: &str = "\
theorem lines (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.right
  · have lines := h; exact h.left

theorem parens (p q : Prop) (h : p ∧ q) : q ∧ p := by
  (have parens := h
   exact ⟨parens.right, parens.left⟩)

theorem oneLine (p q : Prop) (h : p ∧ q) : q ∧ p := by have oneLine := h; exact ⟨h.right, h.left⟩

theorem term (p q : Prop) (h : p ∧ q) : q ∧ p := ⟨by have term := h; exact h.right, (by exact h.left)⟩

theorem bracketed (p q : Prop) (h : p ∧ q) : (q ∧ p) ∧ True := by
  exact ⟨⟨h.right, (by
    have bracketed := h
    exact h.left)⟩, trivial⟩

theorem last (p q : Prop) (h : p ∧ q) : q ∧ p := by
  have last := h
";

const IN_PLACES: [&str; 6] = [
    "have lines",
    "have parens",
    "have oneLine",
    "have term",
    "have bracketed",
    "have last",
];

/// Texts that try to leave the block that they are put into, or to swallow what comes behind.
const HOSTILE: [&str; 34] = [
    "skip)",
    "skip))",
    "skip)\n(skip",
    "skip);(skip",
    ")",
    "(",
    "skip⟩",
    "skip, by skip",
    "exact h.left)⟩\n(skip",
    "skip }",
    "skip ]",
    "exact (h.left",
    "exact ⟨h.left,",
    "{ skip",
    "trivial\ntheorem evil : True := trivial",
    "skip\n\ntheorem evil : True := by\n  (skip",
    "skip\n\nexample : True := by\n  skip",
    "#check Nat",
    "skip\n#eval 1",
    "#exit",
    "skip\n#exit",
    "end",
    "skip\nend",
    "namespace Evil",
    "skip /- open",
    "/-",
    "skip /- /- -/",
    "trace \"open",
    "exact \"",
    "have s := r#\"open\"",
    "have «open := h",
    "skip <;>",
    "case left =>",
    "have x : True := by",
];

async fn world(text: &str) -> (Beam, Project, Prober) {
    let beam = Beam::real();
    let project = beam.project();
    let prober = Prober::open(&project, "A.lean", text).await;
    (beam, project, prober)
}

fn has_error(result: &RunResult) -> bool {
    let is_error = |message: &lean_beam_proto::op::RunMessage| message.severity == Severity::Error;
    result.messages.iter().any(is_error)
}

#[tokio::test]
async fn a_hostile_text_never_leaves_its_block_and_the_next_answer_is_right() {
    let (_beam, _project, prober) = world(PLACES).await;
    let mut wrong = Vec::new();
    for what in IN_PLACES {
        let place = before(PLACES, what);
        let state = prober.goals(place).await;
        for text in HOSTILE {
            let result = prober.run_at(place, text).await.must("run a hostile text");
            if result.success || !has_error(&result) || rendered(&result) != state {
                wrong.push(format!("{what}, {text:?}: {result:?}"));
            }
            let next = prober.run_at(place, "have zz : True := trivial").await;
            let next = next.must("run a text after a hostile one");
            if !next.success || !rendered(&next).contains("zz : True") {
                wrong.push(format!("{what}, after {text:?}: {next:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn texts_that_only_look_dangerous_work() {
    let (_beam, _project, prober) = world(PLACES).await;
    let harmless = [
        "skip -- a ) bracket",
        "skip /- ( -/",
        "have s : \")\" = \")\" := rfl",
        "have c : ')' = ')' := rfl",
        "have s : r#\"(\"# = r#\"(\"# := rfl",
        "skip\r\nskip",
        "\nskip\n",
        "  skip",
        "  skip\n  skip",
        "skip\n\n\n  -- far right\nskip",
        "-- first\nskip",
        "have «a ) b» := h",
    ];
    for what in IN_PLACES {
        let place = before(PLACES, what);
        for text in harmless {
            let result = prober.run_at(place, text).await.must("run a text");
            assert!(result.success, "{what}, {text:?}: {result:?}");
        }
    }
}

#[tokio::test]
async fn a_text_of_nothing_leaves_the_state_as_it_is() {
    let (_beam, _project, prober) = world(PLACES).await;
    for what in IN_PLACES {
        let place = before(PLACES, what);
        let state = prober.goals(place).await;
        for text in [
            "",
            "   ",
            "\n\n",
            "-- only a comment",
            "/- only\n a comment -/",
            "\r\n",
        ] {
            let result = prober.run_at(place, text).await.must("run nothing");
            assert_eq!(rendered(&result), state, "{what}, {text:?}");
            assert!(result.success, "{what}, {text:?}: {result:?}");
        }
    }
}

#[tokio::test]
async fn tabs_and_lone_carriage_returns_are_refused_as_lean_refuses_them() {
    let (_beam, _project, prober) = world(PLACES).await;
    let place = before(PLACES, "have lines");
    for text in ["\tskip", "skip\t", "have x :=\th", "skip\rskip"] {
        let result = prober.run_at(place, text).await.must("run a text");
        assert!(
            !result.success && has_error(&result),
            "{text:?}: {result:?}"
        );
    }
    assert!(prober.goals(place).await.contains("⊢ p"));
}

#[tokio::test]
async fn a_text_of_half_a_million_characters_is_run_and_a_longer_one_refused() {
    let (_beam, _project, prober) = world(PLACES).await;
    let place = before(PLACES, "have lines");
    let state = prober.goals(place).await;
    let long = "x".repeat(500_000);
    for text in [
        format!("skip -- {long}"),
        format!("/- {long} -/\nskip"),
        format!("have s := \"{long}\"\nclear s"),
        "skip\n\n".to_owned() + &" \n".repeat(250_000) + "skip",
    ] {
        let result = prober.run_at(place, &text).await.must("run a long text");
        assert!(result.success, "{:?}", result.messages);
        assert_eq!(rendered(&result), state);
    }
    let result = prober.run_at(place, &format!("exact {long}")).await;
    assert!(!result.must("run a long name").success);
    let result = prober.run_at(place, &format!("skip -- {long}\n)")).await;
    assert!(!result.must("run a long hostile text").success);
    let too_long = "-".repeat(2 * 1024 * 1024);
    let error = prober.run_at(place, &too_long).await.must_fail();
    assert_eq!(error.code, ErrorCode::InvalidInput, "{error:?}");
    assert_eq!(prober.goals(place).await, state);
}

#[tokio::test]
async fn a_text_that_lean_gives_up_without_a_word_is_no_success() {
    // An error further up makes Lean keep quiet about what it takes for its consequences.
    let text = "\
theorem quiet (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  have both : p ∧ q := by
    exact nope
  exact both
";
    let (_beam, _project, prober) = world(text).await;
    let place = before(text, "exact both");
    let state = prober.goals(place).await;
    for text in [
        "exact _",
        "exact ⟨_, _⟩",
        "have zz : p := _",
        "exact ⟨hp, _⟩\nskip",
    ] {
        let result = prober.run_at(place, text).await.must("run a text");
        assert!(
            !result.success && has_error(&result),
            "{text:?}: {result:?}"
        );
        assert_eq!(rendered(&result), state);
    }
    let result = prober.run_at(place, "exact ⟨hp, hq⟩").await;
    assert_eq!(rendered(&result.must("run a text")), "no goals");
}

#[tokio::test]
async fn a_place_that_runs_again_and_again_holds_nobody_up() {
    let text = "\
theorem oneLine (p : Prop) (h : p) : p ∧ p := by
  repeat constructor
  all_goals exact h
theorem lines (p : Prop) (h : p) : p ∧ p := by
  repeat
    skip
    (constructor)
  all_goals exact h
";
    let (beam, _project, prober) = world(text).await;
    for what in ["constructor\n", "skip", "(constructor)"] {
        let place = before(text, what);
        // Lean itself would never come to an end with such a text in the file.
        let result = prober.run_at(place, "skip").await;
        let error = result.must_fail();
        assert_eq!(error.code, ErrorCode::InvalidParams, "{what}: {error:?}");
        until_quiet(&beam, STOPPED).await;
    }
    let place = before(text, "theorem lines");
    let result = prober.run_at(place, "#eval 1 + 1").await;
    assert!(result.must("run a command").success);
}

/// A file with something of everything, whose last proof takes for ever.
fn unfinished_file() -> String {
    let mut text = String::new();
    for number in 0..20 {
        text.push_str(&format!(
            "theorem good{number} : {number} = {number} := by\n  skip\n  rfl\n"
        ));
    }
    text + "example : 1 = 2 := rfl\n\
            theorem open_ended (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  \
            constructor\n  \
            · sorry\n  \
            · exact hq\n\
            #check good0\n\
            theorem slow : 1 = 1 := by\n  \
            repeat sleep 100\n"
}

async fn open_file(project: &Project) -> OpenFile {
    let files = project.open_files().await.must("list the open files").files;
    assert_eq!(files.len(), 1, "{files:?}");
    files.into_iter().next().must("have an open file")
}

/// Answers of the user's own server that were overtaken or given up, edits that it got, documents that it opened.
async fn main_server_counters(beam: &Beam) -> [u64; 4] {
    let stats = beam.call(Request::<Stats>::new(Default::default())).await;
    let workspace = stats.must("get the stats").workspaces.remove(0);
    [
        workspace.overtaken,
        workspace.cancelled,
        workspace.edits,
        workspace.documents_opened,
    ]
}

#[tokio::test]
async fn a_thousand_texts_leave_the_users_document_alone() {
    let text = unfinished_file();
    let (beam, project, prober) = world(&text).await;
    let file = eventually(HANG, "all but the slow proof", async || {
        let file = open_file(&project).await;
        (file.counts.total >= 3).then_some(file)
    })
    .await;
    let slow = before(&text, "repeat sleep");
    let hover = project
        .request::<lean_beam_proto::op::Hover>(Project::position(
            "A.lean",
            prober.version,
            (slow.0, slow.1 + 10),
        ))
        .named("waiting");
    let waiting = beam.connector().call(&hover).await.must("ask");
    let place = before(&text, "constructor");
    let state = prober.goals(place).await;
    let counters = main_server_counters(&beam).await;
    let texts = [
        "skip",
        "have zz : True := trivial",
        "exact nope",
        "skip)",
        "constructor",
    ];
    stream::iter(0..1_000)
        .map(|number| prober.run_at(place, texts[number % texts.len()]))
        .buffer_unordered(4)
        .for_each(async |result| drop(result.must("run a text")))
        .await;
    assert_eq!(open_file(&project).await, file);
    assert_eq!(main_server_counters(&beam).await, counters);
    assert_eq!(project.read("A.lean"), text);
    let requests = beam.status().await.requests;
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert_eq!(requests[0].request_id, "waiting");
    assert_eq!(prober.goals(place).await, state);
    drop(waiting);
    let finished = text.replace("repeat sleep 100", "rfl");
    project.write("A.lean", &finished);
    let verdict = project.sync("A.lean").await.must("sync");
    assert_eq!(verdict.version, prober.version + 1);
    assert_eq!(verdict.diagnostics.counts.total, file.counts.total);
}

#[tokio::test]
async fn of_many_candidates_one_that_loops_and_one_whose_worker_dies_spoil_no_other() {
    let text = "theorem many (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  skip\n";
    let (beam, _project, prober) = world(text).await;
    let place = before(text, "skip");
    drop(prober.goals(place).await);
    let mut candidates = vec!["repeat skip".to_owned(), "sleep 60000".to_owned()];
    for number in 0..30 {
        candidates.push(match number % 3 {
            0 => format!("exact nope{number}"),
            1 => format!("have h{number} : {number} = {number} := rfl"),
            _ => format!("exact ⟨h.right, h.left⟩ -- {number}"),
        });
    }
    let killing = kill_the_idle_lane(&beam);
    let limit = Duration::from_secs(8);
    let trying = prober.try_all(place, candidates, limit, false);
    let (result, ()) = tokio::join!(within(HANG, "32 candidates", trying), killing);
    let result = result.must("try candidates");
    assert_eq!(result.items.len(), 32);
    for (index, item) in result.items.iter().enumerate() {
        assert_eq!(item.index, index);
        assert_candidate(item);
    }
    assert_eq!(result.first_success, Some(4));
    until_quiet(&beam, STOPPED).await;
}

/// Of two lanes of which one computes, kills the other.
async fn kill_the_idle_lane(beam: &Beam) {
    let idle = eventually(
        HANG,
        "one lane that computes and one that does not",
        async || {
            let workers = lane_workers(beam).await;
            let busy: Vec<_> = workers
                .iter()
                .map(|one| processor_time(one) > 100)
                .collect();
            match busy[..] {
                [true, false] => Some(workers[1].clone()),
                [false, true] => Some(workers[0].clone()),
                _ => None,
            }
        },
    )
    .await;
    idle.signal(Signal::SIGKILL);
}

fn assert_candidate(item: &TryItem) {
    let wanted = match item.index {
        0 => TryStatus::Timeout,
        1 => TryStatus::Crashed,
        index => match (index - 2) % 3 {
            0 => TryStatus::Failed,
            1 => TryStatus::Ok,
            _ => TryStatus::Closed,
        },
    };
    assert_eq!(item.status, wanted, "{item:?}");
    let goals = item
        .proof_state
        .as_ref()
        .map(|state| state.rendered.as_str());
    match item.status {
        TryStatus::Timeout | TryStatus::Crashed => assert_eq!(goals, None),
        TryStatus::Failed => {
            assert_eq!(item.messages.len(), 1, "{item:?}");
            let name = format!("nope{}", item.index - 2);
            assert!(item.messages[0].text.contains(&name), "{item:?}");
        }
        TryStatus::Ok => {
            let hypothesis = format!("h{} :", item.index - 2);
            assert!(goals.must("have goals").contains(&hypothesis), "{item:?}");
        }
        _ => assert_eq!(goals, Some("no goals")),
    }
}

#[tokio::test]
async fn trying_can_stop_at_the_first_candidate_that_closes_the_goals() {
    let text = "theorem stop (p : Prop) (h : p) : p := by\n  skip\n";
    let (beam, _project, prober) = world(text).await;
    let place = before(text, "skip");
    let candidates = ["exact nope", "exact h", "repeat skip", "repeat skip"];
    let candidates = candidates.map(str::to_owned).to_vec();
    let limit = Duration::from_secs(30);
    let trying = prober.try_all(place, candidates, limit, true);
    let result = within(limit, "the first that closes", trying)
        .await
        .must("try");
    assert_eq!(result.first_success, Some(1));
    assert!(
        result
            .items
            .iter()
            .any(|item| item.status == TryStatus::Closed)
    );
    until_quiet(&beam, STOPPED).await;
    assert!(prober.goals(place).await.contains("⊢ p"));
}

#[tokio::test]
async fn what_rests_on_sorry_is_the_last_to_be_a_success() {
    let text = "theorem stop (p : Prop) (h : p) : p := by\n  skip\n";
    let (_beam, _project, prober) = world(text).await;
    let place = before(text, "skip");
    for (candidates, wanted) in [
        (["sorry", "exact h"], Some(1)),
        (["sorry", "have k := h"], Some(1)),
        (["sorry", "exact nope"], Some(0)),
        (["exact nope", "exact nada"], None),
    ] {
        let candidates = candidates.map(str::to_owned).to_vec();
        for stop_on_first in [false, true] {
            let trying = prober.try_all(place, candidates.clone(), HANG, stop_on_first);
            let result = trying.await.must("try");
            assert_eq!(result.first_success, wanted, "{result:?}");
        }
    }
}

/// A file that says in a hypothesis which edit made it.
fn numbered(edit: usize) -> String {
    let above = format!("theorem above{edit} : True := by\n  trivial\n");
    let proof = format!(
        "theorem numbered (h : {edit} = {edit}) (p : Prop) : p ∨ True := by\n  skip\n  exact Or.inr trivial\n"
    );
    let below = "#check nope\n".repeat(edit % 3);
    above + &proof + &below
}

/// What clients may ask about at the moment, and which edit made each version.
#[derive(Debug, Default)]
struct Versions {
    latest: Option<Prober>,
    edits: BTreeMap<u64, usize>,
}

/// Edits a file again and again until `done`.
async fn keep_editing(project: &Project, name: &str, versions: &Mutex<Versions>, edits: usize) {
    for edit in 1..=edits {
        let prober = Prober::open(project, name, &numbered(edit)).await;
        let answered = {
            let mut versions = versions.lock().must("lock");
            versions.edits.insert(prober.version, edit);
            versions.latest = Some(prober.clone());
            prober
        };
        // A few answers for each version, so that not all of them are overtaken.
        let place = before(&numbered(edit), "skip");
        assert!(
            answered
                .goals(place)
                .await
                .contains(&format!("h : {edit} = {edit}"))
        );
    }
}

/// Runs texts in the latest version that is known until `done`; gives how many were answered.
async fn keep_asking(number: usize, versions: &Mutex<Versions>, done: &AtomicBool) -> usize {
    let mut answered = 0;
    for round in 0.. {
        if done.load(Ordering::Relaxed) {
            break;
        }
        let latest = versions.lock().must("lock").latest.clone();
        let Some(prober) = latest else {
            tokio::task::yield_now().await;
            continue;
        };
        let edit = versions.lock().must("lock").edits[&prober.version];
        let place = before(&numbered(edit), "skip");
        let text = format!("have c{number} : {round} = {round} := rfl");
        match prober.run_at(place, &text).await {
            Ok(result) => {
                assert!(result.success, "{result:?}");
                let goals = rendered(&result);
                assert!(goals.contains(&format!("h : {edit} = {edit}")), "{goals}");
                assert!(
                    goals.contains(&format!("c{number} : {round} = {round}")),
                    "{goals}"
                );
                answered += 1;
            }
            Err(error) => assert_eq!(error.code, ErrorCode::ContentModified, "{error:?}"),
        }
    }
    answered
}

#[tokio::test]
async fn eight_clients_get_answers_for_the_versions_they_name_while_the_files_are_edited() {
    let beam = Beam::real();
    let project = beam.project();
    let files = ["A.lean", "B.lean"].map(|name| (name, Mutex::new(Versions::default())));
    let done = AtomicBool::new(false);
    let edit_all = async {
        let edits = files
            .iter()
            .map(|(name, versions)| keep_editing(&project, name, versions, 25));
        join_all(edits).await;
        done.store(true, Ordering::Relaxed);
    };
    let ask = (0..8).map(|number| keep_asking(number, &files[number % 2].1, &done));
    let (answered, ()) = tokio::join!(join_all(ask), edit_all);
    assert!(answered.iter().all(|count| *count > 0), "{answered:?}");
    for (name, versions) in &files {
        let versions = versions.lock().must("lock");
        assert_eq!(versions.edits.len(), 25, "{name}");
    }
}
