// What a selection moves, and what it leaves alone.
use shmem::prelude::*;

#[symmetric]
static ROW: [i32; 8] = [-1; 8];
#[symmetric]
static CUBE: [[[i32; 4]; 3]; 2] = [[[-1; 4]; 3]; 2];

#[symmetric]
static LARGE: [[u64; 1024]; 16] = [[7; 1024]; 16];

const FROM: usize = 4;
const STEP: usize = 3;

#[shmem::main(npes = 2)]
fn main(world: &World) {
    let right = (world.my_pe() + 1) % world.n_pes();

    macro_rules! writes {
        ($($selector:tt)*) => {{
            local!(ROW[..] = -1);
            world.barrier_all();
            remote!(ROW[right, $($selector)*] = 7);
            world.barrier_all();
            let written: Vec<usize> = (0..8).filter(|i| local!(ROW[*i]) == 7).collect();
            world.barrier_all();
            written
        }};
    }
    let (three, six) = (3, 6);
    assert_eq!(writes!(..), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(writes!(4..8), [4, 5, 6, 7]);
    assert_eq!(writes!(4..), [4, 5, 6, 7]);
    assert_eq!(writes!(8..), []);
    assert_eq!(writes!(3..3), []);
    assert_eq!(writes!(..3), [0, 1, 2]);
    assert_eq!(writes!(..=3), [0, 1, 2, 3]);
    assert_eq!(writes!(2..=2), [2]);
    assert_eq!(writes!(..;3), [0, 3, 6]);
    assert_eq!(writes!(1..;3), [1, 4, 7]);
    assert_eq!(writes!(1..7;3), [1, 4]);
    assert_eq!(writes!(1..=7;3), [1, 4, 7]);
    assert_eq!(writes!(0..8;100), [0]);
    assert_eq!(writes!(FROM..FROM + 2), [4, 5]);
    assert_eq!(writes!(..;STEP), [0, 3, 6]);
    assert_eq!(writes!(three..six), [3, 4, 5]);
    assert_eq!(writes!(three..=six;2), [3, 5]);
    assert_eq!(writes!(six..), [6, 7]);
    assert_eq!(writes!(..;three), [0, 3, 6]);
    assert_eq!(writes!((1..3)), [1, 2]);
    assert_eq!(writes!(three), [3]);
    assert_eq!(writes!(0x7), [7]);
    assert_eq!(writes!({ FROM }), [4]);

    // Rows, columns, planes and blocks of a block.
    remote!(CUBE[right, 0, .., 1]) = [10, 11, 12];
    remote!(CUBE[right, 1, 1..3, 2..4]) = [[20, 21], [22, 23]];
    remote!(CUBE[right, .., 0, 3]) = vec![30, 31];
    world.barrier_all();
    let whole: [[[i32; 4]; 3]; 2] = local!(CUBE[.., .., ..]);
    assert_eq!(whole[0], [[-1, 10, -1, 30], [-1, 11, -1, -1], [-1, 12, -1, -1]]);
    assert_eq!(whole[1], [[-1, -1, -1, 31], [-1, -1, 20, 21], [-1, -1, 22, 23]]);
    let nothing: [[i32; 0]; 2] = local!(CUBE[0, 0..2, 4..]);
    assert_eq!(nothing, [[]; 2]);

    // Above 64 KiB a read goes into a buffer; what is a `Vec` anyway, a reference or a write has no limit.
    let eight: [[u64; 1024]; 8] = remote!(LARGE[right, 0..8, ..]);
    assert_eq!(eight[7][1023], 7);
    let mut buffer = vec![0; 16 << 10];
    remote!(LARGE[right, .., ..] => &mut buffer);
    assert_eq!(buffer[16383], 7);
    world.barrier_all();
    remote!(LARGE[right, .., ..] = 3);
    world.barrier_all();
    remote!(LARGE[right, .., ..] = &buffer);
    world.barrier_all();
    assert_eq!(remote!(&LARGE[right, .., ..]).len(), 16 << 10);
    let sixteen = 16;
    assert_eq!(local!(LARGE[0..sixteen, ..]), buffer);
}
