//! The back end `nvshmem`: a stream is one of a GPU, whose thread issues an operation and waits until
//! it is done.
//!
//! The memory of the device is laid out as the symmetric heap of the host, so an array has the same
//! offset in both. The host's part of an array is used for two things: for its first values, and for
//! collective calls that NVSHMEM has no routine for.

use std::io::Write as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use shmem_gpu::choice::Choice;
use shmem_gpu::nvshmem::{Device, DeviceComparison, DeviceStream, DeviceTeam, Piece, Spot, UniqueId, Update};

use super::job;
use super::lane::{Performer, UnderWay};
use super::team::{CollectiveRoutine, GpuTeam};
use crate::remote::DeviceMemory;
use crate::remote::held::HeldSpot;
use crate::remote::stream::{FetchRoom, ReadRoom, StreamWork};
use crate::runtime::team::Team;
use crate::system::error::Error;
use crate::transport::{Amo, Combine, Ctx, NumberKind};
use crate::wait::Comparison;
use crate::world::World;

/// The device of this process, once it was started: NVSHMEM is initialised once.
static DEVICE: OnceLock<Arc<Device>> = OnceLock::new();

/// The device of this process, if the back end is this one.
pub(super) fn device() -> Option<&'static Arc<Device>> {
    DEVICE.get()
}

/// Starts device `number` for `choice`, which is the same back end on all PEs of `world`. Collective.
///
/// # Errors
///
/// What the driver or NVSHMEM says, and that this process has started another device before.
#[track_caller]
pub(super) fn start(
    world: &World,
    choice: Choice,
    number: usize,
) -> Result<Option<&'static Arc<Device>>, Error> {
    let Choice::Nvshmem(found) = choice else { return Ok(None) };
    let team = world.team();
    let on_this_host = world.node_team().fcollect_value(number);
    let sharing = on_this_host.iter().filter(|&&device| device == number).count();
    if let Some(device) = device() {
        if device.number() != number {
            let reason = format!(
                "this PE has started device {} before, and a PE has one device: leave SHMEM_GPU_DEVICE as it is",
                device.number()
            );
            return Err(shmem_gpu::Error::unavailable(&format!("device {number}"), reason).into());
        }
        return Ok(Some(device));
    }
    let (pe, n) = (team.my_pe(), team.n_pes());
    // PE 0 makes the id of the job for all.
    let started = found.start(number).and_then(|started| match pe {
        0 => match started.library().unique_id() {
            Ok(id) => Ok((started, id.0)),
            Err(reason) => Err(shmem_gpu::Error::unavailable("NVSHMEM", reason)),
        },
        _ => Ok((started, [0; 128])),
    });
    // NVSHMEM would wait for those that have an error.
    let (started, id) = on_all_pes(team, started)?;
    let id = UniqueId(team.broadcast_value(id, 0));
    let begun = started.init((pe, n), &id, job().endpoint().facts.heap_size, sharing);
    // Where all PEs have a device, they finalise NVSHMEM together.
    let device = on_all_pes(team, begun)?;
    Ok(Some(DEVICE.get_or_init(|| Arc::new(device))))
}

/// `result`, if all PEs of `team` have one. Collective: all PEs come here, also those that have an
/// error.
///
/// # Errors
///
/// That of this PE, or else that of the first PE that has one. So whichever PE is heard first, it
/// has the reason.
#[track_caller]
fn on_all_pes<T>(team: &Team, result: Result<T, shmem_gpu::Error>) -> Result<T, Error> {
    let failures = team.fcollect_value(u8::from(result.is_err()));
    let first = failures.iter().position(|&failed| failed != 0);
    let told = first.map(|first| {
        let mut text = [0_u8; 1024];
        if let (true, Err(error)) = (first == team.my_pe(), &result) {
            let words = error.to_string();
            let len = words.len().min(text.len());
            text[..len].copy_from_slice(&words.as_bytes()[..len]);
        }
        team.broadcast_value(text, first)
    });
    let value = result?;
    if let (Some(first), Some(text)) = (first, told) {
        let text = String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned();
        return Err(shmem_gpu::Error::unavailable(&format!("the device of PE {first}"), text).into());
    }
    Ok(value)
}

/// Finalises NVSHMEM, if this job uses it. Collective: all PEs are at the end of the job.
pub(super) fn finish() {
    if let Some(device) = device()
        && let Err(reason) = device.finalise()
    {
        // The PE has done its work, and its memory ends with it.
        let _ = writeln!(
            std::io::stderr(),
            "shmem: PE {} of {}: NVSHMEM cannot be finalised: {reason}",
            job().team().my_pe(),
            job().team().n_pes()
        );
    }
}

/// The team of all PEs, whose calls are those of `NVSHMEM_TEAM_WORLD`. NVSHMEM has it until the
/// process ends, so it is the same for every [`Gpu`](super::Gpu). Collective.
#[track_caller]
pub(super) fn team_of_world(team: &Team) -> Result<GpuTeam, Error> {
    static WORLD: OnceLock<GpuTeam> = OnceLock::new();
    if let Some(world) = WORLD.get() {
        return Ok(world.clone());
    }
    let world = GpuTeam::of_world(team)?;
    Ok(WORLD.get_or_init(|| world).clone())
}

/// `NVSHMEM_TEAM_WORLD`
///
/// # Errors
///
/// Why NVSHMEM makes no collective calls.
pub(super) fn world() -> Result<DeviceTeam, String> {
    able_to_meet().map(|_| DeviceTeam::WORLD)
}

/// The device, if NVSHMEM makes collective calls there.
fn able_to_meet() -> Result<&'static Arc<Device>, String> {
    let device = device().ok_or("the back end is not `nvshmem`")?;
    match device.meets() {
        true => Ok(device),
        false => Err("several PEs are on one GPU without MPS, where NVSHMEM makes no collective calls: start as many PEs \
                      as there are devices, or start MPS (`nvidia-cuda-mps-control -d`)"
            .to_owned()),
    }
}

/// The teams of NVSHMEM that no team of this process has any more, and the PEs of each. NVSHMEM has
/// few teams, and releasing one is a collective call, which a drop is not: so the next team of the
/// same PEs gets it.
static FREE: Mutex<Vec<(DeviceTeam, Vec<usize>)>> = Mutex::new(Vec::new());

/// A team of NVSHMEM for the PEs of `team`, which has no calls yet. Collective.
///
/// # Errors
///
/// Why NVSHMEM has none: on all PEs, if on one.
#[track_caller]
pub(super) fn team(team: &Team) -> Result<DeviceTeam, String> {
    /// How many free teams a PE offers.
    const OFFERED: usize = 8;
    // What this depends on is the same on all PEs.
    let device = able_to_meet()?;
    let pes: Vec<usize> = team.world_pes().collect();
    let mut offered = [0; OFFERED];
    {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let these = free.iter().filter(|(_, of)| *of == pes);
        for (place, (one, _)) in offered.iter_mut().zip(these) {
            *place = one.id();
        }
    }
    // One that is free on all PEs: its calls are over on all of them.
    let of_all = team.fcollect_value(offered);
    let common = of_all[0].iter().filter(|&&id| id != 0 && of_all.iter().all(|ids| ids.contains(&id))).min();
    if let Some(&id) = common {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let place = free.iter().position(|(one, _)| one.id() == id).expect("this PE has offered it");
        return Ok(free.remove(place).0);
    }
    let id = match team.my_pe() {
        0 => device.team_id(),
        _ => Ok(0),
    };
    // All PEs come to the calls of the host, also those that have an error.
    let has_id = team.broadcast_value(u8::from(id.is_ok()), 0) != 0;
    let id = team.broadcast_value(*id.as_ref().unwrap_or(&0), 0);
    // NVSHMEM waits for all PEs of the team in this call.
    let made = match has_id {
        true => device.team(id, team.n_pes(), team.my_pe()),
        false => Err("PE 0 of the team has got no id for it".to_owned()),
    };
    let are_made = team.fcollect_value(u8::from(made.is_ok()));
    let made = made.map_err(|reason| {
        format!("NVSHMEM has made no team for it, and has NVSHMEM_MAX_TEAMS of them at most: {reason}")
    })?;
    match are_made.iter().position(|&made| made == 0) {
        None => Ok(made),
        Some(pe) => Err(format!("NVSHMEM has made no team for it on PE {pe} of the team")),
    }
}

/// No call of the team is under way on this PE, and none comes.
pub(super) fn give_back(one: &DeviceTeam, team: &Team) {
    if *one != DeviceTeam::WORLD {
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push((*one, team.world_pes().collect()));
    }
}

/// Gives the `bytes` bytes at `offset` of this PE's device memory the values that the host has there, and
/// waits for all PEs. Collective.
#[track_caller]
pub(super) fn begin_with(offset: usize, bytes: usize) -> Result<(), Error> {
    let Some(device) = device() else { return Ok(()) };
    let piece = Piece { offset, count: bytes, stride: 1, position: 0 };
    let spot = Spot { pe: job().team().my_pe(), pieces: vec![piece], elem: 1, count: bytes };
    let begun = DeviceStream::new(Arc::clone(device)).and_then(|stream| {
        // SAFETY: so many bytes of an array lie at the offset, which nobody writes to before all PEs have
        // been here.
        let written = unsafe { stream.write(&spot, job().own_heap().add(offset)) };
        written.map_err(|reason| shmem_gpu::Error::unavailable("memory of the device", reason))
    });
    // All PEs come here, also those that have an error: otherwise the others would wait.
    job().barrier_on_heap();
    Ok(begun?)
}

/// A stream's side of this back end.
pub(super) struct NvshmemPerformer {
    stream: DeviceStream,
    under_way: UnderWay,
}

impl NvshmemPerformer {
    pub(super) fn create(device: &Arc<Device>) -> Result<NvshmemPerformer, Error> {
        Ok(NvshmemPerformer {
            stream: DeviceStream::new(Arc::clone(device))?,
            under_way: UnderWay::default(),
        })
    }

    /// Notes a write, which begins now.
    fn writes_to(&self, memory: &DeviceMemory) -> Result<(), String> {
        self.under_way.note(memory, || self.quiet())
    }

    /// Completes its operations.
    fn quiet(&self) -> Result<(), String> {
        self.stream.quiet()?;
        self.under_way.clear();
        Ok(())
    }

    /// Writes one value to all elements of `to`.
    ///
    /// # Safety
    ///
    /// `value` begins with a value of their type.
    unsafe fn fill(&self, to: &HeldSpot, value: &[u128]) -> Result<(), String> {
        let mut values = room(to.elem() * to.len());
        let first = value.as_ptr().cast::<u8>();
        for i in 0..to.len() {
            // SAFETY: there is room for as many values; the caller's promise.
            unsafe {
                values
                    .as_mut_ptr()
                    .cast::<u8>()
                    .add(i * to.elem())
                    .copy_from_nonoverlapping(first, to.elem());
            }
        }
        // SAFETY: there is a value for each element.
        unsafe { self.stream.write(&to.on_a_device(true), values.as_ptr().cast()) }
    }
}

/// Room for so many bytes, aligned for every type of elements.
fn room(bytes: usize) -> Vec<u128> {
    vec![0; bytes.div_ceil(size_of::<u128>())]
}

impl Performer for NvshmemPerformer {
    fn perform(&self, work: StreamWork) -> Result<(), String> {
        match work {
            StreamWork::Move { to, from } => {
                self.writes_to(to.memory())?;
                let source = from.on_a_device(false);
                if from.len() != to.len() {
                    let mut value = room(from.elem());
                    // SAFETY: there is room for the one element, which is then there.
                    return unsafe {
                        self.stream.read(&source, value.as_mut_ptr().cast())?;
                        self.fill(&to, &value)
                    };
                }
                self.stream.copy(&to.on_a_device(true), &source)
            }
            StreamWork::Write { to, values, every } => {
                self.writes_to(to.memory())?;
                // SAFETY: the values are of the type of the elements, and as many or one for all, which is
                // compared when the write is issued.
                unsafe {
                    if every {
                        self.fill(&to, &values)
                    } else {
                        self.stream.write(&to.on_a_device(true), values.as_ptr().cast())
                    }
                }
            }
            StreamWork::Read { from, to: ReadRoom(to) } => {
                // SAFETY: the one who issued the read waits, and has room for all elements.
                unsafe { self.stream.read(&from.on_a_device(false), to) }
            }
            StreamWork::Put { to, from } => {
                self.writes_to(to.memory())?;
                // SAFETY: who has registered the memory promises the elements, which are of the same type by
                // the type of the put, and as many, which is compared when it is issued.
                unsafe { self.stream.put(&to.on_a_device(true), from.first().addr() as u64) }
            }
            StreamWork::Get { from, to } => {
                // SAFETY: as above, and there is room for them.
                unsafe { self.stream.get(&from.on_a_device(false), to.first().addr() as u64) }
            }
            StreamWork::Update { cell, op, announces } => {
                self.writes_to(cell.memory())?;
                if announces {
                    self.stream.quiet()?;
                }
                self.stream.update(&cell.on_a_device(true), update(op, cell.elem()), false).map(|_| ())
            }
            StreamWork::Fetch { cell, op, to } => {
                self.writes_to(cell.memory())?;
                let before = self.stream.update(&cell.on_a_device(true), update(op, cell.elem()), true)?;
                let value = [u128::from(before)];
                match to {
                    FetchRoom::Elements(to) => {
                        self.writes_to(to.memory())?;
                        // SAFETY: the low bytes are first, and the language lets only elements of the type
                        // of the cell through.
                        unsafe { self.fill(&to, &value) }
                    }
                    FetchRoom::Value(ReadRoom(to)) => {
                        // SAFETY: the one who issued the fetch waits, and has room for the value.
                        unsafe { to.copy_from_nonoverlapping(value.as_ptr().cast(), cell.elem()) };
                        Ok(())
                    }
                }
            }
            StreamWork::Quiet => self.quiet(),
            StreamWork::Joint(work) => {
                // What the stream has written is there for the others before it meets them or waits for
                // them.
                self.quiet()?;
                work.on_a_device(&self.stream)
            }
        }
    }
}

// NVIDIA's drivers are for processors that have the low bytes of a number first.
#[cfg(target_endian = "big")]
compile_error!("the feature `gpu` is for processors that have the low bytes of a number first");

/// An update of a cell of `bytes` bytes, as the device does it.
fn update(op: Amo, bytes: usize) -> Update {
    let (code, value, expected) = match op {
        Amo::Fetch => (0, 0, 0),
        Amo::Set(value) | Amo::Swap(value) => (Update::SET, value, 0),
        Amo::CompareSwap { expected, new } => (2, new, expected),
        Amo::Add(value) => (Update::ADD, value, 0),
        Amo::And(value) => (4, value, 0),
        Amo::Or(value) => (5, value, 0),
        Amo::Xor(value) => (6, value, 0),
        Amo::Combine(combine, value) => {
            let code = match combine {
                Combine::AddFloats => 7,
                Combine::Min(NumberKind::Unsigned) => 8,
                Combine::Max(NumberKind::Unsigned) => 9,
                Combine::Min(NumberKind::Signed) => 10,
                Combine::Max(NumberKind::Signed) => 11,
                Combine::Min(NumberKind::Float) => 12,
                Combine::Max(NumberKind::Float) => 13,
            };
            (code, value, 0)
        }
    };
    let low = u64::MAX >> (64 - 8 * bytes.clamp(1, 8));
    Update { code, value: value & low, expected: expected & low }
}

/// Makes a collective call of `team`: by NVSHMEM where it has a routine, else by `call` on the host.
pub(super) fn collective(
    stream: &DeviceStream,
    team: &GpuTeam,
    CollectiveRoutine { routine, elements }: CollectiveRoutine,
    call: impl FnOnce(&Team),
) -> Result<(), String> {
    let of_device = team.on_a_device().ok().map(|of_device| (*of_device, team.n_pes()));
    let team = team.members();
    let Some((to, from)) = elements else {
        match (routine, of_device) {
            (Some(meeting), Some(of_device)) => {
                return stream.collective(of_device, meeting, &NOTHING, &NOTHING);
            }
            _ => call(team),
        }
        return Ok(());
    };
    let (target, source) = (to.on_a_device(true), from.on_a_device(false));
    if let (Some(routine), Some(of_device)) = (routine, of_device)
        && stream.takes(routine, &target, &source)
    {
        return stream.collective(of_device, routine, &target, &source);
    }
    let mut values = room((source.count * source.elem).max(target.count * target.elem));
    let place = values.as_mut_ptr().cast();
    // SAFETY: there is room for the elements of either. What the host has of an array is of the same
    // shape, and has nobody else's values: streams use it in this call alone.
    unsafe {
        stream.read(&source, place)?;
        from.write(Ctx::DEFAULT, place, false);
        call(team);
        to.read(Ctx::DEFAULT, place);
        stream.write(&target, place)
    }
}

/// No elements.
const NOTHING: Spot = Spot { pe: 0, pieces: Vec::new(), elem: 1, count: 0 };

/// Waits until each of `cells` holds what `comparison` asks of it and the value of its number.
pub(super) fn wait(
    stream: &DeviceStream,
    cells: &HeldSpot,
    is_signed: bool,
    comparison: Comparison,
    value: impl Fn(usize) -> u64,
) -> Result<(), String> {
    let comparison = match comparison {
        Comparison::Eq => DeviceComparison::Eq,
        Comparison::Ne => DeviceComparison::Ne,
        Comparison::Gt => DeviceComparison::Gt,
        Comparison::Le => DeviceComparison::Le,
        Comparison::Lt => DeviceComparison::Lt,
        Comparison::Ge => DeviceComparison::Ge,
    };
    let Spot { pe, pieces, elem, .. } = cells.on_a_device(false);
    for piece in pieces {
        for i in 0..piece.count {
            let offset = piece.offset.wrapping_add_signed(i.cast_signed() * piece.stride);
            let cell = Piece { offset, count: 1, stride: elem.cast_signed(), position: 0 };
            let spot = Spot { pe, pieces: vec![cell], elem, count: 1 };
            stream.wait(&spot, is_signed, comparison, value(piece.position + i))?;
        }
    }
    Ok(())
}
