// No name is there but those that are written out.
#![no_implicit_prelude]

#[derive(::std::clone::Clone, ::std::marker::Copy, ::shmem::Symmetric)]
#[repr(C)]
struct Pair(u64, u64);

#[::shmem::symmetric]
static PAIRS: ::shmem::PerPe<[Pair; 3]> = ::shmem::PerPe::new([Pair(1, 2); 3]);
#[::shmem::symmetric]
static COUNT: ::shmem::Atomic<u64> = ::shmem::Atomic::new(0);

#[::shmem::kernel]
fn count(pe: usize) {
    ::shmem::remote!(COUNT[pe]) += 1;
}

#[::shmem::test(npes = [1, 2])]
fn never_run(_: &::shmem::World) {}

#[::shmem::main(npes = 2)]
fn main(world: &::shmem::World) -> ::std::result::Result<(), ::shmem::Error> {
    let me = world.my_pe();
    let right = (me + 1) % world.n_pes();
    ::shmem::remote!(PAIRS[right, me, 0..3;2].1) = [7, 8];
    count(right);
    world.barrier_all();
    ::std::assert_eq!(::shmem::local!(PAIRS[right, ..].1), [7, 2, 8]);
    ::std::assert_eq!(::shmem::collective!(prod::shmem::local!(COUNT) + 1), 4);
    ::std::result::Result::Ok(())
}
