//! Arrays allocated at run time: where their memory comes from, and when it returns.

use shmem::Error;
use shmem::prelude::*;

/// The PE after this one.
fn right(world: &World) -> usize {
    (world.my_pe() + 1) % world.n_pes()
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn the_memory_of_dropped_arrays_returns(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    for round in 0..24 {
        // More than half of the heap: it fits only when the one before is gone.
        let array = world.symmetric_array::<u64, 1>([80 * 1024], round)?;
        let theirs = remote!(array[right(world), ..]);
        assert!(theirs.len() == 80 * 1024 && theirs.iter().all(|&value| value == round), "round {round}");
    }
    assert!(world.heap_free() < before);
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn free_returns_the_memory_at_once(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    for round in 0..64 {
        let array = world.symmetric_array::<u32, 2>([160, 1024], round)?;
        remote!(array[right(world), 159, 1023]) = !round;
        world.barrier_all();
        assert_eq!(local!(array[159, 1022..]), [round, !round]);
        array.free()?;
        assert_eq!(world.heap_free(), before);
    }
    Ok(())
}

/// Until all have dropped an array, everybody may use the copy on a PE that has.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn each_pe_may_drop_in_its_own_order(world: &World) -> Result<(), Error> {
    const ARRAYS: usize = 12;
    let before = world.heap_free();
    let mut arrays = Vec::new();
    for number in 0..ARRAYS {
        arrays.push(Some(world.symmetric_array::<u32, 1>([50 + 7 * number], number as u32)?));
    }
    for step in 0..ARRAYS {
        arrays[(5 * step + 3 * world.my_pe()) % ARRAYS] = None;
        // Takes the place of whatever all have dropped, and of nothing else.
        let other = world.symmetric_array::<u32, 1>([40 + 9 * step], u32::MAX)?;
        for (number, array) in arrays.iter().enumerate() {
            if let Some(array) = array {
                let expected = vec![number as u32; 50 + 7 * number];
                for pe in 0..world.n_pes() {
                    assert_eq!(remote!(array[pe, ..]), expected, "array {number} on PE {pe} in step {step}");
                }
            }
        }
        other.free()?;
    }
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// So many that the PEs need several messages to say which.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn each_pe_may_drop_others_of_many(world: &World) -> Result<(), Error> {
    const ARRAYS: usize = 500;
    let before = world.heap_free();
    let mut arrays = Vec::new();
    for _ in 0..ARRAYS {
        arrays.push(Some(world.zeros::<u64, 1>([1])?));
    }
    let full = world.heap_free();
    let each = (before - full) / ARRAYS;
    // In the first step each PE drops some of the first half, then of the second, and of both.
    let drops = |pe: usize, number: usize, step: usize| match step {
        0 => number < ARRAYS / 2 && number.is_multiple_of(pe + 2),
        1 => number >= ARRAYS / 2 && number % 3 == 1,
        2 => (number + pe) % 5 != 4,
        _ => true,
    };
    for step in 0..4 {
        for (number, array) in arrays.iter_mut().enumerate() {
            if drops(world.my_pe(), number, step) {
                *array = None;
            }
        }
        world.reclaim()?;
        let dropped = |pe, number| (0..=step).any(|step| drops(pe, number, step));
        let by_all = |&number: &usize| (0..world.n_pes()).all(|pe| dropped(pe, number));
        assert_eq!(world.heap_free() - full, each * (0..ARRAYS).filter(by_all).count(), "step {step}");
    }
    assert_eq!(world.heap_free(), before);
    Ok(())
}

#[shmem::test(npes = [1, 2, 4], heap = "1M")]
fn what_one_pe_never_drops_stays(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let kept = world.symmetric_array::<u8, 1>([600_000], 7)?;
    let held = before - world.heap_free();
    if world.my_pe() == 0 {
        std::mem::forget(kept);
    } else {
        drop(kept);
    }
    world.reclaim()?;
    assert_eq!(before - world.heap_free(), held);
    assert!(matches!(world.symmetric_array::<u8, 1>([600_000], 7), Err(Error::HeapExhausted { .. })));
    // What is left can be had.
    world.symmetric_array::<u8, 1>([300_000], 7)?.free()
}

#[shmem::test(npes = 3, heap = "1M")]
fn any_thread_may_drop(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let array = world.symmetric_array::<u8, 1>([1000], 1)?;
    std::thread::spawn(move || drop(array)).join().expect("the thread drops an array");
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// Many in a row without a barrier between them: a fast PE must not disturb the answer that a slow
/// one gets.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn exhaustion_is_an_error_on_every_pe(world: &World) -> Result<(), Error> {
    let kept = world.symmetric_array::<u16, 1>([1000], 42)?;
    let before = world.heap_free();
    for round in 0..200 {
        match world.symmetric_array::<u64, 1>([(1 << 17) + round], 1) {
            Err(Error::HeapExhausted { needed, free, largest, total, .. }) => {
                assert_eq!(needed, ((1 << 17) + round) * 8);
                assert!(largest <= free && free <= total && total < 1 << 20);
            }
            other => panic!("round {round}: {other:?}"),
        }
        assert_eq!(world.heap_free(), before);
    }
    let line = line!() + 1;
    let error = world.symmetric_array::<u64, 1>([1 << 17], 1).expect_err("it is larger than the heap");
    let message = error.to_string();
    assert!(message.contains("SymmetricArray<u64, 1> of 131072 at "), "{message}");
    assert!(
        message.contains(&format!("{}:{line}:", file!())) && message.contains("needs 1048576 bytes"),
        "{message}"
    );
    assert!(message.contains("SHMEM_SYMMETRIC_SIZE="), "{message}");
    assert!(local!(kept[..]).iter().all(|&value| value == 42));
    world.symmetric_array::<u64, 1>([1 << 16], 1)?.free()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// What is asked for and fits is given, to the last byte.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "1M")]
fn all_of_the_heap_can_be_had(world: &World) -> Result<(), Error> {
    let all = world.heap_free();
    assert!(all >= (1 << 20) - 4096, "{all}");
    for round in 0..4 {
        let whole = world.symmetric_array::<u8, 1>([all], 7)?;
        assert_eq!((whole.len(), world.heap_free()), (all, 0));
        assert!(matches!(world.zeros::<u8, 1>([1]), Err(Error::HeapExhausted { .. })));
        // Nothing fits everywhere.
        let nothing = world.zeros::<u64, 2>([3, 0])?;
        assert!(remote!(whole[right(world), ..]).iter().all(|&value| value == 7));
        drop((whole, nothing));
        // In parts, one of which goes, and what fits in its place.
        let parts = [all / 2 / 64 * 64, 64, all - all / 2 / 64 * 64 - 64];
        let [first, middle, last] = parts.map(|bytes| world.symmetric_array::<u8, 1>([bytes], round));
        let (first, middle, last) = (first?, middle?, last?);
        assert_eq!(world.heap_free(), 0);
        middle.free()?;
        let middle = world.symmetric_array::<u8, 1>([64], 9)?;
        assert_eq!(world.heap_free(), 0);
        assert_eq!(remote!(first[right(world), parts[0] - 1]), round);
        assert_eq!(remote!(middle[right(world), ..]), [9; 64]);
        assert_eq!(remote!(last[right(world), 0]), round);
    }
    world.reclaim()?;
    assert_eq!(world.heap_free(), all);
    Ok(())
}

/// As many as fit; and however many are dropped at once, all come back at the next call.
#[shmem::test(npes = 3, heap = "320K")]
fn there_may_be_any_number_of_arrays(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let mut arrays = Vec::new();
    for number in 0..before / 64 {
        arrays.push(world.symmetric_array::<u32, 1>([1], number as u32)?);
    }
    assert!(arrays.len() > 5000 && world.heap_free() == 0);
    for number in (0..arrays.len()).step_by(97) {
        assert_eq!(remote!((arrays[number])[right(world), ..]), [number as u32]);
    }
    // Each PE in its own order, half of them.
    let middle = arrays.len() / 2;
    let mut half = arrays.split_off(middle);
    let turn = world.my_pe() * 1000;
    half.rotate_left(turn);
    half.into_iter().for_each(drop);
    world.reclaim()?;
    assert_eq!(world.heap_free(), (before / 64 - middle) * 64);
    drop(arrays);
    world.symmetric_array::<u8, 1>([before], 1)?.free()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

/// Where the machine gives so much address space. Only what is touched takes memory.
#[cfg_attr(feature = "openshmem", ignore = "a heap over a C library is memory from the start")]
#[cfg(target_pointer_width = "64")]
#[shmem::test(npes = [1, 2, 3], heap = "5G")]
fn arrays_may_be_larger_than_four_gibibytes(world: &World) -> Result<(), Error> {
    const LEN: usize = 9 << 26;
    let mut array = world.zeros::<u64, 1>([LEN])?;
    let small = world.symmetric_array::<u64, 1>([1000], 3)?;
    let places = [0, (1 << 29) - 1, 1 << 29, (1 << 29) + 1, LEN - 1];
    for (number, &at) in places.iter().enumerate() {
        remote!(array[right(world), at]) = number as u64 + 1;
    }
    world.barrier_all();
    for (number, &at) in places.iter().enumerate() {
        assert_eq!(local!(array[at - at.min(1)..=at])[at.min(1)], number as u64 + 1);
    }
    // It can have all that is left, and no more.
    assert!(array.resize([LEN + world.heap_free() / 8 + 1], 0).is_err());
    small.free()?;
    array.resize([LEN + world.heap_free() / 8], 0)?;
    assert_eq!((world.heap_free(), remote!(array[right(world), LEN - 1..LEN + 1])), (0, [5, 0]));
    Ok(())
}

#[shmem::test(npes = [1, 2, 4])]
fn extents_beyond_the_address_space_are_an_error(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    for (extents, bytes, hint) in [
        ([usize::MAX, 1], "18446744073709551615 bytes", "the extent of axis 0 is -1 as a signed number"),
        ([3, usize::MAX - 6], "55340232221128654827 bytes", "the extent of axis 1 is -7 as a signed number"),
        (
            [usize::MAX, usize::MAX],
            "340282366920938463426481119284349108225 bytes",
            "is -1 as a signed number",
        ),
        ([1 << 32, 1 << 32], "18446744073709551616 bytes", "check how the extents"),
        ([0, usize::MAX], "18446744073709551615 bytes", "the extent of axis 1 is -1 as a signed number"),
    ] {
        let line = line!() + 1;
        let told = world.symmetric_array::<u8, 2>(extents, 1).expect_err("no memory holds it");
        assert!(matches!(told, Error::Extents { .. }), "{told}");
        let place =
            format!("SymmetricArray<u8, 2> of {} × {} at {}:{line}:", extents[0], extents[1], file!());
        let message = told.to_string();
        assert!(message.contains(&place) && message.contains(bytes) && message.contains(hint), "{message}");
        let wide = world.zeros::<[f64; 4], 2>(extents);
        assert!(matches!(wide, Err(Error::Extents { .. })), "{extents:?}: {wide:?}");
    }
    // What could be counted does not fit.
    for extents in [[1 << 60, 4], [1 << 62, 1]] {
        let told = world.symmetric_array::<u8, 2>(extents, 1);
        assert!(matches!(told, Err(Error::HeapExhausted { needed, .. }) if needed == 1 << 62), "{told:?}");
    }
    assert_eq!(world.heap_free(), before);
    world.symmetric_array::<u8, 1>([100], 1)?.free()
}

/// What each PE is told when PE 0 makes one call and the others another, both in words, with their
/// places in this file.
fn assert_disagreement(world: &World, told: Result<(), Error>, zero: &str, others: &str) {
    let error = told.expect_err("the PEs make different calls");
    assert!(matches!(error, Error::Disagreement { .. }), "{error}");
    let message = error.to_string();
    let first = world.my_pe() == 0;
    let (other, mine, theirs) = if first { (1, zero, others) } else { (0, others, zero) };
    for part in [format!("PE {} {mine}", world.my_pe()), format!("and PE {other} {theirs}")] {
        let at = message.find(&part).unwrap_or_else(|| panic!("{part:?} in: {message}"));
        let rest = message[at..].split(" at ").nth(1).unwrap_or_default();
        assert!(rest.starts_with(file!()), "the place of {part:?} in: {message}");
    }
}

#[shmem::test(npes = [2, 3, 4, 7], heap = "1M")]
fn disagreement_is_an_error_on_every_pe(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let first = world.my_pe() == 0;
    for _ in 0..50 {
        let told = world.symmetric_array::<u64, 1>([if first { 10 } else { 11 }], 0).map(drop);
        assert_disagreement(
            world,
            told,
            "allocates a SymmetricArray<u64, 1> of 10 (80 bytes, alignment 8)",
            "allocates a SymmetricArray<u64, 1> of 11 (88 bytes, alignment 8)",
        );
        // As many bytes, as many elements.
        let told = world.symmetric_array::<u64, 2>(if first { [2, 6] } else { [6, 2] }, 0).map(drop);
        assert_disagreement(
            world,
            told,
            "allocates a SymmetricArray<u64, 2> of 2 × 6 (96 bytes, alignment 8)",
            "allocates a SymmetricArray<u64, 2> of 6 × 2 (96 bytes, alignment 8)",
        );
        let types = if first {
            world.symmetric_array::<u32, 1>([10], 0).map(drop)
        } else {
            world.symmetric_array::<f32, 1>([10], 0.0).map(drop)
        };
        assert_disagreement(
            world,
            types,
            "allocates a SymmetricArray<u32, 1> of 10",
            "allocates a SymmetricArray<f32, 1> of 10",
        );
        let calls = if first { world.reclaim() } else { world.symmetric_array::<u32, 1>([10], 0).map(drop) };
        assert_disagreement(world, calls, "reclaims", "allocates a SymmetricArray<u32, 1> of 10");
        let extents = if first { [usize::MAX, 2] } else { [3, 2] };
        let told = world.zeros::<u32, 2>(extents).map(drop);
        assert_disagreement(
            world,
            told,
            "allocates a SymmetricArray<u32, 2> of 18446744073709551615 × 2 (more bytes than can be counted, alignment 4)",
            "allocates a SymmetricArray<u32, 2> of 3 × 2 (24 bytes, alignment 4)",
        );
    }
    assert_eq!(world.heap_free(), before);
    let array = world.symmetric_array::<u64, 1>([10], 5)?;
    assert_eq!(remote!(array[right(world), ..]), [5; 10]);
    array.free()
}

#[shmem::test(npes = [1, 2, 3])]
fn an_axis_may_have_no_element(world: &World) -> Result<(), Error> {
    let none = world.symmetric_array::<u64, 1>([0], 1)?;
    let flat = world.symmetric_array::<u32, 3>([3, 0, 2], 1)?;
    let after = world.symmetric_array::<u8, 1>([3], 9)?;
    assert!(none.is_empty() && flat.is_empty() && !after.is_empty());
    assert_eq!((none.len(), flat.len(), flat.extents()), (0, 0, [3, 0, 2]));
    assert_eq!(remote!(none[right(world), ..]), []);
    assert_eq!(remote!(flat[right(world), .., .., 1]), []);
    remote!(none[right(world), ..]) = 2;
    remote!(flat[right(world), 2, .., ..]) = 2;
    world.barrier_all();
    assert_eq!(local!(after[..]), [9; 3]);
    Ok(())
}

/// The first index of an empty range may be the extent: on several axes that is far after the
/// array.
#[shmem::test(npes = 2, heap = "64K")]
fn empty_ranges_may_start_after_the_array(world: &World) -> Result<(), Error> {
    let array = world.symmetric_array::<u64, 2>([60, 60], 1)?;
    let cells = world.symmetric_array::<Atomic<u64>, 2>([20, 20], Atomic::new(1))?;
    let (right, end) = (right(world), array.extents()[0]);
    assert_eq!(remote!(array[right, end..end, end..end]), []);
    assert_eq!(remote!(array[right, .., end..end]), []);
    assert_eq!(remote!(array[right, 0..end;2, end..]), []);
    assert_eq!(remote!(cells[right, 20.., 20..]), []);
    remote!(array[right, end..end, end..end]) = 2;
    remote!(array[right, end..end, end..end]) = Vec::new();
    remote!(cells[right, .., 20..]) = 2;
    world.barrier_all();
    assert!(local!(array[.., ..]).iter().chain(&local!(cells[.., ..])).all(|&value| value == 1));
    Ok(())
}

/// All ask for more memory than any machine has, but for zeros no memory is needed, so PE 0 alone
/// would not mind. Only Linux says how much there is.
#[cfg_attr(
    feature = "openshmem",
    ignore = "a heap over a C library is memory from the start, and need not be zero"
)]
#[cfg(target_os = "linux")]
#[shmem::test(npes = [2, 3], heap = "16T")]
fn initial_values_may_differ_and_the_answer_may_not(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let initial = if world.my_pe() == 0 { 0 } else { 1 };
    let refused = world.symmetric_array::<u64, 1>([1 << 40], initial);
    assert!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
    assert_eq!(world.heap_free(), before);
    let array = world.symmetric_array::<usize, 1>([1000], world.my_pe())?;
    assert_eq!(remote!(array[right(world), ..]), vec![right(world); 1000]);
    Ok(())
}

#[shmem::test(npes = [2, 3], heap = "1M")]
fn freeing_different_arrays_is_an_error_on_every_pe(world: &World) -> Result<(), Error> {
    let before = world.heap_free();
    let (one, other) = (world.symmetric_array::<u8, 1>([9], 1)?, world.symmetric_array::<u8, 1>([9], 1)?);
    let (first, second) = if world.my_pe() == 0 { (one, other) } else { (other, one) };
    let [zero, one] = ["frees symmetric array #0", "frees symmetric array #1"];
    assert_disagreement(world, first.free(), zero, one);
    assert_disagreement(world, second.free(), one, zero);
    // By now all have let go of both.
    world.reclaim()?;
    assert_eq!(world.heap_free(), before);
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C, align(64))]
struct Line([u8; 64]);

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C, align(8192))]
struct TwoPages([u64; 1024]);

/// Arrays of every alignment side by side: each keeps its own values.
#[shmem::test(npes = [1, 2, 3, 4, 7], heap = "2M")]
fn elements_of_any_size_and_alignment(world: &World) -> Result<(), Error> {
    fn fill<T: Symmetric + PartialEq + std::fmt::Debug>(
        world: &World,
        count: usize,
        make: impl Fn(u8) -> T,
    ) -> Result<impl Fn(), Error> {
        let array = world.symmetric_array::<T, 1>([count], make(0))?;
        let right = right(world);
        for i in 0..count {
            remote!(array[right, i] = make(i as u8 + 1));
        }
        let made: Vec<T> = (0..count).map(|i| make(i as u8 + 1)).collect();
        let n_pes = world.n_pes();
        Ok(move || {
            for pe in 0..n_pes {
                assert_eq!(remote!(array[pe, ..]), made, "{}", std::any::type_name::<T>());
            }
        })
    }
    // From the second round on in memory that has been used.
    for _ in 0..3 {
        let bytes = fill::<u8>(world, 5, |x| x)?;
        let threes = fill(world, 7, |x| [x; 3])?;
        let pages = fill(world, 3, |x| TwoPages([x.into(); 1024]))?;
        let words = fill(world, 3, |x| u16::from(x) * 257)?;
        let lines = fill(world, 5, |x| Line([x; 64]))?;
        let floats = fill(world, 11, f32::from)?;
        let doubles = fill(world, 13, |x| -f64::from(x))?;
        let wide = fill(world, 3, |x| u128::from(x) << 64 | 1)?;
        let odd = fill(world, 9, |x| [x; 13])?;
        world.barrier_all();
        bytes();
        threes();
        pages();
        words();
        lines();
        floats();
        doubles();
        wide();
        odd();
    }
    Ok(())
}

#[shmem::test(npes = [1, 2, 3], heap = "1M")]
fn every_element_starts_as_the_initial_value(world: &World) -> Result<(), Error> {
    // The second round finds memory that has been used.
    for _ in 0..2 {
        let zeros = world.symmetric_array::<u64, 4>([2, 3, 4, 5], 0)?;
        let ones = world.symmetric_array::<i16, 3>([3, 5, 7], -1)?;
        let cells = world.symmetric_array::<Atomic<f64>, 2>([9, 9], Atomic::new(1.5))?;
        let minus_zero = world.symmetric_array::<f32, 1>([100], -0.0)?;
        let right = right(world);
        assert_eq!(remote!(zeros[right, .., .., .., ..]), [0; 120]);
        assert_eq!(remote!(ones[right, .., .., ..]), [-1; 105]);
        assert_eq!(remote!(cells[right, 8, 8]), 1.5);
        assert_eq!(remote!(cells[right, 0, 0]), 1.5);
        assert!(remote!(minus_zero[right, ..]).iter().all(|value| value.to_bits() == 1 << 31));
        world.barrier_all();
        local!(zeros[.., .., .., ..]) = u64::MAX;
        local!(ones[.., .., ..]) = 3;
        world.barrier_all();
    }
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
fn zeros_take_no_memory_before_they_are_touched(world: &World) -> Result<(), Error> {
    const LARGE: usize = 1 << 30;
    const SMALL: usize = 32 << 20;
    let before = resident();
    let array = world.symmetric_array::<u8, 1>([LARGE], 0)?;
    assert!(resident() < before + SMALL, "{} bytes more after allocating", resident() - before);
    for i in (0..LARGE).step_by(LARGE / 4) {
        remote!(array[right(world), i]) = 1;
    }
    world.barrier_all();
    assert_eq!(local!(array[LARGE / 2]), 1);
    assert!(resident() < before + SMALL, "{} bytes more after four writes", resident() - before);
    Ok(())
}

#[test]
fn outside_of_a_job_the_panic_says_where_arrays_exist() {
    #[symmetric]
    static LONELY: u32 = 1;
    let panic = std::panic::catch_unwind(|| local!(LONELY)).expect_err("there is no job");
    let message = panic.downcast_ref::<&str>().map(ToString::to_string);
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned()).expect("a text");
    assert!(message.contains("#[shmem::main]"), "{message}");
}

#[test]
fn outside_of_a_job_no_pe_has_a_number() {
    for ask in [shmem::my_pe, shmem::n_pes] {
        let panic = std::panic::catch_unwind(ask).expect_err("there is no job");
        let message = panic.downcast_ref::<String>().expect("a text");
        assert!(message.starts_with("`shmem::") && message.contains("outside of a job"), "{message}");
    }
}

/// The numbers that code without a `&World` gets are those of the world.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn global_numbers(world: &World) {
    let elsewhere = std::thread::spawn(|| (shmem::my_pe(), shmem::n_pes())).join().unwrap();
    assert_eq!(elsewhere, (world.my_pe(), world.n_pes()));
    assert_eq!((shmem::my_pe(), shmem::n_pes()), elsewhere);
}
