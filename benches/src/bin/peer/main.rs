//! This project's program in the measurements in turns. `benches/peers/README.md` describes each
//! work.
//!
//! It does each work in three ways: with the language, with a call of the transport, and with plain
//! memory operations on the same mappings, which is the limit.

mod many;
mod neighbours;
mod places;
mod shapes;
mod together;

use std::env;
use std::ffi::OsStr;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write as _};
use std::process::ExitCode;

use benches::conductor::{SOCKET, THREADS, report_to};
use benches::work::{Operation, Order, Way, Work};
use benches::{loops, time};
use shmem::bench::Place;
use shmem::prelude::*;

use places::{Places, TARGET};

fn main() -> ExitCode {
    if env::var_os(THREADS).is_some() { any_thread() } else { one_thread() }
}

#[shmem::main(npes = 2, heap = "64M", threads = single)]
fn one_thread(world: &World) -> Result<ExitCode, shmem::Error> {
    join(world)
}

#[shmem::main(npes = 2, heap = "64M")]
fn any_thread(world: &World) -> Result<ExitCode, shmem::Error> {
    join(world)
}

/// Does what the conductor asks for, until it ends.
fn join(world: &World) -> Result<ExitCode, shmem::Error> {
    let Some(socket) = env::var_os(SOCKET) else {
        if world.my_pe() == 0 {
            eprintln!("this program is one of those that `cargo bench -p benches` starts");
        }
        return Ok(ExitCode::FAILURE);
    };
    let places = Places::new(world)?;
    match serve(world, &places, &socket) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => {
            eprintln!("PE {}: {error}", world.my_pe());
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Does the work that the conductor sends, until there is no more.
fn serve(world: &World, places: &Places<'_>, socket: &OsStr) -> std::io::Result<()> {
    let mut conductor = BufReader::new(report_to(socket, world.my_pe(), world.n_pes())?);
    let mut line = String::new();
    while conductor.read_line(&mut line)? > 0 {
        let order = Order::parse(&line).map_err(std::io::Error::other)?;
        let answer = match order.and_then(|order| perform(places, order)) {
            Some(nanoseconds) => format!("{nanoseconds}\n"),
            None => "none\n".to_owned(),
        };
        conductor.get_mut().write_all(answer.as_bytes())?;
        line.clear();
    }
    Ok(())
}

/// Does a work, and returns the nanoseconds that it takes, or `None` if the work does not exist in
/// this way. Collective if the work is.
fn perform(places: &Places<'_>, order: Order) -> Option<f64> {
    if !order.work.operation.is_one_sided() {
        return together::perform(places, order);
    }
    use Operation::{G, GConstant, P, PArray, PByEight, PConstant, PQuiet};

    if places.world.n_pes() < 2 || order.work.stride == 0 || order.work.bytes == 0 {
        return None;
    }
    let Order { work: Work { operation, bytes, stride }, way, repeats } = order;
    match operation {
        Operation::Put | Operation::Get | Operation::PutNbi => match bytes {
            1 => transfer(places, &places.bytes, order),
            2 => transfer(places, &places.halves, order),
            4 => transfer(places, &places.singles, order),
            _ => transfer(places, &places.words, order),
        },
        Operation::PutConstant | Operation::GetConstant if bytes == 8 * loops::PICKED => {
            constant(places, operation, stride, way, repeats)
        }
        Operation::PutConstant | Operation::GetConstant => None,
        Operation::FetchAdd | Operation::Add | Operation::CompareSwap if bytes == 8 && stride == 1 => {
            atomic(places, operation, way, repeats)
        }
        P | PConstant | PArray | PByEight | PQuiet | G | GConstant if bytes == 8 && stride == 1 => {
            words(places, operation, way, repeats)
        }
        _ => shapes::perform(places, order),
    }
}

/// The time of a work that only PE 0 does, while the others do nothing.
fn alone(places: &Places<'_>, work: impl FnOnce()) -> f64 {
    if places.world.my_pe() == 0 { time(work) } else { 0.0 }
}

/// Contiguous and strided transfers between private memory and the target.
fn transfer<T: places::Element>(places: &Places<'_>, of: &places::Pair<T>, order: Order) -> Option<f64> {
    let Order { work: Work { operation, bytes, stride }, way, repeats } = order;
    let (n, pe, far) = ((bytes / size_of::<T>()).max(1), black_box(TARGET), &of.far);
    if (n - 1) * stride >= far.len() || n > far.len() || operation == Operation::PutNbi && stride > 1 {
        return None;
    }
    let mut buffer = of.near.lock().expect("one thread");
    let near = places::aligned(&mut buffer, n);
    let there = of.there;
    let place = Place::of(remote!(&far[pe, 0]));
    let put = operation != Operation::Get;
    Some(alone(places, || match (way, put) {
        (Way::Language, true) if operation == Operation::PutNbi => {
            loops::put_nbi(places.world, far, near, pe, repeats);
        }
        (Way::Language, true) => loops::put(places.world, far, near, pe, black_box(stride), repeats),
        (Way::Language, false) => loops::get(far, near, pe, black_box(stride), repeats),
        // SAFETY: the array has `n * stride` elements on every PE, and only this PE accesses those
        // of the target.
        (Way::Raw, true) if operation == Operation::PutNbi => unsafe {
            loops::raw_put_nbi(place, near, repeats);
        },
        // SAFETY: as above.
        (Way::Raw, true) => unsafe { loops::raw_put(place, near, black_box(stride), repeats) },
        // SAFETY: as above.
        (Way::Raw, false) => unsafe { loops::raw_get(place, near, black_box(stride), repeats) },
        // SAFETY: as above; `there` is where the array of the target is mapped.
        (Way::Limit, true) => unsafe { loops::store(there, near, black_box(stride), repeats) },
        // SAFETY: as above.
        (Way::Limit, false) => unsafe { loops::load(there, near, black_box(stride), repeats) },
    }))
}

/// Strided transfers whose shape the compiler knows.
fn constant(
    places: &Places<'_>,
    operation: Operation,
    stride: usize,
    way: Way,
    repeats: usize,
) -> Option<f64> {
    let from = [1.5; loops::PICKED];
    let mut into = [0.0; loops::PICKED];
    let (pe, there) = (black_box(TARGET), loops::sparse(TARGET));
    let put = operation == Operation::PutConstant;
    let once: &mut dyn FnMut() = match (way, put, stride) {
        (Way::Language, true, 2) => &mut || loops::iput_2(&from, pe),
        (Way::Language, true, 64) => &mut || loops::iput_64(&from, pe),
        (Way::Language, false, 2) => &mut || loops::iget_2(&mut into, pe),
        (Way::Language, false, 64) => &mut || loops::iget_64(&mut into, pe),
        // SAFETY: `SPARSE` has room for `PICKED` elements at a stride of up to 64, and only this PE
        // accesses it.
        (Way::Limit, true, 2) => &mut || unsafe { loops::scatter_constant::<2>(&from, there) },
        // SAFETY: as above.
        (Way::Limit, true, 64) => &mut || unsafe { loops::scatter_constant::<64>(&from, there) },
        // SAFETY: as above.
        (Way::Limit, false, 2) => &mut || unsafe { loops::gather_constant::<2>(&mut into, there) },
        // SAFETY: as above.
        (Way::Limit, false, 64) => &mut || unsafe { loops::gather_constant::<64>(&mut into, there) },
        _ => return None,
    };
    Some(alone(places, || (0..repeats).for_each(|_| once())))
}

/// One word at a time, each of [`loops::ROW`] in turn.
fn words(places: &Places<'_>, operation: Operation, way: Way, repeats: usize) -> Option<f64> {
    use Operation::{G, GConstant, P, PArray, PByEight, PConstant, PQuiet};

    let (world, pe, row) = (places.world, black_box(TARGET), loops::row(TARGET));
    let place = Place::of(remote!(&loops::ROW[pe, 0]));
    let some: &dyn Fn(usize) = match (way, operation) {
        (Way::Language, P) => &|n| loops::put_words(pe, n),
        (Way::Language, PConstant) => &|n| loops::put_one_word(pe, n),
        (Way::Language, PArray) => &|n| loops::put_array_words(&places.row, pe, n),
        (Way::Language, PByEight) => &|n| loops::put_words_by_eight(pe, n),
        (Way::Language, PQuiet) => &|n| loops::put_words_and_quiet(world, pe, n),
        (Way::Language, G) => &|n| _ = black_box(loops::get_words(pe, n)),
        (Way::Language, GConstant) => &|n| _ = black_box(loops::get_one_word(pe, n)),
        // SAFETY: `ROW` has `WORDS` words, `n` is not larger, and only this PE accesses those of
        // the target.
        (Way::Raw, P) => &|n| unsafe { loops::raw_put_words(place, n) },
        // SAFETY: as above.
        (Way::Raw, G) => &|n| _ = black_box(unsafe { loops::raw_get_words(place, n) }),
        (Way::Raw, _) => return None,
        // SAFETY: as above.
        (Way::Limit, PQuiet) => &|n| unsafe { loops::store_words_and_fence(row, n) },
        // SAFETY: as above.
        (Way::Limit, G | GConstant) => &|n| _ = black_box(unsafe { loops::load_words(row, n) }),
        // SAFETY: as above.
        (Way::Limit, _) => &|n| unsafe { loops::store_words(row, n) },
        _ => return None,
    };
    Some(alone(places, || {
        (0..repeats / loops::WORDS).for_each(|_| some(loops::WORDS));
        some(repeats % loops::WORDS);
        if way == Way::Language {
            world.quiet();
        }
    }))
}

/// Updates of one cell that no other PE updates.
fn atomic(places: &Places<'_>, operation: Operation, way: Way, repeats: usize) -> Option<f64> {
    let pe = black_box(TARGET);
    let place = Place::of(remote!(&loops::COUNT[pe]));
    let add = operation == Operation::Add;
    let swap = operation == Operation::CompareSwap;
    Some(alone(places, || match way {
        Way::Language if swap => _ = black_box(loops::compare_exchange(pe, repeats)),
        Way::Language if add => loops::add(pe, repeats),
        Way::Language => _ = black_box(loops::fetch_add(pe, repeats)),
        Way::Raw if swap => loops::raw_compare_swap(pe, repeats),
        // SAFETY: `COUNT` is a cell of 8 bytes on every PE.
        Way::Raw if add => unsafe { loops::raw_add(place, repeats) },
        // SAFETY: as above.
        Way::Raw => _ = black_box(unsafe { loops::raw_fetch_add(place, repeats) }),
        Way::Limit if swap => _ = black_box(loops::processor_compare_exchange(loops::count(TARGET), repeats)),
        Way::Limit => _ = black_box(loops::processor_fetch_add(loops::count(TARGET), repeats)),
    }))
}
