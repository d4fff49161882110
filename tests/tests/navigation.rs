//! From a name to its definition and its uses, across modules, as the files are now.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use lean_beam_proto::{
    ErrorCode,
    op::{Completions, CompletionsParams, SignatureHelp},
};
use lean_beam_tests::{
    must::{Must, MustFail},
    probing::{Place, before},
    questions::{Page, Question, places, uses_of},
    world::{Beam, Project},
};

const POINT: &str = "Geo/Point.lean";
const MAIN: &str = "Main.lean";

/// A module that is built, and one that imports it and is not. Both are open.
async fn two_modules(beam: &Beam) -> (Project, Page, Page) {
    let project = beam.project();
    project.write(
        POINT,
        "structure Point where\n  x : Nat\n  y : Nat\ndef height (p : Point) : Nat := p.y\ntheorem height_mk (a b : Nat) : height (Point.mk a b) = b := rfl\n",
    );
    project.write(
        MAIN,
        "import Geo.Point\n/- 𝔸 -/ def twice (p : Point) : Nat := height p + height p\nexample : twice (Point.mk 1 2) = 4 := rfl\n",
    );
    project.save(POINT).await.must("save");
    let point = Page::synced(&project, POINT).await;
    let main = Page::synced(&project, MAIN).await;
    (project, point, main)
}

/// Everything that can be asked about `height` at `place`.
async fn check_height(page: &Page, place: Place, files: &[&str]) {
    let project = &page.project;
    let uses = uses_of(project, files, "height");
    let declared = uses_of(project, &[POINT], "height")[0];
    let found = page.definition(place).await.must("find the definition");
    assert_eq!(places(&found.locations), [declared]);
    assert!(!found.locations[0].outside_root);
    let found = page.references(place, true).await.must("find all uses");
    let mut expected = uses.clone();
    // Those in the asked file come first.
    expected.sort_by_key(|(file, place)| (*file != page.name, *file, *place));
    assert_eq!(places(&found.locations), expected, "{found:?}");
    assert_eq!((found.total, found.truncated), (expected.len(), false));
    let found = page.references(place, false).await.must("find the uses");
    expected.retain(|one| *one != declared);
    assert_eq!(places(&found.locations), expected, "{found:?}");
}

#[tokio::test]
async fn a_name_leads_to_its_definition_and_uses_in_both_modules_before_and_after_edits_in_both() {
    let beam = Beam::real();
    let (project, point, main) = two_modules(&beam).await;
    for _ in 0..2 {
        let from_use = uses_of(&project, &[MAIN], "height")[0].1;
        let from_definition = uses_of(&project, &[POINT], "height")[0].1;
        let main = Page::synced(&project, MAIN).await;
        check_height(&main, from_use, &[POINT, MAIN]).await;
        let point = Page::synced(&project, POINT).await;
        check_height(&point, from_definition, &[POINT, MAIN]).await;
        // Everything moves down, and there is a use more in each.
        for (file, more) in [
            (POINT, "example : height ⟨1, 2⟩ = 2 := rfl\n"),
            (MAIN, "#check height\n"),
        ] {
            let text = project.read(file);
            let (header, rest) = text.split_at(if file == MAIN { 17 } else { 0 });
            project.write(
                file,
                format!("{header}-- one more line\n-- and another\n{rest}{more}"),
            );
        }
        project.save(POINT).await.must("save");
    }
    let old = [main, point];
    for page in old {
        let error = page.definition((1, 5)).await.must_fail();
        assert_eq!(error.code, ErrorCode::ContentModified, "{error:?}");
    }
}

#[tokio::test]
async fn a_module_that_is_not_open_is_known_from_its_index_and_said_to_be_old_when_it_is() {
    let beam = Beam::real();
    let (project, _, main) = two_modules(&beam).await;
    // The imported one is closed.
    project.close(POINT).await.must("close");
    check_height(&main, main.before("height p + "), &[POINT, MAIN]).await;
    let found = main.references(main.before("height p + "), true).await;
    assert!(found.must("find uses").complete);
    // The importing one is closed: without an index nothing of it is known, and that is said.
    project.close(MAIN).await.must("close");
    let point = Page::synced(&project, POINT).await;
    let place = point.before("height (p");
    let found = point.references(place, true).await.must("find uses");
    assert_eq!(
        places(&found.locations),
        uses_of(&project, &[POINT], "height")
    );
    assert!(!found.complete && found.unindexed == [MAIN], "{found:?}");
    project.save(MAIN).await.must("save");
    project.close(MAIN).await.must("close");
    check_height(&point, place, &[POINT, MAIN]).await;
    let found = point.references(place, true).await.must("find uses");
    assert!(found.complete && found.unindexed.is_empty(), "{found:?}");
    // What is on disk has moved since the index was made.
    project.edit(MAIN, "/- 𝔸 -/", "\n\n");
    let found = point.references(place, true).await.must("find uses");
    assert!(!found.complete && found.unindexed == [MAIN], "{found:?}");
}

#[tokio::test]
async fn a_name_of_the_library_leads_outside_the_project() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "def one := Nat.succ 0\n#check one\n");
    let page = Page::synced(&project, "A.lean").await;
    let found = page.definition(page.before("Nat.succ")).await;
    let found = found.must("find a definition").locations;
    for location in &found {
        assert!(location.outside_root, "{location:?}");
        assert!(location.path.starts_with('/') && location.uri.starts_with("file:///"));
        assert!(location.range.start <= location.selection_range.start);
    }
    assert_eq!(found.len(), 1, "{found:?}");
    // Where there is no name there is no definition, and that is no error.
    let nothing = page.definition((0, 8)).await.must("ask about a sign");
    assert!(nothing.locations.is_empty(), "{nothing:?}");
}

#[tokio::test]
async fn nothing_is_said_about_a_file_whose_imports_failed() {
    let beam = Beam::real();
    let project = beam.project();
    project.write(
        "A.lean",
        "import Nowhere\ndef one := Nat.succ 0\n#check one\n",
    );
    let page = Page::updated(&project, "A.lean").await;
    for question in Question::ALL {
        if question == Question::WorkspaceSymbols {
            continue;
        }
        let place = before(&project.read("A.lean"), "one :=");
        let answer = question.ask(&page, place, "one").await;
        match answer {
            Err(error) => assert!(
                matches!(
                    error.code,
                    ErrorCode::SyncBarrierIncomplete | ErrorCode::InvalidParams
                ),
                "{question:?}: {error:?}"
            ),
            Ok(result) => panic!("{question:?}: {result}"),
        }
    }
}

async fn completions(page: &Page, place: Place, limit: Option<u32>) -> (Vec<String>, usize, bool) {
    let params = CompletionsParams {
        path: page.name.clone(),
        version: page.version,
        line: place.0,
        character: Some(place.1),
        anchor: None,
        limit,
    };
    let found = page.project.call::<Completions>(params).await;
    let found = found.must("get completions");
    for item in &found.items {
        assert!(
            item.detail.is_some(),
            "the first ones have a type: {item:?}"
        );
    }
    let labels = found.items.into_iter().map(|item| item.label).collect();
    (labels, found.total, found.truncated)
}

#[tokio::test]
async fn completions_come_best_first_and_are_cut_behind_the_best() {
    let beam = Beam::real();
    let project = beam.project();
    project.write(
        "A.lean",
        "structure Point where\n  x : Nat\ndef Pointless := 1\ndef aPoint : Point := ⟨1⟩\n#check Poin\n#check Point.m\n#check aPoint.\n",
    );
    let page = Page::synced(&project, "A.lean").await;
    let (best, total, truncated) = completions(&page, (4, 11), Some(2)).await;
    assert_eq!(best, ["Point", "Pointless"]);
    assert!(total > 2 && truncated);
    let (best, ..) = completions(&page, (5, 14), Some(1)).await;
    assert_eq!(best, ["mk"]);
    let (fields, total, truncated) = completions(&page, (6, 14), Some(20)).await;
    assert!(fields.contains(&"x".to_owned()), "{fields:?}");
    assert_eq!((total, truncated), (fields.len(), false));
}

#[tokio::test]
async fn signatures_follow_what_is_applied() {
    let beam = Beam::real();
    let project = beam.project();
    project.write(
        "A.lean",
        "def join (a b : Nat) : Nat := a + b\n#check join 1 \n-- the end\n",
    );
    let page = Page::synced(&project, "A.lean").await;
    let ask = async |place| {
        let params = Project::position("A.lean", page.version, place);
        let answer = project.call::<SignatureHelp>(params).await;
        answer.must("get signatures").signatures
    };
    let found = ask((1, 14)).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].label.contains("Nat"), "{found:?}");
    assert!(ask((2, 3)).await.is_empty());
}
