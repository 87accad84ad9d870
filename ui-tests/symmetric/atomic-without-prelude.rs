#[shmem::symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

fn main() {}
