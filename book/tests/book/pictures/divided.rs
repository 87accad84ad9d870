//! Pictures of data that is divided over PEs.

use std::path::Path;

use shmem::prelude::*;

use super::check;
use super::svg::Picture;
use crate::read;

/// How the PEs divide ten elements, as global arrays say it.
#[shmem::test(npes = 4)]
fn distributions(world: &World) -> Result<(), shmem::Error> {
    let of = |distribution| -> Result<Vec<usize>, shmem::Error> {
        let array = world.global_array::<u8, 1>([10], distribution)?;
        Ok((0..10).map(|i| array.owner(i)).collect())
    };
    let rows = [
        ("Block", of(Distribution::Block)?),
        ("Cyclic", of(Distribution::Cyclic)?),
        ("BlockCyclic(2)", of(Distribution::BlockCyclic(2))?),
    ];
    if world.my_pe() != 0 {
        return Ok(());
    }
    let said: Vec<String> = rows
        .iter()
        .map(|(name, owners)| {
            let owners: Vec<String> =
                owners.iter().map(usize::to_string).collect();
            format!("{name}: {}.", owners.join(" "))
        })
        .collect();
    let mut picture = Picture::new(
        "distributions",
        "Which PE holds which of ten elements",
        format!("The PEs of elements 0 to 9, of four PEs. {}", said.join(" ")),
    );
    for (at, (name, owners)) in rows.iter().enumerate() {
        let y = 14.0 + 86.0 * at as f64;
        picture.text(38.0, y, "code", format_args!("Distribution::{name}"));
        picture.text(30.0, y + 25.0, "number end pale", "i");
        picture.text(30.0, y + 51.0, "number end pale", "PE");
        for (i, pe) in owners.iter().enumerate() {
            let x = 38.0 + 28.0 * i as f64;
            picture.cell((x, y + 8.0), (28.0, 26.0), &format!("pe{pe}"), i);
            picture.text(x + 14.0, y + 51.0, "number middle pale", pe);
        }
    }
    check(&picture);
    Ok(())
}

/// How four PEs divide a grid, by rows and by blocks of rows and columns.
#[shmem::test(npes = 4)]
fn divided_grids(world: &World) -> Result<(), shmem::Error> {
    const SIDE: usize = 8;
    let mut grids = Vec::new();
    for (name, distribution) in
        [("Block", Distribution::Block), ("Block2d", Distribution::Block2d)]
    {
        let array = world.global_array::<u8, 2>([SIDE, SIDE], distribution)?;
        let owners: Vec<Vec<usize>> = (0..SIDE)
            .map(|i| (0..SIDE).map(|j| array.owner([i, j])).collect())
            .collect();
        // The cells of PE 1 that have a neighbour on another PE.
        let at = |i: usize, j: usize| owners.get(i)?.get(j).copied();
        let is_border = |i: usize, j: usize| {
            let near = [
                at(i.wrapping_sub(1), j),
                at(i + 1, j),
                at(i, j.wrapping_sub(1)),
                at(i, j + 1),
            ];
            at(i, j) == Some(1)
                && near.into_iter().flatten().any(|owner| owner != 1)
        };
        let border = (0..SIDE)
            .flat_map(|i| (0..SIDE).map(move |j| (i, j)))
            .filter(|&(i, j)| is_border(i, j))
            .count();
        grids.push((name, array.part_extents(1), border, owners));
    }
    if world.my_pe() != 0 {
        return Ok(());
    }
    let said: Vec<String> = grids
        .iter()
        .map(|(name, [rows, columns], border, _)| {
            format!("{name}: PE 1 holds {rows} rows of {columns} columns, and {border} of its cells have a neighbour on another PE.")
        })
        .collect();
    let mut picture = Picture::new(
        "grids",
        "A grid on four PEs, by rows and by blocks",
        format!("A grid of 8 rows and 8 columns. {}", said.join(" ")),
    );
    for (at, (name, [rows, columns], border, owners)) in
        grids.iter().enumerate()
    {
        let left = 2.0 + 168.0 * at as f64;
        picture.text(left, 14.0, "code", name);
        for (i, row) in owners.iter().enumerate() {
            for (j, pe) in row.iter().enumerate() {
                let at = (left + 18.5 * j as f64, 22.0 + 18.5 * i as f64);
                picture.cell(at, (18.5, 18.5), &format!("pe{pe}"), pe);
            }
        }
        let y = 22.0 + 18.5 * SIDE as f64;
        picture.text(
            left,
            y + 18.0,
            "number",
            format_args!("PE 1 holds {rows} × {columns}"),
        );
        picture.text(
            left,
            y + 34.0,
            "number pale",
            format_args!("{border} cells at its border"),
        );
    }
    check(&picture);
    Ok(())
}

/// What a PE of the program of the page has: its halo, its cells, its halo.
struct Part {
    left: usize,
    cells: Vec<usize>,
    right: usize,
}

/// The parts that the program `dividing_halo` prints after the first exchange. The values of the
/// cells are their indices.
fn parts() -> Vec<Part> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples/dividing_halo.out");
    let number = |text: &str| text.parse::<usize>().expect("a number");
    read(&path)
        .lines()
        .filter_map(|line| line.strip_prefix("PE "))
        .map(|line| {
            let columns: Vec<Vec<&str>> = line
                .split('|')
                .map(|part| part.split_whitespace().collect())
                .collect();
            let [left, cells, right] = columns.as_slice() else {
                panic!("three columns: {line}")
            };
            let last =
                |column: &[&str]| number(column.last().expect("a value"));
            Part {
                left: last(left),
                cells: cells.iter().map(|cell| number(cell)).collect(),
                right: last(right),
            }
        })
        .collect()
}

#[test]
fn halo_exchange() {
    let parts = parts();
    assert_eq!(parts.len(), 3, "three PEs");
    let mut picture = Picture::new(
        "halo",
        "A halo exchange",
        "Ten cells in a line, in three blocks. Each PE has a halo on both sides of its cells. After the exchange, \
         each halo holds the value of the cell of the neighbour that has the same index. The outer halos of the \
         first and the last PE have no neighbour and stay 0.",
    );
    // The column of index i, of which the halo before the first is -1.
    let width = 26.0;
    let column = |i: f64| 4.0 + width * (i + 1.0);
    let top = |pe: usize| 8.0 + 66.0 * pe as f64;
    for (pe, part) in parts.iter().enumerate() {
        let y = top(pe);
        let first = part.cells[0] as f64;
        let end = first + part.cells.len() as f64;
        for (at, cell) in part.cells.iter().enumerate() {
            // The indices follow each other, within a PE and from PE to PE.
            assert_eq!(*cell as f64, first + at as f64);
            let x = column(*cell as f64);
            picture.cell((x, y), (width, 26.0), &format!("pe{pe}"), cell);
        }
        let mut halo = |i: f64, value: usize, neighbour: Option<usize>| {
            let class = match neighbour {
                Some(neighbour) => format!("pe{neighbour} dashed"),
                None => "frame dashed".to_owned(),
            };
            assert!(neighbour.is_none() || value as f64 == i);
            picture.cell((column(i), y), (width, 26.0), &class, value);
        };
        let last = pe + 1 == parts.len();
        halo(first - 1.0, part.left, pe.checked_sub(1));
        halo(end, part.right, (!last).then_some(pe + 1));
        // Beside the row, where there is room.
        let name = format!("PE {pe}");
        if last {
            picture.text(
                column(first - 1.0) - 8.0,
                y + 17.5,
                "strong end",
                name,
            );
        } else {
            let below = top(pe + 1);
            picture.text(column(end + 1.0) + 8.0, y + 17.5, "strong", name);
            let middle = |i: f64| column(i) + width / 2.0;
            let edges = (middle(end - 1.0), middle(end));
            picture.arrow((edges.0, y + 26.0), (edges.0, below - 1.0), "move");
            picture.arrow((edges.1, below), (edges.1, y + 27.0), "move");
        }
    }
    let y = top(parts.len()) - 22.0;
    picture.cell((4.0, y), (width, 22.0), "plain", "");
    picture.text(38.0, y + 15.5, "", "a cell");
    picture.cell((116.0, y), (width, 22.0), "plain dashed", "");
    picture.text(150.0, y + 15.5, "", "a copy in a halo");
    check(&picture);
}
