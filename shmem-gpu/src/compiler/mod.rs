//! The compiler of kernels: CUDA C++ becomes machine code of a GPU, which needs no GPU.
//!
//! | file | what it is for |
//! |---|---|
//! | `nvrtc.rs` | NVRTC, CUDA's compiler as a library |
//! | `linker.rs` | nvJitLink, CUDA's linker as a library |
//! | `routines.cuh` | the routines of NVSHMEM that kernels call |
//! | `collectives.rs` | NVSHMEM's routines for collective calls of kernels |
//! | `cache.rs` | what was compiled before, on disk |
//!
//! NVSHMEM's routines are functions in its headers: a kernel that includes all of them takes NVRTC
//! half a minute. So those that kernels call are compiled once for each architecture, as a module
//! of their own (7 seconds), and the kernels are compiled with declarations alone (0.1 seconds).
//! Where a declaration is not what the headers have, that module does not compile. Of the
//! collective calls there are hundreds, and a kernel makes few of them: those of a kernel are one
//! more module.

mod cache;
mod collectives;
mod linker;
mod nvrtc;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

pub use cache::KernelCache;

use self::linker::Linker;
use self::nvrtc::Nvrtc;
use crate::Error;
use crate::nvshmem::{Places, Product, Wanted};

/// The routines that kernels call, by macros that say what becomes of them.
const ROUTINES: &str = include_str!("routines.cuh");

/// What a kernel gets for NVSHMEM's headers: declarations.
const DECLARE: &str = "#pragma once
#define RS_CONSTANT(NAME, VALUE) enum : int { NAME = VALUE };
#define RS_ROUTINE(RESULT, NAME, PARAMETERS) extern \"C\" __device__ RESULT NAME PARAMETERS;
";

/// The module of the routines: a second declaration that is not the same does not compile, and what is
/// used is there, also where a compiler leaves out inline functions that nothing uses.
const DEFINE: &str = "#include <nvshmem.h>
#include <nvshmemx.h>
#define RS_CONSTANT(NAME, VALUE) static_assert(NAME == VALUE, #NAME);
#define RS_ROUTINE(RESULT, NAME, PARAMETERS) extern \"C\" __device__ RESULT NAME PARAMETERS;
";
const KEEP: &str = "
#undef RS_CONSTANT
#undef RS_ROUTINE
#define RS_CONSTANT(NAME, VALUE)
#define RS_ROUTINE(RESULT, NAME, PARAMETERS) *kept++ = (const void *)&NAME;
extern \"C\" __device__ void rs_routines(const void **kept) {
";

const REMEDY: &str = "set CUDA_HOME to the folder of a CUDA toolkit of version 12 or 13, or run `pip install nvidia-cuda-nvrtc-cu12 \
                      nvidia-nvjitlink-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 nvidia-cuda-nvcc-cu12` in a virtual \
                      environment that is active";
const NVSHMEM_REMEDY: &str = "install NVSHMEM 3 and set NVSHMEM_HOME to its folder, or run `pip install nvidia-nvshmem-cu12` in a \
                              virtual environment that is active";

const COMPILER: Wanted = Wanted {
    title: "libnvrtc.so",
    names: &["libnvrtc.so.12", "libnvrtc.so.13"],
    product: Product::Cuda,
    folders: &["lib64", "lib"],
    wheels: &["nvidia/cuda_nvrtc/lib", "nvidia/cu13/lib"],
    is_shared: true,
    remedy: REMEDY,
};

const LINKER: Wanted = Wanted {
    title: "libnvJitLink.so",
    names: &["libnvJitLink.so.12", "libnvJitLink.so.13"],
    wheels: &["nvidia/nvjitlink/lib", "nvidia/cu13/lib"],
    ..COMPILER
};

/// What NVSHMEM's headers include.
const CUDA_HEADERS: [Wanted; 2] = [
    Wanted {
        title: "cuda_runtime.h",
        names: &["cuda_runtime.h"],
        folders: &["include"],
        wheels: &["nvidia/cuda_runtime/include", "nvidia/cu13/include"],
        is_shared: false,
        ..COMPILER
    },
    Wanted {
        title: "cuda/std/cstdint",
        names: &["cuda/std/cstdint"],
        folders: &["include", "include/cccl"],
        wheels: &["nvidia/cuda_cccl/include", "nvidia/cu13/include/cccl", "nvidia/cu13/include"],
        is_shared: false,
        ..COMPILER
    },
];

const NVSHMEM_HEADER: Wanted = Wanted {
    title: "nvshmem.h",
    names: &["nvshmem.h"],
    product: Product::Nvshmem,
    folders: &["include"],
    wheels: &["nvidia/nvshmem/include"],
    is_shared: false,
    remedy: NVSHMEM_REMEDY,
};

const DEVICE_LIBRARY: Wanted = Wanted {
    title: "libnvshmem_device.a",
    names: &["libnvshmem_device.a"],
    folders: &["lib", "lib64"],
    wheels: &["nvidia/nvshmem/lib"],
    ..NVSHMEM_HEADER
};

/// NVRTC, nvJitLink, and the device library of NVSHMEM.
#[derive(Debug)]
pub struct Compiler {
    nvrtc: Nvrtc,
    linker: Linker,
    includes: Vec<PathBuf>,
    device_library: PathBuf,
    /// What the machine code depends on besides text and architecture: in one line each.
    versions: String,
}

impl Compiler {
    /// Opens what is needed in the first of `places` that has it.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] where no place has a library or a header, with all of them;
    /// [`Error::Unusable`] where a file that was found is none.
    pub fn open(places: &Places) -> Result<Compiler, Error> {
        let device_library = places.find(&DEVICE_LIBRARY)?;
        let header = places.find(&NVSHMEM_HEADER)?;
        let mut includes = vec![folder_of(&header, &NVSHMEM_HEADER)];
        for wanted in CUDA_HEADERS {
            let folder = folder_of(&places.find(&wanted)?, &wanted);
            if !includes.contains(&folder) {
                includes.push(folder);
            }
        }
        let nvrtc = Nvrtc::open(places, &COMPILER)?;
        let linker = Linker::open(places, &LINKER)?;
        let mut versions = format!("{nvrtc}\n{linker}\n");
        // The version of NVSHMEM is in a header that the one above includes.
        for file in [&device_library, &header] {
            let _ = writeln!(versions, "{}", identity(file));
        }
        Ok(Compiler { nvrtc, linker, includes, device_library, versions })
    }

    /// The folders of the headers of NVSHMEM and CUDA.
    #[cfg(test)]
    pub(crate) fn includes(&self) -> &[PathBuf] {
        &self.includes
    }

    /// Compiles `source`, which is `title` for messages and has no more than declarations of NVSHMEM's
    /// routines, and links it with NVSHMEM, for a GPU such as `sm_90`. Returns the machine code, a cubin.
    ///
    /// What `cache` has is not compiled again.
    ///
    /// # Errors
    ///
    /// [`Error::Compile`], with what the compiler or the linker says.
    pub fn compile(
        &self,
        title: &str,
        source: &str,
        architecture: &str,
        cache: Option<&KernelCache>,
    ) -> Result<Vec<u8>, Error> {
        let key = format!("kernel\n{architecture}\n{}{ROUTINES}\n{source}", self.versions);
        let called = collectives::called(source);
        let modules = || {
            let mut modules = vec![("routines", self.routines(architecture, cache)?)];
            if !called.is_empty() {
                let text = collectives::definitions(&called);
                let calls = self.with_headers(architecture, "collective calls", &text, cache)?;
                modules.push(("collective calls", calls));
                modules.push(("puts with a signal", self.put_signal(architecture, cache)?));
            }
            Ok(modules)
        };
        let object = || {
            let declarations = format!("{DECLARE}{ROUTINES}{}", collectives::declarations(&called));
            // Under the names of NVSHMEM's headers, so that the text is the same with these.
            let headers = [("nvshmem.h", declarations.as_str()), ("nvshmemx.h", "#pragma once\n")];
            self.nvrtc.compile(title, source, &headers, &options(architecture))
        };
        self.linked((title, architecture), &key, cache, modules, object)
    }

    /// Compiles a text that the program has written, which may include NVSHMEM's headers, and links
    /// it with NVSHMEM. Otherwise as [`compile`](Compiler::compile).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn compile_written(
        &self,
        title: &str,
        text: &str,
        architecture: &str,
        cache: Option<&KernelCache>,
    ) -> Result<Vec<u8>, Error> {
        let key = format!("written\n{architecture}\n{}{text}", self.versions);
        let modules = || match has_nvshmem(text) {
            true => Ok(vec![("puts with a signal", self.put_signal(architecture, cache)?)]),
            false => Ok(Vec::new()),
        };
        let object = || self.nvrtc.compile(title, text, &[], &self.options_with_headers(architecture));
        self.linked((title, architecture), &key, cache, modules, object)
    }

    /// What the cache has under `key`, or else what `object` makes, linked with `modules` and
    /// NVSHMEM.
    fn linked(
        &self,
        (title, architecture): (&str, &str),
        key: &str,
        cache: Option<&KernelCache>,
        modules: impl FnOnce() -> Result<Vec<(&'static str, Vec<u8>)>, String>,
        object: impl FnOnce() -> Result<Vec<u8>, String>,
    ) -> Result<Vec<u8>, Error> {
        let wrong = |reason: String| Error::Compile {
            kernel: title.to_owned(),
            architecture: architecture.to_owned(),
            reason,
        };
        self.nvrtc.check(architecture).map_err(wrong)?;
        if let Some(stored) = cache.and_then(|cache| cache.find(key)) {
            return Ok(stored);
        }
        // Before the lock of the kernel is taken: a PE holds one lock at a time.
        let modules = modules().map_err(wrong)?;
        let make = || {
            let object = object()?;
            let modules = modules.iter().map(|(name, module)| (*name, module.as_slice()));
            let objects: Vec<_> = [("kernel", object.as_slice())].into_iter().chain(modules).collect();
            self.linker.link(architecture, &objects, &self.device_library)
        };
        kept(cache, key, make).map_err(wrong)
    }

    /// NVSHMEM's routines for an architecture.
    fn routines(&self, architecture: &str, cache: Option<&KernelCache>) -> Result<Vec<u8>, String> {
        let source = format!("{DEFINE}{ROUTINES}{KEEP}{ROUTINES}}}\n");
        self.with_headers(architecture, "routines", &source, cache)
    }

    /// The module that names the puts with a signal as NVRTC does.
    fn put_signal(&self, architecture: &str, cache: Option<&KernelCache>) -> Result<Vec<u8>, String> {
        self.with_headers(architecture, "puts with a signal", collectives::PUT_SIGNAL, cache)
    }

    /// The options for a text that includes NVSHMEM's headers.
    fn options_with_headers(&self, architecture: &str) -> Vec<String> {
        let mut options = options(architecture);
        options.extend(self.includes.iter().map(|folder| format!("-I{}", folder.display())));
        options
    }

    /// A module of NVSHMEM's routines, which is compiled with its headers.
    fn with_headers(
        &self,
        architecture: &str,
        what: &str,
        source: &str,
        cache: Option<&KernelCache>,
    ) -> Result<Vec<u8>, String> {
        let make = || {
            let options = self.options_with_headers(architecture);
            self.nvrtc.compile(&format!("NVSHMEM's {what}"), source, &[], &options)
        };
        let key = format!("{what}\n{architecture}\n{}{source}", self.versions);
        kept(cache, &key, make)
    }
}

/// Whether a text that the program has written uses NVSHMEM.
#[must_use]
pub fn has_nvshmem(text: &str) -> bool {
    text.contains("nvshmem")
}

/// What the cache has under `key`, or else what `make` makes.
fn kept<E>(
    cache: Option<&KernelCache>,
    key: &str,
    make: impl FnOnce() -> Result<Vec<u8>, E>,
) -> Result<Vec<u8>, E> {
    match cache {
        Some(cache) => cache.get(key, make),
        None => make(),
    }
}

/// The options of NVRTC for both modules.
fn options(architecture: &str) -> Vec<String> {
    let architecture = format!("--gpu-architecture={architecture}");
    let others = ["--relocatable-device-code=true", "--device-as-default-execution-space", "--std=c++17"];
    [architecture].into_iter().chain(others.map(str::to_owned)).collect()
}

/// The folder that is searched for headers, of a header in it.
fn folder_of(header: &Path, wanted: &Wanted) -> PathBuf {
    let steps = Path::new(wanted.names[0]).components().count();
    header.ancestors().nth(steps).unwrap_or(Path::new("/")).to_owned()
}

/// What tells one version of a file from another.
fn identity(file: &Path) -> String {
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let known = fs::metadata(&file).ok();
    let len = known.as_ref().map_or(0, fs::Metadata::len);
    let modified = known.and_then(|known| known.modified().ok());
    let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    format!("{} {len} {}", file.display(), modified.as_nanos())
}
