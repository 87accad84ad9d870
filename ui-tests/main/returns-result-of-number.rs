#[shmem::main]
fn main() -> Result<u64, shmem::Error> {
    Ok(3)
}
