#[shmem::test]
fn ring<const N: usize>() {}

fn main() {}
