//! Remote procedure calls: one session with the worker of each document that is asked, kept alive by use.
//!
//! A worker forgets a session thirty seconds after it was last kept alive, and with it every object that
//! it keeps for us. Nobody renews an unused one; the next call makes a new one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::{SessionError, SessionHandle};
use crate::lsp::{
    LspPosition, RpcCall, RpcConnect, RpcConnected, RpcKeepAlive, RpcRelease, is_outdated_session,
    method, references,
};

/// A session that is older than this since it was last kept alive counts as gone: Lean ends it after 30 s.
const LIFETIME: Duration = Duration::from_secs(25);
/// A session in use is kept alive when this long has passed since the last time.
const RENEW_AFTER: Duration = Duration::from_secs(5);
/// After so many calls a session is left to end. The answers to calls that were given up hold objects in
/// the worker that nobody can name and release.
const CALLS: u32 = 10_000;

/// The sessions by document. Held for single look-ups only, never across an await.
#[derive(Debug, Clone, Default)]
pub(super) struct RpcSessions {
    by_uri: Arc<Mutex<HashMap<String, RpcSession>>>,
}

#[derive(Debug)]
struct RpcSession {
    id: Arc<str>,
    renewed: Instant,
    calls: u32,
}

/// A session to call in.
#[derive(Debug)]
struct Usable {
    id: Arc<str>,
    /// It has to be kept alive first.
    renew: bool,
}

impl RpcSessions {
    /// The document has a new worker, or none.
    pub(super) fn forget(&self, uri: &str) {
        self.lock().remove(uri);
    }

    fn usable(&self, uri: &str, now: Instant) -> Option<Usable> {
        let mut sessions = self.lock();
        let session = sessions.get_mut(uri)?;
        let age = now.duration_since(session.renewed);
        if age >= LIFETIME || session.calls >= CALLS {
            sessions.remove(uri);
            return None;
        }
        session.calls += 1;
        let renew = age >= RENEW_AFTER;
        if renew {
            session.renewed = now;
        }
        Some(Usable {
            id: Arc::clone(&session.id),
            renew,
        })
    }

    fn insert(&self, uri: &str, id: &Arc<str>, now: Instant) {
        let session = RpcSession {
            id: Arc::clone(id),
            renewed: now,
            calls: 1,
        };
        self.lock().insert(uri.to_owned(), session);
    }

    /// Forgets one session, not another that was made since.
    fn forget_this(&self, uri: &str, id: &str) {
        let mut sessions = self.lock();
        if sessions.get(uri).is_some_and(|session| *session.id == *id) {
            sessions.remove(uri);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, RpcSession>> {
        self.by_uri.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionHandle {
    /// Calls one of Lean's remote procedures about a document, with a new session where the worker does not
    /// know the old one. What the worker keeps for the answer is released at once: references in the
    /// answer are of no use.
    ///
    /// # Errors
    /// As [`SessionHandle::request`].
    pub(crate) async fn call_rpc<P: Serialize>(
        &self,
        uri: &str,
        position: LspPosition,
        procedure: &'static str,
        params: &P,
    ) -> Result<Box<RawValue>, SessionError> {
        if let Some(session) = self.rpc.usable(uri, Instant::now()) {
            if session.renew {
                let renewal = RpcKeepAlive {
                    uri,
                    session_id: &session.id,
                };
                self.tell(method::RPC_KEEP_ALIVE, &renewal);
            }
            match self
                .call_in(&session.id, uri, position, procedure, params)
                .await
            {
                Err(SessionError::Refused(error)) if is_outdated_session(error.code) => {
                    self.rpc.forget_this(uri, &session.id);
                }
                answer => return answer,
            }
        }
        let id = self.connect_rpc(uri).await?;
        self.call_in(&id, uri, position, procedure, params).await
    }

    async fn connect_rpc(&self, uri: &str) -> Result<Arc<str>, SessionError> {
        let connected: RpcConnected = self
            .request(uri, method::RPC_CONNECT, &RpcConnect { uri })
            .await?;
        let id = Arc::from(connected.session_id);
        self.rpc.insert(uri, &id, Instant::now());
        Ok(id)
    }

    async fn call_in<P: Serialize>(
        &self,
        id: &str,
        uri: &str,
        position: LspPosition,
        procedure: &'static str,
        params: &P,
    ) -> Result<Box<RawValue>, SessionError> {
        let call = RpcCall::new(id, uri, position, procedure, params);
        let answer: Box<RawValue> = self.request(uri, method::RPC_CALL, &call).await?;
        let refs = references(&answer);
        if !refs.is_empty() {
            let release = RpcRelease {
                uri,
                session_id: id,
                refs: &refs,
            };
            self.tell(method::RPC_RELEASE, &release);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URI: &str = "file:///a.lean";

    fn with_session(now: Instant) -> RpcSessions {
        let sessions = RpcSessions::default();
        sessions.insert(URI, &Arc::from("1"), now);
        sessions
    }

    #[test]
    fn a_session_in_use_is_kept_alive_now_and_then() {
        let start = Instant::now();
        let sessions = with_session(start);
        let at = |seconds| {
            sessions
                .usable(URI, start + Duration::from_secs(seconds))
                .map(|session| session.renew)
        };
        assert_eq!(at(1), Some(false));
        assert_eq!(at(6), Some(true));
        assert_eq!(at(10), Some(false));
        assert_eq!(at(30), Some(true), "24 s after the last renewal");
        assert_eq!(at(56), None);
        assert_eq!(at(57), None, "and it is forgotten");
    }

    #[test]
    fn a_session_ends_after_many_calls() {
        let now = Instant::now();
        let sessions = with_session(now);
        let calls = std::iter::from_fn(|| sessions.usable(URI, now)).count();
        assert_eq!(calls, CALLS as usize - 1);
    }

    #[test]
    fn only_the_session_that_failed_is_forgotten() {
        let now = Instant::now();
        let sessions = with_session(now);
        sessions.forget_this(URI, "0");
        assert!(sessions.usable(URI, now).is_some());
        sessions.forget_this(URI, "1");
        assert!(sessions.usable(URI, now).is_none());
    }
}
