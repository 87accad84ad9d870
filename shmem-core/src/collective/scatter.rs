//! Scatter: the elements of one PE go to all, a part to each.
//!
//! The root has come before anybody reads its source, and all PEs have read before anybody returns. So
//! a scatter synchronises, unlike a broadcast.

use std::panic::Location;

use super::elements::{ScratchElements, SelectedElements, bytes, bytes_mut, with_room, zeros};
use super::exchange::starts;
use super::macros::Moved;
use super::reduce::pair;
use crate::remote::Remote;
use crate::runtime::agreement::Call;
use crate::runtime::bytes::{bytes as words, bytes_mut as words_mut};
use crate::runtime::races::Kind;
use crate::runtime::team::Team;
use crate::runtime::team::call::OngoingCall;
use crate::runtime::team::given::check_counts;
use crate::select::OnOnePe;
use crate::symmetric::Symmetric;
use crate::transport::layout::EAGER_SIZE;

impl Team {
    /// Sends a block of the elements of PE `root` of the team to each of its PEs:
    /// `collective!(DST[sel] = scatter SRC[sel] from root; on team)`. Collective.
    ///
    /// Both arguments are selections of this PE's own copies, and the same on all PEs. The source is as
    /// long as all destinations together. Block `p` of the source of `root` goes to PE `p`. OpenSHMEM has
    /// no such routine.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static ALL: [u32; 4] = [0; 4];
    /// #[symmetric]
    /// static MINE: [u32; 2] = [0; 2];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     if world.my_pe() == 1 {
    ///         local!(ALL[..]) = [1, 2, 3, 4];
    ///     }
    ///     world.team().scatter(local!(&MINE[..]), local!(&ALL[..]), 1);
    ///     assert_eq!(local!(MINE[..]), [[1, 2], [3, 4]][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`, when the source is not as long as all destinations together, when a
    /// selection is not of this PE, and in checked runs when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "MPI_Scatter")]
    pub fn scatter<T: Moved, F: OnOnePe, G: OnOnePe>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        root: usize,
    ) {
        self.check_pe(root, "the root of a scatter");
        let (to, from) = pair(destination, source);
        self.same_blocks(&to, "source", &from);
        let n = to.len();
        to.takes_part(Kind::Store, n);
        if self.my_pe() == root {
            from.takes_part(Kind::Load, from.len());
        }
        let what = Call::new("scatter", Location::caller()).of::<T>().count(n);
        let mut call = self.begin(what.places(to.place_in_call(), from.place_in_call()).root(root));
        if n == 0 {
            return self.meet_without_elements();
        }
        let (me, block) = (self.members.pe(self.my_pe()), n * size_of::<T>());
        if call.is_quick_with_root(block) {
            return with_room(if self.my_pe() == root { from.len() } else { 0 }, |all| {
                from.read(me, 0, all);
                with_room(n, |mine: &mut [T]| {
                    call.scatter(root, |pe| &bytes(all)[pe * block..][..block], bytes_mut(mine));
                    to.write(me, 0, mine);
                });
            });
        }
        self.sync_unchecked();
        self.take_part_of(root, &from, self.my_pe() * n, &to, n);
    }

    /// Returns this PE's part of the values of PE `root` of the team, which all PEs share equally:
    /// `collective!(scatter &values from root; on team)`. Collective.
    ///
    /// What the other PEs pass is not used.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let all = if world.my_pe() == 0 { vec![1, 2, 3, 4] } else { vec![] };
    ///     assert_eq!(world.team().scatter_values(&all, 0), [[1, 2], [3, 4]][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`; when the number of values is no multiple of the number of PEs, on every
    /// PE; and in checked runs when the PEs do not make the same call.
    #[must_use]
    #[track_caller]
    #[doc(alias = "MPI_Scatter")]
    pub fn scatter_values<T: Moved>(&self, values: &[T], root: usize) -> Vec<T> {
        self.check_pe(root, "the root of a scatter");
        let (is_root, n_pes) = (self.my_pe() == root, self.n_pes());
        let mut call = self.begin(Call::new("scatter", Location::caller()).of::<T>().root(root));
        let (given, mut all) = ([values.len() as u64], [0]);
        call.scatter(root, |_| words(&given), words_mut(&mut all));
        let all = all[0] as usize;
        check_counts(&[all], size_of::<T>());
        assert!(
            all.is_multiple_of(n_pes),
            "scatter: PE {root} gives {all} values, which do not divide into equal parts for {n_pes} PEs: call \
             `scatterv_values`"
        );
        let (len, values) = (all / n_pes, if is_root { values } else { &[] });
        self.scatter_pieces(&mut call, root, |pe| &values[pe * len..][..len], len, len)
    }

    /// Sends a block of the elements of PE `root` of the team to each of its PEs, of another length each.
    /// Collective.
    ///
    /// `counts` of PE `root` has the number of elements for each PE of the team: the first `counts[0]` of
    /// its source go to PE 0, the next `counts[1]` to PE 1, and so on. That of the other PEs is not used.
    /// Both selections are the same on all PEs. Returns how many elements this PE has got, at the beginning
    /// of its destination.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static ALL: [u32; 4] = [5, 6, 7, 8];
    /// #[symmetric]
    /// static MINE: [u32; 4] = [0; 4];
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) {
    ///     let counts: &[usize] = if world.my_pe() == 0 { &[1, 3] } else { &[] };
    ///     let got = world.team().scatterv(local!(&MINE[..]), local!(&ALL[..]), counts, 0);
    ///     assert_eq!(local!(MINE[..got]), [vec![5], vec![6, 7, 8]][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`; on PE `root`, when `counts` does not have one entry for each PE, when
    /// the source has fewer elements than are sent, and when a destination has no room for its part; on a PE
    /// whose selections are shorter than those of PE `root`, when its part is not in them; when a selection
    /// is not of this PE; and in checked runs when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "MPI_Scatterv")]
    pub fn scatterv<T: Moved, F: OnOnePe, G: OnOnePe>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        counts: &[usize],
        root: usize,
    ) -> usize {
        self.check_pe(root, "the root of a scatterv");
        let (to, from) = pair(destination, source);
        let parts = self.parts(root, counts, from.len());
        if let Some(most) = parts.iter().map(|[_, len]| *len as usize).find(|len| *len > to.len()) {
            panic!(
                "scatterv: {most} elements are sent to a PE, and the destination, in {}, has room for {}",
                to.info,
                to.len()
            );
        }
        if self.my_pe() == root {
            from.takes_part(Kind::Load, parts.last().map_or(0, |[start, len]| (start + len) as usize));
        }
        let what = Call::new("scatterv", Location::caller()).of::<T>().count(to.len());
        let what = what.places(to.place_in_call(), from.place_in_call()).root(root);
        let mut call = self.begin(what);
        let mut mine = [0; 2];
        call.scatter(root, |pe| words(&parts[pe]), words_mut(&mut mine));
        let [start, len] = mine.map(|word| word as usize);
        let (end, given, room) = (start.saturating_add(len), from.len(), to.len());
        assert!(
            end <= given && len <= room,
            "scatterv: PE {root} sends elements {start}..{end} to this PE, whose source has {given} and whose destination has \
             room for {room}: both selections must be the same on all PEs"
        );
        to.takes_part(Kind::Store, len);
        call.meet_again(&what);
        self.take_part_of(root, &from, start, &to, len);
        len
    }

    /// Returns this PE's part of the values of PE `root` of the team. Collective.
    ///
    /// `counts` of PE `root` has the number of values for each PE of the team, in their order. What the
    /// other PEs pass is not used.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let (all, counts) = match world.my_pe() {
    ///         1 => (vec!['a', 'b', 'c'].into_iter().map(u32::from).collect(), vec![2, 0, 1]),
    ///         _ => (vec![], vec![]),
    ///     };
    ///     let mine = world.team().scatterv_values(&all, &counts, 1);
    ///     assert_eq!(mine, [vec![97, 98], vec![], vec![99]][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`; on PE `root`, when `counts` does not have one entry for each PE, or
    /// there are fewer values than are sent; and in checked runs when the PEs do not make the same call.
    #[must_use]
    #[track_caller]
    #[doc(alias = "MPI_Scatterv")]
    pub fn scatterv_values<T: Moved>(&self, values: &[T], counts: &[usize], root: usize) -> Vec<T> {
        self.check_pe(root, "the root of a scatterv");
        let parts = self.parts(root, counts, values.len());
        let longest = parts.iter().map(|[_, len]| *len).max().unwrap_or(0);
        let told: Vec<[u64; 2]> = parts.iter().map(|[_, len]| [*len, longest]).collect();
        let mut call = self.begin(Call::new("scatterv", Location::caller()).of::<T>().root(root));
        let mut mine = [0; 2];
        call.scatter(root, |pe| words(&told[pe]), words_mut(&mut mine));
        let [len, longest] = mine.map(|word| word as usize);
        check_counts(&[len.max(longest)], size_of::<T>());
        let part = |pe: usize| {
            let [start, len] = parts[pe].map(|word| word as usize);
            &values[start..start + len]
        };
        self.scatter_pieces(&mut call, root, part, len, longest)
    }

    /// Where the part of each PE begins in what PE `root` gives, and how long it is; of another PE nothing.
    #[track_caller]
    fn parts(&self, root: usize, counts: &[usize], given: usize) -> Vec<[u64; 2]> {
        let n_pes = self.n_pes();
        if self.my_pe() != root {
            return Vec::new();
        }
        assert!(
            counts.len() == n_pes,
            "scatterv: there are {} counts, and the team has {n_pes} PEs",
            counts.len()
        );
        let sent = counts.iter().fold(0_usize, |all, count| all.saturating_add(*count));
        assert!(sent <= given, "scatterv: {sent} elements are to be sent, and the source has {given}");
        starts(counts).into_iter().zip(counts).map(|(start, len)| [start as u64, *len as u64]).collect()
    }

    /// Reads elements of PE `root` from `start` on to the first `len` of this PE's destination. All PEs
    /// have come; no PE returns before all have read.
    #[track_caller]
    fn take_part_of<T: Symmetric>(
        &self,
        root: usize,
        from: &SelectedElements<'_, T>,
        start: usize,
        to: &SelectedElements<'_, T>,
        len: usize,
    ) {
        let (me, owner) = (self.members.pe(self.my_pe()), self.members.pe(root));
        if to.overlaps(from) {
            let mut mine = ScratchElements::new(len);
            from.read(owner, start, &mut mine);
            self.sync_unchecked();
            return to.write(me, 0, &mine);
        }
        from.copy_between(owner, start, to, me, 0, len);
        self.sync_unchecked();
    }

    /// Sends values of any length from PE `root`: `part(pe)` to each PE. This PE gets `len` of them, and
    /// the one that gets most `longest`.
    fn scatter_pieces<'v, T: Symmetric>(
        &self,
        call: &mut OngoingCall<'_>,
        root: usize,
        part: impl Fn(usize) -> &'v [T],
        len: usize,
        longest: usize,
    ) -> Vec<T> {
        let mut mine = zeros::<T>(len);
        let target = bytes_mut(&mut mine);
        // In bytes, because an element may be larger than a slot.
        for start in (0..longest * size_of::<T>()).step_by(EAGER_SIZE) {
            let piece = |all: &'v [u8]| &all[start.min(all.len())..(start + EAGER_SIZE).min(all.len())];
            let end = (start + EAGER_SIZE).min(target.len());
            call.scatter(root, |pe| piece(bytes(part(pe))), &mut target[start.min(end)..end]);
        }
        mine
    }
}
