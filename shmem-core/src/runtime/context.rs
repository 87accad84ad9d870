//! Contexts without types: what the transport made, and its end. The typed
//! [`Context`](crate::context::Context) adds a team, and the threads that may use it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::runtime;
use crate::system::error::Error;
use crate::transport::{Ctx, Transport};

/// A context of this PE. Dropping it completes its operations and destroys it. It borrows nothing,
/// so its owner may keep it as long as the job lasts.
pub struct RawContext(Ctx);

/// The contexts of this PE beside the default one.
static LIVE: Mutex<Vec<Ctx>> = Mutex::new(Vec::new());

fn live() -> MutexGuard<'static, Vec<Ctx>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Completes all that this PE has issued, on whichever context.
pub(crate) fn quiet_all(transport: &dyn Transport) {
    // The list is held meanwhile: of a context that is not on it any more, everything is complete.
    let live = live();
    transport.quiet(Ctx::DEFAULT);
    for &ctx in live.iter() {
        transport.quiet(ctx);
    }
}

impl RawContext {
    /// Makes a context.
    ///
    /// # Errors
    ///
    /// When there can be no more.
    pub(crate) fn create() -> Result<RawContext, Error> {
        let mut live = live();
        let ctx = runtime::get().endpoint().contexts.create()?;
        if ctx != Ctx::DEFAULT {
            live.push(ctx);
        }
        Ok(RawContext(ctx))
    }

    /// The transport's name for it, which is live as long as `self`.
    #[inline(always)]
    pub(crate) fn ctx(&self) -> Ctx {
        self.0
    }

    /// See [`Transport::fence`].
    pub(crate) fn fence(&self) {
        runtime::get().transport().fence(self.0);
    }

    /// See [`Transport::quiet`].
    pub(crate) fn quiet(&self) {
        runtime::get().transport().quiet(self.0);
    }

    /// See [`Transport::pe_quiet`]: `pes` are numbers in the job.
    pub(crate) fn pe_quiet(&self, pes: &[usize]) {
        runtime::get().transport().pe_quiet(self.0, pes);
    }
}

impl Drop for RawContext {
    fn drop(&mut self) {
        let mut live = live();
        runtime::get().endpoint().contexts.destroy(self.0);
        live.retain(|&ctx| ctx != self.0);
    }
}
