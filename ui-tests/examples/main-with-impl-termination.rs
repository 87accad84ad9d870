// Whatever a program's `main` may return; attributes and documentation stay on it.

/// Documented.
#[allow(clippy::unused_unit)]
#[shmem::main(npes = 1)]
#[inline]
pub fn main(_: &shmem::World) -> impl std::process::Termination {
    let value: Result<(), std::num::ParseIntError> = "3".parse::<u8>().map(drop);
    value
}
