//! Points in a plane, grouped around three centres.

use shmem::prelude::*;

const POINTS: usize = 60;
const CLUSTERS: usize = 3;
const ROUNDS: usize = 10;

/// The sum of x, the sum of y, how many.
#[symmetric]
static MINE: [[f64; 3]; CLUSTERS] = [[0.0; 3]; CLUSTERS];
#[symmetric]
static TOTAL: [[f64; 3]; CLUSTERS] = [[0.0; 3]; CLUSTERS];

#[shmem::main]
fn main(world: &World) {
    let me = world.my_pe();
    let points: Vec<[f64; 2]> = (me * POINTS..(me + 1) * POINTS)
        .map(|i| [(i * 37 % 101) as f64, (i * 61 % 89) as f64])
        .collect();
    let mut centres = [[0.0, 0.0], [50.0, 50.0], [100.0, 80.0]];

    for _ in 0..ROUNDS {
        let mut mine = [[0.0; 3]; CLUSTERS];
        for &[x, y] in &points {
            let distances = centres
                .map(|[cx, cy]: [f64; 2]| (x - cx).powi(2) + (y - cy).powi(2));
            let nearest = (0..CLUSTERS)
                .min_by(|&a, &b| distances[a].total_cmp(&distances[b]))
                .expect("there is a cluster");
            let [sum_x, sum_y, count] = &mut mine[nearest];
            (*sum_x, *sum_y, *count) = (*sum_x + x, *sum_y + y, *count + 1.0);
        }
        local!(MINE[.., ..]) = mine;
        collective!(TOTAL[.., ..] = sum MINE[.., ..]);
        centres = local!(TOTAL[.., ..]).map(|[x, y, n]| [x / n, y / n]);
    }

    if me == 0 {
        for [x, y] in centres {
            println!("{x:.2} {y:.2}");
        }
    }
}
