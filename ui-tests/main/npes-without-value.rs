#[shmem::main(npes)]
fn main() {}
