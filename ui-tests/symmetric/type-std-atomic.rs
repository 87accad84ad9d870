use shmem::prelude::*;

use std::sync::atomic::AtomicU64;

#[symmetric]
static COUNT: AtomicU64 = AtomicU64::new(0);

fn main() {}
