#[shmem::test]
async fn ring() {}

fn main() {}
