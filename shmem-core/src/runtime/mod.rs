//! The once-per-process state: this PE's place in its job.

use std::sync::{Mutex, MutexGuard, PoisonError};

use once_cell::sync::OnceCell;

pub(crate) mod backoff;
pub(crate) mod bytes;
mod counted;
pub(crate) mod direct;
pub(crate) mod heap;
mod space;
pub(crate) mod statics;
pub(crate) mod statistics;
pub(crate) mod team;

use self::counted::Counted;
use self::heap::{Heap, Released};
use self::team::Team;
use self::team::slots::Slots;
use crate::system::env::Env;
use crate::system::error::Error;
use crate::system::once;
use crate::transport::node::deadlock;
use crate::transport::{Transport, layout};

static RUNTIME: OnceCell<Runtime> = OnceCell::new();

/// A PE that has joined its job.
pub(crate) struct Runtime {
    transport: Box<dyn Transport>,
    heap: Mutex<Heap>,
    released: Released,
    slots: Mutex<Slots>,
    /// Whether collective calls are compared over the PEs.
    checked: bool,
    /// Whether synchronisations are more than that: compared or counted.
    watched: bool,
    team: Team,
    /// The PEs that address each other's memory, and those on one host; none where these are all PEs.
    groups: Option<[Team; 2]>,
}

/// The PE that this process is.
///
/// # Panics
///
/// When the process is not in a job.
#[inline]
#[track_caller]
pub(crate) fn get() -> &'static Runtime {
    match RUNTIME.get() {
        Some(runtime) => runtime,
        None => panic!(
            "this process is not in a job: symmetric memory exists inside `#[shmem::main]` and `#[shmem::test]` functions and \
             what they call"
        ),
    }
}

impl Runtime {
    #[inline]
    pub(crate) fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    /// The allocator. Collective calls of one process take turns on it.
    pub(crate) fn heap(&self) -> MutexGuard<'_, Heap> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn released(&self) -> &Released {
        &self.released
    }

    /// The slots of teams that this PE has.
    pub(crate) fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether collective calls are compared over the PEs.
    #[inline]
    pub(crate) fn is_checked(&self) -> bool {
        self.checked
    }

    /// Whether synchronisations are more than that: compared or counted.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.watched
    }

    /// The team of all PEs.
    #[inline]
    pub(crate) fn team(&self) -> &Team {
        &self.team
    }

    /// The team of the PEs whose memory this PE can address.
    pub(crate) fn shared_team(&self) -> &Team {
        self.groups.as_ref().map_or(&self.team, |[shared, _]| shared)
    }

    /// The team of the PEs on this PE's host.
    pub(crate) fn node_team(&self) -> &Team {
        self.groups.as_ref().map_or(&self.team, |[_, node]| node)
    }
}

/// Joins the job over `transport`. Collective.
pub(crate) fn start(transport: Box<dyn Transport>) -> Result<&'static Runtime, Error> {
    let runtime = once::join(&RUNTIME, || join(transport))?;
    statistics::begin();
    Ok(runtime)
}

/// Lays out the statics, compares the layout over all PEs, and opens the table of peers. Collective.
fn join(transport: Box<dyn Transport>) -> Result<Runtime, Error> {
    let env = Env::read()?;
    let me = transport.my_pe();
    let n_pes = transport.n_pes();
    let transport =
        if env.stats { Box::new(Counted::new(transport, statistics::prepare(n_pes))) } else { transport };
    let size = transport.heap_size();
    let laid = statics::lay_out(layout::END, n_pes);
    let needed = laid.as_ref().map_or(usize::MAX, |(_, end)| *end);
    let Some((laid, end)) = laid.filter(|(_, end)| *end <= size) else {
        let room = size - layout::END;
        return Err(Error::HeapExhausted {
            what: "the program's symmetric statics".to_owned(),
            needed: needed - layout::END,
            free: room,
            largest: room,
            total: room,
            suggestion: heap::suggest(needed - size, size),
        });
    };
    statics::check_alignments(&laid, &*transport)?;
    let Some(mine) = transport.peer(me) else {
        return Err(Error::Job(format!(
            "the transport {} cannot address the heap of its own PE",
            transport.name()
        )));
    };
    // SAFETY: the heap of this PE has `heap_size` bytes, at least `end`, and no PE touches another's before the meeting below.
    unsafe { statics::initialise(&laid, mine, transport.fresh_heaps_are_zero()) };
    let hash = statics::layout_hash(&laid, end);
    heap::put_words(&*transport, me, layout::LAYOUT, &[hash]);
    // Before anybody can use it.
    let team = Team::world(&*transport);
    let groups = transport.groups().map(|groups| Team::of_groups(&*transport, groups));
    transport.barrier_all();
    // Each looks at the next PE alone: where not all are alike, some two neighbours differ. To look at all would take time, and page
    // tables, for each of them in each of them.
    let next = (me + 1) % n_pes;
    let mut other = [0];
    heap::get_words(&*transport, next, layout::LAYOUT, &mut other);
    if other[0] != hash {
        return Err(Error::Disagreement(format!(
            "the symmetric statics of PE {next} are not those of PE {me}; every PE must run the same build of the \
             same program"
        )));
    }
    // Nobody begins before all have found their neighbour alike.
    transport.barrier_all();
    direct::open(&*transport, env.direct && !env.stats);
    Ok(Runtime {
        heap: Mutex::new(Heap::new(end, size, transport.fresh_heaps_are_zero())),
        team,
        groups,
        transport,
        released: Released::new(),
        slots: Mutex::new(Slots::new()),
        checked: env.check,
        watched: env.check || env.stats,
    })
}

/// Leaves the job: completes everything and waits for all PEs. Collective.
///
/// The PEs meet where they meet for nothing else: a PE that returns while another one waits in a collective call does not pass for its
/// partner there. The one that waits finds out: see [`deadlock`].
pub(crate) fn finish() {
    statistics::stop();
    let transport = get().transport();
    transport.sync_end();
    deadlock::end();
    statistics::finish(get());
}
