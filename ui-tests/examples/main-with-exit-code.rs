// Whatever a program's `main` may return.
use std::process::ExitCode;

#[shmem::main(npes = 2, heap = "1.5M")]
fn main() -> ExitCode {
    ExitCode::SUCCESS
}
