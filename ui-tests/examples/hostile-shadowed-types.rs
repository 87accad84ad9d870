// Every name of the language's prelude means something else here.
#![allow(dead_code, non_camel_case_types, non_upper_case_globals)]

struct Result;
struct Option;
struct Some;
struct None;
struct Ok;
struct Err;
struct String;
struct Vec;
struct Box;
struct Static;
struct Index;
struct Range;
struct Fix;
struct usize;
struct u64;
struct str;
struct bool;
trait Copy {}
trait Clone {}
trait Sized {}
trait Send {}
trait Sync {}
trait Drop {}
trait Fn {}
trait FnOnce {}
trait Iterator {}
trait Into {}
trait From {}
trait Termination {}
fn drop() {}
mod core {}
mod std {}
mod alloc {}
mod inventory {}
mod __private {}

#[derive(::core::clone::Clone, ::core::marker::Copy, ::shmem::Symmetric)]
#[repr(C)]
struct Body {
    x: f64,
    y: f64,
}

#[::shmem::symmetric]
static BODIES: [Body; 4] = [Body { x: 0.0, y: 1.0 }; 4];
#[::shmem::symmetric]
static GRID: ::shmem::PerPe<[[i32; 2]; 3]> = ::shmem::PerPe::new([[0; 2]; 3]);
#[::shmem::symmetric]
static COUNT: ::shmem::Atomic<i64> = ::shmem::Atomic::new(0);

#[::shmem::kernel]
fn step(pe: ::core::primitive::usize) {
    ::shmem::remote!(BODIES[pe, 1..3].y) = [2.0, 3.0];
    ::shmem::remote!(GRID[pe, 0, 1.., 0]) = 5;
    ::shmem::remote!(COUNT[pe]) += 1;
}

#[::shmem::main(npes = 2, heap = "1M")]
fn main(world: &::shmem::World) -> ::core::result::Result<(), ::shmem::Error> {
    let right = (world.my_pe() + 1) % world.n_pes();
    step(right);
    let array = world.symmetric_array::<f32, 1>([4], 0.0)?;
    ::shmem::remote!(array[right, ..right]) = 1.0;
    world.barrier_all();
    assert!(::shmem::local!(BODIES[..].y) == [1.0, 2.0, 3.0, 1.0]);
    assert!(::shmem::local!(GRID[0, .., 0]) == [0, 5, 5]);
    assert!(::shmem::local!(COUNT) == 1);
    assert!(::shmem::collective!(sum 1i64) == 2);
    let mut buffer = [0.0; 2];
    ::shmem::local!(array[2..4] => &mut buffer);
    assert!(buffer == [0.0; 2]);
    ::core::result::Result::Ok(())
}
