#[shmem::main(npes = 0, heap = "x", workers = 3)]
async fn main<T>(a: u8, b: u8) {}
