#[shmem::main]
extern "C" fn main() {}
