#[shmem::test]
mod tests {}

fn main() {}
