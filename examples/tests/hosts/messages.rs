//! What the launcher, the loader, the library and this crate say when something is missing or a PE
//! dies: the table of the page for operators has each message, and here each is provoked.

use rustix::process::{Signal, getpid, kill_process};
use shmem::prelude::*;

use super::cluster;
use super::common::{finish, program};

/// Started with this argument, the binary is this program.
pub(crate) const PROGRAM: &str = "--is-killed";

/// The last PE is killed, as on a host that has no memory left.
#[shmem::main]
pub(crate) fn killed(world: &World) {
    if world.my_pe() + 1 == world.n_pes() {
        let _ = kill_process(getpid(), Signal::KILL);
    }
    world.barrier_all();
}

/// A line of the shell on the near host, where `heat` is the program and `hello` the example, and a
/// message, with `…` for what is different in each run.
const MESSAGES: [(&str, &str); 13] = [
    (
        "oshrun -np 999 heat",
        "There are not enough slots available in the system to satisfy the 999 slots that were requested",
    ),
    ("unset OMPI_ALLOW_RUN_AS_ROOT; oshrun -np 2 heat", "oshrun has detected an attempt to run as root."),
    (
        "oshrun -np 1 /opt/heat",
        "oshrun was unable to launch the specified application as it could not access or execute an executable",
    ),
    ("oshrun --host node7:1 -np 1 heat", "ORTE was unable to reliably start one or more daemons."),
    (
        "oshrun --host 10.77.0.1:1,10.77.0.2:1 -np 2 heat",
        "oshrun noticed that process rank 1 with PID … on node … exited on signal 9 (Killed).",
    ),
    (
        "oshrun --host 10.77.0.1:1,10.77.0.2:1 -np 1 hello : -np 1 heat",
        "the symmetric statics of PE … are not those of PE …; every PE must run the same build of the same program",
    ),
    ("UCX_TLS=rc oshrun -np 1 heat", "no usable transports/devices (asked rc on all devices)"),
    ("UCX_TLS=rc oshrun -np 1 heat", "No available spml components were found!"),
    (
        "UCX_NET_DEVICES=mlx5_0:1 oshrun -np 1 heat",
        "network device 'mlx5_0:1' is not available, please use one or more of:",
    ),
    (
        "without_library heat",
        "error while loading shared libraries: liboshmem.so.… cannot open shared object file: No such file or \
         directory",
    ),
    (
        "SHMEM_TRANSPORT=openshmem SHMEM_LAUNCHER=/opt/oshrun heat",
        "shmem: cannot run the launcher oshrun; SHMEM_TRANSPORT=openshmem starts PEs with it",
    ),
    (
        "PMI_RANK=0 PMI_SIZE=2 heat",
        "the launcher has started 2 processes (PMI_SIZE=2), and the C library knows of 1",
    ),
    (
        "SHMEM_SYMMETRIC_SIZE=100T oshrun -np 1 heat",
        "each PE is to have … bytes of symmetric heap, and this host has … left",
    ),
];

/// Before each line: has the loader not find the library of a program, in a mount namespace of its
/// own.
const BEGIN: &str = r#"
without_library() {
    library=$(ldd "$1" | sed -n 's/.*liboshmem[^ ]* => \([^ ]*\) .*/\1/p')
    mkdir -p /dev/shm/over/up /dev/shm/over/work
    mknod "/dev/shm/over/up/$(basename "$library")" c 0 0
    folder=$(dirname "$library")
    unshare --mount sh -c 'mount -t overlay overlay -o "$0" "$1" && exec "$2" "$3"' \
        "lowerdir=$folder,upperdir=/dev/shm/over/up,workdir=/dev/shm/over/work" "$folder" "$@"
}
"#;

/// Whether the words of a message are in a text, in their order.
fn has(text: &str, message: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut rest = text.as_str();
    message.split('…').map(str::trim).all(|part| {
        let found = rest.split_once(part);
        rest = found.map_or("", |(_, rest)| rest);
        found.is_some()
    })
}

pub(crate) fn messages_are_those_of_the_page() {
    let cluster = cluster();
    let heat = format!("{} {PROGRAM}", std::env::current_exe().expect("the test has a path").display());
    let hello = program("hello").display().to_string();
    let page = include_str!("../../../book/src/operators.md");
    for (line, message) in MESSAGES {
        assert!(page.contains(message), "{message:?} is not on the page");
        let mut command = cluster.with_settings("sh");
        let line = line.replace(" heat", &format!(" {heat}")).replace(" hello", &format!(" {hello}"));
        command.args(["-c", &format!("{BEGIN}\n{line}")]);
        let ran = finish(&mut command, |child| {
            let _ = child.kill();
        });
        assert!(has(&(ran.out.clone() + &ran.err), message), "{line}: {ran:#?}");
    }
}
