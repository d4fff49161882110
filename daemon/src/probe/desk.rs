//! The actor that owns a workspace's probe servers and lanes, and hands texts out to them.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use lean_beam_proto::{BeamError, BeamResult, status::ProbeStats};
use tokio::sync::{mpsc, oneshot};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::lane::{Ending, Job, Lane, RunOutcome};
use crate::{
    session::{SessionHandle, Spare},
    text::DocumentText,
};

/// How long a lane that was left running may go on: what it runs may never end.
const LEFT_RUNNING: Duration = Duration::from_secs(90);
/// How often that is looked at, at most.
const LANE_TICK: Duration = Duration::from_secs(30);

/// Starts a probe server. Fails when Lean cannot be found.
pub(crate) type StartServer = Arc<dyn Fn() -> BeamResult<SessionHandle> + Send + Sync>;

/// How much a desk may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeskLimits {
    /// Lanes of one document, each in a server of its own.
    pub(crate) lanes_per_document: usize,
    /// Lanes of all documents.
    pub(crate) lanes: usize,
    /// A lane that nobody used for this long is closed.
    pub(crate) lane_idle: Duration,
}

/// Everything that can wake the desk.
#[derive(Debug)]
pub(super) enum Inbox {
    /// Run a text in the lane that suits it best.
    Submit(Job),
    /// A lane is free again.
    Done {
        slot: u64,
        lane: Lane,
        ending: Ending,
    },
    /// The document changed in a way that lanes do not follow: its imports were loaded again.
    Forget { uri: String },
    /// The lanes that run nothing.
    Spare { reply: oneshot::Sender<Vec<Spare>> },
    /// Close this lane unless it runs something. False when there is no such lane.
    Evict {
        server: u32,
        uri: String,
        reply: oneshot::Sender<bool>,
    },
    /// Process ids of the servers.
    Servers { reply: oneshot::Sender<Vec<u32>> },
    /// Elaborate a text that others will begin with, unless there is other work.
    Warm {
        uri: String,
        text: Arc<DocumentText>,
    },
    /// What was counted, handles left out.
    Stats { reply: oneshot::Sender<ProbeStats> },
    /// Begin counting anew.
    ResetStats,
    /// End all servers.
    Stop { reply: oneshot::Sender<()> },
}

/// Starts a desk. Its servers start when they are needed.
pub(super) fn start(
    start_server: StartServer,
    limits: DeskLimits,
    tasks: &TaskTracker,
) -> mpsc::UnboundedSender<Inbox> {
    let (inbox, inbox_rx) = mpsc::unbounded_channel();
    let desk = Desk {
        start_server,
        limits,
        tasks: tasks.clone(),
        inbox: inbox.clone(),
        servers: Vec::new(),
        leaving: Vec::new(),
        slots: Vec::new(),
        queue: VecDeque::new(),
        next_slot: 0,
        in_use: false,
        counted: ProbeStats::default(),
    };
    tasks.spawn(desk.run(inbox_rx));
    inbox
}

struct Desk {
    start_server: StartServer,
    limits: DeskLimits,
    tasks: TaskTracker,
    inbox: mpsc::UnboundedSender<Inbox>,
    /// Server n holds the n-th lane of every document: one document is open at most once in a server.
    servers: Vec<SessionHandle>,
    /// Servers that were stopped, until they are gone.
    leaving: Vec<SessionHandle>,
    slots: Vec<Slot>,
    queue: VecDeque<Job>,
    next_slot: u64,
    /// A text was run here.
    in_use: bool,
    /// The counters among them; what is there now is filled in on request.
    counted: ProbeStats,
}

/// A lane's place.
struct Slot {
    id: u64,
    uri: String,
    server: usize,
    stop: CancellationToken,
    /// `None` while it runs a text.
    lane: Option<Lane>,
}

impl Desk {
    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Inbox>) {
        let period = (self.limits.lane_idle / 4).clamp(Duration::from_millis(50), LANE_TICK);
        let mut ticks = tokio::time::interval(period);
        loop {
            let message = tokio::select! {
                message = inbox.recv() => message,
                _ = ticks.tick(), if !self.slots.is_empty() => {
                    self.close_idle();
                    continue;
                }
            };
            match message {
                Some(Inbox::Submit(job)) => {
                    self.in_use = true;
                    self.queue.push_back(job);
                }
                Some(Inbox::Done { slot, lane, ending }) => {
                    self.count(ending);
                    self.done(slot, lane);
                }
                Some(Inbox::Warm { uri, text }) => self.warm(&uri, &text),
                Some(Inbox::Forget { uri }) => self.forget(&uri),
                Some(Inbox::Spare { reply }) => {
                    reply.send(self.spare()).ok();
                }
                Some(Inbox::Evict { server, uri, reply }) => {
                    reply.send(self.evict(server, &uri)).ok();
                }
                Some(Inbox::Servers { reply }) => {
                    reply.send(self.server_pids()).ok();
                }
                Some(Inbox::Stats { reply }) => {
                    reply.send(self.stats()).ok();
                }
                Some(Inbox::ResetStats) => self.counted = ProbeStats::default(),
                Some(Inbox::Stop { reply }) => {
                    self.stop(reply);
                }
                None => return,
            }
            self.assign();
        }
    }

    /// Gives waiting jobs to lanes, in order; a job whose lanes are all busy does not hold others up.
    fn assign(&mut self) {
        let mut waiting = std::mem::take(&mut self.queue);
        waiting.retain(|job| !job.reply.is_closed());
        for job in waiting {
            match self.place_for(&job) {
                Ok(Some(slot)) => self.start(slot, job),
                Ok(None) => self.queue.push_back(job),
                Err(error) => {
                    let failure = crate::session::SessionError::Invalid(error.message);
                    job.reply.send(RunOutcome::Failed(failure)).ok();
                }
            }
        }
    }

    /// The free lane that has most of the text already; else a new one; else none.
    fn place_for(&mut self, job: &Job) -> BeamResult<Option<usize>> {
        self.drop_dead_lanes();
        let free = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.uri == job.uri);
        let best = free
            .filter_map(|(index, slot)| Some((slot.lane.as_ref()?.common_prefix(&job.text), index)))
            .max();
        if let Some((_, index)) = best {
            return Ok(Some(index));
        }
        let taken: Vec<usize> = self
            .slots
            .iter()
            .filter(|slot| slot.uri == job.uri)
            .map(|slot| slot.server)
            .collect();
        if taken.len() >= self.limits.lanes_per_document || !self.make_room() {
            return Ok(None);
        }
        let server = (0..).find(|server| !taken.contains(server)).unwrap_or(0);
        self.open_lane(&job.uri, server).map(Some)
    }

    fn open_lane(&mut self, uri: &str, server: usize) -> BeamResult<usize> {
        let session = self.server(server)?;
        self.next_slot += 1;
        let lane = Lane::new(uri.to_owned(), session);
        self.slots.push(Slot {
            id: self.next_slot,
            uri: uri.to_owned(),
            server,
            stop: CancellationToken::new(),
            lane: Some(lane),
        });
        Ok(self.slots.len() - 1)
    }

    fn server(&mut self, number: usize) -> BeamResult<SessionHandle> {
        if let Some(server) = self
            .servers
            .get(number)
            .filter(|server| server.state().end.is_none())
        {
            return Ok(server.clone());
        }
        let server = (self.start_server)()?;
        if number < self.servers.len() {
            self.servers[number] = server.clone();
        } else if number == self.servers.len() {
            self.servers.push(server.clone());
        } else {
            return Err(BeamError::internal(
                "probe servers are numbered without gaps",
            ));
        }
        Ok(server)
    }

    fn start(&mut self, index: usize, job: Job) {
        let slot = &mut self.slots[index];
        let Some(lane) = slot.lane.take() else { return };
        let (id, stop, inbox) = (slot.id, slot.stop.clone(), self.inbox.clone());
        self.counted.runs += 1;
        self.tasks.spawn(async move {
            let (lane, ending) = lane.run(job, &stop).await;
            inbox
                .send(Inbox::Done {
                    slot: id,
                    lane,
                    ending,
                })
                .ok();
        });
    }

    /// Gives a text to a free lane without waiting for it: whatever comes next goes on from there. Work that
    /// somebody waits for goes first, and what is warm already is left alone.
    fn warm(&mut self, uri: &str, text: &Arc<DocumentText>) {
        // Until somebody runs texts here, a second copy of every file would be for nothing.
        if !self.in_use {
            return;
        }
        self.drop_dead_lanes();
        let of_document = |slot: &&mut Slot| slot.uri == uri;
        if self
            .slots
            .iter_mut()
            .any(|slot| slot.uri == uri && slot.lane.as_ref().is_none_or(|lane| lane.has(text)))
        {
            return;
        }
        if !self.slots.iter().any(|slot| slot.uri == uri)
            && (!self.make_room() || self.open_lane(uri, 0).is_err())
        {
            return;
        }
        if let Some(lane) = self
            .slots
            .iter_mut()
            .find(of_document)
            .and_then(|slot| slot.lane.as_mut())
        {
            lane.warm(text);
            self.counted.warm_ups += 1;
        }
    }

    fn count(&mut self, ending: Ending) {
        match ending {
            Ending::Ran => {}
            Ending::TimedOut => self.counted.timeouts += 1,
            Ending::Crashed => self.counted.crashes += 1,
            Ending::Cancelled => self.counted.cancelled += 1,
        }
    }

    fn stats(&self) -> ProbeStats {
        let busy_lanes = self.slots.iter().filter(|slot| slot.lane.is_none()).count();
        ProbeStats {
            lanes: self.slots.len(),
            busy_lanes,
            waiting: self.queue.len(),
            ..self.counted.clone()
        }
    }

    fn server_pids(&self) -> Vec<u32> {
        let all = self
            .servers
            .iter()
            .chain(&self.leaving)
            .map(SessionHandle::state);
        all.filter(|server| server.end.is_none())
            .filter_map(|server| server.pid)
            .collect()
    }

    fn done(&mut self, slot: u64, mut lane: Lane) {
        match self.slots.iter_mut().find(|place| place.id == slot) {
            Some(place) => place.lane = Some(lane),
            // Forgotten while it ran.
            None => lane.close(),
        }
    }

    fn forget(&mut self, uri: &str) {
        self.slots.retain_mut(|slot| slot.uri != uri || !end(slot));
    }

    fn drop_dead_lanes(&mut self) {
        self.slots
            .retain(|slot| slot.lane.as_ref().is_none_or(Lane::is_usable));
    }

    fn close_idle(&mut self) {
        let limit = self.limits.lane_idle;
        let before = self.slots.len();
        self.slots.retain_mut(|slot| {
            slot.lane
                .as_ref()
                .is_none_or(|lane| lane.last_use.elapsed() < idle_limit(lane, limit))
                || !end(slot)
        });
        self.count_evicted(before - self.slots.len());
    }

    /// The lanes that run nothing, as far as their servers are up.
    fn spare(&self) -> Vec<Spare> {
        let free = self.slots.iter().filter_map(|slot| slot.lane.as_ref());
        free.filter_map(Lane::spare).collect()
    }

    fn evict(&mut self, server: u32, uri: &str) -> bool {
        let is_it = |slot: &Slot| {
            let lane = slot.lane.as_ref().and_then(Lane::spare);
            lane.is_some_and(|lane| lane.server == server && lane.uri == uri)
        };
        let Some(index) = self.slots.iter().position(is_it) else {
            return false;
        };
        self.count_evicted(1);
        end(&mut self.slots.swap_remove(index))
    }

    fn count_evicted(&mut self, lanes: usize) {
        self.counted.evicted += lanes as u64;
    }

    /// Closes the lane that was not used for longest when there are too many. False when all are busy.
    fn make_room(&mut self) -> bool {
        if self.slots.len() < self.limits.lanes {
            return true;
        }
        let idle = self
            .slots
            .iter()
            .enumerate()
            .filter_map(|(index, slot)| Some((slot.lane.as_ref()?.last_use, index)));
        match idle.min() {
            Some((_, index)) => {
                self.count_evicted(1);
                end(&mut self.slots.swap_remove(index))
            }
            None => false,
        }
    }

    /// Ends everything, and says so once it is gone. Who asks for something meanwhile gets new servers.
    fn stop(&mut self, reply: oneshot::Sender<()>) {
        for slot in &mut self.slots {
            end(slot);
        }
        self.slots.clear();
        for job in self.queue.drain(..) {
            job.reply.send(RunOutcome::Cancelled).ok();
        }
        let servers = std::mem::take(&mut self.servers);
        self.leaving.retain(|server| server.state().end.is_none());
        self.leaving.extend(servers);
        let leaving = self.leaving.clone();
        self.tasks.spawn(async move {
            futures_util::future::join_all(leaving.iter().map(SessionHandle::stop)).await;
            reply.send(()).ok();
        });
    }
}

/// How long `lane` may go unused where others may for `limit`.
fn idle_limit(lane: &Lane, limit: Duration) -> Duration {
    if lane.is_left_running() {
        limit.min(LEFT_RUNNING)
    } else {
        limit
    }
}

/// Stops whatever the lane is doing and closes its document. Always true, for use in conditions.
fn end(slot: &mut Slot) -> bool {
    slot.stop.cancel();
    if let Some(lane) = &mut slot.lane {
        lane.close();
    }
    true
}
