//! The C library itself: joining and leaving a job, which threads may call it, and how it is
//! driven.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::mem::transmute_copy;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use once_cell::sync::OnceCell;
use shmem_sys as sys;

use super::short::WAY;
use super::threads::{InLibrary, is_known_as_main};
use crate::system::error::Error;
use crate::system::once;
use crate::system::threads::{self, ThreadLevel, is_only_thread};
use crate::transport::Ctx;

/// The variables that set how much symmetric memory a library has for each PE: those of OpenSHMEM
/// 1.5, of Open MPI, and of older SGI and Cray libraries. Each library reads its own and ignores
/// the others.
const HEAP_VARIABLES: [&str; 4] =
    ["SHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE", "SMA_SYMMETRIC_SIZE", "XT_SYMMETRIC_HEAP_SIZE"];

/// The library, once it is initialised.
pub(super) struct Library {
    level: ThreadLevel,
    /// The thread that initialised it.
    main: ThreadId,
    /// Whether this process has set the variables for the amount of memory. A process with other
    /// threads cannot change its environment.
    signalled: bool,
    /// Held by the calling thread, where only one thread at a time may call.
    inside: Mutex<()>,
    /// A word of this PE's symmetric memory. Testing it drives a library that has no other way.
    word: AtomicPtr<u64>,
    /// Open MPI's own function that drives it.
    opal_progress: Option<unsafe extern "C" fn()>,
    /// Whether it gives the core away where it finds nothing to do.
    gives_way: bool,
}

static LIBRARY: OnceCell<Library> = OnceCell::new();

/// The library, where this process has initialised it.
pub(super) fn get() -> Option<&'static Library> {
    LIBRARY.get()
}

/// Initialises the library with at least `heap` bytes of symmetric memory for each PE. Runs once in
/// a process.
pub(super) fn init(heap: usize) -> Result<&'static Library, Error> {
    once::join(&LIBRARY, || start(heap))
}

fn start(heap: usize) -> Result<Library, Error> {
    // For a program that joins with several threads, its launcher has set the variables, or the
    // library's default has to be enough.
    let signalled = is_only_thread();
    if signalled {
        for (variable, value) in environment(heap) {
            // SAFETY: this is the only thread, so none reads the environment meanwhile.
            unsafe { std::env::set_var(variable, value) };
        }
    }
    // No more than the program declares: a library may be faster with less.
    let declared = threads::declared();
    let asked = match declared {
        ThreadLevel::Single => sys::SHMEM_THREAD_SINGLE,
        ThreadLevel::Funneled => sys::SHMEM_THREAD_FUNNELED,
        ThreadLevel::Serialized => sys::SHMEM_THREAD_SERIALIZED,
        ThreadLevel::Multiple => sys::SHMEM_THREAD_MULTIPLE,
    };
    let mut provided: c_int = 0;
    // SAFETY: no thread initialises it before or meanwhile, as `init` ensures; `provided` receives
    // the answer.
    let refused = unsafe { sys::shmem_init_thread(asked as c_int, &raw mut provided) } != 0;
    if refused {
        return Err(Error::Job {
            reason: format!(
                "the OpenSHMEM library did not start (shmem_init_thread failed); it was asked for {heap} \
                 bytes of symmetric memory for \
             each PE (SHMEM_SYMMETRIC_SIZE)"
            ),
        });
    }
    let level = match provided {
        level if level == sys::SHMEM_THREAD_MULTIPLE as c_int => ThreadLevel::Multiple,
        level if level == sys::SHMEM_THREAD_SERIALIZED as c_int => ThreadLevel::Serialized,
        level if level == sys::SHMEM_THREAD_FUNNELED as c_int => ThreadLevel::Funneled,
        _ => ThreadLevel::Single,
    };
    let level = level.min(declared);
    WAY.default_context.store(address(sys::ctx_default()), Ordering::Relaxed);
    let opal_progress = opal_progress();
    let main = thread::current().id();
    let (inside, word) = (Mutex::new(()), AtomicPtr::new(ptr::null_mut()));
    let gives_way = opal_progress.is_some() && opal_gives_way();
    if let Some(progress) = opal_progress.filter(|_| gives_way) {
        WAY.turn.store(progress as *mut c_void, Ordering::Relaxed);
    }
    Ok(Library { level, main, signalled, inside, word, opal_progress, gives_way })
}

/// Open MPI's function that drives it, by which its library is known.
pub(super) fn opal_progress() -> Option<unsafe extern "C" fn()> {
    let progress = symbol(c"opal_progress")?;
    // SAFETY: Open MPI's function of that name takes nothing and returns nothing, and no other library has
    // one.
    Some(unsafe { std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn()>(progress) })
}

/// What the process has under a name.
fn symbol(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name is a C string.
    NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
}

/// Whether Open MPI's function gives the core away where it finds nothing to do: `mpi_yield_when_idle`
/// decides. Versions before that of the tests are not asked: some find something at each look, and so
/// never give it away.
fn opal_gives_way() -> bool {
    let (Some(version), Some(set)) =
        (symbol(c"opal_version_string"), symbol(c"opal_progress_set_yield_when_idle"))
    else {
        return false;
    };
    // SAFETY: Open MPI's text of that name is a C string. Its function of that name sets this, and returns
    // what was set before.
    unsafe {
        if !is_since(CStr::from_ptr(version.as_ptr().cast()).to_bytes(), [4, 1, 4]) {
            return false;
        }
        let set = std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn(bool) -> bool>(set);
        let gives_way = set(true);
        set(gives_way);
        gives_way
    }
}

/// Whether a version, such as `4.1.4rc1`, is `least` or later.
fn is_since(version: &[u8], least: [u32; 3]) -> bool {
    let number = |part: &[u8]| {
        part.iter()
            .take_while(|digit| digit.is_ascii_digit())
            .fold(0, |n, digit| 10 * n + u32::from(digit - b'0'))
    };
    version.splitn(3, |&byte| byte == b'.').map(number).ge(least)
}

/// The environment that a PE needs before it joins, so that the library has at least `heap` bytes
/// of symmetric memory, and uses TCP well. Its globals stay as they are: that variable is of the C library of this
/// project, which makes those of C programs symmetric.
pub(super) fn environment(heap: usize) -> impl Iterator<Item = (&'static str, String)> {
    let heap = HEAP_VARIABLES.into_iter().map(move |variable| (variable, heap.to_string()));
    let settings = settings_of_ucx(|name| std::env::var_os(name).is_some());
    heap.chain([("SHMEM_GLOBALS", String::from("0"))])
        .chain(settings.map(|(variable, value)| (variable, String::from(value))))
}

/// What makes puts and gets over TCP three times as fast: UCX cuts them into pieces of 8 KiB by default, each of
/// which is a call of the system. Nothing where the user has set that, or how much room receivers have, which is
/// 64 KiB by default. Nor where the user has chosen transports or devices: UCX warns of a variable that none of
/// them reads.
fn settings_of_ucx(is_set: impl Fn(&str) -> bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    const PIECE: &str = "UCX_TCP_TX_SEG_SIZE";
    const OTHERS: [&str; 3] = ["UCX_TCP_RX_SEG_SIZE", "UCX_TLS", "UCX_NET_DEVICES"];
    let sets = !OTHERS.into_iter().chain([PIECE]).any(is_set);
    sets.then_some((PIECE, "64k")).into_iter()
}

/// The library's own handle of a context.
#[inline(always)]
pub(super) fn context(ctx: Ctx) -> sys::shmem_ctx_t {
    const { assert!(size_of::<sys::shmem_ctx_t>() <= size_of::<usize>()) };
    let address = ctx.0 ^ WAY.default_context.load(Ordering::Relaxed);
    // SAFETY: every `Ctx` comes from `Library::ctx`, which made it from such a handle.
    unsafe { transmute_copy(&address) }
}

/// Marks that a thread is in the library, until it is dropped.
pub(super) struct LibraryCall<'a> {
    _turn: Option<MutexGuard<'a, ()>>,
    _inside: InLibrary,
}

impl Library {
    /// To be held during a call that is no transfer. `None` when the job is over; then the call is
    /// not needed any more.
    pub(super) fn call(&self) -> Option<LibraryCall<'_>> {
        let inside = InLibrary::call()?;
        Some(LibraryCall { _turn: self.turn(), _inside: inside })
    }

    /// As [`call`](Library::call), for a call that cannot be left out.
    pub(super) fn needed_call(&self) -> LibraryCall<'_> {
        let inside = InLibrary::needed_call();
        LibraryCall { _turn: self.turn(), _inside: inside }
    }

    /// To be held while the library is called: it lets one thread in at a time where the library
    /// does not allow several.
    ///
    /// # Panics
    ///
    /// When only the thread that joined the job may call, and another one does.
    #[inline(always)]
    pub(super) fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        if self.level == ThreadLevel::Multiple { None } else { self.take_turn() }
    }

    #[cold]
    fn take_turn(&self) -> Option<MutexGuard<'_, ()>> {
        if self.level == ThreadLevel::Serialized {
            // The lock guards no data, so a panic that poisons it does no harm.
            return Some(self.inside.lock().unwrap_or_else(PoisonError::into_inner));
        }
        if is_known_as_main() {
            return None;
        }
        if threads::one_calls() {
            // What transfers knows no place: to carry it here would cost those that are allowed.
            threads::assert_may_call(&"a call of the OpenSHMEM library (RUST_BACKTRACE=1 shows where)");
        }
        assert!(
            thread::current().id() == self.main,
            "this OpenSHMEM library, {}, allows calls from one thread only, the one that joined the job, \
             and another thread called it; check `World::thread_level`, or use a library that is built for \
             threads",
            self.name()
        );
        None
    }

    /// Explains why the library may have less memory than was requested.
    pub(super) fn was_not_told(&self) -> String {
        if self.signalled {
            return String::new();
        }
        let variables = HEAP_VARIABLES.join(", ");
        format!(
            ", and could not be signalled to have it, as the process had other threads before it joined the job: start them in the function \
             that is marked #[shmem::main], or set the library's own variable before (one of {variables})"
        )
    }

    /// Whether this is Open MPI's library.
    pub(super) fn is_open_mpi(&self) -> bool {
        self.opal_progress.is_some()
    }

    /// How many threads may call.
    pub(super) fn level(&self) -> ThreadLevel {
        self.level
    }

    /// The context that has this handle. The default context is 0, as in `Ctx::DEFAULT`.
    pub(super) fn ctx(&self, handle: sys::shmem_ctx_t) -> Ctx {
        Ctx(address(handle) ^ WAY.default_context.load(Ordering::Relaxed))
    }

    /// Sets the word of this PE's symmetric memory to test. The word holds 0 from the trials of the atomics on.
    pub(super) fn use_word(&self, word: *mut u64) {
        self.word.store(word, Ordering::Relaxed);
    }

    /// Lets the library carry out other PEs' operations on this PE. Only some libraries need it,
    /// and they need it for transfers between hosts. A library that [gives way](Library::give_way) by
    /// itself has done so where it finds nothing.
    pub(super) fn progress(&self) {
        if !self.drive() && self.gives_way {
            thread::yield_now();
        }
    }

    /// Returns whether the library was called.
    fn drive(&self) -> bool {
        let Some(_call) = InLibrary::call() else { return false };
        let _turn = match self.level {
            ThreadLevel::Multiple => None,
            // Another thread is inside and drives the library.
            ThreadLevel::Serialized => match self.inside.try_lock() {
                Ok(turn) => Some(turn),
                Err(_) => return false,
            },
            _ if is_known_as_main() || thread::current().id() == self.main => None,
            _ => return false,
        };
        match self.opal_progress {
            // SAFETY: the library is initialised, and this thread may call it.
            Some(progress) => unsafe { progress() },
            None => {
                let word = self.word.load(Ordering::Relaxed);
                if !word.is_null() {
                    // SAFETY: as above; the word is symmetric memory of this PE.
                    unsafe { sys::shmem_uint64_test(word, sys::SHMEM_CMP_NE as c_int, 0) };
                }
            }
        }
        true
    }

    /// Gives the core away, unless the [`progress`](Library::progress) before has done so: twice would let
    /// others run twice as long.
    pub(super) fn give_way(&self) {
        if !self.gives_way {
            thread::yield_now();
        }
    }

    /// The library's own name.
    pub(super) fn name(&self) -> String {
        let mut name = [0 as c_char; sys::SHMEM_MAX_NAME_LEN];
        // SAFETY: the library is initialised, and a name with its terminator is no longer than
        // that.
        unsafe {
            sys::shmem_info_get_name(name.as_mut_ptr());
            name[name.len() - 1] = 0;
            CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned()
        }
    }

    /// The version of OpenSHMEM that the library reports.
    pub(super) fn version(&self) -> (i32, i32) {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the library is initialised, and both variables receive an answer.
        unsafe { sys::shmem_info_get_version(&raw mut major, &raw mut minor) };
        (major, minor)
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.version();
        write!(f, "{} (OpenSHMEM {major}.{minor})", self.name())
    }
}

/// A context's handle as a number.
fn address(handle: sys::shmem_ctx_t) -> usize {
    let mut bytes = [0; size_of::<usize>()];
    // SAFETY: the handle is plain data, no longer than the bytes.
    unsafe {
        (&raw const handle).cast::<u8>().copy_to(bytes.as_mut_ptr(), size_of::<sys::shmem_ctx_t>());
    }
    usize::from_ne_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::{is_since, settings_of_ucx};

    #[test]
    fn what_the_user_has_set_of_ucx_stays() {
        let set = |names: &[&str]| settings_of_ucx(|name| names.contains(&name)).collect::<Vec<_>>();
        assert_eq!(set(&["UCX_LOG_LEVEL"]), [("UCX_TCP_TX_SEG_SIZE", "64k")]);
        for variable in ["UCX_TCP_TX_SEG_SIZE", "UCX_TCP_RX_SEG_SIZE", "UCX_TLS", "UCX_NET_DEVICES"] {
            assert_eq!(set(&[variable]), []);
        }
    }

    #[test]
    fn versions() {
        for (version, since) in [
            ("4.1.4", true),
            ("4.1.10rc2", true),
            ("4.2.0", true),
            ("5.0.0a1", true),
            ("10.0", true),
            ("4.1.3", false),
            ("4.1", false),
            ("4.0.7", false),
            ("", false),
        ] {
            assert_eq!(is_since(version.as_bytes(), [4, 1, 4]), since, "{version}");
        }
    }
}
