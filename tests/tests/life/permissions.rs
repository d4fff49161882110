//! Whose the runtime directory and the socket are, and what becomes of those that nobody may use.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    path::Path,
};

use lean_beam_proto::{BeamError, ErrorCode, ready::ReadyLine};
use lean_beam_tests::{
    fake::Scenario,
    must::{Must, MustFail},
    process::is_root,
    wait::HANG,
    world::{Beam, Lean},
};

use crate::{start_by_hand, with_fake_error};

/// A runtime directory that must not be used, and what is wrong with it.
#[derive(Debug, Clone, Copy)]
enum Unsafe {
    Link,
    TooOpen,
    Foreign,
    File,
}

#[tokio::test]
async fn an_unsafe_runtime_directory_is_refused_with_the_reason_by_everybody() {
    for what in [Unsafe::Link, Unsafe::TooOpen, Unsafe::Foreign, Unsafe::File] {
        let beam = unsafe_world(what);
        let project = with_fake_error(&beam);
        let path = beam.runtime_dir().path().to_owned();
        let error = project.sync("A.lean").await.must_fail();
        assert_refused(&error, &path, what);
        let (ReadyLine::Failed(error), code) = start_by_hand(&beam) else {
            panic!("the daemon started in a directory that is unsafe: {what:?}")
        };
        assert_refused(&error, &path, what);
        assert_ne!(code, Some(0));
        let output = project
            .cli(&beam, ["sync", "A.lean"])
            .run()
            .await
            .expect_code(4);
        let told = output.stdout + &output.stderr;
        assert!(told.contains(path.to_str().unwrap()), "{what:?}: {told}");
        beam.assert_nothing_left(HANG).await;
    }
}

#[track_caller]
fn assert_refused(error: &BeamError, path: &Path, what: Unsafe) {
    assert_eq!(error.code, ErrorCode::DaemonUnavailable, "{what:?}");
    assert!(
        error.message.contains(&*path.to_string_lossy()),
        "{what:?}: {error:?}"
    );
    assert!(error.hint.is_some(), "{what:?}");
}

fn unsafe_world(what: Unsafe) -> Beam {
    let builder = Beam::builder().lean(Lean::Fake(Scenario::default()));
    if matches!(what, Unsafe::Foreign) && !is_root() {
        // Whoever runs the tests, this is somebody else's.
        return builder.env("LEAN_BEAM_RUNTIME_DIR", "/usr/lib").build();
    }
    let beam = builder.build();
    let path = beam.runtime_dir().path().to_owned();
    let private = || fs::DirBuilder::new();
    match what {
        Unsafe::Link => {
            let real = beam.root().join("elsewhere");
            fs::create_dir(&real).must("make a directory");
            fs::set_permissions(&real, Permissions::from_mode(0o700)).must("make it private");
            symlink(&real, &path).must("make a link");
        }
        Unsafe::TooOpen => {
            private().create(&path).must("make a directory");
            fs::set_permissions(&path, Permissions::from_mode(0o755)).must("open it to others");
        }
        Unsafe::Foreign => {
            private().create(&path).must("make a directory");
            fs::set_permissions(&path, Permissions::from_mode(0o700)).must("make it private");
            chown(&path, Some(65534), None).must("give it away");
        }
        Unsafe::File => fs::write(&path, "").must("write a file"),
    }
    beam
}

#[tokio::test]
async fn the_directory_and_the_socket_are_for_their_owner_only() {
    let beam = Beam::fake(Scenario::default());
    beam.ensure().await;
    let mode = |path: &Path| fs::symlink_metadata(path).must("look at a file").mode() & 0o777;
    assert_eq!(mode(beam.runtime_dir().path()), 0o700);
    assert_eq!(mode(&beam.runtime_dir().socket()), 0o600);
    assert_eq!(mode(&beam.runtime_dir().life_lock()), 0o600);
}

#[tokio::test]
async fn a_socket_that_permissions_bar_is_reported_and_never_leads_to_a_second_daemon() {
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .unprivileged()
        .build();
    let project = with_fake_error(&beam);
    let sync = async |code| {
        let output = project.cli(&beam, ["sync", "A.lean"]).run().await;
        output.expect_code(code)
    };
    sync(1).await;
    let daemon = beam.daemon().must("find the daemon");
    let running = || {
        let processes = beam.processes().into_iter();
        let same = processes.filter(|one| one.program() == daemon.program());
        same.count()
    };
    let socket = beam.runtime_dir().socket();
    fs::set_permissions(&socket, Permissions::from_mode(0o000)).unwrap();
    let output = sync(4).await;
    let told = output.stdout + &output.stderr;
    assert!(
        told.contains(beam.runtime_dir().path().to_str().unwrap()),
        "{told}"
    );
    let daemons = running();
    assert!(beam.daemon().is_some_and(|now| now == daemon));
    fs::set_permissions(&socket, Permissions::from_mode(0o600)).unwrap();
    sync(1).await;
    assert_eq!(daemons, running());
}
