#[shmem::test(timeout = 3)]
fn ring() {}

fn main() {}
