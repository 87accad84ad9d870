//! One function for each form of call: what `main.rs` compiles, and counts the lines of.

use shmem::prelude::*;

#[symmetric]
static ROW: [f64; 1024] = [0.0; 1024];
#[symmetric]
static GRID: [[f64; 64]; 64] = [[0.0; 64]; 64];
#[symmetric]
static COUNTS: [Atomic<u64>; 64] = [Atomic::new(0); 64];
#[symmetric]
static SCORES: PerPe<i64> = PerPe::new(0);
#[symmetric]
static BODIES: [Body; 64] = [Body { position: [0.0; 3], mass: 0.0 }; 64];

#[derive(Clone, Copy, Symmetric)]
#[repr(C)]
struct Body {
    position: [f64; 3],
    mass: f64,
}

/// A function of this name in the compiler's output, for each.
macro_rules! forms {
    ($($name:ident($($argument:ident: $of:ty),*) $(-> $result:ty)? { $($body:tt)* })*) => {$(
        #[unsafe(no_mangle)]
        pub fn $name($($argument: $of),*) $(-> $result)? {
            $($body)*
        }
    )*};
}

forms! {
    get_constant(pe: usize) -> f64 { remote!(ROW[pe, 3]) }
    get_element(pe: usize, i: usize) -> f64 { remote!(ROW[pe, i]) }
    get_element_2d(pe: usize, i: usize, j: usize) -> f64 { remote!(GRID[pe, i, j]) }
    get_element_array(array: &SymmetricArray<f64, 1>, pe: usize, i: usize) -> f64 { remote!(array[pe, i]) }
    get_local(i: usize) -> f64 { local!(ROW[i]) }
    put_constant(pe: usize, value: f64) { remote!(ROW[pe, 3] = value) }
    put_element(pe: usize, i: usize, value: f64) { remote!(ROW[pe, i] = value) }
    put_slot(pe: usize, i: usize, value: i64) { remote!(SCORES[pe, i] = value) }
    put_field(pe: usize, i: usize, value: f64) { remote!(BODIES[pe, i].mass = value) }
    add(pe: usize, i: usize) { remote!(COUNTS[pe, i] += 1) }
    fetch_add(pe: usize, i: usize) -> u64 { remote!(&COUNTS[pe, i]).fetch_add(1) }
    get_span(pe: usize) -> [f64; 8] { remote!(ROW[pe, 8..16]) }
    put_span(pe: usize, from: [f64; 8]) { remote!(ROW[pe, 8..16] = from) }
    get_strided(pe: usize) -> [f64; 8] { remote!(ROW[pe, 0..16;2]) }
    put_strided(pe: usize, from: &[f64; 100]) { remote!(ROW[pe, 0..200;2] = from) }
    put_column(pe: usize, from: &[f64; 62]) { remote!(GRID[pe, 1..63, 0] = from) }
    put_block(pe: usize, from: &[[f64; 8]; 8]) { remote!(GRID[pe, 0..8, 0..8] = from) }
    get_block(pe: usize, to: &mut [[f64; 8]; 8]) { remote!(GRID[pe, 0..8, 0..8] => to) }
    get_range(pe: usize, a: usize, b: usize) -> Vec<f64> { remote!(ROW[pe, a..b]) }
    get_into(pe: usize, a: usize, b: usize, to: &mut [f64]) { remote!(ROW[pe, a..b] => to) }
    put_range(pe: usize, a: usize, b: usize, from: &[f64]) { remote!(ROW[pe, a..b] = from) }
    put_stepped(pe: usize, a: usize, b: usize, s: usize, from: &[f64]) { remote!(ROW[pe, a..b;s] = from) }
    put_rectangle(pe: usize, a: usize, b: usize, from: &[f64]) { remote!(GRID[pe, a..b, a..b] = from) }
    put_array_rows(grid: &SymmetricArray<u32, 2>, pe: usize, a: usize, b: usize, from: &[u32]) {
        remote!(grid[pe, a..b, ..] = from)
    }
    fill_range(pe: usize, a: usize, b: usize, value: f64) { remote!(ROW[pe, a..b] = value) }
    fill_rectangle(pe: usize, a: usize, b: usize, value: f64) { remote!(GRID[pe, a..b, a..b] = value) }
    put_field_range(pe: usize, a: usize, b: usize, value: f64) { remote!(BODIES[pe, a..b].mass = value) }
    put_through_reference(array: &SymmetricArray<f64, 1>, pe: usize, a: usize, b: usize, from: &[f64]) {
        let window = remote!(&array[pe, a..b]);
        window.put(from)
    }
}
