//! Runs one of the measured loops once: `count-instructions LOOP TURNS`. `tests/instructions.rs`
//! counts its instructions.

use std::hint::black_box;
use std::process::ExitCode;

use benches::loops::{self, global, lists};
use shmem::prelude::*;

/// The elements of slices.
const EIGHT: [u64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// Indices without an order, two of which are neighbours.
const LIST: [usize; 16] = [3, 900, 17, 18, 512, 77, 0, 1023, 640, 5, 333, 334, 90, 256, 4, 801];

const BLOCK: [[f64; 32]; 32] = [[1.0; 32]; 32];

#[shmem::main(npes = 1, heap = "16M")]
fn main(world: &World) -> Result<ExitCode, shmem::Error> {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(Ok(n))) = (arguments.next(), arguments.next().map(|turns| turns.parse())) else {
        eprintln!("usage: count-instructions LOOP TURNS");
        return Ok(ExitCode::FAILURE);
    };
    let array = world.symmetric_array::<u64, 1>([loops::WORDS], 0)?;
    let line = world.global_array::<u64, 1>([loops::WORDS], Distribution::Block)?;
    let cells = world.global_array::<Atomic<u64>, 1>([loops::WORDS], Distribution::Block)?;
    // The PE is this one, but the loop does not know that.
    let pe = black_box(world.my_pe());
    match name.as_str() {
        // SAFETY: `ROW` has `WORDS` words, as checked above.
        "store_words" if n <= loops::WORDS => unsafe { loops::store_words(loops::row(pe), n) },
        "put_words" => loops::put_words(pe, n),
        "put_one_word" => loops::put_one_word(pe, n),
        "put_array_words" => loops::put_array_words(&array, pe, n),
        "get_words" => _ = black_box(loops::get_words(pe, n)),
        "get_one_word" => _ = black_box(loops::get_one_word(pe, n)),
        "fetch_add" => _ = black_box(loops::fetch_add(pe, n)),
        "add" => loops::add(pe, n),
        "add_float" => loops::add_float(pe, n),
        "add_small" => loops::add_small(pe, n),
        "raise" => loops::raise(pe, n),
        "put_words_and_quiet" => loops::put_words_and_quiet(world, pe, n),
        "compare_exchange" => _ = black_box(loops::compare_exchange(pe, n)),
        "lock" => loops::lock(n),
        // On 2 or 3 PEs, of which the others have come before.
        "sync_with" | "sync_with_one" => {
            if pe > 0 {
                shmem::bench::come_early(0, u32::try_from(n).unwrap_or(u32::MAX));
            }
            world.barrier_all();
            if pe == 0 {
                let others: Vec<usize> = (1..world.n_pes()).collect();
                loops::sync_with(world, black_box(&others), n);
            }
        }
        "allocate" => loops::allocate(world, n),
        "allocate_among_many" => {
            let many: Vec<_> = (0..5_000).map(|_| world.zeros::<u8, 1>([1])).collect::<Result<_, _>>()?;
            loops::allocate(world, n);
            drop(many);
        }
        // Eight words at a time, contiguous and every second.
        "put" => loops::put(world, &array, &EIGHT, pe, black_box(1), n),
        "get" => loops::get(&array, &mut EIGHT.clone(), pe, black_box(1), n),
        "iput" => loops::put(world, &array, &EIGHT, pe, black_box(2), n),
        "iget" => loops::get(&array, &mut EIGHT.clone(), pe, black_box(2), n),
        "put_block" => loops::put_block(&BLOCK, pe, n),
        // SAFETY: the reference is to 32 rows of the plane, which only this PE accesses.
        "store_block" => unsafe {
            let block = remote!(&loops::PLANE[pe, 16..48, 16..48]).as_ptr();
            loops::store_block(&BLOCK, block.expect("a PE addresses its own heap"), n);
        },
        "global::put_static" => global::put_static(n),
        "global::put_cyclic" => global::put_cyclic(n),
        "global::get_static" => _ = black_box(global::get_static(n)),
        "global::fetch_add_static" => _ = black_box(global::fetch_add_static(n)),
        "global::put_array" => global::put_array(&line, n),
        "global::get_array" => _ = black_box(global::get_array(&line, n)),
        "global::fetch_add_array" => _ = black_box(global::fetch_add_array(&cells, n)),
        // On 2 PEs: half of the words are on each.
        "global::put_range_static" if pe == 0 => global::put_range_static(&[1; 64], loops::WORDS / 2 - 32, n),
        "global::put_range_cyclic" if pe == 0 => global::put_range_cyclic(&[1; 64], loops::WORDS / 2 - 32, n),
        "global::put_range_array" if pe == 0 => {
            global::put_range_array(&line, &[1; 64], loops::WORDS / 2 - 32, n)
        }
        "global::get_range_array" if pe == 0 => {
            global::get_range_array(&line, &mut [0; 64], loops::WORDS / 2 - 32, n);
        }
        "global::gather_array" if pe == 0 => global::gather_array(&line, &mut [0; 16], &black_box(LIST), n),
        _ if pe > 0 => {}
        "lists::get_four" => _ = black_box(lists::get_four(pe, n)),
        "lists::gather" => lists::gather(&array, &mut [0; 16], &black_box(LIST), pe, n),
        "lists::scatter" => lists::scatter(&array, &[1; 16], &black_box(LIST), pe, n),
        "lists::get_back" => lists::get_back(&array, &mut [0; 16], pe, n),
        "lists::move_words" => lists::move_words(&array, pe, black_box([16, 2]), n),
        "put_nbi" => loops::put_nbi(world, &array, &EIGHT, pe, n),
        _ => {
            eprintln!("there is no loop {name} of {n} turns");
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}
