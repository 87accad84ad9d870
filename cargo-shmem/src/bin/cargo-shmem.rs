//! `cargo shmem`.

fn main() -> std::process::ExitCode {
    cargo_shmem::cargo_shmem(std::env::args_os())
}
