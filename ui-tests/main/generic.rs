#[shmem::main]
fn main<T>() {}
