//! Signals: a put of data and an update that announces it, in one call.
//!
//! A signal is a cell of `u64`. The other signal routines of OpenSHMEM are operations of any cell:
//! see [`SignalOp`].

use crate::remote::{Mode, Remote, Source};
use crate::runtime;
use crate::runtime::observe;
use crate::runtime::races::{Part, PartScope};
use crate::select::{FormOf, OnOnePe, One};
use crate::symmetric::{Atomic, Item, ObjectInfo};
use crate::transport::Amo;

/// How [`Remote::put_signal`] updates the signal.
///
/// The rest of OpenSHMEM's signals are the operations of any cell `static SIGNAL: Atomic<u64>`:
///
/// | OpenSHMEM | here |
/// |---|---|
/// | `shmem_signal_set` | `remote!(SIGNAL[pe]) = v` |
/// | `shmem_signal_add` | `remote!(SIGNAL[pe]) += v` |
/// | `shmem_signal_fetch` | `local!(SIGNAL)` |
/// | `shmem_signal_wait_until` | `wait!(SIGNAL >= v)` |
///
/// ```
/// use shmem::prelude::*;
///
/// #[symmetric]
/// static INBOX: [f64; 3] = [0.0; 3];
/// #[symmetric]
/// static ARRIVED: Atomic<u64> = Atomic::new(0);
///
/// #[shmem::main(npes = 2)]
/// fn main(world: &World) {
///     let peer = 1 - world.my_pe();
///     remote!(&INBOX[peer, ..]).put_signal([1.0, 2.0, 3.0], remote!(&ARRIVED[peer]), SignalOp::Add(1));
///     wait!(ARRIVED >= 1);
///     assert_eq!(local!(INBOX[..]), [1.0, 2.0, 3.0]);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignalOp {
    /// Writes the value (`SHMEM_SIGNAL_SET`).
    #[doc(alias = "SHMEM_SIGNAL_SET")]
    Set(u64),
    /// Adds the value, wrapping around (`SHMEM_SIGNAL_ADD`).
    #[doc(alias = "SHMEM_SIGNAL_ADD")]
    Add(u64),
}

impl SignalOp {
    /// The update that it is.
    #[inline(always)]
    pub(crate) fn amo(self) -> Amo {
        match self {
            SignalOp::Set(value) => Amo::Set(value),
            SignalOp::Add(value) => Amo::Add(value),
        }
    }
}

/// Ends the PE with a message: of a put and its signal, the PE and the object.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn elsewhere((pe, info): (usize, &ObjectInfo), (signal_pe, signal): (usize, &ObjectInfo)) -> ! {
    panic!(
        "a put and its signal must go to the same PE: here the put of {info} goes to PE {pe}, and the signal \
         {signal} is on PE {signal_pe}; select the signal on PE {pe} too"
    )
}

impl<I: Item, F: FormOf<I::Value>> Remote<'_, I, F> {
    /// Writes `source` to the elements, then updates `signal`, a cell on the same PE
    /// (`shmem_put_signal`). Not collective.
    ///
    /// A PE that sees the update, by a [`wait!`](crate::wait!), a test or an atomic read, also sees
    /// all of the elements. No fence is necessary. The signal does not order other puts. A source
    /// is what [`put`](Remote::put) takes. You may reuse it when the call returns. If the selection
    /// is empty, only the signal is updated.
    ///
    /// # Panics
    ///
    /// When the signal is on another PE than the elements, and as [`put`](Remote::put).
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static INBOX: [f32; 100] = [0.0; 100];
    /// #[symmetric]
    /// static ARRIVED: Atomic<u64> = Atomic::new(0);
    ///
    /// #[shmem::main(npes = 3)]
    /// fn main(world: &World) {
    ///     let right = (world.my_pe() + 1) % world.n_pes();
    ///     remote!(&INBOX[right, ..50]).put_signal(&[2.5; 50], remote!(&ARRIVED[right]), SignalOp::Add(1));
    ///     remote!(&INBOX[right, 50..]).put_signal(3.5, remote!(&ARRIVED[right]), SignalOp::Add(1));
    ///     wait!(ARRIVED == 2);
    ///     assert_eq!(local!(INBOX[49..51]), [2.5, 3.5]);
    /// }
    /// ```
    #[inline]
    #[track_caller]
    #[doc(alias = "shmem_put_signal")]
    #[doc(alias = "shmem_putmem_signal")]
    pub fn put_signal<S: Source<I::Value, F::Shape>>(
        self,
        source: S,
        signal: Remote<'_, Atomic<u64>, One>,
        op: SignalOp,
    ) where
        F: OnOnePe,
    {
        // SAFETY: blocking.
        unsafe { self.put_signal_in(Mode::Blocking, &source, signal, op) }
    }

    /// [`put_signal`](Remote::put_signal), of what a source holds, as `mode` says.
    ///
    /// # Safety
    ///
    /// As [`put_in`](Remote::put_in).
    #[inline]
    #[track_caller]
    pub(crate) unsafe fn put_signal_in<S: Source<I::Value, F::Shape> + ?Sized>(
        self,
        mode: Mode,
        source: &S,
        signal: Remote<'_, Atomic<u64>, One>,
        op: SignalOp,
    ) where
        F: OnOnePe,
    {
        if self.pe() != signal.pe() {
            self.signal_elsewhere(signal);
        }
        let data = observe::wants_operations().then(|| PartScope::of(Part::Data));
        // SAFETY: what `put_in` asks for, this function does.
        unsafe { self.put_in(mode, source) };
        drop(data);
        // The update goes on the context of the elements, because the fence is on that context.
        let signal = signal.on_context(self.ctx());
        let signal = signal.target();
        let _signal = observe::wants_operations().then(|| PartScope::of(Part::Signal));
        if signal.is_far() {
            runtime::get().transport().fence(self.ctx());
        }
        // If the PE is directly addressable, the update itself orders the stores before it: it
        // releases, and copies that need a fence of their own end with one.
        signal.update(op.amo());
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn signal_elsewhere(&self, signal: Remote<'_, Atomic<u64>, One>) -> !
    where
        F: OnOnePe,
    {
        // That there are these PEs comes first.
        let _ = (self.target(), signal.target());
        elsewhere((self.pe(), self.info()), (signal.pe(), signal.info()))
    }
}
