//! Checkpoints in one job: what comes back, and what is refused.

#[path = "harness/random.rs"]
mod random;

use std::fs;
use std::path::{Path, PathBuf};

use random::Random;
use shmem::prelude::*;
use shmem_checkpoint::{Directory, FileRecord, Kind, Manifest};
use tempfile::TempDir;

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Body {
    position: [f64; 3],
    mass: u64,
}

#[symmetric]
static COUNT: u64 = 3;
#[symmetric]
static GRID: [[f32; 5]; 3] = [[0.5; 5]; 3];
#[symmetric]
static CELLS: [Atomic<i64>; 4] = [Atomic::new(-1); 4];
#[symmetric]
static SLOTS: PerPe<[u16; 3]> = PerPe::new([7; 3]);
#[symmetric]
static BODY: Body = Body { position: [1.0; 3], mass: 1 };
#[symmetric]
static BODIES: [Body; 2] = [Body { position: [2.0; 3], mass: 2 }; 2];
#[symmetric]
static LOCK: Lock = Lock::new();
#[symmetric]
static LOCKS: [[Lock; 2]; 2] = [[Lock::new(); 2]; 2];
/// More than is written at a time, and mostly zeros.
#[symmetric]
static LARGE: [u64; 200_000] = [0; 200_000];

mod inner {
    use shmem::prelude::*;

    #[symmetric]
    pub(super) static COUNT: u64 = 4;
}

/// A directory that is new and the same on all PEs. PE 0 removes it in the end.
struct Scratch {
    path: PathBuf,
    _made: Option<TempDir>,
}

impl Scratch {
    fn new(world: &World) -> Scratch {
        let made = (world.my_pe() == 0).then(|| tempfile::tempdir().expect("a directory can be made"));
        let mut text = [0_u8; 512];
        if let Some(made) = &made {
            let path = made.path().to_str().expect("the path is text").as_bytes();
            text[..path.len()].copy_from_slice(path);
        }
        world.team().broadcast_values(&mut text, 0);
        let text = String::from_utf8_lossy(&text).into_owned();
        Scratch { path: PathBuf::from(text.trim_end_matches('\0')).join("checkpoints"), _made: made }
    }

    /// The folder of the only generation.
    fn generation(&self) -> PathBuf {
        let directory = Directory::new(&self.path);
        let found = directory.find().unwrap();
        assert_eq!((found.complete.len(), found.parts.len()), (1, 0), "{found:?}");
        directory.complete(*found.complete.last().unwrap())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // PE 0 removes it when all are done with it.
        if !std::thread::panicking() {
            collective!(barrier);
        }
    }
}

/// What this PE's copies of the statics hold.
#[derive(Clone, Debug, PartialEq)]
struct Values {
    count: u64,
    inner: u64,
    grid: Vec<f32>,
    cells: Vec<i64>,
    slots: Vec<u16>,
    body: Body,
    bodies: Vec<Body>,
    large: Vec<u64>,
}

impl Values {
    fn now() -> Values {
        let mut large = vec![0; 200_000];
        local!(LARGE[..] => &mut large);
        Values {
            count: local!(COUNT),
            inner: local!(inner::COUNT),
            grid: local!(GRID[.., ..]).concat(),
            cells: local!(CELLS[..]).to_vec(),
            slots: local!(SLOTS[.., ..]),
            body: local!(BODY),
            bodies: local!(BODIES[..]).to_vec(),
            large,
        }
    }
}

/// An array, and what this PE's copy of it must hold.
struct Modelled {
    array: SymmetricArray<u32, 2>,
    values: Vec<u32>,
}

impl Modelled {
    fn now(&self) -> Vec<u32> {
        local!(self.array[.., ..])
    }
}

/// Writes to the copies of the right neighbour, and models what the left one writes here. `random`
/// makes the same numbers on all PEs.
#[shmem::kernel]
fn write_something(world: &World, random: &mut Random, values: &mut Values, arrays: &mut [Modelled]) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    let left = (me + n - 1) % n;
    let number = random.below(1 << 20);
    match random.below(9) {
        0 => {
            remote!(COUNT[right]) = (number + me) as u64;
            values.count = (number + left) as u64;
        }
        1 => {
            let at = [random.below(3), random.below(5)];
            remote!(GRID[right, at[0], at[1]]) = (number + me) as f32;
            values.grid[at[0] * 5 + at[1]] = (number + left) as f32;
        }
        2 => {
            let at = random.below(4);
            remote!(CELLS[right, at]) += (number + me) as i64;
            values.cells[at] += (number + left) as i64;
        }
        3 => {
            remote!(SLOTS[right, me, ..]) = [number as u16, me as u16, 1];
            values.slots[3 * left..][..3].copy_from_slice(&[number as u16, left as u16, 1]);
        }
        4 => {
            remote!(BODY[right]) = Body { position: [number as f64; 3], mass: me as u64 };
            values.body = Body { position: [number as f64; 3], mass: left as u64 };
        }
        5 => {
            let at = random.below(2);
            remote!(BODIES[right, at].mass) = (number + me) as u64;
            values.bodies[at].mass = (number + left) as u64;
        }
        6 => {
            let at = random.below(199_000);
            let value = if random.below(3) == 0 { 0 } else { number as u64 };
            remote!(LARGE[right, at..at + 1000] = value);
            values.large[at..at + 1000].fill(value);
        }
        7 => {
            remote!(inner::COUNT[right]) = (number + me) as u64;
            values.inner = (number + left) as u64;
        }
        _ => {
            for Modelled { array, values } in arrays {
                let [rows, columns] = array.extents();
                if rows * columns > 0 {
                    let at = random.below(rows);
                    remote!(array[right, at, ..] = (number + me) as u32);
                    values[at * columns..][..columns].fill((number + left) as u32);
                }
            }
        }
    }
}

/// Random statics and arrays against plain values: after each restore everything is as it was.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "32M")]
fn everything_comes_back(world: &World) -> Result<(), shmem::Error> {
    let scratch = Scratch::new(world);
    let mut random = Random(world.n_pes() as u64);
    let mut values = Values::now();
    let mut arrays: Vec<Modelled> = Vec::new();
    assert!(!world.restore(&scratch.path)?, "nothing is there yet");
    for round in 0..12 {
        // Arrays come, go, and change their sizes.
        for _ in 0..random.below(4) {
            let (rows, columns) = (random.below(4), 1 + random.below(3000));
            match random.below(4) {
                0 if !arrays.is_empty() => {
                    let Modelled { array, .. } = arrays.swap_remove(random.below(arrays.len()));
                    if random.below(2) == 0 { array.free()? } else { drop(array) }
                }
                1 if !arrays.is_empty() => {
                    let chosen = random.below(arrays.len());
                    let Modelled { array, values } = &mut arrays[chosen];
                    array.resize([rows, columns], 5)?;
                    values.clear();
                    values.extend(local!(array[.., ..]));
                }
                _ => {
                    let array = world.symmetric_array([rows, columns], round)?;
                    arrays.push(Modelled { array, values: vec![round; rows * columns] });
                }
            }
        }
        for _ in 0..random.below(12) {
            write_something(world, &mut random, &mut values, &mut arrays);
            world.barrier_all();
        }
        // No barrier after the last: the checkpoint completes what is under way.
        write_something(world, &mut random, &mut values, &mut arrays);
        world.checkpoint(&scratch.path)?;
        let saved: Vec<Vec<u32>> = arrays.iter().map(|modelled| modelled.values.clone()).collect();
        assert_eq!(Values::now(), values, "a checkpoint changes nothing");
        let then = values.clone();
        world.barrier_all(); // all have compared
        for _ in 0..random.below(12) {
            write_something(world, &mut random, &mut values, &mut arrays);
            world.barrier_all();
        }
        assert!(world.restore(&scratch.path)?);
        assert!(Values::now() == then, "round {round}");
        values = then;
        for (modelled, saved) in arrays.iter_mut().zip(saved) {
            assert_eq!(modelled.now(), saved, "round {round}: {:?}", modelled.array);
            modelled.values = saved;
        }
        world.barrier_all();
        drop(LOCK.lock()); // locks are free, and work
        assert_eq!(fs::read_dir(&scratch.path).unwrap().count(), 1, "older generations are gone");
    }
    Ok(())
}

/// Memory that nobody has touched takes no room on the disk, and none in memory after a restore.
#[shmem::test(npes = [1, 3], heap = "80M")]
fn zeros_take_no_room(world: &World) -> Result<(), shmem::Error> {
    use std::os::unix::fs::MetadataExt as _;
    let scratch = Scratch::new(world);
    let array = world.zeros::<u64, 1>([8 << 20])?;
    local!(array[5_000_000] = 9);
    world.checkpoint(&scratch.path)?;
    let file = fs::metadata(scratch.generation().join(Manifest::file_name(world.my_pe()))).unwrap();
    assert!(file.len() > 64 << 20);
    assert!(file.blocks() * 512 < 1 << 20, "{} blocks", file.blocks());
    world.barrier_all();
    local!(array[5_000_000] = 10);
    local!(array[77] = 1);
    assert!(world.restore(&scratch.path)?);
    assert_eq!((local!(array[5_000_000]), local!(array[77])), (9, 0));
    Ok(())
}

/// That every PE gets an error with these words, and that nothing has changed.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, shmem::Error>, before: &Values, words: &[&str]) {
    let error = result.expect_err("this is refused").to_string();
    for words in words {
        assert!(error.contains(words), "expected {words:?}: {error}");
    }
    assert!(Values::now() == *before, "values have changed");
}

/// Changes what the only PE 0 changes, between two barriers.
fn on_first(world: &World, change: impl FnOnce()) {
    world.barrier_all();
    if world.my_pe() == 0 {
        change();
    }
    world.barrier_all();
}

/// Writes the manifest anew, changed and with the right sum.
fn rewrite(folder: &Path, change: impl FnOnce(&mut Manifest)) {
    let path = folder.join("manifest");
    let mut manifest = Manifest::parse(&fs::read_to_string(&path).unwrap(), "m").unwrap();
    change(&mut manifest);
    fs::write(&path, manifest.to_text()).unwrap();
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 16;
    fs::write(path, bytes).unwrap();
}

#[shmem::test(npes = [1, 2, 3])]
fn damage_is_found(world: &World) -> Result<(), shmem::Error> {
    let scratch = Scratch::new(world);
    local!(LARGE[150_000] = 7);
    let array = world.ones::<f64, 1>([1000])?;
    world.checkpoint(&scratch.path)?;
    local!(COUNT = 99);
    local!(array[..] = 2.0);
    let before = Values::now();
    let folder = scratch.generation();
    let last = world.n_pes() - 1;
    let (manifest, file) = (folder.join("manifest"), folder.join(Manifest::file_name(last)));
    world.barrier_all();
    let copies = (fs::read(&manifest).unwrap(), fs::read(&file).unwrap());
    let who = format!("PE {last}: {} is damaged", file.display());
    let len = copies.1.len();
    type Damage<'a> = (&'a dyn Fn(), &'a [&'a str]);
    let cases: &[Damage<'_>] = &[
        (
            &|| flip(&file, len - 1),
            &[&who, "the checksum of `array 0: [f64; 1000]` (shmem-core/tests/checkpoints.rs:"],
        ),
        (&|| flip(&file, 10), &[&who, "the checksum of `checkpoints::BODIES: "]),
        (&|| fs::write(&file, &copies.1[..len - 1]).unwrap(), &[&who, "bytes, and"]),
        (&|| fs::write(&file, b"").unwrap(), &[&who, "it has 0 bytes"]),
        (&|| fs::remove_file(&file).unwrap(), &[&format!("PE {last}: {} is missing", file.display())]),
        (&|| flip(&manifest, 200), &["PE 0: ", "manifest is damaged"]),
        (&|| fs::write(&manifest, &copies.0[..100]).unwrap(), &["manifest is damaged"]),
        (&|| fs::write(&manifest, "hello\n").unwrap(), &["is not the manifest of a checkpoint"]),
        (&|| fs::remove_file(&manifest).unwrap(), &["manifest is missing"]),
        (
            &|| {
                let text = String::from_utf8(copies.0.clone()).unwrap();
                fs::write(&manifest, text.replacen("checkpoint 1", "checkpoint 7", 1)).unwrap();
            },
            &["has version 7 of the format", "build the program with the newer library"],
        ),
    ];
    for (damage, words) in cases {
        on_first(world, damage);
        refused(world.restore(&scratch.path), &before, words);
        assert_eq!(local!(array[..]), vec![2.0; 1000]);
        on_first(world, || {
            fs::write(&manifest, &copies.0).unwrap();
            fs::write(&file, &copies.1).unwrap();
        });
    }
    assert!(world.restore(&scratch.path)?);
    assert_eq!((local!(COUNT), local!(array[999])), (3, 1.0));
    Ok(())
}

#[shmem::test(npes = [1, 2])]
fn other_objects_are_refused(world: &World) -> Result<(), shmem::Error> {
    let scratch = Scratch::new(world);
    let array = world.ones::<f64, 2>([10, 3])?;
    world.checkpoint(&scratch.path)?;
    let before = Values::now();
    let folder = scratch.generation();
    let n_pes = world.n_pes();
    let text = fs::read_to_string(folder.join("manifest")).unwrap();
    let number = |manifest: &Manifest, name: &str| {
        manifest.objects.iter().position(|object| object.name().ends_with(name)).unwrap()
    };
    type Change<'a> = (&'a dyn Fn(&mut Manifest), &'a [&'a str]);
    let cases: &[Change<'_>] = &[
        (
            &|manifest| {
                let at = number(manifest, "::BODY");
                manifest.objects[at].kind = Kind::Static(String::from("old::BODY"));
            },
            &["it has `old::BODY: Body` (shmem-core/tests/checkpoints.rs:", "which the program has not"],
        ),
        (
            &|manifest| {
                let at = number(manifest, "::BODY");
                manifest.objects.remove(at);
                manifest.files.iter_mut().for_each(|file| {
                    file.sums.remove(at);
                });
            },
            &["the program has `checkpoints::BODY: Body` (", "which is not in it"],
        ),
        (
            &|manifest| {
                let at = number(manifest, "::GRID");
                manifest.objects[at].extents = vec![3, 4];
            },
            &[
                "`checkpoints::GRID: [[f32; 4]; 3]` (",
                "of the checkpoint is `checkpoints::GRID: [[f32; 5]; 3]` (",
            ],
        ),
        (
            &|manifest| {
                let at = number(manifest, "checkpoints::COUNT");
                manifest.objects[at].element = String::from("f64");
            },
            &["COUNT: f64` (", "is `checkpoints::COUNT: u64` ("],
        ),
        (
            &|manifest| {
                let at = number(manifest, "::BODIES");
                manifest.objects[at].size = 16;
            },
            &["BODIES", "(elements of 16 bytes, and of 32)"],
        ),
        (
            &|manifest| {
                let at = number(manifest, "::LOCKS");
                manifest.objects[at].kind = Kind::Static(manifest.objects[at].name());
                manifest.objects[at].size = 0;
            },
            &["LOCKS"],
        ),
        (
            &|manifest| manifest.objects.last_mut().unwrap().extents = vec![3, 10],
            &["`array 0: [[f64; 10]; 3]` (", "of the checkpoint is `array 0: [[f64; 3]; 10]` ("],
        ),
        (
            &|manifest| {
                let mut sums = manifest.files[0].sums.clone();
                sums[number(manifest, "::BODY")] ^= 1;
                manifest.files.push(FileRecord { sums, ..manifest.files[0] });
            },
            &[
                &format!(
                    "it was written by {} PEs, and this job has {n_pes}; `checkpoints::BODY: Body` (",
                    n_pes + 1
                ),
                "is no global array, and its values differ between the PEs",
                "SHMEM_NPES=",
            ],
        ),
    ];
    for (change, words) in cases {
        on_first(world, || rewrite(&folder, change));
        refused(world.restore(&scratch.path), &before, words);
        on_first(world, || fs::write(folder.join("manifest"), &text).unwrap());
    }
    // An array more, one less, and another one.
    let more = world.ones::<u8, 1>([4])?;
    refused(world.restore(&scratch.path), &before, &["the program has `array 1: [u8; 4]` (", "not in it"]);
    more.free()?;
    array.free()?;
    let words = &["it has `array 0: [[f64; 3]; 10]` (", "had not allocated when it called `restore`"];
    refused(world.restore(&scratch.path), &before, words);
    let other = world.ones::<Atomic<u64>, 2>([10, 3])?;
    refused(world.restore(&scratch.path), &before, &["is `array 0: [[Atomic<u64>; 3]; 10]` ("]);
    other.free()?;
    let _right = world.zeros::<f64, 2>([10, 3])?;
    assert!(world.restore(&scratch.path)?);
    Ok(())
}

/// An error while a checkpoint is written leaves the one before, and nothing else.
#[shmem::test(npes = [1, 2, 3])]
fn what_cannot_be_written_is_not_there(world: &World) -> Result<(), shmem::Error> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let scratch = Scratch::new(world);
    local!(LARGE[199_999] = 1);
    world.checkpoint(&scratch.path)?;
    let (before, last) = (Values::now(), world.n_pes() - 1);
    // The file of the last PE cannot become so large. By default a signal says so.
    // SAFETY: ignoring a signal runs no code.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let limit = getrlimit(Resource::Fsize);
    if world.my_pe() == last {
        setrlimit(Resource::Fsize, Rlimit { current: Some(100_000), ..limit }).unwrap();
    }
    let written = world.checkpoint(&scratch.path);
    setrlimit(Resource::Fsize, limit).unwrap();
    let words = format!("cannot write a checkpoint to {}: PE {last}: cannot write ", scratch.path.display());
    refused(written, &before, &[&words, &Manifest::file_name(last), "File too large"]);
    world.barrier_all();
    assert!(scratch.generation().ends_with("00000001"));
    // A place that cannot be a directory.
    let file = scratch.generation().join("manifest").join("below");
    refused(world.checkpoint(&file), &before, &["PE 0: cannot make the directory", "Not a directory"]);
    refused(world.restore(&file), &before, &["cannot ", "Not a directory"]);
    local!(COUNT = 1);
    assert!(world.restore(&scratch.path)?);
    assert_eq!(local!(COUNT), 3);
    world.checkpoint(&scratch.path)?;
    assert!(scratch.generation().ends_with("00000002"));
    Ok(())
}

/// PEs whose directories are not the same one.
#[shmem::test(npes = [2, 3])]
fn the_directory_is_shared(world: &World) -> Result<(), shmem::Error> {
    let scratch = Scratch::new(world);
    let (me, last) = (world.my_pe(), world.n_pes() - 1);
    world.checkpoint(&scratch.path)?;
    let before = Values::now();
    let own = if me == last { scratch.path.with_file_name("other") } else { scratch.path.clone() };
    refused(world.checkpoint(&own), &before, &[&format!("PE {last}: cannot make "), "No such file"]);
    let words = format!("PE 0 sees generation 1 there, and PE {last} sees no complete checkpoint");
    refused(world.restore(&own), &before, &[&words, "on a file system that all PEs share"]);
    // The other has the same folders.
    let part = Directory::new(&own).part(2);
    if me == last {
        fs::create_dir_all(&part).unwrap();
    }
    world.barrier_all();
    let words = format!("PE 0: PE {last} has written ");
    refused(
        world.checkpoint(&own),
        &before,
        &[&words, "PE 0 does not see it", "file system that all PEs share"],
    );
    world.barrier_all();
    assert!(scratch.generation().ends_with("00000001"));
    Ok(())
}

#[shmem::test(npes = [1, 2, 4])]
fn locks_must_be_free(world: &World) -> Result<(), shmem::Error> {
    let scratch = Scratch::new(world);
    let (me, last) = (world.my_pe(), world.n_pes() - 1);
    let before = Values::now();
    let guard = (me == last).then(|| LOCK.lock());
    let words = format!("PE {last}: this PE has the lock `LOCK: Lock` (shmem-core/tests/checkpoints.rs:");
    refused(world.checkpoint(&scratch.path), &before, &[&words, "taken at shmem-core/tests/checkpoints.rs:"]);
    refused(world.restore(&scratch.path), &before, &[&words, "drop the guard first"]);
    assert!(!scratch.path.exists());
    drop(guard);
    let guard = (me == 0).then(|| LOCKS.at([1, 0]).try_lock());
    refused(
        world.checkpoint(&scratch.path),
        &before,
        &["PE 0: this PE has lock 2 of `LOCKS: [[Lock; 2]; 2]`"],
    );
    drop(guard);
    world.checkpoint(&scratch.path)?;
    assert!(world.restore(&scratch.path)?);
    assert!(LOCKS.at([1, 0]).try_lock().is_some() || world.n_pes() > 1);
    Ok(())
}

/// A transfer that is under way arrives before the checkpoint is written.
#[shmem::test(npes = [2, 3])]
fn transfers_are_completed(world: &World) -> Result<(), shmem::Error> {
    let scratch = Scratch::new(world);
    let (me, n) = (world.my_pe(), world.n_pes());
    let mine = vec![me as u64 + 1; 100_000];
    let context = world.team().context(shmem::context::Shared)?;
    remote!(context; LARGE[(me + 1) % n, ..100_000] = &mine);
    let left = (me + n - 1) % n;
    world.nbi(|s| {
        s.put(remote!(&LARGE[(me + 1) % n, 100_000..]), &mine);
        // Inside of the scope, which the call completes.
        world.checkpoint(&scratch.path)
    })?;
    local!(LARGE[..] = 0);
    world.barrier_all();
    assert!(world.restore(&scratch.path)?);
    let mut found = vec![0; 200_000];
    local!(LARGE[..] => &mut found);
    assert!(found == vec![left as u64 + 1; 200_000]);
    Ok(())
}
