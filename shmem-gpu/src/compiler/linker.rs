//! nvJitLink: objects become a cubin.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;

use libloading::{Library, Symbol};

use crate::Error;
use crate::nvshmem::{Places, Wanted};

/// `nvJitLinkResult`; zero is success.
type Status = c_int;
/// `nvJitLinkHandle`
type Handle = *mut c_void;

/// `NVJITLINK_INPUT_CUBIN` and `NVJITLINK_INPUT_LIBRARY`.
const CUBIN: c_int = 1;
const LIBRARY: c_int = 6;

/// The routines that are called, with their types in `nvJitLink.h` of versions 12 and 13. The names of
/// the library end with the version of their interface, of which it has all.
type Create = unsafe extern "C" fn(*mut Handle, u32, *const *const c_char) -> Status;
type AddData = unsafe extern "C" fn(Handle, c_int, *const c_void, usize, *const c_char) -> Status;
type AddFile = unsafe extern "C" fn(Handle, c_int, *const c_char) -> Status;
type Complete = unsafe extern "C" fn(Handle) -> Status;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type Get = unsafe extern "C" fn(Handle, *mut c_char) -> Status;
type Destroy = unsafe extern "C" fn(*mut Handle) -> Status;
type Version = unsafe extern "C" fn(*mut c_uint, *mut c_uint) -> Status;

/// The library, opened.
pub(super) struct Linker {
    library: Library,
    path: String,
    version: [c_uint; 2],
    /// What the names of its routines end with.
    interface: &'static str,
}

/// A link of the library, which is destroyed with it.
struct OwnedLink<'l> {
    linker: &'l Linker,
    handle: Handle,
}

impl Linker {
    /// Opens the library.
    pub(super) fn open(places: &Places, wanted: &Wanted) -> Result<Linker, Error> {
        let (library, path) = places.open(wanted)?;
        let mut linker = Linker { library, path, version: [0; 2], interface: "" };
        linker.ask().map_err(|reason| Error::Unusable { library: linker.path.clone(), reason })?;
        Ok(linker)
    }

    /// Asks for the version, and finds the interface.
    fn ask(&mut self) -> Result<(), String> {
        let [mut major, mut minor] = [0; 2];
        // SAFETY: the routine has this type, and there are two numbers to write to.
        let status = unsafe { self.routine::<Version>("nvJitLinkVersion")?(&mut major, &mut minor) };
        check_status(status)?;
        self.version = [major, minor];
        self.interface = match major {
            12 => "_12_0",
            13 => "_13_0",
            _ => return Err(format!("it is version {major}.{minor}, and this crate needs 12 or 13")),
        };
        Ok(())
    }

    /// A routine of the library.
    ///
    /// # Safety
    ///
    /// `F` is the type of the routine. (Looking it up does no harm; calling it would.)
    unsafe fn routine<F>(&self, name: &str) -> Result<Symbol<'_, F>, String> {
        // SAFETY: the caller's promise.
        unsafe { self.library.get(name.as_bytes()) }.map_err(|_| format!("it has no `{name}`"))
    }

    /// A routine with a version in its name.
    ///
    /// # Safety
    ///
    /// As [`Linker::routine`].
    unsafe fn versioned<F>(&self, name: &str) -> Result<Symbol<'_, F>, String> {
        // SAFETY: the caller's promise.
        unsafe { self.routine(&format!("__{name}{}", self.interface)) }
    }

    /// Links `objects` with what they need of the library of objects in a file.
    ///
    /// # Errors
    ///
    /// What the linker says.
    pub(super) fn link(
        &self,
        architecture: &str,
        objects: &[(&str, &[u8])],
        library: &Path,
    ) -> Result<Vec<u8>, String> {
        let text = |bytes: &[u8]| CString::new(bytes).map_err(|_| "a name has a zero byte".to_owned());
        let options = [text(format!("-arch={architecture}").as_bytes())?];
        let options = options.each_ref().map(|option| option.as_ptr());
        let mut link = OwnedLink { linker: self, handle: ptr::null_mut() };
        // SAFETY: the routine has this type, and the options are as many as it is told.
        let status = unsafe {
            let create = self.versioned::<Create>("nvJitLinkCreate")?;
            create(&mut link.handle, options.len() as u32, options.as_ptr())
        };
        link.check(status)?;
        for (name, object) in objects {
            let name = text(name.as_bytes())?;
            // SAFETY: the same; the object is as long as it is told, and lives until the link is complete.
            let status = unsafe {
                let add = self.versioned::<AddData>("nvJitLinkAddData")?;
                add(link.handle, CUBIN, object.as_ptr().cast(), object.len(), name.as_ptr())
            };
            link.check(status)?;
        }
        let library = text(library.as_os_str().as_bytes())?;
        // SAFETY: the same, with the name of a file.
        let status =
            unsafe { self.versioned::<AddFile>("nvJitLinkAddFile")?(link.handle, LIBRARY, library.as_ptr()) };
        link.check(status)?;
        // SAFETY: all that was added lives.
        let status = unsafe { self.versioned::<Complete>("nvJitLinkComplete")?(link.handle) };
        link.check(status)?;
        link.bytes("nvJitLinkGetLinkedCubinSize", "nvJitLinkGetLinkedCubin")
    }
}

fn check_status(status: Status) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("nvJitLink ends with status {status}")) }
}

impl OwnedLink<'_> {
    /// What the linker says of a failure.
    fn check(&self, status: Status) -> Result<(), String> {
        check_status(status).map_err(|reason| {
            let log = match self.handle.is_null() {
                true => Vec::new(),
                false => self.bytes("nvJitLinkGetErrorLogSize", "nvJitLinkGetErrorLog").unwrap_or_default(),
            };
            let log = String::from_utf8_lossy(&log).trim_end_matches('\0').trim_end().to_owned();
            format!("{reason}\n{log}")
        })
    }

    /// What two routines return: its size, and the bytes.
    fn bytes(&self, size_by: &str, by: &str) -> Result<Vec<u8>, String> {
        let mut size = 0;
        // SAFETY: all routines that are given have this type, and the link lives.
        let status = unsafe { self.linker.versioned::<Size>(size_by)?(self.handle, &mut size) };
        check_status(status)?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: the same, and there is room for as many bytes as the library has said.
        let status = unsafe { self.linker.versioned::<Get>(by)?(self.handle, bytes.as_mut_ptr().cast()) };
        check_status(status)?;
        Ok(bytes)
    }
}

impl Drop for OwnedLink<'_> {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        // SAFETY: the routine has this type; the link was created, and nothing uses it any more.
        unsafe {
            if let Ok(destroy) = self.linker.versioned::<Destroy>("nvJitLinkDestroy") {
                destroy(&mut self.handle);
            }
        }
    }
}

impl fmt::Display for Linker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor] = self.version;
        write!(f, "nvJitLink {major}.{minor}, {}", self.path)
    }
}

impl fmt::Debug for Linker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
