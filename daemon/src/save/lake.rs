//! Saving through Lake, which knows the module's options, libraries and plugins.

use std::ffi::OsString;

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;

use super::{Builds, Made, SavePlan, build, modified, source_is_unchanged};
use crate::imports::{ArtifactPaths, stamp_of};

pub(super) async fn save(
    plan: &SavePlan,
    builds: &Builds,
    mut progress: impl FnMut(&str),
) -> BeamResult<ArtifactPaths> {
    if !source_is_unchanged(plan) {
        return Err(modified(plan));
    }
    let before = stamp_of(&existing_layout(plan).olean);
    let arguments: Vec<OsString> = vec!["build".into(), format!("+{}", plan.module).into()];
    let finished = build::run(&plan.tool, arguments, builds, |line| {
        if is_step(line) {
            progress(line);
        }
    })
    .await?;
    if !finished.succeeded() {
        let unknown = finished
            .output
            .iter()
            .any(|line| line.contains("unknown module") || line.contains("unknown target"));
        return Err(if unknown {
            not_a_module(plan, &finished.output)
        } else {
            finished.failure(&plan.module)
        });
    }
    if !source_is_unchanged(plan) {
        return Err(modified(plan));
    }
    let artifacts = existing_layout(plan);
    let Some(olean) = stamp_of(&artifacts.olean) else {
        return Err(elsewhere(plan, &artifacts));
    };
    let made = Made {
        source_hash: plan.text.hash_hex(),
        olean,
    };
    let mut last = builds.made();
    let is_old = |last: &Made| last.olean == made.olean && last.source_hash != made.source_hash;
    if before.as_ref() == Some(&made.olean) && last.get(&plan.module).is_some_and(is_old) {
        return Err(built_nothing(&finished, plan));
    }
    last.insert(plan.module.clone(), made);
    Ok(artifacts)
}

/// Lake is content and has left what it made of another text.
fn built_nothing(finished: &build::Finished, plan: &SavePlan) -> BeamError {
    let message = format!("Lake ended well but did not build {}", plan.module);
    BeamError::new(ErrorCode::SaveFailed, message)
        .with_hint(
            "`data.output` has what Lake said; run `lake build` by hand to see what is wrong.",
        )
        .with_data(json!({ "module": plan.module, "output": finished.output }))
}

/// Lake announces its steps as `[k/N]`.
fn is_step(line: &str) -> bool {
    let Some((_, rest)) = line.split_once('[') else {
        return false;
    };
    let Some((step, _)) = rest.split_once(']') else {
        return false;
    };
    step.split_once('/').is_some_and(|(done, of)| {
        [done, of]
            .iter()
            .all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// Older versions of Lake have one directory less.
fn existing_layout(plan: &SavePlan) -> ArtifactPaths {
    let current = ArtifactPaths::of(&plan.root, &plan.module);
    let older =
        ArtifactPaths::in_library(&plan.root, &plan.root.join(".lake/build/lib"), &plan.module);
    if !current.olean.exists() && older.olean.exists() {
        older
    } else {
        current
    }
}

fn not_a_module(plan: &SavePlan, output: &[String]) -> BeamError {
    BeamError::new(ErrorCode::SaveTargetNotModule, format!("Lake knows no module {}", plan.module))
        .with_hint("Add it to a library or executable in the lakefile, then drop the workspace and save again.")
        .with_data(json!({ "module": plan.module, "output": output }))
}

/// Lake is content, but nothing is where importers are served from.
fn elsewhere(plan: &SavePlan, artifacts: &ArtifactPaths) -> BeamError {
    let message = format!(
        "Lake built {}, but there is no {}",
        plan.module,
        artifacts.olean.display()
    );
    BeamError::new(ErrorCode::SaveUnsupportedSetup, message)
        .with_hint("A lakefile with a `buildDir` of its own cannot be saved from here: use `lake build`, then `refresh` the files that import the module.")
        .with_data(json!({ "module": plan.module, "olean": artifacts.olean }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_from_other_output() {
        for step in [
            "✔ [2/3] Built B",
            "ℹ [12/300] Replayed A.B",
            "[0/1] Building A",
        ] {
            assert!(is_step(step), "{step}");
        }
        for other in ["", "warning: [x/3]", "a[1]", "error: build failed", "[/]"] {
            assert!(!is_step(other), "{other}");
        }
    }
}
