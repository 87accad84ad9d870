const N: usize = 4;

#[shmem::main(npes = N)]
fn main() {}
