//! What the members give in a call to which each gives a number of elements of its own.
//!
//! A meeting tells all the numbers. Before it, each PE leaves its elements where the others find them, if they are
//! few. If those of all are few, no second meeting is needed. On one host they stay in the slot of the PE, so
//! that each reads what there is. Otherwise they go with the number, if that takes no more messages.

use super::call::OngoingCall;
use crate::runtime::bytes::{bytes, get_bytes, put_bytes, with_scratch, words};
use crate::runtime::direct;
use crate::system::tuning::eager::{GIVEN, GIVEN_FAR, GIVEN_OVERSUBSCRIBED, GIVEN_TO_ONE};
use crate::transport::layout::EAGER_ROOM;

/// The bytes of a number.
const NUMBER: usize = size_of::<u64>();

/// What each member gives.
pub(crate) struct Given {
    /// How many elements each gives, in the order of the team.
    pub(crate) counts: Vec<usize>,
    /// The elements of all members, one after the other, if they are few: on all members, or on none. May be
    /// empty where they are not wanted.
    pub(crate) few: Option<Vec<u8>>,
}

/// Few elements that the members have left in their slots.
#[derive(Clone, Copy)]
pub(crate) struct LeftElements {
    /// Where they begin, in the slot of each.
    at: usize,
    room: usize,
}

impl OngoingCall<'_> {
    /// Collects the number `count` of each member, and its elements of `size` bytes if they are few: `read` reads those
    /// of this PE. `wanted` says whether this PE uses the elements of all.
    ///
    /// # Panics
    ///
    /// When no memory could hold so many.
    #[track_caller]
    pub(crate) fn exchange_given(
        &mut self,
        (count, size): (usize, usize),
        wanted: bool,
        read: impl FnOnce(&mut [u8]),
    ) -> Given {
        let given = match self.room_to_leave(NUMBER) {
            0 => self.send_given((count, size), read),
            room => self.leave_given((count, size), room, wanted, read),
        };
        check_counts(&given.counts, size);
        given
    }

    /// As [`exchange_given`](OngoingCall::exchange_given), of elements that wait in the slots if they take up to
    /// `room` bytes of each PE.
    fn leave_given(
        &mut self,
        (count, size): (usize, usize),
        room: usize,
        wanted: bool,
        read: impl FnOnce(&mut [u8]),
    ) -> Given {
        let mut counts = Vec::with_capacity(self.team.n_pes());
        let left =
            self.leave_beside(bytes(&[count as u64]), count.saturating_mul(size), room, read, |_, bytes| {
                counts.extend(words(bytes).map(|count| count as usize));
            });
        let few = are_few(&counts, size, room).then(|| {
            if !wanted {
                return Vec::new();
            }
            // Each takes up to the bytes of the slot.
            let mut all = vec![0; counts.iter().map(|count| count * size).sum()];
            let mut rest = &mut all[..];
            for (pe, count) in counts.iter().enumerate() {
                self.read_left(left, pe, 0, rest.split_off_mut(..count * size).expect("room for all"));
            }
            all
        });
        Given { counts, few }
    }

    /// As [`exchange_given`](OngoingCall::exchange_given), of elements that go with the number.
    fn send_given(&mut self, (count, size): (usize, usize), read: impl FnOnce(&mut [u8])) -> Given {
        let n_pes = self.team.n_pes();
        let most = if n_pes == 2 { GIVEN_TO_ONE } else { GIVEN_FAR };
        let room = if self.team.gives_words(NUMBER + most) { most } else { 0 };
        let (mut counts, mut all) = (Vec::with_capacity(n_pes), Vec::with_capacity(n_pes * room));
        let mut record = [0; NUMBER + GIVEN_FAR];
        let (number, elements) = record.split_at_mut(NUMBER);
        number.copy_from_slice(bytes(&[count as u64]));
        let len = count.saturating_mul(size);
        if len <= room {
            read(&mut elements[..len]);
        }
        self.exchange(&record[..NUMBER + room], |_, record| {
            let (number, elements) = record.split_at(NUMBER);
            counts.extend(words(number).map(|count| count as usize));
            all.extend_from_slice(elements);
        });
        let few = are_few(&counts, size, room).then(|| {
            let each = counts.iter().enumerate().map(|(pe, count)| &all[pe * room..][..count * size]);
            each.flatten().copied().collect()
        });
        Given { counts, few }
    }

    /// The most bytes that a PE may leave in its slot in a call in which it tells others `head` bytes; 0 where it
    /// leaves none. The result is the same on all members.
    pub(crate) fn room_to_leave(&self, head: usize) -> usize {
        let most = if self.runtime.endpoint().facts.oversubscribed { GIVEN_OVERSUBSCRIBED } else { GIVEN };
        let free = EAGER_ROOM.saturating_sub(head.saturating_mul(self.team.n_pes()));
        if self.team.is_on_one_host() && free >= most { most } else { 0 }
    }

    /// Leaves `len` bytes in the slot if that is not more than `room`, waits for all PEs, and passes the `head` of each
    /// to `each`: of one or several PEs side by side, with the number of the first.
    /// [`read_left`](OngoingCall::read_left) reads what the PEs have left. All are on one host.
    pub(crate) fn leave_beside(
        &mut self,
        head: &[u8],
        len: usize,
        room: usize,
        read: impl FnOnce(&mut [u8]),
        mut each: impl FnMut(usize, &[u8]),
    ) -> LeftElements {
        self.team.calls.exchange();
        let (transport, heads) = (self.runtime.transport(), self.eager());
        let left = LeftElements { at: heads + head.len() * self.team.n_pes(), room };
        if len <= room {
            with_scratch(len, |bytes| {
                read(bytes);
                put_bytes(transport, direct::my_pe(), left.at, bytes);
            });
        }
        if !self.exchange_two(head, &mut each) {
            self.exchange_on_first(head, &mut each);
        }
        left
    }

    /// Reads bytes that member `rank` has left, from byte `start` on. No PE waits after it has read.
    pub(crate) fn read_left(&self, left: LeftElements, rank: usize, start: usize, to: &mut [u8]) {
        assert!(start.saturating_add(to.len()) <= left.room);
        get_bytes(self.runtime.transport(), self.team.members.pe(rank), left.at + start, to);
    }
}

/// The bytes that no process addresses.
const ENDLESS: usize = 1 << 56;

/// Checks that there can be so many elements of `size` bytes, where other PEs have given their numbers: in an unchecked
/// run they may be in a call of another kind.
#[track_caller]
pub(crate) fn check_counts(counts: &[usize], size: usize) {
    let count = counts.iter().try_fold(0_usize, |all, count| all.checked_add(*count));
    if count.and_then(|count| count.checked_mul(size)).is_none_or(|bytes| bytes >= ENDLESS) {
        panic!(
            "the PEs give or get {counts:?} elements of {size} bytes, more than there can be: they may be in different calls, and a run \
             with SHMEM_CHECK=1 says which"
        );
    }
}

/// Whether each of these numbers of elements of `size` bytes takes up to `room` bytes.
fn are_few(counts: &[usize], size: usize, room: usize) -> bool {
    counts.iter().all(|count| count.saturating_mul(size) <= room)
}
