#[shmem::test]
#[test]
fn ring() {}

fn main() {}
