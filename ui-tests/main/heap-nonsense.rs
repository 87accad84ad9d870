#[shmem::main(heap = "plenty")]
fn main() {}
