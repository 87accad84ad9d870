use shmem::prelude::*;

use std::sync::Mutex;

#[symmetric]
static COUNT: Mutex<u64> = Mutex::new(0);

fn main() {}
