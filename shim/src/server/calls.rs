//! The tasks of the calls in flight.

use std::{collections::HashMap, sync::Arc};

use lean_beam_proto::BeamError;
use tokio::{
    sync::{mpsc, oneshot},
    task::AbortHandle,
};
use tokio_util::task::TaskTracker;

use super::Event;
use crate::{
    call::{Shared, carry_out},
    protocol::{Admission, Order},
};

/// The tasks by their call.
pub(super) struct Calls {
    running: HashMap<Admission, Running>,
    tracker: TaskTracker,
    events: mpsc::UnboundedSender<Event>,
}

struct Running {
    task: AbortHandle,
    /// Opens the gate of a call that was held back.
    gate: Option<oneshot::Sender<()>>,
}

impl Calls {
    /// Tasks that report to `events`.
    pub(super) fn new(events: mpsc::UnboundedSender<Event>) -> Self {
        Self {
            running: HashMap::new(),
            tracker: TaskTracker::new(),
            events,
        }
    }

    /// Starts the task of a call.
    pub(super) fn start(&mut self, order: Order, shared: &Arc<Shared>) {
        let admission = order.admission;
        let (gate_tx, gate_rx) = oneshot::channel();
        let is_held = !order.released;
        let events = self.events.clone();
        let shared = Arc::clone(shared);
        let departure = Departure {
            admission,
            events: self.events.clone(),
        };
        let task = self.tracker.spawn(async move {
            let _departure = departure;
            let outcome = carry_out(order, is_held.then_some(gate_rx), shared).await;
            // Without a main loop nobody waits for the outcome.
            let _gone = events.send(Event::Completed(admission, outcome));
        });
        let running = Running {
            task: task.abort_handle(),
            gate: is_held.then_some(gate_tx),
        };
        self.running.insert(admission, running);
    }

    /// Lets a call go that was held back.
    pub(super) fn release(&mut self, admission: Admission) {
        if let Some(gate) = self
            .running
            .get_mut(&admission)
            .and_then(|call| call.gate.take())
        {
            // A call that waits no longer is over, or about to be.
            let _over = gate.send(());
        }
    }

    /// Stops a call's work.
    pub(super) fn abort(&self, admission: Admission) {
        if let Some(call) = self.running.get(&admission) {
            call.task.abort();
        }
    }

    /// The call's task is gone.
    pub(super) fn forget(&mut self, admission: Admission) {
        self.running.remove(&admission);
    }

    /// True when no task is left.
    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }
}

/// Reports the end of a task, however it ends.
struct Departure {
    admission: Admission,
    events: mpsc::UnboundedSender<Event>,
}

impl Drop for Departure {
    fn drop(&mut self) {
        let _gone = self.events.send(Event::Gone(self.admission));
    }
}

/// What a call answers whose task ended without an outcome.
pub(super) fn vanished() -> BeamError {
    BeamError::internal("the call ended without an outcome")
}
