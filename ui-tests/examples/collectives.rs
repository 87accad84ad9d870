// Every form, on all PEs and on a team, in a function that no attribute sees.
use shmem::prelude::*;

#[symmetric]
static SRC: [u32; 6] = [1, 2, 3, 4, 5, 6];
#[symmetric]
static DST: [u32; 6] = [0; 6];
#[symmetric]
static BLOCK: [[u32; 3]; 2] = [[7; 3]; 2];
#[symmetric]
static ALL: PerPe<[u32; 2]> = PerPe::new([0; 2]);

const N: usize = 3;

struct Halo {
    grid: SymmetricArray<u32, 1>,
    odd: Option<Team>,
}

fn halves<const K: usize>(world: &World) -> u32 {
    collective!(DST[0..{ K }] = sum SRC[0..{ K }]; on world.team());
    local!(DST[0])
}

fn all_forms(world: &World, halo: &Halo) {
    let n = world.n_pes();
    collective!(DST[0..3] = sum SRC[N..2 * N]);
    assert_eq!(local!(DST[0..3]), [12, 15, 18]);
    collective!(DST[..;2] = max SRC[1..;2]);
    collective!(BLOCK[.., 0..2] = xor BLOCK[.., 1..3]);
    assert_eq!(local!(BLOCK[0, ..]), [7; 3]);
    let from = 4;
    collective!(DST[from..] = broadcast SRC[0..2] from n - 1);
    assert_eq!(local!(DST[4..6]), [1, 2]);
    collective!(ALL[.., ..] = fcollect SRC[0..2]);
    assert_eq!(local!(ALL[.., ..]), [1, 2].repeat(n));
    let count: usize = collective!(ALL[.., 0] = collect SRC[4]);
    assert_eq!((count, local!(ALL[.., 0])), (n, vec![5; n]));
    collective!(DST[0..n] = alltoall SRC[0..n]);
    assert_eq!(local!(DST[0..n]), vec![1 + world.my_pe() as u32; n]);
    collective!(DST[n..2 * n] = alltoall SRC[n..2 * n] to ready; on world.team());
    assert_eq!(local!(DST[n..2 * n]), vec![(1 + n + world.my_pe()) as u32; n]);
    collective!(ALL[.., ..] = fcollect SRC[2..4] to ready);
    assert_eq!(local!(ALL[.., ..]), [3, 4].repeat(n));
    collective!(DST[0..2] = pairwise max SRC[2..4]; on world.team());
    assert_eq!(local!(DST[0..2]), [3, 4]);
    assert_eq!(collective!(pairwise sum 0.5), 0.5 * n as f64);
    collective!(DST[0] = scan SRC[0]);
    collective!(DST[1] = exscan SRC[0]);
    assert_eq!(local!(DST[0..2]), [1 + world.my_pe() as u32, world.my_pe() as u32]);
    collective!(halo.grid[..] = sum halo.grid[..]);
    collective!((&halo.grid)[0] = min(halo.grid)[1]);
    assert_eq!(halves::<2>(world), n as u32);
    if let Some(odd) = &halo.odd {
        collective!(sync; on odd);
        collective!(DST[..] = prod SRC[..]; on odd);
        assert_eq!(collective!(collect &vec![1_u8; odd.n_pes()]; on odd), vec![1; odd.n_pes() * odd.n_pes()]);
    }
    collective!(barrier);
}

// Names like those of the expansion.
mod shadowed {
    use shmem::prelude::{collective, local, symmetric};

    #[symmetric]
    static ROW: [i16; 2] = [1, -1];

    pub struct Team;
    pub struct Sum;
    pub struct Index;

    pub fn on_team(_: Team, _: Sum, _: Index) {}

    pub fn total(team: &shmem::Team) -> [i16; 2] {
        collective!(ROW[0..2] = sum ROW[0..2]; on team);
        local!(ROW[..])
    }
}

// What a macro of the program passes on.
macro_rules! total {
    ($to:ident = $operation:ident $from:ident) => {
        collective!($to[..] = $operation $from[..])
    };
    ($operation:ident of $value:expr) => {
        collective!($operation $value)
    };
    ($operation:ident of $value:expr, in $team:expr) => {
        collective!($operation $value; on $team)
    };
}

#[shmem::main(npes = 3)]
fn main(world: &World) -> Result<(), shmem::Error> {
    let halo = Halo { grid: world.symmetric_array([5], 2)?, odd: world.team().split_strided(1, 2, 1)? };
    all_forms(world, &halo);
    shadowed::on_team(shadowed::Team, shadowed::Sum, shadowed::Index);
    assert_eq!(shadowed::total(world.team()), [3, -3]);
    total!(DST = sum SRC);
    assert_eq!(local!(DST[5]), 18);
    assert_eq!(total!(sum of 1 + 1) + total!(max of 3, in world.team()), 9);
    Ok(())
}
