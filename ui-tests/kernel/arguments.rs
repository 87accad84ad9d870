#[shmem::kernel(npes = 4)]
fn step() {}

fn main() {}
