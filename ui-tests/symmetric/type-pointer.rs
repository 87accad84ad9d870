use shmem::prelude::*;

#[symmetric]
static AT: *const u8 = std::ptr::null();

fn main() {}
