#[shmem::main(npes = 1_000_000)]
fn main() {}
