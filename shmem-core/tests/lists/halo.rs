//! Ghost cells against a model: the whole array as a function of the index and the step.

use shmem::prelude::*;
use shmem::{Error, Halo};

const DISTRIBUTIONS: [Distribution; 2] = [Distribution::Block, Distribution::Block2d];

/// The value of a cell in a step.
fn value(step: usize, [i, j]: [usize; 2]) -> u64 {
    (step * 1_000_000 + i * 1000 + j + 1) as u64
}

/// The index of the whole array, counted on over its ends or not.
fn wrapped(index: isize, extent: usize, periodic: bool) -> Option<usize> {
    let inside = (0..extent.cast_signed()).contains(&index);
    (periodic || inside).then(|| index.rem_euclid(extent.cast_signed()).cast_unsigned())
}

/// The first index that this PE holds, and how far a view goes on one axis.
fn reach(first: usize, held: usize, width: usize) -> impl Iterator<Item = (isize, isize)> + Clone {
    let (held, width) = (held.cast_signed(), width.cast_signed());
    (-width..held + width).map(move |at| (at, at + first.cast_signed()))
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn every_ghost_cell_of_rank_2(world: &World) -> Result<(), Error> {
    const OUTER: u64 = u64::MAX;
    for distribution in DISTRIBUTIONS {
        for (extents, width) in [([9, 8], 1), ([9, 8], 2), ([2, 3], 1), ([1, 1], 3), ([5, 12], 4)] {
            for halo in [Halo::fixed(width), Halo::periodic(width)] {
                let periodic = halo == Halo::periodic(width);
                let grid = world.halo_array::<u64, 2>(extents, distribution, halo)?;
                let [rows, columns] = grid.part_extents(world.my_pe());
                let [i0, j0] = grid.mine().next().unwrap_or([0, 0]);
                world.local_phase(|p| {
                    let mut grid = grid.view_mut(p);
                    // What is not refreshed keeps this.
                    for (i, _) in reach(i0, rows, width) {
                        grid.row_mut(i).fill(OUTER);
                    }
                });
                for step in 0..4 {
                    world.local_phase(|p| {
                        for (index, x) in grid.view_mut(p).mine_mut() {
                            *x = value(step, index);
                        }
                    });
                    grid.refresh();
                    world.local_phase(|p| {
                        let grid = grid.view(p);
                        if rows * columns == 0 {
                            return;
                        }
                        for (i, row) in reach(i0, rows, width) {
                            for (j, column) in reach(j0, columns, width) {
                                let row = wrapped(row, extents[0], periodic);
                                let column = wrapped(column, extents[1], periodic);
                                let expected = match (row, column) {
                                    (Some(row), Some(column)) => value(step, [row, column]),
                                    _ => OUTER,
                                };
                                assert_eq!(
                                    grid[[i, j]],
                                    expected,
                                    "{distribution:?} {halo:?} {extents:?}, step {step}: [{i}, {j}]"
                                );
                                assert_eq!(grid.row(i)[(j + width as isize) as usize], expected);
                            }
                        }
                    });
                }
                // The whole array, by its own indices.
                let all: Vec<u64> =
                    (0..extents[0]).flat_map(|i| (0..extents[1]).map(move |j| value(3, [i, j]))).collect();
                assert_eq!(remote!(grid[@.., ..]), all);
                assert_eq!(remote!(grid[@extents[0] - 1, extents[1] - 1]), *all.last().unwrap());
                assert_eq!(remote!(grid[@..;-1, 0]).last(), Some(&all[0]));
                world.barrier_all();
                if world.my_pe() == 0 {
                    remote!(grid[@.., ..]) = &vec![7; all.len()];
                }
                world.barrier_all();
                world.local_phase(|p| assert!(grid.view_mut(p).mine_mut().all(|(_, x)| *x == 7)));
                grid.free()?;
            }
        }
    }
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_line_over_many_steps(world: &World) -> Result<(), Error> {
    const N: usize = 23;
    for halo in [Halo::fixed(2), Halo::periodic(2)] {
        let mut old = world.halo_array::<u64, 1>([N], Distribution::Block, halo)?;
        let mut new = world.halo_array::<u64, 1>([N], Distribution::Block, halo)?;
        let mut model: Vec<u64> = (0..N as u64).map(|i| i * i + 1).collect();
        world.local_phase(|p| {
            for (i, x) in old.view_mut(p).mine_mut() {
                *x = model[i];
            }
        });
        for _ in 0..20 {
            old.refresh();
            world.local_phase(|p| {
                let (old, mut new) = (old.view(p), new.view_mut(p));
                for i in 0..new.part_extents()[0] as isize {
                    new[i] = (old[i - 2] + 3 * old[i - 1] + old[i] + 5 * old[i + 2]) % 1009;
                }
                assert_eq!(old.as_slice().len(), old.part_extents()[0] + 4);
            });
            (old, new) = (new, old);
            let at = |i: isize| wrapped(i, N, halo == Halo::periodic(2)).map_or(0, |i| model[i]);
            model =
                (0..N as isize).map(|i| (at(i - 2) + 3 * at(i - 1) + at(i) + 5 * at(i + 2)) % 1009).collect();
        }
        assert_eq!(remote!(old[@..]), model);
        world.barrier_all();
    }
    Ok(())
}

mod statics {
    use shmem::prelude::*;
    use shmem::{Error, Halo};

    #[symmetric(block, halo = Halo::fixed(1))]
    static LINE: [u32; 5] = [10, 11, 12, 13, 14];
    #[symmetric(block2d, halo = Halo::fixed(1))]
    static GRID: [[u8; 2]; 3] = [[1, 2], [3, 4], [5, 6]];
    #[symmetric(block, halo = PERIODIC)]
    static RING: [u64; 23] = [7; 23];
    const PERIODIC: Halo = Halo::periodic(2);
    #[symmetric(block2d, halo = PERIODIC)]
    static TORUS: [[u64; 8]; 9] = [[7; 8]; 9];

    /// Before anything else is done with them.
    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn begin_with_their_values_and_zeros_around(world: &World) -> Result<(), Error> {
        assert_eq!(remote!(LINE[@..]), [10, 11, 12, 13, 14]);
        assert_eq!(remote!(GRID[@.., ..]), [[1, 2], [3, 4], [5, 6]]);
        assert_eq!((remote!(RING[@..]), remote!(TORUS[@.., ..])), ([7; 23], [[7; 8]; 9]));
        world.local_phase(|p| {
            let (line, grid) = (LINE.view(p), GRID.view(p));
            let (first, last) = (line[-1], line[line.part_extents()[0] as isize]);
            assert_eq!((first, last), (0, 0));
            if grid.part_extents()[0] > 0 {
                assert!(grid.row(-1).iter().all(|x| *x == 0));
            }
        });
        assert_eq!((LINE.extents(), LINE.halo()), ([5], Halo::fixed(1)));
        assert_eq!((TORUS.extents(), TORUS.halo()), ([9, 8], Halo::periodic(2)));
        let twin = world.global_array::<u8, 2>([9, 8], Distribution::Block2d)?;
        assert_eq!(remote!(&TORUS[@8, 7]).pe(), twin.owner([8, 7]));
        Ok(())
    }

    /// As those that are allocated.
    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn are_refreshed(world: &World) -> Result<(), Error> {
        let ring = world.halo_array::<u64, 1>([23], Distribution::Block, PERIODIC)?;
        let torus = world.halo_array::<u64, 2>([9, 8], Distribution::Block2d, PERIODIC)?;
        for step in 0..4 {
            world.local_phase(|p| {
                for mut ring in [ring.view_mut(p), RING.view_mut(p)] {
                    ring.mine_mut().for_each(|(i, x)| *x = super::value(step, [i, 0]));
                }
                for mut torus in [torus.view_mut(p), TORUS.view_mut(p)] {
                    torus.mine_mut().for_each(|(index, x)| *x = super::value(step, index));
                }
            });
            ring.refresh();
            RING.refresh();
            torus.refresh();
            TORUS.refresh();
            world.local_phase(|p| {
                assert_eq!(ring.view(p).as_slice(), RING.view(p).as_slice());
                let (torus, other) = (torus.view(p), TORUS.view(p));
                for i in -2..torus.part_extents()[0] as isize + 2 {
                    assert_eq!(torus.row(i), other.row(i), "step {step}, row {i}");
                }
            });
        }
        world.barrier_all();
        if world.my_pe() == 0 {
            remote!(RING[@22]) = 5;
            remote!(TORUS[@8, 0..8;2]) = [1, 2, 3, 4];
        }
        world.barrier_all();
        assert_eq!(remote!(RING[@20..])[2], 5);
        assert_eq!(remote!(TORUS[@8, 0..8;2]), [1, 2, 3, 4]);
        Ok(())
    }

    #[test]
    fn outside_of_a_job() {
        for act in [(|| _ = remote!(LINE[@3])) as fn(), || _ = LINE.extents(), || _ = TORUS.sum()] {
            let payload = std::panic::catch_unwind(act).expect_err("it panics");
            let text = payload.downcast_ref::<String>().expect("a text");
            assert!(text.contains("outside of a job"), "{text}");
        }
    }
}

#[shmem::test(npes = 3)]
fn what_no_array_with_ghost_cells_can_be(world: &World) -> Result<(), Error> {
    let free = world.heap_free();
    let error = |made: Result<shmem::HaloArray<u8, 1>, Error>| made.unwrap_err().to_string();
    let cyclic = error(world.halo_array([8], Distribution::Cyclic, Halo::fixed(1)));
    assert!(
        cyclic.contains("of 8 cyclically over 3 PEs") && cyclic.contains("Distribution::Block"),
        "{cyclic}"
    );
    let wide = error(world.halo_array([8], Distribution::Block, Halo::fixed(usize::MAX / 2)));
    assert!(wide.contains("too large"), "{wide}");
    let large = error(world.halo_array([1 << 45], Distribution::Block, Halo::fixed(1)));
    assert!(large.contains("exhausted"), "{large}");
    let others = error(world.halo_array([8], Distribution::Block, Halo::fixed(1 + world.my_pe() / 2)));
    assert!(others.contains("PE 0 and PE 2 call `halo_array`"), "{others}");
    assert_eq!(world.heap_free(), free);
    Ok(())
}
