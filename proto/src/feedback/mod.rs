//! Reports about lean-beam itself, made for the two clients. They are returned and, on demand, written to disk.
//! They are never sent anywhere.
//!
//! ```no_run
//! use std::path::PathBuf;
//! use lean_beam_proto::{ClientInfo, client::Connector, feedback::{FeedbackParams, Surroundings, report}, paths};
//! # async fn example() -> lean_beam_proto::BeamResult<()> {
//! let json = r#"{"title": "t", "summary": "s", "reproduction": "r", "expected": "e", "actual": "a"}"#;
//! let surroundings = Surroundings {
//!     program: "example".to_owned(),
//!     root: Some(PathBuf::from("/home/me/project")),
//!     state_dir: paths::state_dir().ok(),
//!     output_dir: None,
//!     connector: Connector::new(ClientInfo::named("example"))?,
//! };
//! let report = report(FeedbackParams::from_json(json, false)?, surroundings).await?;
//! assert!(report.markdown.starts_with("# t"));
//! # Ok(())
//! # }
//! ```

mod bundle;
mod card;
mod collect;
mod evidence;
mod input;
mod redact;
mod time;
mod zip;

use std::{
    io,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::Serialize;
use serde_json::{Value, json};

pub use self::input::{BundleMode, Evidence, FeedbackParams, Kind, Severity, asks_for_confidence};
use self::{
    card::Card,
    collect::{Collected, Program},
    evidence::{Piece, Places},
    redact::Redaction,
};
use crate::{
    client::Connector,
    error::{BeamError, BeamResult, ErrorCode},
    incidents, paths,
    version::VERSION,
};

/// Version of the shape of reports.
const SCHEMA: u32 = 1;
/// Where bundles go below the state directory.
const BUNDLES: &str = "feedback";

/// What a report is made in.
#[derive(Debug)]
pub struct Surroundings {
    /// The program that makes it.
    pub program: String,
    /// Canonical root of the project that it is about, where it is about one.
    pub root: Option<PathBuf>,
    /// The state directory: log, crash records and, below `feedback`, bundles.
    pub state_dir: Option<PathBuf>,
    /// Where bundles go instead.
    pub output_dir: Option<PathBuf>,
    /// The way to the daemon, which is asked if it runs and never started.
    pub connector: Connector,
}

/// A report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The report as Markdown.
    pub markdown: String,
    /// The facts about it.
    pub metadata: Metadata,
    /// What was collected, where the caller asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collected: Option<Value>,
    /// What could not be collected, and why.
    pub collection_warnings: Vec<String>,
    /// The directory that was written. For confidential reports, its name below the directory of bundles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle_dir: Option<String>,
    /// The zip file that was written. For confidential reports, its name in the directory of bundles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zip_path: Option<String>,
}

/// The facts about a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metadata {
    /// Version of this shape.
    pub schema: u32,
    /// Its title.
    pub title: String,
    /// What sort of report it is.
    pub kind: Option<Kind>,
    /// How bad it is.
    pub severity: Option<Severity>,
    /// When it was made, in UTC.
    pub generated_at: String,
    /// Root of the project; null in confidential reports.
    pub root: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether it was written to disk.
    pub bundle: BundleMode,
    /// Whether it is confidential.
    pub confidential: bool,
}

/// Makes a report.
///
/// # Errors
/// `invalidInput` when a field is impossible or a piece of evidence may not be read, `internalError` when the
/// bundle cannot be written.
pub async fn report(params: FeedbackParams, surroundings: Surroundings) -> BeamResult<Report> {
    params.check()?;
    let program = Program::named(&surroundings.program);
    let root = surroundings.root.as_deref();
    let (collected, warnings) = if params.confidential {
        (None, left_out(&params))
    } else {
        let state_dir = surroundings.state_dir.as_deref();
        let (collected, warnings) =
            collect::collect(program, root, state_dir, &surroundings.connector).await;
        (Some(collected), warnings)
    };
    let draft = Draft {
        params,
        collected,
        warnings,
        surroundings,
    };
    tokio::task::spawn_blocking(move || draft.finish())
        .await
        .map_err(|failed| BeamError::internal(format!("the report was not made: {failed}")))?
}

/// Says what a confidential report does without.
fn left_out(params: &FeedbackParams) -> Vec<String> {
    let mut warnings = vec!["confidential: nothing was collected".to_owned()];
    if params.request.is_some() || params.response.is_some() {
        warnings.push("confidential: request and response were left out".to_owned());
    }
    if !params.evidence.is_empty() {
        warnings.push("confidential: all evidence was left out and not read".to_owned());
    }
    warnings
}

/// Everything that a report is made of, before anything is taken out.
struct Draft {
    params: FeedbackParams,
    collected: Option<Collected>,
    warnings: Vec<String>,
    surroundings: Surroundings,
}

impl Draft {
    /// Reads evidence, takes out what is to be taken out, and writes the bundle.
    fn finish(self) -> BeamResult<Report> {
        let redaction = self.redaction();
        let pieces = self.pieces(&redaction)?;
        let params = redacted(&self.params, &redaction);
        let generated_at = time::utc(unix_ms());
        let details = self.details(&redaction)?;
        let shown = params.include_collected.then_some(&details);
        let shown_text = shown.map(pretty).transpose()?;
        let collected = self.collected.as_ref().filter(|_| !params.confidential);
        let card = Card {
            params: &params,
            generated_at: &generated_at,
            pieces: &pieces,
            collected,
            details: shown_text.as_deref(),
            program: &format!("lean-beam {VERSION}"),
        };
        let markdown = card.markdown();
        let mut report = Report {
            // What was collected has not been through it yet; of a confidential report there is nothing.
            markdown: match params.confidential {
                true => markdown,
                false => redaction.text(&markdown),
            },
            metadata: self.metadata(&params, generated_at, &redaction),
            collected: shown.cloned(),
            collection_warnings: self
                .warnings
                .iter()
                .map(|text| redaction.text(text))
                .collect(),
            bundle_dir: None,
            zip_path: None,
        };
        self.write_bundle(&mut report, &params, &pieces, &details, &redaction)?;
        Ok(report)
    }

    fn redaction(&self) -> Redaction {
        if self.params.confidential {
            let roots: Vec<&Path> = self
                .surroundings
                .root
                .iter()
                .map(PathBuf::as_path)
                .collect();
            Redaction::strict(&roots)
        } else if self.params.redact {
            Redaction::usual()
        } else {
            Redaction::none()
        }
    }

    fn pieces(&self, redaction: &Redaction) -> BeamResult<Vec<Piece>> {
        if self.params.confidential {
            return Ok(Vec::new());
        }
        let own = self.surroundings.state_dir.iter().flat_map(|state_dir| {
            let log = paths::log_file(state_dir);
            let older = log.with_extension("log.1");
            [incidents::directory(state_dir), log, older]
        });
        let places = Places {
            root: self.surroundings.root.clone(),
            own: own.collect(),
        };
        let mut pieces = evidence::read(&self.params.evidence, &places)?;
        for piece in &mut pieces {
            piece.text = redaction.text(&piece.text);
        }
        Ok(pieces)
    }

    /// What was collected, as JSON; of a confidential report name and version alone.
    fn details(&self, redaction: &Redaction) -> BeamResult<Value> {
        let value = match &self.collected {
            Some(collected) => serde_json::to_value(collected).map_err(|error| no_json(&error))?,
            None => json!({ "program": { "name": "lean-beam", "version": VERSION } }),
        };
        Ok(redaction.value(value))
    }

    fn metadata(
        &self,
        params: &FeedbackParams,
        generated_at: String,
        redaction: &Redaction,
    ) -> Metadata {
        let root = self
            .surroundings
            .root
            .as_deref()
            .filter(|_| !params.confidential);
        Metadata {
            schema: SCHEMA,
            title: params.title.clone(),
            kind: params.kind,
            severity: params.severity,
            generated_at,
            root: root.map(|root| redaction.text(&root.to_string_lossy())),
            tags: params.tags.clone(),
            bundle: params.bundle,
            confidential: params.confidential,
        }
    }

    fn write_bundle(
        &self,
        report: &mut Report,
        params: &FeedbackParams,
        pieces: &[Piece],
        details: &Value,
        redaction: &Redaction,
    ) -> BeamResult<()> {
        if params.bundle == BundleMode::None {
            return Ok(());
        }
        let base = self.bundles()?;
        let members = members(report, params, pieces, details)?;
        let stem: String = format!("lean-beam-{}", report.metadata.generated_at)
            .chars()
            .filter(|character| *character != ':')
            .collect();
        let is_zip = params.bundle == BundleMode::Zip;
        let written = if is_zip {
            bundle::write_zip(&base, &stem, &members)
        } else {
            bundle::write_directory(&base, &stem, &members)
        };
        let written = written.map_err(|error| unwritable(&error, params, &base))?;
        let shown = if params.confidential {
            written
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        } else {
            redaction.text(&written.to_string_lossy())
        };
        *(if is_zip {
            &mut report.zip_path
        } else {
            &mut report.bundle_dir
        }) = Some(shown);
        Ok(())
    }

    fn bundles(&self) -> BeamResult<PathBuf> {
        match (&self.surroundings.output_dir, &self.surroundings.state_dir) {
            (Some(output_dir), _) => Ok(output_dir.clone()),
            (None, Some(state_dir)) => Ok(state_dir.join(BUNDLES)),
            // Says what is wrong with it.
            (None, None) => paths::state_dir().map(|state_dir| state_dir.join(BUNDLES)),
        }
    }
}

/// The files of a bundle. Those of a confidential one are its card and the facts about it.
fn members(
    report: &Report,
    params: &FeedbackParams,
    pieces: &[Piece],
    details: &Value,
) -> BeamResult<Vec<(String, Vec<u8>)>> {
    let mut members = vec![
        ("card.md".to_owned(), report.markdown.clone().into_bytes()),
        (
            "metadata.json".to_owned(),
            pretty(&report.metadata)?.into_bytes(),
        ),
        ("report.json".to_owned(), pretty(params)?.into_bytes()),
    ];
    if !params.confidential {
        members.push(("collected.json".to_owned(), pretty(details)?.into_bytes()));
    }
    for piece in pieces {
        members.push((
            format!("evidence/{}", piece.name),
            piece.text.clone().into_bytes(),
        ));
    }
    Ok(members)
}

/// The report without what is to be taken out of it. Evidence is no part of it any more, and of a confidential
/// one neither are payloads.
fn redacted(params: &FeedbackParams, redaction: &Redaction) -> FeedbackParams {
    let text = |text: &String| redaction.text(text);
    let payload = |payload: &Option<serde_json::Map<String, Value>>| {
        let payload = payload.clone().filter(|_| !params.confidential)?;
        match redaction.value(Value::Object(payload)) {
            Value::Object(payload) => Some(payload),
            _ => None,
        }
    };
    FeedbackParams {
        title: text(&params.title),
        summary: text(&params.summary),
        reproduction: text(&params.reproduction),
        expected: text(&params.expected),
        actual: text(&params.actual),
        impact: params.impact.as_ref().map(text),
        workaround: params.workaround.as_ref().map(text),
        tags: params.tags.iter().map(text).collect(),
        request: payload(&params.request),
        response: payload(&params.response),
        evidence: Vec::new(),
        ..*params
    }
}

fn pretty(value: &impl Serialize) -> BeamResult<String> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|error| no_json(&error))
}

fn no_json(error: &serde_json::Error) -> BeamError {
    BeamError::internal(format!("the report has no JSON form: {error}"))
}

fn unwritable(error: &io::Error, params: &FeedbackParams, base: &Path) -> BeamError {
    let whereto = match params.confidential {
        true => "the directory of bundles".to_owned(),
        false => base.display().to_string(),
    };
    BeamError::new(
        ErrorCode::InternalError,
        format!("the bundle cannot be written into {whereto}: {error}"),
    )
    .with_hint("Make room or name another directory, or ask for the report with `bundle` \"none\".")
}

fn unix_ms() -> u64 {
    let since_epoch = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
