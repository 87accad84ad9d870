//! Pictures of symmetric memory. The program that a picture shows is run, and what it leaves in the
//! copies of the PEs is what is drawn.

use shmem::prelude::*;

use super::check;
use super::svg::{CODE, Picture};

#[symmetric]
static GRID: [i64; 4] = [0; 4];
#[symmetric]
static COUNT: i64 = 0;
#[symmetric]
static SEEN: i64 = 0;
#[symmetric]
static A: [i64; 12] = [0; 12];
#[symmetric]
static G: [[i64; 6]; 4] = [[0; 6]; 4];

/// The class of the cells of a PE; of those with a value of another PE.
fn cell_class(pe: usize, is_written: bool) -> String {
    if is_written { "on".to_owned() } else { format!("pe{pe}") }
}

#[shmem::test(npes = 3)]
fn symmetric_memory(world: &World) {
    let me = world.my_pe();
    local!(COUNT) = [3, 5, 2][me];
    world.barrier_all();
    let a = [7, 8];
    if me == 0 {
        remote!(GRID[1, 1..3]) = a;
    }
    if me == 2 {
        let c = remote!(COUNT[1]);
        local!(SEEN) = c;
    }
    world.barrier_all();
    if me != 0 {
        return;
    }

    let mut picture = Picture::new(
        "symmetric",
        "Symmetric memory",
        "Three PEs, each with private variables and with its own copies of GRID and COUNT at the same places. \
         PE 0 puts two private values into GRID on PE 1. PE 2 gets COUNT of PE 1 into a private variable. \
         PE 1 takes no part in either.",
    );
    picture.text(10.0, 13.0, "pale", "private");
    picture.text(116.0, 13.0, "pale", "symmetric, on each PE");
    let top = |pe: usize| 22.0 + 100.0 * pe as f64;
    for pe in 0..world.n_pes() {
        let y = top(pe);
        picture.frame((1.0, y), (318.0, 58.0), "frame");
        picture.line((106.0, y), (106.0, y + 58.0), "faint dashed");
        picture.text(10.0, y + 19.0, "strong", format_args!("PE {pe}"));
        let (class, private) = match pe {
            0 => ("code", format!("a = {a:?}")),
            2 => ("code", format!("c = {}", remote!(SEEN[2]))),
            _ => ("pale", "computes".to_owned()),
        };
        picture.text(10.0, y + 44.0, class, private);
        for (i, value) in remote!(GRID[pe, ..]).into_iter().enumerate() {
            let x = 116.0 + 30.0 * i as f64;
            let class = cell_class(pe, value != 0);
            picture.cell((x, y + 8.0), (30.0, 24.0), &class, value);
        }
        picture.text(116.0, y + 48.0, "code", "GRID");
        let class = cell_class(pe, false);
        let count = remote!(COUNT[pe]);
        picture.cell((256.0, y + 8.0), (40.0, 24.0), &class, count);
        picture.text(311.0, y + 48.0, "code end", "COUNT");
    }
    picture.arrow((62.0, top(0) + 50.0), (176.0, top(1) + 7.0), "move");
    picture.text(84.0, top(1) - 12.0, "move strong end", "put");
    picture.text(128.0, top(1) - 24.0, "code", "remote!(GRID[1, 1..3]) = a");
    picture.arrow((276.0, top(1) + 33.0), (58.0, top(2) + 27.0), "move");
    picture.text(10.0, top(1) + 76.0, "code", "c = remote!(COUNT[1])");
    picture.text(196.0, top(2) - 10.0, "move strong", "get");
    check(&picture);
}

#[shmem::test(npes = 2)]
fn strided_put(world: &World) {
    const SOURCE: [i64; 3] = [10, 20, 30];
    if world.my_pe() == 0 {
        remote!(A[1, 2..10;3]) = SOURCE;
    }
    world.barrier_all();
    if world.my_pe() != 0 {
        return;
    }
    let held = remote!(A[1, ..]);
    let touched: Vec<usize> = (0..12).filter(|&i| held[i] != 0).collect();
    let read: [i64; 3] = remote!(A[1, 2..10;3]);
    assert_eq!(touched.iter().map(|&i| held[i]).collect::<Vec<_>>(), read);
    let [first, others @ ..] = touched.as_slice() else {
        panic!("nothing was written")
    };
    let others: Vec<String> = others.iter().map(usize::to_string).collect();
    let places = format!("{first}, {}", others.join(" and "));

    let mut picture = Picture::new(
        "stride",
        "A strided put",
        format!(
            "PE 0 writes three values to the range 2..10 of A on PE 1, with step 3. They go to elements {places}. \
             The nine other elements keep their values."
        ),
    );
    picture.text(4.0, 14.0, "strong", "PE 0");
    picture.text(44.0, 14.0, "code", "remote!(A[1, 2..10;3]) = source");
    let source = |at: usize| 116.0 + 30.0 * at as f64;
    picture.text(108.0, 43.0, "code end", "source");
    for (at, value) in SOURCE.into_iter().enumerate() {
        picture.cell((source(at), 26.0), (30.0, 24.0), "on", value);
    }
    let place = |i: usize| 4.0 + 26.0 * i as f64;
    for (i, value) in held.into_iter().enumerate() {
        let class = cell_class(1, value != 0);
        picture.cell((place(i), 110.0), (26.0, 24.0), &class, value);
        let index = if value == 0 {
            "number middle pale"
        } else {
            "number middle strong"
        };
        picture.text(place(i) + 13.0, 149.0, index, i);
    }
    for (at, &i) in touched.iter().enumerate() {
        picture.arrow(
            (source(at) + 15.0, 50.0),
            (place(i) + 13.0, 108.0),
            "move",
        );
    }
    picture.text(4.0, 171.0, "strong", "PE 1");
    picture.text(44.0, 171.0, "pale", "its copy of A, and the indices");
    check(&picture);
}

#[shmem::test(npes = 2)]
fn block_of_rows_and_columns(world: &World) {
    if world.my_pe() == 0 {
        remote!(G[1, 1..3, 2..5]) = [[1, 2, 3], [4, 5, 6]];
    }
    world.barrier_all();
    if world.my_pe() != 0 {
        return;
    }
    // Where an element lies in the copy, in elements from its beginning.
    let start = remote!(&G[1, 0, 0]).as_ptr().map(<*mut i64>::addr);
    let place = |i: usize, j: usize| {
        let at = remote!(&G[1, i, j]).as_ptr().map(<*mut i64>::addr);
        match (at, start) {
            (Some(at), Some(start)) => (at - start) / size_of::<i64>(),
            _ => panic!("PE 1 is directly addressable in a test"),
        }
    };
    let held = remote!(G[1, .., ..]);
    let mut memory = [0; 24];
    for (i, row) in held.iter().enumerate() {
        for (j, &value) in row.iter().enumerate() {
            memory[place(i, j)] = value;
        }
    }
    let runs: Vec<usize> = memory
        .split(|&value| value == 0)
        .map(<[i64]>::len)
        .filter(|&len| len > 0)
        .collect();
    let [len, ..] = runs.as_slice() else { panic!("nothing was written") };
    assert!(runs.iter().all(|run| run == len));
    let summary = format!("{} runs of {len} elements", runs.len());

    let mut picture = Picture::new(
        "block",
        "A block of rows and columns",
        format!(
            "PE 0 writes a block of 2 rows and 3 columns, rows 1 and 2 and columns 2 to 4, to a grid of 4 rows and 6 \
             columns on PE 1. In the memory of PE 1 the grid lies row by row, so the block is {summary}."
        ),
    );
    picture.text(4.0, 14.0, "strong", "PE 0");
    picture.text(44.0, 14.0, "code", "remote!(G[1, 1..3, 2..5])");
    let indent = 44.0 + 4.0 * CODE;
    picture.text(indent, 31.0, "code", "= [[1, 2, 3], [4, 5, 6]]");
    let (left, top, width, height) = (76.0, 66.0, 32.0, 24.0);
    for j in 0..6 {
        let x = left + width * (j as f64 + 0.5);
        picture.text(x, top - 6.0, "number middle pale", j);
    }
    for (i, row) in held.iter().enumerate() {
        let y = top + height * i as f64;
        picture.text(left - 8.0, y + 16.3, "number end pale", i);
        for (j, &value) in row.iter().enumerate() {
            let x = left + width * j as f64;
            let class = cell_class(1, value != 0);
            picture.cell((x, y), (width, height), &class, value);
        }
    }
    picture.text(4.0, top + 16.3, "strong", "PE 1");
    let y = top + 4.0 * height + 28.0;
    picture.text(4.0, y - 7.0, "pale", "in memory, row by row:");
    for (at, value) in memory.into_iter().enumerate() {
        let x = 4.0 + 13.0 * at as f64;
        picture.cell((x, y), (13.0, 22.0), &cell_class(1, value != 0), value);
    }
    for i in 0..4 {
        let x = 4.0 + 13.0 * place(i, 0) as f64;
        let end = x + 13.0 * 6.0;
        picture.line((x + 2.0, y + 27.0), (end - 2.0, y + 27.0), "pale");
        let middle = f64::midpoint(x, end);
        picture.text(
            middle,
            y + 42.0,
            "number middle pale",
            format_args!("row {i}"),
        );
    }
    picture.text(4.0, y + 64.0, "", format_args!("The block is {summary}."));
    check(&picture);
}
