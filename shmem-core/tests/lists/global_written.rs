//! Global arrays: selections that the compiler knows, and what composes with them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shmem::Error;
use shmem::context::Shared;
use shmem::prelude::*;

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    at: [f64; 3],
    mass: f64,
}

#[symmetric]
static ROW: [u64; 16] = [0; 16];

#[shmem::test(npes = [1, 2, 3])]
fn shapes(world: &World) -> Result<(), Error> {
    let line = world.global_array::<u64, 1>([16], Distribution::Block)?;
    if world.my_pe() == 0 {
        for i in 0..16 {
            remote!(line[@i]) = 10 * i as u64;
        }
        remote!(line[@0..4]) = [0, 10, 20, 30];
        remote!(line[@14..]) = &vec![140, 150];
    }
    world.barrier_all();
    let one: u64 = remote!(line[@3]);
    assert_eq!(one, 30);
    let four: [u64; 4] = remote!(line[@4..12;2]);
    assert_eq!(four, [40, 60, 80, 100]);
    let back: [u64; 3] = remote!(line[@0..6;-2]);
    assert_eq!(back, [50, 30, 10]);
    let listed: [u64; 3] = remote!(line[@[15, 0, 7]]);
    assert_eq!(listed, [150, 0, 70]);
    let (list, range) = (vec![9, 1, 9], 5..7);
    assert_eq!(remote!(line[@list]), [90, 10, 90]);
    assert_eq!(remote!(line[@&list[1..]]), [10, 90]);
    assert_eq!(remote!(line[@range]), [50, 60]);
    assert_eq!(remote!(line[@range;1]), [50, 60]);
    let array = [2, 3];
    let of_array: [u64; 2] = remote!(line[@array]);
    assert_eq!(of_array, [20, 30]);
    let all: Vec<u64> = remote!(line[@..]);
    assert_eq!(all, (0..16).map(|i| 10 * i).collect::<Vec<_>>());
    let mut buffer = [0; 4];
    remote!(line[@6..10] => &mut buffer);
    assert_eq!(buffer, [60, 70, 80, 90]);
    let window = remote!(&line[@6..10]);
    assert_eq!((window.get(), window.len(), window.is_empty()), ([60, 70, 80, 90], 4, false));
    assert!(format!("{window:?}").starts_with("4 elements of `global array #"));
    let boxed = Box::new(line);
    assert_eq!(remote!(boxed[@1]), 10);
    let by_reference = &boxed;
    assert_eq!(remote!(by_reference[@2..4]), [20, 30]);
    // To and from objects that have a copy on every PE.
    local!(ROW[..]) = remote!(&boxed[@..16]);
    assert_eq!(local!(ROW[15]), 150);
    remote!(ROW[0, 0]) = remote!(&boxed[@7]);
    world.barrier_all();
    assert_eq!(remote!(ROW[0, 0]), 70);
    Ok(())
}

#[shmem::test(npes = [1, 2, 4])]
fn updates(world: &World) -> Result<(), Error> {
    let n = world.n_pes() as u64;
    let counts = world.global_array::<Atomic<u64>, 1>([100], Distribution::BlockCyclic(8))?;
    for i in 0..100 {
        remote!(counts[@i]) += 1;
        let before = remote!(&counts[@99 - i]).fetch_add(2);
        assert!(before < 3 * n);
    }
    world.barrier_all();
    assert_eq!(remote!(counts[@..]), vec![3 * n; 100]);
    world.barrier_all();
    if world.my_pe() == 0 {
        remote!(counts[@50]) |= 1 << 40;
        remote!(counts[@50]) -= 1;
        assert_eq!(remote!(&counts[@50]).compare_exchange(0, 1), Err((1 << 40 | (3 * n)) - 1));
        assert_eq!(remote!(&counts[@50]).swap(7), (1 << 40 | (3 * n)) - 1);
        let mut before = 0;
        world.nbi(|s| {
            s.fetch_add(remote!(&counts[@50]), 1, &mut before);
            s.add(remote!(&counts[@51]), 1);
        });
        assert_eq!((before, remote!(counts[@50]), remote!(counts[@51])), (7, 8, 3 * n + 1));
    }
    Ok(())
}

#[shmem::test(npes = [1, 3])]
fn fields_and_contexts(world: &World) -> Result<(), Error> {
    let bodies = world.global_array::<Body, 1>([10], Distribution::Cyclic)?;
    let ctx = world.team().context(Shared)?;
    if world.my_pe() == world.n_pes() - 1 {
        for i in 0..10 {
            remote!(bodies[@i].mass) = i as f64;
        }
        remote!(ctx; bodies[@2..8;3].at) = [[1.0; 3]; 2];
        ctx.quiet();
    }
    world.barrier_all();
    assert_eq!(remote!(bodies[@7..].mass), [7.0, 8.0, 9.0]);
    assert_eq!(remote!(ctx; bodies[@[5, 6]].at), [[1.0; 3], [0.0; 3]]);
    assert_eq!(remote!(bodies[@5]).mass, 5.0);
    Ok(())
}

/// The message with which `act` panics.
#[track_caller]
fn message(act: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(act)).expect_err("it panics");
    payload.downcast_ref::<String>().expect("a text").clone()
}

#[shmem::test(npes = [1, 2])]
fn messages(world: &World) -> Result<(), Error> {
    let line = world.global_array::<u64, 1>([10], Distribution::Block)?;
    let grid = world.global_array::<u64, 2>([10, 4], Distribution::Block2d)?;
    let (ten, list) = (10, vec![1, 10]);
    for (text, parts) in [
        (
            message(|| _ = remote!(line[@ten])),
            [
                "`global array #0[@10]` is out of bounds: index 10 on axis 0, which has extent 10",
                "GlobalArray<u64, 1> of 10 in blocks over",
            ],
        ),
        (message(|| remote!(line[@ten] = 1)), ["index 10 on axis 0", "with extents [10]"]),
        (
            message(|| _ = remote!(line[@5..11])),
            ["[@5..11]` is out of bounds: the range on axis 0 ends at 11", "lists/global_written.rs:"],
        ),
        (
            message(|| _ = remote!(line[@list])),
            ["index 10 at position 1 of the list on axis 0", "the array is"],
        ),
        (
            message(|| _ = remote!(grid[@3, ten - 6])),
            ["[@3, 4]` is out of bounds: index 4 on axis 1, which has extent 4", "with extents [10, 4]"],
        ),
        (
            message(|| remote!(line[@..ten / 2] = &vec![0; 4])),
            ["the source has 4 elements, and the selection of `global array #0", " has 5"],
        ),
        (message(|| _ = line.owner(10)), ["the owner of index 10 was asked of", "extent 10"]),
        (
            message(|| _ = grid.owner([0, 4])),
            ["the owner of index [0, 4] was asked of", "index 4 on axis 1, which has extent 4"],
        ),
        (message(|| _ = line.part_extents(9)), ["there is no PE 9", "the job has"]),
    ] {
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
    }
    let refused = |error: Error, parts: &[&str]| {
        for part in parts {
            assert!(error.to_string().contains(part), "{part:?} is not in {error}");
        }
    };
    let zero = world.global_array::<u8, 1>([5], Distribution::BlockCyclic(0)).unwrap_err();
    refused(
        zero,
        &["GlobalArray<u8, 1> of 5 cyclically in blocks of 0", "global_written.rs:", "write 1 or more"],
    );
    let flat = world.global_array::<u8, 1>([5], Distribution::Block2d).unwrap_err();
    refused(flat, &["an array of rank 1 does not have two", "write `Distribution::Block`"]);
    let large = world.global_array::<u8, 1>([1 << 50], Distribution::Block).unwrap_err();
    let part = format!("of which each PE holds up to {}", (1_usize << 50) / world.n_pes());
    refused(large, &["the symmetric heap is exhausted", &format!("over {} PE", world.n_pes()), &part]);
    let endless = world.global_array::<u64, 2>([1 << 40, 1 << 40], Distribution::Block).unwrap_err();
    refused(endless, &["is too large: its elements take"]);
    let empty = world.zeros::<u64, 2>([0, usize::MAX]).unwrap_err();
    let says =
        "its elements take no bytes, and those along its other axes 147573952589676412920 bytes on each PE";
    refused(empty, &[says]);
    Ok(())
}

mod statics {
    use shmem::prelude::*;
    use shmem::{Error, GlobalStatic};

    #[symmetric(block)]
    pub(super) static LINE: [u64; 20] = [7; 20];
    #[symmetric(cyclic)]
    static SQUARES: [u64; 5] = [0, 1, 4, 9, 16];
    #[symmetric(block_cyclic(2 + 1))]
    static CELLS: [Atomic<u64>; 1 << 20] = [Atomic::new(0); 1 << 20];
    #[symmetric(block2d)]
    static GRID: [[u32; 4]; 3] = [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]];
    #[symmetric(block)]
    static ROWS: [[u32; 4]; 3] = [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]];
    #[symmetric(block_cyclic(2))]
    static CUBE: [[[u8; 2]; 2]; 5] =
        [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]], [[13, 14], [15, 16]], [[17, 18], [19, 20]]];
    #[symmetric(cyclic)]
    static PAIRS: [[i32; 2]; 6] = [[-1; 2]; 6];
    type Row = [u16; 4];
    #[symmetric(block2d)]
    static ALIASED: [Row; 5] = [[1, 2, 3, 4]; 5];
    #[symmetric]
    static HERE: u64 = 5;

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn initial_values_are_those_of_the_whole(_world: &World) {
        assert_eq!(remote!(LINE[@..]), [7; 20]);
        assert_eq!(remote!(SQUARES[@..]), [0, 1, 4, 9, 16]);
        assert_eq!(remote!(CELLS[@(1 << 20) - 4..]), [0; 4]);
        let rows = [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]];
        assert_eq!(remote!(GRID[@.., ..]), rows);
        assert_eq!(remote!(ROWS[@.., ..]), rows);
        let flat: Vec<u8> = remote!(CUBE[@.., .., ..]).into_iter().flatten().flatten().collect();
        assert_eq!(flat, (1..=20).collect::<Vec<u8>>());
        assert_eq!(remote!(PAIRS[@.., ..]), [[-1; 2]; 6]);
        assert_eq!(remote!(ALIASED[@.., ..]), [[1, 2, 3, 4]; 5]);
        assert_eq!(local!(HERE), 5);
    }

    #[shmem::test(npes = [1, 2, 3, 4, 7])]
    fn who_holds_what(world: &World) -> Result<(), Error> {
        let (me, n_pes) = (world.my_pe(), world.n_pes());
        assert_eq!((LINE.len(), LINE.extents(), LINE.is_empty()), (20, [20], false));
        assert_eq!(GRID.extents(), [3, 4]);
        assert_eq!(
            (CELLS.distribution(), GRID.distribution()),
            (Distribution::BlockCyclic(3), Distribution::Block2d)
        );
        // As the arrays that are allocated.
        let line = world.global_array::<u64, 1>([20], Distribution::Block)?;
        let cells = world.global_array::<u64, 1>([1 << 20], Distribution::BlockCyclic(3))?;
        let grid = world.global_array::<u32, 2>([3, 4], Distribution::Block2d)?;
        let pairs = world.global_array::<i32, 2>([6, 2], Distribution::Cyclic)?;
        for i in 0..20 {
            assert_eq!((LINE.owner(i), remote!(&LINE[@i]).pe()), (line.owner(i), line.owner(i)));
            assert_eq!(CELLS.owner(50_000 * i), cells.owner(50_000 * i));
            assert_eq!(remote!(&CELLS[@50_000 * i]).pe(), cells.owner(50_000 * i));
        }
        for i in 0..3 {
            for j in 0..4 {
                assert_eq!(
                    (GRID.owner([i, j]), remote!(&GRID[@i, j]).pe()),
                    (grid.owner([i, j]), grid.owner([i, j]))
                );
            }
        }
        assert_eq!(LINE.mine().collect::<Vec<_>>(), line.mine().collect::<Vec<_>>());
        assert_eq!(PAIRS.mine().collect::<Vec<_>>(), pairs.mine().collect::<Vec<_>>());
        for pe in 0..n_pes {
            assert_eq!(GRID.part_extents(pe), grid.part_extents(pe));
        }
        let sum = world.local_phase(|p| {
            for (i, x) in LINE.mine_mut(p) {
                *x = i as u64;
            }
            GRID.as_slice(p).iter().sum::<u32>()
        });
        assert_eq!(collective!(sum sum), 6 + 46 + 86);
        assert_eq!(remote!(LINE[@..]).to_vec(), (0..20).collect::<Vec<u64>>());
        world.local_phase(|p| PAIRS.as_mut_slice(p).fill(me as i32));
        assert_eq!(remote!(PAIRS[@5, 1]), PAIRS.owner([5, 1]) as i32);
        Ok(())
    }

    fn first<D: shmem::distribution::StaticDistribution>(array: &GlobalStatic<[u64; 20], D>) -> u64 {
        remote!((*array)[@0])
    }

    #[shmem::test(npes = [1, 2, 4])]
    fn accesses(world: &World) {
        let n = world.n_pes() as u64;
        for i in 0..1000 {
            remote!(CELLS[@i * 1000]) += 1;
        }
        remote!(CELLS[@7]) += 1;
        world.barrier_all();
        let (seven, thousand): (u64, u64) = (remote!(CELLS[@7]), remote!(CELLS[@1000]));
        assert_eq!((seven, thousand), (n, n));
        world.batch(|b| {
            for i in 0..100 {
                remote!(b; CELLS[@i * 1000 + 1]) += 2;
            }
        });
        world.barrier_all();
        assert_eq!(remote!(&CELLS[@99_001]).fetch_add(0), 2 * n);
        if world.my_pe() == 0 {
            remote!(LINE[@3]) = 1;
            remote!(LINE[@4..8]) = [2, 3, 4, 5];
            remote!(LINE[@[19, 18]]) = [6, 8];
            remote!(GRID[@1.., 1..3]) = [[1, 2], [3, 4]];
        }
        world.barrier_all();
        let three: [u64; 6] = remote!(LINE[@3..9]);
        assert_eq!(three, [1, 2, 3, 4, 5, 7]);
        assert_eq!(remote!(LINE[@..;-1])[..2], [6, 8]);
        assert_eq!(remote!(GRID[@.., 1]), [1, 1, 3]);
        assert_eq!(first(&LINE), 7);
        let list = vec![4, 3];
        assert_eq!(remote!(LINE[@list]), [2, 1]);
    }

    #[test]
    fn outside_of_a_job() {
        let of = |act: fn()| super::message(act);
        for text in [
            of(|| _ = remote!(LINE[@3])),
            of(|| remote!(GRID[@1, 1] = 3)),
            of(|| _ = remote!(SQUARES[@..])),
            of(|| _ = remote!(&CELLS[@7..])),
            of(|| _ = PAIRS.mine()),
            of(|| _ = SQUARES.owner(3)),
        ] {
            assert!(text.contains("outside of a job"), "{text}");
        }
    }

    #[shmem::test(npes = [2])]
    fn messages(_world: &World) {
        let twenty = LINE.len();
        let text = super::message(|| _ = remote!(LINE[@twenty]));
        for part in [
            "`LINE[@20]` is out of bounds: index 20 on axis 0, which has extent 20",
            "the array is `LINE: [u64; 20]` (",
            "global_written.rs:",
        ] {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
        assert!(format!("{LINE:?}").starts_with("global `LINE: [u64; 20]`"));
    }
}
