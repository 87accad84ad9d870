//! Checkpoints: all symmetric objects of a job on the disk, and back.
//!
//! * `mod.rs`: [`World::checkpoint`] and [`World::restore`];
//! * `objects.rs`: what the program has, and whether a checkpoint has the same;
//! * `restoring.rs`: the bytes of a checkpoint, compared and put back;
//! * `agree.rs`: a failure on one PE is the error of all;
//! * `progress.rs`: a line on a terminal, where it takes long.
//!
//! The format, and the steps that make a generation complete at one moment, are in the crate
//! `shmem-checkpoint`, which tools use without this one.
//!
//! The bytes are read and written in a [local phase](crate::phase), which is what makes it sound:
//! every transfer is complete, all PEs are in it, and no thread of any PE accesses symmetric memory.
//! So they go to the disk from where they lie, without a copy.
//!
//! A restore reads the files twice: the PEs compare all checksums and agree before the first byte
//! of memory is changed. The second time the files are mostly in the system's cache. The other way,
//! to keep what was read until all have agreed, would need the memory twice.
//!
//! On another number of PEs than wrote it, a PE compares the files of some of those, and then reads of
//! all files what it holds now, with its ghost cells. So no PE waits for another one to refresh them. The
//! inbox of an array with ghost cells is not stored: a refresh writes it before it reads it.
//!
//! Agreement uses the team of all PEs, which is there also in a checkpoint of a program that has
//! other teams. A team, a context and private memory are not in a checkpoint.

mod agree;
mod objects;
mod progress;
mod restoring;

use std::panic::Location;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use shmem_checkpoint as format;
use shmem_checkpoint::{CHUNK, Checkpoint, Directory, FileRecord, Manifest, PeFile, Sum, Writing};

use self::agree::AllPes;
use self::objects::LocatedObject;
use self::progress::Progress;
pub(crate) use self::progress::WIPE;
use self::restoring::Restoring;
use crate::phase::Phase;
use crate::runtime::bytes::{bytes, words};
use crate::runtime::{self, block};
use crate::system::error::Error;
use crate::transport::{HeapAccess, closed};
use crate::world::World;

impl World {
    /// Writes every symmetric object of the job to `directory`, from which a later run of the
    /// program can [restore](World::restore) them. Collective.
    ///
    /// These are all statics, and all arrays that some PE still has, on every PE. Locks must be
    /// free. Private variables are not stored, so keep in symmetric statics what a restarted
    /// program has to know, such as the number of the step.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static STEP: u64 = 0;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     # let directory = std::env::temp_dir().join(format!("shmem-doc-{}", std::os::unix::process::parent_id()));
    ///     # let directory = directory.as_path();
    ///     # #[cfg(any())]
    ///     let directory = "checkpoints";
    ///     let field = world.zeros::<f64, 1>([1000])?;
    ///     world.restore(directory)?; // nothing is there when the program runs for the first time
    ///     while local!(STEP) < 100 {
    ///         local!(field[7]) = local!(field[7]) + 1.0;
    ///         local!(STEP) = local!(STEP) + 1;
    ///         if local!(STEP) % 50 == 0 {
    ///             world.checkpoint(directory)?;
    ///         }
    ///     }
    ///     assert_eq!(local!(field[7]), 100.0);
    ///     # world.barrier_all();
    ///     # let _ = std::fs::remove_dir_all(directory);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// The directory is made if it does not exist. It belongs to one job at a time, and all PEs must
    /// see it: on several hosts it is on a shared file system. Each checkpoint is a folder in it,
    /// with one file for each PE and a manifest, which is text. The folder gets its name when
    /// everything is on the disk (`fsync`), and only then the one before is removed. So the disk
    /// needs room for two, and if the job is killed at any moment, a complete checkpoint is left.
    /// When the call returns, the new one is on the disk.
    ///
    /// The call is a [local phase](crate::phase): it first completes all transfers of all PEs, of
    /// contexts too, and meanwhile no thread of a PE may access symmetric memory. Memory that nobody
    /// has touched, and blocks of zeros, take no room in the files. On a terminal a line shows the
    /// progress of a checkpoint that takes longer than a second. OpenSHMEM has no such routine.
    ///
    /// # Errors
    ///
    /// When a PE has a lock or waits for one, when the directory cannot be written to or is that of
    /// another running job, when PE 0 does not see the file of another PE, and when a file cannot be
    /// written, for example because the disk is full. Every PE gets the same error, which names the
    /// file and the PE. Then the checkpoint before is still there.
    ///
    /// # Panics
    ///
    /// Inside a local phase; and as [`local_phase`](World::local_phase).
    #[track_caller]
    pub fn checkpoint(&self, directory: impl AsRef<Path>) -> Result<(), Error> {
        write(self, directory.as_ref())
    }

    /// Brings back the newest complete checkpoint in `directory`. Collective.
    ///
    /// Returns whether there was one. If the directory does not exist or has no complete checkpoint,
    /// nothing changes, and the result is `false` on all PEs: the program runs for the first time.
    ///
    /// On another number of PEs than wrote it, a checkpoint can be restored if each object is a global
    /// array, which is divided anew, or had the same value on all PEs, as the number of the step has, which
    /// all PEs get. Ghost cells are then as after a [`refresh`](crate::HaloArray::refresh); those beyond the ends of the whole, with
    /// [`Halo::fixed`](crate::Halo::fixed), are those that the PE of the nearest element had.
    ///
    /// The program first allocates the arrays that were alive at the checkpoint, in the same order
    /// and with the same element types and extents. Other arrays that were freed in between do not
    /// matter. Then `restore` gives all statics and arrays the values that they had.
    /// [`checkpoint`](World::checkpoint) has an example. A program without arrays can write
    /// `#[shmem::main(restore = "checkpoints")]`.
    ///
    /// All checksums are compared before the first byte of memory is changed. So after an error, all
    /// objects have the values that they had before the call.
    ///
    /// ```
    /// use shmem::prelude::*;
    ///
    /// #[symmetric]
    /// static SEED: u64 = 17;
    ///
    /// #[shmem::main(npes = 2)]
    /// fn main(world: &World) -> Result<(), shmem::Error> {
    ///     let was_there = world.restore("a-directory-that-does-not-exist")?;
    ///     assert!(!was_there);
    ///     assert_eq!(local!(SEED), 17);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the checkpoint was written by another number of PEs, and has an object that is no global
    /// array and had different values on them. When it has other objects than the program: a static that
    /// is missing, added, or has another type, or arrays that were not allocated, in another order, or with
    /// other extents, distributions or ghost cells. When a file is missing, torn or damaged.
    /// When the format is newer than this library, and when the machine has another byte order. When
    /// a PE has a lock. When PEs see different directories. Every PE gets the same error, which
    /// names the object or the file.
    ///
    /// Two structs of one name and size count as the same type.
    ///
    /// # Panics
    ///
    /// As [`checkpoint`](World::checkpoint). The job also ends with a panic if a file that was read
    /// and compared cannot be read again, because some objects are restored by then.
    #[track_caller]
    pub fn restore(&self, directory: impl AsRef<Path>) -> Result<bool, Error> {
        read(self, directory.as_ref(), Location::caller())
    }
}

/// What `#[shmem::main(restore = "directory")]` at `place` does before the function.
pub(crate) fn at_start(
    world: &World,
    directory: &str,
    place: &'static Location<'static>,
) -> Result<bool, Error> {
    read(world, directory.as_ref(), place)
}

#[track_caller]
fn write(world: &World, path: &Path) -> Result<(), Error> {
    let place = Location::caller();
    closed::refuse_call("`checkpoint`");
    let runtime = runtime::get();
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let doing = format!("cannot write a checkpoint to {}", path.display());
    let all = AllPes { team: world.team(), what: "checkpoint", place, doing: &doing };
    block::reclaim(runtime)?;
    let (mut objects, mut located) = (Vec::new(), Vec::new());
    for LocatedObject { object, offset } in objects::of_program(runtime) {
        objects.push(object);
        located.push(offset);
    }
    let bytes_of_file = format::lay_out(&mut objects);
    all.agree(objects::all_locks_are_free(runtime).map(|()| Vec::new()))?;

    let directory = Directory::new(path);
    let mut writing: Option<Writing> = None;
    let begun = if me == 0 {
        directory.begin().map(|begun| bytes(&[writing.insert(begun).generation()]).to_vec())
    } else {
        Ok(Vec::new())
    };
    let begun = all.agree(begun.map_err(|error| error.to_string()))?;
    let generation = words(&begun[0]).next().unwrap_or_default();

    let mut progress = Progress::new("writes a checkpoint", me, bytes_of_file);
    let written = world.phase_of("checkpoint", place, |phase| {
        let mut file = PeFile::create(&directory.part(generation), me)?;
        let sums = objects.iter().zip(&located).map(|(object, &offset)| {
            write_object(&mut file, phase, runtime.endpoint().heaps, object, offset, &mut progress)
        });
        let sums: format::Result<Vec<u64>> = sums.collect();
        progress.say("waits for the disk");
        file.finish(bytes_of_file)?;
        sums
    });
    drop(progress);
    let sums = all.agree(written.map(|sums| bytes(&sums).to_vec()).map_err(|error| error.to_string()));
    let Some(writing) = writing else {
        // PE 0 completes it, if there is anything to complete.
        sums?;
        return all.agree(Ok(Vec::new())).map(|_| ());
    };
    let sums = match sums {
        Ok(sums) => sums,
        Err(error) => {
            writing.abandon();
            return Err(error);
        }
    };
    let files = sums
        .iter()
        .map(|sums| FileRecord { bytes: bytes_of_file, sums: words(sums).map(|sum| sum as u32).collect() });
    let manifest = Manifest {
        program: program(),
        time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        transport: runtime.endpoint().facts.name.to_owned(),
        generation,
        objects,
        files: files.collect(),
    };
    debug_assert_eq!(manifest.files.len(), n_pes);
    let committed = writing.commit(&manifest);
    if committed.is_err() {
        writing.abandon();
    }
    all.agree(committed.map(|()| Vec::new()).map_err(|error| error.to_string())).map(|_| ())
}

/// Writes this PE's copy of an object, which begins at `offset` in its heap. Returns its checksum.
fn write_object(
    file: &mut PeFile,
    phase: &Phase,
    heaps: &dyn HeapAccess,
    object: &format::Object,
    offset: usize,
    progress: &mut Progress,
) -> format::Result<u64> {
    let end = offset + object.bytes();
    let (mut at, mut sum) = (offset, Sum::new());
    while at < end {
        let touched = heaps.touched(at..end).unwrap_or(end..end);
        sum.add_zeros((touched.start - at) as u64);
        progress.add(touched.start - at);
        for start in touched.clone().step_by(CHUNK) {
            let part = start..touched.end.min(start + CHUNK);
            // SAFETY: nothing borrows from this phase but this function.
            let bytes = unsafe { phase.bytes(part) };
            sum.add(bytes);
            file.write(object.at + (start - offset) as u64, bytes)?;
            progress.add(bytes.len());
        }
        at = touched.end;
    }
    Ok(sum.value().into())
}

#[track_caller]
fn read(world: &World, path: &Path, place: &'static Location<'static>) -> Result<bool, Error> {
    closed::refuse_call("`restore`");
    let runtime = runtime::get();
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let doing = format!("cannot restore a checkpoint of {}", path.display());
    let all = AllPes { team: world.team(), what: "restore", place, doing: &doing };
    block::reclaim(runtime)?;
    let directory = Directory::new(path);
    // Of PE 0, until all have read: a job that was killed may still be about to remove a folder.
    let mut lock = None;
    let mut ready = objects::all_locks_are_free(runtime);
    if me == 0 && ready.is_ok() {
        ready = directory.lock().map(|file| lock = file).map_err(|error| error.to_string());
    }
    all.agree(ready.map(|()| Vec::new()))?;

    let found = newest(&directory);
    let seen = found.as_ref().map(|found| match found {
        Some(found) => bytes(&[1, found.manifest().generation, found.sum().into()]).to_vec(),
        None => bytes(&[0, 0, 0]).to_vec(),
    });
    let seen = all.agree(seen.map_err(|error| error.to_string()))?;
    if let Some(pe) = seen.iter().position(|theirs| *theirs != seen[0]) {
        return Err(all.error(&different(&seen[0], &seen[pe], pe)));
    }
    let Ok(Some(checkpoint)) = found else { return Ok(false) };
    let manifest = checkpoint.manifest();
    // From here on all PEs have the same manifest, and the same objects: they come to one verdict.
    let mine = objects::of_program(runtime);
    let order = objects::compare(&mine, manifest, n_pes).map_err(|reason| {
        all.error(&format!("generation {} is of another program or job: {reason}", manifest.generation))
    })?;

    let restoring = Restoring { checkpoint: &checkpoint, runtime, me, n_pes };
    all.agree(restoring.verify().map(|()| Vec::new()).map_err(|error| error.to_string()))?;
    let total = mine.iter().map(|mine| mine.object.bytes() as u64).sum();
    let mut progress = Progress::new("restores a checkpoint", me, total);
    world.phase_of("restore", place, |phase| {
        let restored = (order.iter().enumerate()).try_for_each(|(number, &mine_number)| {
            restoring.read_object(number, phase, &mine[mine_number], &mut progress)
        });
        if let Err(error) = restored {
            closed::end(format_args!("a file of a checkpoint changed while it was restored: {error}"));
        }
    });
    drop(lock);
    Ok(true)
}

/// The newest complete generation; `None` if there is none.
fn newest(directory: &Directory) -> format::Result<Option<Checkpoint>> {
    let newest = directory.find()?.complete.last().copied();
    newest.map(|generation| Checkpoint::open(directory, generation)).transpose()
}

/// What to say of PEs that see different things in the directory.
fn different(first: &[u8], other: &[u8], pe: usize) -> String {
    let words = |seen| -> Vec<u64> { words(seen).collect() };
    let (first, other) = (words(first), words(other));
    let say = |seen: &[u64]| match seen[0] {
        0 => String::from("no complete checkpoint"),
        _ => format!("generation {}", seen[1]),
    };
    let what = if first[..2] == other[..2] {
        format!("PE 0 and PE {pe} see two manifests of {}", say(&first))
    } else {
        format!("PE 0 sees {} there, and PE {pe} sees {}", say(&first), say(&other))
    };
    format!("{what}; the directory must be one, on a file system that all PEs share")
}

/// The name of this program.
fn program() -> String {
    let path = std::env::current_exe().ok();
    let name = path.as_ref().and_then(|path| path.file_name());
    name.map_or_else(|| String::from("unknown"), |name| name.to_string_lossy().into_owned())
}
