// What can stand before the brackets.
use std::rc::Rc;
use std::sync::Arc;

use shmem::prelude::*;

#[symmetric]
static ROW: [u64; 8] = [5; 8];
#[symmetric]
static COUNT: Atomic<u64> = Atomic::new(0);

struct Heat<'a> {
    grid: SymmetricArray<u64, 1>,
    shared: Rc<SymmetricArray<u64, 1>>,
    nested: (SymmetricArray<u64, 1>, Inner<'a>),
}

struct Inner<'a> {
    borrowed: &'a SymmetricArray<u64, 1>,
}

impl Heat<'_> {
    #[shmem::kernel]
    fn step(&mut self, pe: usize) -> u64 {
        remote!(self.grid[pe, 0]) = 1;
        remote!(self.shared[pe, 0]) = 2;
        remote!(self.nested.0[pe, 0]) = 3;
        remote!(self.nested.1.borrowed[pe, 0]) = 4;
        local!(self.grid[1]) = 9;
        let this = self;
        remote!(this.grid[pe, ..;2]).len() as u64
    }

    fn grid(&self) -> &SymmetricArray<u64, 1> {
        &self.grid
    }
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let right = (world.my_pe() + 1) % world.n_pes();
    let array = || world.symmetric_array::<u64, 1>([4], 0);

    let borrowed = array()?;
    let mut heat =
        Heat { grid: array()?, shared: Rc::new(array()?), nested: (array()?, Inner { borrowed: &borrowed }) };
    assert_eq!(heat.step(right), 2);
    world.barrier_all();
    let heads = [
        local!(heat.grid[0]),
        local!(heat.shared[0]),
        local!(heat.nested.0[0]),
        local!(heat.nested.1.borrowed[0]),
    ];
    assert_eq!(heads, [1, 2, 3, 4]);
    assert_eq!(local!((heat.grid())[1]), 9);

    let boxed = Box::new(array()?);
    let counted = Arc::new(array()?);
    let mut owned = array()?;
    let unique = &mut owned;
    let twice = &&borrowed;
    remote!(boxed[right, 1] = 1);
    remote!(counted[right, 1] = 2);
    remote!(unique[right, 1] = 3);
    remote!(twice[right, 1] = 4);
    world.barrier_all();
    assert_eq!([local!(boxed[1]), local!(counted[1]), local!(unique[1]), local!(twice[1])], [1, 2, 3, 4]);

    let grids = vec![array()?, array()?];
    for k in 0..grids.len() {
        remote!((grids[k])[right, ..]) = k as u64 + 1;
    }
    world.barrier_all();
    assert_eq!(local!((grids[1])[..]), [2; 4]);
    let found = grids.iter().find(|grid| local!(grid[0]) == 2);
    assert_eq!(local!((found.unwrap())[3]), 2);
    assert_eq!(local!((if right == 0 { &grids[0] } else { &grids[0] })[3]), 1);

    assert_eq!(local!((ROW)[3]) + local!((&ROW)[3]), 10);
    remote!((COUNT)[right] += 2);
    world.barrier_all();
    assert_eq!(local!((COUNT)), 2);
    Ok(())
}
