//! CUDA's driver: devices, streams, memory, and machine code.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::ptr;

use super::places::{Places, Product, Wanted};
use super::routines::{routine, routines};
use crate::Error;

/// `CUresult`; zero is success.
type Status = c_int;
/// `CUdevice`
type DeviceNumber = c_int;
/// `CUdeviceptr`
pub(super) type Address = u64;

/// `CUcontext`, `CUstream`, `CUmodule` and `CUfunction`: things of the driver, which any thread may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Handle(*mut c_void);

// SAFETY: a handle is a name for the driver, which all threads may give it.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    pub(super) const NONE: Handle = Handle(ptr::null_mut());
}

const WANTED: Wanted = Wanted {
    title: "libcuda.so.1",
    names: &["libcuda.so.1"],
    product: Product::Driver,
    folders: &[],
    wheels: &[],
    is_shared: true,
    remedy: "install the driver of NVIDIA for the GPU of this machine, or set SHMEM_GPU=host, which needs no GPU",
};

/// The oldest version that NVSHMEM 3 works with, as `cuDriverGetVersion` counts.
const OLDEST: c_int = 12000;

/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `…_MINOR`
pub(super) const CAPABILITY: [c_int; 2] = [75, 76];
/// `CU_STREAM_NON_BLOCKING`
pub(super) const NON_BLOCKING: c_uint = 1;

routines! {
    /// The routines that are called, with their types in `cuda.h` of versions 12 and 13.
    DriverRoutines:
    cuInit(c_uint) -> Status;
    cuDriverGetVersion(*mut c_int) -> Status;
    cuGetErrorName(Status, *mut *const c_char) -> Status;
    cuGetErrorString(Status, *mut *const c_char) -> Status;
    cuDeviceGetCount(*mut c_int) -> Status;
    cuDeviceGet(*mut DeviceNumber, c_int) -> Status;
    cuDeviceGetName(*mut c_char, c_int, DeviceNumber) -> Status;
    cuDeviceGetAttribute(*mut c_int, c_int, DeviceNumber) -> Status;
    cuDevicePrimaryCtxRetain(*mut Handle, DeviceNumber) -> Status;
    cuCtxSetCurrent(Handle) -> Status;
    cuStreamCreate(*mut Handle, c_uint) -> Status;
    cuStreamSynchronize(Handle) -> Status;
    cuStreamDestroy_v2(Handle) -> Status;
    cuMemAlloc_v2(*mut Address, usize) -> Status;
    cuMemFree_v2(Address) -> Status;
    cuMemcpyHtoDAsync_v2(Address, *const c_void, usize, Handle) -> Status;
    cuMemcpyDtoHAsync_v2(*mut c_void, Address, usize, Handle) -> Status;
    cuMemcpyDtoDAsync_v2(Address, Address, usize, Handle) -> Status;
    cuModuleLoadData(*mut Handle, *const c_void) -> Status;
    cuModuleGetFunction(*mut Handle, Handle, *const c_char) -> Status;
    cuLaunchKernel(
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void
    ) -> Status;
}

/// The offset and the size of a parameter of a function: since CUDA 12.4.
pub(super) type ParameterInfo = unsafe extern "C" fn(Handle, usize, *mut usize, *mut usize) -> Status;

/// The driver, opened. It stays in memory as long as this does.
pub(super) struct Driver {
    pub(super) routines: DriverRoutines,
    path: String,
    version: c_int,
    handle: libloading::Library,
}

impl Driver {
    /// Opens the driver, and starts it.
    pub(super) fn open(places: &Places) -> Result<Driver, Error> {
        let (handle, path) = places.open(&WANTED)?;
        let unusable = |reason: String| Error::Unusable { library: path.clone(), reason };
        // SAFETY: the routines have these types under these names in every driver for CUDA 12 and later,
        // whose interface is compatible; the table is kept with the library.
        let routines = unsafe { DriverRoutines::of(&handle) }.map_err(unusable)?;
        let mut driver = Driver { routines, path: path.clone(), version: 0, handle };
        // SAFETY: the routine takes 0, and may be called any number of times.
        let status = unsafe { (driver.routines.cuInit)(0) };
        driver.check("cuInit", status).map_err(unusable)?;
        // SAFETY: there is a number to write to.
        let status = unsafe { (driver.routines.cuDriverGetVersion)(&mut driver.version) };
        driver.check("cuDriverGetVersion", status).map_err(unusable)?;
        if driver.version < OLDEST {
            let [found, oldest] = [driver.version, OLDEST].map(version);
            return Err(unusable(format!(
                "the driver is for CUDA {found}, and NVSHMEM 3 needs CUDA {oldest}: install a newer driver"
            )));
        }
        Ok(driver)
    }

    /// A routine that not every driver has.
    ///
    /// # Safety
    ///
    /// `F` is the type of the routine, which is used no longer than the driver is open.
    pub(super) unsafe fn routine<F: Copy>(&self, name: &CStr) -> Result<F, String> {
        // SAFETY: the caller's promise.
        unsafe { routine(&self.handle, name) }
    }

    /// What the driver says of a status.
    pub(super) fn check(&self, what: &str, status: Status) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        let text = |routine: unsafe extern "C" fn(Status, *mut *const c_char) -> Status| {
            let mut text = ptr::null();
            // SAFETY: the routine takes any number, and leaves null or a text that lives for ever.
            unsafe {
                routine(status, &mut text);
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        };
        let name = text(self.routines.cuGetErrorName).unwrap_or_else(|| format!("status {status}"));
        let meaning =
            text(self.routines.cuGetErrorString).map_or_else(String::new, |text| format!(" ({text})"));
        Err(format!("{what} has failed with {name}{meaning}"))
    }

    /// How many devices this process sees.
    pub(super) fn devices(&self) -> Result<usize, String> {
        let mut count = 0;
        // SAFETY: there is a number to write to.
        let status = unsafe { (self.routines.cuDeviceGetCount)(&mut count) };
        self.check("cuDeviceGetCount", status)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Device number `number`: its name, its architecture, and its context, which is made.
    pub(super) fn start(&self, number: usize) -> Result<(String, String, Handle), String> {
        let number = c_int::try_from(number).map_err(|_| "there is no such device".to_owned())?;
        let routines = &self.routines;
        let (mut device, mut name, mut capability) = (0, [0; 256], [0; 2]);
        // SAFETY: there is a number to write to.
        self.check("cuDeviceGet", unsafe { (routines.cuDeviceGet)(&mut device, number) })?;
        // SAFETY: there is room for as many bytes as the routine is told, of which the last stays zero.
        let status =
            unsafe { (routines.cuDeviceGetName)(name.as_mut_ptr(), name.len() as c_int - 1, device) };
        self.check("cuDeviceGetName", status)?;
        for (attribute, value) in CAPABILITY.into_iter().zip(&mut capability) {
            // SAFETY: there is a number to write to, and the device is one.
            let status = unsafe { (routines.cuDeviceGetAttribute)(value, attribute, device) };
            self.check("cuDeviceGetAttribute", status)?;
        }
        let mut context = Handle::NONE;
        // SAFETY: there is a handle to write to, and the device is one.
        let status = unsafe { (routines.cuDevicePrimaryCtxRetain)(&mut context, device) };
        self.check("cuDevicePrimaryCtxRetain", status)?;
        // SAFETY: the text ends with a zero byte, which the array has at its end.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let [major, minor] = capability;
        Ok((name, format!("sm_{major}{minor}"), context))
    }

    /// Makes `context` that of this thread: routines without a context in their parameters use it.
    pub(super) fn enter(&self, context: Handle) -> Result<(), String> {
        // SAFETY: the context was made, and is never destroyed.
        self.check("cuCtxSetCurrent", unsafe { (self.routines.cuCtxSetCurrent)(context) })
    }

    /// Makes a stream in the context of this thread.
    pub(super) fn stream(&self) -> Result<Handle, String> {
        let mut stream = Handle::NONE;
        // SAFETY: there is a handle to write to.
        let status = unsafe { (self.routines.cuStreamCreate)(&mut stream, NON_BLOCKING) };
        self.check("cuStreamCreate", status)?;
        Ok(stream)
    }
}

/// A version as people write it.
fn version(number: c_int) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "driver for CUDA {}, {}", version(self.version), self.path)
    }
}
