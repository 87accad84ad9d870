//! What the PEs of a team do together.

use shmem::prelude::*;
use shmem::reduction::Sum;

// ANCHOR: statics
#[symmetric]
static HEIGHTS: [f64; 3] = [0.0; 3];
#[symmetric]
static TOTALS: [f64; 3] = [0.0; 3];
#[symmetric]
static OUT: PerPe<[u32; 2]> = PerPe::new([0; 2]);
#[symmetric]
static IN: PerPe<[u32; 2]> = PerPe::new([0; 2]);
// ANCHOR_END: statics

#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let (me, n) = (world.my_pe(), world.n_pes());
    let last = n - 1;

    // ANCHOR: values
    let sum = collective!(sum me); // of all PEs, on every PE
    let largest = collective!(max me as f64);
    let before = collective!(exscan me); // over the PEs before this one
    let so_far = collective!(scan me); // and this one
    let word = collective!(broadcast me * 7 from last);
    let all: Vec<usize> = collective!(fcollect me * me); // one of each PE
    let few = vec![me as u8; me]; // any number of each
    let listed: Vec<u8> = collective!(collect few.as_slice());
    // ANCHOR_END: values
    assert_eq!((sum, largest), (n * last / 2, last as f64));
    assert_eq!(
        (before, so_far),
        (me * me.saturating_sub(1) / 2, me * (me + 1) / 2)
    );
    assert_eq!(word, 7 * last);
    assert_eq!(all[last], last * last);
    assert_eq!(listed.len(), sum);

    // ANCHOR: arrays
    local!(HEIGHTS[..]) = [1.0, me as f64, 0.5];
    collective!(TOTALS[..] = sum HEIGHTS[..]); // place by place
    assert_eq!(local!(TOTALS[..]), [n as f64, sum as f64, 0.5 * n as f64]);

    collective!(HEIGHTS[..] = max HEIGHTS[..]); // in place
    collective!(TOTALS[0..2] = broadcast HEIGHTS[1..] from last);
    // ANCHOR_END: arrays
    assert_eq!(local!(TOTALS[..]), [last as f64, 0.5, 0.5 * n as f64]);

    // ANCHOR: pairs
    let parts: Vec<f64> = (1..=n).map(|part| 1.0 / part as f64).collect();
    let all_parts = collective!(pairwise sum parts[me]);
    if let [a, b, c, d, e, f, g] = parts[..] {
        assert_eq!(all_parts, ((a + b) + (c + d)) + ((e + f) + g));
    }
    local!(HEIGHTS[..]) = [parts[me]; 3];
    collective!(TOTALS[..] = pairwise sum HEIGHTS[..]);
    assert_eq!(local!(TOTALS[..]), [all_parts; 3]);
    // ANCHOR_END: pairs

    // ANCHOR: exchange
    for pe in 0..n {
        local!(OUT[pe, ..]) = [me as u32, pe as u32]; // for PE `pe`
    }
    collective!(IN[.., ..] = alltoall OUT[.., ..]);
    for pe in 0..n {
        assert_eq!(local!(IN[pe, ..]), [pe as u32, me as u32]); // from PE `pe`
    }
    // ANCHOR_END: exchange

    // ANCHOR: ready
    let both = world.zeros::<u32, 3>([2, n, 2])?;
    for round in 0..10 {
        for pe in 0..n {
            local!(OUT[pe, ..]) = [(me + round) as u32, pe as u32];
        }
        // One of two destinations, in turn.
        collective!(both[round % 2, .., ..] = alltoall OUT[.., ..] to ready);
        for pe in 0..n {
            let expected = [(pe + round) as u32, me as u32];
            assert_eq!(local!(both[round % 2, pe, ..]), expected);
        }
    }
    // ANCHOR_END: ready

    // ANCHOR: rooted
    let total: Option<usize> = collective!(sum me to 0); // on PE 0
    let table: Option<Vec<usize>> = collective!(gather 10 * me to last);
    let shares = if me == 0 { vec![7; 2 * n] } else { vec![] };
    let share: Vec<i32> = collective!(scatter &shares from 0); // two of them
    collective!(IN[.., ..] = gather OUT[0, ..] to last); // row 0 of each PE
    // ANCHOR_END: rooted
    assert_eq!(total, (me == 0).then_some(sum));
    assert_eq!(
        table.map(|table| table[last]),
        (me == last).then_some(10 * last)
    );
    assert_eq!(share, [7, 7]);

    // ANCHOR: team
    let team = world.team().split_by_color(Some(me as u64 % 2), 0)?;
    let team = team.expect("every PE gave a colour");
    let members: usize = collective!(sum 1; on team);
    collective!(barrier; on team);
    // ANCHOR_END: team
    assert_eq!(members, team.n_pes());

    // ANCHOR: blocks
    let parts = world.array_from_fn([n, 3], |[pe, _]| pe + me)?;
    let mine = world.zeros::<usize, 1>([3])?;
    collective!(mine[..] = reduce_scatter sum parts[.., ..]);
    // ANCHOR_END: blocks
    assert_eq!(local!(mine[0]), n * me + sum);

    // ANCHOR: methods
    let team = world.team();
    assert_eq!(team.reduce_value(Sum, me), sum);

    // As many elements to each PE as `counts` says.
    let (to, counts) = (world.zeros::<usize, 1>([n])?, vec![1; n]);
    let from = world.array_from_fn([n], |[pe]| 10 * me + pe)?;
    let got = team.alltoallv(local!(&to[..]), local!(&from[..]), &counts);
    assert_eq!((got, local!(to[last])), (counts, 10 * last + me));

    // The same block to all PEs.
    let got = team.alltoallv_blocks(
        local!(&to[..]),
        local!(&from[..]),
        &vec![0..1; n],
    );
    assert_eq!((got, local!(to[last])), (vec![1; n], 10 * last));

    // From private memory: nothing to PE 0, one value to PE 1, and so on.
    let parts: Vec<Vec<usize>> = (0..n).map(|pe| vec![me; pe]).collect();
    let came: Vec<Vec<usize>> = team.alltoallv_values(&parts);
    assert_eq!(came[last], vec![last; me]);

    // As many values of PE 0 to each PE.
    let (all, counts): (Vec<_>, Vec<_>) = match me {
        0 => ((0..sum).collect(), (0..n).collect()),
        _ => (vec![], vec![]),
    };
    let part: Vec<usize> = team.scatterv_values(&all, &counts, 0);
    assert_eq!(part.len(), me);
    // ANCHOR_END: methods
    Ok(())
}
