#[shmem::main]
fn main(n: &usize) {}
