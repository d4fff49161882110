//! From a position on the command line to one that the daemon understands.

use lean_beam_proto::{
    BeamError, ErrorCode,
    client::Answer,
    op::{Operation, PositionParams, Update, UpdateParams},
};

use crate::{
    app::{App, Failure},
    args::{PinArgs, PositionArgs},
    output::human::Subject,
    position::Place,
    root::ProjectFile,
    source::Source,
};

/// A position in a version of a file.
#[derive(Debug)]
pub(super) struct Asked {
    /// The file.
    pub(super) file: ProjectFile,
    /// The position as the daemon takes it.
    pub(super) params: PositionParams,
    /// The position as people write it.
    pub(super) written: String,
    from_one: bool,
    /// The text before the version was found, where that is the version on disk.
    before: Option<Source>,
}

/// Finds the file of `place` and the version that is meant. Without one the daemon reads the file first,
/// so that the position refers to what is on disk.
pub(super) async fn resolve(app: &App, place: &Place, pin: &PinArgs) -> Result<Asked, Failure> {
    let file = app.project_of_file(&place.file)?;
    let before = pin.version.is_none().then(|| file.read()).flatten();
    let version = version(app, &file, pin.version).await?;
    let params = PositionParams {
        path: file.path.clone(),
        version,
        line: place.line,
        character: place.character,
        anchor: pin.anchor.clone(),
    };
    Ok(Asked {
        written: written(&file.shown, &params),
        file,
        params,
        from_one: place.from_one,
        before,
    })
}

/// As [`resolve`], for a position without texts behind it.
pub(super) async fn of(app: &App, args: &PositionArgs) -> Result<Asked, Failure> {
    let place = args.place().map_err(Failure::Usage)?;
    resolve(app, &place, &args.pin).await
}

/// The `given` version, else the one that stands for what is on disk now.
pub(super) async fn version(
    app: &App,
    file: &ProjectFile,
    given: Option<u64>,
) -> Result<u64, Failure> {
    if let Some(version) = given {
        return Ok(version);
    }
    let params = UpdateParams {
        path: file.path.clone(),
    };
    let answer = app
        .ask_project::<Update>(&file.root, params, &file.path)
        .await?;
    Ok(answer.output.version)
}

impl Asked {
    /// Sends a question about the position. `subject` says what the wait is about.
    pub(super) async fn ask_about<O: Operation>(
        &self,
        app: &App,
        params: O::Params,
        subject: &str,
    ) -> Result<Answer<O::Output>, BeamError> {
        app.ask_project::<O>(&self.file.root, params, subject)
            .await
            .map_err(|error| self.in_the_users_count(error))
    }

    /// As [`Asked::ask_about`], where the wait is about the file.
    pub(super) async fn ask<O: Operation>(
        &self,
        app: &App,
        params: O::Params,
    ) -> Result<Answer<O::Output>, BeamError> {
        self.ask_about::<O>(app, params, &self.file.path).await
    }

    /// What was asked about, for people.
    pub(super) fn subject(&self) -> Subject<'_> {
        Subject {
            path: &self.file.shown,
            asked: &self.written,
            source: self
                .before
                .as_ref()
                .filter(|before| self.file.still_is(before)),
        }
    }

    fn in_the_users_count(&self, error: BeamError) -> BeamError {
        if self.from_one {
            told_from_one(error, &self.written)
        } else {
            error
        }
    }
}

/// The daemon counts from zero. Whoever counted from one is told what became of it.
pub(super) fn told_from_one(mut error: BeamError, asked: &str) -> BeamError {
    if error.code == ErrorCode::InvalidParams {
        let hint = error
            .hint
            .take()
            .map_or_else(String::new, |hint| format!("{hint} "));
        error.hint = Some(format!("{hint}You asked about {asked}, counted from one."));
    }
    error
}

/// The position as people write it.
fn written(path: &str, params: &PositionParams) -> String {
    let line = u64::from(params.line) + 1;
    match (&params.anchor, params.character) {
        (Some(anchor), _) => format!("`{anchor}` in {path}:{line}"),
        (None, Some(character)) => format!("{path}:{line}:{}", u64::from(character) + 1),
        (None, None) => format!("{path}:{line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(from_one: bool) -> Asked {
        Asked {
            file: ProjectFile {
                root: "/p".into(),
                path: "A.lean".to_owned(),
                shown: "A.lean".to_owned(),
            },
            params: params(Some(0), None),
            written: "A.lean:99:1".to_owned(),
            from_one,
            before: None,
        }
    }

    fn params(character: Option<u32>, anchor: Option<&str>) -> PositionParams {
        PositionParams {
            path: "A.lean".to_owned(),
            version: 1,
            line: 2,
            character,
            anchor: anchor.map(str::to_owned),
        }
    }

    #[test]
    fn whoever_counts_from_one_is_told_the_place_in_that_count() {
        let error = || BeamError::new(ErrorCode::InvalidParams, "line 98").with_hint("Zero-based.");
        let told = asked(true).in_the_users_count(error()).hint.unwrap();
        assert_eq!(
            told,
            "Zero-based. You asked about A.lean:99:1, counted from one."
        );
        let told = asked(false).in_the_users_count(error()).hint.unwrap();
        assert_eq!(told, "Zero-based.");
    }

    #[test]
    fn a_position_is_written_as_it_can_be_asked_again() {
        assert_eq!(written("d/A.lean", &params(Some(6), None)), "d/A.lean:3:7");
        assert_eq!(
            written("A.lean", &params(None, Some("foo"))),
            "`foo` in A.lean:3"
        );
    }
}
