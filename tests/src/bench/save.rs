//! Saving beside plain `lean -o`, what idle projects, documents and lanes take, and the way back after an
//! eviction.

use std::{
    fs,
    time::{Duration, Instant},
};

use lean_beam_proto::op::{Hover, RunAt, RunAtParams};

use super::{
    machine::{self, Memory},
    note,
    options::Options,
    samples::Samples,
    served::world,
    table::{Cell, Table},
};
use crate::{
    must::Must,
    process, programs,
    wait::{HANG, eventually},
    world::{Beam, Project},
};

const NAME: &str = "Saved.lean";
/// A place in a text of its own that every figure about texts uses.
const TEXT: &str = "def two := 2\n";

pub(super) async fn measure(options: &Options) -> Vec<Table> {
    vec![
        saves(options).await,
        sizes(options).await,
        returns(options).await,
    ]
}

async fn saves(options: &Options) -> Table {
    let mut table = Table::new(
        "save",
        "ms to make a module's artifacts. lean: a plain `lean -R -o -i -c` of the same text; save: all of it, from an edit on disk to artifacts in place, the verdict included; judged: the same after a sync of the edit",
        [
            "file",
            "lean",
            "lean p90",
            "save",
            "save p90",
            "save/lean",
            "judged",
            "judged p90",
            "judged/lean",
        ],
    );
    for proofs in [1, 100] {
        let label = format!("{proofs} proofs");
        note("save", &label);
        table.row(save_row(label, proofs, options.runs(10)).await);
    }
    table
}

async fn save_row(label: String, proofs: usize, runs: usize) -> Vec<Cell> {
    let beam = world();
    let project = beam.project();
    let (mut lean, mut save, mut judged) =
        (Samples::default(), Samples::default(), Samples::default());
    let mut number = 0;
    let mut edit = || {
        number += 1;
        let proof =
            |at: usize| format!("theorem same{at} : {number} + {at} = {number} + {at} := rfl\n");
        project.write(NAME, (0..proofs).map(proof).collect::<String>());
    };
    for _ in 0..runs {
        edit();
        lean.push_time(plain(&project));
        edit();
        save.push_time(timed_save(&project).await);
        edit();
        project.sync(NAME).await.must("judge the edit");
        judged.push_time(timed_save(&project).await);
    }
    let numbers = [
        lean.median(),
        lean.p90(),
        save.median(),
        save.p90(),
        save.median() / lean.median(),
        judged.median(),
        judged.p90(),
        judged.median() / lean.median(),
    ];
    let cells = numbers.map(Cell::from);
    std::iter::once(label.into()).chain(cells).collect()
}

/// What a person without lean-beam would type.
fn plain(project: &Project) -> Duration {
    let out = project.path("plain");
    fs::create_dir_all(&out).must("make a directory");
    let mut command = process::command(programs::real_lean());
    command.arg("-R").arg(project.root());
    for (option, name) in [("-o", "S.olean"), ("-i", "S.ilean"), ("-c", "S.c")] {
        command.arg(option).arg(out.join(name));
    }
    command
        .arg(project.path(NAME))
        .env("LEAN_PATH", project.path(".lake/build/lib/lean"));
    let begin = Instant::now();
    let output = command.output().must("run Lean");
    let took = begin.elapsed();
    assert!(output.status.success(), "{output:?}");
    took
}

async fn timed_save(project: &Project) -> Duration {
    let begin = Instant::now();
    project.save(NAME).await.must("save");
    begin.elapsed()
}

async fn sizes(options: &Options) -> Table {
    let mut table = Table::new(
        "sizes",
        "MiB that each one adds to all of Lean's processes, by their proportional share (PSS), which counts shared pages once",
        ["each", "Lean PSS", "processes"],
    );
    note("sizes", "projects, documents, lanes");
    let count = options.runs(10).clamp(2, 10);
    table.row(projects(count).await);
    let [document, lane] = documents_and_lanes(count).await;
    table.row(document);
    table.row(lane);
    table
}

/// Projects whose documents are closed: a server each.
async fn projects(count: usize) -> Vec<Cell> {
    let beam = world();
    let mut before = Lean::of(&beam);
    for number in 0..=count {
        let project = beam.project_named(&format!("p{number}"));
        project.write(NAME, TEXT);
        project.sync(NAME).await.must("sync");
        project.close(NAME).await.must("close");
        if number == 0 {
            // The first one pays for what all share.
            before = Lean::of(&beam);
        }
    }
    Lean::of(&beam).each("idle project", before, count)
}

async fn documents_and_lanes(count: usize) -> [Vec<Cell>; 2] {
    let beam = Beam::builder()
        .config("[daemon]\nidle_seconds = 300\n[probe]\nlanes = 16\nwarm = false\n")
        .build();
    let project = beam.project();
    let name = |number: usize| format!("D{number}.lean");
    let mut versions = Vec::new();
    let mut before = Lean::of(&beam);
    for number in 0..=count {
        project.write(&name(number), TEXT);
        versions.push(project.sync(&name(number)).await.must("sync").version);
        if number == 0 {
            before = Lean::of(&beam);
        }
    }
    let document = Lean::of(&beam).each("open document", before, count);
    for (number, version) in versions.into_iter().enumerate() {
        let params = RunAtParams {
            path: name(number),
            version,
            line: 1,
            character: Some(0),
            anchor: None,
            text: "#check two".to_owned(),
        };
        project.call::<RunAt>(params).await.must("run a text");
        if number == 0 {
            before = Lean::of(&beam);
        }
    }
    [document, Lean::of(&beam).each("lane", before, count)]
}

/// Lean's processes at rest.
#[derive(Debug, Clone, Copy)]
struct Lean {
    memory: Memory,
    processes: usize,
}

impl Lean {
    fn of(beam: &Beam) -> Self {
        let Some(daemon) = beam.daemon() else {
            return Self {
                memory: Memory::default(),
                processes: 0,
            };
        };
        machine::settle(&[daemon.pid]);
        let lean = process::descendants(daemon.pid);
        Self {
            memory: lean.iter().map(|process| Memory::of(process.pid)).sum(),
            processes: lean.len(),
        }
    }

    /// What each of `count` has added since `before`.
    fn each(self, label: &str, before: Self, count: usize) -> Vec<Cell> {
        let count = f64::from(u32::try_from(count).must("count"));
        let processes = self.processes.saturating_sub(before.processes);
        let processes = f64::from(u32::try_from(processes).must("count"));
        vec![
            label.into(),
            ((self.memory.proportional - before.memory.proportional) / count).into(),
            (processes / count).into(),
        ]
    }
}

async fn returns(options: &Options) -> Table {
    let mut table = Table::new(
        "returns",
        "ms to a hover at a version from before. open: nothing was let go; evicted: the document was; unloaded: the whole project was",
        ["state", "median", "p90"],
    );
    note("returns", "after an eviction, after an unload");
    let runs = options.runs(10);
    for (label, config) in [
        ("open", ""),
        ("evicted", "[limits]\nopen_documents = 1\n"),
        ("unloaded", "[workspace]\nidle_seconds = 1\n"),
    ] {
        let beam = Beam::builder().config(config).build();
        let mut samples = Samples::default();
        for _ in 0..runs {
            samples.push_time(return_to(&beam, label).await);
        }
        table.row([
            Cell::from(label),
            samples.median().into(),
            samples.p90().into(),
        ]);
    }
    table
}

async fn return_to(beam: &Beam, label: &str) -> Duration {
    let project = beam.project();
    project.write("A.lean", TEXT);
    project.write("B.lean", TEXT);
    let version = project.sync("A.lean").await.must("sync").version;
    match label {
        "evicted" => drop(project.sync("B.lean").await.must("sync another file")),
        "unloaded" => {
            eventually(HANG, "an idle project to be unloaded", async || {
                let workspace = beam.status().await.workspaces.remove(0);
                workspace.processes.is_empty().then_some(())
            })
            .await;
        }
        _ => {}
    }
    let params = Project::position("A.lean", version, (0, 4));
    let begin = Instant::now();
    let result = project.call::<Hover>(params).await.must("hover");
    let took = begin.elapsed();
    assert!(result.contents.is_some(), "{result:?}");
    took
}
