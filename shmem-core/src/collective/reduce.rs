//! Reductions and scans.
//!
//! Values are joined in the order of the PEs. So all PEs get the same bits, those of a loop over
//! the PEs.
//!
//! Small messages are eager: each PE writes its values to a slot, all synchronise once, and each PE
//! joins all values. Integers give the same result in any order, so PEs of several nodes join a few
//! of them in the messages of the synchronisation. Two PEs with one value each send it
//! with the word that synchronises them. Of large messages each PE reads one block of every source,
//! joins it while it is in the cache, and writes it to every destination. So each source is read once
//! and each destination written once, which is the least possible. One PE alone reads and writes a block, so source and destination
//! may be the same. Where members share hosts, [`lanes`](super::lanes) says what they do with large messages.

use std::ops::Range;
use std::panic::Location;

use super::elements::{self, Fits, ScratchElements, SelectedElements, bytes, bytes_mut, with_room};
use crate::number::{self, ReducedBy};
use crate::remote::Remote;
use crate::runtime::agreement::Call;
use crate::runtime::bytes::{bytes as word_bytes, bytes_mut as words_bytes};
use crate::runtime::races::Kind;
use crate::runtime::team::Team;
use crate::runtime::team::call::OngoingCall;
use crate::runtime::team::rounds::{HALF, Step, WORDS, join_windows, whole};
use crate::select::OnOnePe;
use crate::symmetric::Symmetric;
use crate::system::place;
use crate::system::tuning;
use crate::system::tuning::copy::PIECE;
use crate::system::tuning::lanes::LONGEST_PIECE;
use crate::transport::copy::{CacheLine, LINE, copy, end_of_stream, load_line, store_line, stream_line};
use crate::transport::layout::EAGER_SIZE;
use crate::transport::operation::{Operation, Sum};

impl Team {
    /// Reduces the elements of all PEs, place by place, and writes the result on every PE:
    /// `collective!(DST[sel] = sum SRC[sel]; on team)` (`shmem_sum_reduce` and its like).
    /// Collective.
    ///
    /// Both arguments are selections of this PE's own copies, `local!(&A[sel])`. They have equal
    /// lengths, are the same on all PEs, and may be the same selection. Integers wrap around. The
    /// values are joined in the order of the PEs.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Max;
    ///
    /// #[symmetric]
    /// static HEIGHTS: [f64; 3] = [0.0; 3];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     local!(HEIGHTS[..]) = [1.0, world.my_pe() as f64, -2.0];
    ///     world.team().reduce(Max, local!(&HEIGHTS[..]), local!(&HEIGHTS[..]));
    ///     assert_eq!(local!(HEIGHTS[..]), [1.0, 1.0, -2.0]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When the lengths differ, when a selection is not of this PE, and in checked runs when the
    /// PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "shmem_sum_reduce")]
    #[doc(alias = "shmem_prod_reduce")]
    #[doc(alias = "shmem_min_reduce")]
    #[doc(alias = "shmem_max_reduce")]
    #[doc(alias = "shmem_and_reduce")]
    #[doc(alias = "shmem_or_reduce")]
    #[doc(alias = "shmem_xor_reduce")]
    #[doc(alias = "shmem_sum_to_all")]
    #[doc(alias = "shmem_prod_to_all")]
    #[doc(alias = "shmem_min_to_all")]
    #[doc(alias = "shmem_max_to_all")]
    #[doc(alias = "shmem_and_to_all")]
    #[doc(alias = "shmem_or_to_all")]
    #[doc(alias = "shmem_xor_to_all")]
    pub fn reduce<O, T: ReducedBy<O>, F: OnOnePe, G: Fits<F>>(
        &self,
        operation: O,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        let _ = operation;
        let (to, from) = equal_pair(destination, source);
        let n = from.len();
        let mut call = self.begin(call_on::<T>(T::NAME, &to, &from));
        if n == 0 {
            return self.meet_without_elements();
        }
        let (me, len) = (self.members.pe(self.my_pe()), n * size_of::<T>());
        if call.is_quick_to_reduce(len) {
            return with_room(n, |values| {
                from.read(me, 0, values);
                self.join_all::<O, T>(&mut call, values);
                to.write(me, 0, values);
            });
        }
        self.reduce_in_blocks(&mut call, T::OPERATION, Joins::in_turn::<O>(), &to, &from);
    }

    /// Reduces many elements: each PE joins a block of them.
    #[track_caller]
    pub(super) fn reduce_in_blocks<T: Symmetric>(
        &self,
        call: &mut OngoingCall<'_>,
        operation: Operation,
        joins: Joins<T>,
        to: &SelectedElements<'_, T>,
        from: &SelectedElements<'_, T>,
    ) {
        let (n, tangled) = (from.len(), to.is_tangled(from));
        if let Joins { in_turn: Some(join), .. } = joins
            && let Some(hosts) = self.hosts().filter(|hosts| hosts.lanes > 0 && !tangled)
        {
            return self.reduce_along(join, to, from, hosts);
        }
        let integer =
            number::integer::<T>(operation).filter(|_| to.is_dense() && from.is_dense() && !tangled);
        let routines = call.agreed_routines((operation, integer, to.offset(), from.offset(), n));
        if let (Some(routines), Some(width)) = (routines, integer)
            && routines.reduce(operation, width, to.offset(), from.offset(), n)
        {
            return;
        }
        if tangled {
            let mut all = ScratchElements::new(n);
            (joins.pieces)(self, from, 0..n, &mut |at, joined| {
                all[at..at + joined.len()].copy_from_slice(joined)
            });
            self.sync_unchecked();
            return to.write(self.members.pe(self.my_pe()), 0, &all);
        }
        let block = self.block::<T>(n);
        let addresses = |elements: &SelectedElements<'_, T>| -> Option<Vec<*mut u8>> {
            self.world_pes().map(|pe| elements.address(pe)).collect()
        };
        match (addresses(to), addresses(from)) {
            (Some(to), Some(from)) => {
                // SAFETY: at each address are `n` contiguous elements of a live object on a PE, and
                // the block is a part of them.
                unsafe { (joins.in_registers)(&to, &from, block) }
            }
            _ => (joins.pieces)(self, from, block, &mut |at, joined| {
                for pe in self.starting_here() {
                    to.write(self.members.pe(pe), at, joined);
                }
            }),
        }
        self.deliver();
    }

    /// Reduces the elements of all PEs, place by place, and writes one block of the result on each
    /// PE. Collective.
    ///
    /// The source is as long as all destinations together: PE `p` of the team gets the reduced
    /// elements from `p * destination.len()` on. OpenSHMEM has no such routine; NVSHMEM's is
    /// `nvshmem_sum_reducescatter`.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Sum;
    ///
    /// #[symmetric]
    /// static ALL: [u32; 4] = [1, 2, 3, 4];
    /// #[symmetric]
    /// static MINE: [u32; 2] = [0; 2];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     world.team().reduce_scatter(Sum, local!(&MINE[..]), local!(&ALL[..]));
    ///     // The sums are 2, 4, 6 and 8. PE 0 gets the first two, PE 1 the others.
    ///     assert_eq!(local!(MINE[..]), [[2, 4], [6, 8]][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce`](Team::reduce).
    #[track_caller]
    #[doc(alias = "nvshmem_sum_reducescatter")]
    pub fn reduce_scatter<O, T: ReducedBy<O>, F: OnOnePe, G: OnOnePe>(
        &self,
        operation: O,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        let _ = operation;
        let (to, from) = pair(destination, source);
        let n = to.len();
        self.same_blocks(&to, "source", &from);
        let mut call = self.begin(call_on::<T>("reduce_scatter", &to, &from).with(T::NAME));
        if n == 0 {
            return self.meet_without_elements();
        }
        let me = self.world_pe(self.my_pe());
        if call.is_quick_to_each(n * size_of::<T>(), true) {
            return with_room(from.len(), |values: &mut [T]| {
                from.read(me, 0, values);
                call.alltoall(bytes_mut(values));
                let (joined, others) = values.split_at_mut(n);
                others.chunks_exact(n).for_each(|values| join_slices::<O, T>(joined, values));
                to.write(me, 0, joined);
            });
        }
        self.sync_unchecked();
        let start = self.my_pe() * n;
        if to.overlaps(&from) {
            let mut all = ScratchElements::new(n);
            self.join_pieces::<O, T>(&from, start..start + n, &mut |at, joined| {
                all[at - start..][..joined.len()].copy_from_slice(joined);
            });
            self.sync_unchecked();
            return to.write(me, 0, &all);
        }
        self.join_pieces::<O, T>(&from, start..start + n, &mut |at, joined| to.write(me, at - start, joined));
        self.sync_unchecked();
    }

    /// Reduces one value of each PE, and returns the result on all PEs:
    /// `collective!(sum x; on team)`. Collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::{Max, Sum};
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let error = [0.5, 0.25][world.my_pe()];
    ///     assert_eq!(world.team().reduce_value(Max, error), 0.5);
    ///     assert_eq!(world.team().reduce_value(Sum, error), 0.75);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[track_caller]
    pub fn reduce_value<O, T: ReducedBy<O>>(&self, operation: O, value: T) -> T {
        let _ = operation;
        let mut call = self.begin(Call::new(T::NAME, Location::caller()).of::<T>().count(1));
        let mut joined = [value];
        self.join_all::<O, T>(&mut call, &mut joined);
        joined[0]
    }

    /// Reduces slices in private memory, place by place, and writes the result to the slices of all
    /// PEs. Collective.
    ///
    /// All slices have the same length.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Sum;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let mut histogram = [[3, 0, 1], [1, 2, 0]][world.my_pe()];
    ///     world.team().reduce_values(Sum, &mut histogram);
    ///     assert_eq!(histogram, [4, 2, 1]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[track_caller]
    pub fn reduce_values<O, T: ReducedBy<O>>(&self, operation: O, values: &mut [T]) {
        let _ = operation;
        let mut call = self.begin(Call::new(T::NAME, Location::caller()).of::<T>().count(values.len()));
        if values.is_empty() {
            return self.meet_without_elements();
        }
        for piece in pieces(values) {
            self.join_all::<O, T>(&mut call, piece);
        }
    }

    /// Reduces each place over the PEs up to this one:
    /// `collective!(DST[sel] = scan SRC[sel]; on team)`. Collective.
    ///
    /// PE `p` gets the result of the operation over PEs 0 to `p`, such as their sum
    /// (`shmem_sum_inscan`). Otherwise as [`reduce`](Team::reduce).
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Sum;
    ///
    /// #[symmetric]
    /// static COUNTS: [u32; 2] = [0; 2];
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let counts = local!(&COUNTS[..]);
    ///     counts.put([1, 10 * world.my_pe() as u32]);
    ///     world.team().scan(Sum, counts, counts);
    ///     assert_eq!(counts.get(), [[1, 0], [2, 10], [3, 30]][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce`](Team::reduce).
    #[track_caller]
    #[doc(alias = "shmem_sum_inscan")]
    pub fn scan<O, T: ReducedBy<O>, F: OnOnePe, G: Fits<F>>(
        &self,
        operation: O,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        let _ = operation;
        self.scan_pieces::<O, T>(("scan", T::NAME), destination, source, None);
    }

    /// Sums each place over the PEs before this one:
    /// `collective!(DST[sel] = exscan SRC[sel]; on team)`. Collective.
    ///
    /// PE `p` gets the sum over PEs 0 to `p - 1`, and PE 0 gets zeros (`shmem_sum_exscan`).
    /// Otherwise as [`reduce`](Team::reduce).
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static COUNTS: [u32; 2] = [0; 2];
    /// #[symmetric]
    /// static BEFORE: [u32; 2] = [7; 2];
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     local!(COUNTS[..]) = [1, 10 * world.my_pe() as u32];
    ///     world.team().exscan(local!(&BEFORE[..]), local!(&COUNTS[..]));
    ///     assert_eq!(local!(BEFORE[..]), [[0, 0], [1, 0], [2, 10]][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce`](Team::reduce).
    #[track_caller]
    #[doc(alias = "shmem_sum_exscan")]
    pub fn exscan<T: ReducedBy<Sum>, F: OnOnePe, G: Fits<F>>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
    ) {
        self.scan_pieces::<Sum, T>(("exscan", ""), destination, source, Some(zero()));
    }

    /// Reduces one value of each PE over the PEs up to this one: `collective!(scan x; on team)`.
    /// Collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    /// use shmem::reduction::Max;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let height = [3, 1, 5][world.my_pe()];
    ///     let highest_so_far = world.team().scan_value(Max, height);
    ///     assert_eq!(highest_so_far, [3, 3, 5][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[track_caller]
    pub fn scan_value<O, T: ReducedBy<O>>(&self, operation: O, value: T) -> T {
        let _ = operation;
        self.scan_one::<O, T>(("scan", T::NAME), value, None)
    }

    /// Sums one value of each PE over the PEs before this one, 0 on PE 0:
    /// `collective!(exscan x; on team)`. Collective.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     // Where the part of each PE starts in a sequence that all write together.
    ///     let len = [4, 1, 2][world.my_pe()];
    ///     assert_eq!(world.team().exscan_value(len), [0, 4, 5][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// In checked runs, when the PEs do not make the same call.
    #[track_caller]
    pub fn exscan_value<T: ReducedBy<Sum>>(&self, value: T) -> T {
        self.scan_one::<Sum, T>(("exscan", ""), value, Some(zero()))
    }

    /// `first` is what PE 0 gets, in a scan that leaves out each PE's own value.
    #[track_caller]
    fn scan_one<O, T: ReducedBy<O>>(
        &self,
        (what, with): (&'static str, &'static str),
        value: T,
        first: Option<T>,
    ) -> T {
        let mut call = self.begin(Call::new(what, Location::caller()).with(with).of::<T>().count(1));
        let mut joined = [value];
        self.join_before::<O, T>(&mut call, &mut joined, first);
        joined[0]
    }

    /// `first` is what PE 0 gets, in a scan that leaves out each PE's own values.
    #[track_caller]
    fn scan_pieces<O, T: ReducedBy<O>>(
        &self,
        (what, with): (&'static str, &'static str),
        destination: Remote<'_, T, impl OnOnePe>,
        source: Remote<'_, T, impl OnOnePe>,
        first: Option<T>,
    ) {
        let (to, from) = equal_pair(destination, source);
        let n = from.len();
        let mut call = self.begin(call_on::<T>(what, &to, &from).with(with));
        if n == 0 {
            return self.meet_without_elements();
        }
        let (exclusive, me) = (first.is_some(), self.my_pe());
        if call.is_quick_to_reduce(n * size_of::<T>()) {
            let own = self.members.pe(me);
            return with_room(n, |values| {
                from.read(own, 0, values);
                self.join_before::<O, T>(&mut call, values, first);
                to.write(own, 0, values);
            });
        }
        self.sync_unchecked();
        // Where the places overlap in part, each PE computes all of its own result.
        let tangled = to.is_tangled(&from);
        let mut mine = ScratchElements::new(if tangled { n } else { 0 });
        let range = if tangled { 0..n } else { self.block::<T>(n) };
        let (mut joined, mut one) = (ScratchElements::<T>::of_a_piece(), ScratchElements::<T>::of_a_piece());
        for at in range.clone().step_by(joined.len()) {
            let len = joined.len().min(range.end - at);
            let (joined, one) = (&mut joined[..len], &mut one[..len]);
            let mut begun = false;
            if let Some(first) = first {
                // `first` is not joined with anything: 0.0 + -0.0 has lost the sign.
                joined.fill(first);
            }
            for pe in 0..self.n_pes() {
                let member = self.members.pe(pe);
                // Read first: if the places are the same, the result overwrites these values.
                from.read(member, at, one);
                let mut give = |joined: &[T]| {
                    if !tangled {
                        to.write(member, at, joined);
                    } else if pe == me {
                        mine[at..at + len].copy_from_slice(joined);
                    }
                };
                if exclusive {
                    give(joined);
                }
                if begun {
                    join_slices::<O, T>(joined, one);
                } else {
                    joined.copy_from_slice(one);
                    begun = true;
                }
                if !exclusive {
                    give(joined);
                }
            }
        }
        self.deliver();
        if tangled {
            to.write(self.members.pe(me), 0, &mine);
        }
    }

    /// Joins the values of the PEs up to this one, or, if there is a `first`, of those before it; then `first` is
    /// what PE 0 gets. They fit into a slot.
    fn join_before<O, T: ReducedBy<O>>(
        &self,
        call: &mut OngoingCall<'_>,
        values: &mut [T],
        first: Option<T>,
    ) {
        let end = if first.is_some() { self.my_pe() } else { self.my_pe() + 1 };
        with_room(values.len(), |joined: &mut [T]| {
            // `first` is not joined with anything: 0.0 + -0.0 has lost the sign.
            joined.fill(first.unwrap_or(values[0]));
            call.exchange(bytes(values), |pe, bytes| match pe {
                _ if pe >= end => {}
                0 => bytes_mut(joined).copy_from_slice(bytes),
                _ => join_each::<O, T>(joined, elements::elements(bytes)),
            });
            values.copy_from_slice(joined);
        });
    }

    /// Joins the values of two PEs, which send them with the word that synchronises them. `None`
    /// where the team does not do that.
    fn join_two<O, T: ReducedBy<O>>(&self, value: T) -> Option<T> {
        const WORDS: usize = 2;
        if const { size_of::<T>() > WORDS * size_of::<u64>() } {
            return None;
        }
        let mut words = [0_u64; WORDS];
        // SAFETY: a value fits into the words, as was just checked.
        unsafe { words.as_mut_ptr().cast::<T>().write_unaligned(value) };
        let words = self.exchange_pair(words)?;
        // SAFETY: as above; every bit pattern is a valid value.
        let other = unsafe { words.as_ptr().cast::<T>().read_unaligned() };
        Some(if self.my_pe() == 0 { value.join(other) } else { other.join(value) })
    }

    /// Joins the values of all PEs, place by place. They fit into a slot.
    pub(super) fn join_all<O, T: ReducedBy<O>>(&self, call: &mut OngoingCall<'_>, values: &mut [T]) {
        if let [one] = values
            && let Some(joined) = self.join_two::<O, T>(*one)
        {
            *one = joined;
            return;
        }
        if !self.gives_words(size_of_val(values)) && self.join_in_rounds::<O, T>(call, values) {
            return;
        }
        with_room(values.len(), |joined: &mut [T]| {
            let len = size_of_val(values);
            call.exchange_runs(bytes(values), |first, mut bytes| {
                if first == 0 {
                    let own;
                    (own, bytes) = bytes.split_at(len);
                    bytes_mut(joined).copy_from_slice(own);
                }
                if let [one] = joined {
                    // Of many PEs: to begin a loop for each takes longer than to join.
                    *one = elements::elements::<T>(bytes).fold(*one, |joined, value| joined.join(value));
                } else {
                    for bytes in bytes.chunks_exact(len) {
                        join_each::<O, T>(joined, elements::elements(bytes));
                    }
                }
            });
            values.copy_from_slice(joined);
        });
    }

    /// As [`join_all`](Team::join_all), of a few values that can be joined in any order, in the
    /// messages of a meeting. Returns `false`, and does nothing, where the members read each other's memory.
    fn join_in_rounds<O, T: ReducedBy<O>>(&self, call: &OngoingCall<'_>, values: &mut [T]) -> bool {
        let (len, count) = (size_of_val(values), values.len());
        if !T::EXACT || len > HALF * size_of::<u64>() {
            return false;
        }
        let mut words = [0; WORDS];
        words_bytes(&mut words)[..len].copy_from_slice(bytes(values));
        let mut last = Step::Left;
        let done = self.combine(call.transport(), false, &mut words, |words, theirs, step| {
            // In an unchecked program whose PEs disagree, the result is any.
            let Some(theirs) = theirs else { return };
            last = step;
            join_windows(words, theirs, step, |joined, other| {
                let others = elements::elements::<T>(&word_bytes(other)[..len]);
                let mut joined_values = [values[0]; HALF * size_of::<u64>()];
                let joined_values = &mut joined_values[..count];
                bytes_mut(joined_values).copy_from_slice(&word_bytes(joined)[..len]);
                join_each::<O, T>(joined_values, others);
                words_bytes(joined)[..len].copy_from_slice(bytes(joined_values));
            });
        });
        if done {
            bytes_mut(values).copy_from_slice(&word_bytes(&words[whole(last)])[..len]);
        }
        done
    }

    /// Joins the elements of `range` of all PEs, and calls `give` with each piece of the result and
    /// the place of its first element.
    #[track_caller]
    pub(super) fn join_pieces<O, T: ReducedBy<O>>(
        &self,
        from: &SelectedElements<'_, T>,
        range: Range<usize>,
        give: &mut dyn FnMut(usize, &[T]),
    ) {
        let each = self.piece::<T>(range.len());
        let (mut joined, mut one) = (ScratchElements::<T>::new(each), ScratchElements::<T>::new(each));
        for at in range.clone().step_by(each) {
            let len = each.min(range.end - at);
            let (joined, one) = (&mut joined[..len], &mut one[..len]);
            from.read(self.members.pe(0), at, joined);
            for pe in 1..self.n_pes() {
                from.read(self.members.pe(pe), at, one);
                join_slices::<O, T>(joined, one);
            }
            give(at, joined);
        }
    }

    /// How many of `n` elements a PE reads from another one at a time.
    pub(super) fn piece<T>(&self, n: usize) -> usize {
        // Of those on other hosts, each piece takes a round trip.
        let bytes = if self.is_on_one_host() { PIECE } else { LONGEST_PIECE };
        (bytes / size_of::<T>()).min(n).max(1)
    }

    /// The range of `n` elements that this PE joins. It is made of whole cache lines, so that no
    /// two PEs write to the same one.
    pub(super) fn block<T>(&self, n: usize) -> Range<usize> {
        block::<T>(n, self.my_pe(), self.n_pes())
    }
}

/// Joins each value of a slice to that of the same place.
pub(super) type Join<T> = fn(&mut [T], &[T]);

/// How an operation joins many elements. What calls these pointers is compiled once for a type of elements, not once for
/// each operation on it.
pub(super) struct Joins<T> {
    /// Joins values to what has come from the PEs before, where the order allows that.
    in_turn: Option<Join<T>>,
    /// [`join_pieces`](Team::join_pieces)
    pieces: JoinPieces<T>,
    /// [`join_in_registers`]
    in_registers: unsafe fn(&[*mut u8], &[*mut u8], Range<usize>),
}

/// Joins the elements of a range of all PEs, and calls a function with each piece of the result.
type JoinPieces<T> = fn(&Team, &SelectedElements<'_, T>, Range<usize>, &mut dyn FnMut(usize, &[T]));

impl<T: Symmetric> Joins<T> {
    /// In the order of the PEs, from left to right.
    pub(super) fn in_turn<O>() -> Joins<T>
    where
        T: ReducedBy<O>,
    {
        Joins {
            in_turn: Some(join_slices::<O, T>),
            pieces: Team::join_pieces::<O, T>,
            in_registers: join_in_registers::<O, T, false>,
        }
    }

    /// In pairs.
    pub(super) fn in_pairs<O>() -> Joins<T>
    where
        T: ReducedBy<O>,
    {
        Joins {
            in_turn: None,
            pieces: Team::join_pieces_in_pairs::<O, T>,
            in_registers: join_in_registers::<O, T, true>,
        }
    }
}

/// The [`Join`] of an operation.
pub(super) fn join_slices<O, T: ReducedBy<O>>(joined: &mut [T], values: &[T]) {
    join_each::<O, T>(joined, values.iter().copied());
}

/// Joins each value to that of the same place.
#[inline(always)]
fn join_each<O, T: ReducedBy<O>>(joined: &mut [T], values: impl Iterator<Item = T>) {
    joined.iter_mut().zip(values).for_each(|(joined, value)| *joined = joined.join(value));
}

/// Block number `i` of `n` elements in so many blocks. Each begins with a cache line of its own.
pub(super) fn block<T>(n: usize, i: usize, blocks: usize) -> Range<usize> {
    let line = (128 / size_of::<T>().max(1)).max(1);
    let each = n.div_ceil(blocks).next_multiple_of(line);
    let start = (i * each).min(n);
    start..(start + each).min(n)
}

/// Joins the elements of `range` of all of `from`, and writes the result to all of `to`. It does so
/// a cache line at a time, which stays in registers meanwhile. Through private memory the same
/// takes more than twice as long. They are joined from left to right, or in pairs.
///
/// # Safety
///
/// At each address there are contiguous mapped elements up to the end of `range`. Other processes
/// may access them at the same time.
pub(super) unsafe fn join_in_registers<O, T: ReducedBy<O>, const IN_PAIRS: bool>(
    to: &[*mut u8],
    from: &[*mut u8],
    range: Range<usize>,
) {
    const { assert!(LINE.is_multiple_of(size_of::<T>()) && align_of::<T>() <= align_of::<CacheLine>()) };
    let (start, end) = (range.start * size_of::<T>(), range.end * size_of::<T>());
    let whole = end - (end - start) % LINE;
    // All PEs together touch this many bytes; each has one block.
    let touched = (to.len() + from.len()) * (end - start) * to.len();
    let stream = touched > tuning::copy::STREAM_REDUCTION
        && to.iter().all(|to| to.addr() % 16 == 0)
        && start % 16 == 0;
    for at in (start..whole).step_by(LINE) {
        // SAFETY: as the caller promises; the line is inside of `range`.
        unsafe {
            let joined = join_lines::<O, T, IN_PAIRS>(from, &|from| load_line(from.add(at)));
            for to in to {
                if stream {
                    stream_line(to.add(at), joined);
                } else {
                    store_line(to.add(at), joined);
                }
            }
        }
    }
    if stream {
        end_of_stream();
    }
    let rest = end - whole;
    // SAFETY: as the caller promises, for the rest of `range`; a line has more bytes than that.
    unsafe {
        let joined = join_lines::<O, T, IN_PAIRS>(from, &|from| {
            let mut line = CacheLine([0; LINE]);
            copy(line.0.as_mut_ptr(), from.add(whole), rest);
            line
        });
        for to in to {
            copy(to.add(whole), joined.0.as_ptr(), rest);
        }
    }
}

/// Joins the lines that `load` reads from all of `from`, from left to right or in pairs.
#[inline(always)]
fn join_lines<O, T: ReducedBy<O>, const IN_PAIRS: bool>(
    from: &[*mut u8],
    load: &impl Fn(*mut u8) -> CacheLine,
) -> CacheLine {
    if IN_PAIRS {
        return super::pairwise::join_lines_in_pairs(from, load, &join_line::<O, T>);
    }
    let (first, others) = from.split_first().expect("a team has a PE");
    others.iter().fold(load(*first), |joined, other| join_line::<O, T>(joined, load(*other)))
}

/// Joins two lines of elements.
#[inline(always)]
fn join_line<O, T: ReducedBy<O>>(mut joined: CacheLine, one: CacheLine) -> CacheLine {
    let len = LINE / size_of::<T>();
    // SAFETY: a line is aligned for the elements, has room for `len`, and every bit pattern is a
    // valid one.
    let (into, from) = unsafe {
        (
            std::slice::from_raw_parts_mut(joined.0.as_mut_ptr().cast::<T>(), len),
            std::slice::from_raw_parts(one.0.as_ptr().cast::<T>(), len),
        )
    };
    for (into, &from) in into.iter_mut().zip(from) {
        *into = into.join(from);
    }
    joined
}

fn zero<T: Symmetric>() -> T {
    // SAFETY: every bit pattern is a valid value; zeros are the zero of all numbers.
    unsafe { std::mem::zeroed() }
}

/// The values in pieces that fit into a slot.
pub(super) fn pieces<T>(values: &mut [T]) -> impl Iterator<Item = &mut [T]> {
    values.chunks_mut((EAGER_SIZE / size_of::<T>().max(1)).max(1))
}

#[track_caller]
pub(super) fn pair<'a, T: Symmetric, F: OnOnePe, G: OnOnePe>(
    destination: Remote<'a, T, F>,
    source: Remote<'a, T, G>,
) -> (SelectedElements<'a, T>, SelectedElements<'a, T>) {
    (SelectedElements::of(destination, "destination"), SelectedElements::of(source, "source"))
}

/// As [`pair`], for two of equal length.
#[track_caller]
pub(super) fn equal_pair<'a, T: Symmetric, F: OnOnePe, G: OnOnePe>(
    destination: Remote<'a, T, F>,
    source: Remote<'a, T, G>,
) -> (SelectedElements<'a, T>, SelectedElements<'a, T>) {
    let (to, from) = pair(destination, source);
    assert!(
        to.len() == from.len(),
        "the destination of the collective, in {}, has {} elements, and the source, in {}, has {}",
        to.info,
        to.len(),
        from.info,
        from.len()
    );
    (to, from)
}

/// A call with a destination and a source.
#[track_caller]
pub(super) fn call_on<T: Symmetric>(
    what: &'static str,
    to: &SelectedElements<'_, T>,
    from: &SelectedElements<'_, T>,
) -> Call {
    let call = call_from(what, to, from);
    to.takes_part(Kind::Store, to.len());
    call
}

/// As [`call_on`], of a PE whose destination is not written.
#[inline(always)]
#[track_caller]
pub(super) fn call_from<T: Symmetric>(
    what: &'static str,
    to: &SelectedElements<'_, T>,
    from: &SelectedElements<'_, T>,
) -> Call {
    from.takes_part(Kind::Load, from.len());
    let call = Call::new(what, place::caller()).of::<T>().count(from.len());
    call.places(to.place_in_call(), from.place_in_call())
}
