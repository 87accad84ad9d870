#[shmem::test(npes = 1..4)]
fn ring() {}

fn main() {}
