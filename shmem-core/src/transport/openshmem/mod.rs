//! The transport over the OpenSHMEM library of the machine (feature `openshmem`).
//!
//! * `library.rs`: the library itself: joining a job, and which threads may call it;
//! * `threads.rs`: the threads of this process, and which are inside of a transfer;
//! * `control.rs`: the control block of each PE, the transport's own memory;
//! * `heaps.rs`: the heaps as this process sees them; `near.rs`: the tables of PEs of this node;
//! * `start.rs`: what all PEs tell each other when they join;
//! * `known.rs`: known faults of libraries, and how they are worked around;
//! * `strided.rs`, `atomics.rs`: strided transfers, and atomic operations;
//! * `short.rs`: the way past the trait that nearly all transfers take;
//! * `handles.rs`: the library's own handles, for programs that call it themselves;
//! * `far.rs`: meetings of PEs of several nodes; `hosts.rs`: which of them share a host;
//!   `arrivals.rs`: where those meet first; `cells.rs`: what they have for broadcasts; `steps.rs`: what
//!   each PE does in both; `collectives.rs`: the library's collective routines for all of them.
//!
//! The symmetric heap of the crate is one block of the library's symmetric memory: for an operation
//! on the object at an offset, the library gets this PE's own address of that offset. C statics are
//! not used, since with some libraries the owner must serve each access to them.
//!
//! PEs whose heap is directly addressable (`shmem_ptr`) are read and written by loads and stores,
//! as on the embedded transport. Where all PEs of a team are directly addressable, they synchronise
//! in memory that they share, by the same algorithms ([`node::barrier`](super::node::barrier)).
//! Both take a fraction of the time of the library's routines.
//!
//! Atomic operations are the processor's where all PEs of the job are directly addressable. Where PEs are
//! on several hosts, all of them are the library's: see [`atomics`].

mod arrivals;
mod atomics;
mod cells;
mod collectives;
mod control;
#[cfg(test)]
pub(crate) mod counts;
mod far;
pub(crate) mod handles;
mod heaps;
mod hosts;
mod known;
mod library;
mod near;
pub(crate) mod short;
mod start;
mod steps;
mod strided;
mod threads;

use std::ffi::c_int;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
use std::thread;
use std::time::{Duration, Instant};

use once_cell::sync::OnceCell;
use shmem_sys as sys;

use self::atomics::Atomics;
use self::cells::{FarBroadcasts, FarCells};
use self::collectives::WorldRoutines;
use self::control::ControlBlock;
use self::far::{FarMeeting, SignalWords, Visits};
use self::heaps::Heaps;
use self::hosts::{PeHosts, TeamHosts};
use self::known::Faults;
use self::library::Library;
use self::near::NearTable;
use self::start::Introduction;
use self::steps::{BroadcastTree, MeetingRounds};
use self::threads::{InLibrary, MainCall, MainInLibrary, Threads};
use super::Members;
use super::node::barrier::{Barrier, TeamCounters, TeamMeeting};
use super::node::deadlock::{self, FarWait, Presence};
use super::node::fault;
use super::node::phase_change::PhaseMeeting;
use super::node::record::{Node, PeRecord};
use super::node::traffic::Traffic;
use super::node::waits::WaitRecord;
use super::{
    Amo, Contexts, Ctx, Endpoint, Facts, Groups, HeapAccess, Meeting, Meetings, Run, Transport, Width,
};
use crate::system::env::Env;
use crate::system::error::Error;
use crate::system::once;
use crate::system::os::{self, System};
use crate::system::status::{PeState, PeStatus, publish_twice};
use crate::system::threads::ThreadLevel;
use crate::system::threads::is_only_thread;
use crate::system::trace;
use crate::transport::cell::{self, write_bits};
use crate::transport::copy::{copy, copy_to_pe};
use crate::transport::layout;
use crate::transport::smp::segment::Segment;

/// The offset of the far meeting's words in the slot of a team, after the counters of the near
/// meeting.
const FAR_WORDS: usize = size_of::<TeamCounters>();
const _: () = assert!(FAR_WORDS + size_of::<SignalWords>() <= layout::MEETING && FAR_WORDS.is_multiple_of(8));
const _: () = assert!(size_of::<FarCells>() <= layout::CELLS_SIZE);

/// This PE's record, for code that does not have the transport.
static STATUS: AtomicPtr<PeStatus> = AtomicPtr::new(ptr::null_mut());

/// The job that this process has joined.
static JOB: OnceCell<LibraryJob> = OnceCell::new();

/// The job as this PE sees it.
struct LibraryJob {
    library: &'static Library,
    faults: Faults,
    me: usize,
    heaps: Heaps,
    /// The symmetric address of the control blocks, which is that of this PE's own.
    control: AtomicPtr<ControlBlock>,
    /// The control blocks of the PEs of this node, mapped as the heaps are.
    controls: NearTable<ControlBlock>,
    /// Memory that all PEs have and in which another process reads what they do. It has what each PE
    /// leaves for the others then, in place of the control blocks.
    presences: Option<&'static Segment>,
    /// The first PE that has found no journal; `None` in a run that looks for races.
    first_without_journal: Option<usize>,
    /// Which PEs share memory.
    hosts: PeHosts,
    /// The PEs on this host, as it calls itself.
    node: Box<[usize]>,
    /// Whether this node has more PEs than cores.
    oversubscribed: bool,
    /// Whether all PEs of the job share this node's memory. Then the processors update all atomic cells.
    all_near: bool,
    /// The number of contexts, without the default one.
    contexts: AtomicUsize,
    /// The library's own threads, where these can be told from the program's.
    threads: Option<Threads>,
    /// The number of a thread of this crate that runs no code of the program; 0 where there is none.
    own_thread: AtomicU64,
    /// Whether a thread reads what the PEs of this host wait for.
    is_observed: AtomicBool,
    /// Whether transfers of the thread that joined the job may go past the trait: nothing counts them,
    /// and they need not wait for those of other threads.
    short_way: bool,
    /// Whether the pages of the heaps are inaccessible.
    protected: AtomicBool,
}

/// One PE's part in a job of the C library.
pub(crate) struct OpenshmemTransport {
    job: &'static LibraryJob,
    world: WorldMeetings,
    /// The library's collective routines, where they are used.
    routines: Option<&'static WorldRoutines>,
}

/// The records of the PEs that share this node's memory.
pub(crate) struct HostRecords {
    job: &'static LibraryJob,
    /// Stands for the others: that of a PE that has not begun.
    nobody: Box<PeRecord>,
}

impl HostRecords {
    /// How many PEs the job has.
    pub(crate) fn n_pes(&self) -> usize {
        self.job.n_pes()
    }

    /// The PEs.
    pub(crate) fn pes(&self) -> Vec<usize> {
        self.job.controls.pes().collect()
    }

    /// The record of a PE.
    pub(crate) fn record(&self, pe: usize) -> &PeRecord {
        if self.job.controls.get(pe).is_null() { &self.nobody } else { &self.job.control_of(pe).record }
    }
}

/// How all PEs synchronise, and change the phase.
enum WorldMeetings {
    /// All share this node's memory.
    Near { barrier: Barrier<LibraryJob>, changes: PhaseMeeting, end: PhaseMeeting },
    /// Where the PEs meet, unless they use the library's own barrier; the phase and the end have meetings of
    /// their own.
    Far { all: Option<Box<FarMeeting>>, changes: Box<FarMeeting>, end: Box<FarMeeting> },
}

/// Initialises the library, and gives each PE a heap of `heap` bytes, whole pages. Collective over
/// the job. `watch` is memory from which another process reads what the PEs do, where this PE has it;
/// `has_journal` says whether it has found its journal.
///
/// # Errors
///
/// When the library does not start or has no such memory, and when the process has joined a job
/// already.
pub(crate) fn init(
    heap: usize,
    watch: Option<&'static Segment>,
    has_journal: bool,
) -> Result<OpenshmemTransport, Error> {
    let job = once::join(&JOB, || LibraryJob::join(heap, watch, has_journal))?;
    let (me, n_pes) = (job.me, job.n_pes());
    job.allow_transfers();
    fault::explain_bus_errors(&job.heaps, me);
    let all = Members::Strided { start: 0, stride: 1, len: n_pes };
    let world = if job.all_near {
        WorldMeetings::Near {
            barrier: Barrier::new(job, me),
            changes: job.phase_changes(me),
            end: job.end_of_job(me),
        }
    } else {
        let (mine, at) = (job.control_of(me), job.control());
        let meeting = |words, visits| {
            let rounds = MeetingRounds::among_members(&all, me);
            Box::new(FarMeeting::new(job, rounds, words, None, visits, (&all, me), true))
        };
        // SAFETY: inside of the control block.
        let (changes, end, words, visits) = unsafe {
            let presence = &raw mut (*at).record.presence;
            (
                meeting(
                    (&mine.phase_words, &raw mut (*at).phase_words),
                    Visits {
                        mine: &mine.record.presence.changes,
                        at: AtomicPtr::new((&raw mut (*presence).changes).cast()),
                    },
                ),
                meeting(
                    (&mine.end_words, &raw mut (*at).end_words),
                    Visits {
                        mine: &mine.record.presence.ends,
                        at: AtomicPtr::new((&raw mut (*presence).ends).cast()),
                    },
                ),
                &raw mut (*at).world_words,
                Visits { mine: &mine.world_visits, at: AtomicPtr::new((&raw mut (*at).world_visits).cast()) },
            )
        };
        let hosts = TeamHosts::of(&all, me, &job.hosts);
        let lead = hosts.as_ref().map(|hosts| job.control_of(hosts.lead()));
        let rounds = MeetingRounds::of(&all, me, hosts.as_ref());
        let all = rounds.beat_the_library().then(|| {
            let words = (&lead.unwrap_or(mine).world_words, words);
            let counter = lead.map(|lead| &lead.world_arrivals);
            Box::new(FarMeeting::new(job, rounds, words, counter, visits, (&all, me), true))
        });
        WorldMeetings::Far { all, changes, end }
    };
    let routines = if job.all_near { None } else { WorldRoutines::new(job) };
    let routines = routines.map(|routines| &*Box::leak(Box::new(routines)));
    // No PE may count itself in before all have read where the counts begin.
    // SAFETY: the library is initialised; collective, as this function is.
    unsafe { sys::shmem_barrier_all() };
    Ok(OpenshmemTransport { job, world, routines })
}

impl OpenshmemTransport {
    /// The first PE that has found no journal; `None` where all have, so that they can look for races.
    pub(crate) fn first_without_journal(&self) -> Option<usize> {
        self.job.first_without_journal
    }

    /// Has this PE write down what it waits for, for a thread of the lowest PE of this host; `None` where
    /// another process reads that. On the lowest PE, returns the records for that thread.
    pub(crate) fn observe_host(&self) -> Option<Option<HostRecords>> {
        let job = self.job;
        if job.presences.is_some() {
            return None;
        }
        trace::answer_questions(&job.control_of(job.me).record.trace, deadlock::last_call);
        job.is_observed.store(true, Ordering::Relaxed);
        let is_lowest = job.controls.pes().next() == Some(job.me);
        // SAFETY: a record consists of atomics, for which zeros are values.
        let nobody = || unsafe { Box::new(std::mem::zeroed()) };
        Some(is_lowest.then(|| HostRecords { job, nobody: nobody() }))
    }

    /// A thread of this process with this number runs no code of the program.
    pub(crate) fn leave_out(&self, thread: u64) {
        self.job.own_thread.store(thread, Ordering::Relaxed);
    }

    /// This PE's endpoint of the transport.
    pub(crate) fn endpoint(self) -> Endpoint {
        let job = self.job;
        let facts = Facts {
            name: "openshmem",
            my_pe: job.me,
            n_pes: job.n_pes(),
            heap_size: job.heaps.size(),
            heap_align: job.heaps.align(),
            most_align: ALIGN,
            // The library may have used the memory before.
            fresh_heaps_are_zero: false,
            direct_atomics: job.all_near,
            oversubscribed: job.oversubscribed,
            thread_level: job.library.level(),
            groups: job.groups(),
        };
        Endpoint::new(facts, self)
    }
}

impl LibraryJob {
    /// See [`init`]. Collective.
    fn join(heap: usize, watch: Option<&'static Segment>, has_journal: bool) -> Result<LibraryJob, Error> {
        // What `direct` does not reach is treated as if it were on another host, which is how the
        // tests cover several hosts.
        let Env { direct, stats, .. } = Env::read()?;
        threads::prepare();
        // If this thread is alone now, all threads that exist after `init` are the library's.
        let alone = is_only_thread();
        let library = library::init(with_spare(heap))?;
        // SAFETY: the library is initialised.
        let (me, n_pes) = unsafe { (sys::shmem_my_pe() as usize, sys::shmem_n_pes() as usize) };
        let page = rustix::param::page_size();
        let control: *mut ControlBlock =
            allocate(page.max(align_of::<ControlBlock>()), size_of::<ControlBlock>(), library)?.cast();
        // SAFETY: the block was just allocated, with this size, and no other PE uses it before the
        // barrier below. Zeros are a valid control block.
        unsafe { control.write_bytes(0, 1) };
        // SAFETY: inside of the control block, as below.
        library.use_word(unsafe { (&raw mut (*control).trial).cast() });
        if start::room(n_pes) > heap {
            let room = start::room(n_pes);
            let reason =
                format!("{n_pes} PEs need a heap of {room} bytes at least: set SHMEM_SYMMETRIC_SIZE to that");
            return Err(Error::Job { reason });
        }
        let own = allocate(ALIGN, heap, library)?;
        let at = |block: *const u8, pe: usize| -> *mut u8 {
            if pe == me {
                return block.cast_mut();
            }
            if !direct.reaches(me, pe) {
                return ptr::null_mut();
            }
            // SAFETY: symmetric memory, and the PE exists.
            unsafe { sys::shmem_ptr(block.cast(), pe as c_int).cast() }
        };
        let whole_pages = |start: *mut u8| {
            if start.addr().is_multiple_of(page) { start } else { ptr::null_mut() }
        };
        let view_of_control = |pe: usize| -> *mut ControlBlock {
            let mapped = at(control.cast(), pe);
            if mapped.is_null() {
                return ptr::null_mut();
            }
            match heaps::second_view(mapped, size_of::<ControlBlock>(), page) {
                Ok(view) => view.as_ptr().cast(),
                Err(_) if pe == me => mapped.cast(),
                Err(_) => ptr::null_mut(),
            }
        };
        let mine = view_of_control(me);
        // SAFETY: the block is mapped until the process ends, or until the library is finalised
        // where there is no second mapping; it consists of atomics.
        let mine: &'static ControlBlock = unsafe { &*mine };
        STATUS.store((&raw const mine.record.status).cast_mut(), Ordering::Release);
        let starts = (0..n_pes).map(|pe| (pe, whole_pages(at(own, pe))));
        let heaps = Heaps::new(me, heap, ALIGN, starts, &mine.record.status);
        let controls = NearTable::new(heaps.pes().map(|pe| {
            let view = if pe == me { (&raw const *mine).cast_mut() } else { view_of_control(pe) };
            (pe, view)
        }));
        for (word, cores) in mine.cores.iter().zip(control::cores()) {
            word.store(cores, Ordering::Relaxed);
        }
        let told = Introduction {
            first: controls.pes().next().unwrap_or(me) as u32,
            reaches: controls.pes().len() as u32,
            host: host(),
            is_watched: watch.is_some(),
            has_journal,
        };
        // SAFETY: the library is initialised; collective, as this function is.
        unsafe { sys::shmem_barrier_all() };
        // SAFETY: all PEs have their blocks and have cleared their words; the heap has room, and nobody
        // uses it before the end of `init`.
        let told = unsafe {
            let signals = &raw mut (*control).phase_words;
            start::tell_all(library, (me, n_pes), own.cast(), (&mine.phase_words, signals), told)
        };
        for zeros in layout::zeros() {
            let range = zeros.start.min(heap)..zeros.end.min(heap);
            // SAFETY: as above, before any PE uses the heap; the range is inside of it, and no other part
            // must read as zeros.
            unsafe { own.add(range.start).write_bytes(0, range.len()) };
        }

        // SAFETY: the word is symmetric memory that is used for nothing else.
        let right = unsafe {
            let trial = (&raw mut (*control).trial).cast();
            let right = Atomics::are_right(sys::ctx_default(), trial, me as c_int);
            let immediate = Atomics::are_immediate(trial, me as c_int);
            short::WAY.updates_own.store(immediate, Ordering::Relaxed);
            right
        };
        let hosts = PeHosts::of(&told);
        // PEs that do not reach each other's memory share the cores all the same. The result must be the same for
        // those that do reach it: so it is by the name of the host that the first of them has.
        let first = told[me].first;
        let host = told[first as usize].host;
        let beside = (0..n_pes).filter(|&pe| told[pe].host == host || told[pe].first == first);
        let mut cores = [0_u64; control::CORES / 64];
        let mut on_node = 0;
        for pe in beside {
            let mut theirs = [0_u64; control::CORES / 64];
            // SAFETY: symmetric memory, which the PE has written before the barrier above, and which no
            // transfer changes.
            unsafe {
                let from = (&raw const (*control).cores).cast();
                sys::shmem_getmem(theirs.as_mut_ptr().cast(), from, size_of_val(&theirs), pe as c_int);
            }
            cores.iter_mut().zip(theirs).for_each(|(all, one)| *all |= one);
            on_node += 1;
        }
        let cores = cores.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let node = (0..n_pes).filter(|&pe| told[pe].host == told[me].host).collect();
        let _ = os::LIBRARY_WAIT.set(wait_while);
        let all_near = hosts.are_one() && controls.pes().len() == n_pes;
        let presences = watch.filter(|_| all_near && told.iter().all(|other| other.is_watched));
        if let Some(presences) = presences {
            publish_twice(&mine.record.status, presences.status(me));
            trace::answer_questions(presences.trace(me), deadlock::last_call);
        }
        let first_without_journal = told.iter().position(|other| !other.has_journal);
        Ok(LibraryJob {
            library,
            presences,
            first_without_journal,
            faults: Faults { atomics: !right, contexts: !all_near && library.is_open_mpi() },
            me,
            control: AtomicPtr::new(control),
            controls,
            oversubscribed: on_node > cores.max(1),
            all_near,
            hosts,
            node,
            heaps,
            contexts: AtomicUsize::new(0),
            threads: if alone { Threads::beside_the_caller() } else { None },
            own_thread: AtomicU64::new(0),
            is_observed: AtomicBool::new(false),
            // It leads atomic cells to the library.
            short_way: !all_near
                && stats.is_none()
                && first_without_journal.is_some()
                && library.level() != ThreadLevel::Serialized,
            protected: AtomicBool::new(false),
        })
    }
}

/// Whether the library that this program is linked with is Open MPI's.
pub(crate) fn is_open_mpi() -> bool {
    library::opal_progress().is_some()
}

/// The environment for the processes of a job that is started with heaps of `heap` bytes.
pub(crate) fn environment(heap: usize) -> impl Iterator<Item = (&'static str, String)> {
    library::environment(with_spare(heap))
}

/// How much symmetric memory the library must have for a heap of `heap` bytes.
fn with_spare(heap: usize) -> usize {
    heap.saturating_add(size_of::<ControlBlock>() + SPARE)
}

/// The alignment of every heap: a huge page. A larger alignment would take that much more of the
/// library's memory.
const ALIGN: usize = 2 << 20;

/// Room beside the heap for the library's own bookkeeping, for the collective routines, and for
/// aligning blocks to 2 MiB.
pub(crate) const SPARE: usize = 16 << 20;

/// The size in bytes of what this PE keeps of each PE: its host.
#[cfg(feature = "bench")]
pub(crate) const HOST: usize = size_of::<hosts::HostNumber>();
/// The size in bytes of what this PE keeps of each PE of its host: the addresses of heap and control block.
#[cfg(feature = "bench")]
pub(crate) const MAPPED: usize = 2 * near::EACH;
/// The size in bytes of what each PE tells all others at the start.
#[cfg(feature = "bench")]
pub(crate) const TOLD: usize = start::room(1);
/// The size in bytes of the room in which a word of each PE is gathered, where there are many PEs.
#[cfg(feature = "bench")]
pub(crate) const GATHERED: usize = collectives::gathered_words(1 << 20) >> 20;
/// The most PEs without that room.
#[cfg(feature = "bench")]
pub(crate) const FEW: usize = crate::system::tuning::library::GATHER / size_of::<u64>();

/// Allocates a block of symmetric memory. Collective.
fn allocate(align: usize, size: usize, library: &Library) -> Result<*mut u8, Error> {
    // SAFETY: the library is initialised; the alignment is a power of two, and not smaller than a
    // pointer's.
    let block: *mut u8 = unsafe { sys::shmem_align(align, size) }.cast();
    if block.is_null() || !block.addr().is_multiple_of(align) {
        return Err(no_memory(size, &format!("{library} has no such block{}", library.was_not_told())));
    }
    Ok(block)
}

fn no_memory(size: usize, why: &str) -> Error {
    Error::Job {
        reason: format!(
            "cannot allocate {size} bytes of symmetric memory for each PE: {why}; set SHMEM_SYMMETRIC_SIZE to less"
        ),
    }
}

/// A hash of this host's name, the same on all PEs of a host.
fn host() -> u64 {
    let name = rustix::system::uname();
    BuildHasherDefault::<DefaultHasher>::default().hash_one(name.nodename().to_bytes())
}

/// Leaves the job at the end of the process. Collective. From then on, other threads cannot use
/// symmetric memory.
pub(crate) fn finalize() {
    if library::get().is_some() {
        threads::end();
        known::keep_loaded_code();
        // SAFETY: the library is initialised, and no thread is in it or calls it afterwards.
        // Threads that the program has left running access the memory in mappings that the library
        // does not know of.
        unsafe { sys::shmem_finalize() };
    }
}

/// Ends all PEs, with exit status `status`.
pub(crate) fn global_exit(status: u8) -> ! {
    if library::get().is_some() {
        known::keep_loaded_code();
        // SAFETY: the library is initialised; any thread may end the job.
        unsafe { sys::shmem_global_exit(c_int::from(status)) };
    }
    std::process::exit(i32::from(status))
}

/// Sends all transfers that begin from now on through the trait, until the heaps are opened again.
#[cfg(feature = "tracing")]
pub(crate) fn close_the_short_way() {
    threads::stop_the_way();
}

/// The library's own name; empty before [`init`].
pub(crate) fn name() -> String {
    library::get().map_or_else(String::new, Library::name)
}

/// This PE's record, which the other PEs can read.
///
/// # Panics
///
/// Before [`init`] has allocated the record.
pub(crate) fn status() -> &'static PeStatus {
    let status = STATUS.load(Ordering::Acquire);
    assert!(!status.is_null(), "the job has not been joined");
    // SAFETY: never freed, and it consists of atomics.
    unsafe { &*status }
}

/// Waits while `word`, in memory that PEs of this node share, holds `value`, and drives the library
/// meanwhile. Returns false after the `longest` time. May return early.
fn wait_while(word: &AtomicU32, value: u32, longest: Duration) -> bool {
    let Some(library) = library::get() else { return true };
    let start = Instant::now();
    let sleeps = JOB.get().is_none_or(|job| job.all_near);
    let mut looks = 0_u32;
    let mut nap = Duration::from_micros(10);
    while word.load(Ordering::Acquire) == value {
        library.progress();
        looks += 1;
        if looks < 100 || !sleeps {
            library.give_way();
        } else {
            // Transfers within one node mostly complete without the target, so a sleeping PE does
            // not delay others for long. Transfers from other hosts do need it.
            thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(1));
        }
        if start.elapsed() >= longest {
            return false;
        }
    }
    true
}

impl LibraryJob {
    /// The symmetric address of the control blocks, which is that of this PE's own.
    fn control(&self) -> *mut ControlBlock {
        self.control.load(Ordering::Relaxed)
    }

    /// The control block of a PE of this node.
    fn control_of(&self, pe: usize) -> &'static ControlBlock {
        let control = self.controls.get(pe);
        assert!(!control.is_null(), "PE {pe} is on another node");
        // SAFETY: the control block is mapped until the process ends, and consists of atomics.
        unsafe { &*control }
    }

    /// The groups that this PE belongs to; `None` where all PEs share the memory of this node.
    fn groups(&self) -> Option<Groups> {
        (!self.all_near)
            .then(|| Groups { shared: self.hosts.on_host_of(self.me).collect(), node: self.node.to_vec() })
    }

    /// Whether these PEs synchronise in memory that they share. The result is the same on all of
    /// them.
    fn are_near(&self, members: &Members) -> bool {
        self.hosts.share(members)
    }

    /// This PE's own address of `offset` in the heap.
    ///
    /// # Safety
    ///
    /// `offset + len <= heap_size()`, where `len` is what will be accessed from there on.
    #[inline(always)]
    unsafe fn at(&self, offset: usize, len: usize) -> *mut u8 {
        debug_assert!(offset.checked_add(len).is_some_and(|end| end <= self.heaps.size()));
        // SAFETY: inside the heap, as the caller promises; the heap is one block.
        unsafe { heaps::own().add(offset) }
    }

    /// Calls the library for a transfer. A local phase begins when all threads have left their
    /// transfers, and refuses later ones. Any thread may call this at any time. The short way is taken
    /// where it is free; those that are issued one by one have taken it before, through [`short`].
    fn transfer<R>(&self, call: impl FnOnce() -> R) -> R {
        if let Some(_inside) = MainInLibrary::mark_if_free() {
            return call();
        }
        let _inside = InLibrary::transfer();
        let _turn = self.library.turn();
        let result = call();
        threads::has_issued();
        result
    }

    /// Opens the heaps for transfers.
    fn allow_transfers(&self) {
        threads::refuse_transfers(false);
        if self.short_way {
            threads::free_the_way();
        }
    }

    fn atomics(&self) -> Atomics {
        Atomics(self.faults)
    }

    /// Performs `op` on a cell of the program, where all PEs are near.
    ///
    /// # Safety
    ///
    /// As [`Transport::amo`].
    unsafe fn amo_by_processor(&self, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
        debug_assert!(self.all_near);
        self.transfer(|| {
            // SAFETY: the cell is in the heap of a PE that this one addresses, as it does all of them; it is
            // aligned, and accessed by atomic operations alone.
            unsafe { cell::amo(self.heap_start(pe).add(offset).as_ptr(), width, op) }
        })
    }

    /// Copies `bytes` to the memory of PE `pe` whose address on this PE is `to`.
    ///
    /// # Safety
    ///
    /// There is symmetric memory for them that local phases do not close while a call of the team lasts.
    unsafe fn put(&self, pe: usize, to: *mut u8, bytes: &[u8]) {
        // SAFETY: the caller's promise.
        unsafe { self.put_from(pe, to, bytes.as_ptr(), bytes.len()) }
    }

    /// Copies `len` bytes from `from` on, likewise. Others may write there: the library alone reads them.
    ///
    /// # Safety
    ///
    /// As [`put`](LibraryJob::put). The bytes are mapped.
    unsafe fn put_from(&self, pe: usize, to: *mut u8, from: *const u8, len: usize) {
        self.count_message(pe);
        let _call = self.library.needed_call();
        // SAFETY: the caller's promise.
        unsafe { sys::shmem_putmem(to.cast(), from.cast(), len, pe as c_int) };
    }

    /// Stores `value` in the word on PE `pe` whose address on this PE is `word`.
    ///
    /// # Safety
    ///
    /// As [`put`](LibraryJob::put).
    unsafe fn put_word(&self, pe: usize, word: *mut u64, value: u64) {
        self.count_message(pe);
        let _call = self.library.needed_call();
        // SAFETY: the caller's promise.
        unsafe { sys::shmem_uint64_p(word, value, pe as c_int) };
    }

    /// Stores `value` in the half of a word on PE `pe` whose address on this PE is `half`.
    ///
    /// # Safety
    ///
    /// As [`put`](LibraryJob::put).
    unsafe fn put_half(&self, pe: usize, half: *mut u32, value: u32) {
        // A PE that sees the half also sees what was stored before it.
        fence(Ordering::Release);
        self.count_message(pe);
        let _call = self.library.needed_call();
        // SAFETY: the caller's promise.
        unsafe { sys::shmem_uint32_p(half, value, pe as c_int) };
    }

    /// What this PE has put without a context arrives before what it puts or updates later.
    fn fence(&self) {
        let _call = self.library.needed_call();
        // SAFETY: the library is initialised.
        unsafe { sys::shmem_fence() };
    }

    fn quiet(&self, ctx: Ctx) {
        // For the direct stores, which the library does not know of.
        fence(Ordering::SeqCst);
        if ctx == Ctx::DEFAULT {
            #[cfg(test)]
            counts::COMPLETIONS.fetch_add(1, Ordering::Relaxed);
            threads::completes_all();
        }
        // SAFETY: the library is initialised, the context is alive, and this thread may call where this is called.
        let quiet = || unsafe {
            if ctx == Ctx::DEFAULT { sys::shmem_quiet() } else { sys::shmem_ctx_quiet(library::context(ctx)) }
        };
        if let Some(_call) = MainCall::begin_if_free() {
            quiet();
        } else {
            let Some(_call) = self.library.call() else { return };
            quiet();
        }
        // For what non-blocking operations have read.
        fence(Ordering::Acquire);
    }

    /// Whether nothing that the program has begun without a context can be under way. Then this PE's direct stores, which
    /// the library does not know of, are visible, too: a [`quiet`](LibraryJob::quiet) has nothing to do.
    fn is_complete(&self) -> bool {
        let is_complete = !threads::may_be_under_way();
        if is_complete {
            fence(Ordering::SeqCst);
        }
        is_complete
    }

    /// Reads the word, a `u32` or a `u64`, on PE `pe` whose address on this PE is `word`. It does not make visible
    /// what the PE stored before.
    ///
    /// # Safety
    ///
    /// The word is symmetric memory that local phases do not close.
    unsafe fn read_word<W: From<u32>>(&self, word: *const W, pe: usize) -> W {
        let mut value = W::from(0);
        let _call = self.library.needed_call();
        // SAFETY: the caller's promise.
        unsafe { sys::shmem_getmem((&raw mut value).cast(), word.cast(), size_of_val(&value), pe as c_int) };
        value
    }

    /// Counts a message of this crate's own to `pe`.
    #[inline(always)]
    fn count_message(&self, pe: usize) {
        #[cfg(test)]
        if self.hosts.host(pe) != self.hosts.host(self.me) {
            counts::MESSAGES.fetch_add(1, Ordering::Relaxed);
        }
        #[cfg(not(test))]
        let _ = pe;
    }

    fn has_left(&self, pe: usize) -> bool {
        // SAFETY: the record begins with its state, at the same place of each control block, and
        // local phases do not close these blocks.
        let state = unsafe { self.read_word((&raw const (*self.control()).record.status).cast(), pe) };
        matches!(PeState::from_word(state), PeState::Leaving | PeState::Finished)
    }

    /// Whether only the calling thread runs code of the program.
    fn is_only_thread(&self) -> bool {
        let own = self.own_thread.load(Ordering::Relaxed);
        self.threads.as_ref().is_some_and(|threads| threads.and_the_caller_alone(own))
    }

    /// Counts that this PE comes to a collective routine of the library for all PEs. It waits there as
    /// long as the result lives.
    fn visit(&self) -> Option<FarWait<'_>> {
        let visit = self.count_visit();
        fence(Ordering::SeqCst);
        self.is_observed().then(|| FarWait::in_library(&self.record(self.me).presence.wait, Some(visit)))
    }

    /// Counts that this PE comes to a meeting or a routine of all PEs, and returns how often it has.
    fn count_visit(&self) -> u32 {
        let visits = &self.record(self.me).presence.visits;
        // The call is collective, so no other thread of this PE is here.
        let visit = visits.load(Ordering::Relaxed).wrapping_add(1);
        visits.store(visit, Ordering::Release);
        visit
    }

    /// Whether a thread reads what the PEs of this host wait for.
    fn is_observed(&self) -> bool {
        self.is_observed.load(Ordering::Relaxed)
    }
}

// SAFETY: a heap is larger than the runtime's part, starts at a page, and stays mapped until the
// process ends; `LibraryJob::join` has written zeros to that part.
unsafe impl Node for LibraryJob {
    fn system(&self) -> System {
        System::Library
    }

    fn n_pes(&self) -> usize {
        self.hosts.n_pes()
    }

    fn is_oversubscribed(&self) -> bool {
        self.oversubscribed
    }

    fn record(&self, pe: usize) -> &PeRecord {
        &self.control_of(pe).record
    }

    fn presence(&self, pe: usize) -> &Presence {
        self.presences.map_or(&self.record(pe).presence, |watch| watch.presence(pe))
    }

    fn heap_start(&self, pe: usize) -> NonNull<u8> {
        self.heaps.start(pe).expect("the PE is on this node")
    }

    fn acts_alone(&self) -> bool {
        self.is_only_thread()
    }

    fn complete(&self) {
        if !self.is_complete() {
            self.quiet(Ctx::DEFAULT);
        }
    }
}

// SAFETY:
// * the transfers below pass the library exactly the bytes that their arguments name, by this PE's
//   own address of them;
// * puts and gets of OpenSHMEM are done with local memory when they return, their `nbi` forms at
//   the next quiet of the context;
// * any threads may use a context; where the library does not allow several threads,
//   `Library::turn` lets one in at a time, or only the one that joined the job.
unsafe impl Transport for OpenshmemTransport {
    unsafe fn put(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        let (job, ctx) = (self.job, library::context(ctx));
        if offset < layout::END {
            if let Some(heap) = job.heaps.start(pe) {
                // Who reads it has met this PE before.
                // SAFETY: the caller promises both sides.
                return unsafe { copy_to_pe(heap.add(offset).as_ptr(), src, len) };
            }
            job.count_message(pe);
        }
        // SAFETY: the caller promises both sides.
        unsafe {
            let to = job.at(offset, len);
            job.transfer(|| sys::shmem_ctx_putmem(ctx, to.cast(), src.cast(), len, pe as c_int));
        }
    }

    unsafe fn get(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        let (job, ctx) = (self.job, library::context(ctx));
        if offset < layout::END {
            if let Some(heap) = job.heaps.start(pe) {
                // SAFETY: the caller promises both sides.
                return unsafe { copy(dst, heap.add(offset).as_ptr(), len) };
            }
            job.count_message(pe);
        }
        // SAFETY: the caller promises both sides.
        unsafe {
            let from = job.at(offset, len);
            job.transfer(|| sys::shmem_ctx_getmem(ctx, dst.cast(), from.cast(), len, pe as c_int));
        }
    }

    unsafe fn put_nbi(&self, ctx: Ctx, pe: usize, offset: usize, src: *const u8, len: usize) {
        let (job, ctx) = (self.job, library::context(ctx));
        // SAFETY: the caller promises both sides.
        unsafe {
            let to = job.at(offset, len);
            job.transfer(|| sys::shmem_ctx_putmem_nbi(ctx, to.cast(), src.cast(), len, pe as c_int));
        }
    }

    unsafe fn get_nbi(&self, ctx: Ctx, pe: usize, offset: usize, dst: *mut u8, len: usize) {
        let (job, ctx) = (self.job, library::context(ctx));
        // SAFETY: the caller promises both sides.
        unsafe {
            let from = job.at(offset, len);
            job.transfer(|| sys::shmem_ctx_getmem_nbi(ctx, dst.cast(), from.cast(), len, pe as c_int));
        }
    }

    unsafe fn iput(
        &self,
        ctx: Ctx,
        pe: usize,
        offset: usize,
        run: Run,
        src: *const u8,
        src_stride: usize,
        elem: usize,
    ) {
        if run.count == 0 || elem == 0 {
            return;
        }
        let (job, ctx) = (self.job, library::context(ctx));
        // SAFETY: the caller's promise for every element.
        unsafe {
            let to = job.at(offset, (run.count - 1) * run.stride + elem);
            job.transfer(|| strided::iput(ctx, to, run, src, src_stride, elem, pe as c_int));
        }
    }

    unsafe fn iget(
        &self,
        ctx: Ctx,
        pe: usize,
        offset: usize,
        run: Run,
        dst: *mut u8,
        dst_stride: usize,
        elem: usize,
    ) {
        if run.count == 0 || elem == 0 {
            return;
        }
        let (job, ctx) = (self.job, library::context(ctx));
        // SAFETY: the caller's promise for every element.
        unsafe {
            let from = job.at(offset, (run.count - 1) * run.stride + elem);
            job.transfer(|| strided::iget(ctx, from, run, dst, dst_stride, elem, pe as c_int));
        }
    }

    unsafe fn amo(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) -> u64 {
        let (job, ctx) = (self.job, library::context(ctx));
        if job.all_near {
            // SAFETY: the caller's promises.
            return unsafe { job.amo_by_processor(pe, offset, width, op) };
        }
        // Releases, as an update does, and acquires too: the library does not order the processor's
        // own loads and stores.
        fence(Ordering::Release);
        // SAFETY: the cell is in the heap and aligned, and holds an atomic object, as the caller
        // promises.
        let found = unsafe {
            let cell = job.at(offset, width.bytes());
            job.transfer(|| job.atomics().amo(ctx, cell, pe as c_int, width, op))
        };
        fence(Ordering::Acquire);
        found
    }

    unsafe fn amo_nbi(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo, into: *mut u8) {
        let (job, ctx) = (self.job, library::context(ctx));
        if job.all_near {
            // SAFETY: the caller's promises, with room for the cell at `into`.
            return unsafe { write_bits(into, width, job.amo_by_processor(pe, offset, width, op)) };
        }
        // Releases, as `amo` does; the `quiet` acquires.
        fence(Ordering::Release);
        // SAFETY: as above, and the caller promises the room.
        unsafe {
            let cell = job.at(offset, width.bytes());
            job.transfer(|| job.atomics().amo_nbi(ctx, cell, pe as c_int, width, op, into));
        }
    }

    unsafe fn update(&self, ctx: Ctx, pe: usize, offset: usize, width: Width, op: Amo) {
        let job = self.job;
        if job.all_near {
            // SAFETY: the caller's promises.
            unsafe { job.amo_by_processor(pe, offset, width, op) };
            return;
        }
        fence(Ordering::Release);
        // SAFETY: as above.
        unsafe {
            let cell = job.at(offset, width.bytes());
            job.transfer(|| job.atomics().update(ctx, cell, pe as c_int, width, op));
        }
    }

    fn fence(&self, ctx: Ctx) {
        if self.job.all_near {
            // The library does not order what it puts before what the processor updates.
            return self.quiet(ctx);
        }
        fence(Ordering::Release);
        let Some(_call) = self.job.library.call() else { return };
        // SAFETY: the library is initialised, and the context is alive.
        unsafe { sys::shmem_ctx_fence(library::context(ctx)) };
    }

    fn quiet(&self, ctx: Ctx) {
        if ctx != Ctx::DEFAULT || !self.job.is_complete() {
            self.job.quiet(ctx);
        }
    }

    fn pe_quiet(&self, ctx: Ctx, pes: &[usize]) {
        let Some(pe_quiet) = sys::optional::shmem_ctx_pe_quiet else { return self.quiet(ctx) };
        fence(Ordering::SeqCst);
        let pes: Vec<c_int> = pes.iter().map(|&pe| pe as c_int).collect();
        let Some(_call) = self.job.library.call() else { return };
        // SAFETY: the library is initialised, the context is alive, and the PEs exist.
        unsafe { pe_quiet(library::context(ctx), pes.as_ptr(), pes.len()) };
    }
}

// SAFETY:
// * `peer` gives the start of a block of `heap_size` bytes, or null. The block is a mapping of this
//   transport's own, which stays until the process ends, of the memory that `shmem_ptr` returned,
//   which stays valid until the library is finalised. It consists of whole pages, which `init`
//   checked, and this PE's block begins at a multiple of `heap_align`, at which both of its
//   mappings were made;
// * from `refuse_transfers` on, `InLibrary::transfer` refuses, and `refuse_transfers` waits for the
//   threads that were let in before; after `close`, loads and stores of other threads meet
//   inaccessible pages, where there may be such threads.
unsafe impl HeapAccess for OpenshmemTransport {
    fn peer(&self, pe: usize) -> Option<*mut u8> {
        self.job.heaps.start(pe).map(NonNull::as_ptr)
    }

    fn peers(&self) -> Vec<usize> {
        self.job.heaps.pes().collect()
    }

    fn refuse_transfers(&self) {
        threads::refuse_transfers(true);
        if !self.job.is_only_thread() {
            threads::wait_until_outside();
        }
    }

    fn close(&self) -> Result<NonNull<u8>, Error> {
        let job = self.job;
        if job.is_only_thread() {
            return Ok(job.heaps.start(job.me).expect("a PE has a heap"));
        }
        job.heaps.have_two_views()?;
        fault::explain_phase_faults(true);
        job.protected.store(true, Ordering::Relaxed);
        job.heaps.protect(false)?;
        Ok(NonNull::new(heaps::own()).expect("a PE has a heap"))
    }

    fn open(&self) -> Result<(), Error> {
        let job = self.job;
        if job.protected.swap(false, Ordering::Relaxed) {
            job.heaps.protect(true)?;
            fault::explain_phase_faults(false);
        }
        job.allow_transfers();
        Ok(())
    }

    unsafe fn map_over(&self, address: NonNull<u8>, _offset: usize, len: usize) -> Result<(), Error> {
        Err(Error::Job {
            reason: format!(
                "the heap of a C library cannot be mapped over {len} bytes at the address {address:p}; \
                 SHMEM_TRANSPORT=smp can do that, on one machine"
            ),
        })
    }
}

impl Contexts for OpenshmemTransport {
    fn create(&self) -> Result<Ctx, Error> {
        if self.job.faults.contexts {
            return Ok(Ctx::DEFAULT);
        }
        let library = self.job.library;
        let call = library.needed_call();
        let mut handle = std::mem::MaybeUninit::uninit();
        // SAFETY: the library is initialised; the handle is written when the call returns 0. The
        // options are 0 because a local phase completes all contexts from the thread that enters
        // it, so that each must allow several threads.
        let refused = unsafe { sys::shmem_ctx_create(0, handle.as_mut_ptr()) } != 0;
        drop(call);
        if refused {
            return Err(Error::TooManyContexts { live: self.job.contexts.load(Ordering::Relaxed) });
        }
        self.job.contexts.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the call returned 0, so it has written the handle.
        Ok(library.ctx(unsafe { handle.assume_init() }))
    }

    fn destroy(&self, ctx: Ctx) {
        self.quiet(ctx);
        if ctx != Ctx::DEFAULT {
            self.job.contexts.fetch_sub(1, Ordering::Relaxed);
            // The end of the job destroys the contexts that are left.
            let Some(_call) = self.job.library.call() else { return };
            // SAFETY: `create` made the context, and it is not used any more.
            unsafe { sys::shmem_ctx_destroy(library::context(ctx)) };
        }
    }
}

impl Meetings for OpenshmemTransport {
    fn meeting(&self, offset: usize, members: &Members, rank: usize, identity: u64) -> Box<dyn Meeting> {
        let job = self.job;
        let counters = job.team_counters(job.me, offset);
        counters.identify(identity);
        if job.are_near(members) {
            let world = match &self.world {
                WorldMeetings::Near { barrier, .. } if offset == layout::TEAMS => Some(barrier.clone()),
                _ => None,
            };
            return Box::new(TeamMeeting::new(job, offset, members, rank, world));
        }
        let start = job.heaps.start(job.me).expect("a PE has a heap");
        // SAFETY: in the internal part of this PE's heap, apart from the words of the slot that a near
        // team uses; made of atomics; mapped until the process ends.
        let ((mine, at), visits, (cells, cells_at)) = unsafe {
            let words: &SignalWords = start.add(offset + FAR_WORDS).cast().as_ref();
            let cells: &FarCells = start.add(offset + layout::CELLS).cast().as_ref();
            let slot = heaps::own().add(offset);
            let at = AtomicPtr::new(slot.add(TeamCounters::VISITS).cast());
            (
                (words, slot.add(FAR_WORDS).cast()),
                Visits { mine: counters.visits(), at },
                (cells, slot.add(layout::CELLS).cast()),
            )
        };
        let is_of_all = offset == layout::TEAMS;
        let routines = self.routines.filter(|_| is_of_all);
        let hosts = TeamHosts::of(members, rank, &job.hosts);
        let lead = hosts.as_ref().map(|hosts| arrivals::of_lead(job, members.pe(hosts.lead()), offset));
        let (mine, counter) = lead.map_or((mine, None), |(words, counter)| (words, Some(counter)));
        let rounds = MeetingRounds::of(members, rank, hosts.as_ref());
        let meeting = FarMeeting::new(job, rounds, (mine, at), counter, visits, (members, rank), is_of_all);
        let tree = BroadcastTree::new(members, rank, hosts);
        let broadcasts = FarBroadcasts::new(job, offset + layout::CELLS, cells, cells_at, tree);
        Box::new(meeting.with(broadcasts, routines))
    }

    fn sync_all(&self) {
        match &self.world {
            WorldMeetings::Near { barrier, .. } => barrier.sync(),
            WorldMeetings::Far { all: Some(meeting), .. } => {
                self.job.count_visit();
                meeting.sync();
            }
            WorldMeetings::Far { .. } => {
                let _wait = self.job.visit();
                let _call = self.job.library.needed_call();
                // SAFETY: the library is initialised.
                unsafe { sys::shmem_sync_all() };
            }
        }
    }

    fn barrier_all(&self) {
        match &self.world {
            WorldMeetings::Near { barrier, .. } => {
                self.quiet(Ctx::DEFAULT);
                barrier.sync();
            }
            WorldMeetings::Far { all: Some(meeting), .. } => {
                self.job.count_visit();
                meeting.barrier();
            }
            WorldMeetings::Far { .. } => {
                let _wait = self.job.visit();
                let _call = self.job.library.needed_call();
                // SAFETY: the library is initialised.
                unsafe { sys::shmem_barrier_all() };
            }
        }
    }

    fn sync_phase(&self) {
        let job = self.job;
        match &self.world {
            WorldMeetings::Near { changes, .. } => {
                changes.sync(|sleep, number| deadlock::change_sleeps(job, sleep, job.me, number))
            }
            WorldMeetings::Far { changes, .. } => changes.sync(),
        }
    }

    fn sync_end(&self) {
        let job = self.job;
        job.quiet(Ctx::DEFAULT);
        job.record(job.me).presence.ends_alone(job.is_only_thread());
        match &self.world {
            WorldMeetings::Near { end, .. } => {
                end.sync(|sleep, number| deadlock::end_sleeps(job, sleep, job.me, number))
            }
            WorldMeetings::Far { end, .. } => end.end(),
        }
    }

    fn revoke_end(&self) {
        self.job.record(self.job.me).presence.revoke_end();
    }

    fn is_deserted(&self) -> bool {
        let job = self.job;
        !threads::is_over()
            && (0..job.n_pes()).all(|pe| pe == job.me || job.has_left(pe))
            && job.is_only_thread()
    }

    fn wait_record(&self) -> &WaitRecord {
        &self.job.presence(self.job.me).wait
    }

    fn traffic(&self) -> &Traffic {
        let me = self.job.me;
        self.job.presences.map_or(&self.job.record(me).traffic, |watch| watch.traffic(me))
    }

    fn acts_alone(&self) -> bool {
        self.job.is_only_thread()
    }

    fn has_returned_alone(&self, pe: usize) -> bool {
        // SAFETY: inside of the control block, at the same place on all PEs; local phases do not
        // close the block.
        let ended = unsafe {
            let ended = (&raw const (*self.job.control()).record.presence.ended_alone).cast::<u32>();
            self.job.read_word(ended, pe)
        };
        ended != 0
    }

    fn is_over(&self) -> bool {
        threads::is_over()
    }

    fn take_turn(&self) {
        if short::take_turn() {
            return;
        }
        // Where all PEs are near, it is transfers of C code that may need this PE, and those that connect it first. They can
        // wait for a few turns.
        if self.job.all_near {
            return thread::yield_now();
        }
        self.progress();
        self.give_way();
    }

    fn progress(&self) -> bool {
        self.job.library.progress();
        !self.job.all_near
    }

    fn give_way(&self) {
        self.job.library.give_way();
    }
}
