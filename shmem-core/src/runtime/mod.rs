//! The state of a process that has joined its job.

use std::panic::Location;
use std::ptr::{self, NonNull};
use std::sync::TryLockError;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) mod across;
pub(crate) mod agreement;
pub(crate) mod backoff;
pub(crate) mod batch;
pub(crate) mod block;
pub(crate) mod bytes;
pub(crate) mod context;
pub(crate) mod direct;
#[cfg_attr(not(feature = "tracing"), path = "no_events.rs")]
pub(crate) mod events;
pub(crate) mod far;
pub(crate) mod heap;
pub(crate) mod moves;
pub(crate) mod objects;
pub(crate) mod observe;
mod observed;
pub(crate) mod parts;
pub(crate) mod placed;
pub(crate) mod places;
pub(crate) mod races;
pub(crate) mod recorder;
pub(crate) mod region;
mod space;
pub(crate) mod spread;
pub(crate) mod statics;
pub(crate) mod statistics;
mod tally;
pub(crate) mod target;
pub(crate) mod team;
mod writes;

use self::heap::{Heap, Released};
use self::observed::Observed;
use self::races::MeetingScope;
use self::team::Team;
use self::team::slots::Slots;
use crate::system::env::Env;
use crate::system::error::Error;
use crate::transport::node::deadlock;
use crate::transport::{Endpoint, Facts, Transport, layout};

/// The PE that this process is; null while it is in no job.
static RUNTIME: AtomicPtr<Runtime> = AtomicPtr::new(ptr::null_mut());

/// A PE that has joined its job.
pub(crate) struct Runtime {
    endpoint: Endpoint,
    heap: Mutex<Heap>,
    released: Released,
    slots: Mutex<Slots>,
    /// Whether the PEs compare their collective calls.
    checked: bool,
    /// Whether synchronisations do more than synchronise: they are compared or observed.
    watched: bool,
    /// Whether peers are accessed by loads and stores where these reach them.
    loads_and_stores: bool,
    team: Team,
    /// The team of the PEs that share memory, and that of the PEs on one host; `None` where both
    /// are all PEs.
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
    match find() {
        Some(runtime) => runtime,
        None => panic!(
            "this process is not in a job: symmetric memory exists inside `#[shmem::main]` and `#[shmem::test]` functions and \
             what they call"
        ),
    }
}

/// The PE that this process is, if it is in a job.
#[inline]
pub(crate) fn find() -> Option<&'static Runtime> {
    // SAFETY: null, or what `open` has stored: a reference that lives for ever. The load acquires
    // the value that `open` released.
    unsafe { RUNTIME.load(Ordering::Acquire).as_ref() }
}

impl Runtime {
    #[inline]
    pub(crate) fn transport(&self) -> &'static dyn Transport {
        self.endpoint.transport
    }

    /// This PE's endpoint of the transport.
    #[inline]
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Completes this PE's puts and updates, and waits for all PEs. Collective.
    pub(crate) fn barrier_all(&self) {
        self.endpoint.meetings.barrier_all();
    }

    /// As [`barrier_all`](Runtime::barrier_all), for a call on the heap.
    #[track_caller]
    pub(crate) fn barrier_on_heap(&self) {
        let _meeting = MeetingScope::on_heap(Location::caller());
        self.barrier_all();
    }

    /// The allocator. Collective calls of one process use it one after the other.
    pub(crate) fn heap(&self) -> MutexGuard<'_, Heap> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The allocator, if no thread is in a collective call on it.
    pub(crate) fn heap_now(&self) -> Option<MutexGuard<'_, Heap>> {
        match self.heap.try_lock() {
            Ok(heap) => Some(heap),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Whether peers are accessed by loads and stores where these reach them. The same on all PEs.
    pub(crate) fn uses_loads_and_stores(&self) -> bool {
        self.loads_and_stores
    }

    /// The start of this PE's heap in this process.
    pub(crate) fn own_heap(&self) -> *mut u8 {
        let heap = self.endpoint.heaps.peer(self.endpoint.facts.my_pe);
        heap.expect("a PE that has joined addresses its own heap")
    }

    /// Moves `bytes` at the offset `from` to the offset `to`, in the heap of this PE. The two places
    /// may overlap.
    ///
    /// # Safety
    ///
    /// Both lie in blocks of which no PE accesses these bytes meanwhile.
    pub(crate) unsafe fn shift(&self, from: usize, to: usize, bytes: usize) {
        let heap = self.own_heap();
        // SAFETY: both places lie in the heap, and only this thread accesses them.
        unsafe { heap.add(from).copy_to(heap.add(to), bytes) };
    }

    /// Puts the bytes from `offset` on in this PE's heap in the place of the `len` bytes of this
    /// process at `address`, with the content of these. Pages of zeros are not written where the
    /// heap has zeros, which it has from `fresh` on: they take no memory.
    ///
    /// # Safety
    ///
    /// All of these are multiples of the page size, but for `fresh`. Both places have `len` bytes,
    /// that in the heap in a block. The pages at `address` can be written and may be replaced; they
    /// are no part of the heap, or exactly these. Nobody else accesses either place meanwhile.
    ///
    /// # Errors
    ///
    /// When the transport or the system cannot do it.
    pub(crate) unsafe fn map_over(
        &self,
        address: NonNull<u8>,
        offset: usize,
        len: usize,
        fresh: usize,
    ) -> Result<(), Error> {
        let (page, place) = (rustix::param::page_size(), self.own_heap().wrapping_add(offset));
        for start in (0..len).step_by(page) {
            // SAFETY: by the caller's promise both pages are there, aligned, and not accessed by
            // others. Where they are one page, it is written with what it holds.
            unsafe {
                let (from, to) = (address.add(start), place.add(start));
                let words = std::slice::from_raw_parts(from.cast::<u64>().as_ptr(), page / 8);
                if words.iter().any(|&word| word != 0) {
                    to.copy_from(from.as_ptr(), page);
                } else if offset + start < fresh {
                    to.write_bytes(0, page);
                }
            }
        }
        // SAFETY: the caller's promises.
        unsafe { self.endpoint.heaps.map_over(address, offset, len) }
    }

    pub(crate) fn released(&self) -> &Released {
        &self.released
    }

    /// The team slots of this PE.
    pub(crate) fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the PEs compare their collective calls.
    #[inline]
    pub(crate) fn is_checked(&self) -> bool {
        self.checked
    }

    /// Whether synchronisations do more than synchronise: they are compared or observed.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.watched
    }

    /// The team of all PEs.
    #[inline]
    pub(crate) fn team(&self) -> &Team {
        &self.team
    }

    /// The team of the PEs whose memory is directly addressable from this PE.
    pub(crate) fn shared_team(&self) -> &Team {
        self.groups.as_ref().map_or(&self.team, |[shared, _]| shared)
    }

    /// The team of the PEs on this PE's host.
    pub(crate) fn node_team(&self) -> &Team {
        self.groups.as_ref().map_or(&self.team, |[_, node]| node)
    }
}

/// Joins a job over the transport of `endpoint`, once in a process. Collective. The value is never
/// freed, since destructors may use it after the job has ended.
pub(crate) fn start(endpoint: Endpoint) -> Result<&'static Runtime, Error> {
    let runtime: &'static Runtime = Box::leak(Box::new(join(endpoint)?));
    open(runtime);
    Ok(runtime)
}

/// Begins another job of the same PEs in the same memory, after [`finish`] and [`close`].
/// Collective.
///
/// The heap is empty, except for the statics, which keep their values. What the PEs count
/// together (visits of meetings, calls) goes on from where it stood, so nothing that a PE of the
/// last job left in memory is taken for something of this one.
pub(crate) fn restart(runtime: &'static Runtime) {
    let meetings = runtime.endpoint.meetings;
    meetings.revoke_end();
    // A PE that has left may still come back, so this wait is not searched for a deadlock.
    meetings.barrier_all();
    deadlock::begin();
    runtime.heap().clear();
    runtime.released.clear();
    *runtime.slots() = Slots::new();
    open(runtime);
}

/// Opens symmetric memory to this process, at the beginning of a job.
fn open(runtime: &'static Runtime) {
    direct::open(&runtime.endpoint, runtime.loads_and_stores);
    RUNTIME.store(ptr::from_ref(runtime).cast_mut(), Ordering::Release);
    statistics::begin();
    recorder::begin();
}

/// Closes symmetric memory to this process, after [`finish`]: it is in no job, and every access is
/// refused.
pub(crate) fn close() {
    direct::close_job();
    RUNTIME.store(ptr::null_mut(), Ordering::Release);
}

/// Lays out the statics, and compares the layout over all PEs. Collective.
fn join(mut endpoint: Endpoint) -> Result<Runtime, Error> {
    let env = Env::read()?;
    let Facts { my_pe: me, n_pes, heap_size: size, fresh_heaps_are_zero: is_zero, .. } = endpoint.facts;
    if let Some(form) = env.stats {
        statistics::prepare(n_pes, form, endpoint.meetings.traffic());
    }
    // With the feature, a subscriber may come at any time.
    let may_be_observed = observe::is_wanted() || cfg!(feature = "tracing");
    if may_be_observed {
        endpoint.transport = Box::leak(Box::new(Observed::new(endpoint.transport)));
        events::watch();
    }
    endpoint.contexts = races::numbered(endpoint.contexts);
    let laid = statics::lay_out(layout::END, n_pes);
    let needed = laid.as_ref().map_or(usize::MAX, |(_, end)| *end);
    let Some((laid, end)) = laid.filter(|(_, end)| *end <= size) else {
        let room = size - layout::END;
        return Err(Error::HeapExhausted {
            what: "the block of the program's symmetric statics".to_owned(),
            needed: needed - layout::END,
            free: room,
            largest: room,
            total: room,
            suggestion: heap::suggest(needed - size, size),
        });
    };
    statics::check_alignments(&laid, &endpoint.facts)?;
    let Some(mine) = endpoint.heaps.peer(me) else {
        return Err(Error::Job {
            reason: format!("the transport {} cannot address the heap of its own PE", endpoint.facts.name),
        });
    };
    // SAFETY: the heap of this PE has `heap_size` bytes, at least `end`, and no PE touches
    // another's before the meeting below.
    unsafe { statics::initialise(&laid, mine, is_zero, (me, n_pes)) };
    // Before any PE can use them.
    let team = Team::world(&endpoint);
    let groups = endpoint.facts.groups.clone().map(|groups| Team::of_groups(&endpoint, groups));
    races::describe_statics();
    if let Err(error) = agreement::compare_layouts(&endpoint, statics::layout_hash(&laid, end)) {
        // Dropping a team gives its slot back to the job, and there is no job yet.
        std::mem::forget(groups);
        return Err(error);
    }
    Ok(Runtime {
        heap: Mutex::new(Heap::new(end, size, is_zero)),
        team,
        groups,
        endpoint,
        released: Released::new(),
        slots: Mutex::new(Slots::new()),
        checked: env.check,
        watched: env.check || may_be_observed,
        loads_and_stores: env.direct.is_on(),
    })
}

/// Leaves the job: completes all operations and waits for all PEs. Collective.
///
/// This meeting is used for nothing else. So a PE that returns while another one waits in a
/// collective call does not count as arrived in that call. The PE that waits finds out that the
/// call can never end: see [`deadlock`].
pub(crate) fn finish() {
    statistics::stop();
    let end = observe::end_of_job();
    get().endpoint.meetings.sync_end();
    drop(end);
    deadlock::end();
    recorder::finish();
    statistics::finish(get());
}
