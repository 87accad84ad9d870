//! A program in which one PE waits for a debugger.

use std::time::Duration;
use std::{env, fs, process, thread};

use shmem::prelude::*;

#[symmetric]
static INBOX: usize = 0;

// ANCHOR: wait
/// The PE that `DEBUG_PE` names waits until a debugger is attached to it.
fn wait_for_debugger(world: &World) {
    let me = world.my_pe();
    if env::var("DEBUG_PE").is_ok_and(|pe| pe == me.to_string()) {
        eprintln!("PE {me} waits: gdb -p {}", process::id());
        while !is_traced() {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Whether a debugger is attached. Linux says so.
fn is_traced() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let tracer = lines.find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|pid| pid.trim() != "0")
}
// ANCHOR_END: wait

// ANCHOR: main
#[shmem::main]
fn main(world: &World) {
    wait_for_debugger(world);
    let me = world.my_pe();
    remote!(INBOX[(me + 1) % world.n_pes()]) = 100 + me;
    world.barrier_all();
    let left = (me + world.n_pes() - 1) % world.n_pes();
    assert_eq!(local!(INBOX), 100 + left);
}
// ANCHOR_END: main
