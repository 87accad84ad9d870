//! Runs the example `halo` under Slurm, in the ways that the book's page on the way to a cluster
//! shows, and by the scripts of its page for operators.
//!
//! Each test has a Slurm of its own, of one machine with four processors: `cluster.sh` starts it in
//! namespaces of its own, which end with it. Where this machine does not permit that, or Slurm is not
//! installed, the tests are ignored, and a notice says so.

#[allow(dead_code)] // for the tests of other examples
#[path = "../common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial, run};

use common::{check_halo, check_picture, decode, finish, program};

/// What is started in a Slurm, and which Debian package it is of.
const TOOLS: [(&str, &str); 5] = [
    ("slurmctld", "slurmctld"),
    ("slurmd", "slurmd"),
    ("srun", "slurm-client"),
    ("munged", "munge"),
    ("oshrun", "openmpi-bin"),
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // One after the other: the PEs poll.
    arguments.test_threads.get_or_insert(1);
    let refused = refused();
    if let (Some(reason), false) = (&refused, arguments.list) {
        eprintln!("\nNOT TESTED: programs under Slurm. {reason}\n");
    }
    let trials = [
        ("one_task_starts_the_pes", one_task_starts_the_pes as fn()),
        ("srun_starts_the_pes", srun_starts_the_pes),
        ("oshrun_starts_the_pes_of_an_allocation", oshrun_starts_the_pes_of_an_allocation),
        ("the_scripts_of_the_book_run", the_scripts_of_the_book_run),
    ];
    let trial = |(name, test): (&str, fn())| {
        let trial = Trial::test(name, move || {
            test();
            Ok(())
        });
        trial.with_ignored_flag(refused.is_some())
    };
    run(&arguments, trials.into_iter().map(trial).collect()).exit_code()
}

/// Why there is no Slurm here.
fn refused() -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    for (tool, package) in TOOLS {
        if !std::env::split_paths(&path).any(|folder| folder.join(tool).exists()) {
            return Some(format!("There is no {tool} (Debian's package is {package})."));
        }
    }
    let mut unshare = unshare();
    match unshare.arg("true").output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(format!("{unshare:?}: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Some(format!("unshare: {error}")),
    }
}

/// The command that runs another one in namespaces of its own, all of which end with it.
fn unshare() -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--kill-child"]);
    command
}

/// Runs a line of the shell under a Slurm, in a folder of this test's own. Returns what it has printed,
/// and the folder.
fn under_slurm(test: &str, line: &str) -> (String, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("slurm-{test}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the folder of an earlier run can be removed");
    }
    fs::create_dir_all(&folder).expect("the target folder can be written to");
    let mut command = unshare();
    command
        .args(["sh", concat!(env!("CARGO_MANIFEST_DIR"), "/slurm/cluster.sh")])
        .arg(&folder)
        .args(["sh", "-c", line])
        .current_dir(&folder)
        .env("HALO", program("halo"))
        // As on the page on clusters: a job of root, and more PEs than cores.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none")
        .env("OMPI_MCA_mpi_yield_when_idle", "1")
        .env_remove("SHMEM_TRANSPORT")
        .env_remove("SHMEM_TEST_NPES");
    let ran = finish(&mut command, |child| {
        child.kill().expect("the child is ours");
    });
    // Slurm's own tools say on standard error what becomes of a job.
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    (ran.out, folder)
}

/// The plate of four PEs, and its picture.
fn check(out: &str, folder: &Path) {
    let picture = folder.join("heat.png");
    check_halo(4, out, Path::new("heat.png"));
    check_picture(&decode(&picture));
}

fn one_task_starts_the_pes() {
    let line = "SHMEM_TRANSPORT=smp SHMEM_NPES=4 srun -n 1 -c 4 $HALO heat.png";
    let (out, folder) = under_slurm("one", line);
    check(&out, &folder);
}

fn srun_starts_the_pes() {
    let (out, folder) = under_slurm("srun", "srun --mpi=pmix -n 4 $HALO heat.png");
    check(&out, &folder);
}

fn oshrun_starts_the_pes_of_an_allocation() {
    let (out, folder) = under_slurm("salloc", "salloc -n 4 oshrun -np 4 $HALO heat.png");
    check(&out, &folder);
}

/// The scripts of the page for operators, as they are there. In the folder of a job, `halo` is the
/// program.
const SCRIPTS: [(&str, &str); 4] = [
    ("srun", include_str!("scripts/srun.sbatch")),
    ("oshrun", include_str!("scripts/oshrun.sbatch")),
    ("program", include_str!("scripts/program.sbatch")),
    ("one-host", include_str!("scripts/one-host.sbatch")),
];

/// What Open MPI says where `srun` has started the PEs without PMIx; the page for operators has it.
const WITHOUT_PMIX: &str = "The application appears to have been direct launched using \"srun\", but OMPI was not built with \
                            SLURM's PMI support";

/// One Slurm runs all of them, each in a folder of its own.
fn the_scripts_of_the_book_run() {
    let mut line = String::from("set -e\n");
    for (name, script) in SCRIPTS {
        line += &format!(
            "mkdir {name}\ncd {name}\nln -s $HALO halo\ncat >heat.sbatch <<'END'\n{script}END\n\
             sbatch --wait heat.sbatch >&2 || {{ cat heat.out >&2; exit 1; }}\ncd ..\n"
        );
    }
    line += "srun --mpi=none -n 2 $HALO >none.out 2>&1 && exit 1\ntrue\n";
    let (_, folder) = under_slurm("sbatch", &line);
    for (name, _) in SCRIPTS {
        let folder = folder.join(name);
        let out = fs::read_to_string(folder.join("heat.out")).expect("the job has written its output");
        check(&out, &folder);
    }
    let said = fs::read_to_string(folder.join("none.out")).expect("srun has said something");
    let said: Vec<&str> = said.split_whitespace().collect();
    assert!(said.join(" ").contains(WITHOUT_PMIX), "{said:?}");
    assert!(include_str!("../../../book/src/operators.md").contains(WITHOUT_PMIX));
}
