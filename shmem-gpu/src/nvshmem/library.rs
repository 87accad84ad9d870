//! The host library of NVSHMEM, opened at run time.

use std::ffi::c_int;
use std::fmt;
use std::sync::Arc;

use super::HOST_LIBRARY;
use super::places::{Places, Product, Wanted};
use crate::Error;

/// The library, and where it may lie.
const WANTED: Wanted = Wanted {
    title: HOST_LIBRARY,
    names: &[HOST_LIBRARY],
    product: Product::Nvshmem,
    folders: &["lib", "lib64"],
    wheels: &["nvidia/nvshmem/lib"],
    is_shared: true,
    remedy: "install NVSHMEM 3 and set NVSHMEM_HOME to its folder, or run `pip install nvidia-nvshmem-cu12` in a virtual \
             environment that is active; SHMEM_GPU=host needs neither",
};

/// The routine that tells the version of the library.
type VersionRoutine = unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int);

/// The host library. It stays in memory as long as one of these does.
#[derive(Clone)]
pub struct Library {
    /// What was opened, for messages.
    path: String,
    version: [c_int; 3],
    // The routines of later work are looked up here.
    _handle: Arc<libloading::Library>,
}

impl Library {
    /// Opens the library in the first of `places` that has it.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] where no place has it, with all of them; [`Error::Unusable`] where the file
    /// that was found is no such library.
    pub fn open(places: &Places) -> Result<Library, Error> {
        let (handle, path) = places.open(&WANTED)?;
        let version = version(&handle, &path)?;
        Ok(Library { path, version, _handle: Arc::new(handle) })
    }

    /// The version of the library: major, minor and patch.
    #[must_use]
    pub fn version(&self) -> [i32; 3] {
        self.version
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.version;
        write!(f, "NVSHMEM {major}.{minor}.{patch}, {}", self.path)
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The version that the library says it is.
fn version(handle: &libloading::Library, path: &str) -> Result<[c_int; 3], Error> {
    let unusable = |reason: String| Error::Unusable { library: path.to_owned(), reason };
    let symbol = c"nvshmemx_vendor_get_version_info";
    // SAFETY: the routine has this type in every version 3 (`nvshmemx_api.h`), whose number the name of
    // the library has.
    let routine = unsafe { handle.get::<VersionRoutine>(symbol.to_bytes_with_nul()) };
    let routine = routine.map_err(|_| {
        unusable(format!("it has no `{}`, which the library of NVSHMEM 3 has", symbol.to_string_lossy()))
    })?;
    let mut version = [0; 3];
    let [major, minor, patch] = &mut version;
    // SAFETY: three numbers to write to; the routine may be called before NVSHMEM is initialised.
    unsafe { routine(major, minor, patch) };
    if version[0] != 3 {
        let [major, minor, patch] = version;
        return Err(unusable(format!(
            "it is version {major}.{minor}.{patch}, and this crate needs version 3"
        )));
    }
    Ok(version)
}
