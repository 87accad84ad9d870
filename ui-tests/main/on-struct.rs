#[shmem::main]
struct Program;

fn main() {}
