//! Works of PE 0 on lists of indices, columns and blocks, and on global arrays.

use std::hint::black_box;

use benches::loops::{self, address, global, lists};
use benches::work::{Operation, Order, Way, Work};
use shmem::prelude::*;

use crate::alone;
use crate::places::{Places, TARGET};

/// The words of a list.
const LISTED: usize = 1024;
/// The words that a list is of.
const AMONG: usize = 1 << 16;
/// The rows, and the columns, that two lists have.
const SIDE: usize = 32;
/// The words of a range across the border of two PEs, and where it begins.
const RANGE: usize = 512;
const START: usize = 256;

/// Does a work; `None` if it does not exist in this way, or not of this size.
pub(crate) fn perform(places: &Places<'_>, order: Order) -> Option<f64> {
    use Operation::{Block, Column, Gather, GatherConstant, Outer, Reversed, Scatter};

    let Order { work: Work { operation, bytes, stride }, way, repeats } = order;
    let expected = match operation {
        GatherConstant => 4 * 8,
        Column => 64 * 8,
        Gather | Scatter | Reversed => LISTED * 8,
        Outer | Block => SIDE * SIDE * 8,
        _ => return whole(places, order),
    };
    if bytes != expected || stride != 1 {
        return None;
    }
    let pe = black_box(TARGET);
    let (row, words, plane) = (loops::row(TARGET), places.words.there, loops::plane(TARGET));
    let array = &places.words.far;
    // Each index once, without an order: 40503 is odd, and so has no divisor in common with `AMONG`.
    let list: Vec<usize> = (0..LISTED).map(|i| i * 40_503 % AMONG).collect();
    let (rows, columns): (Vec<usize>, Vec<usize>) = (0..SIDE).map(|i| (i * 37 % 64, i * 11 % 64)).unzip();
    let (list, rows, columns) = (black_box(&list[..]), black_box(&rows[..]), black_box(&columns[..]));
    let (mut into, from) = (vec![0; LISTED], vec![1; LISTED]);
    let mut square = vec![0.0; SIDE * SIDE];
    let (column, block) = ([1.5; 64], [[1.5; SIDE]; SIDE]);
    let all: &mut dyn FnMut(usize) = match (way, operation) {
        (Way::Language, GatherConstant) => &mut |n| _ = black_box(lists::get_four(pe, n)),
        (Way::Language, Gather) => &mut |n| lists::gather(array, &mut into, list, pe, n),
        (Way::Language, Scatter) => &mut |n| lists::scatter(array, &from, list, pe, n),
        (Way::Language, Outer) => &mut |n| lists::outer(&mut square, rows, columns, pe, n),
        (Way::Language, Reversed) => &mut |n| lists::get_back(array, &mut into, pe, n),
        (Way::Language, Column) => &mut |n| lists::put_column(&column, pe, black_box(63), n),
        (Way::Language, Block) => &mut |n| loops::put_block(&block, pe, n),
        // SAFETY: `ROW` has more than eight words, and only this PE accesses those of the target.
        (Way::Limit, GatherConstant) => &mut |n| _ = black_box(unsafe { lists::load_four(row, n) }),
        // SAFETY: the array has more than `AMONG` words, and only this PE accesses those of the target.
        (Way::Limit, Gather) => &mut |n| unsafe { lists::load_list(words, &mut into, list, n) },
        // SAFETY: as above.
        (Way::Limit, Scatter) => &mut |n| unsafe { lists::store_list(words, &from, list, n) },
        // SAFETY: as above.
        (Way::Limit, Reversed) => &mut |n| unsafe { lists::load_back(words, &mut into, n) },
        // SAFETY: `PLANE` has 64 rows and columns, and only this PE accesses those of the target.
        (Way::Limit, Outer) => &mut |n| unsafe { lists::load_outer(plane, &mut square, rows, columns, n) },
        // SAFETY: as above.
        (Way::Limit, Column) => &mut |n| unsafe { lists::store_column(&column, plane.add(63), n) },
        // SAFETY: as above: rows and columns 16 to 47.
        (Way::Limit, Block) => &mut |n| unsafe { loops::store_block(&block, plane.add(16 * 64 + 16), n) },
        _ => return None,
    };
    Some(alone(places, || {
        all(repeats);
        if way == Way::Language {
            places.world.quiet();
        }
    }))
}

/// Elements and ranges of global arrays. A half is on each of two PEs.
fn whole(places: &Places<'_>, order: Order) -> Option<f64> {
    use Operation::{
        GlobalFetchAdd, GlobalG, GlobalGArray, GlobalGather, GlobalGetArray, GlobalP, GlobalPArray,
        GlobalPArrayCyclic, GlobalPCyclic, GlobalPut, GlobalPutArray, GlobalPutArrayCyclic, GlobalPutCyclic,
    };

    let Order { work: Work { operation, bytes, stride }, way, repeats } = order;
    let of_range = matches!(
        operation,
        GlobalPut | GlobalPutCyclic | GlobalPutArray | GlobalPutArrayCyclic | GlobalGetArray | GlobalGather
    );
    let expected = if of_range { RANGE * 8 } else { 8 };
    if bytes != expected || stride != 1 || places.world.n_pes() != 2 {
        return None;
    }
    let (line, turns) = (&places.line, &places.turns);
    let second = loops::WORDS / 2;
    let halves = black_box(match operation {
        GlobalP | GlobalG | GlobalPut => {
            [address(remote!(&global::LINE[@0])), address(remote!(&global::LINE[@second]))]
        }
        GlobalPCyclic | GlobalPutCyclic => {
            [address(remote!(&global::TURNS[@0])), address(remote!(&global::TURNS[@1]))]
        }
        GlobalFetchAdd => [address(remote!(&global::CELLS[@0])), address(remote!(&global::CELLS[@second]))],
        GlobalPArray | GlobalGArray | GlobalPutArray | GlobalGetArray => {
            [address(remote!(&line[@0])), address(remote!(&line[@second]))]
        }
        GlobalPArrayCyclic | GlobalPutArrayCyclic | GlobalGather => {
            [address(remote!(&turns[@0])), address(remote!(&turns[@1]))]
        }
        _ => return None,
    });
    let (mut into, from, start) = (vec![0; RANGE], vec![1; RANGE], black_box(START));
    let list: Vec<usize> = (0..RANGE).map(|i| i * 395 % loops::WORDS).collect();
    let list = black_box(&list[..]);
    let all: &mut dyn FnMut(usize) = match (way, operation) {
        (Way::Language, GlobalP) => &mut global::put_static,
        (Way::Language, GlobalPCyclic) => &mut global::put_cyclic,
        (Way::Language, GlobalPArray) => &mut |n| global::put_array(line, n),
        (Way::Language, GlobalPArrayCyclic) => &mut |n| global::put_array(turns, n),
        (Way::Language, GlobalG) => &mut |n| _ = black_box(global::get_static(n)),
        (Way::Language, GlobalGArray) => &mut |n| _ = black_box(global::get_array(line, n)),
        (Way::Language, GlobalFetchAdd) => &mut |n| _ = black_box(global::fetch_add_static(n)),
        (Way::Language, GlobalPut) => &mut |n| global::put_range_static(&from, start, n),
        (Way::Language, GlobalPutCyclic) => &mut |n| global::put_range_cyclic(&from, start, n),
        (Way::Language, GlobalPutArray) => &mut |n| global::put_range_array(line, &from, start, n),
        (Way::Language, GlobalPutArrayCyclic) => &mut |n| global::put_range_array(turns, &from, start, n),
        (Way::Language, GlobalGather) => &mut |n| global::gather_array(turns, &mut into, list, n),
        (Way::Limit, GlobalGather) => {
            // SAFETY: as below, and the list is of `WORDS` words.
            &mut |n| unsafe { global::load_list_turns(&halves, &mut into, list, n) }
        }
        (Way::Language, GlobalGetArray) => &mut |n| global::get_range_array(line, &mut into, start, n),
        // SAFETY: each PE has half of the `WORDS` words, `n` is at most `WORDS`, and only this PE accesses
        // them.
        (Way::Limit, GlobalP | GlobalPArray) => &mut |n| unsafe { global::store_blocks(&halves, n) },
        (Way::Limit, GlobalPCyclic | GlobalPArrayCyclic) => {
            let bits = black_box(1);
            // SAFETY: as above, and the number of PEs has one bit.
            &mut move |n| unsafe { global::store_turns(&halves, bits, n) }
        }
        (Way::Limit, GlobalG | GlobalGArray) => {
            // SAFETY: as above.
            &mut |n| _ = black_box(unsafe { global::load_blocks(&halves, n) })
        }
        (Way::Limit, GlobalFetchAdd) => {
            // SAFETY: as above, and the cells are aligned to their words.
            &mut |n| _ = black_box(unsafe { global::fetch_add_blocks(&halves, n) })
        }
        (Way::Limit, GlobalPut | GlobalPutArray) => {
            // SAFETY: words 256 to 767 of 1024, of which 512 are on each PE.
            &mut |n| unsafe { global::store_range_blocks(&halves, &from, start, n) }
        }
        (Way::Limit, GlobalPutCyclic | GlobalPutArrayCyclic) => {
            // SAFETY: as above.
            &mut |n| unsafe { global::store_range_turns(&halves, &from, start, n) }
        }
        (Way::Limit, GlobalGetArray) => {
            // SAFETY: as above.
            &mut |n| unsafe { global::load_range_blocks(&halves, &mut into, start, n) }
        }
        _ => return None,
    };
    Some(alone(places, || {
        if of_range {
            all(repeats);
        } else {
            (0..repeats / loops::WORDS).for_each(|_| all(loops::WORDS));
            all(repeats % loops::WORDS);
        }
        if way == Way::Language {
            places.world.quiet();
        }
    }))
}
