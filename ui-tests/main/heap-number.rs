#[shmem::main(heap = 1024)]
fn main() {}
