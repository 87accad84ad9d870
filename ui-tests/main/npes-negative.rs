#[shmem::main(npes = -2)]
fn main() {}
