//! Reductions, scans and redistribution of global arrays against a model: one `Vec` for the whole array.

use shmem::prelude::*;
use shmem::reduction::{Max, Sum, Xor};
use shmem::{Error, GlobalIndex, Rank, Ranked};

use crate::generator::Random;

const ALL: [Distribution; 4] =
    [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(2), Distribution::BlockCyclic(3)];

/// An array of these elements, in row-major order.
fn filled<const R: usize>(
    world: &World,
    extents: [usize; R],
    distribution: Distribution,
    model: &[f64],
) -> Result<GlobalArray<f64, R>, Error>
where
    Rank<R>: Ranked,
{
    let array = world.global_array::<f64, R>(extents, distribution)?;
    world.local_phase(|p| {
        for (index, x) in array.mine_mut(p) {
            *x = model[number(&array, index)];
        }
    });
    Ok(array)
}

/// The place of an index in row-major order.
fn number<I, const R: usize>(array: &GlobalArray<I, R>, index: <Rank<R> as Ranked>::Index) -> usize
where
    I: shmem::Item,
    Rank<R>: Ranked,
{
    index.numbers().into_iter().zip(array.extents()).fold(0, |number, (i, n)| number * n + i)
}

fn check_reductions<const R: usize>(
    world: &World,
    extents: [usize; R],
    distribution: Distribution,
    random: &mut Random,
) -> Result<(), Error>
where
    Rank<R>: Ranked,
{
    let len = extents.iter().product();
    let model: Vec<f64> = (0..len)
        .map(|_| if random.below(7) == 0 { f64::NAN } else { random.below(40) as f64 / 8.0 - 2.0 })
        .collect();
    let array = filled(world, extents, distribution, &model)?;
    let what = || format!("{array:?}: {model:?}");
    // The parts in their order, joined as documented.
    let mut parts: Vec<Vec<f64>> = vec![Vec::new(); world.n_pes()];
    let mut index = [0; R];
    for (place, &value) in model.iter().enumerate() {
        let mut rest = place;
        for axis in (0..R).rev() {
            index[axis] = rest % extents[axis];
            rest /= extents[axis];
        }
        let mut all = [0; 4];
        all[..R].copy_from_slice(&index);
        parts[array.owner(GlobalIndex::of(all))].push(value);
    }
    let joined = |join: fn(f64, f64) -> f64| {
        parts.iter().filter_map(|part| part.iter().copied().reduce(join)).reduce(join)
    };
    let bits = |value: Option<f64>| value.map(f64::to_bits);
    let uneven = |a: f64, b: f64| 0.75 * a.max(-3.0) - b.min(9.0);
    assert_eq!(bits(array.reduce_with(uneven)), bits(joined(uneven)), "{}", what());
    assert_eq!(bits(array.min()), bits(joined(f64::min)), "{}", what());
    assert_eq!(bits(array.max()), bits(joined(f64::max)), "{}", what());
    for (found, sign) in [(array.minloc(), 1.0), (array.maxloc(), -1.0)] {
        let numbers = || model.iter().enumerate().filter(|(_, x)| !x.is_nan());
        let expected =
            numbers().min_by(|(i, a), (j, b)| (sign * **a).total_cmp(&(sign * **b)).then(i.cmp(j)));
        let expected = expected.or(model.iter().enumerate().next());
        let found = found.map(|(value, index)| (number(&array, index), value.to_bits()));
        assert_eq!(found, expected.map(|(place, value)| (place, value.to_bits())), "{}", what());
    }
    world.local_phase(|p| {
        for x in array.as_mut_slice(p).iter_mut().filter(|x| x.is_nan()) {
            *x = 0.5;
        }
    });
    for part in parts.iter_mut().flatten().filter(|x| x.is_nan()) {
        *part = 0.5;
    }
    let joined = |join: fn(f64, f64) -> f64| {
        parts.iter().filter_map(|part| part.iter().copied().reduce(join)).reduce(join)
    };
    assert_eq!(array.sum().to_bits(), joined(|a, b| a + b).unwrap_or(0.0).to_bits());
    assert_eq!(array.prod().to_bits(), joined(|a, b| a * b).unwrap_or(1.0).to_bits());
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn reductions(world: &World) -> Result<(), Error> {
    let mut random = Random(31);
    for distribution in ALL {
        for n in [0, 1, 5, 30] {
            check_reductions(world, [n], distribution, &mut random)?;
        }
        check_reductions(world, [5, 3], distribution, &mut random)?;
    }
    check_reductions(world, [6, 5], Distribution::Block2d, &mut random)?;
    check_reductions(world, [3, 2, 4], Distribution::Cyclic, &mut random)?;
    // More than are copied at a time, and atomic cells.
    let cells = world.global_array::<Atomic<u32>, 1>([5000], Distribution::Cyclic)?;
    for i in cells.mine() {
        remote!(cells[@i] = i as u32);
    }
    assert_eq!(cells.sum(), (0..5000).sum());
    assert_eq!(cells.reduce(Xor), (0..5000).reduce(|a, b| a ^ b));
    assert_eq!(cells.maxloc(), Some((4999, 4999)));
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn scans(world: &World) -> Result<(), Error> {
    for distribution in ALL {
        for n in [0, 1, 2, 5, 40] {
            let array = world.global_array::<u16, 1>([n], distribution)?;
            let other = world.global_array::<u16, 1>([n], Distribution::Cyclic)?;
            let model: Vec<u16> = (0..n).map(|i| (i * 7919 % 60_000) as u16).collect();
            world.local_phase(|p| array.mine_mut(p).into_iter().for_each(|(i, x)| *x = model[i]));
            let mut sums = Vec::new();
            let mut sum = 0_u16;
            for x in &model {
                sum = sum.wrapping_add(*x);
                sums.push(sum);
            }
            array.scan(Sum, &other);
            assert_eq!(remote!(other[@..]), sums, "{array:?}");
            let maxima: Vec<u16> = (0..n).map(|i| *model[..=i].iter().max().unwrap()).collect();
            array.scan(Max, &other);
            assert_eq!(remote!(other[@..]), maxima, "{array:?}");
            world.barrier_all();
            array.exscan(&array);
            let before: Vec<u16> = [0].into_iter().chain(sums).take(n).collect();
            assert_eq!(remote!(array[@..]), before, "{array:?}");
            world.barrier_all();
        }
    }
    Ok(())
}

fn check_assignment<const R: usize>(
    world: &World,
    extents: [usize; R],
    distributions: &[Distribution],
) -> Result<(), Error>
where
    Rank<R>: Ranked,
{
    let len: usize = extents.iter().product();
    for (round, &distribution) in distributions.iter().enumerate() {
        let model: Vec<f64> = (0..len).map(|i| (100 * round + i) as f64).collect();
        let from = filled(world, extents, distribution, &model)?;
        for &other in distributions {
            let to = world.global_array::<f64, R>(extents, other)?;
            to.assign_from(&from);
            world.local_phase(|p| {
                for (index, x) in to.mine_mut(p) {
                    assert_eq!(*x, model[number(&to, index)], "{from:?} to {to:?}");
                }
            });
        }
        from.assign_from(&from);
        assert_eq!(from.sum(), model.iter().sum());
    }
    Ok(())
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn assignments_between_all_distributions(world: &World) -> Result<(), Error> {
    for n in [0, 1, 6, 29] {
        check_assignment(world, [n], &ALL)?;
    }
    let [block, cyclic, two, three] = ALL;
    check_assignment(world, [9, 5], &[block, cyclic, two, three, Distribution::Block2d])?;
    check_assignment(world, [5, 2, 3], &[block, cyclic, two])
}

#[shmem::test(npes = 2)]
fn other_extents(world: &World) -> Result<(), Error> {
    let one = world.global_array::<u8, 1>([5], Distribution::Block)?;
    let other = world.global_array::<u8, 1>([6], Distribution::Cyclic)?;
    for call in [Box::new(|| one.assign_from(&other)) as Box<dyn Fn()>, Box::new(|| one.scan(Sum, &other))] {
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).unwrap_err();
        let told = told.downcast_ref::<String>().expect("a message");
        assert!(told.contains("of 5 in blocks") && told.contains("of 6 cyclically"), "{told}");
    }
    Ok(())
}
