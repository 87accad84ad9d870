#[shmem::test]
fn ring(n: usize) {}

fn main() {}
