//! What may be written, what may be read into, and what may stand before the bracket: every type of
//! the documentation.

use std::rc::Rc;
use std::sync::Arc;

use shmem::prelude::*;

#[symmetric]
static A: [u32; 8] = [0; 8];
#[symmetric]
static GRID: [[u16; 4]; 3] = [[0; 4]; 3];
#[symmetric]
static CUBE: [[[u8; 2]; 2]; 2] = [[[0; 2]; 2]; 2];
#[symmetric]
static HYPER: [[[[i8; 2]; 1]; 2]; 2] = [[[[0; 2]; 1]; 2]; 2];
#[symmetric]
static COUNT: Atomic<i64> = Atomic::new(0);
#[symmetric]
static PAIRS: [u64; 4] = [0; 4];

/// Every source of a constant and of a dynamic range. On PE 1, by PE 0.
#[shmem::test]
fn sources(world: &World) {
    if world.my_pe() != 0 {
        return;
    }
    let mut tick = 0;
    let mut next = || {
        tick += 4;
        [tick, tick + 1, tick + 2, tick + 3]
    };
    let (a, b) = (2, 6);
    macro_rules! each {
        ($($source:expr),* $(,)?) => {$(
            let expected = next();
            remote!(A[1, 2..6] = ($source)(expected));
            assert_eq!(remote!(A[1, ..]), [[0; 2].as_slice(), &expected, &[0; 2]].concat()[..], "constant: {}", stringify!($source));
            let expected = next();
            remote!(A[1, a..b] = ($source)(expected));
            assert_eq!(remote!(A[1, ..]), [[0; 2].as_slice(), &expected, &[0; 2]].concat()[..], "dynamic: {}", stringify!($source));
        )*};
    }
    each!(|x: [u32; 4]| x, |x: [u32; 4]| x.to_vec(), |x: [u32; 4]| Box::<[u32]>::from(x),);
    // References live as long as the statement.
    let expected = next();
    remote!(A[1, 2..6]) = &expected;
    assert_eq!(remote!(A[1, 2..6]), expected);
    let expected = next();
    remote!(A[1, a..b]) = &expected;
    assert_eq!(remote!(A[1, 2..6]), expected);
    let mut expected = next();
    remote!(A[1, 2..6]) = &expected[..];
    assert_eq!(remote!(A[1, 2..6]), expected);
    expected[3] = 99;
    remote!(A[1, a..b]) = &mut expected[..];
    assert_eq!(remote!(A[1, 2..6]), expected);
    let expected = next().to_vec();
    remote!(A[1, 2..6]) = &expected;
    assert_eq!(remote!(A[1, a..b]), expected);
    // The own copy as a source, and one place as the source of another.
    remote!(A[1, 0..2]) = remote!(A[1, 4..6]);
    assert_eq!(remote!(A[1, 0..2])[..], expected[2..]);
    remote!(A[1, 0..2]) = 7;
    assert_eq!(remote!(A[1, 0..3]), [7, 7, expected[0]]);
    remote!(A[1, a..b]) = 8;
    assert_eq!(remote!(A[1, ..]), [7, 7, 8, 8, 8, 8, 0, 0]);
    // No element: nothing happens, and nothing is needed.
    remote!(A[1, 3..3]) = [];
    remote!(A[1, 3..3]) = 9;
    remote!(A[1, a..a]) = vec![];
    remote!(A[1, a..a]) = 9;
    assert_eq!(remote!(A[1, ..]), [7, 7, 8, 8, 8, 8, 0, 0]);
    assert_eq!(remote!(A[1, 3..3]), []);
    assert_eq!(remote!(A[1, a..a]), vec![]);
}

/// Nested arrays, and flat slices, for blocks.
#[shmem::test]
fn sources_of_blocks(world: &World) {
    if world.my_pe() != 0 {
        return;
    }
    let n = 2;
    remote!(GRID[1, 0..2, 1..3]) = [[1, 2], [3, 4]];
    remote!(GRID[1, 2, ..]) = [5, 6, 7, 8];
    assert_eq!(remote!(GRID[1, .., ..]), [[0, 1, 2, 0], [0, 3, 4, 0], [5, 6, 7, 8]]);
    remote!(GRID[1, 0..n, 1..3]) = [[11, 12], [13, 14]];
    assert_eq!(remote!(GRID[1, 0..n, 1..3]), [11, 12, 13, 14]);
    remote!(GRID[1, 0..n, 1..3]) = &[[21, 22], [23, 24]];
    assert_eq!(remote!(GRID[1, 0..2, 1..3]), [[21, 22], [23, 24]]);
    remote!(GRID[1, 0..2, 1..3]) = &[31, 32, 33, 34][..];
    assert_eq!(remote!(GRID[1, 0..2, 1..3]), [[31, 32], [33, 34]]);
    remote!(GRID[1, 0..2, 1..3]) = vec![41, 42, 43, 44];
    assert_eq!(remote!(GRID[1, 0..2, 1..3]), [[41, 42], [43, 44]]);
    remote!(CUBE[1, .., .., 1]) = [[1, 2], [3, 4]];
    assert_eq!(remote!(CUBE[1, .., .., ..]), [[[0, 1], [0, 2]], [[0, 3], [0, 4]]]);
    let hyper = [[[[1, 2]], [[3, 4]]], [[[5, 6]], [[7, 8]]]];
    remote!(HYPER[1, .., .., .., ..]) = &hyper;
    assert_eq!(remote!(HYPER[1, .., .., .., ..]), hyper);
    remote!(HYPER[1, 0..n, .., .., ..]) = hyper.map(|a| a.map(|b| b.map(|c| c.map(|d| -d))));
    assert_eq!(remote!(HYPER[1, 1, .., 0, n - 1]), [-6, -8]);
}

/// Every buffer of a constant and of a dynamic range.
#[shmem::test]
fn buffers(world: &World) {
    local!(A[..]) = [10, 11, 12, 13, 14, 15, 16, 17];
    local!(GRID[.., ..]) = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
    world.barrier_all();
    let pe = 1 - world.my_pe();
    let (a, b) = (1, 5);
    let mut one = 0;
    remote!(A[pe, 3] => &mut one);
    assert_eq!(one, 13);
    let mut array = [0; 4];
    remote!(A[pe, 1..5] => &mut array);
    assert_eq!(array, [11, 12, 13, 14]);
    let mut array = [0; 4];
    remote!(A[pe, a..b] => &mut array);
    assert_eq!(array, [11, 12, 13, 14]);
    let mut long = [0; 9];
    remote!(A[pe, 1..5] => &mut long[2..6]);
    remote!(A[pe, a..b] => &mut long[5..]);
    assert_eq!(long, [0, 0, 11, 12, 13, 11, 12, 13, 14]);
    let mut vector = vec![0; 4];
    remote!(A[pe, 1..5] => &mut vector);
    assert_eq!(vector, [11, 12, 13, 14]);
    let mut boxed: Box<[u32]> = vec![0; 4].into();
    remote!(A[pe, a..b] => &mut boxed);
    assert_eq!(boxed[..], [11, 12, 13, 14]);
    let mut block = [[0; 2]; 3];
    remote!(GRID[pe, .., 0..4;2] => &mut block);
    assert_eq!(block, [[1, 3], [5, 7], [9, 11]]);
    let mut flat = [0; 6];
    remote!(GRID[pe, .., 0..4;2] => &mut flat[..]);
    assert_eq!(flat, [1, 3, 5, 7, 9, 11]);
    let n = 3;
    let mut block = [[0; 2]; 3];
    remote!(GRID[pe, 0..n, 0..n] => &mut [0; 9]);
    remote!(GRID[pe, 0..n, 1..n] => block.as_flattened_mut());
    assert_eq!(block, [[2, 3], [6, 7], [10, 11]]);
}

/// What stands before the bracket: a static, a path to one, a field, a pointer, an expression in
/// parentheses.
#[shmem::test]
fn objects(world: &World) -> Result<(), shmem::Error> {
    mod other {
        use super::*;
        pub(super) mod deeper {
            use super::*;
            #[symmetric]
            pub(in super::super) static A: [u32; 2] = [5, 6];
        }
    }
    use other::deeper::A as RENAMED;
    struct Holder {
        grid: SymmetricArray<f64, 2>,
        pair: (usize, Box<SymmetricArray<u8, 1>>),
    }
    let pe = (world.my_pe() + 1) % world.n_pes();
    assert_eq!(remote!(other::deeper::A[pe, ..]), [5, 6]);
    assert_eq!(remote!(RENAMED[pe, 1]), 6);
    assert_eq!(remote!(A[pe, 0]), 0);

    let holder = Holder {
        grid: world.symmetric_array([2, 3], 1.5)?,
        pair: (0, Box::new(world.symmetric_array([4], 7)?)),
    };
    assert_eq!(remote!(holder.grid[pe, 1, ..]), [1.5; 3]);
    assert_eq!(remote!(holder.pair.1[pe, 0..2]), [7, 7]);
    remote!(holder.grid[pe, 0..2, 2]) = [1.0, 2.0];
    let shared = Rc::new(world.symmetric_array::<i16, 1>([3], 0)?);
    let threads = Arc::new(world.symmetric_array::<i16, 1>([3], 1)?);
    let list = [world.symmetric_array::<i16, 1>([3], 2)?, world.symmetric_array([3], 3)?];
    let k = 1;
    remote!(shared[pe, 0]) = 4;
    remote!((list[k])[pe, 1]) = 5;
    world.barrier_all();
    assert_eq!(local!(holder.grid[.., 2]), [1.0, 2.0]);
    assert_eq!(local!(shared[..]), [4, 0, 0]);
    assert_eq!(local!((&threads)[..]), [1, 1, 1]);
    assert_eq!(local!((list[k])[0..3]), [3, 5, 3]);
    assert_eq!(local!((list[k - 1])[0..3]), [2, 2, 2]);
    // From a thread of this PE.
    let from_thread = std::thread::spawn(move || remote!(threads[pe, 2])).join();
    assert_eq!(from_thread.ok(), Some(1));
    Ok(())
}

/// A value is worked out once, before the place; the parts of the place once, from left to right.
#[shmem::test(npes = 1)]
fn evaluation_order() {
    let mut log = Vec::new();
    let mut say = |text, number: usize| {
        log.push(text);
        number
    };
    remote!(A[say("pe", 0), say("start", 1)..say("end", 7);say("step", 2)]) = say("value", 3) as u32;
    remote!(COUNT[say("pe", 0)]) += say("value", 4) as i64;
    let _ = remote!(&GRID[say("pe", 0), say("row", 1), say("column", 2)]);
    assert_eq!(log, ["value", "pe", "start", "end", "step", "value", "pe", "pe", "row", "column"]);
    assert_eq!(local!(A[..]), [0, 3, 0, 3, 0, 3, 0, 0]);
    assert_eq!(local!(COUNT), 4);
}

/// The outer form works in all positions of a block, and is rewritten at any depth.
#[shmem::test(npes = [1, 2])]
fn outer_assignments(world: &World) {
    let pe = (world.my_pe() + 1) % world.n_pes();
    for i in 0..4 {
        if i % 2 == 0 {
            remote!(PAIRS[pe, i]) = i as u64;
        } else {
            match i {
                1 => remote!(PAIRS[pe, i]) = 10,
                _ => remote!(PAIRS[pe, i]) = 30,
            }
        }
    }
    let add = |by: i64| remote!(COUNT[pe]) += by;
    add(2);
    add(3);
    {
        remote!(COUNT[pe]) -= 1
    }
    let unit: () = remote!(COUNT[pe]) |= 16;
    assert_eq!(unit, ());
    world.barrier_all();
    assert_eq!(local!(PAIRS[..]), [0, 10, 2, 30]);
    assert_eq!(local!(COUNT), 20);
    local!(COUNT) ^= 4;
    local!(COUNT) &= 17;
    assert_eq!(local!(COUNT), 16);
}

/// A static of no elements, and one whose axis has none.
#[shmem::test(npes = [1, 3])]
fn empty_objects(world: &World) {
    #[symmetric]
    static NOTHING: [u64; 0] = [];
    #[symmetric]
    static ROWS: [[u8; 0]; 3] = [[]; 3];
    let pe = (world.my_pe() + 1) % world.n_pes();
    remote!(NOTHING[pe, ..]) = [];
    remote!(NOTHING[pe, 0..0]) = 5;
    assert_eq!(remote!(NOTHING[pe, ..]), []);
    remote!(ROWS[pe, .., ..]) = 1;
    assert_eq!(remote!(ROWS[pe, .., ..]), [[], [], []]);
    assert_eq!(remote!(ROWS[pe, 2, ..]), []);
    assert!(remote!(&ROWS[pe, 0..3, 0..0]).is_empty());
    let n = 0;
    assert_eq!(remote!(NOTHING[pe, n..n]), vec![]);
}
