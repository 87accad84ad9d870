#[shmem::main]
fn main() -> u64 {
    3
}
