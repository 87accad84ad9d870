//! Global arrays: who holds what, and selections across the borders of PEs.

use shmem::prelude::*;

#[symmetric]
static OWN: [u64; 4] = [0; 4];

// ANCHOR: statics
#[symmetric(block)]
static TABLE: [Atomic<u64>; 1 << 20] = [Atomic::new(0); 1 << 20];
#[symmetric(cyclic)]
static SQUARES: [u64; 6] = [0, 1, 4, 9, 16, 25];
#[symmetric(block2d)]
static PLANE: [[f32; 64]; 64] = [[1.0; 64]; 64];
// ANCHOR_END: statics

// ANCHOR: make
#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let line = world.global_array::<u64, 1>([10], Distribution::Block)?;
    let hits =
        world.global_array::<Atomic<u64>, 1>([10], Distribution::Cyclic)?;
    let grid = world.global_array::<u64, 2>([4, 6], Distribution::Block2d)?;
    // ANCHOR_END: make
    let me = world.my_pe();

    // ANCHOR: fill
    world.local_phase(|p| {
        for (i, x) in line.mine_mut(p) {
            *x = 10 * i as u64; // each PE writes its own elements
        }
        for ([i, j], x) in grid.mine_mut(p) {
            *x = (10 * i + j) as u64;
        }
    });
    // ANCHOR_END: fill

    // ANCHOR: read
    let i = 7;
    let one: u64 = remote!(line[@i]);
    let three: [u64; 3] = remote!(line[@3..9;2]);
    let some: Vec<u64> = remote!(line[@2..i]);
    let listed: [u64; 4] = remote!(line[@[9, 0, 5, 5]]);
    let list = vec![8, 1];
    let of_list: Vec<u64> = remote!(line[@list]);
    let block: [[u64; 3]; 2] = remote!(grid[@1..3, 2..5]);
    let column: Vec<u64> = remote!(grid[@.., 5]);
    // ANCHOR_END: read
    if me == 0 {
        println!("one     {one}");
        println!("three   {three:?}");
        println!("some    {some:?}");
        println!("listed  {listed:?}");
        println!("of_list {of_list:?}");
        println!("block   {block:?}");
        println!("column  {column:?}");
    }

    // ANCHOR: update
    for i in 0..10 {
        remote!(hits[@i * i % 10]) += 1;
    }
    world.barrier_all();
    let nines = remote!(&hits[@9]).fetch_add(0);
    // ANCHOR_END: update
    assert_eq!(nines, 2 * world.n_pes() as u64);

    // ANCHOR: write
    if me == 0 {
        remote!(line[@4..6]) = [1, 2];
        remote!(grid[@.., 0]) = 7; // a column, on two or more PEs
        remote!(line[@[0, 9]]) = [3, 4];
    }
    world.barrier_all();
    local!(OWN[..]) = remote!(&line[@3..7]); // from there to an object of this PE
    // ANCHOR_END: write
    assert_eq!(local!(OWN[..]), [30, 1, 2, 60]);
    assert_eq!(remote!(line[@[0, 9]]), [3, 4]);
    assert_eq!(remote!(grid[@.., 0]), [7; 4]);

    // ANCHOR: use_statics
    remote!(TABLE[@1_000_000]) += 1; // the compiler checks the index
    let squares: [u64; 3] = remote!(SQUARES[@3..]);
    let corner: [[f32; 2]; 2] = remote!(PLANE[@62.., ..2]);
    // ANCHOR_END: use_statics
    assert_eq!((squares, corner), ([9, 16, 25], [[1.0; 2]; 2]));
    assert_eq!(TABLE.owner(0), 0);

    // ANCHOR: owners
    for pe in 0..world.n_pes() {
        if pe == me {
            println!(
                "PE {pe}: line {:?}, hits {:?}",
                line.mine().collect::<Vec<_>>(),
                hits.mine().collect::<Vec<_>>()
            );
            println!(
                "      grid {:?}, first {:?}",
                grid.part_extents(pe),
                grid.mine().next()
            );
        }
        world.barrier_all();
    }
    // ANCHOR_END: owners
    assert_eq!(line.owner(9), (9 / 10_usize.div_ceil(world.n_pes())));
    Ok(())
}
