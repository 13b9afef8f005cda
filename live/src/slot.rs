//! Hands the newest value from one thread to another: what is not taken in time is replaced, so nothing ever queues up.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A place for one value.
#[derive(Debug)]
pub struct Slot<T> {
    value: Mutex<Option<T>>,
    changed: Condvar,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { value: Mutex::new(None), changed: Condvar::new() }
    }
}

impl<T> Slot<T> {
    fn lock(&self) -> MutexGuard<'_, Option<T>> {
        // A thread that panicked while it held a value left it whole: it is replaced or taken in one step.
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts `value` in place of what was not taken.
    pub fn put(&self, value: T) {
        *self.lock() = Some(value);
        self.changed.notify_all();
    }

    /// Takes the value, waiting up to `patience` for one, or until it is woken and `given_up` says so.
    pub fn take(&self, patience: Duration, given_up: impl Fn() -> bool) -> Option<T> {
        let end = Instant::now() + patience;
        let mut value = self.lock();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if value.is_some() || left.is_zero() || given_up() {
                return value.take();
            }
            value = self.changed.wait_timeout(value, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Wakes whoever waits, to look whether it should give up.
    pub fn wake(&self) {
        let _lock = self.lock();
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::Arc, thread};

    #[test]
    fn only_the_newest_value_is_handed_over() {
        let slot = Slot::default();
        slot.put(1);
        slot.put(2);
        assert_eq!(slot.take(Duration::ZERO, || false), Some(2));
        assert_eq!(slot.take(Duration::ZERO, || false), None);
    }

    #[test]
    fn waiting_ends_with_the_value() {
        let slot = Arc::new(Slot::default());
        let other = slot.clone();
        let putting = thread::spawn(move || {
            thread::sleep(Duration::from_millis(30));
            other.put(7);
        });
        assert_eq!(slot.take(Duration::from_secs(10), || false), Some(7));
        putting.join().unwrap();
    }
}
