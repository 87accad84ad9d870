#[shmem::main]
unsafe fn main() {}
