// `wait!` and `poll!` in all places and forms, and `put_signal`.
#![deny(warnings)]

use shmem::prelude::*;

mod flags {
    use shmem::prelude::*;

    #[symmetric]
    pub static READY: Atomic<u64> = Atomic::new(0);
    #[symmetric]
    pub static GRID: [[Atomic<i32>; 3]; 2] = [[Atomic::new(0); 3]; 2];
}

#[symmetric]
static MAIL: PerPe<Atomic<i64>> = PerPe::new(Atomic::new(0));
#[symmetric]
static DATA: [f32; 6] = [0.0; 6];

const LIMIT: i32 = 4;

// Words of the macros, as names.
#[symmetric]
#[allow(non_upper_case_globals)]
static any: [Atomic<usize>; 2] = [Atomic::new(1); 2];

struct Inbox {
    slots: SymmetricArray<Atomic<u32>, 1>,
}

impl Inbox {
    fn first(&self) -> Option<usize> {
        poll!(any self.slots[..] != 0)
    }
}

/// No attribute is needed.
fn generic<const N: usize>(cells: &SymmetricArray<Atomic<u32>, 1>) -> bool {
    poll!(all cells[{ N }..] == [0; 2]; except [false; 2])
}

macro_rules! wait_for {
    ($object:expr, $index:expr, $value:expr) => {
        wait!(($object)[$index] == $value)
    };
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let right = (world.my_pe() + 1) % world.n_pes();
    remote!(&DATA[right, ..;2]).put_signal([1.0, 2.0, 3.0], remote!(&flags::READY[right]), SignalOp::Set(9));
    let seen: u64 = wait!(flags::READY != 0);
    assert_eq!((seen, local!(DATA[..;2])), (9, [1.0, 2.0, 3.0]));

    remote!(flags::GRID[right, 1, ..]) = [3, 4, 5];
    wait!(all flags::GRID[1, ..] >= [3, 4, 5]);
    let at: Option<usize> = wait!(any flags::GRID[.., 1..] > LIMIT);
    assert_eq!(at, Some(3));
    let all: Vec<usize> = wait!(some flags::GRID[.., ..] >= { LIMIT - 1 });
    assert_eq!(all, vec![3, 4, 5]);
    assert_eq!(wait!(any any[..] == 1 + 0; except vec![true, false]), Some(1));
    assert!(poll!(any[0] < 2));
    if poll!(flags::READY < 9) || !poll!(flags::READY <= if seen > 0 { 9 } else { 0 }) {
        return Ok(());
    }

    let inbox = Inbox { slots: world.symmetric_array([4], Atomic::new(0))? };
    assert!(generic::<2>(&inbox.slots));
    assert_eq!(inbox.first(), None);
    world.barrier_all();
    remote!(inbox.slots[right, 3]) = 1;
    wait_for!(inbox.slots, 3, 1);
    remote!(MAIL[right, world.my_pe()]) = -1;
    wait_for!(MAIL, right, -1);
    Ok(())
}
