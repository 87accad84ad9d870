//! Broadcast, collect and all-to-all: they move elements and compute nothing.
//!
//! Small messages are eager: each PE writes them to the team's slots, and one synchronisation is
//! enough. The root of a small broadcast does not wait at all. Large messages are written to their
//! destination by the PE that has them, between two synchronisations. After the first, every
//! destination may be written. After the second, what is for this PE has arrived, and its source may be
//! changed. A broadcast of more bytes goes through the slot of the root, in pieces. A large one is read
//! from the root by all at the same time. Among PEs of several nodes each puts it to some others
//! instead. Where several PEs share a host, the blocks of an fcollect go from one of them to one of each
//! other host, and the others copy them there. A source that overlaps its destination is copied before
//! the first synchronisation. Where the program has seen to it that all destinations are ready, the
//! first is left out.

use std::panic::Location;

use super::elements::{Fits, ScratchElements, SelectedElements, bytes, bytes_mut, with_room, zeros};
use super::macros::Moved;
use super::reduce::{call_from, call_on, equal_pair, pair};
use crate::remote::Remote;
use crate::runtime::agreement::Call;
use crate::runtime::bytes::with_scratch;
use crate::runtime::direct;
use crate::runtime::races::{self, Kind, When};
use crate::runtime::team::Team;
use crate::runtime::team::call::OngoingCall;
use crate::runtime::team::given::Given;
use crate::runtime::{self, observe};
use crate::select::{Many, OnOnePe};
use crate::symmetric::Symmetric;
use crate::system::{place, sync::AtomicU64, tuning::eager};
use crate::transport::closed;
use crate::transport::copy::{copy, is_tangled};
use crate::transport::layout::EAGER_SIZE;
use crate::transport::node::barrier::CELL;
use crate::transport::operation::BlockMove;
use crate::transport::{Carried, HostsOfTeam};

/// The elements to send: in the object, or a private copy of them.
pub(super) enum Outgoing<'a, T> {
    Object(SelectedElements<'a, T>),
    Copy(Vec<T>),
}

impl<T: Symmetric> Outgoing<'_, T> {
    /// The object, or a copy if writing to `to` would change it.
    #[track_caller]
    pub(super) fn of<'a>(from: SelectedElements<'a, T>, to: &SelectedElements<'_, T>) -> Outgoing<'a, T> {
        if to.overlaps(&from) { Outgoing::Copy(from.to_vec()) } else { Outgoing::Object(from) }
    }

    #[track_caller]
    pub(super) fn copy_to(
        &self,
        from: usize,
        to: &SelectedElements<'_, T>,
        pe: usize,
        to_from: usize,
        len: usize,
    ) {
        match self {
            Outgoing::Object(object) => object.copy_to(from, to, pe, to_from, len),
            Outgoing::Copy(copy) => to.write(pe, to_from, &copy[from..from + len]),
        }
    }
}

/// What a PE that calls knows of the destinations of the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Destinations {
    /// Another PE may still use its own until it calls.
    InUse,
    /// All were ready before any PE called: the program's promise.
    Ready,
}

/// Synchronises the team, and calls the C library's routine for blocks of `len` bytes if it has one
/// for these places and all PEs make the same call. False if the caller has to move the elements.
fn by_routine<T: Symmetric>(
    call: &mut OngoingCall<'_>,
    movement: BlockMove,
    len: usize,
    to: &SelectedElements<'_, T>,
    from: &SelectedElements<'_, T>,
) -> bool {
    let places = to.places(from);
    match (call.agreed_routines((movement, len, places)), places) {
        (Some(routines), Some((to, from))) => routines.move_blocks(movement, to, from, len),
        _ => false,
    }
}

impl Team {
    /// Copies the elements of PE `root` of the team to all its PEs, including `root`:
    /// `collective!(DST[sel] = broadcast SRC[sel] from root; on team)` (`shmem_broadcast`).
    /// Collective.
    ///
    /// Both arguments are selections of this PE's own copies, `local!(&A[sel])`. They have equal
    /// lengths, are the same on all PEs, and may be the same selection.
    ///
    /// A broadcast does not synchronise. When it returns, this PE has the elements, and its source
    /// may be changed. PE `root` may return before the others have made the call. Where that
    /// matters, call [`sync`](Team::sync) after it.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static WEIGHTS: [f32; 4] = [0.0; 4];
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     if world.my_pe() == 2 {
    ///         local!(WEIGHTS[..]) = [1.0, 2.0, 3.0, 4.0];
    ///     }
    ///     world.team().broadcast(local!(&WEIGHTS[..]), local!(&WEIGHTS[..]), 2);
    ///     assert_eq!(local!(WEIGHTS[3]), 4.0);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the lengths differ, when there is no PE `root`, when a selection is not of this PE, and
    /// in checked runs when the PEs do not make the same call.
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_broadcast")]
    #[doc(alias = "shmem_broadcastmem")]
    pub fn broadcast<T: Moved, F: OnOnePe, G: Fits<F>>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        root: usize,
    ) {
        self.broadcast_to(destination, source, root, true);
    }

    /// As [`broadcast`](Team::broadcast). The destination of the root is written if `on_root` says so, as
    /// all PEs say or none.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn broadcast_to<T: Moved, F: OnOnePe, G: Fits<F>>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        root: usize,
        on_root: bool,
    ) {
        if let (Some((target, len)), Some((source, from))) = (destination.own_bytes(), source.own_bytes())
            && len == from
            && objects_may_be_short()
            // SAFETY: both are selections of this PE, which were checked against the extents of live objects.
            && unsafe { self.broadcast_bytes(target, source, len, root, on_root) }
        {
            return;
        }
        self.broadcast_any(destination, source, root, on_root);
    }

    /// The same, of any selections.
    #[inline(never)]
    #[track_caller]
    fn broadcast_any<T: Moved, F: OnOnePe, G: Fits<F>>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        root: usize,
        on_root: bool,
    ) {
        self.check_pe(root, "the root of a broadcast");
        let (to, from) = equal_pair(destination, source);
        let n = from.len();
        let is_written = on_root || self.my_pe() != root;
        let (me, owner) = (self.members.pe(self.my_pe()), self.members.pe(root));
        let len = n * size_of::<T>();
        // Of rank 2, without gaps.
        if objects_may_be_short()
            && let (Some(target), Some(source)) = (to.address(me), from.address(me))
            // SAFETY: as in `broadcast_to`.
            && unsafe { self.broadcast_bytes(target, source, len, root, on_root) }
        {
            return;
        }
        let call = if is_written {
            call_on::<T>("broadcast", &to, &from)
        } else {
            call_from("broadcast", &to, &from)
        };
        let mut call = self.begin(call.root(root));
        if self.is_quick_to_broadcast(len) {
            return with_room(n, |values| {
                if me == owner {
                    from.read(me, 0, values);
                }
                call.broadcast(root, bytes_mut(values));
                if is_written {
                    to.write(me, 0, values);
                }
            });
        }
        if !to.is_tangled(&from) && self.broadcast_by_relay(root, is_written, &to, &from) {
            return;
        }
        // As in `broadcast_in_place`, two synchronisations. The root has come, and its source holds what it gives.
        self.sync_unchecked();
        if !is_written {
            return self.sync_unchecked();
        }
        if to.is_tangled(&from) {
            let mut values = ScratchElements::new(n);
            from.read(owner, 0, &mut values);
            self.sync_unchecked();
            return to.write(me, 0, &values);
        }
        // Each PE reads, so that all copy at the same time.
        from.copy_between(owner, 0, &to, me, 0, n);
        self.sync_unchecked();
    }

    /// Has the elements go from member to member in pieces, from `from` of member `root` to `to` of all, where
    /// not all reach them by loads. When it returns, no other PE reads or writes the elements of this one.
    #[track_caller]
    fn broadcast_by_relay<T: Symmetric>(
        &self,
        root: usize,
        is_written: bool,
        to: &SelectedElements<'_, T>,
        from: &SelectedElements<'_, T>,
    ) -> bool {
        let (n, owner, me) = (from.len(), self.members.pe(root), self.members.pe(self.my_pe()));
        let each = (eager::BROADCAST_PIECE / size_of::<T>().max(1)).max(1);
        let mut copy = |source: usize, pe: usize, piece: usize| {
            let (first, of) = (piece * each, if source == owner { from } else { to });
            of.copy_between(source, first, to, pe, first, each.min(n - first));
        };
        if !self.relay(root, n.div_ceil(each), &mut copy) {
            return false;
        }
        if me == owner && is_written {
            from.copy_between(me, 0, to, me, 0, n);
        }
        // Others on its host may still read the elements.
        self.sync_on_host();
        true
    }

    /// As [`broadcast_to`](Team::broadcast_to), of `len` bytes at addresses of this process, where nothing
    /// is compared or observed. False, with nothing done, in all other cases; of more bytes than cells take,
    /// where the two places overlap; and of many bytes, where not all members reach them.
    ///
    /// Members may go different ways, this one and that of `broadcast_any`: with as many bytes, both take the same
    /// cells, or the same pieces of the slot, or synchronise twice.
    ///
    /// # Safety
    ///
    /// `from` is readable and `to` writable for `len` bytes, in this PE's heap.
    #[track_caller]
    pub(crate) unsafe fn broadcast_bytes(
        &self,
        to: *mut u8,
        from: *const u8,
        len: usize,
        root: usize,
        on_root: bool,
    ) -> bool {
        if len == 0 || runtime::get().is_checked() || observe::wants_operations() {
            return false;
        }
        self.check_pe(root, "the root of a broadcast");
        let is_written = on_root || self.my_pe() != root;
        let are_words = (to.addr() | from.addr() | len).is_multiple_of(size_of::<u64>());
        // On one host several cells are filled as fast from a private copy.
        if are_words && (len <= CELL || !self.is_on_one_host()) {
            let words = len / size_of::<u64>();
            // SAFETY: the caller's promise, and both are aligned. Memory of which others write bytes at the same
            // time is accessed by atomic operations here, by copies that are made for that, or by the library.
            let (from, to) = unsafe {
                (
                    std::slice::from_raw_parts(from.cast::<AtomicU64>(), words),
                    is_written.then(|| std::slice::from_raw_parts(to.cast::<AtomicU64>(), words)),
                )
            };
            if self.broadcast_words("broadcast", root, from, to) {
                return true;
            }
        }
        // SAFETY: the caller's promise.
        unsafe {
            if self.is_quick_to_broadcast(len) {
                return self.broadcast_eagerly(to, from, len, root, is_written);
            }
            self.broadcast_in_place(to, from, len, root, is_written)
        }
    }

    /// Has each member read from the root, between two synchronisations. False, with nothing done, as
    /// [`broadcast_bytes`](Team::broadcast_bytes) says.
    ///
    /// # Safety
    ///
    /// As `broadcast_bytes`.
    #[inline(never)]
    #[track_caller]
    unsafe fn broadcast_in_place(
        &self,
        to: *mut u8,
        from: *const u8,
        len: usize,
        root: usize,
        is_written: bool,
    ) -> bool {
        let [mine, theirs] = [self.my_pe(), root].map(|rank| direct::addressed(self.members.pe(rank)));
        // Another thread may begin to observe, which takes addresses away.
        if !self.is_on_one_host() || is_tangled(to, from, len) || mine.is_null() || theirs.is_null() {
            return false;
        }
        let _call = self.begin(broadcast_of(len, root, place::caller()));
        let source = theirs.wrapping_add(from.addr() - mine.addr()).cast_const();
        // The root has come, and its source holds what it gives.
        self.sync_unchecked();
        if is_written && source != to.cast_const() {
            // SAFETY: the caller's promise, so `from` is in the heap that begins at `mine`, and each heap has as
            // many bytes. The two places are apart, or on two PEs. Others may write there only by a mistake,
            // which `copy` is made for.
            unsafe { copy(to, source, len) };
        }
        self.sync_unchecked();
        true
    }

    /// Broadcasts by cells, or by the slot. False, with nothing done, where they do not fit into cells, and the
    /// two places overlap.
    ///
    /// # Safety
    ///
    /// As [`broadcast_bytes`](Team::broadcast_bytes).
    #[track_caller]
    unsafe fn broadcast_eagerly(
        &self,
        to: *mut u8,
        from: *const u8,
        len: usize,
        root: usize,
        is_written: bool,
    ) -> bool {
        let (is_root, by_cells) = (self.my_pe() == root, self.broadcasts_by_cells(len));
        if !by_cells && is_tangled(to, from, len) {
            return false;
        }
        let mut call = self.begin(broadcast_of(len, root, place::caller()));
        // SAFETY: the caller's promise. The values are private and as many; without them, the two places are the
        // same or apart, as was just checked.
        unsafe {
            if by_cells {
                with_scratch(len, |values| {
                    if is_root {
                        copy(values.as_mut_ptr(), from, len);
                    }
                    call.broadcast(root, values);
                    if is_written {
                        copy(to, values.as_ptr(), len);
                    }
                });
            } else {
                call.broadcast_by_slot(root, from, to, len);
                if is_root && is_written && to.cast_const() != from {
                    copy(to, from, len);
                }
            }
        }
        true
    }

    /// Returns the value of PE `root` of the team on all its PEs:
    /// `collective!(broadcast x from root; on team)`. Collective.
    ///
    /// As [`broadcast`](Team::broadcast), it does not synchronise.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     // What the other PEs pass is not used.
    ///     let seed = if world.my_pe() == 1 { 42 } else { 0 };
    ///     assert_eq!(world.team().broadcast_value(seed, 1), 42);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`, and in checked runs when the PEs do not make the same call.
    #[must_use]
    #[track_caller]
    pub fn broadcast_value<T: Moved>(&self, mut value: T, root: usize) -> T {
        self.broadcast_values(std::slice::from_mut(&mut value), root);
        value
    }

    /// Copies a slice in private memory from PE `root` of the team to all its PEs. The lengths are
    /// equal. Collective.
    ///
    /// As [`broadcast`](Team::broadcast), it does not synchronise.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let mut weights = vec![0.0; 3];
    ///     if world.my_pe() == 0 {
    ///         weights = vec![0.25, 0.5, 0.25];
    ///     }
    ///     world.team().broadcast_values(&mut weights, 0);
    ///     assert_eq!(weights, [0.25, 0.5, 0.25]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`broadcast_value`](Team::broadcast_value).
    #[track_caller]
    pub fn broadcast_values<T: Moved>(&self, values: &mut [T], root: usize) {
        self.check_pe(root, "the root of a broadcast");
        let mut call =
            self.begin(Call::new("broadcast", Location::caller()).of::<T>().count(values.len()).root(root));
        let values = bytes_mut(values);
        if values.is_empty() {
            return call.broadcast(root, values);
        }
        for piece in values.chunks_mut(EAGER_SIZE) {
            call.broadcast(root, piece);
        }
    }

    /// A call without elements that is no broadcast. Each PE still learns that all have come.
    pub(super) fn meet_without_elements(&self) {
        self.sync_unchecked();
    }

    /// Concatenates the elements of all PEs, in the order of the team, on every PE:
    /// `collective!(DST[sel] = fcollect SRC[sel]; on team)` (`shmem_fcollect`). Collective.
    ///
    /// All PEs have equally many elements, and the destination is as long as all sources together.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static PAIR: [usize; 2] = [0; 2];
    /// #[symmetric]
    /// static TABLE: [usize; 4] = [0; 4];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     local!(PAIR[..]) = [world.my_pe(), 10 + world.my_pe()];
    ///     world.team().fcollect(local!(&TABLE[..]), local!(&PAIR[..]));
    ///     assert_eq!(local!(TABLE[..]), [0, 10, 1, 11]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the destination is not as long as all sources together, when a selection is not of this
    /// PE, and in checked runs when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "shmem_fcollect")]
    #[doc(alias = "shmem_fcollectmem")]
    pub fn fcollect<T: Moved, F: OnOnePe, G: OnOnePe>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        self.fcollect_to(destination, source, Destinations::InUse);
    }

    /// As [`fcollect`](Team::fcollect), where the program knows that all destinations are ready:
    /// `collective!(DST[sel] = fcollect SRC[sel] to ready; on team)`. Collective.
    ///
    /// See [`alltoall_to_ready`](Team::alltoall_to_ready) for what that means.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static MINE: usize = 0;
    /// #[symmetric]
    /// static TABLES: [[usize; 3]; 2] = [[0; 3]; 2];
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     for round in 0..10 {
    ///         local!(MINE) = 100 * round + world.my_pe();
    ///         // A PE that has returned from a round knows that all have read the table of the one before.
    ///         collective!(TABLES[round % 2, ..] = fcollect MINE to ready);
    ///         assert_eq!(local!(TABLES[round % 2, ..]), [0, 1, 2].map(|pe| 100 * round + pe));
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As `fcollect`.
    #[track_caller]
    pub fn fcollect_to_ready<T: Moved, F: OnOnePe, G: OnOnePe>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        self.fcollect_to(destination, source, Destinations::Ready);
    }

    /// As [`fcollect`](Team::fcollect), where `destinations` says what is known of them.
    #[inline(always)]
    #[track_caller]
    fn fcollect_to<T: Moved, F: OnOnePe, G: OnOnePe>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        destinations: Destinations,
    ) {
        let (to, from) = pair(destination, source);
        self.same_blocks(&from, "destination", &to);
        let n = from.len();
        let (call, destinations) = self.call_of_blocks("fcollect", &to, &from, n, destinations);
        let mut call = self.begin(call);
        if n == 0 {
            return self.meet_without_elements();
        }
        let me = self.members.pe(self.my_pe());
        let len = n * size_of::<T>();
        if call.is_quick_for_all(len, destinations == Destinations::InUse) {
            return with_room(n, |values| {
                from.read(me, 0, values);
                call.exchange(bytes(values), |pe, bytes| to.write_own(pe * n, bytes));
            });
        }
        if let Some(hosts) = self.hosts() {
            return self.hand_over_to_hosts((&to, from), destinations, n, hosts);
        }
        // Open MPI's own routine takes 1.2 to 4 times as long, with 2 to 8 PEs and 4 KiB and more.
        self.hand_over((&to, from), destinations, n, |_| 0);
    }

    /// Concatenates the elements of all PEs, in the order of the team, on every PE:
    /// `collective!(DST[sel] = collect SRC[sel]; on team)` (`shmem_collect`). Collective.
    ///
    /// The number of elements may differ from PE to PE. Returns the number of all elements.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static FOUND: [usize; 4] = [0; 4];
    /// #[symmetric]
    /// static ALL: [usize; 8] = [0; 8];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     // One element of PE 0, two of PE 1.
    ///     let len = world.my_pe() + 1;
    ///     local!(FOUND[..len]) = 10 * len;
    ///     let n = world.team().collect(local!(&ALL[..]), local!(&FOUND[..len]));
    ///     assert_eq!(local!(ALL[..n]), [10, 20, 20]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the destination has no room for all elements, on every PE; when a selection is not of
    /// this PE; and in checked runs when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "shmem_collect")]
    #[doc(alias = "shmem_collectmem")]
    pub fn collect<T: Moved, F: OnOnePe, G: OnOnePe>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) -> usize {
        let (to, from) = pair(destination, source);
        self.collect_elements(to.offset(), |_| to, from, || Outgoing::of(from, &to))
    }

    /// As [`collect`](Team::collect), to the elements that `destination` returns for the number of all. They are apart from
    /// the source, and begin at one place, however many they are.
    #[track_caller]
    pub(crate) fn collect_apart<'a, T: Moved>(
        &self,
        destination: impl Fn(usize) -> Remote<'a, T, Many>,
        source: Remote<'a, T, Many>,
    ) {
        let to = |all| SelectedElements::of(destination(all), "destination");
        let from = SelectedElements::of(source, "source");
        self.collect_elements(to(0).offset(), to, from, || Outgoing::Object(from));
    }

    /// Collects to what `destination` returns for the number of all elements, at offset `at`; `outgoing` returns those of
    /// this PE, when the call has begun.
    #[track_caller]
    fn collect_elements<'a, T: Symmetric>(
        &self,
        at: usize,
        destination: impl FnOnce(usize) -> SelectedElements<'a, T>,
        from: SelectedElements<'a, T>,
        outgoing: impl FnOnce() -> Outgoing<'a, T>,
    ) -> usize {
        from.takes_part(Kind::Load, from.len());
        let what = Call::new("collect", Location::caller()).of::<T>().destination(at);
        let mut call = self.begin(what);
        let source = outgoing();
        let given = call.exchange_given((from.len(), size_of::<T>()), true, |bytes| from.read_own(0, bytes));
        let all = given.counts.iter().sum::<usize>();
        let to = destination(all);
        assert!(
            all <= to.len(),
            "the PEs collect {all} elements, and the destination, in {}, has room for {}",
            to.info,
            to.len()
        );
        to.takes_part(Kind::Store, all);
        call.meet_again(&what);
        if let Some(few) = given.few {
            to.write_own(0, &few);
            return all;
        }
        let before = given.counts[..self.my_pe()].iter().sum();
        for pe in self.starting_here() {
            source.copy_to(0, &to, self.members.pe(pe), before, from.len());
        }
        self.deliver();
        all
    }

    /// Returns the values of all PEs, concatenated in the order of the team:
    /// `collective!(collect &values; on team)`. Collective.
    ///
    /// The number of values may differ from PE to PE.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     // PE 0 has nothing to give, PE 2 has two values.
    ///     let mine = vec![world.my_pe(); world.my_pe()];
    ///     assert_eq!(world.team().collect_values(&mine), [1, 2, 2]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[must_use]
    #[track_caller]
    pub fn collect_values<T: Moved>(&self, values: &[T]) -> Vec<T> {
        let mut call = self.begin(Call::new("collect", Location::caller()).of::<T>());
        let read = |few: &mut [u8]| few.copy_from_slice(bytes(values));
        let given = call.exchange_given((values.len(), size_of::<T>()), true, read);
        if let Some(all) = few(&given) {
            return all;
        }
        let mut all = zeros(given.counts.iter().sum());
        // In bytes, because an element may be larger than a slot.
        let lens: Vec<usize> = given.counts.iter().map(|len| len * size_of::<T>()).collect();
        let starts = starts(&lens);
        let target = bytes_mut(&mut all);
        call.collect_for_all(bytes(values), &lens, |pe, at, bytes| {
            target[starts[pe] + at..][..bytes.len()].copy_from_slice(bytes);
        });
        all
    }

    /// Returns one value of each PE, in the order of the team: `collective!(fcollect x; on team)`.
    /// Collective.
    ///
    /// ```
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &shmem::World) {
    ///     assert_eq!(world.team().fcollect_value(world.my_pe()), [0, 1, 2]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[must_use]
    #[track_caller]
    pub fn fcollect_value<T: Moved>(&self, value: T) -> Vec<T> {
        self.values_of_each("fcollect", &[value])
    }

    /// Sends a block of elements from each PE to each:
    /// `collective!(DST[sel] = alltoall SRC[sel]; on team)` (`shmem_alltoall`, and
    /// `shmem_alltoalls` where the selections have steps). Collective.
    ///
    /// On `n` PEs, both selections are `n` blocks of equal length. Block `p` of this PE's source
    /// goes to PE `p`. There it becomes the block of the destination with this PE's number.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static OUT: [[usize; 2]; 2] = [[0; 2]; 2];
    /// #[symmetric]
    /// static IN: [[usize; 2]; 2] = [[0; 2]; 2];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let me = 10 * world.my_pe();
    ///     // A row for each PE, which gets a row from each.
    ///     local!(OUT[.., ..]) = [[me, me + 1], [me + 2, me + 3]];
    ///     world.team().alltoall(local!(&IN[.., ..]), local!(&OUT[.., ..]));
    ///     let rows = [[[0, 1], [10, 11]], [[2, 3], [12, 13]]];
    ///     assert_eq!(local!(IN[.., ..]), rows[world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the lengths differ or are no multiple of the number of PEs, when a selection is not of
    /// this PE, and in checked runs when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "shmem_alltoall")]
    #[doc(alias = "shmem_alltoallmem")]
    #[doc(alias = "shmem_alltoalls")]
    #[doc(alias = "shmem_alltoallsmem")]
    pub fn alltoall<T: Moved, F: OnOnePe, G: Fits<F>>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        self.alltoall_to(destination, source, Destinations::InUse);
    }

    /// As [`alltoall`](Team::alltoall), where the program knows that all destinations are ready:
    /// `collective!(DST[sel] = alltoall SRC[sel] to ready; on team)`. Collective.
    ///
    /// A destination is ready when its PE has read what it needs of the old values, and the other PEs know
    /// that, before any of them calls. OpenSHMEM asks for that in its collectives. `alltoall` asks for
    /// nothing: with blocks of more than a few KiB, it waits until all PEs have called, writes, and waits
    /// again. This call waits once.
    ///
    /// Two destinations in turn are ready: a PE that has returned from one call knows that all have come
    /// to it, and so no longer use the destination of the call before. For that, all the calls are of one
    /// team, nobody reads or writes a destination after its PE has come to the next call, and neither of
    /// the two is a source of the calls. A team of rows and a team of columns need two destinations each.
    ///
    /// Where a destination is not ready, its PE may find new values among the old ones, as after a
    /// [`put`](Remote::put) that comes too early. A checked run compares the calls first, which hides that.
    /// A run with `SHMEM_RACES=1` reports it.
    ///
    /// The call waits twice, as `alltoall` does, where the ranges of the two selections overlap: in place,
    /// or two columns of one array, whose elements lie between each other. It also does where it is a
    /// routine of the C library.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static OUT: [usize; 3] = [0; 3];
    /// #[symmetric]
    /// static IN: [[usize; 3]; 2] = [[0; 3]; 2];
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     for round in 0..10 {
    ///         local!(OUT[..]) = [0, 1, 2].map(|to| 100 * round + 10 * world.my_pe() + to);
    ///         collective!(IN[round % 2, ..] = alltoall OUT[..] to ready);
    ///         let expected = [0, 1, 2].map(|from| 100 * round + 10 * from + world.my_pe());
    ///         assert_eq!(local!(IN[round % 2, ..]), expected);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As `alltoall`.
    #[track_caller]
    pub fn alltoall_to_ready<T: Moved, F: OnOnePe, G: Fits<F>>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        self.alltoall_to(destination, source, Destinations::Ready);
    }

    /// As [`alltoall`](Team::alltoall), where `destinations` says what is known of them.
    #[inline(always)]
    #[track_caller]
    fn alltoall_to<T: Moved, F: OnOnePe, G: Fits<F>>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        destinations: Destinations,
    ) {
        let (to, from) = equal_pair(destination, source);
        let n_pes = self.n_pes();
        assert!(
            from.len().is_multiple_of(n_pes),
            "the {} elements of the source, in {}, do not divide into equal blocks for {n_pes} PEs",
            from.len(),
            from.info
        );
        let n = from.len() / n_pes;
        let (call, destinations) = self.call_of_blocks("alltoall", &to, &from, n, destinations);
        let mut call = self.begin(call);
        if n == 0 {
            return self.meet_without_elements();
        }
        let (me, block) = (self.members.pe(self.my_pe()), n * size_of::<T>());
        if call.is_quick_to_each(block, destinations == Destinations::InUse) {
            if let (Some(to), Some(from)) = (to.address(me), from.address(me)) {
                // SAFETY: selections of this PE, without gaps, of as many elements.
                return unsafe { call.alltoall_bytes(to, from, block) };
            }
            return with_room(from.len(), |values| {
                from.read(me, 0, values);
                call.alltoall(bytes_mut(values));
                to.write(me, 0, values);
            });
        }
        // A routine waits for the agreement of all on the call. Few parties have written to all others in as
        // much time.
        if !self.meets_at_once()
            && self.routines().is_some()
            && by_routine(&mut call, BlockMove::Alltoall, block, &to, &from)
        {
            return;
        }
        self.hand_over((&to, from), destinations, n, |pe| pe * n);
    }

    /// A call in which each PE writes its block of `n` elements to the destination of each PE. Also returns what is
    /// known of the destinations. Where the ranges overlap they count as in use: a write could change a source that
    /// its PE has not yet read.
    #[inline(always)]
    #[track_caller]
    fn call_of_blocks<T: Symmetric>(
        &self,
        what: &'static str,
        to: &SelectedElements<'_, T>,
        from: &SelectedElements<'_, T>,
        n: usize,
        destinations: Destinations,
    ) -> (Call, Destinations) {
        if destinations == Destinations::InUse {
            return (call_on::<T>(what, to, from), Destinations::InUse);
        }
        if to.overlaps(from) {
            return (call_on::<T>(what, to, from).to_ready(true), Destinations::InUse);
        }
        if races::watches() {
            let me = self.my_pe();
            for rank in 0..self.n_pes() {
                to.takes_part_on(Kind::Store, When::Coming, self.members.pe(rank), me * n..(me + 1) * n);
            }
            to.takes_part_on(Kind::Store, When::Leaving, self.members.pe(me), 0..to.len());
        }
        (call_from::<T>(what, to, from).to_ready(false), Destinations::Ready)
    }

    /// Writes `n` elements of the source, beginning at `first(pe)`, to this PE's block of the
    /// destination on each PE `pe`.
    #[track_caller]
    fn hand_over<T: Symmetric>(
        &self,
        (to, from): (&SelectedElements<'_, T>, SelectedElements<'_, T>),
        destinations: Destinations,
        n: usize,
        first: impl Fn(usize) -> usize,
    ) {
        let (me, source) = (self.my_pe(), Outgoing::of(from, to));
        let give = |pe| source.copy_to(first(pe), to, self.members.pe(pe), me * n, n);
        self.until_ready(destinations, || give(me));
        self.others().for_each(give);
        self.deliver();
    }

    /// Writes to this PE's own destination, until others may write to theirs.
    #[track_caller]
    fn until_ready(&self, destinations: Destinations, write_own: impl FnOnce()) {
        match destinations {
            Destinations::InUse => self.sync_around(write_own),
            // A PE reads its own source alone, and writes to places that are ready. So it needs to
            // know of the others only that they have written, which the barrier says: no
            // destination is complete before all have come there, and none returns before.
            Destinations::Ready => write_own(),
        }
    }

    /// Writes the `n` elements of the source to this PE's block of the destination on one PE of each host.
    /// The others on its host copy it from there. Of few hosts, one PE writes the blocks of all on its host.
    #[track_caller]
    fn hand_over_to_hosts<T: Symmetric>(
        &self,
        (to, from): (&SelectedElements<'_, T>, SelectedElements<'_, T>),
        destinations: Destinations,
        n: usize,
        hosts: HostsOfTeam<'_>,
    ) {
        let (me, source) = (self.my_pe(), Outgoing::of(from, to));
        let give = |pe| source.copy_to(0, to, self.members.pe(pe), me * n, n);
        self.until_ready(destinations, || give(me));
        let HostsOfTeam { leads, mine, here, .. } = hosts;
        if !self.meet_with(&mut CarriedBlocks { team: self, to, n, here }) {
            let others = (mine + 1..leads.len()).chain(0..mine);
            others.for_each(|host| give(leads[host]));
            self.deliver();
        }
        for rank in self.others() {
            let holder = if here.contains(&rank) { rank } else { leads[mine] };
            if holder != me {
                to.copy_between(self.members.pe(holder), rank * n, to, self.members.pe(me), rank * n, n);
            }
        }
        // Who has returned may change its own, which others on its host read.
        self.sync_on_host();
    }

    /// All PEs, beginning with this one, so that not all write to the same PE at the same time.
    pub(super) fn starting_here(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.my_pe()).chain(self.others())
    }

    /// All PEs but this one, beginning with the next.
    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (me, n_pes) = (self.my_pe(), self.n_pes());
        (me + 1..n_pes).chain(0..me)
    }

    /// Panics unless `many`, the `what` of the call, has as many elements as `one` on all PEs
    /// together.
    #[track_caller]
    pub(super) fn same_blocks<T: Symmetric>(
        &self,
        one: &SelectedElements<'_, T>,
        what: &str,
        many: &SelectedElements<'_, T>,
    ) {
        let n_pes = self.n_pes();
        assert!(
            one.len().checked_mul(n_pes) == Some(many.len()),
            "the {what} of the collective, in {}, has {} elements; it needs {} for each of {n_pes} PEs, as \
             many as the selection of {} has",
            many.info,
            many.len(),
            one.len(),
            one.info
        );
    }
}

/// The blocks of the members of each host, which the last of these to come writes to the destination of the lead of each
/// other host. Each has its own block in its own destination.
struct CarriedBlocks<'a, T> {
    team: &'a Team,
    to: &'a SelectedElements<'a, T>,
    /// The elements of a block.
    n: usize,
    /// The members on this host.
    here: &'a [usize],
}

impl<T: Symmetric> Carried for CarriedBlocks<'_, T> {
    fn send(&mut self, _word: usize, lead: usize) {
        let &mut CarriedBlocks { team, to, n, here } = self;
        for &rank in here {
            to.copy_between(team.members.pe(rank), rank * n, to, lead, rank * n, n);
        }
    }
}

/// A broadcast of so many bytes.
fn broadcast_of(len: usize, root: usize, place: &'static Location<'static>) -> Call {
    Call::new("broadcast", place).of::<u8>().count(len).root(root)
}

/// Whether a broadcast of objects may be that of bytes at addresses: nobody watches for races, and no phase has
/// closed this PE's heap.
#[inline(always)]
fn objects_may_be_short() -> bool {
    !races::watches() && !closed::is_closed()
}

/// The values of all members, one after the other, if they are few.
pub(super) fn few<T: Symmetric>(given: &Given) -> Option<Vec<T>> {
    let few = given.few.as_ref()?;
    let mut all = zeros(given.counts.iter().sum());
    bytes_mut(&mut all).copy_from_slice(few);
    Some(all)
}

/// Where each piece begins, in a concatenation of pieces of these lengths.
pub(super) fn starts(lens: &[usize]) -> Vec<usize> {
    lens.iter().scan(0, |end, len| Some(std::mem::replace(end, *end + len))).collect()
}
