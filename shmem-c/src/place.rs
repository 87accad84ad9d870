//! Where the program is: the file and the line from which it has called the library.
//!
//! The stack tells it, when a message needs it. So a call costs nothing else.

use std::backtrace::Backtrace;
use std::collections::HashMap;
use std::ffi::c_void;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use shmem::untyped;

/// How many addresses of a stack tell one place from others.
const DEPTH: usize = 48;

/// The places that were found, by the addresses on the stack: to find one takes long.
static FOUND: Mutex<Option<HashMap<u64, Option<&'static str>>>> = Mutex::new(None);

/// From now on messages of the library have places of the program.
pub(crate) fn begin() {
    untyped::name_places(here);
}

/// The place from which this thread has entered the library, such as `ring.c:12`; a function, such as
/// `main`, where the program has no debug information.
pub(crate) fn here() -> Option<&'static str> {
    let stack = stack();
    let known = || FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(place) = known().get_or_insert_default().get(&stack) {
        return *place;
    }
    let text = caller(&Backtrace::force_capture().to_string());
    let mut found = known();
    let found = found.get_or_insert_default();
    // Equal texts have one address, which stands for the place.
    let same = text.map(|text| {
        let known = found.values().flatten().find(|known| **known == text).copied();
        known.unwrap_or_else(|| &*text.leak())
    });
    found.insert(stack, same);
    same
}

/// A number that stands for the addresses of the calls that this thread is in, up to the program's.
#[cfg(any(target_env = "gnu", target_vendor = "apple"))]
#[inline(never)]
fn stack() -> u64 {
    let mut addresses = [std::ptr::null_mut::<c_void>(); DEPTH];
    // SAFETY: there is room for so many addresses.
    let count = unsafe { libc::backtrace(addresses.as_mut_ptr(), DEPTH as i32) };
    let addresses = &addresses[..usize::try_from(count).unwrap_or(0)];
    // Those of the library and that of its caller. Behind them an interpreter has ever new ones.
    let is_caller = |address: &*mut c_void| code().is_some_and(|code| !code.contains(&address.addr()));
    let caller = addresses.iter().position(is_caller);
    let mut hasher = DefaultHasher::new();
    addresses[..caller.map_or(addresses.len(), |at| at + 1)].hash(&mut hasher);
    hasher.finish()
}

/// The addresses of the library, where it is a shared object, which Linux tells.
#[cfg(any(target_env = "gnu", target_vendor = "apple"))]
fn code() -> Option<&'static Range<usize>> {
    static CODE: OnceLock<Option<Range<usize>>> = OnceLock::new();
    let find = || {
        let own = (code as fn() -> _ as *const ()).addr();
        let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
        // `7f12-7f34 r-xp 00000000 fe:00 4711  /lib/libshmem.so`
        let mappings = maps.lines().filter_map(|line| {
            let (start, rest) = line.split_once('-')?;
            let (end, rest) = rest.split_once(' ')?;
            let file = rest.splitn(5, ' ').nth(4)?.trim_start();
            Some((usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?, file))
        });
        let mappings: Vec<_> = mappings.collect();
        let file = mappings.iter().find(|(range, _)| range.contains(&own))?.1;
        if std::fs::read_link("/proc/self/exe").is_ok_and(|program| program.as_os_str() == file) {
            return None;
        }
        let of_file = || mappings.iter().filter(|(_, of)| *of == file);
        Some(of_file().map(|(range, _)| range.start).min()?..of_file().map(|(range, _)| range.end).max()?)
    };
    CODE.get_or_init(find).as_ref()
}

/// Elsewhere the text tells it, which takes longer.
#[cfg(not(any(target_env = "gnu", target_vendor = "apple")))]
fn stack() -> u64 {
    let mut hasher = DefaultHasher::new();
    Backtrace::force_capture().to_string().hash(&mut hasher);
    hasher.finish()
}

/// The caller of the library in the text of a backtrace: the frame after the last entry point.
fn caller(backtrace: &str) -> Option<String> {
    // Each frame as its function and its place.
    let mut frames: Vec<(&str, Option<&str>)> = Vec::new();
    for line in backtrace.lines().map(str::trim) {
        match (line.strip_prefix("at "), frames.last_mut()) {
            (Some(place), Some((_, of_last))) => *of_last = Some(place),
            (Some(_), None) => {}
            (None, _) => {
                let numbered = line
                    .split_once(": ")
                    .filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
                frames.push((numbered.map_or(line, |(_, function)| function), None));
            }
        }
    }
    let is_entry = |function: &str| {
        let name = function.strip_prefix('p').unwrap_or(function);
        function.starts_with("libshmem_")
            || crate::ROUTINES.contains(&name)
            || crate::DEPRECATED.contains(&name)
            || crate::ROUTINES.contains(&function)
            || crate::DEPRECATED.contains(&function)
    };
    let entry = frames.iter().rposition(|(function, _)| is_entry(function))?;
    let (function, place) = frames.get(entry + 1)?;
    match place {
        // Without the column.
        Some(place) => {
            let line = place.rsplit_once(':').map_or(*place, |(line, _)| line);
            Some(line.strip_prefix("./").unwrap_or(line).to_owned())
        }
        None if *function == "<unknown>" => None,
        None => Some(format!("`{function}` (-g tells the line)")),
    }
}

#[cfg(test)]
mod tests {
    use super::caller;

    #[test]
    fn the_caller_of_the_library_is_found() {
        let text = "   0: shmem_c::place::here
             at /home/u/shmem/shmem-c/src/place.rs:31:17
   1: pshmem_team_sync
             at /home/u/shmem/target/debug/build/out/entries.rs:3:5
   2: pshmem_barrier
   3: relax
             at ./src/heat.c:61:5
   4: main
             at ./src/heat.c:9:3
   5: __libc_start_call_main
             at ./csu/../sysdeps/nptl/libc_start_call_main.h:58:16
";
        assert_eq!(caller(text).as_deref(), Some("src/heat.c:61"));
        assert_eq!(
            caller("  0: pshmem_quiet\n  1: main\n  2: _start\n").as_deref(),
            Some("`main` (-g tells the line)")
        );
        assert_eq!(caller("  0: shmem_c::place::here\n  1: main\n"), None);
        assert_eq!(caller("  0: pshmem_quiet\n  1: <unknown>\n"), None);
    }
}
