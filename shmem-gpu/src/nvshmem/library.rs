//! The host library of NVSHMEM, opened at run time.

use std::ffi::c_int;
use std::fmt;
use std::sync::Arc;

use super::HOST_LIBRARY;
use super::places::{Candidate, Places};
use crate::Error;

/// What to do where there is no library.
const REMEDY: &str = "install NVSHMEM 3 and set NVSHMEM_HOME to its folder, or run `pip install nvidia-nvshmem-cu12` in a \
                      virtual environment that is active; SHMEM_GPU=host needs neither";

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
        let mut searched: Vec<String> = places.no_home().into_iter().collect();
        for candidate in places.files(HOST_LIBRARY) {
            let (name, place) = match &candidate {
                // A file that is there and does not open is a mistake: it is not passed over.
                Candidate::File(path) if path.is_file() => return open(&path.display().to_string()),
                Candidate::File(path) => {
                    searched.push(path.display().to_string());
                    continue;
                }
                Candidate::Loader(name) => (name, places.loaders()),
            };
            match open(name) {
                // Another name there is that of a library that this one needs.
                Err(Error::Unusable { reason, .. })
                    if reason.starts_with(&format!("{name}: cannot open shared object file")) =>
                {
                    searched.push(place);
                }
                opened => return opened,
            }
        }
        searched.extend(places.no_environment());
        Err(Error::Missing {
            library: HOST_LIBRARY.to_owned(),
            searched: searched.join(", "),
            remedy: REMEDY.to_owned(),
        })
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

/// Opens the file at a path, or the one that the loader finds by its name.
fn open(path: &str) -> Result<Library, Error> {
    let unusable = |reason: String| Error::Unusable { library: path.to_owned(), reason };
    // SAFETY: NVSHMEM's own initialisers run, which may be run at any time: opening it is how any
    // program that links it begins. What else the user names as NVSHMEM is the user's responsibility,
    // as for every library that the loader finds.
    let handle = unsafe { libloading::Library::new(path) }.map_err(|error| unusable(reason(&error)))?;
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
    Ok(Library { path: path.to_owned(), version, _handle: Arc::new(handle) })
}

/// What the loader says, without the name of its own routine.
fn reason(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { desc } => format!("{desc:?}").trim_matches('"').to_owned(),
        other => other.to_string(),
    }
}
