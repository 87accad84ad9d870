#[shmem::test(npes = [1, 0, 4])]
fn ring() {}

fn main() {}
