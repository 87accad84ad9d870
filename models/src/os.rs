//! A futex made of loom's types.

use std::sync::{Arc, Mutex as StdMutex};

use loom::sync::atomic::{AtomicU32, Ordering};
use loom::sync::{Condvar, Mutex};

use crate::system::sync::Nap;

/// The threads that sleep on one word.
struct Queue {
    word: usize,
    lock: Mutex<()>,
    changed: Condvar,
}

/// The queues of an execution. Loom does not interrupt a thread that holds this lock, because it is
/// not a lock of loom.
#[derive(Default)]
struct Queues(StdMutex<Vec<Arc<Queue>>>);

/// The services of the system, as in `System` of `shmem-core`.
#[derive(Clone, Copy)]
pub(crate) struct System(&'static Queues);

/// The memory that a [`System`] refers to; keep it as long as the [`System`] is used.
pub(crate) struct Kernel(*mut Queues);

impl Kernel {
    pub(crate) fn new() -> Kernel {
        Kernel(Box::into_raw(Box::default()))
    }

    pub(crate) fn system(&self) -> System {
        // SAFETY: it exists until this is dropped, and then no PE is left that could use it: see
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

    /// Without a time limit, so that the model finds a lost wake.
    pub(crate) fn sleep_while(self, word: &AtomicU32, value: u32, _: &mut Nap) -> bool {
        // Relaxed: the kernel promises only the order of its lock. The load may read an old value
        // if the wake that follows finds this thread asleep.
        self.sleep_at(std::ptr::from_ref(word) as usize, || word.load(Ordering::Relaxed) == value);
        true
    }

    pub(crate) fn wake_all(self, word: &AtomicU32) {
        self.wake_at(std::ptr::from_ref(word) as usize);
    }

    /// Sleeps if `still`. Returns only when it is woken, so a waiter that relies on waking early
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
