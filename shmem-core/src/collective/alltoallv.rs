//! All-to-all with blocks of any length: each PE says what it sends to each, and the receivers need not
//! know.

use std::ops::Range;
use std::panic::Location;

use super::elements::{SelectedElements, bytes, bytes_mut, elements, zeros};
use super::exchange::{Outgoing, starts};
use super::macros::Moved;
use super::reduce::pair;
use crate::remote::Remote;
use crate::runtime::agreement::Call;
use crate::runtime::bytes::with_scratch;
use crate::runtime::races::Kind;
use crate::runtime::team::Team;
use crate::runtime::team::call::OngoingCall;
use crate::runtime::team::given::{LeftElements, check_counts};
use crate::select::OnOnePe;
use crate::symmetric::Symmetric;
use crate::transport::layout::EAGER_SIZE;

/// What the PEs send each other, in elements.
struct BlockCounts {
    /// What each PE gets from those before this one.
    before: Vec<usize>,
    /// What each PE gets in all.
    all: Vec<usize>,
    /// What this PE gets from each.
    got: Vec<usize>,
    /// The longest block.
    longest: usize,
    /// How many elements each PE sends to those before this one.
    starts: Vec<usize>,
    /// What each PE sends, in the order of the PEs, if all send little: then it is in their slots.
    few: Option<LeftElements>,
}

impl BlockCounts {
    /// PE `pe` sends so many elements to those from `start` on.
    fn count(&mut self, me: usize, pe: usize, start: usize, counts: impl Iterator<Item = usize>) {
        for (target, count) in (start..).zip(counts) {
            let add = |all: &mut usize| *all = all.saturating_add(count);
            if target < me {
                add(&mut self.starts[pe]);
            }
            if pe < me {
                add(&mut self.before[target]);
            }
            add(&mut self.all[target]);
            self.longest = self.longest.max(count);
            if target == me {
                self.got[pe] = count;
            }
        }
    }
}

impl Team {
    /// Sends blocks of different lengths from each PE to each. Collective.
    ///
    /// `counts` has the number of elements for each PE of the team: the first `counts[0]` of the
    /// source go to PE 0, the next `counts[1]` to PE 1, and so on. The destination gets the blocks
    /// in the order of the PEs that sent them. Returns how many elements came from each PE.
    ///
    /// OpenSHMEM has no such routine; Cray's is `shmemx_alltoallv`.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static OUT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    /// #[symmetric]
    /// static IN: [u32; 16] = [0; 16];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     // One element to PE 0, three to PE 1.
    ///     let got = world.team().alltoallv(local!(&IN[..]), local!(&OUT[..]), &[1, 3]);
    ///     assert_eq!(got, [[1, 1], [3, 3]][world.my_pe()]);
    ///     if world.my_pe() == 1 {
    ///         assert_eq!(local!(IN[0..6]), [1, 2, 3, 1, 2, 3]);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When `counts` does not have one entry for each PE, when the source has fewer elements than
    /// are sent, when the destination of a PE has no room for what arrives there (on every PE),
    /// when a selection is not of this PE, and in checked runs when the PEs do not make the same
    /// call.
    #[must_use]
    #[track_caller]
    #[doc(alias = "shmemx_alltoallv")]
    #[doc(alias = "MPI_Alltoallv")]
    pub fn alltoallv<T: Moved, F: OnOnePe, G: OnOnePe>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        counts: &[usize],
    ) -> Vec<usize> {
        let (to, from) = pair(destination, source);
        self.one_for_each(counts.len(), "counts");
        let sent = counts.iter().fold(0_usize, |all, count| all.saturating_add(*count));
        assert!(
            sent <= from.len(),
            "alltoallv: {sent} elements are to be sent, and the source, in {}, has {}",
            from.info,
            from.len()
        );
        let blocks: Vec<Range<usize>> =
            starts(counts).into_iter().zip(counts).map(|(start, len)| start..start + len).collect();
        self.send_blocks(&to, from, &blocks)
    }

    /// Sends blocks of different lengths from each PE to each, which may lie anywhere in the source.
    /// Collective.
    ///
    /// `blocks[p]` are the positions in the source of the elements for PE `p` of the team: elements
    /// `blocks[p].start..blocks[p].end`, row-major. Blocks may leave gaps, come in any order, and
    /// overlap. The destination gets the blocks one after the other, in the order of the PEs that sent
    /// them. No PE needs to know what the others send. Returns how many elements came from each PE.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static OUT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    /// #[symmetric]
    /// static IN: [u32; 16] = [0; 16];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     // The last three elements to PE 0, the first two to PE 1.
    ///     let got = world.team().alltoallv_blocks(local!(&IN[..]), local!(&OUT[..]), &[5..8, 0..2]);
    ///     assert_eq!(got, [[3, 3], [2, 2]][world.my_pe()]);
    ///     if world.my_pe() == 0 {
    ///         assert_eq!(local!(IN[0..6]), [5, 6, 7, 5, 6, 7]);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When `blocks` does not have one entry for each PE, when a block ends before it begins or beyond
    /// the source, and as [`alltoallv`](Team::alltoallv).
    #[must_use]
    #[track_caller]
    #[doc(alias = "MPI_Alltoallv")]
    #[doc(alias = "displacements")]
    pub fn alltoallv_blocks<T: Moved, F: OnOnePe, G: OnOnePe>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        blocks: &[Range<usize>],
    ) -> Vec<usize> {
        let (to, from) = pair(destination, source);
        self.one_for_each(blocks.len(), "blocks");
        for (pe, block) in blocks.iter().enumerate() {
            let Range { start, end } = block;
            assert!(start <= end, "alltoallv: the block for PE {pe}, {start}..{end}, ends before it begins");
            assert!(
                *end <= from.len(),
                "alltoallv: the block for PE {pe}, {start}..{end}, ends beyond the source, in {}, which has {} \
                 elements",
                from.info,
                from.len()
            );
        }
        self.send_blocks(&to, from, blocks)
    }

    /// Sends slices in private memory from each PE to each, `parts[p]` to PE `p` of the team, and returns
    /// what came from each PE, in their order. Collective.
    ///
    /// The lengths may differ, and no PE needs to know what the others send. Values go through 4 KiB of
    /// each PE, which all PEs fill and empty in turns: for many values, [`alltoallv`](Team::alltoallv)
    /// from one symmetric array to another is faster.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let words = [["so", "it"], ["is", "a"]][world.my_pe()];
    ///     // The words of one letter to PE 1, the others to PE 0.
    ///     let mut parts = [String::new(), String::new()];
    ///     words.iter().for_each(|word| parts[usize::from(word.len() == 1)].push_str(word));
    ///     let came = world.team().alltoallv_values(&parts.map(String::into_bytes));
    ///     assert_eq!(came.concat(), [&b"soitis"[..], b"a"][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When `parts` does not have one entry for each PE, when the team has more than 4,096 PEs, and in
    /// checked runs when the PEs do not make the same call.
    #[must_use]
    #[track_caller]
    #[doc(alias = "MPI_Alltoallv")]
    pub fn alltoallv_values<T: Moved>(&self, parts: &[impl AsRef<[T]>]) -> Vec<Vec<T>> {
        let n_pes = self.n_pes();
        self.one_for_each(parts.len(), "parts");
        let at_once = EAGER_SIZE / n_pes;
        assert!(at_once > 0, "`alltoallv_values` is for teams of at most {EAGER_SIZE} PEs: use `alltoallv`");
        // Before the call: this may be code of the program.
        let parts: Vec<&[T]> = parts.iter().map(AsRef::as_ref).collect();
        let (size, lens): (_, Vec<usize>) = (size_of::<T>(), parts.iter().map(|part| part.len()).collect());
        let parts: Vec<&[u8]> = parts.into_iter().map(bytes).collect();
        let mut call = self.begin(Call::new("alltoallv", Location::caller()).of::<T>());
        let told = self.exchange_counts(&mut call, &lens, size, |pe, few| few.copy_from_slice(parts[pe]));
        let mut came: Vec<Vec<T>> = told.got.iter().copied().map(zeros).collect();
        if let Some(few) = told.few {
            for (pe, came) in came.iter_mut().enumerate() {
                call.read_left(few, pe, told.starts[pe] * size, bytes_mut(came));
            }
            return came;
        }
        let longest = told.longest;
        let mut blocks = vec![0; at_once * n_pes];
        // In bytes, because an element may be larger than a block.
        for start in (0..longest * size).step_by(at_once) {
            for (block, part) in blocks.chunks_exact_mut(at_once).zip(&parts) {
                let piece = &part[start.min(part.len())..(start + at_once).min(part.len())];
                block[..piece.len()].copy_from_slice(piece);
            }
            call.alltoall(&mut blocks);
            for (block, came) in blocks.chunks_exact(at_once).zip(&mut came) {
                let came = bytes_mut(came);
                let (start, end) = (start.min(came.len()), (start + at_once).min(came.len()));
                came[start..end].copy_from_slice(&block[..end - start]);
            }
        }
        came
    }

    #[track_caller]
    fn one_for_each(&self, given: usize, what: &str) {
        let n_pes = self.n_pes();
        assert!(given == n_pes, "alltoallv: there are {given} {what}, and the team has {n_pes} PEs");
    }

    /// Sends each PE its block, whose positions are in the source.
    #[track_caller]
    fn send_blocks<T: Symmetric>(
        &self,
        to: &SelectedElements<'_, T>,
        from: SelectedElements<'_, T>,
        blocks: &[Range<usize>],
    ) -> Vec<usize> {
        blocks.iter().for_each(|block| from.takes_part_in(Kind::Load, block.clone()));
        let what = Call::new("alltoallv", Location::caller()).of::<T>().destination(to.offset());
        let mut call = self.begin(what);
        let source = Outgoing::of(from, to);
        let lens: Vec<usize> = blocks.iter().map(ExactSizeIterator::len).collect();
        let size = size_of::<T>();
        let read = |pe: usize, few: &mut [u8]| from.read_own(blocks[pe].start, few);
        let BlockCounts { before, all, got, few, starts: left, .. } =
            self.exchange_counts(&mut call, &lens, size, read);
        if let Some(pe) = (0..self.n_pes()).find(|&pe| all[pe] > to.len()) {
            panic!(
                "alltoallv: {} elements are sent to PE {pe}, and the destination, in {}, has room for {}",
                all[pe],
                to.info,
                to.len()
            );
        }
        to.takes_part(Kind::Store, all[self.my_pe()]);
        call.meet_again(&what);
        if let Some(few) = few {
            for (pe, (start, count)) in starts(&got).into_iter().zip(&got).enumerate() {
                with_scratch(count * size, |bytes| {
                    call.read_left(few, pe, left[pe] * size, bytes);
                    to.write_own(start, bytes);
                });
            }
            return got;
        }
        for pe in self.starting_here() {
            source.copy_to(blocks[pe].start, to, self.members.pe(pe), before[pe], lens[pe]);
        }
        self.deliver();
        got
    }

    /// Tells all PEs how much goes where. Few elements of `size` bytes are left in the slot: `read` reads those for a
    /// PE.
    ///
    /// # Panics
    ///
    /// When no memory could hold so many.
    #[track_caller]
    fn exchange_counts(
        &self,
        call: &mut OngoingCall<'_>,
        counts: &[usize],
        size: usize,
        mut read: impl FnMut(usize, &mut [u8]),
    ) -> BlockCounts {
        let (me, n_pes, head) = (self.my_pe(), self.n_pes(), size_of_val(counts));
        let mut told = BlockCounts {
            before: vec![0; n_pes],
            all: vec![0; n_pes],
            got: vec![0; n_pes],
            longest: 0,
            starts: vec![0; n_pes],
            few: None,
        };
        let room = call.room_to_leave(head);
        if room > 0 {
            let sent =
                counts.iter().fold(0_usize, |sent, count| sent.saturating_add(count.saturating_mul(size)));
            let read_all = |mut left: &mut [u8]| {
                for (pe, count) in counts.iter().enumerate() {
                    read(pe, left.split_off_mut(..count * size).expect("room for all"));
                }
            };
            // No PE may send more than there is room for.
            let mut most = 0;
            let left = call.leave_beside(bytes(counts), sent, room, read_all, |first, counts| {
                for (pe, counts) in (first..).zip(counts.chunks_exact(head)) {
                    told.count(me, pe, 0, elements(counts));
                    most = elements::<usize>(counts).fold(0, usize::saturating_add).max(most);
                }
            });
            told.few = (most.saturating_mul(size) <= room).then_some(left);
        } else {
            let at_once = EAGER_SIZE / size_of::<usize>();
            for (round, part) in counts.chunks(at_once).enumerate() {
                let start = round * at_once;
                call.exchange(bytes(part), |pe, bytes| told.count(me, pe, start, elements(bytes)));
            }
        }
        check_counts(&told.all, size);
        told
    }
}
