//! Arrays and streams of GPUs, with the back end `host`.

#[path = "../harness/random.rs"]
mod random;

mod collective_kernels;
mod collectives;
mod compare;
mod cuda;
mod cuda_kernels;
mod cudarc;
mod dlpack;
mod failures;
mod generate;
mod kernels;
mod language;
mod nvshmem;
mod registered;
mod streams;
