//! Batches against a plain model. Every PE draws from seeds that all know, and so knows what each PE
//! does.

use shmem::prelude::*;

use crate::generator::Random;

const LEN: usize = 97;

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Body {
    mass: f64,
    place: [f32; 2],
}

#[symmetric]
static SUMS: [Atomic<u64>; LEN] = [Atomic::new(0); LEN];
#[symmetric]
static SMALL_SUMS: [Atomic<i32>; LEN] = [Atomic::new(0); LEN];
#[symmetric]
static PARITIES: [Atomic<u32>; LEN] = [Atomic::new(0); LEN];
#[symmetric]
static WIDE_PARITIES: [Atomic<u64>; LEN] = [Atomic::new(0); LEN];
#[symmetric]
static MASKS: [Atomic<u64>; LEN] = [Atomic::new(u64::MAX); LEN];
#[symmetric]
static SMALL_MASKS: [Atomic<u32>; LEN] = [Atomic::new(u32::MAX); LEN];
#[symmetric]
static SETS: [Atomic<u32>; LEN] = [Atomic::new(0); LEN];
#[symmetric]
static WIDE_SETS: [Atomic<i64>; LEN] = [Atomic::new(0); LEN];

/// The cells of this PE, as `SUMS` and so on.
#[derive(Debug, PartialEq)]
struct Cells {
    sums: Vec<u64>,
    small_sums: Vec<i32>,
    parities: Vec<u32>,
    wide_parities: Vec<u64>,
    masks: Vec<u64>,
    small_masks: Vec<u32>,
    sets: Vec<u32>,
    wide_sets: Vec<i64>,
}

impl Cells {
    fn new() -> Cells {
        Cells {
            sums: vec![0; LEN],
            small_sums: vec![0; LEN],
            parities: vec![0; LEN],
            wide_parities: vec![0; LEN],
            masks: vec![u64::MAX; LEN],
            small_masks: vec![u32::MAX; LEN],
            sets: vec![0; LEN],
            wide_sets: vec![0; LEN],
        }
    }

    fn here() -> Cells {
        Cells {
            sums: local!(SUMS[..]).to_vec(),
            small_sums: local!(SMALL_SUMS[..]).to_vec(),
            parities: local!(PARITIES[..]).to_vec(),
            wide_parities: local!(WIDE_PARITIES[..]).to_vec(),
            masks: local!(MASKS[..]).to_vec(),
            small_masks: local!(SMALL_MASKS[..]).to_vec(),
            sets: local!(SETS[..]).to_vec(),
            wide_sets: local!(WIDE_SETS[..]).to_vec(),
        }
    }
}

/// One update that PE `from` of `n` draws: its kind, its PE, its cell, and its value.
fn draw(random: &mut Random, from: usize, n: usize) -> (usize, usize, usize, u64) {
    let (kind, pe) = (random.below(8), random.below(n));
    let value = (random.below(1 << 31) as u64) << 31 ^ random.below(1 << 31) as u64;
    match kind {
        // Of two writes to one cell, either may be the last one: each PE has cells of its own, and all
        // that it writes there is alike.
        6 | 7 => {
            let cell = random.below(LEN / n) * n + from;
            (kind, pe, cell, (cell * 1000 + from) as u64)
        }
        _ => (kind, pe, random.below(LEN), value),
    }
}

/// Every kind of update, by every PE on every PE: some operations, and more than fit any buffer.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn updates(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let mut model = Cells::new();
    for (round, count) in [0, 1, 40, 3000].into_iter().enumerate() {
        let seed = |pe: usize| Random((round * 100 + pe) as u64);
        // PE 0 has far fewer, and is at the end long before the others.
        let count_of = |pe: usize| if pe == 0 { count / 10 } else { count };
        world.batch(|b| {
            let mut random = seed(me);
            for _ in 0..count_of(me) {
                let (kind, pe, cell, value) = draw(&mut random, me, n);
                match kind {
                    0 => remote!(b; SUMS[pe, cell]) += value,
                    1 => remote!(b; SMALL_SUMS[pe, cell]) -= value as i32,
                    2 => remote!(b; PARITIES[pe, cell]) ^= value as u32,
                    3 => remote!(b; WIDE_PARITIES[pe, cell]) ^= value,
                    4 => remote!(b; MASKS[pe, cell]) &= value | value >> 7,
                    5 => remote!(b; SMALL_MASKS[pe, cell]) |= value as u32 & 0xff,
                    6 => remote!(b; SETS[pe, cell]) = value as u32,
                    _ => remote!(b; WIDE_SETS[pe, cell]) = -(value as i64),
                }
            }
        });
        // All operations of all PEs are complete: no barrier is needed.
        let here = Cells::here();
        for from in 0..n {
            let mut random = seed(from);
            for _ in 0..count_of(from) {
                let (kind, pe, cell, value) = draw(&mut random, from, n);
                if pe != me {
                    continue;
                }
                match kind {
                    0 => model.sums[cell] = model.sums[cell].wrapping_add(value),
                    1 => model.small_sums[cell] = model.small_sums[cell].wrapping_sub(value as i32),
                    2 => model.parities[cell] ^= value as u32,
                    3 => model.wide_parities[cell] ^= value,
                    4 => model.masks[cell] &= value | value >> 7,
                    5 => model.small_masks[cell] |= value as u32 & 0xff,
                    6 => model.sets[cell] = value as u32,
                    _ => model.wide_sets[cell] = -(value as i64),
                }
            }
        }
        assert_eq!(here, model, "round {round}");
        world.barrier_all();
    }
}

/// An element of an array that says where it is.
trait Marked: Symmetric + PartialEq + std::fmt::Debug {
    fn mark(number: usize) -> Self;
}

macro_rules! marked {
    ($($item:ty, $number:ident => $value:expr;)*) => {$(
        impl Marked for $item {
            fn mark($number: usize) -> $item {
                $value
            }
        }
    )*};
}

marked! {
    u8, n => n as u8;
    u16, n => n as u16;
    u32, n => n as u32;
    f64, n => n as f64;
    u128, n => (n as u128) << 64 | 7;
    [u16; 3], n => [n as u16, 5, (n >> 16) as u16];
    [u8; 70], n => [n as u8; 70];
    [u64; 60], n => [n as u64; 60];
    Body, n => Body { mass: n as f64, place: [n as f32, 0.5] };
}

/// Writes and reads of elements of type `T`: each PE writes places of its own on all PEs, and reads
/// what the PE before it wrote.
fn elements<T: Marked>(world: &World) {
    const EACH: usize = 61;
    let (me, n) = (world.my_pe(), world.n_pes());
    let array = world.symmetric_array::<T, 1>([EACH * n], T::mark(0)).unwrap();
    let number = |from: usize, to: usize, i: usize| from * 1000 + to * 100 + i;
    let seed = Random(size_of::<T>() as u64);
    // All places of all PEs in an order that looks random.
    let order = || {
        let mut random = Random(seed.0);
        let mut places: Vec<_> = (0..n).flat_map(|pe| (0..EACH).map(move |i| (pe, i))).collect();
        for i in (1..places.len()).rev() {
            places.swap(i, random.below(i + 1));
        }
        places
    };
    world.batch(|b| {
        for (pe, i) in order() {
            remote!(b; array[pe, i * n + me] = T::mark(number(me, pe, i)));
        }
    });
    for (at, value) in local!(array[..]).into_iter().enumerate() {
        assert_eq!(value, T::mark(number(at % n, me, at / n)));
    }
    let mut read: Vec<_> = order().into_iter().map(|place| (place, T::mark(9))).collect();
    let from = (me + n - 1) % n;
    world.batch(|b| {
        for ((pe, i), value) in &mut read {
            remote!(b; array[*pe, *i * n + from] => value);
        }
    });
    for ((pe, i), value) in read {
        assert_eq!(value, T::mark(number(from, pe, i)));
    }
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn elements_of_every_size(world: &World) {
    elements::<u8>(world);
    elements::<u16>(world);
    elements::<u32>(world);
    elements::<f64>(world);
    elements::<u128>(world);
    elements::<[u16; 3]>(world);
    elements::<[u8; 70]>(world);
    elements::<[u64; 60]>(world);
    elements::<Body>(world);
}

#[symmetric]
static BODIES: [Body; 6] = [Body { mass: 1.0, place: [0.0; 2] }; 6];
#[symmetric]
static GRID: [[u32; 4]; 3] = [[1; 4]; 3];
#[symmetric]
static NOTE: u16 = 3;
#[symmetric]
static REALS: [Atomic<f64>; 3] = [Atomic::new(0.0); 3];
#[symmetric]
static BYTES: [Atomic<u8>; 9] = [Atomic::new(0); 9];

/// Cells, fields, scalars, and selections of several elements.
#[shmem::test(npes = [1, 2, 3])]
fn other_places(world: &World) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let right = (me + 1) % n;
    world.batch(|b| {
        remote!(b; BODIES[right, 2].mass) = me as f64;
        remote!(b; BODIES[right, 3..5].mass) = [7.0, 8.0];
        remote!(b; GRID[right, 1..3, 2]) = [5, 6];
        remote!(b; GRID[right, 0, ..]) = 9;
        remote!(b; GRID[right, 2, 3]) = 4;
        remote!(b; NOTE[right]) = 11;
        remote!(b; SUMS[right, 3]) += 4;
    });
    let left = (me + n - 1) % n;
    assert_eq!(local!(BODIES[..].mass), [1.0, 1.0, left as f64, 7.0, 8.0, 1.0]);
    assert_eq!(local!(GRID[.., ..]), [[9; 4], [1, 1, 5, 1], [1, 1, 6, 4]]);
    assert_eq!(local!(NOTE), 11);

    let (mut mass, mut sum, mut note) = (0.0, 0, 0);
    let (mut row, mut column, mut list) = ([0; 4], vec![0; 3], [0; 2]);
    let value = world.batch(|b| {
        remote!(b; BODIES[right, 2].mass => &mut mass);
        remote!(b; SUMS[right, 3] => &mut sum);
        remote!(b; NOTE[right] => &mut note);
        remote!(b; GRID[right, 2, ..] => &mut row);
        remote!(b; GRID[right, .., 2] => &mut column);
        remote!(b; GRID[right, 1, [2, 0]] => &mut list);
        17
    });
    assert_eq!((value, mass, sum, note), (17, me as f64, 4, 11));
    assert_eq!((row, column, list), ([1, 1, 6, 4], vec![9, 5, 6], [5, 1]));
}

/// Cells that no processor updates in one operation, or no library.
#[shmem::test(npes = [1, 2, 3])]
fn floats_and_small_cells(world: &World) {
    let n = world.n_pes();
    world.batch(|b| {
        for i in 0..300 {
            remote!(b; REALS[i % n, i % 3]) += 0.5;
            remote!(b; BYTES[i % n, i % 9]) -= 1;
            remote!(b; BYTES[i % n, 8]) ^= 1;
        }
    });
    let (mut reals, mut bytes) = (0.0, 0_u64);
    for pe in 0..n {
        reals += remote!(REALS[pe, ..]).iter().sum::<f64>();
        bytes += remote!(BYTES[pe, ..8]).iter().map(|&byte| u64::from(byte.wrapping_neg())).sum::<u64>();
    }
    assert_eq!(reals, 150.0 * n as f64);
    // 8 of 9 updates subtract 1 from these bytes; on 1 PE none of them wraps around.
    let updates = (0..300).filter(|i| i % 9 < 8).count() * n;
    assert_eq!(bytes, updates as u64);
}

/// Batches of teams whose PEs have other numbers, also one in the other: updates of few cells and of
/// many, and elements that are read many times.
#[shmem::test(npes = [2, 3, 4, 7])]
fn teams(world: &World) {
    const MANY: usize = 9000;
    let n = world.n_pes();
    let cells = world.zeros::<Atomic<u64>, 1>([MANY]).unwrap();
    let marks = world.zeros::<u32, 1>([MANY]).unwrap();
    let whole = world.team().split_strided(n - 1, -1, n).unwrap().expect("all are members");
    let halves = [world.team().split_strided(0, 2, n.div_ceil(2)), world.team().split_strided(1, 2, n / 2)];
    let half = halves.into_iter().find_map(|half| half.unwrap()).expect("each is in one");
    let (rank, size) = (half.my_pe(), half.n_pes());
    let mut random = Random(world.my_pe() as u64 + 70);
    let (mut seen, mut few) = (vec![0; MANY], vec![0; 5 * MANY]);
    whole.batch(|outer| {
        half.batch(|inner| {
            for i in 0..MANY {
                remote!(inner; marks[(rank + 1) % size, i]) = (rank * MANY + i) as u32;
                remote!(inner; cells[random.below(size), i]) += 1;
                remote!(outer; cells[random.below(n), random.below(5)]) += 1 << 32;
            }
        });
        // The inner one has ended.
        for (i, place) in seen.iter_mut().enumerate() {
            remote!(outer; marks[n - 1 - half.world_pe(rank), i] => place);
        }
        for place in &mut few {
            let (pe, i) = (random.below(size), random.below(100));
            *place = (pe * 100 + i) as u32;
        }
    });
    let left = (rank + size - 1) % size;
    assert!(seen.iter().enumerate().all(|(i, &mark)| mark as usize == left * MANY + i));
    let asked: Vec<u32> = few.clone();
    half.batch(|b| {
        for place in &mut few {
            let (pe, i) = (*place as usize / 100, *place as usize % 100);
            remote!(b; marks[pe, i] => place);
        }
    });
    for (asked, mark) in asked.into_iter().zip(few) {
        let (pe, i) = (asked as usize / 100, asked as usize % 100);
        assert_eq!(mark as usize, (pe + size - 1) % size * MANY + i);
    }
    let held = local!(cells[..]);
    let inner: u64 = held.iter().map(|cell| cell & 0xffff_ffff).sum();
    let outer: u64 = held.iter().map(|cell| cell >> 32).sum();
    assert_eq!(collective!(sum inner; on half), (MANY * size) as u64);
    assert_eq!(collective!(sum outer), (MANY * n) as u64);
}

/// PE 0 makes no call for longer than others wait for it. They do what they have sent themselves.
#[shmem::test(npes = [2, 3])]
fn a_receiver_that_computes(world: &World) {
    const MANY: usize = 20_000;
    let (me, n) = (world.my_pe(), world.n_pes());
    let cells = world.zeros::<Atomic<u64>, 1>([MANY]).unwrap();
    let data = world.array_from_fn([MANY], |[i]| i as u32 + 1).unwrap();
    let mut seen = vec![0; 2 * MANY];
    world.batch(|b| {
        if me == 0 {
            std::thread::sleep(std::time::Duration::from_millis(80));
        }
        for (i, place) in seen.iter_mut().enumerate() {
            remote!(b; cells[0, i % MANY]) += 1;
            remote!(b; data[0, i % MANY % 7000] => place);
        }
    });
    assert!(seen.iter().enumerate().all(|(i, &value)| value as usize == i % MANY % 7000 + 1));
    if me == 0 {
        assert_eq!(local!(cells[..]), vec![2 * n as u64; MANY]);
    }
    world.barrier_all();
}

/// Elements of global arrays, by their indices in the whole.
#[shmem::test(npes = [1, 2, 3])]
fn global_arrays(world: &World) {
    const WHOLE: usize = 101;
    let n = world.n_pes();
    let counts = world.global_array::<Atomic<u64>, 1>([WHOLE], Distribution::Cyclic).unwrap();
    let marks = world.global_array::<u32, 1>([WHOLE], Distribution::Block).unwrap();
    world.batch(|b| {
        for i in 0..10 * WHOLE {
            remote!(b; counts[@i * 7 % WHOLE]) += 1;
        }
        if world.my_pe() == 0 {
            for i in 0..WHOLE {
                remote!(b; marks[@i]) = i as u32 + 5;
            }
        }
    });
    let mut found = vec![(0, 0); WHOLE];
    world.batch(|b| {
        for (i, (count, mark)) in found.iter_mut().enumerate() {
            remote!(b; counts[@i] => count);
            remote!(b; marks[@i] => mark);
        }
    });
    let all: Vec<_> = (0..WHOLE).map(|i| (10 * n as u64, i as u32 + 5)).collect();
    assert_eq!(found, all);
}

/// An update of a batch is atomic with regard to updates outside of it, also those that return the old
/// value: no two of these get the same one.
#[shmem::test(npes = [2, 4])]
fn beside_direct_updates(world: &World) {
    const EACH: usize = 2000;
    let (me, n) = (world.my_pe(), world.n_pes());
    let mut drawn = Vec::new();
    world.batch(|b| {
        for i in 0..EACH {
            if me % 2 == 0 {
                remote!(b; WIDE_SETS[i % n, 0]) += 1 << 32;
                remote!(b; SMALL_SUMS[i % n, 0]) += 1;
            } else {
                drawn.push(remote!(&WIDE_SETS[0, 0]).fetch_add(1) as u32);
                remote!(SMALL_SUMS[i % n, 0]) += 1;
            }
        }
    });
    let [in_batches, outside] = [n.div_ceil(2), n / 2].map(|pes| (pes * EACH) as i64);
    let all = remote!(WIDE_SETS[0, 0]);
    assert_eq!((all >> 32, all & 0xffff_ffff), (in_batches / n as i64, outside));
    assert_eq!(local!(SMALL_SUMS[0]), EACH as i32);
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn.len(), if me % 2 == 0 { 0 } else { EACH });
}
