//! Transfers of every size, from a few bytes to more than the caches hold, at every alignment of
//! both sides.

use shmem::prelude::*;

use crate::elements::{assert_same, values};

/// Around the sizes at which the way of copying changes, and some odd ones.
const SMALL: [usize; 20] = [0, 1, 2, 3, 7, 8, 9, 15, 16, 31, 33, 63, 64, 65, 127, 129, 255, 511, 1000, 2047];
const MIDDLE: [usize; 8] = [2048, 2049, 4095, 4097, 16_383, 16_384, 16_385, 100_003];
const LARGE: [usize; 5] = [1 << 20, (2 << 20) + 13, (12 << 20) - 1, 12 << 20, (12 << 20) + 4099];
/// Distances from an aligned address, in the heap and in private memory.
const STARTS: [usize; 6] = [0, 1, 3, 8, 31, 63];

/// Bytes of the arrays: the largest transfer, and room on both sides.
const BYTES: usize = 13 << 20;

/// Random bytes that repeat after a prime number of them, so that no two pages are the same.
fn data(seed: u64, len: usize) -> Vec<u8> {
    let block: Vec<u8> = values(seed, 4093);
    let mut data = block.repeat(len / block.len() + 1);
    data.truncate(len);
    data
}

/// Puts and gets on the right neighbour's copy, which checks itself at the end.
#[shmem::test(npes = [1, 2, 3])]
fn contiguous(world: &World) -> Result<(), shmem::Error> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n_pes - 1) % n_pes, (me + 1) % n_pes);
    let array = world.symmetric_array::<u8, 1>([BYTES], 0xaa)?;
    // What this PE writes, and what is written to it.
    let mut models = [vec![0xaa; BYTES], vec![0xaa; BYTES]];
    let mut number = 0;
    let mut transfer = |len: usize, there: usize, here: usize| {
        number += 1;
        // A place of its own for each, with what the one before wrote around it.
        let start = (there + 64 * (number as usize % 32)).min(BYTES - len);
        for (model, writer) in models.iter_mut().zip([me, left]) {
            model[start..start + len].copy_from_slice(&data(number << 8 | writer as u64, len + here)[here..]);
        }
        let source = data(number << 8 | me as u64, len + here);
        remote!(array[right, start..start + len] = &source[here..]);
        let (from, to) = (start.saturating_sub(200), (start + len + 200).min(BYTES));
        let mut around = vec![0; to - from + here];
        remote!(array[right, from..to] => &mut around[here..]);
        let what = format!("{len} bytes at {start} from private memory at {here}");
        assert_same(&around[here..], &models[0][from..to], &what);
        let read = remote!(array[right, start..start + len]);
        assert_same(&read, &source[here..], &what);
    };
    for len in SMALL {
        for there in STARTS {
            for here in STARTS {
                transfer(len, there, here);
            }
        }
    }
    for len in MIDDLE {
        for start in STARTS {
            transfer(len, start, 0);
            transfer(len, 0, start);
        }
    }
    for len in LARGE {
        transfer(len, 0, 0);
        transfer(len, 17, 5);
    }
    world.barrier_all();
    assert_same(&local!(array[..]), &models[1], "the own copy, after the barrier");
    Ok(())
}

/// Columns and strides through much memory, and one value for all of it.
#[shmem::test(npes = [1, 2, 3])]
fn strided(world: &World) -> Result<(), shmem::Error> {
    const ROWS: usize = 700;
    const COLUMNS: usize = 501;
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n_pes - 1) % n_pes, (me + 1) % n_pes);
    let array = world.symmetric_array::<u32, 2>([ROWS, COLUMNS], 1)?;
    let written_by = |writer: usize| {
        let writer = writer as u64;
        let mut model = vec![1; ROWS * COLUMNS];
        let mut put = |rows: &mut dyn Iterator<Item = usize>,
                       columns: std::iter::StepBy<std::ops::Range<usize>>,
                       seed| {
            let mut source = Vec::new();
            for row in rows {
                for column in columns.clone() {
                    source.push(0);
                    let at = source.len() - 1;
                    source[at] = values::<u32>(seed + at as u64, 1)[0];
                    model[row * COLUMNS + column] = source[at];
                }
            }
            source
        };
        let column = put(&mut (0..ROWS), (7..8).step_by(1), 1 << 32 | writer << 20);
        let every_third = put(&mut (1..ROWS).step_by(5), (2..COLUMNS).step_by(3), 2 << 32 | writer << 20);
        let rows = put(&mut (100..130), (0..COLUMNS).step_by(1), 3 << 32 | writer << 20);
        let block = put(&mut (200..260), (33..466).step_by(1), 4 << 32 | writer << 20);
        for row in 600..700 {
            model[row * COLUMNS..][..COLUMNS].fill(writer as u32);
        }
        (model, [column, every_third, rows, block])
    };
    let (model, [column, every_third, rows, block]) = written_by(me);
    remote!(array[right, .., 7]) = &column;
    remote!(array[right, 1..;5, 2..;3]) = &every_third;
    remote!(array[right, 100..130, ..]) = &rows;
    remote!(array[right, 200..260, 33..466]) = block.clone();
    remote!(array[right, 600.., ..]) = me as u32;
    assert_same(&remote!(array[right, .., ..]), &model, "the neighbour's copy");
    assert_same(&remote!(array[right, { 200 }..=259, 33..466]), &block, "a block");
    let read = remote!(array[right, 1..;5, 2..;3]);
    let expected: Vec<u32> = (1..ROWS)
        .step_by(5)
        .flat_map(|row| (2..COLUMNS).step_by(3).map(move |column| row * COLUMNS + column))
        .map(|at| model[at])
        .collect();
    assert_same(&read, &expected, "every third");
    world.barrier_all();
    assert_same(&local!(array[.., ..]), &written_by(left).0, "the own copy, after the barrier");
    Ok(())
}
