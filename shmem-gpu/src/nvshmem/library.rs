//! The host library of NVSHMEM, opened at run time.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;

use super::HOST_LIBRARY;
use super::driver::Handle;
use super::places::{Places, Product, Wanted};
use super::routines::{routine, routines};
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

/// `NVSHMEMX_INIT_WITH_UNIQUEID`
pub(super) const WITH_UNIQUE_ID: c_uint = 1 << 3;
/// `NVSHMEM_STATUS_LIMITED_MPG`: several PEs are on one GPU, without MPS.
pub(super) const LIMITED: c_int = 3;

/// `NVSHMEM_SIGNAL_SET`
pub(super) const SIGNAL_SET: c_int = 9;
/// `NVSHMEM_SIGNAL_ADD`
pub(super) const SIGNAL_ADD: c_int = 10;

/// How a stream compares a cell with a value, by the numbers of NVSHMEM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum DeviceComparison {
    /// `NVSHMEM_CMP_EQ`
    Eq = 0,
    /// `NVSHMEM_CMP_NE`
    Ne = 1,
    /// `NVSHMEM_CMP_GT`
    Gt = 2,
    /// `NVSHMEM_CMP_LE`
    Le = 3,
    /// `NVSHMEM_CMP_LT`
    Lt = 4,
    /// `NVSHMEM_CMP_GE`
    Ge = 5,
}

/// The version of a structure of NVSHMEM: the number of its layout, and its size.
const fn layout<T>(number: c_int) -> c_int {
    (number << 16) + size_of::<T>() as c_int
}

/// `nvshmemx_uniqueid_v1`
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct NvshmemUniqueId {
    version: c_int,
    internal: [c_char; 124],
}

/// `nvshmemx_uniqueid_args_v1`
#[repr(C)]
pub(super) struct NvshmemUniqueIdArguments {
    pub(super) version: c_int,
    pub(super) id: *mut NvshmemUniqueId,
    pub(super) my_rank: c_int,
    pub(super) ranks: c_int,
}

/// `nvshmemx_init_args_v1`, which every version 3 takes.
#[repr(C)]
pub(super) struct NvshmemInitArguments {
    pub(super) version: c_int,
    pub(super) unique_id: NvshmemUniqueIdArguments,
    pub(super) content: [c_char; 96],
}

/// `nvshmemx_init_attr_v1`
#[repr(C)]
pub(super) struct NvshmemInitAttributes {
    pub(super) version: c_int,
    pub(super) mpi_comm: *mut c_void,
    pub(super) arguments: NvshmemInitArguments,
}

// `headers.rs` compares the places of their fields with NVSHMEM's headers.
const _: () = {
    assert!(size_of::<NvshmemUniqueId>() == 128);
    assert!(size_of::<NvshmemUniqueIdArguments>() == 24);
    assert!(size_of::<NvshmemInitArguments>() == 128);
    assert!(size_of::<NvshmemInitAttributes>() == 144);
};

/// `nvshmem_team_t`
pub(super) type TeamNumber = c_int;
/// `NVSHMEM_TEAM_WORLD`
pub(super) const WORLD: TeamNumber = 0;
/// `NVSHMEM_TEAM_INVALID`
pub(super) const NO_TEAM: TeamNumber = -1;
/// `NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID`
pub(super) const WITH_TEAM_ID: c_long = 2;

/// `nvshmem_team_config_v2`
#[repr(C)]
pub(super) struct NvshmemTeamConfiguration {
    pub(super) version: c_int,
    pub(super) contexts: c_int,
    pub(super) id: u64,
    padding: [c_char; 48],
}

impl NvshmemTeamConfiguration {
    /// What `NVSHMEM_TEAM_CONFIG_INITIALIZER` sets, with an id.
    pub(super) fn of(id: u64) -> NvshmemTeamConfiguration {
        let version = layout::<NvshmemTeamConfiguration>(2);
        NvshmemTeamConfiguration { version, contexts: -1, id, padding: [0; 48] }
    }
}

/// Makes the id of a team.
pub(super) type TeamId = unsafe extern "C" fn(*mut u64) -> c_int;
/// Makes a team: its number, the configuration and what counts of it, how many PEs, and this one's
/// number.
pub(super) type TeamInit =
    unsafe extern "C" fn(*mut TeamNumber, *mut NvshmemTeamConfiguration, c_long, c_int, c_int) -> c_int;

/// The multicast address of a symmetric one, for a team.
pub(super) type MulticastAddress = unsafe extern "C" fn(TeamNumber, *const c_void) -> *mut c_void;

/// A strided move: where to, where from, the two distances, how many elements, the PE, the stream.
pub(super) type Strided =
    unsafe extern "C" fn(*mut c_void, *const c_void, isize, isize, usize, c_int, Handle);
/// A reduction: the team, where to, where from, how many elements, the stream.
pub(super) type Reduction =
    unsafe extern "C" fn(TeamNumber, *mut c_void, *const c_void, usize, Handle) -> c_int;
/// A wait for a cell of 4 bytes, by a comparison with a value.
pub(super) type NarrowWait = unsafe extern "C" fn(*mut c_void, c_int, u32, Handle);
/// The same of 8 bytes.
pub(super) type WideWait = unsafe extern "C" fn(*mut c_void, c_int, u64, Handle);

routines! {
    /// The routines that are always called, with their types in the headers of NVSHMEM 3.8.
    LibraryRoutines:
    nvshmemx_get_uniqueid(*mut NvshmemUniqueId) -> c_int;
    nvshmemx_set_attr_uniqueid_args(c_int, c_int, *const NvshmemUniqueId, *mut NvshmemInitAttributes) -> c_int;
    nvshmemx_hostlib_init_attr(c_uint, *mut NvshmemInitAttributes) -> c_int;
    nvshmemx_init_status() -> c_int;
    nvshmemx_hostlib_finalize();
    nvshmem_calloc(usize, usize) -> *mut c_void;
    nvshmem_free(*mut c_void);
    nvshmem_ptr(*const c_void, c_int) -> *mut c_void;
    nvshmemx_buffer_register(*mut c_void, usize) -> c_int;
    nvshmemx_buffer_unregister(*mut c_void) -> c_int;
    nvshmemx_cumodule_init(Handle) -> c_int;
    nvshmemx_cumodule_finalize(Handle) -> c_int;
    nvshmemx_putmem_on_stream(*mut c_void, *const c_void, usize, c_int, Handle);
    nvshmemx_getmem_on_stream(*mut c_void, *const c_void, usize, c_int, Handle);
    nvshmemx_quiet_on_stream(Handle);
    nvshmemx_signal_op_on_stream(*mut u64, u64, c_int, c_int, Handle);
    nvshmemx_barrier_on_stream(TeamNumber, Handle) -> c_int;
    nvshmemx_team_sync_on_stream(TeamNumber, Handle) -> c_int;
    nvshmemx_broadcastmem_on_stream(TeamNumber, *mut c_void, *const c_void, usize, c_int, Handle) -> c_int;
    nvshmemx_fcollectmem_on_stream(TeamNumber, *mut c_void, *const c_void, usize, Handle) -> c_int;
    nvshmemx_alltoallmem_on_stream(TeamNumber, *mut c_void, *const c_void, usize, Handle) -> c_int;
}

/// The routine that tells the version of the library.
type VersionRoutine = unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int);

/// The host library. It stays in memory as long as one of these does.
#[derive(Clone)]
pub struct Library(Arc<OpenLibrary>);

struct OpenLibrary {
    /// What was opened, for messages.
    path: String,
    version: [c_int; 3],
    routines: LibraryRoutines,
    handle: libloading::Library,
}

impl Library {
    /// Opens the library in the first of `places` that has it.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] where no place has it, with all of them; [`Error::Unusable`] where the file
    /// that was found is no such library, or one of another version.
    pub fn open(places: &Places) -> Result<Library, Error> {
        let (handle, path) = places.open(&WANTED)?;
        let version = version(&handle, &path)?;
        // SAFETY: in the versions that `version` lets through the routines have these types
        // (`host/nvshmem_api.h`, `host/nvshmemx_api.h`, `host/nvshmemx_coll_api.h`). The table is kept
        // with the library.
        let routines = unsafe { LibraryRoutines::of(&handle) };
        let routines = routines.map_err(|reason| Error::Unusable { library: path.clone(), reason })?;
        Ok(Library(Arc::new(OpenLibrary { path, version, routines, handle })))
    }

    /// The version of the library: major, minor and patch.
    #[must_use]
    pub fn version(&self) -> [i32; 3] {
        self.0.version
    }

    pub(super) fn routines(&self) -> &LibraryRoutines {
        &self.0.routines
    }

    /// A routine that only some operations need.
    ///
    /// # Safety
    ///
    /// `F` is the type of the routine, which is used no longer than the library is open.
    pub(super) unsafe fn routine<F: Copy>(&self, name: &CStr) -> Result<F, String> {
        // SAFETY: the caller's promise.
        unsafe { routine(&self.0.handle, name) }.map_err(|reason| format!("{self}: {reason}"))
    }

    /// Makes the id of a job, which one PE makes for all (`nvshmemx_get_uniqueid`). This needs no GPU.
    ///
    /// # Errors
    ///
    /// The status of NVSHMEM, such as where this host has no network interface.
    pub fn unique_id(&self) -> Result<UniqueId, String> {
        let mut id = NvshmemUniqueId { version: layout::<NvshmemUniqueId>(1), internal: [0; 124] };
        // SAFETY: there is an id to write to, with the version of its layout.
        let status = unsafe { (self.routines().nvshmemx_get_uniqueid)(&mut id) };
        check("nvshmemx_get_uniqueid", status)?;
        // SAFETY: both are 128 bytes without padding.
        Ok(UniqueId(unsafe { std::mem::transmute::<NvshmemUniqueId, [u8; 128]>(id) }))
    }

    /// Initialises NVSHMEM in this process, on the device whose context the thread has. Collective.
    pub(super) fn init(&self, pe: usize, n: usize, id: &UniqueId) -> Result<(), String> {
        let number = |what: usize| c_int::try_from(what).map_err(|_| "there are too many PEs".to_owned());
        // SAFETY: both are 128 bytes; every pattern of bits is an id.
        let mut id = unsafe { std::mem::transmute::<[u8; 128], NvshmemUniqueId>(id.0) };
        // What the macros of the headers set (`NVSHMEMX_INIT_ATTR_V1_INITIALIZER`).
        let mut attributes = NvshmemInitAttributes {
            version: layout::<NvshmemInitAttributes>(1),
            mpi_comm: ptr::null_mut(),
            arguments: NvshmemInitArguments {
                version: layout::<NvshmemInitArguments>(1),
                unique_id: NvshmemUniqueIdArguments {
                    version: layout::<NvshmemUniqueIdArguments>(1),
                    id: &mut id,
                    my_rank: -1,
                    ranks: -1,
                },
                content: [0; 96],
            },
        };
        let (pe, n) = (number(pe)?, number(n)?);
        // SAFETY: the id and the attributes live until both calls have returned.
        let status =
            unsafe { (self.routines().nvshmemx_set_attr_uniqueid_args)(pe, n, &id, &mut attributes) };
        check("nvshmemx_set_attr_uniqueid_args", status)?;
        // SAFETY: the same.
        let status = unsafe { (self.routines().nvshmemx_hostlib_init_attr)(WITH_UNIQUE_ID, &mut attributes) };
        check("nvshmemx_hostlib_init_attr", status)
    }

    /// Whether PEs share a GPU in a way in which NVSHMEM makes no collective calls.
    pub(super) fn is_limited(&self) -> bool {
        // SAFETY: the routine may be called at any time.
        unsafe { (self.routines().nvshmemx_init_status)() == LIMITED }
    }
}

/// The id of a job of NVSHMEM, as bytes that one PE sends to all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniqueId(pub [u8; 128]);

/// The status of a routine of NVSHMEM; zero is success.
pub(super) fn check(what: &str, status: c_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("{what} has returned status {status}")) }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0.version;
        write!(f, "NVSHMEM {major}.{minor}.{patch}, {}", self.0.path)
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
    // the library has. It is used here alone.
    let found = unsafe { routine::<VersionRoutine>(handle, symbol) };
    let found = found.map_err(|reason| unusable(format!("{reason}, which the library of NVSHMEM 3 has")))?;
    let mut version = [0; 3];
    let [major, minor, patch] = &mut version;
    // SAFETY: three numbers to write to; the routine may be called before NVSHMEM is initialised.
    unsafe { found(major, minor, patch) };
    if version[0] != 3 {
        let [major, minor, patch] = version;
        return Err(unusable(format!(
            "it is version {major}.{minor}.{patch}, and this crate needs version 3"
        )));
    }
    Ok(version)
}
