//! Active sets, which are deprecated: the PEs `PE_start`, `PE_start + 2^logPE_stride`, …
//!
//! Only the members of an active set make a call on it. The first time they make a team, for which
//! they combine words in `pSync`: each adds its word to one on the first member, which gives the
//! result to all. So `pSync` holds its first value again when the call returns. The team is kept,
//! because nobody says when an active set is not used any more. If a member has no room for it, all
//! of them drop it after the call.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_long};
use std::sync::{Mutex, MutexGuard, PoisonError};

use shmem::Comparison;
use shmem::untyped::{Amo, Member, ObjectInfo, Width, pes_of};

use crate::collective::{self, OnRoot};
use crate::entry::{self, enter};
use crate::handles::{Handle, INVALID, WORLD};
use crate::job::{member, offset};
use crate::teams;

/// How many teams a PE keeps; it can be in 64, with those that the program makes.
const KEPT: usize = 16;
/// The words of `pSync` that are used on the first member: the words that were combined, and how many
/// members have come.
const COMBINED: usize = 0;
const ARRIVED: usize = 1;
/// Those on the others: the result, and whether it is there.
const RESULT: usize = 2;
const IS_THERE: usize = 3;

static PSYNC: ObjectInfo = ObjectInfo::new("pSync", "", "", 0, 0, "");

/// The first member, the stride and the number of members.
type Pes = (usize, usize, usize);

/// The teams of active sets that are kept.
static TEAMS: Mutex<BTreeMap<Pes, Handle>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// The team that this thread drops after the call.
    static PASSING: Cell<Handle> = const { Cell::new(INVALID) };
}

fn kept() -> MutexGuard<'static, BTreeMap<Pes, Handle>> {
    TEAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forgets all teams, at the end of the job, which destroys them.
pub(crate) fn forget_all() {
    kept().clear();
}

/// The team of an active set, for a call of `routine`.
///
/// # Safety
///
/// The name is a literal; the rest as the routine asks.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn libshmem_active_set(
    routine: *const c_char,
    start: c_int,
    log: c_int,
    size: c_int,
    sync: *mut c_long,
) -> Handle {
    // SAFETY: the caller's promise.
    let routine = unsafe { CStr::from_ptr::<'static>(routine) }.to_str().unwrap_or("an active set");
    entry::on_behalf_of(routine);
    // SAFETY: likewise.
    enter(routine, || unsafe { team(start, log, size, sync) })
}

/// Ends the call on an active set.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn libshmem_active_set_end() {
    let passing = PASSING.replace(INVALID);
    if passing != INVALID {
        enter("the end of an active set", || teams::destroy(passing));
    }
    entry::on_behalf_of("");
}

/// `shmem_broadcast32` and `shmem_broadcast64`, which leave `dest` on the root as it is.
///
/// # Safety
///
/// As the routine asks.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn libshmem_broadcast(
    team: Handle,
    dest: *mut u8,
    source: *const u8,
    nelems: usize,
    elem: usize,
    root: c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    enter("shmem_broadcast", || unsafe {
        collective::broadcast(team, dest, source, nelems, elem, root, OnRoot::Left)
    })
}

/// The team of the active set.
///
/// # Safety
///
/// `sync` is as the routine asks.
unsafe fn team(start: c_int, log: c_int, size: c_int, sync: *mut c_long) -> Handle {
    let member = member();
    let pes = checked(member, start, log, size);
    let sync = offset(member, sync.cast(), "pSync");
    if pes == (0, 1, member.n_pes()) {
        return WORLD;
    }
    let number_of_kept = {
        let kept = kept();
        if let Some(team) = kept.get(&pes) {
            return *team;
        }
        kept.len()
    };
    // SAFETY: the caller's promise.
    let mut join = |word| unsafe { TeamlessMembers { member, pes, sync }.join(word) };
    let team = match member.team_of_members(pes, &mut join) {
        Ok(team) => team,
        Err(error) => panic!("{error}"),
    };
    let is_kept = join(u64::from(number_of_kept >= KEPT)) == 0;
    let handle = teams::handle(Some(team), 0);
    if is_kept {
        kept().insert(pes, handle);
    } else {
        PASSING.set(handle);
    }
    handle
}

/// The members of an active set, of which this PE is one.
#[track_caller]
fn checked(member: &Member, start: c_int, log: c_int, size: c_int) -> Pes {
    let (me, n_pes) = (member.my_pe(), member.n_pes());
    let Some(first) = usize::try_from(start).ok().filter(|start| *start < n_pes) else {
        panic!("`PE_start` is {start}, and the job has {}", pes_of(n_pes))
    };
    let Some(stride) = u32::try_from(log).ok().filter(|log| *log < 31).map(|log| 1_usize << log) else {
        panic!("`logPE_stride` is {log}, and must be from 0 to 30")
    };
    let Some(len) = usize::try_from(size).ok().filter(|size| *size > 0) else {
        panic!("`PE_size` is {size}, and must be at least 1")
    };
    let last = (len - 1).saturating_mul(stride).saturating_add(first);
    assert!(
        last < n_pes,
        "`PE_size` is {size}, and so the last PE {last}, but the job has {}",
        pes_of(n_pes)
    );
    assert!(
        me >= first && me <= last && (me - first).is_multiple_of(stride),
        "PE {me} is not in the active set: `PE_start` is {start}, `logPE_stride` {log} and `PE_size` {size}"
    );
    (first, stride, len)
}

/// The members of an active set, which have no team yet.
struct TeamlessMembers<'a> {
    member: &'a Member,
    pes: Pes,
    /// Where `pSync` is.
    sync: usize,
}

impl TeamlessMembers<'_> {
    /// Combines the words of all members by "or".
    ///
    /// # Safety
    ///
    /// The words of `pSync` are as the routine asks.
    unsafe fn join(&self, word: u64) -> u64 {
        let TeamlessMembers { member, pes: (first, stride, len), sync } = *self;
        let me = member.my_pe();
        let at = |index: usize| sync + index * size_of::<u64>();
        // SAFETY: the caller's promise: cells of 8 bytes that are accessed by these
        // operations alone.
        let set = |pe, index, op| unsafe { member.update(None, pe, at(index), Width::W8, op, &"`pSync`") };
        // SAFETY: as above.
        let get = |index| unsafe { member.amo(None, me, at(index), Width::W8, Amo::Fetch, &"`pSync`") };
        // SAFETY: as above.
        let wait = |index, least: u64| unsafe {
            member.cell::<u64>(at(index), &PSYNC).wait_until(Comparison::Ge, least);
        };
        // Only the first member writes these two, after this one has come.
        assert!(get(RESULT) == 0 && get(IS_THERE) == 0, "`pSync` does not hold SHMEM_SYNC_VALUE");
        if me != first {
            set(first, COMBINED, Amo::Or(word));
            member.world().fence();
            set(first, ARRIVED, Amo::Add(1));
            wait(IS_THERE, 1);
            let all = get(RESULT);
            set(me, RESULT, Amo::Set(0));
            set(me, IS_THERE, Amo::Set(0));
            return all;
        }
        if len > 1 {
            wait(ARRIVED, len as u64 - 1);
        }
        let all = get(COMBINED) | word;
        set(me, COMBINED, Amo::Set(0));
        set(me, ARRIVED, Amo::Set(0));
        let others = || (1..len).map(|i| first + i * stride);
        others().for_each(|pe| set(pe, RESULT, Amo::Set(all)));
        member.world().fence();
        others().for_each(|pe| set(pe, IS_THERE, Amo::Set(1)));
        all
    }
}
