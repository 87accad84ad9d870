//! What a wrong list is told, and that nothing was moved before.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shmem::prelude::*;

#[symmetric]
static LINE: [u32; 8] = [7; 8];
#[symmetric]
static GRID: [[u32; 4]; 3] = [[7; 4]; 3];

/// The message with which `act` panics.
#[track_caller]
fn message(act: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(act)).expect_err("it panics");
    payload.downcast_ref::<String>().expect("a text").clone()
}

macro_rules! says {
    ($($act:expr => $($part:expr),+;)*) => {$(
        let text = message(|| { let _ = $act; });
        $(
            let part: &str = &$part;
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        )+
    )*};
}

#[shmem::test(npes = [1, 2])]
fn messages(world: &World) {
    let pe = world.n_pes() - 1;
    let list = vec![1, 2, 3, 9, 11];
    let long: Vec<usize> = (0..100).map(|i| i % 9).collect();
    let (eight, zero) = (8, 0);
    let range = 2..9;
    says! {
        remote!(LINE[pe, @list]) =>
            format!("`LINE[[1, 2, 3, 9, 11]]` on PE {pe} is out of bounds: "),
            "index 9 at position 3 of the list on axis 0, which has extent 8; ",
            "the object is `LINE: [u32; 8]` (", "with extents [8]";
        remote!(LINE[pe, @list] = [0; 5]) => "index 9 at position 3 of the list";
        remote!(LINE[pe, @list] = 0) => "index 9 at position 3 of the list";
        remote!(&LINE[pe, [0, eight]]) => "index 8 at position 1 of the list";
        remote!(GRID[pe, .., @long]) =>
            "`GRID[.., [0, 1, 2, 3, 4, 5, 6, 7, …]]`", "index 4 at position 4 of the list on axis 1";
        remote!(GRID[pe, @list, eight]) => "index 3 at position 2 of the list on axis 0";
        remote!(GRID[pe, [0], @list[3..]]) => "index 9 at position 0 of the list on axis 1";
        remote!(LINE[pe, range;-2]) => "`LINE[2..9;-2]`", "the range on axis 0 ends at 9";
        remote!(LINE[pe, ..eight;-zero]) => "`LINE[0..8;-0]`", "the step on axis 0 is 0";
        remote!(LINE[pe, range.start..zero;-1]) => "starts at 2 and ends before it, at 0";
        remote!(LINE[pe, @list[..2]] = [1, 2, 3]) => "the source has 3 elements", "has 2";
        remote!(LINE[pe, @list[..2]] = &[1, 2, 3][..]) => "the source has 3 elements", "has 2";
        remote!(LINE[pe, @list[..2]] => &mut [0; 3]) => "the buffer to read into has 3 elements";
        remote!(LINE[pe, @list[..2]] = local!(&GRID[zero, ..])) =>
            "the source has 4 elements of `GRID: [[u32; 4]; 3]` (",
            format!(") on PE {}, and the selection of `LINE: [u32; 8]` (", world.my_pe()), "on PE", "has 2";
        remote!(LINE[world.n_pes(), @list[..1]]) => "there is no PE", "the access is to `LINE: [u32; 8]`";
        remote!(LINE[pe, ..4] = remote!(&LINE[9, 4..])) => "there is no PE 9";
        remote!(LINE[9, ..4] = remote!(&LINE[pe, 4..])) => "there is no PE 9";
    }
    world.barrier_all();
    assert_eq!((local!(LINE[..]), local!(GRID[.., ..])), ([7; 8], [[7; 4]; 3]));
}

#[symmetric]
static CUBE: [[[[u8; 2]; 2]; 2]; 2] = [[[[7; 2]; 2]; 2]; 2];
#[symmetric(block)]
static DIVIDED: [[[[u8; 2]; 2]; 2]; 2] = [[[[7; 2]; 2]; 2]; 2];

/// Lists may have an index any number of times. Here the number of elements is 2^64 + 230, and 2^64.
#[shmem::test(npes = [1, 2])]
fn lists_that_select_more_than_memory_holds(world: &World) {
    for (lens, source) in [([82609, 69341, 42618, 75563], vec![1; 230]), ([1 << 16; 4], Vec::new())] {
        let lists = lens.map(|len| vec![1_usize; len]);
        let [a, b, c, d] = &lists;
        let mut buffer = source.clone();
        let counts = lens.map(|len| len.to_string()).join(" * ");
        let says =
            format!(" has {counts} elements, more than the memory of a process holds: shorten the lists");
        says! {
            remote!(CUBE[0, @a, @b, @c, @d]) => format!("the selection of `CUBE: [[[[u8; 2]; 2]; 2]; 2]` ("), says;
            local!(CUBE[@a, @b, @c, @d]) => says;
            local!(&CUBE[@a, @b, @c, @d]) => says;
            remote!(CUBE[0, @a, @b, @c, @d] = &source[..]) => says;
            remote!(CUBE[0, @a, @b, @c, @d] = 1) => says;
            remote!(CUBE[0, @a, @b, @c, @d] => &mut buffer) => says;
            world.nbi(|s| s.get(remote!(&CUBE[0, @a, @b, @c, @d]), &mut buffer)) => says;
            remote!(DIVIDED[@a, @b, @c, @d]) => "the selection of `DIVIDED: ", says;
            remote!(DIVIDED[@a, @b, @c, @d] = &source[..]) => says;
            remote!(DIVIDED[@a, @b, @c, @d] => &mut buffer) => says;
        }
        // None on one axis is none in all.
        assert_eq!(remote!(CUBE[0, @a, @b, @c, @d[..0]]), Vec::<u8>::new());
        assert_eq!(remote!(DIVIDED[@a[..0], @b, @c, @d]), Vec::<u8>::new());
    }
    world.barrier_all();
    assert_eq!(local!(CUBE[.., .., .., ..]), [[[[7; 2]; 2]; 2]; 2]);
}
