// What the messages say to write.

use shmem::prelude::*;
use shmem::reduction::Sum;

#[symmetric]
static A: [f64; 16] = [1.0; 16];
#[symmetric]
static GRID: [[f64; 4]; 4] = [[2.0; 4]; 4];
#[symmetric]
static DST: [f64; 16] = [0.0; 16];
#[symmetric]
static C: Atomic<u64> = Atomic::new(0);
#[symmetric]
static LOCK: Lock = Lock::new();

fn first<const N: usize>() -> Vec<f64> {
    remote!(A[0, 0..{ N }])
}

#[shmem::main(npes = 2)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let pe = (world.my_pe() + 1) % world.n_pes();
    let (n, step) = (8, 2);

    let values = [3.0; 16];
    let mut buffer = [0.0; 16];
    world.nbi(|nbi| nbi.put(remote!(&A[pe, ..]), &values));
    world.barrier_all();
    world.nbi(|nbi| nbi.get(remote!(&A[pe, ..]), &mut buffer));
    assert_eq!(buffer, values);
    world.barrier_all();

    remote!(A[pe, 0..n;step] = vec![5.0; 4]);
    world.sync_all();
    world.barrier_all();
    assert_eq!(remote!(A[pe, 0..n;step]), [5.0; 4]);

    let mut part = [0.0; 8];
    remote!(A[pe, 0..n] => &mut part);
    let copied: Vec<f64> = remote!(A[pe, 0..8]).to_vec();
    assert_eq!(copied, part);
    assert_eq!(remote!(GRID[pe, 0..2, 0..2]).as_flattened().to_vec(), vec![2.0; 4]);
    assert_eq!(first::<3>(), [5.0, 3.0, 5.0]);
    assert_eq!(world.local_phase(|p| A.as_slice(p).len()), 16);

    let mut a = world.zeros::<f64, 1>([n])?;
    a.resize([2 * n], 0.5)?;
    a.free()?;
    let aligned = world.allocate().align(64).zeros::<f64, 1>([n])?;
    assert_eq!(local!(aligned[n - 1]), 0.0);

    assert_eq!(collective!(sum 1), 2);
    assert_eq!(collective!(broadcast world.my_pe() from 0), 0);
    assert_eq!(collective!(collect & [world.my_pe()]), [0, 1]);
    collective!(DST[..] = sum A[..]);
    assert_eq!(local!(DST[0]), 10.0);
    let team = world.team();
    assert_eq!(collective!(max team.my_pe(); on team) + team.reduce_value(Sum, 1), 3);
    team.barrier();
    team.sync();
    collective!(barrier);

    remote!(C[0] += 1);
    remote!(&C[0]).add(1);
    let _ = remote!(&C[0]).fetch_add(1);
    world.barrier_all();
    assert_eq!(remote!(&C[0]).get(), 6);
    world.barrier_all();
    remote!(&C[pe]).put(1);
    world.barrier_all();
    local!(C += 1);
    assert_eq!(local!(&C).fetch_add(1), 2);
    assert_eq!(local!(&C).compare_exchange(3, 4), Ok(3));

    let guard = LOCK.lock();
    drop(guard);

    let ctx = team.context(shmem::context::Private)?;
    remote!(ctx; A[pe, 0..2] = [1.0; 2]);
    world.barrier_all();
    Ok(())
}
