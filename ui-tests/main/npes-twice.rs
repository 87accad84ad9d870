#[shmem::main(npes = 2, npes = 4)]
fn main() {}
