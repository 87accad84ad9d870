// The macros that expansions could use mean something else here.
#![allow(unused_macros)]

use shmem::prelude::*;

macro_rules! panic {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}
macro_rules! assert {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}
macro_rules! vec {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}
macro_rules! concat {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}
macro_rules! stringify {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}
macro_rules! module_path {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}
macro_rules! file {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}
macro_rules! line {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}
macro_rules! column {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}
macro_rules! compile_error {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}
macro_rules! submit {
    ($($tokens:tt)*) => {
        this_is_the_users_macro
    };
}

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    mass: f64,
}

#[symmetric]
static BODIES: [Body; 4] = [Body { mass: 1.0 }; 4];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

#[shmem::test]
fn never_run() {}

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    remote!(BODIES[right, 1..].mass) = [2.0, 3.0, 4.0];
    remote!(COUNT[right]) += 1;
    world.barrier_all();
    if local!(BODIES[..].mass) != [1.0, 2.0, 3.0, 4.0] || collective!(sum local!(COUNT)) != 2 {
        std::process::exit(1);
    }
}
