//! The symmetric objects of the program, as a manifest describes them, and whether those of a
//! checkpoint are the same.

use std::collections::HashMap;

use shmem_checkpoint::{Dealing, Ghosts, Kind, Manifest, Object, Spread};

use crate::array::short_name;
use crate::lock;
use crate::runtime::Runtime;
use crate::runtime::heap::SavedAs;
use crate::runtime::parts::{Distribution, WholeArray};
use crate::runtime::statics::{self, LaidStatic};

/// An object, and where its copies begin in the heaps.
pub(super) struct LocatedObject {
    pub(super) object: Object,
    pub(super) offset: usize,
}

/// The statics that were laid out when the job was joined.
fn laid_out(runtime: &Runtime) -> impl Iterator<Item = LaidStatic> {
    let end = runtime.endpoint().facts.heap_size;
    // A part of the program that was loaded later has none.
    statics::all(runtime.endpoint().facts.n_pes).into_iter().filter(move |laid| laid.offset < end)
}

fn extents(laid: &LaidStatic, runtime: &Runtime) -> Vec<usize> {
    let n_pes = runtime.endpoint().facts.n_pes;
    laid.slots.extents[..laid.slots.rank].iter().map(|extent| extent.unwrap_or(n_pes)).collect()
}

/// How a global array is dealt, as a manifest says it.
fn spread(WholeArray { distribution, extents, halo }: &WholeArray) -> Spread {
    let dealing = match *distribution {
        Distribution::Block => Dealing::Block,
        Distribution::Cyclic => Dealing::Cyclic,
        Distribution::BlockCyclic(block) => Dealing::BlockCyclic(block),
        Distribution::Block2d => Dealing::Block2d,
    };
    let ghosts = halo.map(|halo| Ghosts { width: halo.width(), is_periodic: halo.is_periodic() });
    Spread { dealing, extents: extents.clone(), ghosts }
}

/// The objects of the program: the statics in the order of their names, then the arrays in the
/// order of their allocation. All PEs have the same.
pub(super) fn of_program(runtime: &Runtime) -> Vec<LocatedObject> {
    let n_pes = runtime.endpoint().facts.n_pes;
    // Of what has ghost cells, an inbox in the same memory is left out.
    let extents_of = |spread: Option<&Spread>, all: Vec<usize>| match spread {
        Some(spread) if spread.ghosts.is_some() => spread.room(spread.share(n_pes, 0)),
        _ => all,
    };
    let mut seen: HashMap<String, usize> = HashMap::new();
    let statics = laid_out(runtime).map(|laid| {
        let path = format!("{}::{}", laid.info.module, laid.info.name);
        // Statics in the bodies of two functions can have one path.
        let count = seen.entry(path.clone()).or_default();
        *count += 1;
        let path = if *count == 1 { path } else { format!("{path}#{count}") };
        let kind = if laid.slots.are_locks { Kind::Lock(path) } else { Kind::Static(path) };
        let spread = laid.whole.as_ref().map(spread);
        let object = Object {
            kind,
            element: short_name((laid.slots.element)()),
            size: laid.slots.size,
            extents: extents_of(spread.as_ref(), extents(&laid, runtime)),
            spread,
            at: 0,
            place: format!("{}:{}", laid.info.file, laid.info.line),
        };
        LocatedObject { object, offset: laid.offset }
    });
    let mut objects: Vec<LocatedObject> = statics.collect();
    let heap = runtime.heap();
    let arrays = heap.arrays().filter(|(_, contents)| !matches!(contents.saved, SavedAs::Nothing));
    objects.extend(arrays.enumerate().map(|(number, (offset, contents))| {
        let spread = match &contents.saved {
            SavedAs::Part(whole) => Some(spread(whole)),
            SavedAs::Copies | SavedAs::Nothing => None,
        };
        let object = Object {
            kind: Kind::Array(number),
            element: contents.element.clone(),
            size: contents.size,
            extents: extents_of(spread.as_ref(), contents.extents.clone()),
            spread,
            at: 0,
            place: format!("{}:{}", contents.place.file(), contents.place.line()),
        };
        LocatedObject { object, offset }
    }));
    objects
}

/// Fails where a thread of this PE has a lock or waits for one.
pub(super) fn all_locks_are_free(runtime: &Runtime) -> Result<(), String> {
    let mut locks = laid_out(runtime).filter(|laid| laid.slots.are_locks);
    let taken = locks.find_map(|laid| {
        let count = extents(&laid, runtime).iter().product();
        lock::taken_here(laid.info, laid.offset, count)
    });
    taken.map_or(Ok(()), |taken| Err(format!("this PE {taken}; drop the guard first, on all PEs")))
}

/// The number of the program's object for each object of the checkpoint.
///
/// # Errors
///
/// In words, when they are not the same objects.
pub(super) fn compare(
    mine: &[LocatedObject],
    manifest: &Manifest,
    n_pes: usize,
) -> Result<Vec<usize>, String> {
    let written = manifest.files.len();
    let by_name: HashMap<String, usize> =
        mine.iter().enumerate().map(|(number, mine)| (mine.object.name(), number)).collect();
    let mut order = Vec::with_capacity(mine.len());
    for (at, theirs) in manifest.objects.iter().enumerate() {
        let Some(&number) = by_name.get(&theirs.name()) else {
            return Err(match theirs.kind {
                Kind::Array(_) => format!(
                    "it has {}, which the program had not allocated when it called `restore`; allocate the same arrays in the \
                     same order first",
                    theirs.describe()
                ),
                _ => format!("it has {}, which the program has not", theirs.describe()),
            });
        };
        let mine = &mine[number].object;
        if written != n_pes && theirs.spread.is_none() && !manifest.is_same_on_all(at) {
            return Err(format!(
                "it was written by {written} {}, and this job has {n_pes}; {} is no global \
                 array, and its values differ between the PEs, so only as many PEs can restore it as wrote it: set SHMEM_NPES={written}",
                if written == 1 { "PE" } else { "PEs" },
                theirs.describe()
            ));
        }
        // For how much of a global array a PE has room depends on the number of PEs.
        let same = |object: &Object| {
            (
                matches!(object.kind, Kind::Lock(_)),
                object.element.clone(),
                object.size,
                object.spread.clone(),
                if object.spread.is_none() { object.extents.clone() } else { Vec::new() },
            )
        };
        if same(mine) != same(theirs) {
            let sizes = match mine.size == theirs.size {
                true => String::new(),
                false => format!(" (elements of {} bytes, and of {})", theirs.size, mine.size),
            };
            return Err(format!(
                "{} of the checkpoint is {} in the program{sizes}",
                theirs.describe(),
                mine.describe()
            ));
        }
        order.push(number);
    }
    // Names are different, so each was found once.
    if order.len() < mine.len() {
        let added = (0..mine.len()).find(|number| !order.contains(number));
        let added = added.map(|number| mine[number].object.describe()).unwrap_or_default();
        return Err(format!("the program has {added}, which is not in it"));
    }
    Ok(order)
}
