//! Known faults of OpenSHMEM libraries, and how this crate works around them.
//!
//! The chapter on clusters shows the first four columns, and a test compares the two tables.
//!
//! | library | what is wrong | how it is found | what is done instead | tested by |
//! |---|---|---|---|---|
//! | Open MPI up to 4.1 | An atomic *and*, *or* or *xor* that returns the old value loses its operand. | Each PE tries it at the start of the job. | A compare-and-swap of 64 bits updates the cell. | `selections/atomics.rs` `operations` |
//! | Open MPI up to 4.1 | A compare-and-swap of 32 bits writes 64 bits to its caller's stack. | Where the first fault is found: a trial could crash the PE. | A compare-and-swap of the 64 bits around the cell. | `selections/atomics.rs` `operations` |
//! | Open MPI 4.1 | On several hosts, `quiet` may wait for ever when contexts are made and destroyed. | It is expected of every Open MPI. | One context serves as all, which orders and completes more than it must. | `contexts.rs` `threads_with_contexts` |
//! | Open MPI 4.1 | It mixes up collective calls that threads of a PE make in different teams. | It is expected of every library. | The library's collectives serve the team of all PEs alone. | `teams.rs` `two_threads` |
//! | Open MPI 4 | Its memory hooks outlive the code that they call, and each program crashes at its end. | It is expected of every library. | No library that a PE has loaded is unloaded when the PE leaves. | `cluster/cases.rs` `what_main_may_return` |
//! | Open MPI 4.1 | It fills the shared memory of the host before it refuses a heap. | It is expected of every library. | A heap that is larger than the host's free memory is an error before the library starts. | `cluster/cases.rs` `a_heap_that_cannot_be_had` |
//! | Open MPI 4.1 | A launcher that is killed leaves its folder, and the shared memory of the PEs of its host. | It is expected of every Open MPI. | The program that has started the launcher removes them. | `../src/launch/leftovers.rs` `what_another_job_uses_stays` |

use std::ffi::{CStr, CString, c_int, c_void};

use crate::transport::{Amo, Width};

/// The faults that change which routines are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Faults {
    /// The first two rows.
    pub(super) atomics: bool,
    /// The third row.
    pub(super) contexts: bool,
}

impl Faults {
    /// The faults of a library without any.
    pub(super) const NONE: Faults = Faults { atomics: false, contexts: false };
    /// All faults, for a library about which nothing is known.
    pub(super) const ALL: Faults = Faults { atomics: true, contexts: true };

    /// Whether the routine of this atomic operation is wrong.
    #[inline(always)]
    pub(super) const fn concern(self, op: Amo, width: Width) -> bool {
        self.atomics
            && match op {
                Amo::And(_) | Amo::Or(_) | Amo::Xor(_) => true,
                Amo::CompareSwap { .. } => matches!(width, Width::W4),
                _ => false,
            }
    }
}

/// Keeps in this process all code that it has loaded, from now on. Memory hooks patch the functions
/// of the C library, and nobody takes them back: were their code unloaded, the next `munmap` of any
/// thread would jump to nowhere.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn keep_loaded_code() {
    unsafe extern "C" fn collect(info: *mut libc::dl_phdr_info, _: usize, names: *mut c_void) -> c_int {
        // SAFETY: `keep_loaded_code` passes a list, and the loader the record of an object, whose
        // name is a C string or null.
        unsafe {
            let name = (*info).dlpi_name;
            if !name.is_null() {
                (*names.cast::<Vec<CString>>()).push(CStr::from_ptr(name).to_owned());
            }
        }
        0
    }
    let mut names: Vec<CString> = Vec::new();
    // SAFETY: the list outlives the call, which passes it on to `collect` and nothing else.
    unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut names).cast()) };
    // The program itself has an empty name.
    for name in names.iter().filter(|name| !name.is_empty()) {
        // SAFETY: a C string; an object that is loaded is not loaded again, so no code of it runs.
        unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) };
    }
}

/// Elsewhere no library with such hooks is known.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn keep_loaded_code() {}
