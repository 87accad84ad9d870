//! A stream of the host back end: a thread that does what it is given, one thing after the other.
//!
//! As with a stream of a GPU, the caller does not wait when it issues work, a failure is found
//! later, and nothing that was issued after it is done. Unlike there, the failure names the place
//! in the program that issued the work.
//!
//! A thread without work sleeps until it is woken, and so does everybody who waits for it: to the
//! search for deadlocks of `shmem`, such a thread is none that could act.

use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Work for a stream: what it is, for messages, and where the program issues it.
pub struct Task {
    /// What it is, such as `put`.
    pub what: &'static str,
    /// Where the program issues it.
    pub place: &'static Location<'static>,
    /// Does it. An error is the reason why it cannot be done; a panic is taken for one.
    pub run: Box<dyn FnOnce() -> Result<(), String> + Send>,
}

/// Why a stream has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    what: &'static str,
    place: &'static Location<'static>,
    reason: String,
    /// What panicked when it was left out after this.
    after: Option<Box<Failure>>,
}

impl Failure {
    /// What failed, such as `put`.
    #[must_use]
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// Where the program issued it.
    #[must_use]
    pub fn place(&self) -> &'static Location<'static> {
        self.place
    }

    /// Why it failed.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { what, place, reason, after } = self;
        write!(f, "the {what} that was issued at {place}: {reason}")?;
        if let Some(Failure { what, place, reason, .. }) = after.as_deref() {
            write!(
                f,
                "; the {what} that was issued at {place} was left out, and panicked when it was dropped: {reason}"
            )?;
        }
        Ok(())
    }
}

/// What the thread and those who issue work share.
struct Shared {
    number: usize,
    state: Mutex<State>,
    /// Somebody has issued work, or the stream ends.
    issued: Condvar,
    /// Work is over.
    over: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    /// How much was issued, and how much of it is over: done, failed or left out.
    issued: u64,
    finished: u64,
    /// Why the stream has stopped, and the number of the work that failed.
    failure: Option<(u64, Failure)>,
    /// Whether somebody was told of the failure.
    is_told: bool,
    is_ending: bool,
}

impl State {
    /// Notes the failure of what is over last. Of those that panic when they are left out, the first
    /// is told with the failure before it.
    fn fail(&mut self, failure: Failure) {
        match &mut self.failure {
            None => self.failure = Some((self.finished, failure)),
            Some((_, before)) if before.after.is_none() => {
                before.after = Some(Box::new(failure));
                self.is_told = false;
            }
            Some(_) => {}
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics that holds it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the first `count` that were issued are over.
    fn wait(&self, count: u64) -> Result<(), Failure> {
        let mut state = self.lock();
        while state.finished < count {
            state = self.over.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match &state.failure {
            Some((number, failure)) if *number <= count => {
                let failure = failure.clone();
                state.is_told = true;
                Err(failure)
            }
            _ => Ok(()),
        }
    }

    /// Does work until the stream ends and nothing is left.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            let Some(task) = state.queue.pop_front() else {
                if state.is_ending {
                    return;
                }
                state = self.issued.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let has_failed = state.failure.is_some();
            drop(state);
            let Task { what, place, run } = task;
            // Work is also dropped here, outside of the lock: that may run code of the program. What
            // a panic leaves in disorder is the work's own, and the stream does nothing more.
            let work = AssertUnwindSafe(|| {
                if has_failed {
                    drop(run);
                    return Ok(());
                }
                run()
            });
            let result = at(place, || catch_unwind(work));
            let result = result.unwrap_or_else(|payload| {
                let reason = message(payload.as_ref()).to_owned();
                // Dropping the payload would run code of the program, which may panic again.
                std::mem::forget(payload);
                Err(reason)
            });
            state = self.lock();
            state.finished += 1;
            if let Err(reason) = result {
                state.fail(Failure { what, place, reason, after: None });
            }
            self.over.notify_all();
        }
    }
}

/// The message of a panic.
fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

thread_local! {
    /// Where the program has issued what this thread does.
    static PLACE: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// Where the program has issued what this thread does now; `None` in threads of the program.
#[must_use]
pub fn place() -> Option<&'static Location<'static>> {
    PLACE.get()
}

/// Does `work`, for which [`place`] is then `place`.
pub fn at<R>(place: &'static Location<'static>, work: impl FnOnce() -> R) -> R {
    /// Also where `work` panics.
    struct Before(Option<&'static Location<'static>>);
    impl Drop for Before {
        fn drop(&mut self) {
            PLACE.set(self.0);
        }
    }
    let _before = Before(PLACE.replace(Some(place)));
    work()
}

/// A stream. Dropping it waits until all of its work is over, but not while the thread panics.
pub struct Worker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stream {}", self.number())
    }
}

impl Worker {
    /// Starts a stream.
    ///
    /// # Errors
    ///
    /// When the system starts no thread.
    pub fn start() -> io::Result<Worker> {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let shared = Arc::new(Shared {
            number,
            state: Mutex::default(),
            issued: Condvar::new(),
            over: Condvar::new(),
        });
        let worker = Arc::clone(&shared);
        // The system shows 15 characters.
        let thread = thread::Builder::new().name(format!("stream {number}")).spawn(move || worker.work())?;
        Ok(Worker { shared, thread: Some(thread) })
    }

    /// Its number among those of this process, from 0 on.
    #[must_use]
    pub fn number(&self) -> usize {
        self.shared.number
    }

    /// Gives it work, and does not wait for it.
    pub fn issue(&self, task: Task) -> Ticket {
        let mut state = self.shared.lock();
        state.issued += 1;
        state.queue.push_back(task);
        self.shared.issued.notify_one();
        Ticket { shared: Arc::clone(&self.shared), count: state.issued, at: None }
    }

    /// What was issued so far.
    #[must_use]
    pub fn ticket(&self) -> Ticket {
        Ticket { shared: Arc::clone(&self.shared), count: self.shared.lock().issued, at: None }
    }

    /// Waits until all that was issued is over.
    ///
    /// # Errors
    ///
    /// The failure that the stream has stopped with, in each call from then on.
    pub fn synchronize(&self) -> Result<(), Failure> {
        self.ticket().wait()
    }

    /// Whether all that was issued is over.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.ticket().is_over()
    }

    /// The failure that nobody was told of. Then it counts as told.
    #[must_use]
    pub fn untold(&self) -> Option<Failure> {
        let mut state = self.shared.lock();
        let is_told = std::mem::replace(&mut state.is_told, true);
        let failure = state.failure.as_ref().filter(|_| !is_told);
        failure.map(|(_, failure)| failure.clone())
    }

    /// Waits until all of its work is over, and ends its thread.
    ///
    /// While the caller panics it does not wait: the work may need other PEs, which learn of the panic
    /// only after it. The thread does what is left, which owns all that it uses, and then ends.
    pub fn end(&mut self) {
        self.shared.lock().is_ending = true;
        self.shared.issued.notify_one();
        if let Some(thread) = self.thread.take()
            && !thread::panicking()
        {
            // It catches what panics.
            let _ = thread.join();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

/// A point in the work of a stream: what was issued before it.
#[derive(Clone)]
pub struct Ticket {
    shared: Arc<Shared>,
    count: u64,
    /// When the stream came there, where it was asked to say so.
    at: Option<Arc<Mutex<Option<Instant>>>>,
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after operation {} of stream {}", self.count, self.shared.number)
    }
}

impl Ticket {
    /// Waits until the stream is there.
    ///
    /// # Errors
    ///
    /// The failure, where the stream has failed before it came there.
    pub fn wait(&self) -> Result<(), Failure> {
        self.shared.wait(self.count)
    }

    /// Whether the stream is there.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.shared.lock().finished >= self.count
    }

    /// Whether it is a point in the work of this stream.
    #[must_use]
    pub fn is_of(&self, worker: &Worker) -> bool {
        Arc::ptr_eq(&self.shared, &worker.shared)
    }

    /// When the stream came there; `None` where it is not there yet, and where the ticket was not
    /// made by [`Worker::mark`].
    #[must_use]
    pub fn time(&self) -> Option<Instant> {
        *self.at.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Worker {
    /// A point whose time is noted when the stream comes there.
    #[track_caller]
    #[must_use]
    pub fn mark(&self) -> Ticket {
        let at = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&at);
        let run = Box::new(move || {
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            Ok(())
        });
        Ticket { at: Some(at), ..self.issue(Task { what: "event", place: Location::caller(), run }) }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;
    use std::sync::mpsc;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::{Task, Ticket, Worker, place};

    #[track_caller]
    fn issue(worker: &Worker, run: impl FnOnce() -> Result<(), String> + Send + 'static) -> Ticket {
        worker.issue(Task { what: "step", place: Location::caller(), run: Box::new(run) })
    }

    #[test]
    fn work_is_done_in_order_and_later() {
        let (worker, done) = (Worker::start().unwrap(), Arc::new(Mutex::new(Vec::new())));
        let (go, gate) = mpsc::channel::<()>();
        issue(&worker, move || gate.recv().map_err(|error| error.to_string()));
        for i in 0..1000 {
            let done = Arc::clone(&done);
            issue(&worker, move || {
                done.lock().unwrap().push(i);
                Ok(())
            });
        }
        assert!(!worker.is_idle());
        assert!(done.lock().unwrap().is_empty(), "nobody waits for the work");
        go.send(()).unwrap();
        worker.synchronize().unwrap();
        assert!(worker.is_idle());
        assert_eq!(*done.lock().unwrap(), (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn a_failure_stops_the_stream_and_names_its_place() {
        let worker = Worker::start().unwrap();
        let before = worker.mark();
        let line = line!() + 1;
        issue(&worker, || Err("the reason".to_owned()));
        let after = worker.mark();
        issue(&worker, || panic!("this is not done"));
        let failure = worker.synchronize().unwrap_err();
        assert_eq!(
            failure.to_string(),
            format!("the step that was issued at {}:{line}:9: the reason", file!())
        );
        assert_eq!(worker.synchronize(), Err(failure.clone()), "it stays");
        assert_eq!(before.wait(), Ok(()));
        assert!(before.time().is_some());
        assert_eq!(after.wait(), Err(failure));
        assert!(after.time().is_none(), "the stream never came there");
        assert_eq!(worker.untold(), None);
    }

    #[test]
    fn a_panic_is_a_failure_and_is_told_once() {
        let mut worker = Worker::start().unwrap();
        issue(&worker, || panic!("{}", String::from("words")));
        let held = Arc::new(());
        let kept = Arc::clone(&held);
        issue(&worker, move || {
            drop(kept);
            Ok(())
        });
        worker.end();
        assert_eq!(Arc::strong_count(&held), 1, "what is left out is dropped");
        assert_eq!(worker.untold().unwrap().reason(), "words");
        assert_eq!(worker.untold(), None);
    }

    /// What a panicking destructor says is told too, and the stream goes on to leave out work.
    #[test]
    fn a_panic_of_work_that_is_left_out_is_told() {
        struct Panics(&'static str);
        impl Drop for Panics {
            fn drop(&mut self) {
                panic!("{}", self.0);
            }
        }
        let worker = Worker::start().unwrap();
        issue(&worker, || Err("the reason".to_owned()));
        let first = worker.synchronize().unwrap_err().to_string();
        let line = line!() + 3;
        for text in ["one", "two"] {
            let held = Panics(text);
            issue(&worker, move || {
                let _held = held;
                Ok(())
            });
        }
        let (over, end) = mpsc::channel();
        std::thread::spawn(move || over.send((worker.synchronize(), worker.untold())));
        // A stream whose thread has died would be waited for without an end.
        let (result, untold) = end.recv_timeout(Duration::from_secs(60)).expect("the stream goes on");
        assert_eq!(
            result.unwrap_err().to_string(),
            format!(
                "{first}; the step that was issued at {}:{line}:13 was left out, and panicked when it was dropped: one",
                file!()
            )
        );
        assert_eq!(untold, None);
    }

    #[test]
    fn the_end_waits_for_the_work() {
        let done = Arc::new(Mutex::new(0));
        let worker = Worker::start().unwrap();
        for _ in 0..100 {
            let done = Arc::clone(&done);
            issue(&worker, move || {
                *done.lock().unwrap() += 1;
                Ok(())
            });
        }
        drop(worker);
        assert_eq!(*done.lock().unwrap(), 100);
    }

    #[test]
    fn a_panic_does_not_wait_for_the_work() {
        let (go, gate) = mpsc::channel::<()>();
        let (over, end) = mpsc::channel();
        let caught = std::panic::catch_unwind(|| {
            let worker = Worker::start().unwrap();
            issue(&worker, move || gate.recv().map_err(|error| error.to_string()));
            issue(&worker, move || over.send(()).map_err(|error| error.to_string()));
            panic!("with work under way");
        });
        assert_eq!(*caught.unwrap_err().downcast::<&str>().unwrap(), "with work under way");
        go.send(()).unwrap();
        end.recv().expect("the work is still done");
    }

    #[test]
    fn the_place_of_the_work_is_known_while_it_is_done() {
        let worker = Worker::start().unwrap();
        let line = line!() + 1;
        issue(&worker, move || match place() {
            Some(place) if place.line() == line => Ok(()),
            other => Err(format!("{other:?}")),
        });
        worker.synchronize().unwrap();
        assert_eq!(place(), None);
    }

    #[test]
    fn streams_wait_for_each_other() {
        let (one, two) = (Worker::start().unwrap(), Worker::start().unwrap());
        let (go, gate) = mpsc::channel::<()>();
        issue(&one, move || gate.recv().map_err(|error| error.to_string()));
        let event = one.mark();
        assert!(event.is_of(&one) && !event.is_of(&two));
        let before = event.clone();
        issue(&two, move || before.wait().map_err(|failure| failure.to_string()));
        assert!(!two.is_idle() && !event.is_over());
        go.send(()).unwrap();
        two.synchronize().unwrap();
        assert!(event.is_over());
    }
}
