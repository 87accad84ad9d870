use shmem::prelude::*;

#[derive(Clone, Copy)]
#[repr(u8)]
enum Phase {
    Idle,
}

#[symmetric]
static PHASES: [Phase; 4] = [Phase::Idle; 4];

fn main() {}
