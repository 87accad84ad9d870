#[shmem::main(npes = 0)]
fn main() {}
