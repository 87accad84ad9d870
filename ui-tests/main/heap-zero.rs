#[shmem::main(heap = "0")]
fn main() {}
