use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(u8)]
enum Phase {
    Idle,
}

fn main() {}
