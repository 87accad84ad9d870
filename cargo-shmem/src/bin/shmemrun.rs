//! `shmemrun`.

fn main() -> std::process::ExitCode {
    cargo_shmem::shmemrun(std::env::args_os())
}
