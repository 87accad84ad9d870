#[shmem::kernel]
static COUNT: u64 = 0;

fn main() {}
