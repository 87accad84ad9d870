//! Global arrays against a model: one `Vec` for the whole array.
//!
//! Every PE draws the same from the same seeds. In each round one PE writes, then all PEs read.

use shmem::prelude::*;
use shmem::select::{Many, Spread};
use shmem::{Error, Item, Rank, Ranked};

use crate::generator::Random;
use crate::objects::{Axis, Model};
use crate::random::Drawn;

const ROUNDS: usize = 12;

/// References to several elements, ascending or not.
enum Selected<'a, I> {
    Range(Remote<'a, I, Spread<'static, Many>>),
    List(Remote<'a, I, Spread<'a, Many>>),
}

macro_rules! each {
    ($selected:expr, $it:ident => $use:expr) => {
        match $selected {
            Selected::Range($it) => $use,
            Selected::List($it) => $use,
        }
    };
}

/// A global array of any rank.
trait Whole<I: Item> {
    fn select<'a>(&'a self, axes: &'a [Axis]) -> Selected<'a, I>;
    /// The element at an index, and its PE.
    fn element(&self, index: &[usize]) -> (I::Value, usize);
    fn set(&self, index: &[usize], value: I::Value);
}

impl<I: Item> Whole<I> for GlobalArray<I, 1> {
    fn select<'a>(&'a self, axes: &'a [Axis]) -> Selected<'a, I> {
        match &axes[0] {
            Axis::Index(a) => Selected::Range(remote!(&(*self)[@*a..*a + 1])),
            Axis::Up(a, b, s) => Selected::Range(remote!(&(*self)[@*a..*b;*s])),
            Axis::Down(a, b, s) => Selected::List(remote!(&(*self)[@*a..*b;-*s])),
            Axis::List(list) => Selected::List(remote!(&(*self)[@list])),
        }
    }
    fn element(&self, index: &[usize]) -> (I::Value, usize) {
        let i = index[0];
        assert_eq!(self.owner(i), remote!(&(*self)[@i]).pe());
        (remote!((*self)[@i]), self.owner(i))
    }
    fn set(&self, index: &[usize], value: I::Value) {
        remote!((*self)[@index[0]] = value);
    }
}

impl<I: Item> Whole<I> for GlobalArray<I, 2> {
    fn select<'a>(&'a self, axes: &'a [Axis]) -> Selected<'a, I> {
        use Axis::{Down, Index, List, Up};
        let (first, second) = (&axes[0], &axes[1]);
        match (first, second) {
            (Index(i), Up(a, b, s)) => Selected::Range(remote!(&(*self)[@*i, *a..*b;*s])),
            (Up(a, b, s), Index(j)) => Selected::Range(remote!(&(*self)[@*a..*b;*s, *j])),
            (Index(i), Index(j)) => Selected::Range(remote!(&(*self)[@*i..*i + 1, *j])),
            (Up(a, b, s), Up(c, d, t)) => Selected::Range(remote!(&(*self)[@*a..*b;*s, *c..*d;*t])),
            (List(list), Up(c, d, t)) => Selected::List(remote!(&(*self)[@list, *c..*d;*t])),
            (List(list), Down(c, d, t)) => Selected::List(remote!(&(*self)[@list, *c..*d;-*t])),
            (Down(a, b, s), Up(c, d, t)) => Selected::List(remote!(&(*self)[@*a..*b;-*s, *c..*d;*t])),
            (Down(a, b, s), Down(c, d, t)) => Selected::List(remote!(&(*self)[@*a..*b;-*s, *c..*d;-*t])),
            (Up(a, b, s), Down(c, d, t)) => Selected::List(remote!(&(*self)[@*a..*b;*s, *c..*d;-*t])),
            (Up(a, b, s), List(list)) => Selected::List(remote!(&(*self)[@*a..*b;*s, @list])),
            (List(one), List(two)) => Selected::List(remote!(&(*self)[@one, @two])),
            (Down(a, b, s), List(list)) => Selected::List(remote!(&(*self)[@*a..*b;-*s, @list])),
            (List(list), Index(j)) => Selected::List(remote!(&(*self)[@list, *j])),
            (Down(a, b, s), Index(j)) => Selected::List(remote!(&(*self)[@*a..*b;-*s, *j])),
            (Index(i), List(list)) => Selected::List(remote!(&(*self)[@*i, @list])),
            (Index(i), Down(c, d, t)) => Selected::List(remote!(&(*self)[@*i, *c..*d;-*t])),
        }
    }
    fn element(&self, index: &[usize]) -> (I::Value, usize) {
        (remote!((*self)[@index[0], index[1]]), self.owner([index[0], index[1]]))
    }
    fn set(&self, index: &[usize], value: I::Value) {
        remote!((*self)[@index[0], index[1]] = value);
    }
}

impl<I: Item> Whole<I> for GlobalArray<I, 3> {
    fn select<'a>(&'a self, axes: &'a [Axis]) -> Selected<'a, I> {
        match (&axes[0], &axes[1], &axes[2]) {
            (Axis::List(list), Axis::Up(a, b, s), _) => {
                Selected::List(remote!(&(*self)[@list, *a..*b;*s, ..]))
            }
            _ => Selected::Range(remote!(&(*self)[@.., .., ..])),
        }
    }
    fn element(&self, index: &[usize]) -> (I::Value, usize) {
        let [i, j, k] = [index[0], index[1], index[2]];
        (remote!((*self)[@i, j, k]), self.owner([i, j, k]))
    }
    fn set(&self, index: &[usize], value: I::Value) {
        remote!((*self)[@index[0], index[1], index[2]] = value);
    }
}

fn axes(random: &mut Random, extents: &[usize]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = extents.iter().map(|&extent| Axis::any(random, extent, true)).collect();
    if let [first, second, third] = &mut axes[..] {
        if !matches!((&*first, &*second), (Axis::List(_), Axis::Up(..))) {
            (*first, *second) = (Axis::Up(0, extents[0], 1), Axis::Up(0, extents[1], 1));
        }
        *third = Axis::Up(0, extents[2], 1);
    }
    axes
}

fn one_kind<I: Drawn, const R: usize>(
    world: &World,
    extents: [usize; R],
    distribution: Distribution,
    seed: u64,
) -> Result<(), Error>
where
    Rank<R>: Ranked,
    GlobalArray<I, R>: Whole<I>,
{
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let array = world.global_array::<I, R>(extents, distribution)?;
    let near = world.zeros::<I, 1>([8 * array.len()])?;
    let mut random = Random(seed);
    let mut model = Model { extents: extents.to_vec(), elements: vec![I::drawn(&mut random); array.len()] };
    if me == 0 {
        let all: Vec<Axis> = extents.iter().map(|&extent| Axis::Up(0, extent, 1)).collect();
        each!(array.select(&all), it => {
            // An array of zeros.
            assert_eq!(it.get(), local!(near[..array.len()]));
            it.fill(model.elements[0]);
        });
    }
    world.barrier_all();
    for round in 0..ROUNDS {
        let to = axes(&mut random, &extents);
        let places = model.places(&to);
        let values: Vec<I::Value> = places.iter().map(|_| I::drawn(&mut random)).collect();
        let kind = random.below(6);
        if me == round % n_pes {
            let selected = array.select(&to);
            each!(selected, it => assert_eq!(it.len(), values.len()));
            each!(selected, it => match kind {
                0 | 1 => it.put(&values),
                2 => world.nbi(|s| s.put(it, &values)),
                3 => it.fill(*values.first().unwrap_or(&model.elements[0])),
                4 => {
                    local!((near)[..values.len()] = &values);
                    it.put(local!(&near[..values.len()]));
                }
                _ => {
                    // Strided, so that it is not the local memory of the transfer.
                    local!((near)[..2 * values.len();2] = &values);
                    it.put(local!(&near[..2 * values.len();2]));
                }
            });
        }
        match kind {
            3 if values.is_empty() => {}
            3 => model.put(&to, &vec![values[0]; values.len()]),
            _ => model.put(&to, &values),
        }
        world.barrier_all();
        // Each PE reads something else.
        let mut own = Random(seed + 1000 * round as u64 + me as u64);
        let from = axes(&mut own, &extents);
        let expected = model.get(&from);
        let what = || format!("round {round}, {distribution:?} of {extents:?} over {n_pes} PEs: {from:?}");
        each!(array.select(&from), it => {
            assert_eq!(it.get(), expected, "{}", what());
            let mut buffer = expected.clone();
            buffer.reverse();
            it.get_into(&mut buffer);
            assert_eq!(buffer, expected, "{}", what());
            buffer.reverse();
            world.nbi(|s| s.get(it, &mut buffer));
            assert_eq!(buffer, expected, "{}", what());
            // And from there to an array of its own.
            local!(&near[..expected.len()]).put(it);
            assert_eq!(local!(near[..expected.len()]), expected, "{}", what());
            local!(&near[..2 * expected.len();2]).put(it);
            assert_eq!(local!(near[..2 * expected.len();2]), expected, "{}", what());
        });
        world.barrier_all();
    }
    // From the array to itself: what is read was there before.
    let (to, from) = (Axis::Up(0, extents[0], 1), Axis::Down(0, extents[0], 1));
    let mut to = vec![to];
    let mut from = vec![from];
    for &extent in &extents[1..] {
        to.push(Axis::Up(0, extent, 1));
        from.push(Axis::Up(0, extent, 1));
    }
    if R < 3 {
        if me == n_pes - 1 {
            each!(array.select(&to), to => each!(array.select(&from), from => to.put(from)));
        }
        let turned = model.get(&from);
        model.put(&to, &turned);
        world.barrier_all();
    }
    // Element by element.
    let mut held = vec![0; n_pes];
    let mut index = vec![0; R];
    for (place, &value) in model.elements.iter().enumerate() {
        let mut rest = place;
        for axis in (0..R).rev() {
            index[axis] = rest % extents[axis];
            rest /= extents[axis];
        }
        let (found, owner) = array.element(&index);
        assert_eq!(found, value, "{distribution:?} {index:?}");
        held[owner] += 1;
    }
    for (pe, held) in held.into_iter().enumerate() {
        assert_eq!(array.part_extents(pe).iter().product::<usize>(), held);
    }
    assert_eq!(array.mine().len(), array.part_extents(me).iter().product());
    if let Some(place) = (0..model.elements.len()).nth(seed as usize % model.elements.len().max(1)) {
        world.barrier_all();
        let mut rest = place;
        for axis in (0..R).rev() {
            index[axis] = rest % extents[axis];
            rest /= extents[axis];
        }
        let value = I::drawn(&mut random);
        if me == 0 {
            array.set(&index, value);
        }
        model.elements[place] = value;
        world.barrier_all();
        assert_eq!(array.element(&index).0, value);
    }
    world.barrier_all();
    array.free()?;
    near.free()
}

fn every_distribution<I: Drawn>(world: &World, seed: u64) -> Result<(), Error> {
    let mut random = Random(seed);
    for distribution in
        [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(1 + random.below(4))]
    {
        one_kind::<I, 1>(world, [1 + random.below(60)], distribution, seed)?;
    }
    let extents = [1 + random.below(14), 1 + random.below(9)];
    let any = [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(2)][random.below(3)];
    one_kind::<I, 2>(world, extents, any, seed)?;
    one_kind::<I, 2>(world, [extents[1], extents[0]], Distribution::Block2d, seed)?;
    one_kind::<I, 3>(world, [5, 2, 3], any, seed)
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn plain(world: &World) -> Result<(), Error> {
    every_distribution::<u64>(world, 11)?;
    every_distribution::<u8>(world, 12)?;
    every_distribution::<[u8; 70]>(world, 13)
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn cells(world: &World) -> Result<(), Error> {
    every_distribution::<Atomic<u64>>(world, 21)?;
    every_distribution::<Atomic<u32>>(world, 22)
}

#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn slices(world: &World) -> Result<(), Error> {
    let me = world.my_pe();
    for distribution in [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(3)] {
        for n in [0, 1, 5, 23] {
            let line = world.global_array::<usize, 1>([n], distribution)?;
            world.local_phase(|p| {
                for (i, x) in line.mine_mut(p) {
                    *x = 1000 + i;
                }
            });
            assert_eq!(remote!(line[@..]), (1000..1000 + n).collect::<Vec<_>>());
            world.local_phase(|p| {
                let part = line.as_slice(p);
                assert_eq!(part.len(), line.part_extents(me)[0]);
                assert!(part.iter().zip(line.mine()).all(|(x, i)| *x == 1000 + i && line.owner(i) == me));
            });
            line.free()?;
        }
    }
    let grid = world.global_array::<[usize; 2], 2>([5, 7], Distribution::Block2d)?;
    world.local_phase(|p| {
        let mut mine = grid.mine_mut(p);
        for (index, x) in &mut mine {
            *x = index;
        }
        for (index, x) in &mut mine {
            assert_eq!(*x, index);
        }
        drop(mine);
        let [rows, columns] = grid.part_extents(me);
        assert_eq!(grid.as_mut_slice(p).len(), rows * columns);
    });
    for i in 0..5 {
        for j in 0..7 {
            assert_eq!(remote!(grid[@i, j]), [i, j]);
        }
    }
    Ok(())
}
