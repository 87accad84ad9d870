//! k-means over all PEs: points are divided into clusters around the centres that are nearest to them.
//!
//! ```text
//! cargo run --release --example kmeans                   # 5,000 points on each PE, 6 clusters
//! cargo run --release --example kmeans -- 1000000 12
//! ```
//!
//! Each PE has its own points, and every PE has all centres. In each round (Lloyd's algorithm), a PE
//! finds the nearest centre of each of its points, and adds up the points of each cluster. One
//! reduction joins these sums, which are structs, place by place: afterwards every PE has the sums of
//! all points, and with them the same new centres. When no point has changed its cluster, the centres
//! stay where they are.
//!
//! Points have whole coordinates, so sums are exact, and the clusters are those of a serial run, to the
//! last bit.

use examples::{Failure, count, numbers};
use shmem::prelude::*;

/// The side of the square that the points lie in.
const SIDE: i64 = 10_000;
/// A run that has not settled by then is wrong.
const MOST_ROUNDS: usize = 1_000;

/// What is known of the points of a cluster.
#[derive(Clone, Copy, Default, PartialEq, Symmetric)]
#[repr(C)]
struct Sums {
    x: i64,
    y: i64,
    count: i64,
}

impl Sums {
    fn join(self, other: Sums) -> Sums {
        Sums { x: self.x + other.x, y: self.y + other.y, count: self.count + other.count }
    }
}

type Point = [i64; 2];
type Centre = [f64; 2];

#[shmem::main]
fn main(world: &World) -> Result<(), Failure> {
    let [points, clusters] = numbers([("points", 5_000), ("clusters", 6)])?;
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    let mine: Vec<Point> = draw(me, points, clusters).collect();
    let sums = world.symmetric_array::<Sums, 1>([clusters], Sums::default())?;

    // The first centres are points of PE 0, which all PEs need to know.
    let mut centres: Vec<Centre> = if me == 0 { first(&mine, clusters) } else { vec![[0.0; 2]; clusters] };
    world.team().broadcast_values(&mut centres, 0);

    let mut cluster_of = vec![clusters; points]; // none yet
    let mut rounds = 0;
    loop {
        let (found, moved) = assign(&mine, &centres, &mut cluster_of);
        local!(sums[..]) = &found;
        collective!(sums[..] = reduce sums[..] with Sums::join);
        if collective!(sum moved) == 0 {
            break;
        }
        centres = local!(sums[..]).iter().zip(&centres).map(|(sums, old)| centre(*sums, *old)).collect();
        rounds += 1;
        assert!(rounds < MOST_ROUNDS, "the clusters have not settled after {rounds} rounds");
    }

    // The point that is farthest from its centre, and who has it.
    let distances = mine.iter().zip(&cluster_of).map(|(point, cluster)| squared(*point, centres[*cluster]));
    let (farthest, pe) = collective!(maxloc distances.fold(0.0, f64::max));

    if me == 0 {
        let sums = local!(sums[..]);
        let (serial, serial_rounds) = serial(points, clusters, n_pes);
        assert!(sums == serial && rounds == serial_rounds, "not the clusters of the serial run");
        for (sums, [x, y]) in sums.iter().zip(&centres) {
            println!("{:>9} points around {x:8.2}, {y:8.2}", sums.count);
        }
        println!(
            "{} on {} in {}: the same clusters as serially",
            count(points * n_pes, "point"),
            count(n_pes, "PE"),
            count(rounds, "round")
        );
        println!("the outermost point is on PE {pe}, {:.2} from its centre", farthest.sqrt());
    }
    Ok(())
}

/// Finds the nearest centre of each point. Returns the sums of the clusters, and how many points have
/// changed theirs.
fn assign(points: &[Point], centres: &[Centre], cluster_of: &mut [usize]) -> (Vec<Sums>, usize) {
    let mut sums = vec![Sums::default(); centres.len()];
    let mut moved = 0;
    for (&[x, y], cluster) in points.iter().zip(cluster_of) {
        let distances = centres.iter().map(|centre| squared([x, y], *centre));
        let nearest = distances.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(i, _)| i);
        moved += usize::from(nearest != *cluster);
        *cluster = nearest;
        sums[nearest] = sums[nearest].join(Sums { x, y, count: 1 });
    }
    (sums, moved)
}

fn squared([x, y]: Point, centre: Centre) -> f64 {
    (x as f64 - centre[0]).powi(2) + (y as f64 - centre[1]).powi(2)
}

/// The mean of the points; a cluster without any stays where it was.
fn centre(sums: Sums, old: Centre) -> Centre {
    if sums.count == 0 {
        return old;
    }
    [sums.x as f64 / sums.count as f64, sums.y as f64 / sums.count as f64]
}

fn first(points: &[Point], clusters: usize) -> Vec<Centre> {
    (0..clusters).map(|i| points[i % points.len()].map(|at| at as f64)).collect()
}

/// The points of a PE: heaps around as many places as there are clusters, the same for all PEs.
fn draw(pe: usize, points: usize, clusters: usize) -> impl Iterator<Item = Point> {
    let mut places = fastrand::Rng::with_seed(42);
    let places: Vec<Point> = (0..clusters).map(|_| [0; 2].map(|_| places.i64(0..SIDE))).collect();
    let mut random = fastrand::Rng::with_seed(pe as u64);
    (0..points).map(move |_| {
        let place = places[random.usize(..clusters)];
        // The sum of several numbers lies near its mean more often than far from it.
        place.map(|at| at + (0..4).map(|_| random.i64(-SIDE / 20..=SIDE / 20)).sum::<i64>())
    })
}

/// The same on one PE, with the points of all.
fn serial(points: usize, clusters: usize, n_pes: usize) -> (Vec<Sums>, usize) {
    let all: Vec<Point> = (0..n_pes).flat_map(|pe| draw(pe, points, clusters)).collect();
    let mut centres = first(&all[..points], clusters);
    let mut cluster_of = vec![clusters; all.len()];
    for rounds in 0.. {
        let (sums, moved) = assign(&all, &centres, &mut cluster_of);
        if moved == 0 {
            return (sums, rounds);
        }
        centres = sums.iter().zip(&centres).map(|(sums, old)| centre(*sums, *old)).collect();
    }
    unreachable!("the rounds end")
}
