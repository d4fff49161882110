//! What a file and a project declare, as they are now.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use lean_beam_proto::{
    ErrorCode,
    op::{DocumentSymbol, DocumentSymbols, DocumentSymbolsParams, WorkspaceSymbolsResult},
};
use lean_beam_tests::{
    must::{Must, MustFail},
    probing::before,
    questions::{Page, workspace_symbols},
    world::{Beam, Project},
};

const POINT: &str = "Geo/Point.lean";
const MAIN: &str = "Main.lean";

/// A module that is built and one that imports it; neither is open.
async fn two_modules(beam: &Beam) -> Project {
    let project = beam.project();
    project.write(
        POINT,
        "structure Point where\n  x : Nat\nnamespace Point\ndef Pointless := 1\ntheorem origin_point : (Point.mk 0).x = 0 := rfl\nend Point\n",
    );
    project.write(MAIN, "import Geo.Point\ndef aPoint : Point := ⟨1⟩\n");
    project.save(POINT).await.must("save");
    project.close(POINT).await.must("close");
    project
}

fn named(found: &WorkspaceSymbolsResult) -> Vec<(&str, &str, &str)> {
    let own = found.symbols.iter().filter(|one| !one.outside_root);
    own.map(|one| (one.name.as_str(), one.kind.as_str(), one.path.as_str()))
        .collect()
}

/// The symbol `name` stands where its file declares it.
fn check_place(project: &Project, found: &WorkspaceSymbolsResult, name: &str, declared: &str) {
    let symbol = found.symbols.iter().find(|one| one.name == name);
    let symbol = symbol.must("find the symbol");
    let (line, character) = before(&project.read(&symbol.path), declared);
    let start = symbol.range.start;
    assert_eq!(
        (start.line, start.character),
        (line, character),
        "{symbol:?}"
    );
}

#[tokio::test]
async fn names_are_found_in_open_and_built_modules_best_match_first() {
    let beam = Beam::real();
    let project = two_modules(&beam).await;
    let found = workspace_symbols(&project, "Point", None).await;
    let found = found.must("find symbols");
    assert!(!found.index_complete, "{found:?}");
    assert_eq!(found.unindexed, [MAIN]);
    Page::synced(&project, MAIN).await;
    let found = workspace_symbols(&project, "Poin", None).await;
    let found = found.must("find symbols");
    assert!(
        found.index_complete && found.unindexed.is_empty(),
        "{found:?}"
    );
    let names = named(&found);
    assert_eq!(names[0], ("Point", "structure", POINT), "{names:?}");
    assert_eq!(names[1], ("Point.Pointless", "def", POINT), "{names:?}");
    assert!(names.contains(&("aPoint", "def", MAIN)), "{names:?}");
    assert!(names.contains(&("Point.origin_point", "theorem", POINT)));
    check_place(&project, &found, "Point", "Point where");
    check_place(&project, &found, "aPoint", "aPoint :");
    assert_eq!((found.total, found.truncated), (found.symbols.len(), false));
    let best = workspace_symbols(&project, "Poin", Some(1)).await;
    let best = best.must("find symbols");
    assert_eq!((best.symbols.len(), best.truncated), (1, true));
    assert_eq!(
        (best.total, &best.symbols[0]),
        (found.total, &found.symbols[0])
    );
    let none = workspace_symbols(&project, "Poin", Some(0)).await;
    assert_eq!(none.must_fail().code, ErrorCode::InvalidInput);
    let nothing = workspace_symbols(&project, "zzqqx", None).await;
    assert_eq!(nothing.must("find nothing").total, 0);
}

#[tokio::test]
async fn names_follow_edits_in_open_and_in_closed_files() {
    let beam = Beam::real();
    let project = two_modules(&beam).await;
    Page::synced(&project, MAIN).await;
    // The open one.
    project.edit(MAIN, "def aPoint", "\n\ndef bPoint");
    Page::synced(&project, MAIN).await;
    let found = workspace_symbols(&project, "bPoint", None).await;
    let found = found.must("find symbols");
    check_place(&project, &found, "bPoint", "bPoint :");
    let gone = workspace_symbols(&project, "aPoint", None).await;
    assert!(
        !named(&gone.must("find symbols"))
            .iter()
            .any(|(name, ..)| *name == "aPoint")
    );
    // The closed one, first on disk alone.
    project.edit(POINT, "def Pointless", "\ndef Blunt := 2\ndef Pointless");
    let found = workspace_symbols(&project, "Blunt", None).await;
    let found = found.must("find symbols");
    assert!(!found.index_complete, "{found:?}");
    assert_eq!(found.unindexed, [POINT]);
    project.save(POINT).await.must("save");
    project.close(POINT).await.must("close");
    let found = workspace_symbols(&project, "Blunt", None).await;
    let found = found.must("find symbols");
    assert_eq!(named(&found)[0], ("Point.Blunt", "def", POINT));
    check_place(&project, &found, "Point.Blunt", "Blunt :=");
}

async fn document_symbols(page: &Page) -> Vec<DocumentSymbol> {
    let params = DocumentSymbolsParams {
        path: page.name.clone(),
        version: page.version,
    };
    let found = page.project.call::<DocumentSymbols>(params).await;
    let found = found.must("get the symbols");
    assert!(!found.truncated && found.total >= found.symbols.len());
    found.symbols
}

#[tokio::test]
async fn a_file_is_a_tree_of_its_namespaces_sections_and_declarations() {
    let beam = Beam::real();
    let project = beam.project();
    let text = "/-- 𝔸 theorem in a comment. -/\nstructure Point where\n  x : Nat\nnamespace Point\n@[simp] theorem low : 1 = 1 := rfl\nsection\nprivate def inner := 2\nend\nend Point\ninstance : Inhabited Point := ⟨⟨0⟩⟩\nexample : 1 = 1 := rfl\n";
    project.write("A.lean", text);
    let page = Page::synced(&project, "A.lean").await;
    let symbols = document_symbols(&page).await;
    let kinds = |symbols: &[DocumentSymbol]| -> Vec<(String, String)> {
        let of = |one: &DocumentSymbol| (one.name.clone(), one.kind.clone());
        symbols.iter().map(of).collect()
    };
    let top = kinds(&symbols);
    assert_eq!(top[0], ("Point".to_owned(), "structure".to_owned()));
    assert_eq!(top[1], ("Point".to_owned(), "namespace".to_owned()));
    assert!(top.iter().any(|(_, kind)| kind == "instance"), "{top:?}");
    assert!(top.iter().any(|(_, kind)| kind == "example"), "{top:?}");
    let inside = kinds(&symbols[1].children);
    assert_eq!(
        inside[0],
        ("low".to_owned(), "theorem".to_owned()),
        "{inside:?}"
    );
    let section = &symbols[1].children[1];
    assert_eq!(kinds(&section.children)[0].1, "def", "{section:?}");
    let low = &symbols[1].children[0];
    let start = low.selection_range.start;
    assert_eq!((start.line, start.character), before(text, "low :"));
    assert!(low.range.start <= start && low.selection_range.end <= low.range.end);
    // As the text is now.
    project.write("A.lean", "def only := 1\n");
    let page = Page::synced(&project, "A.lean").await;
    assert_eq!(
        kinds(&document_symbols(&page).await),
        [("only".to_owned(), "def".to_owned())]
    );
}
