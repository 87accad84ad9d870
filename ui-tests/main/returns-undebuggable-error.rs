struct Failed;

#[shmem::main]
fn main() -> Result<(), Failed> {
    Err(Failed)
}
