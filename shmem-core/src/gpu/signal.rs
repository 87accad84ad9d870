//! Signals and waits on a stream.

use shmem_gpu::nvshmem::DeviceStream;

use super::nvshmem;
use crate::remote::held::{HeldElements, HeldSpot};
use crate::remote::stream::{JointWork, OnStream, StreamWork};
use crate::remote::{Remote, Source, Values};
use crate::select::{Form, FormOf, OnOnePe, One};
use crate::signal::{SignalOp, elsewhere};
use crate::symmetric::{Atomic, AtomicValue, Item};
use crate::transport::NumberKind;
use crate::wait::{Comparison, OneCell, Waitable};

/// The operations on a reference `remote!(stream; &D[pe, sel])`.
impl<I: Item, F: FormOf<I::Value> + OnOnePe> Remote<'_, I, F, OnStream<'_>> {
    /// Writes `source` to the elements, then updates `signal`, a cell on the same PE
    /// (`nvshmemx_putmem_signal_on_stream`). Not collective.
    ///
    /// The call does not wait. A PE that sees the update, by a wait of its host or of one of its
    /// streams, also sees all of the elements. A source is what `remote!(stream; …) = source` takes:
    /// the elements of a device array are read when the stream comes to the operation, all other
    /// values now.
    ///
    /// # Panics
    ///
    /// When the signal is on another PE than the elements, when there is no such PE, and when a source
    /// does not have the length of the selection.
    ///
    /// # Examples
    ///
    /// ```
    /// use shmem::SignalOp;
    /// use shmem::prelude::*;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let gpu = world.gpu()?;
    ///     let stream = gpu.stream()?;
    ///     let inbox = gpu.zeros::<f32, 1>([4])?;
    ///     let arrived = gpu.zeros::<Atomic<u64>, 1>([1])?;
    ///     let right = (world.my_pe() + 1) % world.n_pes();
    ///     let signal = remote!(stream; &arrived[right, 0]);
    ///     remote!(stream; &inbox[right, ..]).put_signal([1.5; 4], signal, SignalOp::Set(1));
    ///     wait!(stream; arrived[0] == 1);
    ///     assert_eq!(inbox.to_vec(&stream)?, [1.5; 4]);
    ///     Ok(())
    /// }
    /// ```
    #[track_caller]
    #[doc(alias = "nvshmemx_putmem_signal_on_stream")]
    #[doc(alias = "nvshmemx_signal_op_on_stream")]
    pub fn put_signal<S: Source<I::Value, F::Shape>>(
        self,
        source: S,
        signal: Remote<'_, Atomic<u64>, One, OnStream<'_>>,
        op: SignalOp,
    ) {
        let ((pe, info, stream), (signal_pe, signal_info, _)) = (self.whereabouts(), signal.whereabouts());
        if pe != signal_pe {
            elsewhere((pe, info), (signal_pe, signal_info));
        }
        self.write("put with a signal", source.staged());
        let work = StreamWork::Update { cell: signal.spot(), op: op.amo(), announces: true };
        stream.issue("signal of a put", work);
    }
}

/// How the host waits for cells; the last two as in [`CellsWait`].
type HostWait<I, F> = fn(Remote<'_, I, F>, Comparison, &[<I as Item>::Value], bool);

/// A wait for cells.
struct CellsWait<I: Item, F> {
    spot: HeldSpot,
    cells: HeldElements<I, F>,
    comparison: Comparison,
    /// One for each cell, or one for `every` cell.
    values: Vec<I::Value>,
    every: bool,
    wait: HostWait<I, F>,
}

impl<I: Waitable<Value: Send>, F: Form + Send> JointWork for CellsWait<I, F> {
    fn on_the_host(self: Box<Self>) -> Result<(), String> {
        let CellsWait { cells, comparison, values, every, wait, .. } = *self;
        wait(cells.elements(), comparison, &values, every);
        Ok(())
    }

    fn on_a_device(self: Box<Self>, stream: &DeviceStream) -> Result<(), String> {
        let CellsWait { spot, comparison, values, every, .. } = *self;
        let value = |i| bits(values[if every { 0 } else { i }]);
        nvshmem::wait(stream, &spot, is_signed::<I::Value>(), comparison, value)
    }
}

fn is_signed<T: AtomicValue>() -> bool {
    T::KIND == NumberKind::Signed
}

fn bits<T: AtomicValue>(value: T) -> u64 {
    value.to_bits()
}

/// The waits of the macros.
impl<I: Waitable, F: FormOf<I::Value> + OnOnePe + Send + 'static> Remote<'_, I, F, OnStream<'_>> {
    /// `wait!(stream; FLAG[0] >= value)`: what the stream is asked to do later begins when the
    /// comparison holds (`nvshmemx_signal_wait_until_on_stream`). The caller does not wait.
    #[doc(hidden)]
    #[track_caller]
    pub fn wait_until_on_stream(self, comparison: Comparison, value: I::Value)
    where
        F: OneCell,
        I::Value: Send,
    {
        let wait = CellsWait {
            spot: self.spot(),
            cells: self.held(),
            comparison,
            values: vec![value],
            every: true,
            wait: |cells, comparison, values, _| {
                cells.wait_until(comparison, values[0]);
            },
        };
        let (_, _, stream) = self.whereabouts();
        stream.issue("wait", StreamWork::Joint(Box::new(wait)));
    }

    /// `wait!(stream; all FLAGS[..] >= value)` (`nvshmemx_uint64_wait_until_all_on_stream`).
    #[doc(hidden)]
    #[track_caller]
    pub fn wait_until_all_on_stream<S: Values<I::Value, F::Shape>>(self, comparison: Comparison, values: S)
    where
        I::Value: Send,
    {
        let values = (values.elements().to_vec(), S::EVERY);
        if !values.1 {
            self.asks_for_length(values.0.len(), "the list of values");
        }
        let (values, every) = values;
        let wait = CellsWait {
            spot: self.spot(),
            cells: self.held(),
            comparison,
            values,
            every,
            wait: |cells, comparison, values, every| {
                cells.wait_until_each(comparison, values, every);
            },
        };
        let (_, _, stream) = self.whereabouts();
        stream.issue("wait", StreamWork::Joint(Box::new(wait)));
    }
}
