#[shmem::main]
async fn main() {}
