//! Handles for programs that call the C library themselves (feature `openshmem`).
//!
//! [`AsRaw::as_raw`] gives what the library's own routines take: the `shmem_ctx_t` of a
//! [`Context`], the `shmem_team_t` of a [`Team`], and the symmetric address of the elements of a
//! [`Remote`]. [`sys`] declares the routines. So a program can call a routine that this crate does
//! not have, and hand its objects to a library that is written in C.
//!
//! It gives `None` where the library does not know the thing. A job on the embedded transport has
//! no library, so there it gives `None` for everything, also in a program that is built with the
//! feature.
//!
//! ```
//! use shmem::context::Private;
//! use shmem::prelude::*;
//! use shmem::raw::{AsRaw, sys};
//!
//! #[symmetric]
//! static INBOX: [u64; 4] = [0; 4];
//!
//! #[shmem::main(npes = 2)]
//! fn main(world: &World) -> Result<(), shmem::Error> {
//!     let ctx = world.team().context(Private)?;
//!     let (values, right) = ([3_u64, 4], (world.my_pe() + 1) % world.n_pes());
//!     match (ctx.as_raw(), local!(&INBOX[1..3]).as_raw()) {
//!         // SAFETY: the context and the static are alive, the static has room for both values from
//!         // its element 1 on, and no other PE accesses it before the barrier.
//!         (Some(ctx), Some(inbox)) => unsafe {
//!             let len = size_of_val(&values);
//!             sys::shmem_ctx_putmem(ctx, inbox.cast(), values.as_ptr().cast(), len, right as i32);
//!         },
//!         _ => remote!(ctx; INBOX[right, 1..3]) = values, // there is no C library
//!     }
//!     ctx.quiet();
//!     world.barrier_all();
//!     assert_eq!(local!(INBOX[..]), [0, 3, 4, 0]);
//!     Ok(())
//! }
//! ```
//!
//! # What the caller sees to
//!
//! Making a handle is safe. The routines that take it are `unsafe`, and nothing of what this crate
//! checks is checked for them.
//!
//! * **Life.** A handle is borrowed: it is good as long as the value that it came from. C code
//!   destroys no context or team and frees no memory that it was given, and does not start or end
//!   the library. What it makes itself, it releases itself, before the function of
//!   [`#[shmem::main]`](macro@crate::main) returns.
//! * **Order.** [`quiet`](Context::quiet) and [`fence`](Context::fence) of a context also cover what C
//!   code issued on it. Those of the [`World`](crate::World), and the barriers of this crate, cover what C
//!   code issued on the default context, if this PE has called [`AsRaw::as_raw`] before. C code that has
//!   no handle of this crate calls `shmem_quiet` first. The converse does not hold: this crate stores
//!   directly where it can, and the library's `shmem_quiet` and `shmem_fence` do not know of these
//!   stores.
//! * **Atomic cells.** C code updates a cell of [`Atomic`](crate::Atomic) by the library's atomic
//!   operations on `unsigned int` and `unsigned long long`. Where PEs are on several hosts, this crate uses
//!   the same. Where all PEs share a host, it uses the processor's, and the library may leave its own to
//!   a network card. So a barrier comes between updates of a cell by C code and by this crate. With
//!   `SHMEM_DIRECT=0` this crate uses the library's everywhere, and no barrier is needed.
//! * **Local phases.** C code accesses no symmetric memory of a PE that is in a
//!   [local phase](crate::phase).
//! * **Threads.** The [thread level](crate::World::thread_level) says which threads may call.
//! * **Collectives.** All PEs come to the library's collective routines in the same order, and
//!   meanwhile to no collective call of this crate.

/// The declarations of the C library: package `shmem-sys`.
pub use shmem_sys as sys;

use crate::context::{Context, Kind};
use crate::remote::Remote;
use crate::runtime::team::Team;
use crate::select::OnOnePe;
use crate::symmetric::Item;
use crate::transport::openshmem::handles;

/// What the C library has a handle or an address for: see the [module](crate::raw).
///
/// ```
/// use shmem::prelude::*;
/// use shmem::raw::AsRaw;
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     // The handle of the C library, if one carries the job.
///     let team = world.team().as_raw();
///     println!("a C library carries this job: {}", team.is_some());
/// }
/// ```
pub trait AsRaw: sealed::SealedAsRaw {
    /// The library's type.
    type Raw;

    /// Returns the library's name for this; `None` where it has none. Not collective.
    ///
    /// See the [module](crate::raw) for an example, and for what the caller sees to.
    fn as_raw(&self) -> Option<Self::Raw>;
}

/// The `shmem_ctx_t`; `None` on the embedded transport.
///
/// With some libraries, which the book lists, contexts do not work between hosts. There the handle
/// is `SHMEM_CTX_DEFAULT`, as one context serves as all.
impl<K: Kind> AsRaw for Context<'_, K> {
    type Raw = sys::shmem_ctx_t;

    fn as_raw(&self) -> Option<sys::shmem_ctx_t> {
        handles::context(self.ctx())
    }
}

/// `SHMEM_TEAM_WORLD`, for the world's team over a library that has teams (OpenSHMEM 1.5); `None`
/// for all other teams, which this crate makes without the library.
impl AsRaw for Team {
    type Raw = sys::shmem_team_t;

    fn as_raw(&self) -> Option<sys::shmem_team_t> {
        if self.is_world() { handles::world_team() } else { None }
    }
}

/// The symmetric address of the first selected element: what routines such as `shmem_putmem` take,
/// beside the number of a PE; `None` on the embedded transport.
///
/// It is the same whichever PE the reference names. The elements lie from there on as
/// [`Remote::as_ptr`] says. Loads and stores use the address of `as_ptr`, which is another one, in
/// the same memory.
impl<I: Item, F: OnOnePe> AsRaw for Remote<'_, I, F> {
    type Raw = *mut I::Value;

    fn as_raw(&self) -> Option<*mut I::Value> {
        handles::address(self.first_offset()).map(<*mut u8>::cast)
    }
}

mod sealed {
    use super::{Context, Kind, Remote, Team};

    /// An implementation is this crate's alone, so that methods can be added.
    pub trait SealedAsRaw {}
    impl<K: Kind> SealedAsRaw for Context<'_, K> {}
    impl SealedAsRaw for Team {}
    impl<I, F> SealedAsRaw for Remote<'_, I, F> {}
}
