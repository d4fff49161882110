//! Documents of the scripted server: opening, editing, elaborating, crashing and closing them.

use std::{mem, time::Duration};

use serde_json::{Value, json};

use super::{
    answers,
    document::{Document, Place, State},
    log::Entry,
    pending::{Pending, Why},
    scenario::{Overtaken, Report, RequestId},
    server::{Event, Server},
    worker::Worker,
};

/// How soon real Lean answers a request that an edit overtook.
const OVERTAKEN_AFTER: Duration = Duration::from_millis(25);

/// Kinds of `$/lean/fileProgress`: still at work, or given up.
const PROCESSING: u64 = 1;
const FATAL: u64 = 2;

impl Document {
    /// Whether a wait for `version` has nothing to wait for.
    pub(super) fn has_reported(&self, version: i64) -> bool {
        version < self.version || (version == self.version && self.state == State::Done)
    }

    pub(super) fn is_crashed(&self) -> bool {
        self.state == State::Crashed
    }
}

impl Server {
    pub(super) fn open(&mut self, params: &Value) {
        let opened = &params["textDocument"];
        let uri = opened["uri"].as_str().unwrap_or_default().to_owned();
        if self.documents.contains_key(&uri) {
            self.violation(&format!("didOpen of the open document {uri}"));
        }
        let text = opened["text"].as_str().unwrap_or_default().to_owned();
        let mut document = Document::new(opened["version"].as_i64().unwrap_or_default(), text);
        document.worker = self.spawn_worker(&uri);
        self.documents.insert(uri.clone(), document);
        self.elaborate(&uri);
    }

    fn spawn_worker(&mut self, uri: &str) -> Option<Worker> {
        let worker = Worker::spawn(uri, self.scenario.workers?);
        self.recorder.record(Entry::WorkerStarted {
            uri: uri.to_owned(),
            worker: worker.pid(),
        });
        Some(worker)
    }

    pub(super) fn change(&mut self, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let version = params["textDocument"]["version"]
            .as_i64()
            .unwrap_or_default();
        let Some(document) = self.documents.get_mut(uri) else {
            self.violation(&format!("didChange of the closed document {uri}"));
            return;
        };
        let older = document.version;
        let crashed = document.is_crashed();
        document.version = version;
        document.header_error = None;
        let changes = params["contentChanges"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let (place, torn) = document.apply(changes);
        if version <= older {
            self.violation(&format!("version {version} of {uri} after version {older}"));
        }
        if torn {
            self.violation(&format!("an edit of {uri} tears a line end"));
        }
        if crashed && let Some(worker) = self.spawn_worker(uri) {
            self.documents
                .entry(uri.to_owned())
                .and_modify(|document| document.worker = Some(worker));
        }
        self.overtake(uri, version, place);
        self.elaborate(uri);
        self.release_held(uri);
    }

    /// Answers what an edit makes useless.
    fn overtake(&mut self, uri: &str, version: i64, edit: Place) {
        let old_waits = self.pending.take_where(|request| {
            request.is_about(uri) && matches!(request.why, Why::Version(wanted) if wanted < version)
        });
        for request in old_waits {
            self.output.answer(request.id(), &json!({}));
        }
        if self.scenario.shape.overtaken == Overtaken::Stays {
            return;
        }
        let touched = self.pending.take_where(|request| {
            request.is_about(uri)
                && matches!(request.why, Why::Time(_))
                && request.is_touched_by(edit)
        });
        for request in touched {
            self.answer_overtaken(&request);
        }
    }

    fn answer_overtaken(&mut self, request: &Pending) {
        if self.scenario.shape.overtaken == Overtaken::ContentModified {
            self.output
                .fail(request.id(), answers::CONTENT_MODIFIED, "content modified");
            return;
        }
        let event = Event::AnswerEmpty {
            id: request.id().clone(),
            method: request.method().to_owned(),
        };
        self.timeline.add(OVERTAKEN_AFTER, event);
    }

    /// Requests that came while the worker was dead are answered by its successor.
    fn release_held(&mut self, uri: &str) {
        let held = self
            .pending
            .take_where(|request| request.is_about(uri) && request.why == Why::Worker);
        for request in held {
            // A good server never breaks the loop over a request.
            let _ = self.handle_as_good_server(request.message);
        }
    }

    pub(super) fn close(&mut self, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let Some(document) = self.documents.remove(uri) else {
            self.violation(&format!("didClose of the closed document {uri}"));
            return;
        };
        for request in self.pending.take_where(|request| request.is_about(uri)) {
            let message = format!("The file worker for {uri} has been terminated.");
            self.output
                .fail(request.id(), answers::CONTENT_MODIFIED, &message);
        }
        self.publish(uri, document.version, &[], None);
    }

    /// Starts the elaboration of the document as it is now.
    fn elaborate(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri) else {
            return;
        };
        document.generation += 1;
        document.state = State::Elaborating;
        let (generation, version, whole) =
            (document.generation, document.version, document.whole());
        self.recorder.record(Entry::Document {
            uri: uri.to_owned(),
            version,
            text: document.text.clone(),
        });
        self.progress(uri, version, &[(PROCESSING, whole)]);
        self.publish(uri, version, &[], None);
        if self.reports_increments() {
            self.publish(uri, version, &[], Some(false));
        }
        self.schedule_steps(uri, generation);
    }

    fn schedule_steps(&mut self, uri: &str, generation: u64) {
        let steps = self.scenario.elaboration.progress_steps;
        let takes = Duration::from_millis(self.scenario.elaboration.takes_ms);
        for part in 1..=steps + 1 {
            let event = Event::Step {
                uri: uri.to_owned(),
                generation,
                part,
            };
            self.timeline.add(takes * part / (steps + 1), event);
        }
    }

    pub(super) fn elaborate_step(&mut self, uri: &str, generation: u64, part: u32) {
        let Some(document) = self.documents.get(uri) else {
            return;
        };
        if document.generation != generation || document.is_crashed() {
            return;
        }
        if part > self.scenario.elaboration.progress_steps {
            self.finish_elaboration(uri);
            return;
        }
        let last = document.last_line();
        let first =
            last * u64::from(part) / u64::from(self.scenario.elaboration.progress_steps + 1);
        let place = |line| json!({"line": line, "character": 0});
        let rest = json!({"start": place(first), "end": place(last)});
        let version = document.version;
        self.progress(uri, version, &[(PROCESSING, rest)]);
    }

    fn finish_elaboration(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri) else {
            return;
        };
        document.state = State::Done;
        let version = document.version;
        let found = document.diagnostics(self.client.silent_diagnostics);
        let fatal = document
            .header_error
            .is_some()
            .then(|| (FATAL, document.whole()));
        let last_progress: Vec<_> = fatal.into_iter().collect();
        if self.scenario.elaboration.progress_first {
            self.progress(uri, version, &last_progress);
        }
        self.report(uri, version, &found);
        if !self.scenario.elaboration.progress_first {
            self.progress(uri, version, &last_progress);
        }
        let waits = self.pending.take_where(|request| {
            request.is_about(uri)
                && matches!(request.why, Why::Version(wanted) if wanted <= version)
        });
        for request in waits {
            self.output.answer(request.id(), &json!({}));
        }
        self.refresh();
    }

    fn reports_increments(&self) -> bool {
        match self.scenario.elaboration.report {
            Report::Auto => self.client.incremental_diagnostics,
            Report::Incremental => true,
            Report::Once | Report::Growing => false,
        }
    }

    fn report(&mut self, uri: &str, version: i64, found: &[Value]) {
        if self.reports_increments() {
            for one in found {
                self.publish(uri, version, std::slice::from_ref(one), Some(true));
            }
        } else if self.scenario.elaboration.report == Report::Growing {
            for count in 1..=found.len() {
                self.publish(uri, version, &found[..count], None);
            }
        } else {
            self.publish(uri, version, found, None);
        }
    }

    pub(super) fn publish(
        &mut self,
        uri: &str,
        version: i64,
        found: &[Value],
        incremental: Option<bool>,
    ) {
        let mut params = json!({"uri": uri, "diagnostics": found});
        if self.scenario.shape.versions_in_notifications {
            params["version"] = version.into();
        }
        if let Some(incremental) = incremental {
            params["isIncremental"] = incremental.into();
        }
        self.output
            .notify("textDocument/publishDiagnostics", &params);
    }

    fn progress(&mut self, uri: &str, version: i64, processing: &[(u64, Value)]) {
        let ranges: Vec<_> = processing
            .iter()
            .map(|(kind, range)| json!({"kind": kind, "range": range}))
            .collect();
        let mut params = json!({"textDocument": {"uri": uri}, "processing": ranges});
        if self.scenario.shape.versions_in_notifications {
            params["textDocument"]["version"] = version.into();
        }
        self.output.notify("$/lean/fileProgress", &params);
    }

    /// Lets the documents whose URI contains `part` say that their imports are stale.
    pub(super) fn make_stale(&mut self, part: &str) {
        let stale: Vec<_> = self
            .documents
            .iter_mut()
            .filter(|(uri, _)| uri.contains(part))
            .map(|(uri, document)| {
                document.stale_imports = true;
                (uri.clone(), document.version, document.diagnostics(false))
            })
            .collect();
        let incremental = self.reports_increments().then_some(false);
        for (uri, version, found) in stale {
            self.publish(&uri, version, &found, incremental);
        }
    }

    fn refresh(&mut self) {
        if !self.scenario.shape.refresh_requests {
            return;
        }
        for method in [
            "workspace/semanticTokens/refresh",
            "workspace/inlayHint/refresh",
        ] {
            let id = RequestId::Number(self.next_request);
            self.next_request += 1;
            self.output.ask(&id, method, &Value::Null);
        }
    }

    /// What the watchdog does when a document's worker is gone.
    pub(super) fn crash_worker(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri) else {
            return;
        };
        document.state = State::Crashed;
        drop(mem::take(&mut document.worker));
        let (version, whole) = (document.version, document.whole());
        for request in self.pending.take_where(|request| request.is_about(uri)) {
            let message = format!(
                "Server process for {uri} crashed, likely due to a stack overflow or a bug."
            );
            self.output
                .fail(request.id(), self.scenario.shape.crash_code, &message);
        }
        self.progress(uri, version, &[(FATAL, whole)]);
    }
}
