//! The choice of a process's transport: the user's, else according to the program that started the
//! process.

use std::env;
use std::ffi::{OsStr, OsString};

use crate::system::env::Carrier;
use crate::system::error::Error;
use crate::system::threads::is_only_thread;

/// A variable for the processes that a PE of a C library starts: the number of the PE's process. It
/// tells them that the launcher's variables were meant for that process.
pub(super) const CLAIMED: &str = "SHMEM_CLAIMED";
/// A variable for the PEs that this library starts through a launcher: their number, the size of
/// the heap, and the test that they are to run.
pub(super) const LAUNCHED: &str = "SHMEM_LAUNCHED";

/// The variables that a launcher of OpenSHMEM or MPI programs sets for each process.
struct Sign {
    /// The number of the process.
    rank: &'static str,
    /// The number of processes, where the launcher has a variable for it.
    size: Option<&'static str>,
    /// Whether a job of one process is ambiguous, because the user's shell may have the same
    /// variables.
    several: bool,
}

/// The more specific ones come first: Open MPI's launcher uses PMIx, and any of them may run inside
/// a step of Slurm.
const SIGNS: [Sign; 5] = [
    // Open MPI.
    Sign { rank: "OMPI_COMM_WORLD_RANK", size: Some("OMPI_COMM_WORLD_SIZE"), several: false },
    // Hydra (MPICH, Sandia OpenSHMEM), srun --mpi=pmi2, Cray.
    Sign { rank: "PMI_RANK", size: Some("PMI_SIZE"), several: false },
    // srun --mpi=pmix and other launchers that use PMIx. The size is Slurm's, below.
    Sign { rank: "PMIX_RANK", size: None, several: false },
    // HPE's application launcher.
    Sign { rank: "PALS_RANKID", size: None, several: false },
    // srun. Its other variables are set in the shell of a batch job, too; and the shell of `srun
    // --pty` has those of a step of one task.
    Sign { rank: "SLURM_PROCID", size: Some("SLURM_STEP_NUM_TASKS"), several: true },
];

/// The launcher that has started this process, according to its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DetectedLauncher {
    /// The variable by which it was recognised.
    pub(super) variable: &'static str,
    /// The value of that variable: the number of this process in the launcher's job.
    pub(super) rank: Option<usize>,
    /// The variable with the number of processes, and that number.
    pub(super) size: Option<(&'static str, usize)>,
}

/// How this process was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// The launcher whose variables are set, and meant for this process.
    pub(super) launcher: Option<DetectedLauncher>,
    /// The job that this library started the launcher for.
    pub(super) launched: Option<Launched>,
    /// Whether a launcher's variables are set that are meant for another process.
    pub(super) nested: bool,
}

/// The job description for the PEs that this library starts through a launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Launched {
    /// The number of PEs.
    pub(super) npes: usize,
    /// Bytes of symmetric heap on each.
    pub(super) heap: usize,
    /// Where the PEs write down what they do, for the process that has started the launcher. It
    /// contains no comma.
    pub(super) records: Option<String>,
    /// Where they write their journals, in a run that looks for races. It contains no comma.
    pub(super) journals: Option<String>,
    /// Where they write those of a run that is traced. It contains no comma.
    pub(super) recording: Option<String>,
    /// The test to run; a program's job has none.
    pub(super) test: Option<String>,
}

/// The role of a process, and the reason for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// The role.
    pub(super) role: Role,
    /// The transport and the reason, as `SHMEM_INFO` prints them.
    pub(super) why: String,
}

/// The roles of a process that is not a PE of a job on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Starts PEs on this machine.
    Supervise,
    /// Starts the launcher of the C library.
    Launch,
    /// Is a PE of the C library.
    Join(DetectedLauncher),
}

impl Origin {
    /// Whether the environment has a launcher's variables.
    pub(super) fn has_signs() -> bool {
        SIGNS.iter().any(|sign| env::var_os(sign.rank).is_some())
    }

    /// Reads the environment of this process.
    pub(super) fn read() -> Result<Origin, Error> {
        Origin::from(|name| env::var_os(name), std::process::id())
    }

    /// Interprets the variables that `look` reads, for the process with the number `process`.
    fn from(look: impl Fn(&str) -> Option<OsString>, process: u32) -> Result<Origin, Error> {
        let other = |claimed: OsString| claimed != OsStr::new(&process.to_string());
        if look(CLAIMED).is_some_and(other) {
            return Ok(Origin { launcher: None, launched: None, nested: true });
        }
        let number = |name: &str| look(name)?.to_str()?.parse::<usize>().ok();
        let seen = |sign: &Sign| {
            look(sign.rank)?;
            let size = sign.size.and_then(|name| Some((name, number(name)?)));
            if sign.several && size.is_none_or(|(_, size)| size < 2) {
                return None;
            }
            Some(DetectedLauncher { variable: sign.rank, rank: number(sign.rank), size })
        };
        let mut found = SIGNS.iter().filter_map(seen);
        let launcher = found.next().map(|first| {
            // PMIx's own number comes without a size; the step of Slurm in which the process runs
            // has one.
            let size = first.size.or_else(|| found.find(|other| other.rank == first.rank)?.size);
            DetectedLauncher { size, ..first }
        });
        let launched = look(LAUNCHED).map(|value| {
            let value = value.to_string_lossy();
            Launched::decode(&value).ok_or_else(|| Error::Environment {
                variable: LAUNCHED,
                value: value.clone().into_owned(),
                expected: String::from("it is set by this library for the launcher that it starts; unset it"),
            })
        });
        Ok(Origin { launcher, launched: launched.transpose()?, nested: false })
    }

    /// Records that this process is a program, and no test. If this library started the job to run
    /// a test, only the harness is a PE of it.
    pub(super) fn is_program(&mut self) {
        if self.launched.as_ref().is_some_and(|launched| launched.test.is_some()) {
            *self = Origin { launcher: None, launched: None, nested: true };
        }
    }

    /// Records that this process is a test harness, whose tests start their own PEs: the launcher's
    /// variables are not meant for those.
    ///
    /// # Errors
    ///
    /// When the harness is one of several.
    pub(super) fn is_harness(&mut self) -> Result<(), Error> {
        let Some(launcher) = self.launcher.take() else { return Ok(()) };
        self.nested = true;
        match launcher.size {
            Some((name, size)) if size > 1 => Err(Error::Job {
                reason: format!(
                    "these tests were started {size} times (as {name} tells), and each starts its own PEs: start them once, without a \
                 launcher, and with SHMEM_TRANSPORT=openshmem if they are to use the C library"
                ),
            }),
            _ => Ok(()),
        }
    }

    /// Chooses the role, when the user has selected the transport `wanted`, or none. `openshmem` is
    /// true if this program was built with the C library.
    pub(super) fn choose(self, wanted: Option<Carrier>, openshmem: bool) -> Result<Choice, Error> {
        let Origin { launcher, launched, nested: _ } = self;
        let named = match wanted {
            Some(Carrier::Smp) => {
                return Ok(Choice { role: Role::Supervise, why: "smp (SHMEM_TRANSPORT says so)".to_owned() });
            }
            Some(Carrier::Openshmem) if !openshmem => {
                return Err(Error::Environment {
                    variable: "SHMEM_TRANSPORT",
                    value: "openshmem".to_owned(),
                    expected: "this program was built without the C library; build it with the feature `openshmem` of the \
                               package shmem-core"
                        .to_owned(),
                });
            }
            Some(Carrier::Openshmem) => true,
            None => false,
        };
        match launcher {
            Some(launcher) if openshmem => {
                let and = if named { "SHMEM_TRANSPORT says so, and " } else { "" };
                let why = format!("openshmem ({and}a launcher has set {})", launcher.variable);
                Ok(Choice { role: Role::Join(launcher), why })
            }
            Some(launcher) => match launcher.size {
                Some((_, 1)) => {
                    let why = format!(
                        "smp ({} is set, and this program was built without the C library)",
                        launcher.variable
                    );
                    Ok(Choice { role: Role::Supervise, why })
                }
                size => Err(Error::Job { reason: started_in_vain(&launcher, size) }),
            },
            None => match launched {
                Some(Launched { npes, .. }) => Err(Error::Job {
                    reason: format!(
                        "this process was started as one of {npes} PEs by the command of SHMEM_LAUNCHER, and finds no variable of a \
                     launcher of OpenSHMEM programs (such as {}); SHMEM_LAUNCHER must be the launcher of the C library that the \
                     program is linked with",
                        SIGNS.map(|sign| sign.rank).join(", ")
                    ),
                }),
                None if named => Ok(Choice {
                    role: Role::Launch,
                    why: "openshmem (SHMEM_TRANSPORT says so, and no launcher has started this process)"
                        .to_owned(),
                }),
                None => Ok(Choice {
                    role: Role::Supervise,
                    why: "smp (no launcher has started this process)".to_owned(),
                }),
            },
        }
    }
}

/// Records in the environment that the launcher's variables belong to this process. The processes
/// that it starts are no PEs.
pub(super) fn claim() {
    // With other threads this would be unsound, and is not done. Then a program of this library
    // that this process starts needs `SHMEM_TRANSPORT=smp`.
    if is_only_thread() {
        // SAFETY: the environment may be changed while no other thread reads it, and there is no
        // other thread: only this one could start one.
        unsafe {
            env::set_var(CLAIMED, std::process::id().to_string());
            env::remove_var(LAUNCHED);
        }
    }
}

/// The message for a program that cannot be a PE of the launcher's job: each of its processes would
/// start a job of its own.
fn started_in_vain(launcher: &DetectedLauncher, size: Option<(&str, usize)>) -> String {
    let how_many = match size {
        Some((name, size)) => format!("{size} times (as {name} tells)"),
        None => format!("by a launcher (as {} tells)", launcher.variable),
    };
    format!(
        "this program was started {how_many}, and cannot join the others, as it was built without the C library: build it with \
         the feature `openshmem` of the package shmem-core, or start it without a launcher, or set SHMEM_TRANSPORT=smp for a job \
         of its own in each of the processes"
    )
}

impl Launched {
    /// The variable's value.
    #[cfg(any(test, feature = "openshmem"))]
    pub(super) fn encode(&self) -> String {
        let Launched { npes, heap, records, journals, recording, test } = self;
        let mut text = format!("npes={npes},heap={heap}");
        // The test's name comes last, because it may contain any character.
        for (name, value) in
            [("records", records), ("journals", journals), ("recording", recording), ("test", test)]
        {
            if let Some(value) = value {
                text.push_str(&format!(",{name}={value}"));
            }
        }
        text
    }

    /// Parses a value of the variable.
    fn decode(value: &str) -> Option<Launched> {
        let (npes, rest) = value.strip_prefix("npes=")?.split_once(",heap=")?;
        let (heap, test) = match rest.split_once(",test=") {
            Some((heap, test)) => (heap, Some(test.to_owned())),
            None => (rest, None),
        };
        // From the end.
        let mut rest = heap;
        let mut last = |name: &str| {
            let (before, value) = rest.split_once(name)?;
            rest = before;
            Some(value.to_owned())
        };
        let recording = last(",recording=");
        let (journals, records) = (last(",journals="), last(",records="));
        let (npes, heap) = (npes.parse().ok()?, rest.parse().ok()?);
        Some(Launched { npes, heap, records, journals, recording, test })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Variables<'a> = &'a [(&'a str, &'a str)];
    type Size = Option<(&'static str, usize)>;

    const ME: u32 = 4711;

    fn origin(variables: Variables<'_>) -> Origin {
        let look = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        Origin::from(look, ME).expect("no nonsense")
    }

    fn seen(variables: Variables<'_>) -> Option<DetectedLauncher> {
        origin(variables).launcher
    }

    /// One launcher of each kind, with the number and the size that its variables give.
    const LAUNCHERS: [(Variables<'_>, &str, Size); 7] = [
        (
            &[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "2")],
            "OMPI_COMM_WORLD_RANK",
            Some(("OMPI_COMM_WORLD_SIZE", 4)),
        ),
        (&[("PMI_RANK", "2"), ("PMI_SIZE", "4")], "PMI_RANK", Some(("PMI_SIZE", 4))),
        (&[("PMIX_RANK", "2")], "PMIX_RANK", None),
        (
            &[("PMIX_RANK", "2"), ("SLURM_PROCID", "2"), ("SLURM_STEP_NUM_TASKS", "4")],
            "PMIX_RANK",
            Some(("SLURM_STEP_NUM_TASKS", 4)),
        ),
        (&[("PALS_RANKID", "2")], "PALS_RANKID", None),
        (&[("PALS_RANKID", "2"), ("PMI_RANK", "2"), ("PMI_SIZE", "4")], "PMI_RANK", Some(("PMI_SIZE", 4))),
        (
            &[("SLURM_PROCID", "2"), ("SLURM_STEP_NUM_TASKS", "4")],
            "SLURM_PROCID",
            Some(("SLURM_STEP_NUM_TASKS", 4)),
        ),
    ];

    #[test]
    fn launchers_give_themselves_away() {
        for (variables, variable, size) in LAUNCHERS {
            assert_eq!(
                seen(variables),
                Some(DetectedLauncher { variable, rank: Some(2), size }),
                "{variables:?}"
            );
        }
        assert_eq!(seen(&[]), None);
        // A daemon of Open MPI's launcher is itself a task of a step, which has one task for each
        // host.
        let nested = [("OMPI_COMM_WORLD_RANK", "5"), ("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2")];
        assert_eq!(seen(&nested).unwrap().size, None);
        // A variable that is not a number is still a sign of a launcher.
        let odd = seen(&[("PMI_RANK", "x"), ("PMI_SIZE", "")]).unwrap();
        assert_eq!((odd.rank, odd.size), (None, None));
    }

    #[test]
    fn a_shell_inside_of_slurm_is_no_launcher() {
        // In the script of a batch job.
        assert_eq!(seen(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4"), ("SLURM_JOB_ID", "1")]), None);
        // In the shell of `srun --pty`.
        assert_eq!(seen(&[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "1")]), None);
    }

    #[test]
    fn what_another_process_has_claimed_is_not_meant_for_this_one() {
        for (variables, ..) in LAUNCHERS {
            let with = |process: u32| {
                let process = process.to_string();
                let mut all = variables.to_vec();
                all.extend([(CLAIMED, process.as_str()), (LAUNCHED, "npes=4,heap=1")]);
                origin(&all)
            };
            assert!(with(ME).launcher.is_some() && with(ME).launched.is_some());
            assert_eq!(with(ME + 1), Origin { launcher: None, launched: None, nested: true });
        }
    }

    fn launched(heap: usize, places: [Option<&str>; 3], test: Option<&str>) -> Launched {
        let [records, journals, recording] = places.map(|place| place.map(str::to_owned));
        Launched { npes: 4, heap, records, journals, recording, test: test.map(str::to_owned) }
    }

    #[test]
    fn what_the_launching_process_says_is_understood() {
        for launched in [
            launched(1 << 40, [None; 3], None),
            launched(1, [Some("b/1/2/3/4"), None, None], None),
            launched(1, [None, Some("b/1/2/3/4"), None], None),
            launched(1, [None, None, Some("b/1/2/3/4")], None),
            launched(
                4096,
                [Some("b/1/2/3/4"), Some("b/1/3/3/5"), Some("b/1/3/4/6")],
                Some("a::b, test=c,records=d,journals=e,recording=f"),
            ),
        ] {
            assert_eq!(origin(&[(LAUNCHED, &launched.encode())]).launched, Some(launched));
        }
        for bad in ["", "4", "npes=4", "npes=-4,heap=1", "npes=4,heap=1,b"] {
            let look = |name: &str| (name == LAUNCHED).then(|| OsString::from(bad));
            let error = Origin::from(look, ME).unwrap_err().to_string();
            assert!(error.starts_with(&format!("SHMEM_LAUNCHED={bad:?} is not understood")), "{error}");
        }
    }

    /// The choice for each way of starting and each wanted transport, with and without the C
    /// library.
    #[test]
    fn all_choices() {
        let launcher = |size| DetectedLauncher { variable: "PMI_RANK", rank: Some(0), size };
        let one = launcher(Some(("PMI_SIZE", 1)));
        let four = launcher(Some(("PMI_SIZE", 4)));
        let unknown = launcher(None);
        let launched = Some(launched(1, [None; 3], None));
        let (smp, lib) = (Some(Carrier::Smp), Some(Carrier::Openshmem));
        let (supervise, launch) = (|| Ok(Role::Supervise), || Ok(Role::Launch));
        let join = |launcher: &DetectedLauncher| Ok(Role::Join(launcher.clone()));
        let (vain, unbuilt, unrecognised) = (
            || Err("as it was built without the C library: build it with"),
            || {
                Err(
                    "SHMEM_TRANSPORT=\"openshmem\" is not understood: this program was built without the C library",
                )
            },
            || Err("SHMEM_LAUNCHER must be the launcher of the C library"),
        );
        for (launcher, launched, wanted, with, without) in [
            (None, None, None, supervise(), supervise()),
            (None, None, smp, supervise(), supervise()),
            (None, None, lib, launch(), unbuilt()),
            (Some(&one), None, None, join(&one), supervise()),
            (Some(&one), None, smp, supervise(), supervise()),
            (Some(&one), None, lib, join(&one), unbuilt()),
            (Some(&four), None, None, join(&four), vain()),
            (Some(&four), None, smp, supervise(), supervise()),
            (Some(&four), None, lib, join(&four), unbuilt()),
            (Some(&unknown), None, None, join(&unknown), vain()),
            (Some(&unknown), None, smp, supervise(), supervise()),
            (Some(&unknown), None, lib, join(&unknown), unbuilt()),
            (Some(&four), launched.clone(), None, join(&four), vain()),
            (Some(&four), launched.clone(), lib, join(&four), unbuilt()),
            (None, launched.clone(), None, unrecognised(), unrecognised()),
            (None, launched.clone(), smp, supervise(), supervise()),
            (None, launched.clone(), lib, unrecognised(), unbuilt()),
        ] {
            for (openshmem, expected) in [(true, &with), (false, &without)] {
                let origin =
                    Origin { launcher: launcher.cloned(), launched: launched.clone(), nested: false };
                let case = format!("{origin:?}, {wanted:?}, {openshmem}");
                match (origin.choose(wanted, openshmem), expected) {
                    (Ok(choice), Ok(role)) => {
                        assert_eq!(&choice.role, role, "{case}");
                        let carrier = if *role == Role::Supervise { "smp (" } else { "openshmem (" };
                        assert!(choice.why.starts_with(carrier), "{case}: {}", choice.why);
                    }
                    (Err(error), Err(text)) => assert!(error.to_string().contains(text), "{case}: {error}"),
                    (choice, expected) => panic!("{case}: {choice:?}, and not {expected:?}"),
                }
            }
        }
    }

    #[test]
    fn what_a_test_starts_is_no_pe() {
        for (test, pe) in [(Some("a"), false), (None, true)] {
            let launched = launched(1, [None; 3], test);
            let mut origin = origin(&[("PMI_RANK", "1"), (LAUNCHED, &launched.encode())]);
            origin.is_program();
            assert_eq!((origin.launcher.is_some(), origin.launched.is_some(), origin.nested), (pe, pe, !pe));
        }
    }

    #[test]
    fn a_harness_starts_its_own_pes() {
        for (variables, _, size) in LAUNCHERS {
            let mut origin = origin(variables);
            match (origin.is_harness(), size) {
                (Ok(()), None) => assert_eq!(origin, Origin { launcher: None, launched: None, nested: true }),
                (Err(error), Some((name, _))) => {
                    assert!(error.to_string().contains(&format!("4 times (as {name} tells)")), "{error}");
                }
                (result, size) => panic!("{result:?}, {size:?}"),
            }
        }
    }

    #[test]
    fn the_reason_names_the_variable() {
        let why = |variables, wanted| origin(variables).choose(wanted, true).unwrap().why;
        let variables = [("PMIX_RANK", "0")];
        assert_eq!(why(&variables, None), "openshmem (a launcher has set PMIX_RANK)");
        let both = "openshmem (SHMEM_TRANSPORT says so, and a launcher has set PMIX_RANK)";
        assert_eq!(why(&variables, Some(Carrier::Openshmem)), both);
        assert_eq!(why(&variables, Some(Carrier::Smp)), "smp (SHMEM_TRANSPORT says so)");
        let error = Origin::choose(origin(LAUNCHERS[0].0), None, false).unwrap_err().to_string();
        assert!(error.contains("was started 4 times (as OMPI_COMM_WORLD_SIZE tells)"), "{error}");
    }
}
