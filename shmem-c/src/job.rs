//! The life of the job, and what a PE can ask of it.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use shmem::untyped::{self, JobOptions, Member};

use crate::{active, contexts, debug, entry, globals, memory, place, teams};

/// `SHMEM_THREAD_MULTIPLE`.
const MULTIPLE: c_int = 3;

/// The job that this process is in; null where it is in none.
static MEMBER: AtomicPtr<Member> = AtomicPtr::new(ptr::null_mut());
/// Whether this PE ends the job, and its exit leaves nothing.
static ENDS_ALL: AtomicBool = AtomicBool::new(false);
/// How many initialisations have not been matched by a finalisation.
static DEPTH: Mutex<usize> = Mutex::new(0);

fn depth() -> MutexGuard<'static, usize> {
    DEPTH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The job that this process is in.
///
/// # Panics
///
/// When it is in none.
#[inline]
#[track_caller]
pub(crate) fn member() -> &'static Member {
    match find() {
        Some(member) => member,
        None => is_not_initialised(),
    }
}

#[cold]
#[track_caller]
fn is_not_initialised() -> ! {
    entry::keep_messages();
    panic!("the library is not initialised: shmem_init comes before, and shmem_finalize after")
}

/// The job that this process is in, if any.
#[inline]
pub(crate) fn find() -> Option<&'static Member> {
    // SAFETY: null, or what `init` has leaked, which lives until the last finalisation. No other
    // thread is in the library then.
    unsafe { MEMBER.load(Ordering::Acquire).as_ref() }
}

/// The variables by which programs and scripts know which process of a job they are, as other
/// launchers set them for PE `pe` of `npes`.
pub fn pe_variables(pe: usize, npes: usize) -> Vec<(&'static str, String)> {
    let numbers = ["PMI_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"];
    let sizes = ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"];
    let with = |number: usize| move |name| (name, number.to_string());
    numbers.into_iter().map(with(pe)).chain(sizes.into_iter().map(with(npes))).collect()
}

/// `shmem_init`.
pub(crate) fn init() {
    entry::keep_messages();
    let mut depth = depth();
    if *depth == 0 {
        // As a launcher, this process prints reports.
        place::show_notes();
        let alone = JobOptions { npes: Some(1), ..JobOptions::default() };
        if let Some(status) = untyped::launch_itself(alone, pe_variables) {
            // The PEs are other processes, which have begun from the start. What the program has left
            // in its buffers is theirs to print, and what it does at an exit is theirs to do.
            // SAFETY: it has no precondition.
            unsafe { libc::_exit(status.into()) };
        }
        // Before the job, in which transfers go the short way or not.
        debug::begin();
        let member = match untyped::join(None) {
            Ok(member) => member,
            Err(error) => {
                eprintln!("shmem: shmem_init: {error}; start the program by this library's oshrun");
                std::process::exit(1);
            }
        };
        place::begin();
        globals::make_symmetric(&member);
        // Before a PE reaches the globals of another.
        member.barrier_all();
        MEMBER.store(Box::into_raw(Box::new(member)), Ordering::Release);
        at_exit();
    }
    *depth += 1;
}

/// `shmem_init_thread`.
pub(crate) unsafe fn init_thread(requested: c_int, provided: *mut c_int) -> c_int {
    assert!((0..=MULTIPLE).contains(&requested), "`requested` is {requested}, which is no level of threads");
    init();
    // SAFETY: the caller's promise.
    unsafe { query_thread(provided) };
    0
}

/// `shmem_query_thread`.
pub(crate) unsafe fn query_thread(provided: *mut c_int) {
    // SAFETY: the caller's promise.
    unsafe { provided.write(MULTIPLE) }
}

/// `shmem_query_initialized`.
pub(crate) unsafe fn query_initialized(initialized: *mut c_int) {
    // SAFETY: the caller's promise.
    unsafe { initialized.write(find().is_some().into()) }
}

/// `shmem_finalize`.
pub(crate) fn finalize() {
    let mut depth = depth();
    let member = member();
    *depth -= 1;
    if *depth > 0 {
        return member.barrier_all();
    }
    leave();
}

/// Leaves the job, which there is.
fn leave() {
    contexts::destroy_all();
    active::forget_all();
    teams::destroy_all();
    memory::forget_all();
    let member = MEMBER.swap(ptr::null_mut(), Ordering::AcqRel);
    // SAFETY: `init` has leaked it, and the swap has given it to this thread alone. What was made in
    // the job is dropped by the lines above. The caller promises that no other thread is in the
    // library.
    unsafe { Box::from_raw(member).leave() };
}

/// Leaves the job at an exit with success that comes without `shmem_finalize`. An exit with another
/// status ends the job, which the launcher reports.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn at_exit() {
    use std::sync::Once;

    unsafe extern "C" {
        fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }
    extern "C" fn leave_at_exit(status: c_int, _: *mut c_void) {
        // Another thread may be inside; it then ends the job itself, or waits for ever.
        if let Ok(mut depth) = DEPTH.try_lock()
            && status == 0
            && *depth > 0
            && !ENDS_ALL.load(Ordering::Relaxed)
        {
            *depth = 0;
            entry::enter("the end of the program", leave);
        }
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: glibc has the function, and calls what it is given with a status and the pointer.
        unsafe { on_exit(leave_at_exit, ptr::null_mut()) };
    });
}

/// Elsewhere the launcher reports an exit without `shmem_finalize`.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn at_exit() {}

/// `shmem_global_exit`.
pub(crate) fn global_exit(status: c_int) -> ! {
    let member = member();
    // Other threads go on in the library meanwhile, and no PE waits for the others.
    ENDS_ALL.store(true, Ordering::Relaxed);
    // As an exit of a process has it: the low 8 bits.
    member.world().global_exit(status as u8)
}

/// `shmem_my_pe`.
pub(crate) fn my_pe() -> c_int {
    member().my_pe() as c_int
}

/// `shmem_n_pes`.
pub(crate) fn n_pes() -> c_int {
    member().n_pes() as c_int
}

/// `shmem_pe_accessible`.
pub(crate) fn pe_accessible(pe: c_int) -> c_int {
    usize::try_from(pe).is_ok_and(|pe| pe < member().n_pes()).into()
}

/// `shmem_addr_accessible`.
pub(crate) fn addr_accessible(address: *const u8, pe: c_int) -> c_int {
    (pe_accessible(pe) != 0 && member().offset_of(address).is_some()).into()
}

/// `shmem_info_get_version`.
pub(crate) unsafe fn version(major: *mut c_int, minor: *mut c_int) {
    let (newest_major, newest_minor) = shmem::OPENSHMEM_VERSION;
    // SAFETY: the caller's promise.
    unsafe {
        major.write(newest_major as c_int);
        minor.write(newest_minor as c_int);
    }
}

/// `shmem_info_get_name`.
pub(crate) unsafe fn name(name: *mut c_char) {
    let text = concat!("shmem ", env!("CARGO_PKG_VERSION"), "\0");
    // SAFETY: the caller has room for a name of the longest length, which this is not.
    unsafe { name.cast::<u8>().copy_from(text.as_ptr(), text.len()) };
}

/// `shmem_pcontrol`.
pub(crate) fn pcontrol(level: c_int) {
    member().world().pcontrol(u32::try_from(level).unwrap_or(0));
}

/// What `shmem_ptr` and `shmem_malloc` return, of an address that may be none.
pub(crate) fn or_null(address: Option<*mut u8>) -> *mut c_void {
    address.unwrap_or(ptr::null_mut()).cast()
}

/// The offset of the argument `what`, which is at `address`.
///
/// # Panics
///
/// When it is not in symmetric memory.
#[inline]
#[track_caller]
pub(crate) fn offset(member: &Member, address: *const u8, what: &str) -> usize {
    match member.offset_of(address) {
        Some(offset) => offset,
        None => panic!("{}", globals::explain(address, what)),
    }
}
