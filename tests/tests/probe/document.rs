//! The user's document beside the texts that run: left alone by them, and edited under them.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use futures_util::{StreamExt as _, future::join_all, stream};
use lean_beam_proto::{
    ErrorCode,
    client::Request,
    op::{OpenFile, Stats},
};
use lean_beam_tests::{
    must::Must,
    probing::{Prober, before, rendered, world},
    wait::{HANG, eventually},
    world::{Beam, Project},
};

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
