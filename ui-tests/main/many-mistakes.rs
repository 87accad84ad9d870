#[shmem::main(npes = 0, heap = "x", threads = 3)]
async fn main<T>(a: u8, b: u8) {}
