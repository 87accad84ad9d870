//! The constructors of arrays, their options, and resizing: each against a plain model.

use std::fmt::Debug;

use shmem::prelude::*;
use shmem::{Error, HasOne, Hint, Item};

/// The PE after this one.
fn right(world: &World) -> usize {
    (world.my_pe() + 1) % world.n_pes()
}

/// What this PE and its neighbour hold.
fn both<T: Symmetric>(world: &World, array: &SymmetricArray<T, 1>) -> [Vec<T>; 2] {
    [local!(array[..]), remote!(array[right(world), ..])]
}

/// Uses the whole heap once, so that what is allocated next finds anything but zeros.
fn soil(world: &World) -> Result<(), Error> {
    let bytes = world.heap_free() * 3 / 4;
    world.symmetric_array::<u8, 1>([bytes], 0xa5)?.free()
}

fn zeros_of<T: Symmetric + PartialEq + Debug>(world: &World, zero: T) -> Result<(), Error> {
    for len in [0, 1, 7, 1000] {
        let array = world.zeros::<T, 1>([len])?;
        assert_eq!(both(world, &array), [vec![zero; len], vec![zero; len]]);
        // One PE soils the copy of another only when that one has looked.
        world.barrier_all();
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Body {
    position: [f64; 3],
    number: [u32; 2],
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn zeros_of_every_kind(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    for _ in 0..2 {
        zeros_of(world, 0_u8)?;
        zeros_of(world, 0_i16)?;
        zeros_of(world, 0_u32)?;
        zeros_of(world, 0.0_f64)?;
        zeros_of(world, 0_u128)?;
        zeros_of(world, [0_i16; 5])?;
        zeros_of(world, Body { position: [0.0; 3], number: [0; 2] })?;
        soil(world)?;
    }
    let cells = world.zeros::<Atomic<f32>, 2>([3, 50])?;
    assert_eq!(remote!(cells[right(world), .., ..]), [0.0; 150]);
    cells.free()?;
    let grid = world.zeros::<u64, 4>([2, 3, 4, 5])?;
    assert_eq!((grid.extents(), grid.len()), ([2, 3, 4, 5], 120));
    assert_eq!(remote!(grid[right(world), .., .., .., ..]), [0; 120]);
    grid.free()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn ones_of_every_kind(world: &World) -> Result<(), Error> {
    fn ones_of<T: Symmetric + HasOne + PartialEq + Debug>(world: &World, one: T) -> Result<(), Error> {
        for len in [0, 1, 7, 1000] {
            let array = world.ones::<T, 1>([len])?;
            assert_eq!(both(world, &array), [vec![one; len], vec![one; len]]);
        }
        Ok(())
    }
    fn cells_of<T: shmem::AtomicValue + HasOne + PartialEq + Debug>(
        world: &World,
        one: T,
    ) -> Result<(), Error> {
        let cells = world.ones::<Atomic<T>, 2>([3, 5])?;
        assert_eq!(remote!(cells[right(world), .., ..]), [one; 15]);
        Ok(())
    }
    ones_of(world, 1_u8)?;
    ones_of(world, 1_u16)?;
    ones_of(world, 1_u32)?;
    ones_of(world, 1_u64)?;
    ones_of(world, 1_u128)?;
    ones_of(world, 1_usize)?;
    ones_of(world, 1_i8)?;
    ones_of(world, 1_i16)?;
    ones_of(world, 1_i32)?;
    ones_of(world, 1_i64)?;
    ones_of(world, 1_i128)?;
    ones_of(world, 1_isize)?;
    ones_of(world, 1.0_f32)?;
    ones_of(world, 1.0_f64)?;
    cells_of(world, 1_i32)?;
    cells_of(world, 1_i64)?;
    cells_of(world, 1_isize)?;
    cells_of(world, 1_u32)?;
    cells_of(world, 1_u64)?;
    cells_of(world, 1_usize)?;
    cells_of(world, 1.0_f32)?;
    cells_of(world, 1.0_f64)?;
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "2M")]
fn a_slice_is_each_pe_s_own(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    for len in [0, 1, 2, 63, 1000, 40_000] {
        let of = |pe: usize| -> Vec<u32> { (0..len).map(|i| (i * 31 + pe * 7 + 1) as u32).collect() };
        let array = world.array_from_slice(&of(world.my_pe()))?;
        assert_eq!((array.extents(), array.is_empty()), ([len], len == 0));
        for pe in 0..world.n_pes() {
            assert_eq!(remote!(array[pe, ..]), of(pe));
        }
    }
    let bodies: Vec<Body> =
        (0..9_u32).map(|i| Body { position: [f64::from(i); 3], number: [i, world.my_pe() as u32] }).collect();
    let array = world.array_from_slice(&bodies)?;
    let theirs = right(world) as u32;
    assert_eq!(remote!(array[right(world), ..].number), (0..9).map(|i| [i, theirs]).collect::<Vec<_>>());
    // A literal, and another that starts with zeros.
    let literal = world.array_from_slice(&[0.0, 2.5])?;
    assert_eq!(both(world, &literal), [[0.0, 2.5], [0.0, 2.5]]);
    let cells = world.array_from_slice(&[Atomic::new(-1_i32), Atomic::new(right(world) as i32)])?;
    assert_eq!(local!(cells[..]), [-1, right(world) as i32]);
    array.free()?;
    literal.free()?;
    cells.free()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// All indices of a shape, in row-major order.
fn indices<const R: usize>(extents: [usize; R]) -> Vec<[usize; R]> {
    (0..extents.iter().product())
        .map(|mut number: usize| {
            let mut index = [0; R];
            for axis in (0..R).rev() {
                index[axis] = number % extents[axis];
                number /= extents[axis];
            }
            index
        })
        .collect()
}

/// A value that says whose it is and where it stands.
fn value<const R: usize>(pe: usize, index: [usize; R]) -> u64 {
    index.iter().fold(pe as u64 + 1, |value, &at| value * 1009 + at as u64)
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "2M")]
fn a_function_of_the_index(world: &World) -> Result<(), Error> {
    macro_rules! rank {
        ($($dots:tt)*) => {{
            let mut called = Vec::new();
            let me = world.my_pe();
            let extents = [$($dots)*];
            let array = world.array_from_fn(extents, |index| {
                called.push(index);
                value(me, index)
            })?;
            assert_eq!(called, indices(extents));
            (array, called)
        }};
    }
    macro_rules! check {
        ($array:ident, $called:ident, $($all:tt)*) => {
            for pe in 0..world.n_pes() {
                let expected: Vec<u64> = $called.iter().map(|&index| value(pe, index)).collect();
                assert_eq!(remote!($array[pe, $($all)*]), expected);
            }
        };
    }
    let before = world.heap_free();
    for _ in 0..2 {
        // More than is moved at a time, and not a multiple of it.
        let (line, line_called) = rank!(20_001);
        let (grid, grid_called) = rank!(17, 23);
        let (cube, cube_called) = rank!(5, 1, 7);
        let (four, four_called) = rank!(2, 3, 4, 5);
        let (none, none_called) = rank!(4, 0, 3);
        check!(line, line_called, ..);
        check!(grid, grid_called, .., ..);
        check!(cube, cube_called, .., .., ..);
        check!(four, four_called, .., .., .., ..);
        check!(none, none_called, .., .., ..);
        let cells = world.array_from_fn::<Atomic<u64>, 2>([6, 4], |index| Atomic::new(value(7, index)))?;
        let expected: Vec<u64> = indices([6, 4]).into_iter().map(|index| value(7, index)).collect();
        assert_eq!(remote!(cells[right(world), .., ..]), expected);
    }
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// What the function does may use other arrays, and this PE's own handles.
#[shmem::test(npes = [1, 2, 3], heap = "1M")]
fn the_function_may_read_and_drop_arrays(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let first = world.array_from_fn([10], |[i]| (world.my_pe() * 100 + i) as i32)?;
    let mut dropped = Some(world.ones::<u8, 1>([100])?);
    let second = world.array_from_fn([10], |[i]| {
        dropped = None;
        remote!(first[right(world), i]) + 1
    })?;
    let theirs = right(world) as i32;
    assert_eq!(local!(second[..]), (0..10).map(|i| theirs * 100 + i + 1).collect::<Vec<_>>());
    drop((first, second));
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// Where the first element of this PE's copy lies, for transfers and in a local phase.
fn addresses<I: Item<Value = I> + Symmetric>(world: &World, array: &SymmetricArray<I, 1>) -> [usize; 2] {
    let mine = remote!(&array[world.my_pe(), 0]).as_ptr().map_or(0, <*mut I>::addr);
    [mine, world.local_phase(|p| array.as_slice(p).as_ptr().addr())]
}

/// Whether the PEs are those of a C library.
fn over_a_library() -> bool {
    std::env::var_os("SHMEM_TRANSPORT").is_some_and(|transport| transport == "openshmem")
}

/// Every power of two up to `largest`, and the error beyond.
fn every_alignment(world: &World, largest: usize) -> Result<(), Error> {
    let before = world.heap_free();
    let mut arrays = Vec::new();
    let mut align = 1;
    while align <= largest {
        let array =
            world.allocate().align(align).symmetric_array::<u32, 1>([align % 61 + 1], align as u32)?;
        for address in addresses(world, &array) {
            assert_eq!(address % align.max(64), 0, "{align}");
        }
        arrays.push((align, array));
        // Leaves the next one at an odd place.
        arrays.push((1, world.symmetric_array::<u32, 1>([2], 1)?));
        align *= 2;
    }
    for (align, array) in &arrays {
        assert!(remote!(array[right(world), ..]).iter().all(|&value| value as usize == *align), "{align}");
    }
    world.barrier_all();
    for bad in [0, 3, 48, 1000, largest + 1] {
        let error = world.allocate().align(bad).zeros::<u32, 1>([5]).expect_err("no power of two");
        assert!(matches!(error, Error::Alignment { align, .. } if align == bad), "{error}");
        let message = error.to_string();
        assert!(message.contains("power of two"), "{message}");
        assert!(
            message.contains("SymmetricArray<u32, 1> of 5 at ") && message.contains(file!()),
            "{message}"
        );
    }
    for large in [128 * largest, 1 << 50, 1 << (usize::BITS - 1)] {
        match world.allocate().align(large).zeros::<u32, 1>([5]) {
            Err(Error::Alignment { align, largest: can, reason, .. }) => {
                assert!(align == large && can < large && can >= largest, "{can}");
                // Over a library a larger heap does not help.
                let helps = large < 1 << 50 && !over_a_library();
                assert_eq!(reason.contains(&format!("SHMEM_SYMMETRIC_SIZE to {large}")), helps, "{reason}");
            }
            other => panic!("{large}: {other:?}"),
        }
    }
    drop(arrays);
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "512K")]
fn alignments_of_a_small_heap(world: &World) -> Result<(), Error> {
    every_alignment(world, 64 << 10)
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "64M")]
fn alignments_of_a_large_heap(world: &World) -> Result<(), Error> {
    // A library would need as much more memory.
    every_alignment(world, if over_a_library() { 2 << 20 } else { 16 << 20 })
}

/// What an alignment needs beside the array is counted, and the message says why so much was
/// needed.
#[shmem::test(npes = [1, 2, 3], heap = "2.5M")]
fn an_alignment_may_not_fit(world: &World) -> Result<(), Error> {
    // Nearly all of the heap, so that only a heap that begins at such a multiple would have the place.
    const BYTES: usize = 2448 << 10;
    let before = world.heap_free();
    let error = world.allocate().align(2 << 20).zeros::<u8, 1>([BYTES]).expect_err("2.5M hold no such place");
    let message = error.to_string();
    assert!(matches!(error, Error::HeapExhausted { .. }), "{message}");
    assert!(message.contains("SymmetricArray<u8, 1> of 2506752 at a multiple of 2097152, at "), "{message}");
    // Without the alignment it does.
    world.zeros::<u8, 1>([BYTES])?.free()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C, align(8192))]
struct TwoPages([u64; 1024]);

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "2M")]
fn a_smaller_alignment_is_raised_to_the_element_s(world: &World) -> Result<(), Error> {
    let array = world.allocate().align(1).symmetric_array([3], TwoPages([5; 1024]))?;
    assert!(addresses(world, &array).iter().all(|address| address % 8192 == 0));
    assert_eq!(both(world, &array), [vec![TwoPages([5; 1024]); 3], vec![TwoPages([5; 1024]); 3]]);
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn hints_change_nothing_but_the_place(world: &World) -> Result<(), Error> {
    for hints in
        [&[][..], &[Hint::AtomicsRemote], &[Hint::SignalRemote, Hint::AtomicsRemote, Hint::SignalRemote]]
    {
        let mut asked = world.allocate().align(256);
        for &hint in hints {
            asked = asked.hint(hint);
        }
        let cells = asked.ones::<Atomic<i64>, 1>([9])?;
        let list = asked.array_from_slice(&[world.my_pe(); 3])?;
        let grid = asked.array_from_fn([2, 2], |index| value(world.my_pe(), index))?;
        remote!(cells[0, 8]) += 1;
        world.barrier_all();
        assert_eq!(remote!(cells[0, 7..]), [1, 1 + world.n_pes() as i64]);
        assert_eq!(remote!(list[right(world), ..]), [right(world); 3]);
        assert_eq!(remote!(grid[right(world), 1, 0]), value(right(world), [1, 0]));
        assert!(addresses(world, &list).iter().all(|at| at % 256 == 0));
        world.barrier_all();
    }
    Ok(())
}

/// What each PE is told when PE 0 asks for one thing and the others for another.
fn assert_disagreement<T>(world: &World, told: Result<T, Error>, what: &[&str]) {
    let Err(error) = told else { panic!("the PEs make different calls") };
    let message = error.to_string();
    assert!(matches!(error, Error::Disagreement { .. }), "{message}");
    assert!(message.contains(&format!("PE {} ", world.my_pe())), "{message}");
    for part in what {
        assert!(message.contains(part), "{part:?} in: {message}");
    }
}

#[shmem::test(npes = [2, 3, 4, 7], heap = "1M")]
fn all_ask_for_the_same(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let first = world.my_pe() == 0;
    for _ in 0..20 {
        let align = if first { 128 } else { 256 };
        let told = world.allocate().align(align).zeros::<u64, 1>([4]);
        assert_disagreement(world, told, &["alignment 128", "alignment 256"]);
        // No alignment to one, and one to the others: nobody may wait for the PE that is refused.
        let align = if first { 3 } else { 4 };
        let told = world.allocate().align(align).zeros::<u64, 1>([4]);
        assert_disagreement(world, told, &["alignment 3)", "alignment 4)"]);

        let hint = if first { Hint::AtomicsRemote } else { Hint::SignalRemote };
        let told = world.allocate().hint(hint).zeros::<Atomic<u64>, 1>([4]);
        assert_disagreement(world, told, &["hints AtomicsRemote) at ", "hints SignalRemote)"]);
        let asked = world.allocate().hint(Hint::SignalRemote);
        let asked = if first { asked.hint(Hint::AtomicsRemote) } else { asked };
        let told = asked.zeros::<Atomic<u64>, 1>([4]);
        assert_disagreement(world, told, &["hints AtomicsRemote and SignalRemote)", "hints SignalRemote)"]);
        let asked = if first { world.allocate().hint(Hint::SignalRemote) } else { world.allocate() };
        assert_disagreement(world, asked.ones::<u64, 1>([4]), &["hints SignalRemote)"]);

        let values = if first { vec![1_u16; 6] } else { vec![1_u16; 5] };
        assert_disagreement(world, world.array_from_slice(&values), &["12 bytes", "10 bytes"]);
        let values: &[f64] = if first { &[] } else { &[1.0] };
        assert_disagreement(world, world.array_from_slice(values), &["0 bytes", "8 bytes"]);
        let told = world.array_from_fn([if first { 2 } else { 3 }], |[_]| -> u8 { panic!("not asked") });
        assert_disagreement(world, told, &["2 bytes", "3 bytes"]);
    }
    assert_eq!(world.heap_free(), before);
    let array = world.array_from_slice(&[right(world); 2])?;
    assert_eq!(local!(array[..]), [right(world); 2]);
    Ok(())
}

/// A sequence of numbers that is the same on every PE.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % limit
    }
}

/// The elements of a shape by index, as a model of an array.
#[derive(Clone)]
struct Model<const R: usize> {
    extents: [usize; R],
    values: Vec<u64>,
}

impl<const R: usize> Model<R> {
    fn new(extents: [usize; R], value: impl Fn([usize; R]) -> u64) -> Model<R> {
        Model { extents, values: indices(extents).into_iter().map(value).collect() }
    }

    fn resized(&self, extents: [usize; R], fill: u64) -> Model<R> {
        Model::new(extents, |index| {
            let inside = index.iter().zip(&self.extents).all(|(at, extent)| at < extent);
            let number = index.iter().zip(&self.extents).fold(0, |number, (at, extent)| number * extent + at);
            if inside { self.values[number] } else { fill }
        })
    }
}

/// Resizes arrays of one rank to many shapes, with values and fillings of each PE's own.
macro_rules! resized_as_the_model {
    ($test:ident, $rank:literal, $largest:literal, [$($all:tt)*]) => {
        #[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
        fn $test(world: &World) -> Result<(), Error> {
            let before = world.heap_free();
            let mut numbers = Numbers($rank);
            let mut shape = || -> [usize; $rank] { std::array::from_fn(|_| numbers.below($largest)) };
            let start = shape();
            let mut array = world.array_from_fn(start, |index| value(world.my_pe(), index))?;
            let mut models: Vec<Model<$rank>> =
                (0..world.n_pes()).map(|pe| Model::new(start, |index| value(pe, index))).collect();
            for step in 0..40 {
                let extents = match step % 4 {
                    // The outermost axis alone, the same shape again, and any other.
                    0 => {
                        let mut extents = array.extents();
                        extents[0] = shape()[0];
                        extents
                    }
                    1 if step > 20 => array.extents(),
                    _ => shape(),
                };
                // Zeros are left out where the memory is fresh, so they are tried on used memory
                // too.
                let fill = |pe: usize| if (step + pe) % 3 == 0 { 0 } else { (step * 10 + pe) as u64 };
                array.resize(extents, fill(world.my_pe()))?;
                assert_eq!(array.extents(), extents);
                for (pe, model) in models.iter_mut().enumerate() {
                    *model = model.resized(extents, fill(pe));
                    assert_eq!(remote!(array[pe, $($all)*]), model.values, "step {step}, {extents:?} on PE {pe}");
                }
                if step % 10 == 9 {
                    soil(world)?;
                }
            }
            array.resize([0; $rank], 1)?;
            assert!(array.is_empty());
            let empty = world.heap_free();
            array.resize([3; $rank], 4)?;
            assert_eq!(remote!(array[right(world), $($all)*]), vec![4; array.len()]);
            array.resize([0; $rank], 1)?;
            assert_eq!(world.heap_free(), empty);
            array.free()?;
            assert_eq!(world.heap_free(), before);
            Ok(())
        }
    };
}

resized_as_the_model!(resized_lines, 1, 300, [..]);
resized_as_the_model!(resized_grids, 2, 14, [.., ..]);
resized_as_the_model!(resized_cubes, 3, 6, [.., .., ..]);
resized_as_the_model!(resized_four_dimensional, 4, 4, [.., .., .., ..]);

/// Rows that are longer than what is moved at a time.
#[shmem::test(npes = [1, 2, 3], heap = "4M")]
fn long_rows_are_kept(world: &World) -> Result<(), Error> {
    let me = world.my_pe();
    let mut line = world.array_from_fn([70_001], |[i]| (me * 100_000 + i) as u32)?;
    line.resize([90_000], u32::MAX)?;
    line.resize([60_001], 0)?;
    let theirs = right(world);
    assert_eq!(
        remote!(line[theirs, ..]),
        (0..60_001).map(|i| (theirs * 100_000 + i) as u32).collect::<Vec<_>>()
    );
    let mut grid = world.array_from_fn([2, 20_000], |index| value(me, index) as u32)?;
    grid.resize([3, 19_999], 5)?;
    let expected: Vec<u32> = indices([3, 19_999])
        .into_iter()
        .map(|index| if index[0] < 2 { value(theirs, index) as u32 } else { 5 })
        .collect();
    assert_eq!(remote!(grid[theirs, .., ..]), expected);
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn cells_and_structs_are_resized_too(world: &World) -> Result<(), Error> {
    let mut cells = world.symmetric_array::<Atomic<u32>, 1>([3], Atomic::new(5))?;
    remote!(cells[0, 2]) += 1;
    // Without a barrier: a resize waits for all, and their updates.
    cells.resize([5], Atomic::new(9))?;
    assert_eq!(remote!(cells[0, ..]), [5, 5, 5 + world.n_pes() as u32, 9, 9]);
    let body = |i: usize| Body { position: [i as f64; 3], number: [i as u32; 2] };
    let mut bodies = world.array_from_fn([4], |[i]| body(i))?;
    bodies.resize([6], body(77))?;
    let expected = [0, 1, 2, 3, 77, 77].map(body);
    assert_eq!(both(world, &bodies), [expected, expected]);
    Ok(())
}

/// However many rows there are.
#[shmem::test(npes = [1, 2, 3], heap = "1M")]
fn arrays_without_bytes_are_resized_at_once(world: &World) -> Result<(), Error> {
    let mut array = world.zeros::<u8, 3>([1, 2, 1])?;
    array.resize([1 << 40, 1 << 20, 0], 0)?;
    assert_eq!(array.extents(), [1 << 40, 1 << 20, 0]);
    array.resize([1, 2, 3], 7)?;
    assert_eq!(local!(array[.., .., ..]), vec![7; 6]);
    let mut nothing = world.symmetric_array::<[u64; 0], 2>([1, 1], [])?;
    nothing.resize([1 << 40, 4], [])?;
    assert_eq!(nothing.len(), 4 << 40);
    Ok(())
}

/// Puts of before arrive in what becomes of the array, and puts of after do too.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn puts_on_both_sides_of_a_resize_arrive(world: &World) -> Result<(), Error> {
    let mut array = world.zeros::<usize, 1>([8])?;
    for round in 1..20 {
        remote!(array[right(world), 3]) = round;
        array.resize([8 + round % 5], 0)?;
        remote!(array[right(world), 4]) = round;
        world.barrier_all();
        assert_eq!(local!(array[3..5]), [round, round]);
        world.barrier_all();
    }
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "2M")]
fn a_resized_array_keeps_its_alignment(world: &World) -> Result<(), Error> {
    let odd = world.ones::<u8, 1>([100])?;
    let mut array = world.allocate().align(8192).hint(Hint::AtomicsRemote).ones::<u64, 1>([10])?;
    for len in [20, 3000, 5] {
        array.resize([len], 2)?;
        assert!(addresses(world, &array).iter().all(|address| address % 8192 == 0), "{len}");
    }
    assert_eq!(local!(odd[..]), [1; 100]);
    Ok(())
}

/// An array that cannot be resized is as it was.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn a_failed_resize_changes_nothing(world: &World) -> Result<(), Error> {
    let me = world.my_pe();
    let mut array = world.array_from_fn([50_000], |[i]| (me + i) as u64)?;
    let before = world.heap_free();
    for _ in 0..20 {
        // Larger than can be counted, than the heap, and by one element than what is free.
        for len in [usize::MAX, 1 << 20, 50_000 + before / 8 + 1] {
            let error = array.resize([len], 1).expect_err("there is no room");
            assert!(matches!(error, Error::HeapExhausted { .. } | Error::Extents { .. }), "{error}");
        }
        assert_eq!((array.len(), world.heap_free()), (50_000, before));
    }
    let theirs = right(world);
    assert_eq!(remote!(array[theirs, ..]), (0..50_000).map(|i| (theirs + i) as u64).collect::<Vec<_>>());
    // All that is left, in place.
    array.resize([50_000 + before / 8], 1)?;
    assert_eq!(world.heap_free(), 0);
    assert_eq!(remote!(array[theirs, 49_999..50_001]), [theirs as u64 + 49_999, 1]);
    Ok(())
}

/// With free memory after it an array grows where it lies, and shrinks there: nothing moves.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn arrays_grow_and_shrink_in_place(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let mut array = world.array_from_fn([1000], |[i]| (world.my_pe() * 10_000 + i) as u64)?;
    let start = addresses(world, &array);
    for len in [1001, 60_000, 100_000, 10, 0, before / 8, 70_000, 2000] {
        array.resize([len], 5)?;
        if len > 0 {
            assert_eq!(addresses(world, &array), start, "{len}");
        }
        assert_eq!(world.heap_free(), before - (len * 8).next_multiple_of(64));
        let theirs = remote!(array[right(world), ..]);
        let kept = if len < 10 { 0 } else { len.min(10) };
        let first = (right(world) * 10_000) as u64;
        let gone = theirs.first().is_none_or(|&value| value == 5);
        assert!(gone || theirs[..kept].iter().enumerate().all(|(i, &value)| value == first + i as u64));
        world.barrier_all();
    }
    // Something lies right after it now: it moves to the other side of that.
    let wall = world.symmetric_array::<u64, 1>([1000], 8)?;
    array.resize([3000], 6)?;
    assert_ne!(addresses(world, &array), start);
    assert_eq!(remote!(wall[right(world), ..]), [8; 1000]);
    Ok(())
}

/// An array between two free places, neither of which has room for all of it, moves into both of
/// them and its own.
macro_rules! moves_over_itself {
    ($test:ident, $rank:literal, $largest:literal, [$($all:tt)*]) => {
        #[shmem::test(npes = [1, 2, 3], heap = "16K")]
        fn $test(world: &World) -> Result<(), Error> {
            let all = world.heap_free();
            let mut numbers = Numbers($rank + 10);
            let mut moved = 0;
            for round in 0..60 {
                let mut shape = || -> [usize; $rank] { std::array::from_fn(|_| 1 + numbers.below($largest)) };
                let (start, end) = (shape(), shape());
                let bytes = |shape: [usize; $rank]| (shape.iter().product::<usize>() * 8).next_multiple_of(64);
                let before = numbers.below((all - bytes(start)) / 64) * 64;
                let pad = world.zeros::<u8, 1>([before])?;
                let mut array = world.array_from_fn(start, |index| value(world.my_pe(), index))?;
                let wall = world.zeros::<u8, 1>([if round % 3 == 0 { 0 } else { world.heap_free() }])?;
                let room = all - wall.len();
                pad.free()?;
                let fill = |pe: usize| if round % 2 == 0 { 0 } else { (round * 10 + pe) as u64 };
                let place = world.local_phase(|p| array.as_slice(p).as_ptr().addr());
                // Whatever fits into its own place and what is free around it is given.
                let told = array.resize(end, fill(world.my_pe()));
                assert_eq!(told.is_ok(), bytes(end) <= room, "{start:?} at {before} to {end:?}: {told:?}");
                if told.is_err() {
                    continue;
                }
                moved += usize::from(place != world.local_phase(|p| array.as_slice(p).as_ptr().addr()));
                for pe in 0..world.n_pes() {
                    let model = Model::new(start, |index| value(pe, index)).resized(end, fill(pe));
                    assert_eq!(remote!(array[pe, $($all)*]), model.values, "{start:?} at {before} to {end:?} on PE {pe}");
                }
                drop(wall);
                array.free()?;
                assert_eq!(world.heap_free(), all);
            }
            assert!(moved > 3, "{moved} of 60 arrays moved");
            Ok(())
        }
    };
}

moves_over_itself!(lines_move_over_themselves, 1, 2040, [..]);
moves_over_itself!(grids_move_over_themselves, 2, 43, [.., ..]);
moves_over_itself!(cubes_move_over_themselves, 3, 12, [.., .., ..]);
moves_over_itself!(four_dimensions_move_over_themselves, 4, 6, [.., .., .., ..]);

#[shmem::test(npes = [2, 3, 4, 7], heap = "1M")]
fn all_resize_the_same_array(world: &World) -> Result<(), Error> {
    let mut one = world.symmetric_array::<u32, 1>([4], 1)?;
    let mut other = world.symmetric_array::<u32, 1>([4], 2)?;
    let before = world.heap_free();
    let first = world.my_pe() == 0;
    for _ in 0..20 {
        let told = if first { one.resize([5], 0) } else { other.resize([5], 0) };
        assert_disagreement(
            world,
            told,
            &[
                "resizes symmetric array #0 to a SymmetricArray<u32, 1> of 5 (20 bytes",
                "resizes symmetric array #1 to a SymmetricArray<u32, 1> of 5 (20 bytes",
            ],
        );
        let told = one.resize([if first { 5 } else { 6 }], 0);
        assert_disagreement(
            world,
            told,
            &[
                "resizes symmetric array #0 to a SymmetricArray<u32, 1> of 5 (20",
                "#0 to a SymmetricArray<u32, 1> of 6 (24",
            ],
        );
        let told = if first { one.resize([5], 0) } else { world.zeros::<u32, 1>([5]).map(drop) };
        assert_disagreement(
            world,
            told,
            &["resizes symmetric array #0 to ", "allocates a SymmetricArray<u32, 1> of 5"],
        );
    }
    assert_eq!(world.heap_free(), before);
    assert_eq!(both(world, &one), [[1; 4], [1; 4]]);
    assert_eq!(both(world, &other), [[2; 4], [2; 4]]);
    one.resize([6], 3)?;
    assert_eq!(both(world, &one), [[1, 1, 1, 1, 3, 3], [1, 1, 1, 1, 3, 3]]);
    Ok(())
}

/// Arrays of other sizes come and go around one that is resized: nobody's elements are taken.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn neighbours_keep_their_elements(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let mut numbers = Numbers(99);
    let mut arrays: Vec<(SymmetricArray<u32, 1>, Vec<u32>)> = Vec::new();
    for step in 0..120 {
        let fill = step as u32;
        match numbers.below(4) {
            0 => {
                let len = numbers.below(2000);
                arrays.push((world.symmetric_array([len], fill)?, vec![fill; len]));
            }
            1 if !arrays.is_empty() => {
                let (array, _) = arrays.swap_remove(numbers.below(arrays.len()));
                // Marked and freed at the next call, or freed at once.
                if step % 2 == 0 {
                    array.free()?;
                }
            }
            _ if !arrays.is_empty() => {
                let at = numbers.below(arrays.len());
                let len = numbers.below(2000);
                let (array, model) = &mut arrays[at];
                array.resize([len], fill)?;
                model.resize(len, fill);
            }
            _ => {}
        }
        for (array, model) in &arrays {
            assert_eq!(remote!(array[right(world), ..]), *model, "step {step}");
        }
    }
    arrays.clear();
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// Resident bytes of this process.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux has statm");
    let pages: usize =
        text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("the second number");
    pages * rustix::param::page_size()
}

#[cfg_attr(
    feature = "openshmem",
    ignore = "a heap over a C library is memory from the start, and need not be zero"
)]
#[cfg(target_os = "linux")]
#[shmem::test(npes = [1, 2, 4])]
fn growing_by_zeros_takes_no_memory(world: &World) -> Result<(), Error> {
    const SMALL: usize = 32 << 20;
    let mut array = world.ones::<u8, 1>([1000])?;
    let before = resident();
    array.resize([1 << 29], 0)?;
    let more = resident().saturating_sub(before);
    assert!(more < SMALL, "{more} bytes more after growing");
    assert_eq!(remote!(array[right(world), 998..1002]), [1, 1, 0, 0]);
    assert_eq!(remote!(array[right(world), (1 << 29) - 1]), 0);
    Ok(())
}
