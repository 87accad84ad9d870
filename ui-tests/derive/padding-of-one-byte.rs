use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body(u16, u8);

fn main() {}
