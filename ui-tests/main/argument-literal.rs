#[shmem::main(4)]
fn main() {}
