//! Teams.

use std::ffi::{c_int, c_long, c_void};

use shmem::Team;
use shmem::untyped::{Member, pes_of};

use crate::contexts;
use crate::handles::{Handle, INVALID, SHARED, Table, WORLD};
use crate::job::{member, offset, or_null};
use crate::types::TeamConfig;

/// `SHMEM_TEAM_NUM_CONTEXTS`.
const NUM_CONTEXTS: c_long = 1;

/// A team that the program has made, and what it was made with.
struct OwnTeam {
    team: Team,
    num_contexts: c_int,
}

static TEAMS: Table<OwnTeam> = Table::new(SHARED + 1);

/// Destroys all teams, at the end of the job.
pub(crate) fn destroy_all() {
    // SAFETY: no other thread is in the library at the end of the job.
    unsafe { TEAMS.take_all(|_| true) };
}

/// Calls `with` with the team of the handle.
///
/// # Panics
///
/// When the handle is not valid.
#[track_caller]
pub(crate) fn with<R>(handle: Handle, with: impl FnOnce(&Member, &Team) -> R) -> R {
    let member = member();
    if handle == WORLD {
        return with(member, member.team());
    }
    let world = member.world();
    let team = match handle {
        SHARED => world.shared_team(),
        // SAFETY: C lets no thread destroy a team that another one uses.
        _ => match unsafe { TEAMS.get(handle) } {
            Some(own) => &own.team,
            None if handle == INVALID => panic!("`team` is SHMEM_TEAM_INVALID"),
            None => panic!("`team` is no team, or was destroyed"),
        },
    };
    with(member, team)
}

/// The number in the job of PE `pe` of the team.
#[inline]
#[track_caller]
pub(crate) fn world_pe(handle: Handle, pe: c_int) -> usize {
    if handle == WORLD && pe >= 0 {
        // The access itself checks it.
        return pe as usize;
    }
    with(handle, |_, team| match usize::try_from(pe) {
        Ok(pe) if pe < team.n_pes() => team.world_pe(pe),
        _ => no_such_pe(pe, "pe", team.n_pes()),
    })
}

/// The argument `what` is no PE of a team of `n_pes`.
#[cold]
#[track_caller]
pub(crate) fn no_such_pe(pe: c_int, what: &str, n_pes: usize) -> ! {
    panic!("`{what}` is {pe}, and the team has {}", pes_of(n_pes))
}

/// `shmem_team_my_pe`.
pub(crate) fn my_pe(team: Handle) -> c_int {
    if team == INVALID { -1 } else { with(team, |_, team| team.my_pe() as c_int) }
}

/// `shmem_team_n_pes`.
pub(crate) fn n_pes(team: Handle) -> c_int {
    if team == INVALID { -1 } else { with(team, |_, team| team.n_pes() as c_int) }
}

/// `shmem_team_get_config`.
pub(crate) unsafe fn get_config(team: Handle, mask: c_long, config: *mut TeamConfig) -> c_int {
    if team == INVALID {
        return -1;
    }
    // Also finds out whether there is such a team.
    with(team, |_, _| ());
    // SAFETY: as in `with`.
    let num_contexts = unsafe { TEAMS.get(team) }.map_or(0, |own| own.num_contexts);
    if mask & NUM_CONTEXTS != 0 {
        // SAFETY: the caller's promise.
        unsafe { (*config).num_contexts = num_contexts };
    }
    0
}

/// `shmem_team_translate_pe`.
pub(crate) fn translate_pe(from: Handle, pe: c_int, to: Handle) -> c_int {
    if from == INVALID || to == INVALID {
        return -1;
    }
    with(from, |_, from| {
        let pe = usize::try_from(pe).ok().filter(|pe| *pe < from.n_pes());
        let translated = pe.and_then(|pe| with(to, |_, to| from.translate(pe, to)));
        translated.map_or(-1, |pe| pe as c_int)
    })
}

/// What a configuration asks for.
///
/// # Safety
///
/// The configuration is there if the mask has a bit.
unsafe fn num_contexts(config: *const TeamConfig, mask: c_long) -> c_int {
    // SAFETY: the caller's promise.
    if mask & NUM_CONTEXTS != 0 { unsafe { (*config).num_contexts } } else { 0 }
}

/// The handle of a team, or that of none.
#[track_caller]
pub(crate) fn handle(team: Option<Team>, num_contexts: c_int) -> Handle {
    team.map_or(INVALID, |team| {
        TEAMS.insert(OwnTeam { team, num_contexts }).expect("the library has fewer teams than handles")
    })
}

/// `shmem_team_split_strided`.
pub(crate) unsafe fn split_strided(
    parent: Handle,
    start: c_int,
    stride: c_int,
    size: c_int,
    config: *const TeamConfig,
    mask: c_long,
    new: *mut Handle,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { new.write(INVALID) };
    if parent == INVALID {
        return -1;
    }
    // What is negative is out of every range.
    let number = |number: c_int| usize::try_from(number).unwrap_or(usize::MAX);
    let size = usize::try_from(size).unwrap_or(0);
    with(parent, |_, parent| match parent.split_strided(number(start), stride as isize, size) {
        Ok(team) => {
            // SAFETY: the caller's promise.
            unsafe { new.write(handle(team, num_contexts(config, mask))) };
            0
        }
        Err(_) => -1,
    })
}

/// A configuration with its mask, and where the new team is written.
type Axis = (*const TeamConfig, c_long, *mut Handle);

/// `shmem_team_split_2d`.
pub(crate) unsafe fn split_2d(parent: Handle, xrange: c_int, x: Axis, y: Axis) -> c_int {
    for (.., new) in [x, y] {
        // SAFETY: the caller's promise.
        unsafe { new.write(INVALID) };
    }
    if parent == INVALID {
        return -1;
    }
    let xrange = usize::try_from(xrange).unwrap_or(0);
    with(parent, |_, parent| match parent.split_2d(xrange) {
        Ok((row, column)) => {
            for ((config, mask, new), team) in [(x, row), (y, column)] {
                // SAFETY: the caller's promise.
                unsafe { new.write(handle(Some(team), num_contexts(config, mask))) };
            }
            0
        }
        Err(_) => -1,
    })
}

/// `shmem_team_destroy`.
pub(crate) fn destroy(team: Handle) {
    if team == INVALID {
        return;
    }
    with(team, |_, _| ());
    assert!(
        team != WORLD && team != SHARED,
        "`team` is a team that the library has made, and is not destroyed"
    );
    contexts::destroy_those_of(team);
    drop(TEAMS.take(team));
}

/// `shmem_ptr` and `shmem_team_ptr`.
pub(crate) fn ptr(team: Handle, dest: *const u8, pe: c_int) -> *mut c_void {
    let member = member();
    let pe = world_pe(team, pe);
    assert!(pe < member.n_pes(), "`pe` is {pe}, and the job has {}", pes_of(member.n_pes()));
    or_null(member.address_on(pe, offset(member, dest, "dest")))
}
