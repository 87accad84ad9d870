#[shmem::main]
fn main() -> Option<()> {
    None
}
