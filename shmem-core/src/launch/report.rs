//! The report of a failed job: one line that names the PE that ended the job, and the reason.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::Signal;

use crate::system::process::PANICKED;
use crate::system::status::PeState;

/// The evidence about a PE that has ended, or that must be ended.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    /// Its state.
    pub(super) state: PeState,
    /// The last text in its record.
    pub(super) text: String,
    /// Its message to the supervisor that it could not join the job; mostly empty. A script may have
    /// started it after another process that has finished as this PE.
    pub(super) said: String,
    /// How the process ended; `None` when the system does not know any more, or when the supervisor
    /// ended it.
    pub(super) end: Option<ExitStatus>,
    /// Where its core file is, for the end of the report; empty if there is none.
    pub(super) core: String,
    /// Whether the supervisor had sent it SIGKILL.
    pub(super) killed: bool,
    /// Whether it has ended after a job, while another PE waits for it in the next one.
    pub(super) missed: bool,
}

/// The kind of a PE's failure. The most telling kinds come first: when several PEs fail at once,
/// the report names the first of these kinds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FailureKind {
    /// The program ended the job on purpose, maybe in success. This decides, whatever happens to
    /// other PEs at the same time.
    Exit,
    /// The PE recorded the failure itself.
    Said,
    /// It recorded that its wait can never end.
    Stuck,
    /// It could not join the job.
    NoStart,
    /// A signal killed it.
    Signal,
    /// It ended and left no reason.
    Left,
}

/// The failure of one PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Its kind.
    pub(super) kind: FailureKind,
    /// What happened, to be read after "PE 2 of 4 ".
    pub(super) what: String,
    /// The exit status that the job should end with; 0 only where the PE ended it on purpose.
    pub(super) status: u8,
}

impl Evidence {
    /// The fault of the PE, if any. `test` is the test that it should have run.
    pub(super) fn fault(&self, test: Option<&str>) -> Option<Fault> {
        // A PE that the supervisor killed has failed only if it had recorded a failure before.
        let ours = self.killed && self.end.is_none_or(|end| end.signal() == Some(Signal::KILL.as_raw()));
        let end = self.end.filter(|_| !ours);
        let status = |default: u8| match end.and_then(|end| end.code()) {
            Some(code) if code & 0xff != 0 => u8::try_from(code & 0xff).unwrap_or(default),
            _ => default,
        };
        let (kind, what, status) = match self.state {
            PeState::Exited => {
                // A panic of another thread may have replaced the text.
                let status = self.text.parse().unwrap_or(status(0));
                (FailureKind::Exit, format!("ended the job with status {status}, by global_exit"), status)
            }
            PeState::Panicked => (FailureKind::Said, format!("panicked at {}", self.text), status(PANICKED)),
            PeState::Failed if self.text.is_empty() => {
                (FailureKind::Said, format!("returned the exit status {}", status(1)), status(1))
            }
            PeState::Failed => (FailureKind::Said, format!("returned an error: {}", self.text), status(1)),
            PeState::Stopped => (FailureKind::Said, format!("was stopped: {}", self.text), status(1)),
            PeState::Stuck => (FailureKind::Stuck, format!("was stopped: {}", self.text), status(1)),
            PeState::NoStart => {
                (FailureKind::NoStart, format!("could not join the job: {}", self.text), status(1))
            }
            PeState::Starting | PeState::Debugged | PeState::Finished if !self.said.is_empty() => {
                (FailureKind::NoStart, format!("could not join the job: {}", self.said), status(1))
            }
            PeState::Starting
            | PeState::Debugged
            | PeState::Running
            | PeState::Leaving
            | PeState::Finished
                if ours =>
            {
                return None;
            }
            PeState::Finished if !self.missed && end.is_none_or(|end| end.success()) => return None,
            PeState::Starting
            | PeState::Debugged
            | PeState::Running
            | PeState::Leaving
            | PeState::Finished => {
                return Some(self.silent(end, test));
            }
        };
        Some(Fault { kind, what, status })
    }

    /// The fault of a PE that ended and recorded no reason.
    fn silent(&self, end: Option<ExitStatus>, test: Option<&str>) -> Fault {
        if let Some(signal) = end.and_then(|end| end.signal()) {
            let status = status_of_signal(signal);
            // With `panic = "abort"`, or a panic while panicking, the last text is that of the
            // panic hook.
            if signal == Signal::ABORT.as_raw() && !self.text.is_empty() {
                return Fault {
                    kind: FailureKind::Said,
                    what: format!("panicked at {} (and aborted){}", self.text, self.core),
                    status,
                };
            }
            return Fault { kind: FailureKind::Signal, what: killed_by(signal) + &self.core, status };
        }
        let (how, status) = match end.and_then(|end| end.code()) {
            Some(0) => (String::from("status 0"), 1),
            Some(code) => (format!("status {code}"), u8::try_from(code & 0xff).unwrap_or(1).max(1)),
            None => (String::from("an unknown status"), 1),
        };
        let what = match (self.state, test) {
            (PeState::Starting | PeState::Debugged, Some(name)) => format!(
                "ended with {how} before it ran the test: its test harness was asked for {name:?}, which has to be \
                 the test's full path"
            ),
            (PeState::Starting | PeState::Debugged, None) => format!(
                "ended with {how} before it joined the job: nothing may end the process before the function that \
                 is marked #[shmem::main] is called, in C shmem_init"
            ),
            (PeState::Finished, _) if self.missed => format!(
                "ended with {how} after it had left a job, and another PE has joined again: every PE joins and leaves as \
                 often as the others"
            ),
            (PeState::Finished, _) => {
                format!("ended with {how}, although its function had returned success")
            }
            _ => format!(
                "exited with {how} before its function had returned: return from the function that is marked \
                 #[shmem::main] or #[shmem::test] instead of calling exit; an Err or a panic ends all PEs"
            ),
        };
        Fault { kind: FailureKind::Left, what, status }
    }
}

/// The report of a failed job of `npes` PEs. `faults` are those of the PEs that failed, in the
/// order in which they were seen.
pub(super) fn report(npes: usize, faults: &[(usize, Fault)]) -> Option<(String, u8)> {
    // `min_by` returns the first of equal elements.
    let (pe, fault) = faults.iter().min_by(|(_, a), (_, b)| a.kind.cmp(&b.kind))?;
    let others = match fault.kind {
        FailureKind::Exit => String::new(),
        // Of PEs that wait for each other, several may find that out.
        FailureKind::Stuck => and_others(faults.iter().filter(|(_, other)| other.kind != fault.kind).count()),
        // Equal texts count once: the error of a collective call is that of all PEs, and says
        // itself which of them have failed.
        FailureKind::Said => and_others(faults.iter().filter(|(_, other)| other.what != fault.what).count()),
        FailureKind::NoStart | FailureKind::Signal | FailureKind::Left => and_others(faults.len() - 1),
    };
    Some((format!("PE {pe} of {npes} {}{others}", fault.what), fault.status))
}

/// If a printed line is a report, its PE and the text; the line is as a PE prints it over a C
/// library.
#[cfg(feature = "openshmem")]
pub(super) fn reported(line: &str) -> Option<(usize, &str)> {
    let text = line.strip_prefix("shmem: ")?;
    let (pe, rest) = text.strip_prefix("PE ")?.split_once(" of ")?;
    let (npes, _) = rest.split_once(' ')?;
    npes.parse::<usize>().ok()?;
    Some((pe.parse().ok()?, text))
}

/// The addition to the report of one PE when `others` have failed as well.
pub(super) fn and_others(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => String::from(" (one other PE failed at the same time)"),
        many => format!(" ({many} other PEs failed at the same time)"),
    }
}

/// The exit status with which a shell reports a signal.
pub(super) fn status_of_signal(signal: i32) -> u8 {
    128_u8.saturating_add(u8::try_from(signal).unwrap_or(u8::MAX))
}

/// The description of the end of a process by a signal, with its usual meaning.
pub(super) fn killed_by(signal: i32) -> String {
    format!("was killed by signal {signal}{}{}", signal_name(signal), signal_hint(signal))
}

/// The name of a signal in brackets, where it has one.
pub(super) fn signal_name(signal: i32) -> &'static str {
    let names = [
        (Signal::HUP, " (SIGHUP)"),
        (Signal::INT, " (SIGINT)"),
        (Signal::QUIT, " (SIGQUIT)"),
        (Signal::ILL, " (SIGILL)"),
        (Signal::TRAP, " (SIGTRAP)"),
        (Signal::ABORT, " (SIGABRT)"),
        (Signal::BUS, " (SIGBUS)"),
        (Signal::FPE, " (SIGFPE)"),
        (Signal::KILL, " (SIGKILL)"),
        (Signal::SEGV, " (SIGSEGV)"),
        (Signal::PIPE, " (SIGPIPE)"),
        (Signal::ALARM, " (SIGALRM)"),
        (Signal::TERM, " (SIGTERM)"),
        (Signal::STOP, " (SIGSTOP)"),
        (Signal::TSTP, " (SIGTSTP)"),
        (Signal::TTIN, " (SIGTTIN)"),
        (Signal::TTOU, " (SIGTTOU)"),
        (Signal::USR1, " (SIGUSR1)"),
        (Signal::USR2, " (SIGUSR2)"),
        (Signal::XCPU, " (SIGXCPU)"),
        (Signal::XFSZ, " (SIGXFSZ)"),
        (Signal::SYS, " (SIGSYS)"),
    ];
    names.iter().find(|(known, _)| known.as_raw() == signal).map_or("", |(_, name)| name)
}

/// The usual meaning of an unexpected signal.
fn signal_hint(signal: i32) -> &'static str {
    if signal == Signal::KILL.as_raw() {
        ": if nobody sent it, the system ended the process because memory ran out (see dmesg); use fewer \
         PEs or less memory"
    } else if signal == Signal::BUS.as_raw() {
        ": the usual cause is that no memory was left for a page of shared memory; use less memory, or \
         enlarge /dev/shm"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(state: PeState, raw: i32) -> Evidence {
        let end = Some(ExitStatus::from_raw(raw));
        Evidence {
            state,
            text: String::new(),
            said: String::new(),
            end,
            core: String::new(),
            killed: false,
            missed: false,
        }
    }

    fn exited(state: PeState, code: i32) -> Evidence {
        evidence(state, code << 8)
    }

    #[test]
    fn success_is_no_fault() {
        assert_eq!(exited(PeState::Finished, 0).fault(None), None);
        // Where SIGCHLD is ignored, the system has no status.
        assert_eq!(Evidence { end: None, ..exited(PeState::Finished, 0) }.fault(None), None);
    }

    #[test]
    fn what_the_pe_said_is_passed_on() {
        let panicked =
            Evidence { text: String::from("src/main.rs:3:4: oh"), ..exited(PeState::Panicked, 101) };
        let fault = panicked.fault(None).unwrap();
        assert_eq!((fault.what.as_str(), fault.status), ("panicked at src/main.rs:3:4: oh", 101));

        let failed = Evidence { text: String::from("NoInput"), ..exited(PeState::Failed, 1) };
        let fault = failed.fault(None).unwrap();
        assert_eq!((fault.what.as_str(), fault.status), ("returned an error: NoInput", 1));

        let fault = exited(PeState::Failed, 7).fault(None).unwrap();
        assert_eq!((fault.what.as_str(), fault.status), ("returned the exit status 7", 7));

        let unborn = Evidence { said: String::from("no memory"), ..exited(PeState::Starting, 1) };
        let fault = unborn.fault(None).unwrap();
        assert_eq!(
            (fault.what.as_str(), fault.kind),
            ("could not join the job: no memory", FailureKind::NoStart)
        );
    }

    #[test]
    fn a_pe_may_end_the_job() {
        let exits = |text: &str, code| {
            let evidence = Evidence { text: text.to_owned(), ..exited(PeState::Exited, code) };
            evidence.fault(None).unwrap()
        };
        let fault = exits("3", 3);
        assert_eq!((fault.what.as_str(), fault.status), ("ended the job with status 3, by global_exit", 3));
        assert_eq!(exits("0", 0).status, 0);
        // The text of another thread's panic.
        assert_eq!(exits("a.rs:1:2: oh", 7).status, 7);
        let killed = Evidence { killed: true, text: String::from("5"), ..evidence(PeState::Exited, 9) };
        assert_eq!(killed.fault(None).unwrap().status, 5);
        // It decides, whichever PEs failed, and whichever was seen first.
        let panicked = (0, exited(PeState::Panicked, 101).fault(None).unwrap());
        let (text, status) = report(3, &[panicked, (1, exits("0", 0)), (2, exits("4", 4))]).unwrap();
        assert_eq!((text.as_str(), status), ("PE 1 of 3 ended the job with status 0, by global_exit", 0));
    }

    #[test]
    fn signals_have_names_and_the_status_of_a_shell() {
        let fault = evidence(PeState::Running, 9).fault(None).unwrap();
        assert!(
            fault.what.starts_with("was killed by signal 9 (SIGKILL): if nobody sent it"),
            "{}",
            fault.what
        );
        assert_eq!(fault.status, 137);
        let fault = evidence(PeState::Running, 11).fault(None).unwrap();
        assert_eq!((fault.what.as_str(), fault.status), ("was killed by signal 11 (SIGSEGV)", 139));
        assert_eq!(evidence(PeState::Running, 64).fault(None).unwrap().what, "was killed by signal 64");
        let with_core = Evidence { core: String::from("; its core"), ..evidence(PeState::Running, 11) };
        assert_eq!(with_core.fault(None).unwrap().what, "was killed by signal 11 (SIGSEGV); its core");
    }

    #[test]
    fn an_abort_after_a_panic_is_a_panic() {
        let aborted = Evidence { text: String::from("src/main.rs:3:4: oh"), ..evidence(PeState::Running, 6) };
        let fault = aborted.fault(None).unwrap();
        assert_eq!(fault.what, "panicked at src/main.rs:3:4: oh (and aborted)");
        assert_eq!((fault.kind, fault.status), (FailureKind::Said, 134));
    }

    #[test]
    fn leaving_early_is_a_fault_even_with_status_0() {
        let fault = exited(PeState::Running, 0).fault(None).unwrap();
        assert!(
            fault.what.starts_with("exited with status 0 before its function had returned: return"),
            "{}",
            fault.what
        );
        assert_eq!(fault.status, 1);
        assert_eq!(exited(PeState::Running, 3).fault(None).unwrap().status, 3);
        assert!(exited(PeState::Starting, 0).fault(Some("a::b")).unwrap().what.contains("\"a::b\""));
        assert!(exited(PeState::Starting, 0).fault(None).unwrap().what.contains("before it joined the job"));
        assert!(exited(PeState::Finished, 3).fault(None).unwrap().what.contains("had returned success"));
    }

    #[test]
    fn who_was_killed_by_the_supervisor_is_innocent_unless_it_said_otherwise() {
        let killed = Evidence { killed: true, ..evidence(PeState::Running, 9) };
        assert_eq!(killed.fault(None), None);
        let guilty = Evidence { state: PeState::Panicked, ..killed.clone() };
        assert_eq!(guilty.fault(None).unwrap().status, 101);
        // The process exited before the signal arrived.
        let gone = Evidence { killed: true, ..exited(PeState::Running, 3) };
        assert_eq!(gone.fault(None).unwrap().status, 3);
    }

    #[cfg(feature = "openshmem")]
    #[test]
    fn reports_are_known_when_they_are_read() {
        let (text, _) = report(4, &[(2, exited(PeState::Failed, 7).fault(None).unwrap())]).unwrap();
        assert_eq!(reported(&format!("shmem: {text}")), Some((2, text.as_str())));
        for other in
            ["", "shmem: 4 PEs over", "PE 1 of 2 has", " shmem: PE 1 of 2 x", "shmem: PE 1 of many x"]
        {
            assert_eq!(reported(other), None, "{other:?}");
        }
    }

    #[test]
    fn several_may_find_that_they_wait_in_vain() {
        let stuck = |pe| {
            let text = format!("the PEs disagree: PE {pe} waits");
            (pe, Evidence { text, ..exited(PeState::Stuck, 1) }.fault(None).unwrap())
        };
        let killed = (3, evidence(PeState::Running, 9).fault(None).unwrap());
        let told = "PE 1 of 4 was stopped: the PEs disagree: PE 1 waits";
        assert_eq!(report(4, &[stuck(1), stuck(2)]).unwrap().0, told);
        let told = format!("{told} (one other PE failed at the same time)");
        assert_eq!(report(4, &[stuck(1), stuck(2), killed]).unwrap().0, told);
    }

    #[test]
    fn the_one_that_says_why_is_reported() {
        let left = (1, exited(PeState::Running, 0).fault(None).unwrap());
        let killed = (2, evidence(PeState::Running, 9).fault(None).unwrap());
        let panicked = (3, Evidence { text: String::from("a.rs:1:2: oh"), ..exited(PeState::Panicked, 101) });
        let panicked = (panicked.0, panicked.1.fault(None).unwrap());
        assert_eq!(report(4, &[]), None);
        // All PEs have the error of a collective call, and how many are seen to return it is
        // chance.
        let all = |pe| {
            let text = String::from("Checkpoint: PE 1: no space (one other PE failed too)");
            (pe, Evidence { text, ..exited(PeState::Failed, 1) }.fault(None).unwrap())
        };
        let told = "PE 0 of 4 returned an error: Checkpoint: PE 1: no space (one other PE failed too)";
        assert_eq!(report(4, &[all(0), all(3), all(2)]).unwrap().0, told);
        let (text, status) = report(4, &[left.clone(), killed.clone(), panicked]).unwrap();
        assert_eq!(text, "PE 3 of 4 panicked at a.rs:1:2: oh (2 other PEs failed at the same time)");
        assert_eq!(status, 101);
        let (text, status) = report(4, &[left, killed]).unwrap();
        assert!(
            text.starts_with("PE 2 of 4 was killed")
                && text.ends_with("(one other PE failed at the same time)")
        );
        assert_eq!(status, 137);
    }
}
