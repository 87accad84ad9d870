//! Global and static variables of the executable, which C has as symmetric memory: the pages that
//! they lie in are put on shared memory, where they are, when the library is initialised.
//!
//! Not covered are variables of shared objects, and those of an executable that has this library in
//! itself (`libshmem.a`): then the library's own state would lie in these pages.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use shmem::untyped::Member;

/// What is known of the executable.
struct Found {
    /// The pages that can be written.
    pages: Vec<Range<usize>>,
    /// Whether this library lies in the executable.
    is_inside: bool,
    /// How far its addresses are from those in its file.
    loaded: usize,
}

/// The pages that are symmetric: where each piece lies in the heap, and its address in the file of the
/// executable.
static SYMMETRIC: Mutex<Vec<(Range<usize>, u64)>> = Mutex::new(Vec::new());

/// Why global variables are not symmetric in this process; empty where they are.
static REASON: Mutex<&str> = Mutex::new("");

/// The variable that leaves the globals as they are.
const VARIABLE: &str = "SHMEM_GLOBALS";

/// Puts the globals of the executable on shared memory. Collective; a barrier comes before another
/// PE reaches them.
pub(crate) fn make_symmetric(member: &Member) {
    let found = executable();
    let reason = if std::env::var_os(VARIABLE).is_some_and(|value| value == "0") {
        "SHMEM_GLOBALS=0 leaves the program's global variables out"
    } else if found.is_inside {
        "the program is linked with libshmem.a, and global variables are symmetric with libshmem.so alone"
    } else {
        ""
    };
    *REASON.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    if !reason.is_empty() {
        return;
    }
    let page = page_size();
    for pages in found.pages {
        let start = NonNull::new(std::ptr::without_provenance_mut::<u8>(pages.start));
        let (Some(start), len) = (start, pages.len()) else { continue };
        let memory = member.claim(len, page, &[]).unwrap_or_else(|error| {
            panic!("no memory for the {len} bytes of the program's global variables: {error}")
        });
        // SAFETY: the pages are the executable's, and can be written. This library's own variables
        // are in another object. Other threads of the program do not run while it initialises the
        // library, as the page on C says. Nobody has used the memory.
        let offset = unsafe { memory.map_over(start) }
            .unwrap_or_else(|error| panic!("the program's global variables cannot be shared: {error}"));
        let address = (pages.start - found.loaded) as u64;
        let mut symmetric = symmetric();
        symmetric.retain(|(_, other)| *other != address);
        symmetric.push((offset..offset + len, address));
        member.describe(offset, len, &note_of(address));
    }
}

fn symmetric() -> MutexGuard<'static, Vec<(Range<usize>, u64)>> {
    SYMMETRIC.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The note of the variable at an offset of the heap, as a place in the executable and the number of bytes
/// from there on.
pub(crate) fn note(offset: usize) -> Option<(String, usize)> {
    let symmetric = symmetric();
    let (pages, address) = symmetric.iter().find(|(pages, _)| pages.contains(&offset))?;
    Some((note_of(*address), offset - pages.start))
}

/// The note of an address of the executable.
fn note_of(address: u64) -> String {
    format!("{}+{address:#x}", std::env::current_exe().unwrap_or_default().display())
}

/// The end of the global variables among which `address` is.
pub(crate) fn end(address: *const u8) -> Option<usize> {
    executable().pages.iter().find(|pages| pages.contains(&address.addr())).map(|pages| pages.end)
}

/// Why the argument `what` at `address` is not in symmetric memory.
#[cold]
pub(crate) fn explain(address: *const u8, what: &str) -> String {
    let reason = *REASON.lock().unwrap_or_else(PoisonError::into_inner);
    let is_global = executable().pages.iter().any(|pages| pages.contains(&address.addr()));
    let why = if is_global && !reason.is_empty() {
        reason
    } else {
        "it takes memory of shmem_malloc and the like, or a global or static variable of the program; not the stack, memory of malloc, \
         a variable of a shared object, or an address of shmem_ptr"
    };
    format!("`{what}` is at {address:p}, which is not in symmetric memory: {why}")
}

fn page_size() -> usize {
    // SAFETY: it has no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a page has a size")
}

/// What the system has loaded as the executable.
#[cfg(target_os = "linux")]
fn executable() -> Found {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
        // SAFETY: the system passes what it knows of an object, and the pointer of the call below.
        let (info, found) = unsafe { (&*info, &mut *found.cast::<Found>()) };
        // SAFETY: the object has so many headers there.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let range = |header: &libc::Elf64_Phdr| {
            let start = (info.dlpi_addr + header.p_vaddr) as usize;
            start..start + header.p_memsz as usize
        };
        found.loaded = info.dlpi_addr as usize;
        let page = page_size();
        let down = |address: usize| address - address % page;
        // What the loader makes read-only once it has relocated it.
        let fixed: Vec<Range<usize>> = (headers.iter().filter(|header| header.p_type == libc::PT_GNU_RELRO))
            .map(|header| {
                let range = range(header);
                down(range.start)..down(range.end)
            })
            .collect();
        let is_here = |header: &libc::Elf64_Phdr| range(header).contains(&(page_size as *const () as usize));
        found.is_inside = headers.iter().any(|header| header.p_type == libc::PT_LOAD && is_here(header));
        for header in headers {
            if header.p_type != libc::PT_LOAD || header.p_flags & libc::PF_W == 0 {
                continue;
            }
            let range = range(header);
            let mut pages = down(range.start)..range.end.next_multiple_of(page);
            for fixed in &fixed {
                if fixed.start <= pages.start && fixed.end > pages.start {
                    pages.start = fixed.end;
                }
            }
            if pages.start < pages.end {
                found.pages.push(pages);
            }
        }
        // The executable is the first object.
        1
    }
    let mut found = Found { pages: Vec::new(), is_inside: false, loaded: 0 };
    // SAFETY: `first` has the type that the function takes, and `found` lives as long as the call.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut found).cast()) };
    found
}

/// Elsewhere it is not known.
#[cfg(not(target_os = "linux"))]
fn executable() -> Found {
    Found { pages: Vec::new(), is_inside: true, loaded: 0 }
}
