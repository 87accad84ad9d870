//! Contexts, and the order of operations.

use std::ffi::{c_int, c_long};

use shmem::untyped::{Member, OwnedContext};

use crate::handles::{DEFAULT, Handle, INVALID, Table, WORLD};
use crate::job::member;
use crate::teams;
use crate::types::SessionConfig;

/// The options that a context can have: `SERIALIZED`, `PRIVATE` and `NOSTORE`.
const OPTIONS: c_long = 7;

/// A context that the program has made.
struct TeamContext {
    context: OwnedContext,
    team: Handle,
}

static CONTEXTS: Table<TeamContext> = Table::new(DEFAULT + 1);

/// Destroys all contexts, at the end of the job.
pub(crate) fn destroy_all() {
    // SAFETY: no other thread is in the library at the end of the job.
    unsafe { CONTEXTS.take_all(|_| true) };
}

/// Destroys the contexts of a team, before the team.
pub(crate) fn destroy_those_of(team: Handle) {
    // SAFETY: C lets no thread use what another one destroys.
    unsafe { CONTEXTS.take_all(|context| context.team == team) };
}

/// Calls `with` with the context of the handle, `None` for the default one, and with the handle of
/// its team.
///
/// # Panics
///
/// When the handle is not valid.
#[inline]
#[track_caller]
pub(crate) fn with<R>(handle: Handle, with: impl FnOnce(Option<&OwnedContext>, Handle) -> R) -> R {
    if handle == DEFAULT {
        return with(None, WORLD);
    }
    // SAFETY: C lets no thread destroy a context that another one uses.
    match unsafe { CONTEXTS.get(handle) } {
        Some(own) => with(Some(&own.context), own.team),
        None if handle == INVALID => panic!("`ctx` is SHMEM_CTX_INVALID"),
        None => panic!("`ctx` is no context, or was destroyed"),
    }
}

/// Calls `with` with the job, the context of the handle, and the number in the job of PE `pe` of its
/// team.
#[inline]
#[track_caller]
pub(crate) fn at<R>(
    handle: Handle,
    pe: c_int,
    act: impl FnOnce(&'static Member, Option<&OwnedContext>, usize) -> R,
) -> R {
    let member = member();
    with(handle, |context, team| act(member, context, teams::world_pe(team, pe)))
}

/// `shmem_ctx_create` and `shmem_team_create_ctx`.
pub(crate) unsafe fn create(team: Handle, options: c_long, ctx: *mut Handle) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { ctx.write(INVALID) };
    if team == INVALID {
        return -1;
    }
    assert!(options & !OPTIONS == 0, "`options` is {options:#x}, and has a bit that is no option");
    let context = teams::with(team, |member, _| member.context());
    match context.ok().and_then(|context| CONTEXTS.insert(TeamContext { context, team })) {
        Some(handle) => {
            // SAFETY: the caller's promise.
            unsafe { ctx.write(handle) };
            0
        }
        None => -1,
    }
}

/// `shmem_ctx_destroy`.
pub(crate) fn destroy(ctx: Handle) {
    member();
    if ctx == INVALID {
        return;
    }
    assert!(ctx != DEFAULT, "`ctx` is SHMEM_CTX_DEFAULT, which is not destroyed");
    assert!(CONTEXTS.take(ctx).is_some(), "`ctx` is no context, or was destroyed");
}

/// `shmem_ctx_get_team`.
pub(crate) unsafe fn get_team(ctx: Handle, team: *mut Handle) -> c_int {
    if ctx == INVALID {
        // SAFETY: the caller's promise.
        unsafe { team.write(INVALID) };
        return -1;
    }
    // SAFETY: the caller's promise.
    with(ctx, |_, of| unsafe { team.write(of) });
    0
}

/// `shmem_ctx_session_start`: a hint, which this library has no use for.
pub(crate) fn session_start(ctx: Handle, options: c_long, _: *const SessionConfig, mask: c_long) {
    assert!(options & !1 == 0, "`options` is {options:#x}, and has a bit that is no option");
    assert!(mask & !1 == 0, "`config_mask` is {mask:#x}, and has a bit that is no member");
    session_stop(ctx);
}

/// `shmem_ctx_session_stop`.
pub(crate) fn session_stop(ctx: Handle) {
    member();
    if ctx != INVALID {
        with(ctx, |_, _| ());
    }
}

/// `shmem_fence` and `shmem_ctx_fence`.
pub(crate) fn fence(ctx: Handle) {
    let member = member();
    with(ctx, |context, _| match context {
        Some(context) => context.fence(),
        None => member.world().fence(),
    });
}

/// `shmem_quiet` and `shmem_ctx_quiet`.
pub(crate) fn quiet(ctx: Handle) {
    let member = member();
    with(ctx, |context, _| match context {
        Some(context) => context.quiet(),
        None => member.world().quiet(),
    });
}

/// `shmem_pe_quiet` and `shmem_ctx_pe_quiet`.
pub(crate) unsafe fn pe_quiet(ctx: Handle, pes: *const c_int, count: usize) {
    let member = member();
    with(ctx, |context, team| {
        // SAFETY: the caller's promise: there are so many numbers.
        let number = |i| unsafe { pes.add(i).read() };
        let pes: Vec<usize> = (0..count).map(number).map(|pe| checked(member, team, pe)).collect();
        match context {
            Some(context) => context.pe_quiet(&pes),
            None => member.world().pe_quiet(&pes),
        }
    });
}

/// The number in the job of a PE of a team, which there is.
#[track_caller]
fn checked(member: &Member, team: Handle, pe: c_int) -> usize {
    let world = teams::world_pe(team, pe);
    if world >= member.n_pes() {
        teams::no_such_pe(pe, "target_pes", member.n_pes());
    }
    world
}
