#[shmem::main(pes = 4)]
fn main() {}
