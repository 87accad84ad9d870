//! Models of the synchronisation algorithms of `shmem-core`. [Loom](https://docs.rs/loom) runs them
//! in all interleavings, and with all the values that a load may return: `cargo test -p models`.
//!
//! The models compile the same source files as the crate. The module `system::sync` here gives them
//! loom's atomics, and `segment` gives them the memory of a job whose PEs are threads of loom. A
//! futex is a mutex and a condition variable (`system::os`): a lost wake is a deadlock, which loom
//! reports. Data that a PE stores for another PE is a plain cell: loom reports a race if nothing
//! orders the accesses.
//!
//! A model that finds no mistake may be unable to find any. So `build.rs` also makes *mutants*:
//! copies of the same files with one mistake each, such as a missing wake. Each mutant runs in one
//! of the models, which must find the mistake. Mutants of `shmem-races`, which finds races in programs,
//! run without loom: random programs must find them (`races`).
//!
//! If there are too many executions, a model has a *preemption bound*: it omits executions in which
//! threads that could continue are interrupted more often than the bound.

#![cfg(test)]
// Each model uses a part of the files that it includes, and several models include the same files.
#![allow(dead_code, unreachable_pub, clippy::duplicate_mod)]

#[path = "../../shmem-core/src/transport/members.rs"]
mod members;
mod mutants;
mod races;
mod real;
mod signal;
mod system;

/// As in `shmem-core`, for the included files.
mod transport {
    pub(crate) use crate::members::Members;
    use crate::system::sync::AtomicU64;

    /// Without the bounds on threads and unwinding, which loom's types do not satisfy.
    pub(crate) trait Meeting {
        fn sync(&self);
        fn barrier(&self);
        fn arrive(&self) -> u32;
        fn wait(&self, visit: u32);
        fn exchange_pair(&self, value: [u64; 2]) -> Option<[u64; 2]>;
        fn broadcasts(&self, len: usize) -> bool;
        fn broadcast(&self, root: usize, bytes: &mut [u8]);
        fn broadcast_words(&self, root: usize, from: &[AtomicU64], to: Option<&[AtomicU64]>) -> bool;
        fn is_directly_addressable(&self) -> bool;
    }
}

/// Runs `model` in all executions, or in those with at most `bound` preemptions.
fn explore(bound: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let executions = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&executions);
    let mut loom = loom::model::Builder::new();
    loom.preemption_bound = bound;
    // The longest models have a few hundred steps. An execution with more steps is an endless loop,
    // and loom reports it.
    loom.max_branches = 20_000;
    let start = std::time::Instant::now();
    loom.check(move || {
        counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        model();
    });
    let executions = executions.load(std::sync::atomic::Ordering::Relaxed);
    println!("{executions} executions in {:?}, preemption bound {bound:?}", start.elapsed());
}

/// Runs `body` as each of `n` PEs, which share `memory`, and then `end`. Before any of them runs,
/// `prepare` makes the initial value of each.
///
/// `memory` is freed at the end: no PE may keep its reference or pass it to a thread that lives
/// longer.
fn run<T: 'static, P: 'static>(
    n: usize,
    memory: T,
    prepare: impl Fn(usize, &'static T) -> P,
    body: impl Fn(usize, &'static T, P) + Copy + 'static,
    end: impl Fn(&T),
) {
    let memory = Box::into_raw(Box::new(memory));
    // SAFETY: it was just made, and it is freed at the end of this function, after the last use.
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
    // SAFETY: from `into_raw`, once. All threads that had the reference have ended, and none has
    // kept it.
    drop(unsafe { Box::from_raw(memory) });
}

/// For [`run`]: no initial value.
fn nothing<T>(_: usize, _: &T) {}

/// For [`run`]: no check at the end.
fn done<T>(_: &T) {}
