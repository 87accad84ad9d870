//! Raw bindings to the OpenSHMEM library that is installed.

#[cfg(not(no_library))]
mod bindings {
    #![allow(
        non_camel_case_types,
        non_snake_case,
        non_upper_case_globals,
        missing_docs,
        unused_qualifications
    )]
    #![allow(clippy::all)]
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

#[cfg(not(no_library))]
pub use bindings::*;

/// The default context, `SHMEM_CTX_DEFAULT`.
#[cfg(not(no_library))]
#[must_use]
pub fn ctx_default() -> shmem_ctx_t {
    // SAFETY: the function reads a value that the header defines, and nothing else.
    unsafe { shmem_sys_handle_SHMEM_CTX_DEFAULT() }
}
