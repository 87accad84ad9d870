//! Where the program is: the file and the line from which it has called the library.
//!
//! The stack tells it. A call of the library looks no further than the address of its caller, and [notes](here)
//! that: the file of the program or of the shared object, and the address there, which are the same on
//! all PEs. Debug information is read where a note is [shown], which may be in another process.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use addr2line::Loader;
use shmem::untyped::{self, NotedElements};

use crate::globals;

/// From now on messages of the library have places and variables of the program.
pub(crate) fn begin() {
    untyped::note_by(here, globals::note);
    show_notes();
}

/// From now on this process shows places and variables of programs: for the launcher, which no program
/// has called.
pub fn show_notes() {
    untyped::show_notes_by(shown);
}

/// The place from which this thread has entered the library, in words.
pub(crate) fn shown_here() -> Option<String> {
    here().map(|note| shown(note, None))
}

#[cfg(target_os = "linux")]
pub(crate) use stack::here;

/// Elsewhere the stack is not looked at.
#[cfg(not(target_os = "linux"))]
pub(crate) fn here() -> Option<&'static str> {
    None
}

/// The stack of this thread, and what lies at an address.
#[cfg(target_os = "linux")]
mod stack {
    use std::collections::HashMap;
    use std::ffi::{CStr, OsStr, c_int, c_void};
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::PathBuf;
    use std::sync::{Mutex, PoisonError};

    /// How many calls of the library there may be above an entry point.
    const INNER: usize = 96;
    /// How many callers are looked at: the tools between the program and the library, and the program.
    const CALLERS: usize = 3;

    /// What the unwinder knows of one call.
    #[repr(C)]
    struct Frame {
        _private: [u8; 0],
    }

    unsafe extern "C" {
        // Those of the platform's C++ ABI, which Rust unwinds by.
        fn _Unwind_Backtrace(
            visit: extern "C" fn(*mut Frame, *mut c_void) -> c_int,
            with: *mut c_void,
        ) -> c_int;
        fn _Unwind_GetIPInfo(frame: *mut Frame, is_before: *mut c_int) -> usize;
        // The linker's, around all entry points.
        #[link_name = "__start_shmem_entries"]
        static FIRST_ENTRY: u8;
        #[link_name = "__stop_shmem_entries"]
        static END_OF_ENTRIES: u8;
    }

    /// Is there also where a program has no entry point, so that the linker knows the section.
    #[unsafe(link_section = "shmem_entries")]
    extern "C" fn no_entry() {}

    /// What is known of the address of a call.
    #[derive(Clone, Copy)]
    enum Caller {
        /// A tool's form of a routine, which the program has called in its place.
        Tool,
        /// The program, with the note.
        Program(&'static str),
    }

    static KNOWN: Mutex<Option<HashMap<usize, Caller>>> = Mutex::new(None);

    /// The calls on the stack, from the innermost on.
    struct Walk {
        inner: usize,
        is_in_entry: bool,
        callers: [usize; CALLERS],
        found: usize,
    }

    /// The note of the place from which this thread has entered the library.
    pub(crate) fn here() -> Option<&'static str> {
        let mut walk = Walk { inner: 0, is_in_entry: false, callers: [0; CALLERS], found: 0 };
        // SAFETY: `visit` takes what it is given here, which lives as long as the call.
        unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        walk.callers[..walk.found].iter().find_map(|address| {
            match *known.entry(*address).or_insert_with(|| caller(*address)) {
                Caller::Tool => None,
                Caller::Program(note) => Some(note),
            }
        })
    }

    extern "C" fn visit(frame: *mut Frame, walk: *mut c_void) -> c_int {
        const GO_ON: c_int = 0;
        const STOP: c_int = 4;
        // SAFETY: what `here` passes.
        let walk = unsafe { &mut *walk.cast::<Walk>() };
        let mut is_before = 0;
        // SAFETY: the unwinder's own frame.
        let address = unsafe { _Unwind_GetIPInfo(frame, &raw mut is_before) };
        // A call returns to what follows it.
        let address = if is_before == 0 { address.wrapping_sub(1) } else { address };
        if is_entry(address) {
            walk.is_in_entry = true;
        } else if walk.is_in_entry {
            walk.callers[walk.found] = address;
            walk.found += 1;
        } else {
            walk.inner += 1;
        }
        if walk.found == CALLERS || walk.inner == INNER { STOP } else { GO_ON }
    }

    fn is_entry(address: usize) -> bool {
        std::hint::black_box(no_entry as extern "C" fn());
        let entries = (&raw const FIRST_ENTRY).addr()..(&raw const END_OF_ENTRIES).addr();
        entries.contains(&address)
    }

    /// Looks at an address for the first time.
    fn caller(address: usize) -> Caller {
        if is_routine(address) {
            return Caller::Tool;
        }
        let (file, at) = file_of(address).unwrap_or_else(|| (PathBuf::from("memory"), address));
        Caller::Program(format!("{}+{at:#x}", file.display()).leak())
    }

    /// Whether the function at this address has the name of a routine.
    fn is_routine(address: usize) -> bool {
        // SAFETY: zeros are a value of this type.
        let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: it fills in what it knows of any address.
        let is_known = unsafe { libc::dladdr(std::ptr::without_provenance(address), &raw mut info) } != 0;
        if !is_known || info.dli_sname.is_null() {
            return false;
        }
        // SAFETY: a name of the file that is loaded there.
        let name = unsafe { CStr::from_ptr(info.dli_sname) }.to_str().unwrap_or_default();
        crate::ROUTINES.contains(&name) || crate::DEPRECATED.contains(&name)
    }

    /// The file that is loaded at an address, and the address in the file.
    fn file_of(address: usize) -> Option<(PathBuf, usize)> {
        struct Search {
            address: usize,
            found: Option<(PathBuf, usize)>,
        }
        unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
            // SAFETY: the system passes what it knows of an object, and the pointer of the call below.
            let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
            // SAFETY: the object has so many headers there.
            let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
            let at = search.address.wrapping_sub(info.dlpi_addr as usize);
            let is_there = |header: &libc::Elf64_Phdr| {
                header.p_type == libc::PT_LOAD
                    && at.wrapping_sub(header.p_vaddr as usize) < header.p_memsz as usize
            };
            if !headers.iter().any(is_there) {
                return 0;
            }
            let name = if info.dlpi_name.is_null() {
                &[]
            } else {
                // SAFETY: a name that ends with a zero.
                unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes()
            };
            let file = if name.is_empty() {
                // The executable.
                std::env::current_exe().unwrap_or_default()
            } else {
                let path = PathBuf::from(OsStr::from_bytes(name));
                fs::canonicalize(&path).unwrap_or(path)
            };
            search.found = Some((file, at));
            1
        }
        let mut search = Search { address, found: None };
        // SAFETY: `each` has the type that the function takes, and `search` lives as long as the call.
        unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut search).cast()) };
        search.found
    }
}

thread_local! {
    /// The debug information of the files that were looked at; `None` where there is no such file.
    static FILES: RefCell<HashMap<PathBuf, Option<Loader>>> = RefCell::new(HashMap::new());
}

/// What a note says: `ring.c:12`, or a function, such as `main`, where the program has no debug information.
/// Of elements of a variable, their name.
fn shown(note: &str, elements: Option<NotedElements>) -> String {
    let Some((path, address)) = parse(note) else { return note.to_owned() };
    let words = FILES.with_borrow_mut(|files| {
        let file = files.entry(path.to_owned()).or_insert_with(|| Loader::new(path).ok()).as_ref()?;
        match elements {
            Some(elements) => variable(file, address, elements),
            None => line(file, address).or_else(|| {
                file.find_symbol(address).map(|function| format!("`{function}` (-g tells the line)"))
            }),
        }
    });
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    words.unwrap_or_else(|| match elements {
        Some(NotedElements { start, .. }) => format!("{file}+{:#x}", address + start as u64),
        None => format!("{file}+{address:#x}"),
    })
}

/// The file and the address of a note.
fn parse(note: &str) -> Option<(&Path, u64)> {
    let (path, address) = note.rsplit_once("+0x")?;
    Some((Path::new(path), u64::from_str_radix(address, 16).ok()?))
}

/// The file and the line of an address.
fn line(file: &Loader, address: u64) -> Option<String> {
    let frame = file.find_frames(address).ok()?.next().ok()??;
    let location = frame.location?;
    let (source, line) = (location.file?, location.line?);
    let source = Path::new(source);
    let source =
        std::env::current_dir().ok().and_then(|here| source.strip_prefix(here).ok()).unwrap_or(source);
    let source: PathBuf = source.components().filter(|part| *part != Component::CurDir).collect();
    Some(format!("{}:{line}", source.display()))
}

/// The name of elements of a variable: `count`, `halo[3]`, `halo[0..4]`. The file knows the size of the
/// variable and not its type, so an index counts elements of the size that the call has.
fn variable(
    file: &Loader,
    memory: u64,
    NotedElements { start, elem, count }: NotedElements,
) -> Option<String> {
    /// The longest element of a type of C that calls have.
    const LONGEST: u64 = 16;
    let (address, elem, count) = (memory + start as u64, elem as u64, count as u64);
    let variable = file.find_symbol_info(address)?;
    let (name, before) = (variable.name(), address - variable.address());
    // Of two variables the name or the beginning differs.
    let goes_on = || {
        let next = file.find_symbol_info(address + elem * count);
        next.is_some_and(|next| (next.name(), next.address()) == (name, variable.address()))
    };
    if elem == 0 || before == 0 && !goes_on() {
        return Some(name.to_owned());
    }
    let first = before / elem;
    Some(match count {
        _ if elem > LONGEST || !before.is_multiple_of(elem) => {
            format!("bytes {before} to {} of {name}", before + elem * count)
        }
        1 => format!("{name}[{first}]"),
        _ => format!("{name}[{first}..{}]", first + count),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_says_where_it_is() {
        let note = "/home/u/a+b/ring+0x1189";
        assert_eq!(parse(note), Some((Path::new("/home/u/a+b/ring"), 0x1189)));
        // There is no such file.
        assert_eq!(shown(note, None), "ring+0x1189");
        assert_eq!(shown("/bin/no+0x40", Some(NotedElements { start: 8, elem: 8, count: 1 })), "no+0x48");
        assert_eq!(shown("a note that was cut", None), "a note that was cut");
    }

    /// This test has no entry point on its stack.
    #[test]
    fn without_a_call_there_is_no_place() {
        assert_eq!(here(), None);
    }
}
