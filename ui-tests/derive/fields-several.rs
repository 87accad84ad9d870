// Each field is reported.
use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    fixed: bool,
    kind: char,
}

fn main() {}
