#[shmem::main(heap = "64MB")]
fn main() {}
