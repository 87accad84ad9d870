//! Machine code of a GPU, made of the text of a kernel.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use shmem_gpu::compiler::{Compiler, KernelCache};
use shmem_gpu::nvshmem::{FunctionKey, Places};

use super::{Kernel, source};
use crate::system::env;
use crate::system::error::Error;

/// The compiler of this process. An error is not kept: the next call looks again.
fn compiler() -> Result<&'static Compiler, Error> {
    static COMPILER: OnceLock<Compiler> = OnceLock::new();
    if let Some(compiler) = COMPILER.get() {
        return Ok(compiler);
    }
    let opened = Compiler::open(&Places::of_this_process())?;
    Ok(COMPILER.get_or_init(|| opened))
}

/// See [`LaunchKernel::compile`](super::LaunchKernel::compile).
pub(super) fn compile<K: Kernel>(architecture: &str) -> Result<Vec<u8>, Error> {
    let cache = KernelCache::of_this_user();
    let source = source::cuda_source::<K>();
    Ok(compiler()?.compile(K::TITLE, &source, architecture, cache.as_ref())?)
}

/// See [`CudaKernel::compile`](super::CudaKernel::compile).
pub(super) fn written(title: &str, text: &str, architecture: &str) -> Result<Vec<u8>, Error> {
    let cache = KernelCache::of_this_user();
    Ok(compiler()?.compile_written(title, text, architecture, cache.as_ref())?)
}

/// Compiles a kernel for the GPUs that `SHMEM_GPU_COMPILE` names, once in this process.
pub(super) fn as_asked<K: Kernel>() -> Result<(), Error> {
    once_as_asked(FunctionKey::Type(TypeId::of::<K>()), |architecture| compile::<K>(architecture))
}

/// The same of a kernel that is written in CUDA C++.
pub(super) fn written_as_asked(title: &str, name: &'static str, text: &'static str) -> Result<(), Error> {
    once_as_asked(FunctionKey::Text { name, text }, |architecture| written(title, text, architecture))
}

fn once_as_asked(key: FunctionKey, compile: impl Fn(&str) -> Result<Vec<u8>, Error>) -> Result<(), Error> {
    static ASKED: OnceLock<Vec<String>> = OnceLock::new();
    static COMPILED: Mutex<BTreeSet<FunctionKey>> = Mutex::new(BTreeSet::new());
    let asked = match ASKED.get() {
        Some(asked) => asked,
        None => {
            let read = env::gpu_architectures()?;
            ASKED.get_or_init(|| read)
        }
    };
    if asked.is_empty() {
        return Ok(());
    }
    // Held while it compiles: another thread that launches the kernel waits for it.
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if !compiled.contains(&key) {
        for architecture in asked {
            compile(architecture)?;
        }
        compiled.insert(key);
    }
    Ok(())
}
