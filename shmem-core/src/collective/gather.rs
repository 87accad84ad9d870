//! Gather: the elements of all PEs go to one.
//!
//! The root has come before anything is written to its destination, and everything is there before it
//! returns. All have come before anybody returns. So a gather synchronises, unlike a broadcast.

use std::panic::Location;

use super::elements::{SelectedElements, bytes, bytes_mut, with_room, zeros};
use super::exchange::{Outgoing, few, starts};
use super::macros::Moved;
use super::reduce::pair;
use crate::remote::Remote;
use crate::runtime::agreement::Call;
use crate::runtime::races::Kind;
use crate::runtime::team::Team;
use crate::runtime::team::call::OngoingCall;
use crate::select::OnOnePe;
use crate::symmetric::Symmetric;
use crate::system::place;

impl Team {
    /// Concatenates the elements of all PEs, in the order of the team, on PE `root` of the team:
    /// `collective!(DST[sel] = gather SRC[sel] to root; on team)`. Collective.
    ///
    /// Both arguments are selections of this PE's own copies, and the same on all PEs. All PEs have
    /// equally many elements, and the destination is as long as all sources together. Only that of
    /// `root` is written. OpenSHMEM has no such routine; [`fcollect`](Team::fcollect) is the one that
    /// gives the elements to all PEs.
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
    ///     world.team().gather(local!(&TABLE[..]), local!(&PAIR[..]), 1);
    ///     assert_eq!(local!(TABLE[..]), [[0; 4], [0, 10, 1, 11]][world.my_pe()]);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`, when the destination is not as long as all sources together, when a
    /// selection is not of this PE, and in checked runs when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "MPI_Gather")]
    pub fn gather<T: Moved, F: OnOnePe, G: OnOnePe>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        root: usize,
    ) {
        self.check_pe(root, "the root of a gather");
        let (to, from) = pair(destination, source);
        self.same_blocks(&from, "destination", &to);
        let n = from.len();
        let mut call = self.begin(self.call_to("gather", &to, &from, root));
        if n == 0 {
            return self.meet_without_elements();
        }
        let (me, owner) = (self.members.pe(self.my_pe()), self.members.pe(root));
        if call.is_quick_with_root(n * size_of::<T>()) {
            return with_room(n, |values| {
                from.read(me, 0, values);
                with_room(n, |theirs| {
                    call.gather(root, bytes(values), &mut |pe, bytes| {
                        bytes_mut(theirs).copy_from_slice(bytes);
                        to.write(me, pe * n, theirs);
                    });
                });
            });
        }
        let source = self.outgoing_to(root, from, &to);
        self.sync_unchecked();
        source.copy_to(0, &to, owner, self.my_pe() * n, n);
        self.deliver();
    }

    /// Returns one value of each PE, in the order of the team, on PE `root` of the team, and `None` on
    /// the others: `collective!(gather x to root; on team)`. Collective.
    ///
    /// ```
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &shmem::World) {
    ///     let all = world.team().gather_value(10 * world.my_pe(), 2);
    ///     assert_eq!(all, (world.my_pe() == 2).then(|| vec![0, 10, 20]));
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`, and in checked runs when the PEs do not make the same call.
    #[must_use]
    #[track_caller]
    #[doc(alias = "MPI_Gather")]
    pub fn gather_value<T: Moved>(&self, value: T, root: usize) -> Option<Vec<T>> {
        self.check_pe(root, "the root of a gather");
        let mut call = self.begin(Call::new("gather", Location::caller()).of::<T>().count(1).to_root(root));
        if OngoingCall::is_small(size_of::<T>()) {
            let mut all = zeros::<T>(if self.my_pe() == root { self.n_pes() } else { 0 });
            call.gather(root, bytes(&[value]), &mut |pe, bytes| {
                bytes_mut(&mut all[pe..=pe]).copy_from_slice(bytes);
            });
            return (self.my_pe() == root).then_some(all);
        }
        let lens = vec![1; self.n_pes()];
        self.gather_pieces(&mut call, &[value], &lens, root)
    }

    /// Concatenates the elements of all PEs, in the order of the team, on PE `root` of the team:
    /// `collective!(DST[sel] = gatherv SRC[sel] to root; on team)`. Collective.
    ///
    /// The number of elements may differ from PE to PE. Returns how many elements each PE has given, on
    /// all PEs. Only the destination of `root` is written.
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
    ///     let given = world.team().gatherv(local!(&ALL[..]), local!(&FOUND[..len]), 0);
    ///     assert_eq!(given, [1, 2]);
    ///     if world.my_pe() == 0 {
    ///         assert_eq!(local!(ALL[..3]), [10, 20, 20]);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`; when the destination has no room for all elements, on every PE; when a
    /// selection is not of this PE; and in checked runs when the PEs do not make the same call.
    #[track_caller]
    #[doc(alias = "MPI_Gatherv")]
    pub fn gatherv<T: Moved, F: OnOnePe, G: OnOnePe>(
        &self,
        destination: Remote<'_, T, F>,
        source: Remote<'_, T, G>,
        root: usize,
    ) -> Vec<usize> {
        self.check_pe(root, "the root of a gatherv");
        let (to, from) = pair(destination, source);
        from.takes_part(Kind::Load, from.len());
        let what = Call::new("gatherv", Location::caller()).of::<T>().destination(to.offset()).to_root(root);
        let mut call = self.begin(what);
        let (n, is_root) = (from.len(), self.my_pe() == root);
        let source = self.outgoing_to(root, from, &to);
        // The root has come when this returns.
        let given = call.exchange_given((n, size_of::<T>()), is_root, |bytes| from.read_own(0, bytes));
        let all = given.counts.iter().sum();
        assert!(
            all <= to.len(),
            "the PEs gather {all} elements, and the destination, in {}, has room for {}",
            to.info,
            to.len()
        );
        if is_root {
            to.takes_part(Kind::Store, all);
        }
        call.meet_again(&what);
        match given.few {
            Some(few) if is_root => to.write_own(0, &few),
            Some(_) => {}
            None => {
                let before = given.counts[..self.my_pe()].iter().sum();
                source.copy_to(0, &to, self.members.pe(root), before, n);
                self.deliver();
            }
        }
        given.counts
    }

    /// Returns the values of all PEs, concatenated in the order of the team, on PE `root` of the team, and
    /// `None` on the others: `collective!(gatherv &values to root; on team)`. Collective.
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
    ///     let all = world.team().gatherv_values(&mine, 0);
    ///     assert_eq!(all, (world.my_pe() == 0).then(|| vec![1, 2, 2]));
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// When there is no PE `root`, and in checked runs when the PEs do not make the same call.
    #[must_use]
    #[track_caller]
    #[doc(alias = "MPI_Gatherv")]
    pub fn gatherv_values<T: Moved>(&self, values: &[T], root: usize) -> Option<Vec<T>> {
        self.check_pe(root, "the root of a gatherv");
        let mut call = self.begin(Call::new("gatherv", Location::caller()).of::<T>().to_root(root));
        let read = |few: &mut [u8]| few.copy_from_slice(bytes(values));
        let given = call.exchange_given((values.len(), size_of::<T>()), self.my_pe() == root, read);
        if given.few.is_some() {
            return if self.my_pe() == root { few(&given) } else { None };
        }
        self.gather_pieces(&mut call, values, &given.counts, root)
    }

    /// Gathers values of any length on PE `root`; `lens` has how many each PE gives.
    fn gather_pieces<T: Symmetric>(
        &self,
        call: &mut OngoingCall<'_>,
        values: &[T],
        lens: &[usize],
        root: usize,
    ) -> Option<Vec<T>> {
        let is_root = self.my_pe() == root;
        let mut all = zeros::<T>(if is_root { lens.iter().sum() } else { 0 });
        // In bytes, because an element may be larger than a slot.
        let lens: Vec<usize> = lens.iter().map(|len| len * size_of::<T>()).collect();
        let (starts, target) = (starts(&lens), bytes_mut(&mut all));
        call.collect(bytes(values), &lens, is_root, |pe, at, bytes| {
            target[starts[pe] + at..][..bytes.len()].copy_from_slice(bytes);
        });
        is_root.then_some(all)
    }

    /// A call with a source on all PEs and a destination on `root`.
    #[track_caller]
    pub(super) fn call_to<T: Symmetric>(
        &self,
        what: &'static str,
        to: &SelectedElements<'_, T>,
        from: &SelectedElements<'_, T>,
        root: usize,
    ) -> Call {
        from.takes_part(Kind::Load, from.len());
        if self.my_pe() == root {
            to.takes_part(Kind::Store, to.len());
        }
        let call = Call::new(what, place::caller()).of::<T>().count(from.len());
        call.places(to.place_in_call(), from.place_in_call()).to_root(root)
    }

    /// The elements to send to `root`: of the others, nobody writes to the destination.
    #[track_caller]
    fn outgoing_to<'a, T: Symmetric>(
        &self,
        root: usize,
        from: SelectedElements<'a, T>,
        to: &SelectedElements<'_, T>,
    ) -> Outgoing<'a, T> {
        if self.my_pe() == root { Outgoing::of(from, to) } else { Outgoing::Object(from) }
    }
}
