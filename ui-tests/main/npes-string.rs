#[shmem::main(npes = "4")]
fn main() {}
