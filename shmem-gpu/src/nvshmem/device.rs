//! A device of this process, on which NVSHMEM is initialised, and its streams.
//!
//! The symmetric memory of the device is one piece, as large as the symmetric heap of the host: what
//! lies at an offset in one has the same offset in the other, so one allocator serves both.
//!
//! A [`DeviceStream`] does one operation after the other, and returns when it is complete. So what
//! fails is known with the operation. Its caller is the thread of a stream of the program.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::{CString, c_int, c_void};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::driver::{Address, Driver, Handle, ParameterInfo};
use super::library::{
    self, DeviceComparison, Library, MulticastAddress, NarrowWait, NvshmemTeamConfiguration, Reduction,
    SIGNAL_ADD, SIGNAL_SET, Strided, TeamId, TeamInit, TeamNumber, UniqueId, WITH_TEAM_ID, WideWait,
};
use super::places::Places;
use crate::Error;
use crate::compiler::{self, Compiler, KernelCache};
use crate::kernel::LaunchGrid;

/// Updates of cells, in CUDA C++.
const UPDATES: &str = include_str!("amo.cuh");

/// The libraries of the back end, opened, and the number of devices that this process sees.
pub struct Found {
    library: Library,
    driver: Driver,
    devices: usize,
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}; {} devices", self.library, self.driver, self.devices)
    }
}

impl Found {
    /// Opens the host library of NVSHMEM and the driver.
    ///
    /// # Errors
    ///
    /// Which of them is missing, with all places that were searched; why one cannot be used; and that
    /// there is no device.
    pub fn open(places: &Places) -> Result<Found, Error> {
        let library = Library::open(places)?;
        let driver = Driver::open(places)?;
        let devices = driver.devices().map_err(|reason| Error::unavailable("a GPU", reason))?;
        Ok(Found { library, driver, devices })
    }

    /// How many devices this process sees.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.devices
    }

    /// Starts device `number` for this process. Not collective.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub fn start(self, number: usize) -> Result<StartedDevice, Error> {
        let Found { library, driver, .. } = self;
        let named = |reason| Error::unavailable(&format!("device {number}"), reason);
        let (name, architecture, context) = driver.start(number).map_err(named)?;
        Ok(StartedDevice { library, driver, number, name, architecture, context })
    }
}

/// A device that was started, on which NVSHMEM is not initialised.
pub struct StartedDevice {
    library: Library,
    driver: Driver,
    number: usize,
    name: String,
    architecture: String,
    context: Handle,
}

impl fmt::Debug for StartedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {} ({}, {})", self.number, self.name, self.architecture)
    }
}

impl StartedDevice {
    /// The host library of NVSHMEM.
    #[must_use]
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Initialises NVSHMEM in this process, which is PE `pe` of `n`, and allocates `bytes` of symmetric
    /// memory on the device, of zeros. `sharing` PEs of this host use the device. Collective: all PEs give
    /// the same `id` and `bytes`.
    ///
    /// # Errors
    ///
    /// What the driver or NVSHMEM says.
    pub fn init(
        self,
        (pe, n): (usize, usize),
        id: &UniqueId,
        bytes: usize,
        sharing: usize,
    ) -> Result<Device, Error> {
        let StartedDevice { library, driver, number, name, context, .. } = &self;
        let named = |reason: String| {
            let shared = match sharing {
                0 | 1 => String::new(),
                _ => format!(
                    "; {sharing} PEs of this host use this device, which NVSHMEM does not permit everywhere: start as many PEs \
                     as there are devices, or start MPS (`nvidia-cuda-mps-control -d`)"
                ),
            };
            Error::unavailable(&format!("device {number} ({name})"), format!("{reason}{shared}"))
        };
        driver.enter(*context).map_err(named)?;
        library.init(pe, n, id).map_err(named)?;
        // SAFETY: NVSHMEM is initialised.
        let heap = unsafe { (library.routines().nvshmem_calloc)(bytes, 1) } as Address;
        if heap == 0 {
            return Err(named(format!(
                "nvshmem_calloc has not given {bytes} bytes, as many as the symmetric heap has: set SHMEM_SYMMETRIC_SIZE to \
                 less, or NVSHMEM_SYMMETRIC_SIZE to more"
            )));
        }
        Ok(Device {
            meets: !library.is_limited(),
            started: self,
            heap,
            bytes,
            pe,
            n,
            turn: Mutex::default(),
            modules: Mutex::default(),
            functions: Mutex::default(),
            compiler: Mutex::default(),
        })
    }
}

/// A device on which NVSHMEM is initialised, until the process ends.
pub struct Device {
    started: StartedDevice,
    /// Where this PE's symmetric memory begins, and how much there is.
    heap: Address,
    bytes: usize,
    pe: usize,
    n: usize,
    /// Whether NVSHMEM makes collective calls here.
    meets: bool,
    /// Held while a thread calls NVSHMEM, which lets one thread call it at a time. It says whether
    /// NVSHMEM was finalised.
    turn: Mutex<bool>,
    /// The modules that NVSHMEM knows.
    modules: Mutex<Vec<Handle>>,
    /// The kernels that were loaded.
    functions: Mutex<BTreeMap<FunctionKey, Handle>>,
    compiler: Mutex<Option<Arc<Compiler>>>,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StartedDevice { number, name, architecture, library, driver, .. } = &self.started;
        write!(f, "device {number} ({name}, {architecture}); {library}; {driver}")?;
        if !self.meets {
            f.write_str("; several PEs are on one GPU without MPS, so collective calls go through the host")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Tells a kernel from all others of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FunctionKey {
    /// One in Rust.
    Type(TypeId),
    /// One that the program has written in CUDA C++.
    Text {
        /// Its name in the text.
        name: &'static str,
        /// The whole text.
        text: &'static str,
    },
}

/// A kernel that was loaded.
#[derive(Clone, Copy, Debug)]
pub struct DeviceFunction(Handle);

/// A collective call that NVSHMEM makes on a stream, of elements that lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceCollective {
    /// `nvshmemx_barrier_on_stream`
    Barrier,
    /// `nvshmemx_team_sync_on_stream`
    Sync,
    /// `nvshmemx_broadcastmem_on_stream`
    Broadcast {
        /// The PE whose elements all get.
        root: usize,
    },
    /// `nvshmemx_fcollectmem_on_stream`
    Fcollect,
    /// `nvshmemx_alltoallmem_on_stream`
    Alltoall,
    /// `nvshmemx_float_sum_reduce_on_stream`, …
    Reduce {
        /// What NVSHMEM calls the type.
        kind: &'static str,
        /// What it calls the operation.
        operation: &'static str,
    },
    /// `nvshmemx_float_sum_reducescatter_on_stream`, …
    ReduceScatter {
        /// As above.
        kind: &'static str,
        /// As above.
        operation: &'static str,
    },
}

/// A team of NVSHMEM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceTeam {
    number: TeamNumber,
    /// The id that it was made with; 0 for all PEs.
    id: u64,
}

impl DeviceTeam {
    /// `NVSHMEM_TEAM_WORLD`: all PEs.
    pub const WORLD: DeviceTeam = DeviceTeam { number: library::WORLD, id: 0 };

    /// Its number on this PE, for kernels.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number.cast_unsigned()
    }

    /// The same on all of its PEs, and of no other team; 0 for that of all PEs.
    #[must_use]
    pub fn id(self) -> u64 {
        self.id
    }
}

/// Elements of symmetric memory at one distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where the first one lies.
    pub offset: usize,
    /// How many there are.
    pub count: usize,
    /// Their distance in bytes.
    pub stride: isize,
    /// The position of the first one in the selection.
    pub position: usize,
}

impl Piece {
    fn is_dense(self, elem: usize) -> bool {
        self.count <= 1 || self.stride == elem.cast_signed()
    }

    /// The distance in elements, where NVSHMEM moves such a piece in one call.
    fn step(self, elem: usize) -> Option<isize> {
        let size = elem.cast_signed();
        let is_one = matches!(elem, 1 | 2 | 4 | 8 | 16)
            && self.offset.is_multiple_of(elem)
            && self.stride >= size
            && self.stride % size == 0;
        is_one.then(|| self.stride / size)
    }
}

/// Elements of symmetric memory on a PE.
#[derive(Clone, Debug)]
pub struct Spot {
    /// The PE.
    pub pe: usize,
    /// The elements, in the order of the selection.
    pub pieces: Vec<Piece>,
    /// The size of an element.
    pub elem: usize,
    /// How many elements there are.
    pub count: usize,
}

impl Spot {
    /// Where the elements begin, if they lie side by side.
    fn dense(&self) -> Option<usize> {
        match self.pieces[..] {
            [] => Some(0),
            [piece] if piece.is_dense(self.elem) => Some(piece.offset),
            _ => None,
        }
    }

    fn bytes(&self) -> usize {
        self.count * self.elem
    }
}

/// An update of a cell. The low bytes of a number are those of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// Which, as in `amo.cuh`.
    pub code: u32,
    /// The operand.
    pub value: u64,
    /// What the cell must hold, where that is asked.
    pub expected: u64,
}

impl Update {
    /// Writes the operand.
    pub const SET: u32 = 1;
    /// Adds it.
    pub const ADD: u32 = 3;
}

impl Device {
    /// The number of the device on this host.
    #[must_use]
    pub fn number(&self) -> usize {
        self.started.number
    }

    /// Whether NVSHMEM makes collective calls: not where several PEs are on one GPU without MPS.
    #[must_use]
    pub fn meets(&self) -> bool {
        self.meets
    }

    /// The address of `offset` in this PE's symmetric memory, for kernels.
    #[must_use]
    pub fn address(&self, offset: usize) -> u64 {
        self.heap + offset as u64
    }

    /// The address of `offset` in the symmetric memory of `pe`, where this PE's loads and stores reach
    /// it (`nvshmem_ptr`).
    #[must_use]
    pub fn peer(&self, pe: usize, offset: usize) -> Option<u64> {
        if pe >= self.n || offset > self.bytes {
            return None;
        }
        let _turn = self.turn().ok()?;
        // SAFETY: the address lies in symmetric memory, and there is the PE.
        let address = unsafe {
            (self.started.library.routines().nvshmem_ptr)(self.address(offset) as *const c_void, pe as c_int)
        };
        (!address.is_null()).then_some(address as u64)
    }

    /// The address whose stores reach `offset` in the symmetric memory of all PEs of `team`, where the
    /// device has such memory (`nvshmemx_mc_ptr`).
    #[must_use]
    pub fn multicast(&self, team: DeviceTeam, offset: usize) -> Option<u64> {
        if offset > self.bytes {
            return None;
        }
        // SAFETY: the routine has this type in every version that has it.
        let routine = unsafe { self.started.library.routine::<MulticastAddress>(c"nvshmemx_mc_ptr") }.ok()?;
        let _turn = self.turn().ok()?;
        // SAFETY: the address lies in symmetric memory, and this PE is in the team.
        let address = unsafe { routine(team.number, self.address(offset) as *const c_void) };
        (!address.is_null()).then_some(address as u64)
    }

    /// Lets NVSHMEM take memory of this device as the local side of transfers
    /// (`nvshmemx_buffer_register`).
    ///
    /// # Errors
    ///
    /// What NVSHMEM says.
    pub fn register(&self, address: u64, bytes: usize) -> Result<(), String> {
        self.started.driver.enter(self.started.context)?;
        let _turn = self.turn()?;
        let routine = self.started.library.routines().nvshmemx_buffer_register;
        // SAFETY: NVSHMEM takes note of it, and says so if it cannot be registered.
        library::check("nvshmemx_buffer_register", unsafe { routine(address as *mut c_void, bytes) })
    }

    /// Whether these bytes lie in the symmetric memory of this PE, which is registered.
    #[must_use]
    pub fn is_symmetric(&self, address: u64, bytes: usize) -> bool {
        let offset = address.checked_sub(self.heap).and_then(|offset| usize::try_from(offset).ok());
        offset.and_then(|offset| offset.checked_add(bytes)).is_some_and(|end| end <= self.bytes)
    }

    /// Undoes a [`register`](Device::register). Where NVSHMEM was finalised, it knows the memory no more.
    ///
    /// # Safety
    ///
    /// `register` has taken the memory, and every operation that used it is complete.
    pub unsafe fn unregister(&self, address: u64) {
        let Ok(()) = self.started.driver.enter(self.started.context) else { return };
        if let Ok(_turn) = self.turn() {
            // SAFETY: the caller's promise.
            unsafe { (self.started.library.routines().nvshmemx_buffer_unregister)(address as *mut c_void) };
        }
    }

    /// An id for a team, which one of its PEs makes for all (`nvshmemx_team_get_uniqueid`).
    ///
    /// # Errors
    ///
    /// What NVSHMEM says, and that it has no such teams.
    pub fn team_id(&self) -> Result<u64, String> {
        self.started.driver.enter(self.started.context)?;
        let library = &self.started.library;
        // SAFETY: the routine has this type in every version that has it.
        let routine = unsafe { library.routine::<TeamId>(c"nvshmemx_team_get_uniqueid") }?;
        let mut id = 0;
        let _turn = self.turn()?;
        // SAFETY: there is a number to write to.
        let status = unsafe { routine(&mut id) };
        library::check("nvshmemx_team_get_uniqueid", status)?;
        Ok(id)
    }

    /// Makes a team of `n` PEs, of which this one is number `pe` (`nvshmemx_team_init`). Collective
    /// over these PEs, which have the same `id`.
    ///
    /// # Errors
    ///
    /// What NVSHMEM says.
    pub fn team(&self, id: u64, n: usize, pe: usize) -> Result<DeviceTeam, String> {
        self.started.driver.enter(self.started.context)?;
        let library = &self.started.library;
        // SAFETY: the routine has this type in every version that has it.
        let routine = unsafe { library.routine::<TeamInit>(c"nvshmemx_team_init") }?;
        let mut configuration = NvshmemTeamConfiguration::of(id);
        let mut number = library::NO_TEAM;
        let _turn = self.turn()?;
        // SAFETY: there is a number to write to, and the configuration has the version of its
        // layout.
        let status =
            unsafe { routine(&mut number, &mut configuration, WITH_TEAM_ID, n as c_int, pe as c_int) };
        library::check("nvshmemx_team_init", status)?;
        match number {
            library::NO_TEAM => Err("nvshmemx_team_init has made none".to_owned()),
            number => Ok(DeviceTeam { number, id }),
        }
    }

    /// The turn of this thread to call NVSHMEM.
    ///
    /// # Errors
    ///
    /// When it was finalised.
    fn turn(&self) -> Result<MutexGuard<'_, bool>, String> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        match *turn {
            false => Ok(turn),
            true => Err("this PE has left its job, and NVSHMEM was finalised".to_owned()),
        }
    }

    /// Finalises NVSHMEM, once (`nvshmemx_hostlib_finalize`). Later calls of NVSHMEM are refused.
    /// Collective: all PEs are at the end of the job.
    ///
    /// # Errors
    ///
    /// What the driver or NVSHMEM says.
    pub fn finalise(&self) -> Result<(), String> {
        let Ok(mut is_over) = self.turn() else { return Ok(()) };
        *is_over = true;
        let StartedDevice { driver, library, context, .. } = &self.started;
        let routines = library.routines();
        // Other PEs wait in the calls below, also for a PE that has an error.
        let mut result = driver.enter(*context);
        for module in self.modules.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: the module was loaded, and NVSHMEM knows it.
            let status = unsafe { (routines.nvshmemx_cumodule_finalize)(module) };
            result = result.and(library::check("nvshmemx_cumodule_finalize", status));
        }
        // SAFETY: NVSHMEM has given the memory, and nobody has an address of it that is used:
        // operations are refused from now on. All PEs are here.
        unsafe {
            (routines.nvshmem_free)(self.heap as *mut c_void);
            (routines.nvshmemx_hostlib_finalize)();
        }
        result
    }

    /// The compiler of kernels, opened once.
    fn compiler(&self, places: &Places) -> Result<Arc<Compiler>, Error> {
        let mut compiler = self.compiler.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiler) = &*compiler {
            return Ok(Arc::clone(compiler));
        }
        let opened = Arc::new(Compiler::open(places)?);
        *compiler = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// Compiles a kernel for this device and loads it, once for each `key`. `name` is that of the
    /// function in `source`, and `title` is for messages.
    ///
    /// # Errors
    ///
    /// What the compiler, the driver or NVSHMEM says, and what is missing.
    pub fn function(
        &self,
        key: TypeId,
        title: &str,
        name: &str,
        source: impl FnOnce() -> String,
    ) -> Result<DeviceFunction, Error> {
        self.once(FunctionKey::Type(key), title, |compiler, architecture, cache| {
            let cubin = compiler.compile(title, &source(), architecture, cache)?;
            Ok(self.load(&cubin, name, true))
        })
    }

    /// Compiles a kernel that the program has written for this device and loads it, once. `name` is
    /// that of the function in `text`, whose parameters have these `sizes`.
    ///
    /// # Errors
    ///
    /// As [`function`](Device::function), and when the parameters have other sizes.
    pub fn written_function(
        &self,
        title: &str,
        name: &'static str,
        text: &'static str,
        sizes: &[usize],
    ) -> Result<DeviceFunction, Error> {
        self.once(FunctionKey::Text { name, text }, title, |compiler, architecture, cache| {
            let cubin = compiler.compile_written(title, text, architecture, cache)?;
            let loaded = self.load(&cubin, name, compiler::has_nvshmem(text));
            Ok(loaded.and_then(|function| self.check_parameters(function, sizes).map(|()| function)))
        })
    }

    /// What `make` makes of a kernel, the first time.
    fn once(
        &self,
        key: FunctionKey,
        title: &str,
        make: impl FnOnce(&Compiler, &str, Option<&KernelCache>) -> Result<Result<Handle, String>, Error>,
    ) -> Result<DeviceFunction, Error> {
        // Held while it compiles: another thread that launches the kernel waits for it.
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(&key) {
            return Ok(DeviceFunction(*function));
        }
        let compiler = self.compiler(&Places::of_this_process())?;
        let cache = KernelCache::of_this_user();
        let loaded = make(&compiler, &self.started.architecture, cache.as_ref())?;
        let function = loaded.map_err(|reason| Error::unavailable(&format!("{title} on {self}"), reason))?;
        functions.insert(key, function);
        Ok(DeviceFunction(function))
    }

    /// Compares the parameters of a function with these sizes, where the driver tells them.
    fn check_parameters(&self, function: Handle, sizes: &[usize]) -> Result<(), String> {
        let driver = &self.started.driver;
        // SAFETY: the routine has this type in every driver that has it.
        let Ok(routine) = (unsafe { driver.routine::<ParameterInfo>(c"cuFuncGetParamInfo") }) else {
            return Ok(());
        };
        let mut found = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function was loaded, and there are two numbers to write to. After the
            // last parameter, the routine returns a status.
            if unsafe { routine(function, found.len(), &mut offset, &mut size) } != 0 {
                break;
            }
            found.push(size);
        }
        if found == sizes {
            return Ok(());
        }
        let list = |sizes: &[usize]| match sizes {
            [] => "none".to_owned(),
            sizes => sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        };
        Err(format!(
            "its parameters have these sizes in bytes: {}; and its type in Rust says: {}",
            list(&found),
            list(sizes)
        ))
    }

    /// Loads machine code, for as long as the process lives, and finds its function.
    fn load(&self, cubin: &[u8], name: &str, has_nvshmem: bool) -> Result<Handle, String> {
        let c_name = CString::new(name).map_err(|_| "a name has a zero byte".to_owned())?;
        let routines = &self.started.driver.routines;
        self.started.driver.enter(self.started.context)?;
        let (mut module, mut function) = (Handle::NONE, Handle::NONE);
        // SAFETY: the image is one that nvJitLink has made, and there is a handle to write to.
        let status = unsafe { (routines.cuModuleLoadData)(&mut module, cubin.as_ptr().cast()) };
        self.started.driver.check("cuModuleLoadData", status)?;
        if has_nvshmem {
            let _turn = self.turn()?;
            // SAFETY: the module was loaded; it has NVSHMEM's device library, whose state this
            // sets.
            let status = unsafe { (self.started.library.routines().nvshmemx_cumodule_init)(module) };
            library::check("nvshmemx_cumodule_init", status)?;
            self.modules.lock().unwrap_or_else(PoisonError::into_inner).push(module);
        }
        // SAFETY: the module was loaded, the name ends with a zero byte, and there is a handle to write to.
        let status = unsafe { (routines.cuModuleGetFunction)(&mut function, module, c_name.as_ptr()) };
        self.started.driver.check("cuModuleGetFunction", status).map_err(|reason| {
            format!("{reason}: write the kernel as `extern \"C\" __global__ void {name}(...)`")
        })?;
        Ok(function)
    }
}

/// A stream of a device.
pub struct DeviceStream {
    device: Arc<Device>,
    stream: Handle,
    /// Memory of the device for elements on their way, which grows.
    staging: Mutex<Staging>,
}

#[derive(Clone, Copy, Default)]
struct Staging {
    address: Address,
    bytes: usize,
}

impl fmt::Debug for DeviceStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a stream of {}", self.device)
    }
}

/// Where the other side of a transfer lies: memory of this device, at one distance.
#[derive(Clone, Copy)]
struct Near {
    address: Address,
    /// In bytes.
    stride: isize,
}

/// The way of a transfer, from this PE's side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Put,
    Get,
}

impl DeviceStream {
    /// Makes a stream.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub fn new(device: Arc<Device>) -> Result<DeviceStream, Error> {
        let made =
            device.started.driver.enter(device.started.context).and_then(|()| device.started.driver.stream());
        let stream = made.map_err(|reason| Error::unavailable("a stream", reason))?;
        Ok(DeviceStream { device, stream, staging: Mutex::default() })
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Begins an operation in the calling thread.
    fn begin(&self) -> Result<(), String> {
        self.device.started.driver.enter(self.device.started.context)
    }

    /// Waits until all that was issued is done.
    fn complete(&self) -> Result<(), String> {
        let driver = &self.device.started.driver;
        // SAFETY: the stream lives.
        driver.check("the device", unsafe { (driver.routines.cuStreamSynchronize)(self.stream) })
    }

    /// Whether all elements lie in symmetric memory, on a PE that there is.
    fn check(&self, spot: &Spot) -> Result<(), String> {
        let lies_there = |piece: &Piece| {
            let last = piece.stride.checked_mul(piece.count.saturating_sub(1).try_into().ok()?)?;
            let (first, last) = (piece.offset, piece.offset.checked_add_signed(last)?);
            (first.max(last).checked_add(spot.elem)? <= self.device.bytes).then_some(())
        };
        let whole: usize = spot.pieces.iter().map(|piece| piece.count).sum();
        let ok = spot.pe < self.device.n
            && whole <= spot.count
            && spot
                .pieces
                .iter()
                .all(|piece| piece.position + piece.count <= spot.count && lies_there(piece).is_some());
        if ok { Ok(()) } else { Err("the elements do not lie in the symmetric memory of a PE".to_owned()) }
    }

    /// Memory of the device with room for so many bytes, which NVSHMEM takes as the local side of a
    /// transfer.
    fn staging(&self, bytes: usize) -> Result<Address, String> {
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        if staging.bytes < bytes {
            self.free(&mut staging);
            let size = bytes.next_power_of_two().max(64 << 10);
            let driver = &self.device.started.driver;
            let mut address = 0;
            // SAFETY: there is an address to write to.
            driver.check("cuMemAlloc", unsafe { (driver.routines.cuMemAlloc_v2)(&mut address, size) })?;
            *staging = Staging { address, bytes: size };
            self.device.register(address, size)?;
        }
        Ok(staging.address)
    }

    fn free(&self, staging: &mut Staging) {
        let Staging { address, .. } = std::mem::take(staging);
        if address == 0 {
            return;
        }
        // SAFETY: `staging` has allocated and registered the memory, and each operation waits for its end.
        // A failure leaves it allocated.
        unsafe {
            self.device.unregister(address);
            (self.device.started.driver.routines.cuMemFree_v2)(address);
        }
    }

    /// Moves `bytes` that lie side by side on both sides.
    fn move_bytes(
        &self,
        way: Way,
        pe: usize,
        offset: usize,
        near: Address,
        bytes: usize,
    ) -> Result<(), String> {
        let device = &*self.device;
        let far = device.address(offset);
        if pe == device.pe {
            let (to, from) = if way == Way::Put { (far, near) } else { (near, far) };
            let copy = device.started.driver.routines.cuMemcpyDtoDAsync_v2;
            // SAFETY: both places lie in memory of the device, as the caller has checked.
            return device
                .started
                .driver
                .check("cuMemcpyDtoDAsync", unsafe { copy(to, from, bytes, self.stream) });
        }
        let _turn = device.turn()?;
        let (far, near, pe, routines) =
            (far as *mut c_void, near as *mut c_void, pe as c_int, device.started.library.routines());
        // SAFETY: one place lies in the symmetric memory of the PE, which there is, and the other in
        // symmetric or registered memory of this one, as the caller has checked.
        unsafe {
            match way {
                Way::Put => (routines.nvshmemx_putmem_on_stream)(far, near, bytes, pe, self.stream),
                Way::Get => (routines.nvshmemx_getmem_on_stream)(near, far, bytes, pe, self.stream),
            }
        }
        Ok(())
    }

    /// Moves the elements of a piece, of which the first is at `near`.
    ///
    /// The caller has checked the piece, and that as many elements lie at `near`.
    fn move_piece(&self, way: Way, pe: usize, piece: Piece, elem: usize, near: Near) -> Result<(), String> {
        let device = &*self.device;
        if piece.count == 0 || elem == 0 {
            return Ok(());
        }
        if piece.is_dense(elem) && (piece.count == 1 || near.stride == elem.cast_signed()) {
            return self.move_bytes(way, pe, piece.offset, near.address, piece.count * elem);
        }
        let near_piece = Piece { offset: near.address as usize, stride: near.stride, ..piece };
        if let (Some(step), Some(near_step)) = (piece.step(elem), near_piece.step(elem)) {
            let name = match (way, elem) {
                (Way::Put, 1) => c"nvshmemx_iput8_on_stream",
                (Way::Put, 2) => c"nvshmemx_iput16_on_stream",
                (Way::Put, 4) => c"nvshmemx_iput32_on_stream",
                (Way::Put, 8) => c"nvshmemx_iput64_on_stream",
                (Way::Put, _) => c"nvshmemx_iput128_on_stream",
                (Way::Get, 1) => c"nvshmemx_iget8_on_stream",
                (Way::Get, 2) => c"nvshmemx_iget16_on_stream",
                (Way::Get, 4) => c"nvshmemx_iget32_on_stream",
                (Way::Get, 8) => c"nvshmemx_iget64_on_stream",
                (Way::Get, _) => c"nvshmemx_iget128_on_stream",
            };
            // SAFETY: all of these routines have this type; the library stays open.
            let routine = unsafe { device.started.library.routine::<Strided>(name) }?;
            let (far, near) = (device.address(piece.offset) as *mut c_void, near.address as *mut c_void);
            let _turn = device.turn()?;
            // SAFETY: as in `move_bytes`, with as many elements at these distances.
            unsafe {
                match way {
                    Way::Put => routine(far, near, step, near_step, piece.count, pe as c_int, self.stream),
                    Way::Get => routine(near, far, near_step, step, piece.count, pe as c_int, self.stream),
                }
            }
            return Ok(());
        }
        // What NVSHMEM has no routine for: one after the other.
        for i in 0..piece.count.cast_signed() {
            let offset = piece.offset.wrapping_add_signed(i * piece.stride);
            self.move_bytes(
                way,
                pe,
                offset,
                near.address.wrapping_add_signed((i * near.stride) as i64),
                elem,
            )?;
        }
        Ok(())
    }

    /// Moves all elements of a spot, side by side at `near`.
    fn move_all(&self, way: Way, spot: &Spot, near: Address) -> Result<(), String> {
        for piece in &spot.pieces {
            let address = near + (piece.position * spot.elem) as u64;
            let side = Near { address, stride: spot.elem.cast_signed() };
            self.move_piece(way, spot.pe, *piece, spot.elem, side)?;
        }
        Ok(())
    }

    /// Completes all puts and updates of this stream at their targets.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub fn quiet(&self) -> Result<(), String> {
        self.begin()?;
        let turn = self.device.turn()?;
        // SAFETY: the stream lives.
        unsafe { (self.device.started.library.routines().nvshmemx_quiet_on_stream)(self.stream) };
        drop(turn);
        self.complete()
    }

    /// Reads the elements to `to`, side by side.
    ///
    /// # Safety
    ///
    /// There is room for all of them.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub unsafe fn read(&self, from: &Spot, to: *mut u8) -> Result<(), String> {
        if from.bytes() == 0 {
            return Ok(());
        }
        self.check(from)?;
        self.begin()?;
        let driver = &self.device.started.driver;
        let source = match from.dense() {
            Some(offset) if from.pe == self.device.pe => self.device.address(offset),
            _ => {
                let staging = self.staging(from.bytes())?;
                self.move_all(Way::Get, from, staging)?;
                staging
            }
        };
        // SAFETY: so many bytes lie at the source, and there is room for them. They have arrived when
        // this has returned, also where it fails: the stream is waited for.
        let status =
            unsafe { (driver.routines.cuMemcpyDtoHAsync_v2)(to.cast(), source, from.bytes(), self.stream) };
        let issued = driver.check("cuMemcpyDtoHAsync", status);
        self.complete()?;
        issued
    }

    /// Writes the values at `from`, one for each element.
    ///
    /// # Safety
    ///
    /// As many lie there.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub unsafe fn write(&self, to: &Spot, from: *const u8) -> Result<(), String> {
        if to.bytes() == 0 {
            return Ok(());
        }
        self.check(to)?;
        self.begin()?;
        let driver = &self.device.started.driver;
        let own = to.dense().filter(|_| to.pe == self.device.pe).map(|offset| self.device.address(offset));
        let room = match own {
            Some(address) => address,
            None => self.staging(to.bytes())?,
        };
        // SAFETY: there is room for so many bytes, which lie there until the stream was waited for.
        let status =
            unsafe { (driver.routines.cuMemcpyHtoDAsync_v2)(room, from.cast(), to.bytes(), self.stream) };
        let issued = driver.check("cuMemcpyHtoDAsync", status).and_then(|()| match own {
            Some(_) => Ok(()),
            None => self.move_all(Way::Put, to, room),
        });
        self.complete()?;
        issued
    }

    /// Writes the elements that lie at `from`, side by side in registered memory.
    ///
    /// # Safety
    ///
    /// As many lie there, in memory that is registered or symmetric, and aligned for elements of this
    /// size. Nobody writes to them before this has returned.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub unsafe fn put(&self, to: &Spot, from: u64) -> Result<(), String> {
        // SAFETY: the caller's promise.
        unsafe { self.transfer(Way::Put, to, from) }
    }

    /// Reads the elements to `to`, side by side in registered memory.
    ///
    /// # Safety
    ///
    /// As [`put`](DeviceStream::put), with room for all of them, which nobody accesses before this has
    /// returned.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub unsafe fn get(&self, from: &Spot, to: u64) -> Result<(), String> {
        // SAFETY: the caller's promise.
        unsafe { self.transfer(Way::Get, from, to) }
    }

    /// Moves all elements of a spot, side by side at `near`, and waits for it.
    ///
    /// # Safety
    ///
    /// As [`put`](DeviceStream::put) or [`get`](DeviceStream::get).
    unsafe fn transfer(&self, way: Way, spot: &Spot, near: Address) -> Result<(), String> {
        if spot.bytes() == 0 {
            return Ok(());
        }
        self.check(spot)?;
        self.begin()?;
        let issued = self.move_all(way, spot, near);
        self.complete()?;
        issued
    }

    /// Copies the elements of `from` to those of `to`, which are as many of the same size. The two may
    /// overlap: what is read was there before.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub fn copy(&self, to: &Spot, from: &Spot) -> Result<(), String> {
        if to.elem != from.elem || to.count != from.count {
            return Err("the two have different numbers of elements".to_owned());
        }
        if to.bytes() == 0 {
            return Ok(());
        }
        self.check(to)?;
        self.check(from)?;
        self.begin()?;
        let device = &*self.device;
        let near = |piece: Piece| Near { address: device.address(piece.offset), stride: piece.stride };
        // A piece with fewer elements leaves out those that are written again.
        let is_whole = |spot: &Spot| spot.pieces.iter().all(|piece| piece.count == spot.count);
        let is_direct = is_whole(to) && is_whole(from) && !overlap(to, from);
        let issued = match (&to.pieces[..], &from.pieces[..]) {
            (&[to_piece], &[from_piece]) if is_direct && from.pe == device.pe => {
                self.move_piece(Way::Put, to.pe, to_piece, to.elem, near(from_piece))
            }
            (&[to_piece], &[from_piece]) if is_direct && to.pe == device.pe => {
                self.move_piece(Way::Get, from.pe, from_piece, to.elem, near(to_piece))
            }
            _ => {
                let staging = self.staging(to.bytes())?;
                self.move_all(Way::Get, from, staging).and_then(|()| self.move_all(Way::Put, to, staging))
            }
        };
        self.complete()?;
        issued
    }

    /// Updates a cell, and returns what it held before where `wants` says so.
    ///
    /// # Errors
    ///
    /// What the driver says, and what is missing where the update needs a kernel.
    pub fn update(&self, cell: &Spot, update: Update, wants: bool) -> Result<u64, String> {
        self.check(cell)?;
        let [Piece { offset, count: 1, .. }] = cell.pieces[..] else {
            return Err("an update is of one cell".to_owned());
        };
        let device = &*self.device;
        // A signal of NVSHMEM is such a cell.
        let signal = match update.code {
            Update::SET => Some(SIGNAL_SET),
            Update::ADD => Some(SIGNAL_ADD),
            _ => None,
        };
        if let (false, 8, Some(operation)) = (wants, cell.elem, signal) {
            self.begin()?;
            let turn = device.turn()?;
            // SAFETY: a cell of 8 bytes lies there, on a PE that there is.
            unsafe {
                (device.started.library.routines().nvshmemx_signal_op_on_stream)(
                    device.address(offset) as *mut u64,
                    update.value,
                    operation,
                    cell.pe as c_int,
                    self.stream,
                );
            }
            drop(turn);
            return self.complete().map(|()| 0);
        }
        struct Key;
        let function = device
            .function(TypeId::of::<Key>(), "an update of a cell", "shmem_update", || UPDATES.to_owned());
        let function = function.map_err(|error| error.to_string())?;
        let before = self.staging(size_of::<u64>())?;
        let arguments = [
            vec![device.address(offset)],
            vec![cell.elem as u64],
            vec![cell.pe as u64],
            vec![update.code.into()],
            vec![update.value],
            vec![update.expected],
            vec![before],
        ];
        // SAFETY: these are the parameters of the function, in words that begin with their values. It
        // updates a cell in symmetric memory and writes to the staging.
        unsafe { self.launch(function, LaunchGrid { blocks: 1, threads: 1 }, &arguments)? };
        let mut value = 0_u64;
        let driver = &device.started.driver;
        // SAFETY: the function has written 8 bytes there, and there is room for them until the stream was
        // waited for.
        let status = unsafe {
            (driver.routines.cuMemcpyDtoHAsync_v2)(
                (&raw mut value).cast(),
                before,
                size_of::<u64>(),
                self.stream,
            )
        };
        let issued = driver.check("cuMemcpyDtoHAsync", status);
        self.complete()?;
        issued.map(|()| value)
    }

    /// Waits until a cell of this PE holds what `comparison` asks of it and
    /// `value`.
    ///
    /// # Errors
    ///
    /// What the driver says, and that NVSHMEM has no wait for such cells.
    pub fn wait(
        &self,
        cell: &Spot,
        is_signed: bool,
        comparison: DeviceComparison,
        value: u64,
    ) -> Result<(), String> {
        self.check(cell)?;
        let ([Piece { offset, count: 1, .. }], true) = (&cell.pieces[..], cell.pe == self.device.pe) else {
            return Err("a stream waits for a cell of its own PE".to_owned());
        };
        self.begin()?;
        let device = &*self.device;
        let name = match (cell.elem, is_signed) {
            (4, false) => c"nvshmemx_uint32_wait_until_on_stream",
            (4, true) => c"nvshmemx_int32_wait_until_on_stream",
            (8, false) => c"nvshmemx_uint64_wait_until_on_stream",
            (8, true) => c"nvshmemx_int64_wait_until_on_stream",
            (bytes, _) => {
                return Err(format!(
                    "NVSHMEM has no wait for a cell of {bytes} bytes: wait for one of 4 or 8 bytes"
                ));
            }
        };
        let (address, comparison) = (device.address(*offset) as *mut c_void, comparison as c_int);
        let turn = device.turn()?;
        // SAFETY: the routines have these types, and a cell of their size lies there. Signed and unsigned
        // numbers are passed in the same way.
        unsafe {
            if cell.elem == 4 {
                device.started.library.routine::<NarrowWait>(name)?(
                    address,
                    comparison,
                    value as u32,
                    self.stream,
                );
            } else {
                device.started.library.routine::<WideWait>(name)?(address, comparison, value, self.stream);
            }
        }
        drop(turn);
        self.complete()
    }

    /// Whether NVSHMEM makes the call for these elements. The answer is the same on all PEs.
    #[must_use]
    pub fn takes(&self, call: DeviceCollective, to: &Spot, from: &Spot) -> bool {
        let (Some(to_start), Some(from_start)) = (to.dense(), from.dense()) else { return false };
        // A library has no routine for elements onto themselves, except of whole reductions.
        let is_apart =
            !overlap(to, from) || matches!(call, DeviceCollective::Reduce { .. }) && to_start == from_start;
        let has_routine = match reduction(call) {
            // SAFETY: it is not called.
            Some(name) => unsafe { self.device.started.library.routine::<Reduction>(&name) }.is_ok(),
            None => true,
        };
        is_apart && has_routine && to.bytes() > 0
    }

    /// Makes a collective call of `team`, which has `n` PEs, that NVSHMEM
    /// [takes](DeviceStream::takes).
    ///
    /// # Errors
    ///
    /// What the driver or NVSHMEM says.
    pub fn collective(
        &self,
        (team, n): (DeviceTeam, usize),
        call: DeviceCollective,
        to: &Spot,
        from: &Spot,
    ) -> Result<(), String> {
        self.check(to)?;
        self.check(from)?;
        if !matches!(call, DeviceCollective::Barrier | DeviceCollective::Sync) && !self.takes(call, to, from)
        {
            return Err("NVSHMEM does not take these elements".to_owned());
        }
        self.begin()?;
        let (device, stream, team) = (&*self.device, self.stream, team.number);
        let start = |spot: &Spot| device.address(spot.dense().unwrap_or(0)) as *mut c_void;
        let (routines, dst, src) = (device.started.library.routines(), start(to), start(from).cast_const());
        let turn = device.turn()?;
        // SAFETY: the destination and the source lie in symmetric memory, side by side, and apart or on
        // one another where the routine allows it. They are as long as the call asks, which is compared
        // when it is issued. The team was made, and all of its PEs make its calls in one order.
        let status = unsafe {
            match call {
                DeviceCollective::Barrier => (routines.nvshmemx_barrier_on_stream)(team, stream),
                DeviceCollective::Sync => (routines.nvshmemx_team_sync_on_stream)(team, stream),
                DeviceCollective::Broadcast { root } => (routines.nvshmemx_broadcastmem_on_stream)(
                    team,
                    dst,
                    src,
                    to.bytes(),
                    root as c_int,
                    stream,
                ),
                DeviceCollective::Fcollect => {
                    (routines.nvshmemx_fcollectmem_on_stream)(team, dst, src, from.bytes(), stream)
                }
                DeviceCollective::Alltoall => {
                    (routines.nvshmemx_alltoallmem_on_stream)(team, dst, src, from.bytes() / n, stream)
                }
                DeviceCollective::Reduce { .. } | DeviceCollective::ReduceScatter { .. } => {
                    let name = reduction(call).expect("a reduction has a name");
                    device.started.library.routine::<Reduction>(&name)?(team, dst, src, to.count, stream)
                }
            }
        };
        drop(turn);
        library::check("a collective call", status)?;
        self.complete()
    }

    /// Runs a kernel. Each argument is in words, which begin with its value.
    ///
    /// # Safety
    ///
    /// The arguments are those of the kernel, which may be run with them.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub unsafe fn launch(
        &self,
        function: DeviceFunction,
        LaunchGrid { blocks, threads }: LaunchGrid,
        arguments: &[Vec<u64>],
    ) -> Result<(), String> {
        self.begin()?;
        let driver = &self.device.started.driver;
        let number = |count: usize| u32::try_from(count).map_err(|_| "the grid is too large".to_owned());
        let (blocks, threads) = (number(blocks)?, number(threads)?);
        let mut places: Vec<*mut c_void> =
            arguments.iter().map(|words| words.as_ptr().cast_mut().cast()).collect();
        // SAFETY: the function is of a module that stays loaded. The driver copies the arguments, which
        // are those of the function by the caller's promise, before it returns.
        let status = unsafe {
            (driver.routines.cuLaunchKernel)(
                function.0,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                self.stream,
                places.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        driver.check("cuLaunchKernel", status)?;
        self.complete()
    }
}

impl Drop for DeviceStream {
    fn drop(&mut self) {
        let mut staging = *self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        // A failure is the driver's, which has said it to an operation before.
        let _ = self.begin();
        let _ = self.complete();
        self.free(&mut staging);
        // SAFETY: the stream was made, and nothing is issued on it any more.
        unsafe { (self.device.started.driver.routines.cuStreamDestroy_v2)(self.stream) };
    }
}

/// Whether elements of the two may be the same bytes.
fn overlap(one: &Spot, other: &Spot) -> bool {
    let span = |spot: &Spot| {
        let ends = spot.pieces.iter().flat_map(|piece| {
            let last = piece.stride * (piece.count.cast_signed() - 1).max(0);
            [piece.offset, piece.offset.wrapping_add_signed(last)]
        });
        let (low, high) =
            ends.fold((usize::MAX, 0), |(low, high), end| (low.min(end), high.max(end + spot.elem)));
        low..high
    };
    let (a, b) = (span(one), span(other));
    one.pe == other.pe && a.start < b.end && b.start < a.end
}

/// The name of the routine of a reduction.
fn reduction(call: DeviceCollective) -> Option<CString> {
    let (kind, operation, routine) = match call {
        DeviceCollective::Reduce { kind, operation } => (kind, operation, "reduce"),
        DeviceCollective::ReduceScatter { kind, operation } => (kind, operation, "reducescatter"),
        _ => return None,
    };
    CString::new(format!("nvshmemx_{kind}_{operation}_{routine}_on_stream")).ok()
}
