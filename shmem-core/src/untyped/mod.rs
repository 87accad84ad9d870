//! The runtime without element types, for other faces than the Rust language: what a C library or a
//! device's runtime stands on. Not part of the API, and only here with the feature `untyped`.
//!
//! It knows PEs, offsets and bytes. It checks what a face cannot check, and trusts the rest to the
//! contracts of its functions.

mod active;
mod collective;
mod lock;
mod near;
mod place;

use std::fmt::Display;
use std::ops::Range;
use std::panic::Location;
use std::process::{Command, ExitCode};
use std::ptr::NonNull;

pub use self::near::{get_near, near, put_near, refuse_near};
pub use self::place::{copy_bytes, copy_bytes_to_pe};
use crate::World;
use crate::launch::{self, Program, pe};
pub use crate::launch::{JobOptions, PeVariables};
pub use crate::runtime::block::Hint;
use crate::runtime::block::{self, Block, Request, Wishes};
use crate::runtime::context::RawContext;
use crate::runtime::heap::SavedAs;
use crate::runtime::region::{MAX_RANK, Region};
use crate::runtime::target::{Mode, RawTarget};
use crate::runtime::{self, Runtime, direct, races};
pub use crate::select::{Many, One};
pub use crate::symmetric::ObjectInfo;
use crate::system::error::Error;
use crate::system::place as place_of_program;
pub use crate::system::place::NotedElements;
use crate::system::process;
pub use crate::transport::{Amo, Combine, NumberKind, Width};
use crate::transport::{Ctx, Run};

/// This process as a PE of a job. [`join`] makes it, [`leave`](Member::leave) ends it; a process
/// that ends without the second has failed, and ends the job.
pub struct Member {
    joined: pe::Joined,
    /// The addresses of this PE's heap.
    heap: Range<usize>,
}

/// Makes this process a PE of the job that a launcher has started it for (`shmem_init`). After
/// [`Member::leave`] it joins another job of the same PEs, in the same memory: the heap is empty,
/// and statics keep their values. Collective.
///
/// `heap` is the size of the heap, as `SHMEM_SYMMETRIC_SIZE` has it, where neither that variable
/// nor the supervisor decides it.
///
/// # Errors
///
/// When no launcher has started this process, when it is in a job already, and when it cannot join.
/// A process that a launcher has started must end then. The job is reported as failed, with the
/// reason.
pub fn join(heap: Option<&'static str>) -> Result<Member, Error> {
    races::has_untyped_cells();
    let joined = launch::join(heap)?;
    let runtime = joined.runtime();
    let start = runtime.own_heap().addr();
    let heap = start..start + runtime.endpoint().facts.heap_size;
    near::open_heap(&heap);
    Ok(Member { heap, joined })
}

/// So many PEs and their numbers, for a message: `4 PEs (0 to 3)`.
#[must_use]
pub fn pes_of(n_pes: usize) -> String {
    direct::pes_of(n_pes)
}

/// Ends this process and its job, and has `reason` reported after the number of the PE: for a call
/// whose arguments are wrong. The process exits with status 1.
pub fn stop(reason: &str) -> ! {
    process::stop(reason)
}

/// Starts what `command` says on each PE of a new job, and watches it to its end (`oshrun`). Returns
/// the exit status for the launcher to end with; a failure has been reported on standard error.
///
/// Of `command` the program, the arguments and the environment count, and `variables` are set besides.
/// Its processes become PEs by
/// [`join`], or by `#[shmem::main]`. The environment decides before `options`, as for a program
/// that starts itself; but with `labels` the number of its PE is before each line, whatever
/// `SHMEM_OUTPUT` says.
pub fn launch(command: &Command, options: JobOptions, variables: PeVariables, labels: bool) -> ExitCode {
    launch::launch(Program::of(command).with_variables(variables), options, labels)
}

/// From now on messages have the places and the variables of the program behind this face, as notes: short
/// texts that mean the same in all processes of the job, and need not be for readers.
///
/// `place` notes where the calling thread has entered this face. It is called for every collective call
/// of a checked run, for waits that last, and for every operation in a run that looks for races. Equal
/// notes have one address. `object` notes the variable at an offset of the heap, with the number of bytes
/// from the beginning of what it notes.
pub fn note_by(place: fn() -> Option<&'static str>, object: fn(usize) -> Option<(String, usize)>) {
    place_of_program::note_by(place, object);
}

/// From now on this process shows notes of [`note_by`] by `show`: the words for a place, or for elements
/// of a variable. For PEs and for the process that starts them.
pub fn show_notes_by(show: fn(&str, Option<NotedElements>) -> String) {
    place_of_program::show_notes_by(show);
}

/// As `launch`, of this program itself with its arguments: for a process that no launcher has started.
/// Returns the exit status; `None` where a launcher has started it: then [`join`] says what is wrong, if anything is.
pub fn launch_itself(options: JobOptions, variables: PeVariables) -> Option<u8> {
    launch::launch_itself(options, variables)
}

impl Member {
    /// Leaves the job (`shmem_finalize`): completes all operations, waits for all PEs, and refuses
    /// every access from here on. Memory stays mapped until the process ends. Collective.
    ///
    /// # Safety
    ///
    /// Nothing that was made in the job (teams, contexts, allocations) is used or dropped
    /// afterwards, and no other thread uses symmetric memory.
    pub unsafe fn leave(self) {
        near::close();
        self.joined.leave();
    }

    /// The number of this PE (`shmem_my_pe`).
    #[inline]
    #[must_use]
    pub fn my_pe(&self) -> usize {
        direct::my_pe()
    }

    /// How many PEs the job has (`shmem_n_pes`).
    #[must_use]
    pub fn n_pes(&self) -> usize {
        direct::n_pes()
    }

    /// Completes this PE's puts and updates, and waits for all PEs (`shmem_barrier_all`).
    /// Collective.
    #[track_caller]
    pub fn barrier_all(&self) {
        self.world().barrier_all();
    }

    /// The language's view of the job, for a program that has both faces.
    #[must_use]
    pub fn world(&self) -> World {
        World::new(self.runtime())
    }

    /// The team of all PEs (`SHMEM_TEAM_WORLD`), which [`world`](Member::world) has too.
    #[inline]
    #[must_use]
    pub fn team(&self) -> &crate::Team {
        self.runtime().team()
    }

    /// The runtime of this PE, for the parts of this module.
    #[inline]
    fn runtime(&self) -> &'static Runtime {
        self.joined.runtime()
    }
}

/// Memory of the heap, at the same offset on every PE: what [`Member::claim`] makes. Dropping it is
/// local and never waits; the bytes are free when every PE has dropped its own.
pub struct HeapMemory {
    block: Block,
    bytes: usize,
    /// The offset from which on the memory was never used, and reads as zeros.
    fresh: usize,
}

impl Member {
    /// Claims `bytes` of the heap on every PE, at a multiple of `align`, and leaves them as they are
    /// (`shmem_malloc`, `shmem_align`, `shmem_malloc_with_hints`). Collective: all PEs ask for the
    /// same.
    ///
    /// # Errors
    ///
    /// When the PEs do not agree, when such an alignment is not possible, and when the heap or the
    /// machine does not have the memory.
    #[track_caller]
    pub fn claim(&self, bytes: usize, align: usize, hints: &[Hint]) -> Result<HeapMemory, Error> {
        let hints = hints.iter().fold(0, |bits, hint| bits | hint.bit());
        let wishes = Wishes { align: Some(align), hints };
        let (block, fresh) = Block::claim(self.runtime(), request(bytes), bytes, wishes)?;
        Ok(HeapMemory { block, bytes, fresh })
    }

    /// As [`claim`](Member::claim), and the bytes are zeros on every PE (`shmem_calloc`). Memory
    /// that was never used is not written, and takes no page. Collective.
    ///
    /// # Errors
    ///
    /// As `claim`.
    #[track_caller]
    pub fn claim_zeros(&self, bytes: usize, align: usize) -> Result<HeapMemory, Error> {
        let memory = self.claim(bytes, align, &[])?;
        let used = memory.fresh.clamp(memory.offset(), memory.offset() + bytes) - memory.offset();
        // SAFETY: the memory is this block's, and no PE uses it before the barrier.
        unsafe { self.heap().add(memory.offset()).write_bytes(0, used) };
        self.runtime().barrier_on_heap();
        Ok(memory)
    }

    /// Frees what every PE has dropped. Collective.
    ///
    /// # Errors
    ///
    /// When the PEs are in different collective memory calls.
    #[track_caller]
    pub fn reclaim(&self) -> Result<(), Error> {
        block::reclaim(self.runtime())
    }

    /// Has a run that looks for races name the `bytes` at `offset` by the variables of a note, as of
    /// [`note_by`].
    pub fn describe(&self, offset: usize, bytes: usize, note: &str) {
        races::describe_variables(offset, bytes, note);
    }

    /// The start of this PE's heap, where offset 0 is.
    #[must_use]
    pub fn heap(&self) -> *mut u8 {
        self.runtime().own_heap()
    }

    /// Makes a context, which its owner keeps as long as it wants (`shmem_ctx_create`).
    ///
    /// # Errors
    ///
    /// When there can be no more.
    pub fn context(&self) -> Result<OwnedContext, Error> {
        RawContext::create().map(OwnedContext)
    }

    /// The elements of `elem` bytes that lie, from `offset` on, where `axes` say: the count and the
    /// stride in bytes of each, the outermost first. `what` names them in messages.
    ///
    /// # Panics
    ///
    /// When there is no PE `pe`, when there are more than four axes, and when an element lies
    /// outside of the part of the heap that objects have.
    #[must_use]
    #[track_caller]
    pub fn area<'c>(
        &self,
        context: Option<&'c OwnedContext>,
        pe: usize,
        offset: usize,
        axes: &[(usize, usize)],
        elem: usize,
        what: &dyn Display,
    ) -> Area<'c> {
        assert!(axes.len() <= MAX_RANK, "{what} has {} axes, and {MAX_RANK} is the most", axes.len());
        let mut region = Region { rank: axes.len(), ..Region::one(offset) };
        for (run, &(count, stride)) in region.runs.iter_mut().zip(axes) {
            *run = Run { count, stride };
        }
        self.check(pe, &region, elem, what);
        Area { context, pe, region, elem }
    }
}

/// What is asked of the heap for `bytes`.
#[track_caller]
fn request(bytes: usize) -> Request {
    let kind = format!("block of {bytes} bytes");
    let elements = (String::from("u8"), 1, vec![bytes]);
    let (noun, caller) = ("symmetric array", Location::caller());
    Request {
        noun,
        kind,
        bytes: Ok(bytes),
        align: 1,
        is_untouched: true,
        elements,
        saved: SavedAs::Copies,
        caller,
    }
}

impl HeapMemory {
    /// Where it begins, in the heap of each PE.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.block.offset()
    }

    /// How many bytes it has.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Gives it another size, in another place where it must be, and keeps the bytes at the start
    /// (`shmem_realloc`). Collective.
    ///
    /// # Errors
    ///
    /// As [`Member::claim`]. Then it is as it was.
    #[track_caller]
    pub fn resize(&mut self, bytes: usize) -> Result<(), Error> {
        let runtime = runtime::get();
        let (from, fresh) = self.block.resize(runtime, request(bytes), bytes)?;
        let kept = self.bytes.min(bytes);
        // SAFETY: both places are this block's, of which this PE has the one handle, mutably
        // borrowed; so has every other PE, and all are between the meeting in `Block::resize` and
        // the one below.
        unsafe { runtime.shift(from, self.block.offset(), kept) };
        // What was moved here is used, and the caller may have used what was here.
        (self.bytes, self.fresh) = (bytes, fresh.max(self.block.offset() + bytes));
        runtime.barrier_all();
        Ok(())
    }

    /// Makes memory of the process symmetric where it is, as C has it for the globals of a program:
    /// takes the place of as many bytes at `address`, and keeps their content. This PE then reaches
    /// them at both addresses, and other PEs from the returned offset on. Pages of zeros take no
    /// memory until they are written. Not collective: a barrier comes before another PE's access.
    ///
    /// The memory is never freed, and the mapping stays until the process ends. In a later job the
    /// same bytes are claimed again before anything else is, so that they lie where they were, and
    /// mapped again. Local phases do not close this way to the heap.
    ///
    /// # Safety
    ///
    /// The bytes at `address` can be written and are the caller's to replace: nobody accesses them
    /// meanwhile, and no reference to them is kept. Nobody has used this memory.
    ///
    /// # Errors
    ///
    /// When the transport or the system cannot do it: it takes `SHMEM_TRANSPORT=smp`.
    ///
    /// # Panics
    ///
    /// When the address, the offset or the number of bytes is not a multiple of the page size.
    #[track_caller]
    pub unsafe fn map_over(self, address: NonNull<u8>) -> Result<usize, Error> {
        let (offset, page) = (self.offset(), rustix::param::page_size());
        assert!(
            [address.addr().get(), offset, self.bytes].iter().all(|number| number.is_multiple_of(page)),
            "{} bytes at the offset {offset} cannot be mapped over the address {address:p}: all three are multiples of the \
             page size, {page}",
            self.bytes
        );
        // SAFETY: the place in the heap is this block; the rest is the caller's promise.
        unsafe { runtime::get().map_over(address, offset, self.bytes, self.fresh)? };
        place::is_mapped(address.addr().get(), self.bytes, offset);
        std::mem::forget(self);
        Ok(offset)
    }

    /// Frees it at once (`shmem_free`). Collective.
    ///
    /// # Errors
    ///
    /// When the PEs are in different collective memory calls, or free different memory.
    #[track_caller]
    pub fn release(self) -> Result<(), Error> {
        self.block.release(runtime::get())
    }
}

/// A context that borrows nothing: what [`Member::context`] makes. Dropping it completes its
/// operations (`shmem_ctx_destroy`).
pub struct OwnedContext(RawContext);

impl OwnedContext {
    /// Orders the puts and updates of the context to each PE (`shmem_ctx_fence`).
    pub fn fence(&self) {
        self.0.fence();
    }

    /// Completes the operations of the context (`shmem_ctx_quiet`).
    pub fn quiet(&self) {
        self.0.quiet();
    }

    /// Completes the operations of the context on some PEs, by their numbers in the job
    /// (`shmem_ctx_pe_quiet`).
    pub fn pe_quiet(&self, pes: &[usize]) {
        self.0.pe_quiet(pes);
    }

    /// The transport's name for it, or for the default context.
    fn ctx(context: Option<&OwnedContext>) -> Ctx {
        context.map_or(Ctx::DEFAULT, |context| context.0.ctx())
    }
}

/// Elements in the heap of a PE that there is, inside of symmetric memory: what [`Member::area`]
/// makes.
pub struct Area<'c> {
    context: Option<&'c OwnedContext>,
    pe: usize,
    region: Region,
    elem: usize,
}

impl Area<'_> {
    /// Writes the elements at `from`, which are `step` bytes apart there, in row-major order; 0
    /// repeats the one element at `from` (`shmem_put`, `shmem_iput`, `shmem_ibput`).
    ///
    /// # Safety
    ///
    /// The places are in claimed memory, or in statics whose values they may be. `from` holds all
    /// elements. Where the call is `non_blocking`, nobody changes them until a `quiet` of the
    /// context has returned.
    #[track_caller]
    pub unsafe fn put(&self, from: *const u8, step: usize, non_blocking: bool) {
        // SAFETY: the caller's promises.
        unsafe { self.target().put(mode(non_blocking), from, step) }
    }

    /// Reads the elements to `to`, `step` bytes apart there, at least the size of one, in row-major
    /// order (`shmem_get`, `shmem_iget`, `shmem_ibget`).
    ///
    /// # Safety
    ///
    /// The elements are in claimed memory or in statics. `to` has room for all of them. Where the
    /// call is `non_blocking`, nobody accesses it until a `quiet` of the context has returned.
    ///
    /// # Panics
    ///
    /// When `step` is less than the size of an element.
    #[track_caller]
    pub unsafe fn get(&self, to: *mut u8, step: usize, non_blocking: bool) {
        assert!(step >= self.elem, "elements of {} bytes were read to places {step} bytes apart", self.elem);
        // SAFETY: the caller's promises.
        unsafe { self.target().get(mode(non_blocking), to, step) }
    }

    /// The way to the elements.
    ///
    /// # Safety
    ///
    /// They are in claimed memory, or in statics whose values they may be.
    #[track_caller]
    unsafe fn target(&self) -> RawTarget<'_> {
        let Area { context, pe, ref region, elem } = *self;
        let heap = direct::heap(pe, &"memory of the heap");
        let ctx = OwnedContext::ctx(context);
        // SAFETY: `Member::area` has checked the PE, and that the elements lie in the heap; `heap`
        // is that of the PE; the area borrows its context; the rest is the caller's promise.
        unsafe { RawTarget::new(heap, ctx, pe, region, elem, false) }
    }
}

/// When the private side of a transfer may be used again.
fn mode(non_blocking: bool) -> Mode {
    if non_blocking { Mode::NonBlocking } else { Mode::Blocking }
}
