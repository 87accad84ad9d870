//! NVRTC: CUDA C++ becomes an object.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::ptr;

use libloading::{Library, Symbol};

use crate::Error;
use crate::nvshmem::{Places, Wanted};

/// `nvrtcResult`; zero is success.
type Status = c_int;
/// `nvrtcProgram`
type Program = *mut c_void;

/// The routines that are called, with their types in `nvrtc.h` of versions 12 and 13.
type Text = unsafe extern "C" fn(Status) -> *const c_char;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
type Count = unsafe extern "C" fn(*mut c_int) -> Status;
type List = unsafe extern "C" fn(*mut c_int) -> Status;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status;
type Size = unsafe extern "C" fn(Program, *mut usize) -> Status;
type Get = unsafe extern "C" fn(Program, *mut c_char) -> Status;
type Destroy = unsafe extern "C" fn(*mut Program) -> Status;

/// The library, opened.
pub(super) struct Nvrtc {
    library: Library,
    path: String,
    version: [c_int; 2],
    /// The architectures that it compiles for, as 90 for `sm_90`.
    architectures: Vec<c_int>,
}

/// A program of the library, which is destroyed with it.
struct OwnedProgram<'n> {
    nvrtc: &'n Nvrtc,
    program: Program,
}

impl Nvrtc {
    /// Opens the library.
    pub(super) fn open(places: &Places, wanted: &Wanted) -> Result<Nvrtc, Error> {
        let (library, path) = places.open(wanted)?;
        let mut nvrtc = Nvrtc { library, path, version: [0; 2], architectures: Vec::new() };
        nvrtc.ask().map_err(|reason| Error::Unusable { library: nvrtc.path.clone(), reason })?;
        Ok(nvrtc)
    }

    /// Asks for version and architectures.
    fn ask(&mut self) -> Result<(), String> {
        let [mut major, mut minor, mut count] = [0; 3];
        // SAFETY: the routine has this type, and there are two numbers to write to.
        let status = unsafe { self.routine::<Version>(c"nvrtcVersion")?(&mut major, &mut minor) };
        self.check_status(status)?;
        // SAFETY: the same, with one number.
        let status = unsafe { self.routine::<Count>(c"nvrtcGetNumSupportedArchs")?(&mut count) };
        self.check_status(status)?;
        let mut architectures = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: there is room for as many numbers as the library has said.
        let status = unsafe { self.routine::<List>(c"nvrtcGetSupportedArchs")?(architectures.as_mut_ptr()) };
        self.check_status(status)?;
        self.version = [major, minor];
        self.architectures = architectures;
        Ok(())
    }

    /// A routine of the library.
    ///
    /// # Safety
    ///
    /// `F` is the type of the routine. (Looking it up does no harm; calling it would.)
    unsafe fn routine<F>(&self, name: &CStr) -> Result<Symbol<'_, F>, String> {
        // SAFETY: the caller's promise.
        let routine = unsafe { self.library.get(name.to_bytes_with_nul()) };
        routine.map_err(|_| format!("it has no `{}`", name.to_string_lossy()))
    }

    fn check_status(&self, status: Status) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the routine has this type, takes any number, and returns a text that lives for ever.
        let text = unsafe {
            let text = self.routine::<Text>(c"nvrtcGetErrorString")?(status);
            CStr::from_ptr(text)
        };
        Err(text.to_string_lossy().into_owned())
    }

    /// Refuses an architecture that it does not compile for.
    pub(super) fn check(&self, architecture: &str) -> Result<(), String> {
        let number = architecture.strip_prefix("sm_").map(|rest| rest.trim_end_matches(['a', 'f']));
        let number = number.and_then(|number| number.parse::<c_int>().ok());
        if number.is_some_and(|number| self.architectures.contains(&number)) {
            return Ok(());
        }
        let known: Vec<_> = self.architectures.iter().map(|number| format!("sm_{number}")).collect();
        let [major, minor] = self.version;
        Err(format!("NVRTC {major}.{minor} compiles for {}", known.join(", ")))
    }

    /// Compiles `source` to an object that can be linked.
    ///
    /// # Errors
    ///
    /// What the compiler says.
    pub(super) fn compile(
        &self,
        title: &str,
        source: &str,
        headers: &[(&str, &str)],
        options: &[String],
    ) -> Result<Vec<u8>, String> {
        let text = |text: &str| CString::new(text).map_err(|_| "the text has a zero byte".to_owned());
        let (title, source) = (text(title)?, text(source)?);
        let names = headers.iter().map(|(name, _)| text(name)).collect::<Result<Vec<_>, _>>()?;
        let texts = headers.iter().map(|(_, header)| text(header)).collect::<Result<Vec<_>, _>>()?;
        let options = options.iter().map(|option| text(option)).collect::<Result<Vec<_>, _>>()?;
        let [names, texts, options] =
            [&names, &texts, &options].map(|list| list.iter().map(|text| text.as_ptr()).collect::<Vec<_>>());
        let mut made = OwnedProgram { nvrtc: self, program: ptr::null_mut() };
        // SAFETY: the routine has this type; all texts end with a zero byte and live until the program
        // is compiled, and the lists are as long as it is told.
        let status = unsafe {
            self.routine::<Create>(c"nvrtcCreateProgram")?(
                &mut made.program,
                source.as_ptr(),
                title.as_ptr(),
                count(&texts),
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        self.check_status(status)?;
        // SAFETY: the program was created, and the options are as many as it is told.
        let status = unsafe {
            self.routine::<Compile>(c"nvrtcCompileProgram")?(made.program, count(&options), options.as_ptr())
        };
        if let Err(reason) = self.check_status(status) {
            let log = made.bytes(c"nvrtcGetProgramLogSize", c"nvrtcGetProgramLog")?;
            let log = String::from_utf8_lossy(&log).trim_end_matches('\0').trim_end().to_owned();
            return Err(format!("{reason}\n{log}"));
        }
        made.bytes(c"nvrtcGetCUBINSize", c"nvrtcGetCUBIN")
    }
}

/// The length of a list, as C has it.
fn count<T>(list: &[T]) -> c_int {
    c_int::try_from(list.len()).expect("a list of a few texts")
}

impl OwnedProgram<'_> {
    /// What two routines return: its size, and the bytes.
    fn bytes(&self, size_by: &CStr, by: &CStr) -> Result<Vec<u8>, String> {
        let mut size = 0;
        // SAFETY: all routines that are given have this type, and the program lives.
        let status = unsafe { self.nvrtc.routine::<Size>(size_by)?(self.program, &mut size) };
        self.nvrtc.check_status(status)?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: the same, and there is room for as many bytes as the library has said.
        let status = unsafe { self.nvrtc.routine::<Get>(by)?(self.program, bytes.as_mut_ptr().cast()) };
        self.nvrtc.check_status(status)?;
        Ok(bytes)
    }
}

impl Drop for OwnedProgram<'_> {
    fn drop(&mut self) {
        if self.program.is_null() {
            return;
        }
        // SAFETY: the routine has this type; the program was created, and nothing uses it any more.
        unsafe {
            if let Ok(destroy) = self.nvrtc.routine::<Destroy>(c"nvrtcDestroyProgram") {
                destroy(&mut self.program);
            }
        }
    }
}

impl fmt::Display for Nvrtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor] = self.version;
        write!(f, "NVRTC {major}.{minor}, {}", self.path)
    }
}

impl fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
