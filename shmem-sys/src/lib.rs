//! Raw bindings to the OpenSHMEM library that is installed: its own header, read when this crate is
//! built, and the library linked.
//!
//! Programs use the crate `shmem`, whose feature `openshmem` brings this one. What is here is C:
//! nothing is checked.
//!
//! # What is here
//!
//! * Every function, type and constant that the library's `shmem.h` declares, under its C name, but
//!   those of `long double` and complex numbers, which Rust cannot pass as C does.
//! * Of these, **required** functions and constants, which every library of OpenSHMEM 1.4 has:
//!   transfers, strided and of any number of bytes, 32-bit and 64-bit atomic operations, contexts,
//!   ordering, barriers, waiting. The build asks the linker for each of the functions, and fails if
//!   one is missing, naming all that are. The types of the constants are the same for all
//!   libraries; the values are not.
//! * `optional`: what came with 1.5 and 1.6, and the collectives over active sets that 1.5
//!   deprecates. Each is a constant of the C name, `Option<unsafe extern "C" fn(…)>`, and `Some` if
//!   the header declares it and the library defines it. A header is not believed: Open MPI's
//!   declares routines that its library lacks. A version is not asked for either.
//! * `ctx_default()`, for `SHMEM_CTX_DEFAULT`, which is a variable in one library and a macro in
//!   the next.
//! * `LAUNCHER: Option<&str>`, the path of the `oshrun` that was beside the library's compiler
//!   wrapper when the crate was built.
//!
//! The list of what is required and what is optional is the file `symbols.txt` of this crate.
//!
//! The atomic operations to use are those named `uint`, of 32 bits, and `ulonglong`, of 64:
//! libraries of 1.4 need not have the forms named `uint32` and `uint64` of all, and Open MPI's has
//! not.
//!
//! # How the library is found
//!
//! In this order. Where it is not said otherwise, a place that does not serve is passed over, and
//! the error lists each with the reason.
//!
//! | place | what is expected there |
//! |---|---|
//! | `SHMEM_DIR` | the prefix of a library: `include/shmem.h`, and `liboshmem`, `libsma`, `liboshmpi` or `libshmem` in `lib` or `lib64`. If there is a `bin/oshcc`, that is asked first. Set but useless is an error. |
//! | `OSHCC` | the path of a compiler wrapper, or its name on the path. Set but useless is an error. |
//! | `oshcc` on the path | a compiler wrapper; it is asked for its flags by `-showme` (Open MPI, Sandia), `-show` (OSHMPI over MPICH), `-###` (OSSS-UCX) |
//! | pkg-config | one of `oshmem`, `sandia-openshmem`, `sos`, `osss-ucx`, `osss-openshmem` |
//! | `CRAY_OPENSHMEMX_DIR`, `CRAY_SHMEM_DIR` | a prefix; the modules `cray-openshmemx` and `cray-shmem` set these |
//!
//! A place serves if a program that includes `shmem.h` compiles and one that uses `shmem_my_pe`
//! links. That needs a C compiler (`cc`, or what `CC` names), and reading the header needs
//! libclang. On Debian and Ubuntu all that is needed is
//! `apt install libopenmpi-dev openmpi-bin libclang-dev gcc`.
//!
//! # How it is linked
//!
//! As any Rust program is: no flags are asked for. Of the libraries that the wrapper names, those
//! are linked without which a program does not link. The others are what the OpenSHMEM library
//! itself depends on, and it brings them. (Naming Open MPI's `mpi` too, as its wrapper does, is
//! even refused by lld, Rust's own linker: it then wants to see the libraries below that one as
//! well.)
//!
//! A shared library in a directory that the loader does not search must be found when the program
//! starts. A crate cannot see to that for programs that depend on it, so the build warns and says
//! what to set: `LD_LIBRARY_PATH` where the program runs, or
//! `RUSTFLAGS="-C link-arg=-Wl,-rpath,DIRECTORY"` where it is built. A build script of a package
//! that depends on this crate itself can read the directories from `DEP_OPENSHMEM_LIBRARY_PATH`.
//!
//! # Without a library
//!
//! Where `DOCS_RS` is set, as it is on docs.rs, nothing is looked for, and the crate is this page
//! alone.

#[cfg(not(no_library))]
mod bindings {
    #![allow(non_camel_case_types, non_snake_case, non_upper_case_globals, reason = "the names are C's")]
    #![allow(missing_docs, reason = "the specification of OpenSHMEM says what they are")]
    #![allow(unused_qualifications, clippy::all, reason = "written by a program")]
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

#[cfg(not(no_library))]
pub use bindings::*;

/// The default context, `SHMEM_CTX_DEFAULT`. To be asked for after `shmem_init_thread`, where a
/// library may set it.
#[cfg(not(no_library))]
#[doc(alias = "SHMEM_CTX_DEFAULT")]
#[must_use]
pub fn ctx_default() -> shmem_ctx_t {
    // SAFETY: the function has no arguments and returns what the header defines, a constant or the
    // value of a variable.
    unsafe { shmem_sys_handle_SHMEM_CTX_DEFAULT() }
}
