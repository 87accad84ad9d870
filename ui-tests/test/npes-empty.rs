#[shmem::test(npes = [])]
fn ring() {}

fn main() {}
