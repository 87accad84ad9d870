#[shmem::main(npes = [1, 2, 4])]
fn main() {}
