//! Models of the synchronisation algorithms of `shmem-core`. [Loom](https://docs.rs/loom) runs them
//! in all interleavings, and with all the values that a load may return: `cargo test -p models`.
//!
//! The models compile the very source files of the crate. The module `system::sync` here gives them
//! loom's atomics; `segment` gives them the memory of a job whose PEs are loom's threads. A futex
//! is a mutex and a condition variable (`system::os`): a wake that is lost is a deadlock, which
//! loom reports. What a PE stores for another is a plain cell: loom reports a race where nothing
//! orders the accesses.
//!
//! A model that finds nothing may be one that cannot find anything. So `build.rs` also makes
//! *mutants*: copies of the same files with one mistake each, such as a wake left out. Each is run
//! in one of the models, which has to find it.
//!
//! Where all executions are too many, a model has a *preemption bound*: it then leaves out those in
//! which threads that could have gone on are interrupted more often than that.

#![cfg(test)]
// Each model uses a part of what it includes, and several include the same.
#![allow(dead_code, unreachable_pub, clippy::duplicate_mod)]

#[path = "../../shmem-core/src/transport/members.rs"]
mod members;
mod mutants;
mod real;
mod signal;
mod system;

/// As in `shmem-core`, for the included files.
mod transport {
    pub(crate) use crate::members::Members;

    /// Without the bounds on threads and unwinding, which loom's types do not meet.
    pub(crate) trait Meeting {
        fn sync(&self);
        fn barrier(&self);
        fn arrive(&self) -> u32;
        fn wait(&self, visit: u32);
        fn exchange_pair(&self, value: [u64; 2]) -> Option<[u64; 2]>;
        fn broadcast(&self, root: usize, bytes: &mut [u8]) -> bool;
        fn is_directly_addressable(&self) -> bool;
    }
}

/// Runs `model` in all executions, or in those with at most `bound` preemptions.
fn explore(bound: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let executions = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&executions);
    let mut loom = loom::model::Builder::new();
    loom.preemption_bound = bound;
    // The longest have some hundred steps; what has more is a loop that nobody ends, and loom says
    // so.
    loom.max_branches = 20_000;
    let start = std::time::Instant::now();
    loom.check(move || {
        counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        model();
    });
    let executions = executions.load(std::sync::atomic::Ordering::Relaxed);
    println!("{executions} executions in {:?}, preemption bound {bound:?}", start.elapsed());
}

/// Runs `body` as each of `n` PEs, which share `memory`; then `end`. Before any of them runs,
/// `prepare` makes what each begins with.
///
/// `memory` is gone afterwards: none of them may keep the reference that it is given, nor pass it
/// to a thread that lives longer.
fn run<T: 'static, P: 'static>(
    n: usize,
    memory: T,
    prepare: impl Fn(usize, &'static T) -> P,
    body: impl Fn(usize, &'static T, P) + Copy + 'static,
    end: impl Fn(&T),
) {
    let memory = Box::into_raw(Box::new(memory));
    // SAFETY: it was just made, and it is freed at the end of this function, after the last use:
    // see above.
    let shared: &'static T = unsafe { &*memory };
    let mut prepared: Vec<P> = (0..n).map(|pe| prepare(pe, shared)).collect();
    let others: Vec<_> = prepared
        .drain(1..)
        .zip(1..)
        .map(|(own, pe)| loom::thread::spawn(move || body(pe, shared, own)))
        .collect();
    body(0, shared, prepared.remove(0));
    for other in others {
        other.join().expect("a panic ends the model");
    }
    end(shared);
    // SAFETY: from `into_raw`, once; all threads that had the reference have ended, and nobody kept
    // it.
    drop(unsafe { Box::from_raw(memory) });
}

/// For [`run`]: nothing to begin with.
fn nothing<T>(_: usize, _: &T) {}

/// For [`run`]: nothing to look at afterwards.
fn done<T>(_: &T) {}
