//! What is to happen later.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    time::{Duration, Instant},
};

/// Events in the order of their time; events of the same time in the order in which they were added.
#[derive(Debug)]
pub(super) struct Timeline<E> {
    heap: BinaryHeap<Reverse<Item<E>>>,
    added: u64,
}

#[derive(Debug)]
struct Item<E> {
    due: Instant,
    order: u64,
    event: E,
}

impl<E> Timeline<E> {
    pub(super) const fn new() -> Self {
        Self {
            heap: BinaryHeap::new(),
            added: 0,
        }
    }

    /// Lets `event` happen `delay` from now.
    pub(super) fn add(&mut self, delay: Duration, event: E) {
        self.added += 1;
        self.heap.push(Reverse(Item {
            due: Instant::now() + delay,
            order: self.added,
            event,
        }));
    }

    /// How long until the next event. `None`: there is none.
    pub(super) fn next_in(&self) -> Option<Duration> {
        let Reverse(next) = self.heap.peek()?;
        Some(next.due.saturating_duration_since(Instant::now()))
    }

    /// Takes the next event out when its time has come.
    pub(super) fn take_due(&mut self) -> Option<E> {
        if self.next_in()? > Duration::ZERO {
            return None;
        }
        self.heap.pop().map(|Reverse(item)| item.event)
    }
}

impl<E> PartialEq for Item<E> {
    fn eq(&self, other: &Self) -> bool {
        (self.due, self.order) == (other.due, other.order)
    }
}

impl<E> Eq for Item<E> {}

impl<E> PartialOrd for Item<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Item<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due, self.order).cmp(&(other.due, other.order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_when_due_and_in_order() {
        let mut timeline = Timeline::new();
        timeline.add(Duration::from_secs(1000), "late");
        timeline.add(Duration::ZERO, "first");
        timeline.add(Duration::ZERO, "second");
        assert_eq!(timeline.take_due(), Some("first"));
        assert_eq!(timeline.take_due(), Some("second"));
        assert_eq!(timeline.take_due(), None);
        assert!(timeline.next_in().unwrap() > Duration::from_secs(900));
    }
}
