//! The names of the processes of a job, for `ps`, `top`, debuggers and core files: `heat[PE 3]` is
//! PE 3 of the job `heat`. The supervisor keeps the name of the program.
//!
//! Two things carry the name. The system's name of the first thread, which new threads inherit, has
//! room for 15 bytes, so a long name of a job is cut. The title of the process is its argument 0,
//! with which the supervisor starts it: so `ps -f` shows it before the other arguments, and nothing
//! in the process is overwritten. The program must still see the argument 0 that the user has
//! chosen. A variable has it, and [`restore`] puts it back into the list of arguments before `main`;
//! the system reads the title from where it was when the process started.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use crate::system::env;
use crate::system::shared_text::cut;

/// The variable in which a PE finds the job's name and, after a slash, its own argument 0.
pub(super) const VARIABLE: &str = "SHMEM_SMP_NAMES";

/// Whether a process can get its argument 0 back: C's start code passes the list of arguments to
/// constructors.
pub(super) const TITLES: bool = cfg!(all(target_os = "linux", target_env = "gnu"));

/// The most bytes that Linux keeps of a thread's name.
const THREAD_NAME: usize = 15;

/// The name of a job: the file name of its program, or the path of its test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JobName(String);

impl JobName {
    /// The job of the program at `path`.
    pub(super) fn of_program(path: &Path) -> JobName {
        JobName(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }

    /// The job of the test with this path.
    pub(super) fn of_test(name: &str) -> JobName {
        // A test of a harness of one's own may have any name.
        JobName(name.replace('/', "-"))
    }

    /// The title of the process of `pe`.
    pub(super) fn title(&self, pe: usize) -> String {
        format!("{}[PE {pe}]", self.0)
    }

    /// The name of a thread of `pe`: the title, or one with less of the job's name if that is too
    /// long. Of the path of a test it is the last part.
    pub(super) fn of_thread(&self, pe: usize) -> String {
        let number = format!("[PE {pe}]");
        let name = self.0.rsplit("::").next().unwrap_or_default();
        let room = THREAD_NAME.saturating_sub(number.len());
        format!("{}{number}", cut(name, room))
    }

    /// Names this process after `pe`, where the system shows names of threads. For the first thread of
    /// the process; others keep their names.
    pub(super) fn show(&self, pe: usize) {
        #[cfg(target_os = "linux")]
        if rustix::thread::gettid() == rustix::process::getpid()
            && let Ok(name) = std::ffi::CString::new(self.of_thread(pe))
        {
            // No name makes it fail.
            let _ = rustix::thread::set_name(&name);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = pe;
    }

    /// The value of the variable, for a PE that is to see `argument`, if it has another argument 0.
    pub(super) fn encode(&self, argument: Option<&OsStr>) -> OsString {
        let mut value = OsString::from(&self.0);
        if let Some(argument) = argument {
            value.push("/");
            value.push(argument);
        }
        value
    }

    /// The name and the argument that a value of the variable holds.
    fn decode(value: &OsStr) -> (JobName, Option<OsString>) {
        let mut parts = value.as_bytes().splitn(2, |byte| *byte == b'/');
        let name = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        (JobName(name), parts.next().map(|argument| OsString::from_vec(argument.to_vec())))
    }
}

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names this process, which is `pe` of a job that a supervisor has started. Returns the argument 0
/// that the program is to see, if it is not the one that the process was started with.
pub(super) fn take(pe: usize) -> Option<OsString> {
    let (name, argument) = JobName::decode(&env::set(VARIABLE)?);
    name.show(pe);
    argument
}

/// Gives this process the argument 0 that its program is to see.
///
/// # Safety
///
/// `arguments` is null or the list of the arguments of this process, as C passes it to `main` and to
/// constructors, with `count` entries; no other thread reads the list meanwhile.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) unsafe fn restore(
    argument: OsString,
    count: std::ffi::c_int,
    arguments: *mut *mut std::ffi::c_char,
) {
    if count < 1 || arguments.is_null() {
        return;
    }
    let Ok(argument) = std::ffi::CString::new(argument.into_vec()) else { return };
    // SAFETY: the list has at least one entry, and C lets a program change it. The text that the
    // entry names from now on is never freed.
    unsafe { *arguments = argument.into_raw() };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_never_cut() {
        let of = |path: &str, pe| JobName::of_program(Path::new(path)).of_thread(pe);
        assert_eq!(of("/a/b/heat", 3), "heat[PE 3]");
        assert_eq!(of("conduction", 0), "conductio[PE 0]");
        assert_eq!(of("conduction", 4095), "conduc[PE 4095]");
        assert_eq!(of("ééééé", 1), "éééé[PE 1]");
        assert_eq!(of("", 1), "[PE 1]");
        let test = JobName::of_test("halo::rows::exchange");
        assert_eq!(
            (test.of_thread(12), test.title(12)),
            ("exchange[PE 12]".into(), "halo::rows::exchange[PE 12]".into())
        );
        for pe in [0, 9, 10, 99, 100, 999, 1000, 4095] {
            let name = of("a_program_with_a_long_name", pe);
            assert_eq!(name.len(), THREAD_NAME, "{name}");
            assert!(name.ends_with(&format!("[PE {pe}]")), "{name}");
        }
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let name = JobName::of_program(Path::new("./heat"));
        for argument in [OsStr::new("heat"), OsStr::new("./a/b"), OsStr::new(""), OsStr::from_bytes(b"/\xff")]
        {
            assert_eq!(
                JobName::decode(&name.encode(Some(argument))),
                (name.clone(), Some(argument.to_owned()))
            );
        }
        assert_eq!(JobName::decode(&name.encode(None)), (name, None));
    }
}
