//! Which calls are in flight, who owns which id, and who waits for whom.
//!
//! A call passes through three states. It is *open* until its result is taken or a cancel wins, then
//! either *answering* or *cancelled*, and it leaves when its line was written or its work has stopped.
//! Its id is free from the moment its line is about to be written: a client that has seen the answer
//! may use the id again, whatever the order in which threads notice.
//!
//! A *fence* waits for all calls before it, and all calls after it wait for the fence.

use std::collections::{BTreeMap, HashMap};

use crate::jsonrpc::RequestId;

/// Names one admitted call for as long as the process lives. Never used twice, unlike ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Admission(u64);

/// The calls in flight.
#[derive(Debug, Default)]
pub(super) struct Inflight {
    next: u64,
    calls: BTreeMap<Admission, Call>,
    owners: HashMap<RequestId, Admission>,
}

#[derive(Debug)]
struct Call {
    id: RequestId,
    is_fence: bool,
    released: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Answering,
    Cancelled,
}

impl Inflight {
    /// Takes in a call. The second value is false when it must wait for a fence or, being one, for
    /// the calls before it.
    pub(super) fn admit(&mut self, id: RequestId, is_fence: bool) -> (Admission, bool) {
        let admission = Admission(self.next);
        self.next += 1;
        let released = if is_fence {
            self.calls.is_empty()
        } else {
            !self.calls.values().any(|call| call.is_fence)
        };
        self.owners.insert(id.clone(), admission);
        let call = Call {
            id,
            is_fence,
            released,
            state: State::Open,
        };
        self.calls.insert(admission, call);
        (admission, released)
    }

    /// True while a call of this id has not been answered.
    pub(super) fn owns(&self, id: &RequestId) -> bool {
        self.owners.contains_key(id)
    }

    /// How many calls are in flight.
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// True when none is.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The client gives up a call. `None` when there is nothing to cancel: the id is unknown, its
    /// answer is on its way already, or it is a fence.
    pub(super) fn cancel(&mut self, id: &RequestId) -> Option<Admission> {
        let admission = *self.owners.get(id)?;
        let call = self.calls.get_mut(&admission)?;
        if call.is_fence || call.state != State::Open {
            return None;
        }
        call.state = State::Cancelled;
        self.owners.remove(id);
        Some(admission)
    }

    /// A call has its result. Gives the id to answer, or `None` when a cancel came first.
    pub(super) fn take(&mut self, admission: Admission) -> Option<RequestId> {
        let call = self.calls.get_mut(&admission)?;
        if call.state != State::Open {
            return None;
        }
        call.state = State::Answering;
        Some(call.id.clone())
    }

    /// The answer is about to be written: from here on the id is free.
    pub(super) fn retire(&mut self, admission: Admission) {
        if let Some(call) = self.calls.get(&admission)
            && self.owners.get(&call.id) == Some(&admission)
        {
            self.owners.remove(&call.id);
        }
    }

    /// The call is over: its line was written, or its work has stopped. Gives the calls that may
    /// start now, in the order of their arrival.
    pub(super) fn end(&mut self, admission: Admission) -> Vec<Admission> {
        self.retire(admission);
        self.calls.remove(&admission);
        let mut fence_before = false;
        let mut any_before = false;
        let mut freed = Vec::new();
        for (admission, call) in &mut self.calls {
            let free = if call.is_fence {
                !any_before
            } else {
                !fence_before
            };
            if free && !call.released {
                call.released = true;
                freed.push(*admission);
            }
            any_before = true;
            fence_before |= call.is_fence;
        }
        freed
    }

    /// Nobody is interested any more: cancels every open call but fences, and gives them in the order of
    /// their arrival.
    pub(super) fn cancel_all(&mut self) -> Vec<Admission> {
        let mut cancelled = Vec::new();
        for (admission, call) in &mut self.calls {
            if call.state == State::Open && !call.is_fence {
                call.state = State::Cancelled;
                self.owners.remove(&call.id);
                cancelled.push(*admission);
            }
        }
        cancelled
    }

    /// True when the call was cancelled and its work may still be stopping.
    pub(super) fn is_cancelled(&self, admission: Admission) -> bool {
        self.calls
            .get(&admission)
            .is_some_and(|call| call.state == State::Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(number: u32) -> RequestId {
        RequestId::Integer(number.to_string().into())
    }

    #[test]
    fn a_cancel_before_the_result_wins_and_one_after_it_is_late() {
        let mut calls = Inflight::default();
        let (first, _) = calls.admit(id(1), false);
        let (second, _) = calls.admit(id(2), false);
        assert_eq!(calls.cancel(&id(1)), Some(first));
        assert_eq!(calls.take(first), None);
        assert_eq!(calls.take(second), Some(id(2)));
        assert_eq!(calls.cancel(&id(2)), None);
        assert_eq!(calls.cancel(&id(1)), None, "cancelled twice");
    }

    #[test]
    fn a_cancel_meets_the_admission_that_owns_the_id_now() {
        let mut calls = Inflight::default();
        let (first, _) = calls.admit(id(1), false);
        calls.take(first);
        calls.retire(first);
        assert!(!calls.owns(&id(1)), "free before its line is flushed");
        let (second, _) = calls.admit(id(1), false);
        calls.end(first);
        assert!(
            calls.owns(&id(1)),
            "the end of the first leaves the second alone"
        );
        assert_eq!(calls.cancel(&id(1)), Some(second));
    }

    #[test]
    fn a_fence_waits_for_what_came_before_and_holds_what_comes_after() {
        let mut calls = Inflight::default();
        let (before, released) = calls.admit(id(1), false);
        assert!(released);
        let (fence, released) = calls.admit(id(2), true);
        assert!(!released);
        let (after, released) = calls.admit(id(3), false);
        assert!(!released);
        let (second_fence, _) = calls.admit(id(4), true);

        assert_eq!(calls.cancel(&id(2)), None, "a fence cannot be cancelled");
        assert_eq!(calls.end(before), [fence]);
        assert_eq!(calls.end(fence), [after]);
        assert_eq!(calls.end(after), [second_fence]);
        assert_eq!(calls.end(second_fence), []);
        assert!(calls.is_empty());
    }

    #[test]
    fn a_cancelled_call_holds_a_fence_until_its_work_has_stopped() {
        let mut calls = Inflight::default();
        let (slow, _) = calls.admit(id(1), false);
        let (fence, _) = calls.admit(id(2), true);
        calls.cancel(&id(1));
        assert!(calls.is_cancelled(slow));
        assert!(!calls.owns(&id(1)), "its id is free at once");
        assert_eq!(calls.end(slow), [fence]);
    }

    #[test]
    fn a_call_cancelled_behind_a_fence_frees_nobody() {
        let mut calls = Inflight::default();
        let (fence, released) = calls.admit(id(1), true);
        assert!(released);
        let (held, _) = calls.admit(id(2), false);
        let (last, _) = calls.admit(id(3), false);
        calls.cancel(&id(2));
        assert_eq!(calls.end(held), []);
        assert_eq!(calls.end(fence), [last]);
    }

    proptest! {
        /// Whatever the order of events: a released fence is alone at the front, and nothing that came
        /// after a fence runs beside it; everybody gets out in the end.
        #[test]
        fn fences_hold_under_any_order_of_events(
            steps in proptest::collection::vec((0u8..4, 0usize..8, any::<bool>()), 1..120),
        ) {
            let mut calls = Inflight::default();
            let mut running: Vec<Admission> = Vec::new();
            let mut fences: Vec<Admission> = Vec::new();
            let mut next_id = 0;
            for (action, pick, is_fence) in steps {
                match action {
                    0 | 1 => {
                        let (admission, released) = calls.admit(id(next_id), is_fence);
                        next_id += 1;
                        if is_fence { fences.push(admission); }
                        if released { running.push(admission); }
                    }
                    2 if !running.is_empty() => {
                        let ended = running.remove(pick % running.len());
                        running.extend(calls.end(ended));
                    }
                    _ => {
                        if let Some(cancelled) = calls.cancel(&id(pick as u32)) {
                            running.retain(|admission| *admission != cancelled);
                            running.extend(calls.end(cancelled));
                        }
                    }
                }
                for fence in running.iter().filter(|admission| fences.contains(admission)) {
                    prop_assert_eq!(running.len(), 1, "{:?} runs beside others", fence);
                }
            }
            while let Some(ended) = running.pop() {
                running.extend(calls.end(ended));
            }
            prop_assert!(calls.is_empty());
        }
    }
}
