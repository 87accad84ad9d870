//! Where the core file of a PE is.
//!
//! The system writes it when a signal ends the PE, if the limit of the shell allows it. The setting
//! `kernel.core_pattern` of Linux names the file, or a program that takes the core. As the name of
//! the process has the PE in it, the specifier `%e` stands for the PE.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use rustix::process::{Resource, Signal, getrlimit};

/// The folder of settings of Linux.
const SETTINGS: &str = "/proc/sys/kernel";
/// What a user sets so that each PE has a core file of its own.
const ADVICE: &str = "sysctl kernel.core_pattern=core.%e.%p";

/// The text for the report of a process that has ended so: where its core is, after a semicolon.
/// Empty if there is none. With `hint`, it tells why a signal that writes cores has written none.
pub(super) fn of(end: ExitStatus, process: u32, hint: bool) -> String {
    let Some(signal) = end.signal() else { return String::new() };
    if end.core_dumped() {
        let setting = |name: &str| fs::read_to_string(Path::new(SETTINGS).join(name)).ok();
        let pattern = setting("core_pattern").unwrap_or_default();
        let with_number = setting("core_uses_pid").is_some_and(|text| text.trim() != "0");
        let folder = std::env::current_dir().unwrap_or_default();
        let pattern = pattern.trim_end_matches('\n');
        return match pattern.strip_prefix('|') {
            Some(command) => taken_by(command, process, getrlimit(Resource::Core).current, is_in_container()),
            None => describe(pattern, with_number, process, &folder),
        };
    }
    if hint && writes_core(signal) && getrlimit(Resource::Core).current == Some(0) {
        return String::from(
            "; it left no core file, because the limit is 0 (ulimit -c unlimited raises it)",
        );
    }
    String::new()
}

/// Whether the system writes a core for this signal.
fn writes_core(signal: i32) -> bool {
    let signals = [
        Signal::QUIT,
        Signal::ILL,
        Signal::TRAP,
        Signal::ABORT,
        Signal::BUS,
        Signal::FPE,
        Signal::SEGV,
        Signal::XCPU,
        Signal::XFSZ,
        Signal::SYS,
    ];
    signals.iter().any(|known| known.as_raw() == signal)
}

/// The namespace of processes that is there at the start of the system.
const INITIAL: &str = "pid:[4026531836]";

/// Whether processes have other numbers here than for a program that the system starts.
fn is_in_container() -> bool {
    fs::read_link("/proc/self/ns/pid").is_ok_and(|namespace| namespace != Path::new(INITIAL))
}

/// What becomes of the core of `process` if the system gives it to a command. `limit` is that of the
/// shell for cores.
fn taken_by(command: &str, process: u32, limit: Option<u64>, in_container: bool) -> String {
    let program = command.split_whitespace().next().unwrap_or_default();
    match program.rsplit('/').next().unwrap_or_default() {
        // It runs on the host, and the setting is that of the host.
        _ if in_container => {
            format!("; its core went to the program {program} of the host of this container")
        }
        // It is told the limit (%c), and keeps nothing of which less than a page may be kept.
        "systemd-coredump"
            if has(command, b"c") && limit.is_some_and(|limit| limit < rustix::param::page_size() as u64) =>
        {
            String::from(
                "; systemd-coredump has kept no core of it, because of the limit (ulimit -c unlimited raises it)",
            )
        }
        "systemd-coredump" => {
            format!(
                "; its core went to systemd-coredump: coredumpctl debug {process} opens it, if it was kept"
            )
        }
        "apport" => {
            String::from("; its core went to apport: look in /var/lib/apport/coredump and /var/crash")
        }
        _ => format!("; its core went to the program {program} (kernel.core_pattern)"),
    }
}

/// Where the core of `process` is by a setting that names a file.
fn describe(pattern: &str, with_number: bool, process: u32, folder: &Path) -> String {
    if pattern.is_empty() && !with_number {
        return String::new();
    }
    let mut pieces = pieces(pattern, process);
    let has_number = has(pattern, b"pPeiI") || with_number;
    if with_number && !has(pattern, b"p") {
        pieces.push(Piece::Text(format!(".{process}")));
    }
    let found = find(folder, &pieces);
    let mut text = match found {
        Some(path) => format!("; its core file is {}", path.display()),
        None => format!("; its core file is {pattern} (kernel.core_pattern), in the folder in which it ran"),
    };
    if !has_number {
        text.push_str(&format!(", which another PE may replace: {ADVICE} names the PE and the process"));
    }
    text
}

/// Whether a pattern has one of these specifiers.
fn has(pattern: &str, specifiers: &[u8]) -> bool {
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' && bytes.next().is_some_and(|specifier| specifiers.contains(&specifier)) {
            return true;
        }
    }
    false
}

/// A part of the path of a core file.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// What only the system knows, such as the time.
    Anything,
}

/// The parts of the paths that a pattern stands for.
fn pieces(pattern: &str, process: u32) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = pattern.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '%' => match rest.next() {
                Some('%') => text.push('%'),
                Some('p') => text.push_str(&process.to_string()),
                Some(_) => {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                    pieces.push(Piece::Anything);
                }
                // The system leaves out a last one.
                None => {}
            },
            letter => text.push(letter),
        }
    }
    pieces.push(Piece::Text(text));
    pieces
}

/// The newest file that the pieces stand for, below `folder` if they are no whole path.
fn find(folder: &Path, pieces: &[Piece]) -> Option<PathBuf> {
    // The folder is known if all of it is text.
    let Some(Piece::Text(first)) = pieces.first() else { return None };
    let (parent, name) = first.rsplit_once('/').unwrap_or(("", first));
    let parent = if first.starts_with('/') {
        Path::new("/").join(parent.trim_start_matches('/'))
    } else {
        folder.join(parent)
    };
    let mut rest = vec![Piece::Text(name.to_owned())];
    for piece in &pieces[1..] {
        rest.push(match piece {
            Piece::Text(text) if text.contains('/') => return None,
            Piece::Text(text) => Piece::Text(text.clone()),
            Piece::Anything => Piece::Anything,
        });
    }
    let entries = fs::read_dir(parent).ok()?.flatten();
    let cores = entries.filter(|entry| fits(&entry.file_name().to_string_lossy(), &rest));
    cores
        .max_by_key(|entry| entry.metadata().and_then(|metadata| metadata.modified()).ok())
        .map(|entry| entry.path())
}

/// Whether pieces stand for a name.
fn fits(name: &str, pieces: &[Piece]) -> bool {
    match pieces {
        [] => name.is_empty(),
        [Piece::Text(text), rest @ ..] => {
            name.strip_prefix(text.as_str()).is_some_and(|name| fits(name, rest))
        }
        [Piece::Anything, rest @ ..] => {
            (0..=name.len()).any(|at| name.is_char_boundary(at) && fits(&name[at..], rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_followed() {
        let folder = std::env::temp_dir().join(format!("shmem-core-{}", std::process::id()));
        fs::create_dir_all(folder.join("cores")).unwrap();
        let shown = |pattern: &str, with_number| describe(pattern, with_number, 4711, &folder);
        let path = |name: &str| {
            fs::write(folder.join(name), "").unwrap();
            folder.join(name).display().to_string()
        };
        for (pattern, with_number, name) in [
            ("core.%e.%p", false, "core.heat[PE 3].4711"),
            ("%h%%-%t-%p", false, "host%-1732280000-4711"),
            ("cores/%p.core", false, "cores/4711.core"),
            ("c.%e", true, "c.heat[PE 3].4711"),
        ] {
            let path = path(name);
            assert_eq!(shown(pattern, with_number), format!("; its core file is {path}"));
            let whole = format!("{}/{pattern}", folder.display());
            assert_eq!(shown(&whole, with_number), format!("; its core file is {path}"));
        }
        let core = path("core");
        let advice = ", which another PE may replace: sysctl kernel.core_pattern=core.%e.%p names the PE and the process";
        assert_eq!(shown("core", false), format!("; its core file is {core}{advice}"));
        let elsewhere = "; its core file is nowhere/%p (kernel.core_pattern), in the folder in which it ran";
        assert_eq!(shown("nowhere/%p", false), elsewhere);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn programs_that_take_cores_are_named() {
        let systemd = "/usr/lib/systemd/systemd-coredump %P %u %g %s %t %c %h";
        let shown = |command, limit| taken_by(command, 4711, limit, false);
        let debug = "; its core went to systemd-coredump: coredumpctl debug 4711 opens it, if it was kept";
        assert_eq!(shown(systemd, None), debug);
        assert_eq!(shown(systemd, Some(1 << 30)), debug);
        let none =
            "; systemd-coredump has kept no core of it, because of the limit (ulimit -c unlimited raises it)";
        assert_eq!(shown(systemd, Some(0)), none);
        // Of a version that is not told the limit.
        assert_eq!(shown("/lib/systemd/systemd-coredump %p %u", Some(0)), debug);
        let apport = "; its core went to apport: look in /var/lib/apport/coredump and /var/crash";
        assert_eq!(shown("/usr/share/apport/apport -p%p -s%s -c%c", Some(0)), apport);
        assert_eq!(
            shown("/bin/take %p", None),
            "; its core went to the program /bin/take (kernel.core_pattern)"
        );
        assert_eq!(
            taken_by(systemd, 4711, Some(0), true),
            "; its core went to the program /usr/lib/systemd/systemd-coredump of the host of this container"
        );
        assert_eq!(describe("", false, 4711, Path::new("/")), "");
    }

    #[test]
    fn processes_without_a_core_have_none() {
        // Ended by SIGSEGV without and with a core, and by an exit.
        assert_eq!(of(ExitStatus::from_raw(11), 1, false), "");
        assert!(
            of(ExitStatus::from_raw(11 | 128), 1, false).len()
                <= of(ExitStatus::from_raw(11 | 128), 1, true).len()
        );
        assert_eq!(of(ExitStatus::from_raw(1 << 8), 1, true), "");
        assert_eq!(of(ExitStatus::from_raw(9), 1, true), "");
    }
}
