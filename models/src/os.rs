//! A futex of loom's parts.

use std::sync::{Arc, Mutex as StdMutex};

use loom::sync::atomic::{AtomicU32, Ordering};
use loom::sync::{Condvar, Mutex};

use crate::system::sync::Nap;

/// Those who sleep on one word.
struct Queue {
    word: usize,
    lock: Mutex<()>,
    changed: Condvar,
}

/// The queues of an execution. No thread of loom is interrupted while it holds this lock: it is not
/// one of loom's.
#[derive(Default)]
struct Queues(StdMutex<Vec<Arc<Queue>>>);

/// The system's services, as `System` of `shmem-core` has them.
#[derive(Clone, Copy)]
pub(crate) struct System(&'static Queues);

/// What a [`System`] refers to; to be kept for as long as that is used.
pub(crate) struct Kernel(*mut Queues);

impl Kernel {
    pub(crate) fn new() -> Kernel {
        Kernel(Box::into_raw(Box::default()))
    }

    pub(crate) fn system(&self) -> System {
        // SAFETY: it is there until this is dropped, by which time no PE is left to use it: see
        // `run`.
        System(unsafe { &*self.0 })
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: from `into_raw`, once.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

impl System {
    fn queue(self, word: usize) -> Arc<Queue> {
        let mut queues = self.0.0.lock().expect("no panic comes between");
        if let Some(queue) = queues.iter().find(|queue| queue.word == word) {
            return Arc::clone(queue);
        }
        let queue = Arc::new(Queue { word, lock: Mutex::new(()), changed: Condvar::new() });
        queues.push(Arc::clone(&queue));
        queue
    }

    /// Without an end of its own: a wake that is lost shall be found.
    pub(crate) fn sleep_while(self, word: &AtomicU32, value: u32, _: &mut Nap) -> bool {
        // Relaxed: what the kernel promises is the lock's order, and no more. It may read a value
        // that has been replaced, if the wake that follows finds this thread asleep.
        self.sleep_at(std::ptr::from_ref(word) as usize, || word.load(Ordering::Relaxed) == value);
        true
    }

    pub(crate) fn wake_all(self, word: &AtomicU32) {
        self.wake_at(std::ptr::from_ref(word) as usize);
    }

    /// Sleeps if `still`. Comes back only when it is woken: a waiter that needs to be woken early
    /// would wait for ever.
    pub(crate) fn sleep_at(self, word: usize, still: impl FnOnce() -> bool) {
        let queue = self.queue(word);
        let guard = queue.lock.lock().expect("a panic ends the model");
        if still() {
            drop(queue.changed.wait(guard));
        }
    }

    pub(crate) fn wake_at(self, word: usize) {
        let queue = self.queue(word);
        let guard = queue.lock.lock().expect("a panic ends the model");
        queue.changed.notify_all();
        drop(guard);
    }
}
