#[shmem::main]
fn main(_n: &usize) {}
