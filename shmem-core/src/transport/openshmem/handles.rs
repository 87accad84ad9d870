//! The C library's own names for contexts, teams and places in the heap, for programs that call the
//! library themselves. `None` where this process has not joined a job of the library.

use shmem_sys as sys;

use super::{JOB, heaps, library, threads};
use crate::transport::Ctx;

/// The handle of a context.
pub(crate) fn context(ctx: Ctx) -> Option<sys::shmem_ctx_t> {
    give_out().map(|()| library::context(ctx.carrier()))
}

/// The handle of the team of all PEs, where the library has teams.
pub(crate) fn world_team() -> Option<sys::shmem_team_t> {
    give_out()?;
    // SAFETY: the library is initialised, since a job was joined.
    sys::optional::SHMEM_TEAM_WORLD.map(|world| unsafe { world() })
}

/// The symmetric address of an offset in the heaps.
pub(crate) fn address(offset: usize) -> Option<*mut u8> {
    give_out().map(|()| heaps::own().wrapping_add(offset))
}

/// Notes that a handle is given out, if this process has joined a job of the library.
fn give_out() -> Option<()> {
    JOB.get()?;
    threads::is_called_directly();
    Some(())
}
