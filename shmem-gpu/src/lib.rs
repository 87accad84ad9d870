//! What the feature `gpu` of the library `shmem` stands on, as far as it knows no element type:
//!
//! * [`worker`]: a stream of the host back end, which is a thread that does its work in order;
//! * [`kernel`]: blocks of threads that run a kernel on the host back end;
//! * [`compiler`]: machine code of GPUs, made of the text of a kernel;
//! * [`choice`]: the back end and the device that a PE uses, by the environment;
//! * [`nvshmem`]: devices and their streams, by CUDA's driver and NVSHMEM, which are opened at run time.
//!
//! A program does not name this crate: it uses `shmem::gpu`. Not part of the API of `shmem`: any
//! release may change it.

pub mod choice;
pub mod compiler;
mod error;
pub mod kernel;
pub mod nvshmem;
pub mod worker;

pub use error::Error;
