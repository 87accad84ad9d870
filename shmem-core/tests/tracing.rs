//! What a subscriber of the program sees, with the feature `tracing`: exactly what the program did.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use shmem::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

#[symmetric]
static A: [u64; 16] = [0; 16];
#[symmetric]
static GRID: [[u16; 8]; 4] = [[0; 8]; 4];
#[symmetric]
static C: Atomic<u64> = Atomic::new(0);
#[symmetric]
static FLAG: Atomic<u64> = Atomic::new(0);
#[symmetric]
static SEEN: Atomic<u64> = Atomic::new(0);
#[symmetric]
static HELD: Lock = Lock::new();

/// An event, or the beginning of a span.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    target: String,
    level: Level,
    fields: BTreeMap<String, String>,
    /// How many spans of this library were open on the thread.
    depth: usize,
}

/// Keeps what it is told by this library, down to a level.
#[derive(Clone)]
struct Keeper {
    finest: Level,
    told: Arc<Mutex<Vec<Told>>>,
    /// How many spans of this library are open. The program has one thread.
    open: Arc<AtomicU64>,
    /// What it does itself when it is told something.
    answer: fn(&Told),
}

impl Keeper {
    fn new(finest: Level) -> Keeper {
        Keeper { finest, told: Arc::default(), open: Arc::default(), answer: |_| () }
    }

    fn keep(&self, metadata: &Metadata<'_>, record: impl FnOnce(&mut Fields)) {
        let mut fields = Fields(BTreeMap::new());
        record(&mut fields);
        let depth = self.open.load(Ordering::Relaxed) as usize;
        let told =
            Told { target: metadata.target().to_owned(), level: *metadata.level(), fields: fields.0, depth };
        (self.answer)(&told);
        self.told.lock().unwrap().push(told);
    }

    /// Runs `body` with this subscriber, and returns what it was told.
    fn during(&self, body: impl FnOnce()) -> Vec<Told> {
        tracing::subscriber::with_default(self.clone(), body);
        assert_eq!(self.open.load(Ordering::Relaxed), 0, "all spans are closed");
        std::mem::take(&mut *self.told.lock().unwrap())
    }
}

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("shmem::") && *metadata.level() <= self.finest
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.keep(span.metadata(), |fields| span.record(fields));
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        self.keep(event.metadata(), |fields| event.record(fields));
    }
    fn enter(&self, _: &Id) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }
    fn exit(&self, _: &Id) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

/// What is expected of an operation.
fn told(target: &str, level: Level, depth: usize, fields: &[(&str, &dyn fmt::Display)]) -> Told {
    let pe = [("pe", &shmem::my_pe() as &dyn fmt::Display)];
    let fields = fields.iter().chain(&pe).map(|(name, value)| ((*name).to_owned(), value.to_string()));
    Told { target: target.to_owned(), level, fields: fields.collect(), depth }
}

/// The place `lines` after the caller's.
#[track_caller]
fn after(lines: u32) -> String {
    let here = Location::caller();
    format!("{}:{}", here.file(), here.line() + lines)
}

/// Compares one by one, for a message that can be read.
#[track_caller]
fn assert_told(seen: &[Told], expected: &[Told]) {
    for (seen, expected) in seen.iter().zip(expected) {
        assert_eq!(seen, expected);
    }
    assert_eq!(seen.len(), expected.len(), "{seen:#?}");
}

/// The object as messages name it.
fn object(declaration: &str) -> String {
    let source = include_str!("tracing.rs");
    // That of the attribute.
    let line = source.lines().position(|line| line.starts_with(&format!("static {declaration}"))).unwrap();
    format!("`{declaration}` ({}:{line})", file!())
}

#[shmem::test(npes = [2, 3])]
fn every_operation_is_told_once(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    let keeper = Keeper::new(Level::TRACE);
    let first = after(2);
    let seen = keeper.during(|| {
        remote!(A[right, 0..4]) = [1; 4];
        remote!(A[right, 8]) = 1;
        remote!(A[right, 0..8;2]) = [2; 4];
        let _ = (remote!(A[right, 4..9]), remote!(A[right, 0..6;3]));
        let _ = local!(A[3]);
        remote!(GRID[right, 0..3, 0..8;2]) = [[1; 4]; 3];
        remote!(C[right]) = 1;
        remote!(C[right]) += 1;
        let _ = remote!(&C[right]).swap(4);
        remote!(&A[right, 0..2]).put_signal([7, 7], remote!(&C[right]), SignalOp::Add(1));
        world.nbi(|s| s.put(remote!(&A[right, 15]), &1));
        world.fence();
        world.quiet();
    });
    let (file, line) = first.rsplit_once(':').unwrap();
    let line: u32 = line.parse().unwrap();
    let place = |lines: u32| format!("{file}:{}", line + lines);
    let (a, grid, c) = (object("A: [u64; 16]"), object("GRID: [[u16; 8]; 4]"), object("C: Atomic<u64>"));
    let operation = |lines: u32, target: &str, operation: &str, peer: usize, bytes: usize, object: &str| {
        let fields: [(&str, &dyn fmt::Display); 5] = [
            ("operation", &operation),
            ("peer", &peer),
            ("bytes", &bytes),
            ("object", &object),
            ("place", &place(lines)),
        ];
        told(target, Level::TRACE, 0, &fields)
    };
    let order = |what: &str| told("shmem::order", Level::TRACE, 0, &[("operation", &what)]);
    let (rma, amo, me) = ("shmem::rma", "shmem::amo", world.my_pe());
    let expected = [
        operation(0, rma, "put", right, 32, &a),
        operation(1, rma, "put", right, 8, &a),
        operation(2, rma, "iput", right, 32, &a),
        operation(3, rma, "get", right, 40, &a),
        operation(3, rma, "iget", right, 16, &a),
        operation(4, rma, "get", me, 8, &a),
        operation(5, rma, "iput", right, 8, &grid),
        operation(5, rma, "iput", right, 8, &grid),
        operation(5, rma, "iput", right, 8, &grid),
        operation(6, amo, "atomic_set", right, 8, &c),
        operation(7, amo, "atomic_add", right, 8, &c),
        operation(8, amo, "atomic_swap", right, 8, &c),
        operation(9, rma, "put", right, 16, &a),
        order("fence"),
        operation(9, amo, "atomic_add", right, 8, &c),
        operation(10, rma, "put", right, 8, &a),
        order("quiet"),
        order("fence"),
        order("quiet"),
    ];
    assert_told(&seen, &expected);
}

/// Whether loads and stores reach the other PEs.
fn is_direct(pe: usize) -> bool {
    remote!(&A[pe, ..]).as_ptr().is_some()
}

/// Collective calls are told of without operations, which then take the way that they always take.
#[shmem::test(npes = [2, 3])]
fn spans_leave_operations_as_they_are(world: &World) {
    let (n, right) = (world.n_pes(), (world.my_pe() + 1) % world.n_pes());
    let before = is_direct(right);
    let mut sum = 0;
    let place = after(2);
    let seen = Keeper::new(Level::DEBUG).during(|| {
        world.barrier_all();
        remote!(A[right, 0]) = 3;
        sum = collective!(sum 2_u32);
        let mut values = [world.my_pe() as u64; 3];
        world.team().broadcast_values(&mut values, 1);
        assert_eq!(values, [1; 3]);
        let mut array = world.zeros::<u32, 2>([2, 5]).expect("there is room");
        array.resize([4, 5], 0).expect("there is room");
        assert_eq!(world.local_phase(|p| A.as_slice(p)[0]), 3);
        array.free().expect("all free it");
    });
    assert_eq!(sum, 2 * n as u32);
    assert_eq!(is_direct(right), before);
    let (file, line) = place.rsplit_once(':').unwrap();
    let line: u32 = line.parse().unwrap();
    let place = |lines: u32| format!("{file}:{}", line + lines);
    let team = if n == 2 { "2 PEs (0, 1)" } else { "3 PEs (0, 1, … by 1)" };
    let span = |target: &str, lines: u32, operation: &str, more: &[(&str, &dyn fmt::Display)]| {
        let place = place(lines);
        let own: [(&str, &dyn fmt::Display); 2] = [("operation", &operation), ("place", &place)];
        told(target, Level::DEBUG, 0, &[&own, more].concat())
    };
    let (collective, heap) = ("shmem::collective", "shmem::heap");
    let kinds = ["SymmetricArray<u32, 2> of 2 × 5", "SymmetricArray<u32, 2> of 4 × 5"];
    let expected = [
        span(collective, 0, "barrier_all", &[("team", &team)]),
        span(collective, 2, "sum", &[("team", &team), ("bytes", &4)]),
        span(collective, 4, "broadcast", &[("team", &team), ("bytes", &24)]),
        span(heap, 6, "allocate", &[("object", &kinds[0]), ("bytes", &40)]),
        span(heap, 7, "resize", &[("object", &kinds[1]), ("bytes", &80)]),
        span("shmem::phase", 8, "local_phase", &[]),
        span(heap, 9, "free", &[]),
    ];
    // Waits depend on the others.
    let seen: Vec<_> = seen.into_iter().filter(|told| told.target != "shmem::wait").collect();
    assert_told(&seen, &expected);
}

/// What a collective call moves stands in its span.
#[shmem::test(npes = [2, 3])]
fn operations_of_collectives_are_in_their_span(world: &World) {
    let source = world.ones::<u64, 1>([1 << 12]).expect("there is room");
    let to = world.zeros::<u64, 1>([1 << 12]).expect("there is room");
    let place = after(2);
    let seen = Keeper::new(Level::TRACE).during(|| {
        collective!(to[..] = sum source[..]);
    });
    assert_eq!(local!(to[..]), vec![world.n_pes() as u64; 1 << 12]);
    let calls: Vec<_> = seen.iter().filter(|told| told.target == "shmem::collective").collect();
    assert_eq!(calls.len(), 1, "{seen:#?}");
    assert_eq!((calls[0].fields["operation"].as_str(), calls[0].depth), ("sum", 0));
    assert_eq!(calls[0].fields["bytes"], (8 << 12).to_string());
    let moved: Vec<_> = seen.iter().filter(|told| told.target == "shmem::rma").collect();
    assert!(!moved.is_empty());
    for told in moved {
        assert!(told.fields["operation"].ends_with(" in collectives") && told.depth > 0, "{told:?}");
        assert_eq!((told.fields.get("object"), &told.fields["place"]), (None, &place));
    }
}

/// PE 0 waits, and its subscriber tells PE 1 so, by operations that are not told of. Then PE 1 ends
/// the wait.
#[shmem::test(npes = [2, 3])]
fn a_wait_that_lasts(world: &World) {
    let answer = |told: &Told| {
        if told.target == "shmem::wait" {
            remote!(SEEN[1]) = 1;
        }
    };
    let keeper = Keeper { answer, ..Keeper::new(Level::TRACE) };
    match world.my_pe() {
        0 => {
            let place = after(1);
            let seen = keeper.during(|| assert_eq!(wait!(FLAG >= 5), 7));
            let waits: Vec<_> = seen.iter().filter(|told| told.target == "shmem::wait").collect();
            let fields: [(&str, &dyn fmt::Display); 2] = [("condition", &"FLAG >= 5"), ("place", &place)];
            assert_eq!(waits, [&told("shmem::wait", Level::DEBUG, 0, &fields)]);
            // Each look reads the cell, and nothing else.
            let looks = seen.iter().filter(|told| told.target != "shmem::wait");
            for look in looks {
                assert_eq!(look.fields["operation"], "atomic_fetch");
                assert_eq!((&look.fields["peer"], &look.fields["place"]), (&"0".to_owned(), &place));
            }
        }
        1 => {
            wait!(SEEN == 1);
            remote!(FLAG[0]) = 7;
        }
        _ => {}
    }
}

/// PE 1 waits for a lock that PE 0 has, until PE 0 hears of it.
#[shmem::test(npes = [2, 3])]
fn a_wait_for_a_lock(world: &World) {
    let answer = |told: &Told| {
        if told.target == "shmem::wait" {
            remote!(SEEN[0]) = 1;
        }
    };
    let guard = (world.my_pe() == 0).then(|| HELD.lock());
    world.barrier_all();
    match world.my_pe() {
        0 => {
            wait!(SEEN == 1);
            drop(guard);
        }
        1 => {
            let place = after(1);
            let seen = Keeper { answer, ..Keeper::new(Level::DEBUG) }.during(|| drop(HELD.lock()));
            let fields: [(&str, &dyn fmt::Display); 3] =
                [("condition", &"the lock HELD"), ("peer", &0), ("place", &place)];
            assert_told(&seen, &[told("shmem::wait", Level::DEBUG, 0, &fields)]);
        }
        _ => {}
    }
}

/// A subscriber may come at any time, also in a local phase and on another thread.
#[shmem::test(npes = 2)]
fn a_subscriber_comes_and_goes(world: &World) {
    let other = 1 - world.my_pe();
    let before = is_direct(other);
    remote!(A[other, 0]) = 1;
    let keeper = Keeper::new(Level::TRACE);
    let seen = keeper.during(|| remote!(A[other, 1] = 2));
    assert_eq!(seen.len(), 1);
    // From then on operations go through the transport; a local phase is the end of that.
    assert!(!is_direct(other));
    remote!(A[other, 2]) = 3;
    assert_eq!(keeper.during(|| ()), []);
    drop(keeper);
    tracing_core::callsite::rebuild_interest_cache();
    world.local_phase(|p| assert_eq!(A.as_slice(p)[..3], [1, 2, 3]));
    assert_eq!(is_direct(other), before);
    // In a phase, and from another thread.
    let keeper = Keeper::new(Level::TRACE);
    world.local_phase(|_| {
        let keeper = keeper.clone();
        std::thread::spawn(move || assert!(keeper.during(|| ()).is_empty())).join().unwrap();
    });
    let seen = keeper.during(|| remote!(A[other, 3] = 4));
    assert_eq!(seen.len(), 1);
    world.barrier_all();
}
