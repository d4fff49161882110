//! The scripted daemon.

use std::{
    io::{self, Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    sync::mpsc,
    thread::{self},
};

use lean_beam_proto::lock::LockFile;
use serde_json::{Value, json};

use super::{LIMIT, QUIET, World};

/// A daemon that says what the test tells it to.
pub(crate) struct Daemon {
    jobs: mpsc::Receiver<Job>,
    /// What tells a living daemon.
    _life: LockFile,
}

/// One request that the daemon got.
pub(crate) struct Job {
    pub(crate) request: Value,
    stream: UnixStream,
}

impl Daemon {
    pub(crate) fn listen(world: &World) -> Self {
        let life = LockFile::acquire(&world.runtime_dir.life_lock()).unwrap();
        let listener = UnixListener::bind(world.runtime_dir.socket()).unwrap();
        let (job_tx, job_rx) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                stream.set_read_timeout(Some(LIMIT)).unwrap();
                let mut line = Vec::new();
                let mut byte = [0];
                while stream.read(&mut byte).unwrap_or(0) == 1 && byte[0] != b'\n' {
                    line.push(byte[0]);
                }
                let request = serde_json::from_slice(&line).unwrap_or(Value::Null);
                if job_tx.send(Job { request, stream }).is_err() {
                    return;
                }
            }
        });
        Self {
            jobs: job_rx,
            _life: life,
        }
    }

    /// The next request.
    #[track_caller]
    pub(crate) fn next(&self) -> Job {
        self.jobs
            .recv_timeout(LIMIT)
            .expect("the daemon got no request")
    }

    /// The next request, which is for `op`.
    #[track_caller]
    pub(crate) fn next_for(&self, op: &str) -> Job {
        let job = self.next();
        assert_eq!(job.request["op"], op);
        job
    }

    /// Nothing more was asked.
    #[track_caller]
    pub(crate) fn expect_nothing(&self) {
        if let Ok(job) = self.jobs.recv_timeout(QUIET) {
            panic!("the daemon was asked {}", job.request);
        }
    }
}

impl Job {
    pub(crate) fn say(&mut self, line: &Value) {
        // The other end may have gone; a test that cares looks at the answer.
        let _gone = self.stream.write_all(format!("{line}\n").as_bytes());
    }

    pub(crate) fn accept(&mut self) {
        self.say(&json!({"event": "accepted", "request_id": "r"}));
    }

    /// The final line with a result.
    pub(crate) fn succeed(mut self, result: Value) {
        let root = self.request["workspace"]["root"].clone();
        let mut line = json!({"response": {"ok": result}, "identity": identity()});
        if !root.is_null() {
            line["workspace"] = json!({"root": root});
        }
        self.say(&line);
    }

    pub(crate) fn fail(mut self, error: Value) {
        self.say(&json!({"response": {"error": error}, "identity": identity()}));
    }

    /// Waits until the other end has hung up, which is how requests are cancelled.
    #[track_caller]
    pub(crate) fn wait_for_hang_up(mut self) {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Ok(_) => assert!(rest.is_empty()),
            // It hung up on lines that it had not read.
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::ConnectionReset),
        }
    }

    /// True when the other end has hung up already.
    pub(crate) fn is_open(&self) -> bool {
        self.stream.set_nonblocking(true).unwrap();
        let is_open = matches!((&self.stream).read(&mut [0]), Err(error) if error.kind() == io::ErrorKind::WouldBlock);
        self.stream.set_nonblocking(false).unwrap();
        is_open
    }
}

pub(crate) fn identity() -> Value {
    json!({"version": "9.9.9", "protocol": 1, "build": "test", "pid": 7, "started_ms": 0})
}
