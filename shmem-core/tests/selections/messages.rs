//! What a wrong selection is told: the message names the object, its extents, the PE and the
//! selection.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use shmem::prelude::*;

use crate::model::Axis;

thread_local! {
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
    /// File and line of the last panic that was expected.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps panics that [`panics`] waits for out of the output.
pub(crate) fn expect_panics_quietly() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if EXPECTED.get() {
                let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
                PLACE.set(place.unwrap_or_default());
            } else {
                before(info);
            }
        }));
    });
}

/// The message with which `act` panics.
#[track_caller]
pub(crate) fn panics(what: &str, act: impl FnOnce()) -> String {
    EXPECTED.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(act));
    EXPECTED.set(false);
    match result {
        Ok(()) => panic!("{what}: no panic"),
        Err(payload) => match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(payload) => {
                payload.downcast_ref::<&str>().expect("the message of a panic is a text").to_string()
            }
        },
    }
}

/// Checks that `act` panics with a message about a selection out of bounds.
pub(crate) fn out_of_bounds(
    what: &str,
    name: &str,
    extents: &[usize],
    pe: usize,
    axes: &[Axis],
    act: impl FnOnce(),
) {
    let message = panics(what, act);
    let extents: Vec<String> = extents.iter().map(ToString::to_string).collect();
    let mut parts = vec![
        format!("`{name}"),
        format!("]` on PE {pe} is out of bounds: "),
        format!("with extents [{}]", extents.join(", ")),
    ];
    for axis in axes {
        // An inclusive end is shown as the one after it, and a step of 1 not at all.
        let numbers = axis.numbers();
        if !axis.is_inclusive() && !numbers.contains(&1) {
            parts.extend(numbers.iter().map(ToString::to_string));
        }
    }
    for part in parts {
        assert!(message.contains(&part), "{what}: {part:?} is not in the message: {message}");
    }
}

/// Checks that `act` panics with a message about a source or a buffer of a wrong length.
pub(crate) fn wrong_length(what: &str, whose: &str, len: usize, selected: usize, act: impl FnOnce()) {
    let message = panics(what, act);
    assert!(message.starts_with(whose), "{what}: {message}");
    assert!(message.contains(&format!(" has {len} elements, and the selection of ")), "{what}: {message}");
    assert!(message.ends_with(&format!(" has {selected}")), "{what}: {message}");
}

#[symmetric]
static LINE: [f64; 8] = [1.5; 8];
#[symmetric]
static BOARD: [[u8; 4]; 3] = [[7; 4]; 3];
#[symmetric]
static SLOTS: PerPe<[u16; 2]> = PerPe::new([0; 2]);
#[symmetric]
static LEVEL: i32 = 3;
#[symmetric]
static CELLS: [Atomic<u64>; 5] = [Atomic::new(0); 5];

/// Checks that the expression panics, that its message contains the text, and that the panic is
/// reported for the line of the expression.
macro_rules! panics_with {
    ($text:expr, $act:expr;) => {
        let mut line = 0;
        let message = panics(stringify!($act), || {
            line = line!();
            let _ = $act;
        });
        let text: &str = &$text;
        assert!(message.contains(text), "{text:?} is not in {message:?}");
        assert_eq!(PLACE.take(), format!("{}:{line}", file!()), "{message}");
    };
}

#[shmem::test(npes = [1, 3])]
fn out_of_bounds_messages(world: &World) -> Result<(), shmem::Error> {
    expect_panics_quietly();
    let pe = world.n_pes() - 1;
    let array = world.symmetric_array::<u32, 2>([5, 6], 9)?;
    let (zero, three, eight, nine, huge) = (0, 3, 8, 9, usize::MAX);
    let on = |selection: &str| format!("`{selection}]` on PE {pe} is out of bounds: ");
    let line = format!("the object is `LINE: [f64; 8]` ({}:", file!());
    panics_with! { on("LINE[8"), remote!(LINE[pe, eight]); }
    panics_with! { line, remote!(LINE[pe, eight]); }
    panics_with! { "index 8 on axis 0, which has extent 8", remote!(LINE[pe, eight]); }
    panics_with! { "with extents [8]", remote!(LINE[pe, eight]); }
    panics_with! { "the range on axis 0 ends at 9, and the extent is 8", remote!(LINE[pe, three..nine]); }
    panics_with! { "the range on axis 0 starts at 9, and the extent is 8", remote!(LINE[pe, nine..]); }
    panics_with! { "starts at 8 and ends before it, at 3", remote!(LINE[pe, eight..three]); }
    panics_with! { "the step on axis 0 is 0", remote!(LINE[pe, zero..eight;zero]); }
    panics_with! { on("LINE[3..9;2"), remote!(LINE[pe, three..nine;2] = 0.0); }
    panics_with! { on("LINE[3..9"), remote!(LINE[pe, three..=eight] => &mut [0.0; 6]); }
    panics_with! { on("LINE[9..;3"), remote!(&LINE[pe, nine..;three]); }
    panics_with! { format!("LINE[0..{huge}"), remote!(LINE[pe, ..=huge]); }
    panics_with! { on("BOARD[1, 8"), remote!(BOARD[pe, 1, eight]); }
    panics_with! { "index 8 on axis 1, which has extent 4", remote!(BOARD[pe, .., eight] = 1); }
    panics_with! { "with extents [3, 4]", remote!(BOARD[pe, eight, ..]); }
    panics_with! { format!("on PE {}", world.my_pe()), local!(BOARD[eight, 0]); }
    panics_with! { format!("extents [{}, 2]", pe + 1), remote!(SLOTS[pe, pe + 1, 0]); }
    panics_with! { on("CELLS[8"), remote!(CELLS[pe, eight] += 1); }
    panics_with! { on("CELLS[8"), remote!(&CELLS[pe, eight]).swap(1); }
    panics_with! { format!("`CELLS[8]` on PE {} ", world.my_pe()), local!(CELLS[eight] ^= 1); }
    // An array's name is its number, and its type says the extents.
    panics_with! { on("symmetric array #0[5, 3"), remote!(array[pe, 5, 3]); }
    panics_with! { "SymmetricArray<u32, 2> of 5 × 6", remote!(array[pe, 5, 3]); }
    panics_with! { "the range on axis 1 ends at 7, and the extent is 6", remote!(array[pe, 0..5, 0..7]); }
    panics_with! { "with extents [5, 6]", remote!(array[pe, 0..2, 7..]); }
    // Nothing was written on the way.
    assert_eq!((remote!(LINE[pe, ..]), remote!(BOARD[pe, .., ..])), ([1.5; 8], [[7; 4]; 3]));
    assert_eq!(remote!(CELLS[pe, ..]), [0; 5]);
    Ok(())
}

#[shmem::test(npes = [1, 2, 3])]
fn messages_about_a_pe_that_is_not_there(world: &World) -> Result<(), shmem::Error> {
    expect_panics_quietly();
    let n_pes = world.n_pes();
    let pes = match n_pes {
        1 => "1 PE (number 0)".to_owned(),
        _ => format!("{n_pes} PEs (0 to {})", n_pes - 1),
    };
    let array = world.symmetric_array::<u32, 1>([5], 9)?;
    for pe in [n_pes, n_pes + 1, 1 << 40, usize::MAX] {
        let text = format!("there is no PE {pe}: the job has {pes}, and the access is to ");
        let three = 3;
        let mut buffer = [0.0; 3];
        panics_with! { text, remote!(LINE[pe, 3]); }
        panics_with! { text, remote!(LINE[pe, three]); }
        panics_with! { text, remote!(LINE[pe, ..]); }
        panics_with! { text, remote!(LINE[pe, 3..three]); }
        panics_with! { text, remote!(LINE[pe, 0..8;3] => &mut buffer); }
        panics_with! { text, remote!(LINE[pe, ..] = 1.0); }
        panics_with! { text, remote!(LINE[pe, 0..3] = &buffer); }
        panics_with! { text, remote!(&LINE[pe, 0..3]).fill(0.0); }
        panics_with! { text, remote!(LEVEL[pe]); }
        panics_with! { text, remote!(LEVEL[pe] = 1); }
        panics_with! { text, remote!(SLOTS[pe, .., 0]); }
        panics_with! { text, remote!(CELLS[pe, 0] += 1); }
        panics_with! { text, remote!(&CELLS[pe, 0]).fetch_add(1); }
        panics_with! { text, remote!(&CELLS[pe, 0]).compare_exchange(0, 1); }
        panics_with! { text, remote!(array[pe, 0]); }
        panics_with! { "the access is to `symmetric array #0: ", remote!(array[pe, ..] = 3); }
        panics_with! { "the access is to `LEVEL: i32`", remote!(LEVEL[pe]); }
    }
    world.barrier_all();
    assert_eq!((local!(LINE[..]), local!(LEVEL), local!(CELLS[..])), ([1.5; 8], 3, [0; 5]));
    assert_eq!(local!(array[..]), [9; 5]);
    Ok(())
}

#[shmem::test]
fn wrong_length_messages(world: &World) {
    expect_panics_quietly();
    let pe = 1 - world.my_pe();
    let two = 2;
    let object = format!("`LINE: [f64; 8]` ({}:", file!());
    panics_with! { object, remote!(LINE[pe, two..6] = [1.0; 3]); }
    panics_with! { "the source has 3 elements", remote!(LINE[pe, two..6] = vec![1.0; 3]); }
    panics_with! { format!("on PE {pe} has 4"), remote!(LINE[pe, 2..6] = &[1.0; 5][..]); }
    panics_with! { "the source has 0 elements", remote!(LINE[pe, 0..1] = Vec::new()); }
    panics_with! { "the source has 1 elements", remote!(LINE[pe, two..2] = [1.0]); }
    panics_with! { "the buffer to read into has 3 elements", remote!(LINE[pe, two..6] => &mut [0.0; 3]); }
    panics_with! { "the buffer to read into has 9 elements", remote!(LINE[pe, ..] => &mut vec![0.0; 9]); }
    panics_with! { "the source has 4 elements", remote!(BOARD[pe, two.., ..2] = [[1; 2]; 2]); }
    world.barrier_all();
    assert_eq!((local!(LINE[..]), local!(BOARD[.., ..])), ([1.5; 8], [[7; 4]; 3]));
}
