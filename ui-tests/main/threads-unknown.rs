#[shmem::main(threads = one)]
fn main() {}
