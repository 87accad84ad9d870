//! Selections that the compiler knows, and what composes with lists.

use shmem::Error;
use shmem::context::Shared;
use shmem::prelude::*;

#[symmetric]
static LINE: [u32; 10] = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90];
#[symmetric]
static ROW: [u32; 10] = [0; 10];
#[symmetric]
static GRID: [[u32; 4]; 3] = [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]];
#[symmetric]
static COPY: [[u32; 4]; 3] = [[0; 4]; 3];
#[symmetric]
static CELLS: [Atomic<u64>; 6] = [Atomic::new(0); 6];
#[symmetric]
static SLOTS: PerPe<[u16; 3]> = PerPe::new([0; 3]);
#[symmetric]
static BODIES: [Body; 5] = [Body { at: [0.0; 3], mass: 1.0 }; 5];
#[symmetric]
static MASSES: [f64; 5] = [0.0; 5];
#[symmetric]
static ARRIVED: Atomic<u64> = Atomic::new(0);

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    at: [f64; 3],
    mass: f64,
}

const LAST: usize = 9;

#[shmem::test(npes = [1, 2, 3])]
fn shapes(world: &World) {
    let pe = world.n_pes() - 1;
    // The length of a list that is written is constant, whatever its indices are.
    let four: [u32; 4] = remote!(LINE[pe, [2, 3, 5, 7]]);
    assert_eq!(four, [20, 30, 50, 70]);
    let i = world.n_pes();
    let two: [u32; 2] = remote!(LINE[pe, [i, LAST - 1]]);
    assert_eq!(two, [10 * i as u32, 80]);
    let none: [u32; 0] = remote!(LINE[pe, []]);
    assert_eq!(none, [0; 0]);
    let again: [u32; 3] = remote!(LINE[pe, @[1, 1, LAST]]);
    assert_eq!(again, [10, 10, 90]);
    // That of a list in a variable is its type's.
    let array = [4, 0, 4];
    let three: [u32; 3] = remote!(LINE[pe, @array]);
    let by_reference: [u32; 3] = remote!(LINE[pe, @&array]);
    assert_eq!([three, by_reference], [[40, 0, 40]; 2]);
    let list = vec![9, 8];
    let boxed: Box<[usize]> = list.clone().into();
    let slice = &list[1..];
    let by_vec: Vec<u32> = remote!(LINE[pe, @list]);
    assert_eq!(by_vec, [90, 80]);
    assert_eq!(remote!(LINE[pe, @&list]), [90, 80]);
    assert_eq!(remote!(LINE[pe, @boxed]), [90, 80]);
    assert_eq!(remote!(LINE[pe, @slice]), [80]);
    assert_eq!(remote!(LINE[pe, @list[..1]]), [90]);
    assert_eq!(remote!(LINE[pe, @world_list(world)]), [0, 10]);

    // An outer product, as of ranges. The shape has an axis for each list and each range.
    let corner: [[u32; 2]; 2] = remote!(GRID[pe, [0, 2], [3, 0]]);
    assert_eq!(corner, [[3, 0], [23, 20]]);
    let row: [u32; 2] = remote!(GRID[pe, 1, [3, 1]]);
    assert_eq!(row, [13, 11]);
    let column: [u32; 2] = remote!(GRID[pe, [2, 1], 0]);
    assert_eq!(column, [20, 10]);
    let rows: [[u32; 4]; 2] = remote!(GRID[pe, [2, 0], ..]);
    assert_eq!(rows, [[20, 21, 22, 23], [0, 1, 2, 3]]);
    let mixed: Vec<u32> = remote!(GRID[pe, @list[..0], ..]);
    assert_eq!(mixed, []);
    let mixed: Vec<u32> = remote!(GRID[pe, ..i.min(2), [1]]);
    assert_eq!(mixed.len(), i.min(2));
    // Values are returned where they are written: references to them too.
    let window = remote!(&LINE[pe, [0, LAST]]);
    assert_eq!((window.get(), window.len(), window.pe()), ([0, 90], 2, pe));
    assert_eq!(format!("{window:?}").split(" of ").next(), Some("2 elements"));
}

fn world_list(_: &World) -> Vec<usize> {
    vec![0, 1]
}

/// Of each length: words of 8 bytes are moved in groups, and by themselves where few are left.
#[shmem::test(npes = [2])]
fn words_that_descend(world: &World) -> Result<(), Error> {
    const N: usize = 40;
    let (from, to) = (world.zeros::<u64, 1>([N])?, world.zeros::<u64, 1>([N])?);
    let pe = 1 - world.my_pe();
    let all: Vec<u64> = (0..N as u64).map(|i| 100 * pe as u64 + i).collect();
    let mine: Vec<u64> = (0..N as u64).map(|i| 100 * world.my_pe() as u64 + i).collect();
    local!(from[..] = &mine[..]);
    world.barrier_all();
    for len in 0..N {
        let start = len % 3;
        let end = start + len.min(N - start);
        let expected: Vec<u64> = all[start..end].iter().rev().copied().collect();
        let mut found = vec![7; end - start];
        remote!(from[pe, start..end;-1] => &mut found[..]);
        assert_eq!(found, expected);
        assert_eq!(remote!(from[pe, start..end;-1]), expected);
        remote!(to[pe, ..] = 7);
        remote!(to[pe, start..end;-1] = &all[start..end]);
        let mut whole = vec![7; N];
        whole[start..end].copy_from_slice(&expected);
        assert_eq!(remote!(to[pe, ..]), whole);
    }
    Ok(())
}

#[shmem::test(npes = [1, 2])]
fn ranges_that_descend(world: &World) {
    let pe = world.n_pes() - 1;
    let all: [u32; 10] = remote!(LINE[pe, ..;-1]);
    assert_eq!(all, [90, 80, 70, 60, 50, 40, 30, 20, 10, 0]);
    let thirds: [u32; 4] = remote!(LINE[pe, ..;-3]);
    assert_eq!(thirds, [90, 60, 30, 0]);
    let part: [u32; 2] = remote!(LINE[pe, 2..=5;-2]);
    assert_eq!(part, [50, 30]);
    let rest: [u32; 2] = remote!(LINE[pe, 7..;-2]);
    assert_eq!(rest, [90, 70]);
    let none: [u32; 0] = remote!(LINE[pe, 4..4;-1]);
    assert_eq!(none, []);
    let (a, b, s) = (2, 6, 2);
    let some: Vec<u32> = remote!(LINE[pe, a..b;-s]);
    assert_eq!(some, [50, 30]);
    let turned: [[u32; 4]; 3] = remote!(GRID[pe, ..;-1, ..;-1]);
    assert_eq!(turned, [[23, 22, 21, 20], [13, 12, 11, 10], [3, 2, 1, 0]]);
    let down: [[u32; 2]; 2] = remote!(GRID[pe, 1..;-1, [0, 3]]);
    assert_eq!(down, [[20, 23], [10, 13]]);
    // A range in a variable takes a step as well.
    let range = 1..8;
    assert_eq!(remote!(LINE[pe, range]), [10, 20, 30, 40, 50, 60, 70]);
    assert_eq!(remote!(LINE[pe, range;3]), [10, 40, 70]);
    assert_eq!(remote!(LINE[pe, range;-3]), [70, 40, 10]);
    let through = ..=4;
    assert_eq!(remote!(LINE[pe, through;-4]), [40, 0]);
    let by_reference = &range;
    assert_eq!(remote!(LINE[pe, by_reference;4]), [10, 50]);
    assert_eq!(remote!(LINE[pe, by_reference]).len(), 7);
    const SPAN: std::ops::Range<usize> = 3..5;
    assert_eq!(remote!(LINE[pe, { SPAN }]), [30, 40]);
    world.barrier_all();
    remote!(ROW[pe, ..;-1] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    world.barrier_all();
    assert_eq!(remote!(ROW[pe, ..]), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
}

#[shmem::test(npes = [1, 2, 3])]
fn what_comes_twice(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();
    let list = [1, 5, 1, 2, 5, 5];
    remote!(ROW[right, @list]) = [1, 2, 3, 4, 5, 6];
    let cells = remote!(&CELLS[right, @list]);
    cells.put(&[1, 2, 3, 4, 5, 6]);
    world.barrier_all();
    assert_eq!(local!(ROW[..6]), [0, 3, 4, 0, 0, 6]);
    assert_eq!(local!(CELLS[..]), [0, 3, 4, 0, 0, 6]);
    assert_eq!(local!(CELLS[@list]), [3, 6, 3, 4, 6, 6]);
    world.barrier_all();
    remote!(COPY[right, [2, 0, 2], [1, 1]]) = [[1, 2], [3, 4], [5, 6]];
    world.barrier_all();
    assert_eq!(local!(COPY[.., ..]), [[0, 4, 0, 0], [0; 4], [0, 6, 0, 0]]);
}

#[shmem::test(npes = [1, 2, 3])]
fn what_lists_go_with(world: &World) -> Result<(), Error> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n_pes - 1) % n_pes, (me + 1) % n_pes);
    // Fields.
    remote!(BODIES[right, [4, 0]].mass) = [5.0, 6.0];
    remote!(BODIES[right, 1..4;-1].at) = [[me as f64; 3]; 3];
    world.barrier_all();
    assert_eq!(local!(BODIES[..].mass), [6.0, 1.0, 1.0, 1.0, 5.0]);
    assert_eq!(local!(BODIES[3].at), [left as f64; 3]);
    local!(MASSES[..;-1]) = local!(&BODIES[..].mass);
    assert_eq!(local!(MASSES[..]), [5.0, 1.0, 1.0, 1.0, 6.0]);
    // Slots of PEs, whose extent is known at run time.
    remote!(SLOTS[right, [0], [2, 1]]) = [[7, 8]];
    world.barrier_all();
    assert_eq!(local!(SLOTS[0, ..]), [0, 8, 7]);
    assert_eq!(local!(SLOTS[..;-1, 2]).last(), Some(&7));
    // Contexts, and scopes of them.
    let context = world.team().context(Shared)?;
    remote!(context; ROW[right, [3, 1]]) = [1, 2];
    context.quiet();
    world.sync_all();
    assert_eq!(local!(ROW[..5]), [0, 2, 0, 1, 0]);
    let (values, list) = ([5, 6, 7], [9, 7, 8]);
    let mut got = [0; 3];
    context.nbi(|scope| {
        scope.put(remote!(context; &ROW[right, @list]), &values);
        scope.get(remote!(context; &LINE[right, @list]), &mut got);
    });
    world.sync_all();
    assert_eq!((local!(ROW[7..]), got), ([6, 7, 5], [90, 70, 80]));
    // A signal, and a wait for some cells of an object.
    world.barrier_all();
    remote!(&ROW[right, [0, 4]]).put_signal([8, 9], remote!(&ARRIVED[right]), SignalOp::Add(1));
    wait!(ARRIVED == 1);
    assert_eq!(local!(ROW[[4, 0]]), [9, 8]);
    remote!(CELLS[right, [5, 2]]) = [1, 2];
    let awaited = [2, 5];
    wait!(all CELLS[@awaited] != 0);
    assert_eq!(poll!(any CELLS[@awaited] > 1), Some(0));
    assert_eq!(poll!(some CELLS[[0, 5, 2]] > 0), [1, 2]);
    assert_eq!(poll!(any CELLS[..;-1] == 2), Some(3));
    world.barrier_all();
    Ok(())
}

#[shmem::test(npes = [1, 2, 3])]
fn moves(world: &World) -> Result<(), Error> {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n_pes;
    let number = me as u32;
    local!(LINE[0]) = number;
    local!(GRID[1, ..]) = [number, 1, 2, 3];
    world.barrier_all();
    // Of the same shape, and of the same length.
    remote!(ROW[right, 2..]) = local!(&LINE[..8]);
    world.barrier_all();
    let left = (me + n_pes - 1) % n_pes;
    assert_eq!(local!(ROW[..]), [0, 0, left as u32, 10, 20, 30, 40, 50, 60, 70]);
    local!(COPY[.., ..]) = remote!(&GRID[right, .., ..;-1]);
    assert_eq!(local!(COPY[1, ..]), [3, 2, 1, right as u32]);
    remote!(COPY[me, .., 0] = remote!(&GRID[right, .., 3]));
    assert_eq!(local!(COPY[.., 0]), [3, 3, 23]);
    let n = 3;
    remote!(COPY[me, .., ..n] = local!(&LINE[..9]));
    assert_eq!(local!(COPY[2, ..]), [60, 70, 80, 20]);
    // One element moves to all places.
    local!(COPY[0, ..;-2]) = remote!(&LINE[right, 0]);
    assert_eq!(local!(COPY[0, ..]), [number, right as u32, 20, right as u32]);
    local!(COPY[1, 1]) = remote!(&LINE[right, 0]);
    assert_eq!(local!(COPY[1, 1]), right as u32);
    // Where the two overlap, what is read was there before.
    world.barrier_all();
    local!(ROW[1..] = local!(&ROW[..9]));
    assert_eq!(local!(ROW[..]), [0, 0, 0, left as u32, 10, 20, 30, 40, 50, 60]);
    local!(ROW[..9] = local!(&ROW[1..]));
    local!(ROW[..] = local!(&ROW[..;-1]));
    assert_eq!(local!(ROW[..4]), [60, 60, 50, 40]);
    let here = remote!(&ROW[right, [0, 1, 2]]);
    world.barrier_all();
    here.put(remote!(&ROW[right, [2, 0, 1]]));
    world.barrier_all();
    assert_eq!(local!(ROW[..3]), [50, 60, 60]);
    // Cells and plain elements hold the same values.
    world.barrier_all();
    let plain = world.array_from_fn::<u64, 1>([6], |[i]| 100 + i as u64)?;
    remote!(CELLS[right, ..] = local!(&plain[..;-1]));
    world.barrier_all();
    assert_eq!(local!(CELLS[..]), [105, 104, 103, 102, 101, 100]);
    local!(plain[..3] = remote!(&CELLS[right, 0..3]));
    assert_eq!(local!(plain[..]), [105, 104, 103, 103, 104, 105]);
    // In a scope, and with a signal.
    let from = local!(&LINE[4..6]);
    world.nbi(|scope| scope.put(remote!(&ROW[right, ..2]), &from));
    remote!(&ROW[right, 2..4]).put_signal(from, remote!(&ARRIVED[right]), SignalOp::Add(1));
    wait!(ARRIVED == 1);
    world.barrier_all();
    assert_eq!(local!(ROW[..4]), [40, 50, 40, 50]);
    world.barrier_all();
    Ok(())
}

/// More than goes through a buffer at once.
#[shmem::test(npes = [1, 2])]
fn large_moves(world: &World) -> Result<(), Error> {
    const LEN: usize = 100_003;
    let right = (world.my_pe() + 1) % world.n_pes();
    let array = world.array_from_fn::<u64, 1>([LEN], |[i]| i as u64)?;
    let other = world.zeros::<u64, 1>([LEN])?;
    let holds = |array: &SymmetricArray<u64, 1>, value: &dyn Fn(usize) -> usize| {
        let values: Vec<u64> = local!(array[..]);
        assert!(values.iter().enumerate().all(|(i, &found)| found == value(i) as u64));
        world.barrier_all();
    };
    world.barrier_all();
    remote!(other[right, ..;-1] = remote!(&array[right, ..]));
    world.barrier_all();
    holds(&other, &|i| LEN - 1 - i);
    remote!(other[right, ..;2] = remote!(&array[right, ..;2]));
    world.barrier_all();
    holds(&other, &|i| if i % 2 == 0 { i } else { LEN - 1 - i });
    // Upwards, downwards, and turned around in place.
    remote!(array[right, 3..] = remote!(&array[right, ..LEN - 3]));
    world.barrier_all();
    holds(&array, &|i| if i < 3 { i } else { i - 3 });
    remote!(array[right, ..LEN - 3] = remote!(&array[right, 3..]));
    world.barrier_all();
    holds(&array, &|i| if i < LEN - 3 { i } else { i - 3 });
    remote!(array[right, ..;-1] = remote!(&array[right, ..]));
    world.barrier_all();
    assert_eq!(local!(array[[LEN - 1, LEN - 2, 0]]), [0, 1, LEN as u64 - 4]);
    Ok(())
}
