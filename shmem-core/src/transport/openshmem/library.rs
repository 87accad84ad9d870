//! The C library itself: joining and leaving a job, which threads may call, and what drives it.

use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::mem::transmute_copy;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use once_cell::sync::OnceCell;
use shmem_sys as sys;

use super::known::SETTINGS;
use super::short::WAY;
use super::threads::Inside;
use crate::system::error::Error;
use crate::system::once;
use crate::system::threads::ThreadLevel;
use crate::system::threads::is_only_thread;
use crate::transport::Ctx;

/// The variables that say how much symmetric memory a library has for each PE: of OpenSHMEM 1.5, of
/// Open MPI, and of older SGI and Cray libraries. Each reads its own and leaves the others alone.
const HEAP_VARIABLES: [&str; 4] =
    ["SHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE", "SMA_SYMMETRIC_SIZE", "XT_SYMMETRIC_HEAP_SIZE"];

/// The library, once it is initialised.
pub(super) struct Library {
    level: ThreadLevel,
    /// The thread that initialised it.
    main: ThreadId,
    /// Whether it was signalled how much memory it is to have; a process with other threads cannot
    /// change its environment.
    signalled: bool,
    /// Whose turn it is, where only one thread at a time may be inside.
    inside: Mutex<()>,
    /// A word of this PE's symmetric memory, to be tested where nothing else drives the library.
    word: AtomicPtr<u64>,
    /// Open MPI's own way to be driven.
    opal_progress: Option<unsafe extern "C" fn()>,
}

static LIBRARY: OnceCell<Library> = OnceCell::new();

/// The library, where this process has initialised it.
pub(super) fn get() -> Option<&'static Library> {
    LIBRARY.get()
}

/// Initialises the library with at least `heap` bytes of symmetric memory for each PE. Once in a
/// process.
pub(super) fn init(heap: usize) -> Result<&'static Library, Error> {
    once::join(&LIBRARY, || start(heap))
}

fn start(heap: usize) -> Result<Library, Error> {
    // A program that joins with several threads was started with what is needed, or goes with what
    // the library has by itself.
    let signalled = is_only_thread();
    if signalled {
        for (variable, value) in environment(heap) {
            // SAFETY: this is the only thread, so none reads the environment meanwhile.
            unsafe { std::env::set_var(variable, value) };
        }
    }
    let mut provided: c_int = 0;
    // SAFETY: no thread initialises it before or meanwhile, as `init` sees to; `provided` takes the
    // answer.
    let refused =
        unsafe { sys::shmem_init_thread(sys::SHMEM_THREAD_MULTIPLE as c_int, &raw mut provided) } != 0;
    if refused {
        return Err(Error::Job {
            reason: format!(
                "the OpenSHMEM library refused to start (shmem_init_thread failed); it was to have {heap} bytes of symmetric memory for \
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
    WAY.default_context.store(address(sys::ctx_default()), Ordering::Relaxed);
    // SAFETY: the name is a C string. Open MPI's function of that name takes nothing and returns
    // nothing, and no other library has one.
    let opal_progress = unsafe {
        let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"opal_progress".as_ptr());
        (!symbol.is_null()).then(|| std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn()>(symbol))
    };
    let main = thread::current().id();
    let (inside, word) = (Mutex::new(()), AtomicPtr::new(ptr::null_mut()));
    Ok(Library { level, main, signalled, inside, word, opal_progress })
}

/// What has to be in the environment of a PE before it joins, so that the library has at least
/// `heap` bytes of symmetric memory.
pub(super) fn environment(heap: usize) -> impl Iterator<Item = (&'static str, String)> {
    let settings = SETTINGS.into_iter().filter(|(variable, _)| std::env::var_os(variable).is_none());
    HEAP_VARIABLES
        .into_iter()
        .map(move |variable| (variable, heap.to_string()))
        .chain(settings.map(|(variable, value)| (variable, value.to_owned())))
}

/// The library's own handle of a context.
#[inline(always)]
pub(super) fn context(ctx: Ctx) -> sys::shmem_ctx_t {
    const { assert!(size_of::<sys::shmem_ctx_t>() <= size_of::<usize>()) };
    let address = ctx.0 ^ WAY.default_context.load(Ordering::Relaxed);
    // SAFETY: `Ctx` comes from `ctx`, which took it from such a handle.
    unsafe { transmute_copy(&address) }
}

/// A thread is in the library as long as this lives.
pub(super) struct Call<'a> {
    _turn: Option<MutexGuard<'a, ()>>,
    _inside: Inside,
}

impl Library {
    /// To be held during a call that is no transfer; `None` when the job is over, and nothing is
    /// left to be done for anybody.
    pub(super) fn call(&self) -> Option<Call<'_>> {
        let inside = Inside::call()?;
        Some(Call { _turn: self.turn(), _inside: inside })
    }

    /// As [`call`](Library::call), for what cannot be left undone.
    pub(super) fn needed_call(&self) -> Call<'_> {
        let inside = Inside::needed_call();
        Call { _turn: self.turn(), _inside: inside }
    }

    /// To be held while the library is called: where it is not made for several threads at once,
    /// they take turns.
    ///
    /// # Panics
    ///
    /// When only the thread that joined the job may call, and this is another.
    #[inline(always)]
    pub(super) fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        if self.level == ThreadLevel::Multiple { None } else { Some(self.take_turn()) }
    }

    #[cold]
    fn take_turn(&self) -> MutexGuard<'_, ()> {
        assert!(
            self.level == ThreadLevel::Serialized || thread::current().id() == self.main,
            "this OpenSHMEM library, {}, is made for one thread, the one that joined the job, and another one called it; ask \
             `World::thread_level`, or use a library that is built for threads",
            self.name()
        );
        // What a panic leaves locked is nothing but the turn.
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why it may have less memory than it was to have.
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

    /// Whether it is Open MPI's.
    pub(super) fn is_open_mpi(&self) -> bool {
        self.opal_progress.is_some()
    }

    /// How many threads may call.
    pub(super) fn level(&self) -> ThreadLevel {
        self.level
    }

    /// The context that has this handle. The default context is 0, as `Ctx::DEFAULT` says.
    pub(super) fn ctx(&self, handle: sys::shmem_ctx_t) -> Ctx {
        Ctx(address(handle) ^ WAY.default_context.load(Ordering::Relaxed))
    }

    /// Names a word of this PE's symmetric memory that nobody writes to.
    pub(super) fn use_word(&self, word: *mut u64) {
        self.word.store(word, Ordering::Relaxed);
    }

    /// Lets the library do what others ask of this PE. Not all libraries need it; those that do,
    /// need it for transfers between hosts.
    pub(super) fn progress(&self) {
        let Some(_call) = Inside::call() else { return };
        let _inside = if self.level == ThreadLevel::Multiple {
            None
        } else {
            // Somebody else is inside, and drives it; or this thread may not.
            let Ok(turn) = self.inside.try_lock() else { return };
            if self.level != ThreadLevel::Serialized && thread::current().id() != self.main {
                return;
            }
            Some(turn)
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
    }

    /// What the library calls itself.
    pub(super) fn name(&self) -> String {
        let mut name = [0 as c_char; sys::SHMEM_MAX_NAME_LEN];
        // SAFETY: the library is initialised, and a name is no longer than that, with its end.
        unsafe {
            sys::shmem_info_get_name(name.as_mut_ptr());
            name[name.len() - 1] = 0;
            CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned()
        }
    }

    /// The version of OpenSHMEM that the library says it has.
    pub(super) fn version(&self) -> (i32, i32) {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the library is initialised, and both take an answer.
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
