//! Memory of the daemon and its guardian beside that of the Lean that they keep.

use super::{
    lean_file::LeanFile,
    machine::{self, Memory},
    note,
    options::Options,
    served::{sync, world},
    table::{Cell, Table},
};
use crate::{
    must::Must,
    process,
    world::{Beam, Project},
};

pub(super) async fn measure(options: &Options) -> Vec<Table> {
    let mut table = Table::new(
        "memory",
        "MiB resident (RSS) of the daemon and its guardian; Lean's by its proportional share (PSS), which counts shared pages once; daemon/Lean compares their PSS",
        [
            "open documents",
            "daemon",
            "daemon PSS",
            "guardian",
            "guardian PSS",
            "Lean processes",
            "Lean PSS",
            "daemon/Lean",
        ],
    );
    small_documents(&mut table, options).await;
    large_document(&mut table, options).await;
    vec![table]
}

async fn small_documents(table: &mut Table, options: &Options) {
    let beam = world();
    let project = beam.project();
    beam.ensure().await;
    table.row(row("none".to_owned(), &beam));
    let mut open = 0;
    for count in &options.documents {
        note("memory", &format!("{count} documents"));
        while open < *count {
            open_file(&project, &format!("Small{open}.lean"), &LeanFile::small()).await;
            open += 1;
        }
        table.row(row(format!("{count} of 9 lines"), &beam));
    }
}

async fn large_document(table: &mut Table, options: &Options) {
    let beam = world();
    let project = beam.project();
    let file = LeanFile::long(options.lines);
    open_file(&project, "Large.lean", &file).await;
    table.row(row(format!("1 of {} lines", file.line_count()), &beam));
}

async fn open_file(project: &Project, name: &str, file: &LeanFile) {
    project.write(name, file.text());
    sync(project, name, file).await;
}

fn row(label: String, beam: &Beam) -> Vec<Cell> {
    let daemon = beam.daemon().must("find the daemon");
    machine::settle(&[daemon.pid]);
    let lean = process::descendants(daemon.pid);
    let lean_memory: Memory = lean.iter().map(|process| Memory::of(process.pid)).sum();
    let (own, guardian) = (Memory::of(daemon.pid), Memory::of(daemon.parent));
    let count = u32::try_from(lean.len()).must("count Lean's processes");
    let share = own.proportional / lean_memory.proportional;
    let numbers = [
        own.resident,
        own.proportional,
        guardian.resident,
        guardian.proportional,
        f64::from(count),
        lean_memory.proportional,
        if lean.is_empty() { f64::NAN } else { share },
    ];
    let mut cells = vec![label.into()];
    cells.extend(numbers.map(Cell::from));
    cells
}
