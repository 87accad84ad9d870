#[shmem::main]
const fn main() {}
