//! Calls without elements: each PE still learns who has come. In a checked run the comparison tells that too, so
//! only `SHMEM_CHECK=0` tests the calls themselves.

use std::thread::sleep;
use std::time::Duration;

use shmem::prelude::*;
use shmem::reduction::Sum;

#[symmetric]
static A: [u64; 4] = [0; 4];
#[symmetric]
static B: [u64; 4] = [0; 4];
/// On PE 0: how many calls all have come to.
#[symmetric]
static CAME: Atomic<u64> = Atomic::new(0);
/// On PE 0: how many calls the root has come to.
#[symmetric]
static ROOT_CAME: Atomic<u64> = Atomic::new(0);

type Call = fn(&Team, usize);

/// Those after which all have come; the second argument is a root.
const OF_ALL: &[(&str, Call)] = &[
    ("reduce", |team, _| team.reduce(Sum, local!(&A[0..0]), local!(&B[0..0]))),
    ("reduce_pairwise", |team, _| team.reduce_pairwise(Sum, local!(&A[0..0]), local!(&B[0..0]))),
    ("reduce_pairwise_values", |team, _| team.reduce_pairwise_values(Sum, &mut [0.0; 0])),
    ("reduce_to", |team, root| team.reduce_to(Sum, local!(&A[0..0]), local!(&B[0..0]), root)),
    ("reduce_values", |team, _| team.reduce_values(Sum, &mut [0_u64; 0])),
    ("reduce_with", |team, _| team.reduce_with(local!(&A[0..0]), local!(&B[0..0]), |a, b| a ^ b)),
    ("reduce_values_with", |team, _| team.reduce_values_with(&mut [0_u64; 0], |a, b| a ^ b)),
    ("reduce_scatter", |team, _| team.reduce_scatter(Sum, local!(&A[0..0]), local!(&B[0..0]))),
    ("scan", |team, _| team.scan(Sum, local!(&A[0..0]), local!(&B[0..0]))),
    ("exscan", |team, _| team.exscan(local!(&A[0..0]), local!(&B[0..0]))),
    ("fcollect", |team, _| team.fcollect(local!(&A[0..0]), local!(&B[0..0]))),
    ("fcollect_to_ready", |team, _| team.fcollect_to_ready(local!(&A[0..0]), local!(&B[0..0]))),
    ("collect", |team, _| assert_eq!(team.collect(local!(&A[..]), local!(&B[0..0])), 0)),
    ("collect_values", |team, _| assert!(team.collect_values(&[0_u64; 0]).is_empty())),
    ("alltoall", |team, _| team.alltoall(local!(&A[0..0]), local!(&B[0..0]))),
    ("alltoall_to_ready", |team, _| team.alltoall_to_ready(local!(&A[0..0]), local!(&B[0..0]))),
    ("gather", |team, root| team.gather(local!(&A[0..0]), local!(&B[0..0]), root)),
    ("gatherv", |team, root| drop(team.gatherv(local!(&A[..]), local!(&B[0..0]), root))),
    ("gatherv_values", |team, root| drop(team.gatherv_values(&[0_u64; 0], root))),
    ("alltoallv", |team, _| drop(team.alltoallv(local!(&A[..]), local!(&B[..]), &vec![0; team.n_pes()]))),
    ("alltoallv_values", |team, _| drop(team.alltoallv_values(&vec![[0_u64; 0]; team.n_pes()]))),
    ("scatter", |team, root| team.scatter(local!(&A[0..0]), local!(&B[0..0]), root)),
    ("scatter_values", |team, root| drop(team.scatter_values(&[0_u64; 0], root))),
    ("scatterv", |team, root| {
        let counts = vec![0; team.n_pes()];
        assert_eq!(team.scatterv(local!(&A[..]), local!(&B[..]), &counts, root), 0);
    }),
    ("scatterv_values", |team, root| drop(team.scatterv_values(&[0_u64; 0], &vec![0; team.n_pes()], root))),
];

/// Those after which the root has come.
const OF_ROOT: &[(&str, Call)] = &[
    ("broadcast", |team, root| team.broadcast(local!(&A[0..0]), local!(&B[0..0]), root)),
    ("broadcast_values", |team, root| team.broadcast_values(&mut [0_u64; 0], root)),
    ("broadcast_values of no size", |team, root| team.broadcast_values(&mut [[0_u64; 0]; 3], root)),
];

/// The values of a type without bytes are counted all the same.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn values_without_bytes_are_counted(world: &World) {
    type Empty = [u64; 0];
    let (team, me, n_pes) = (world.team(), world.my_pe(), world.n_pes());
    let (one, several): (Empty, Vec<Empty>) = ([], vec![[]; me + 1]);
    let all = n_pes * (n_pes + 1) / 2;
    for root in 0..n_pes {
        assert_eq!(team.gather_value(one, root), (me == root).then(|| vec![one; n_pes]));
        assert_eq!(team.gatherv_values(&several, root), (me == root).then(|| vec![one; all]));
        assert_eq!(team.scatter_values(&vec![one; 2 * n_pes], root), [one; 2]);
        let counts: Vec<usize> = (0..n_pes).collect();
        assert_eq!(team.scatterv_values(&vec![one; all], &counts, root), vec![one; me]);
    }
    assert_eq!(team.fcollect_value(one), vec![one; n_pes]);
    assert_eq!(team.collect_values(&several), vec![one; all]);
    let parts: Vec<Vec<Empty>> = (0..n_pes).map(|pe| vec![one; me + pe]).collect();
    let came: Vec<usize> = team.alltoallv_values(&parts).iter().map(Vec::len).collect();
    assert_eq!(came, (0..n_pes).map(|pe| pe + me).collect::<Vec<_>>());
}

/// One PE comes late to each call. Before the call, each PE adds to a counter on PE 0, and waits for the update.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn a_call_without_elements_meets(world: &World) {
    let (me, n_pes) = (world.my_pe(), world.n_pes());
    for (number, (name, call)) in (1..).zip(OF_ALL) {
        let [late, root] = [number, number / 2].map(|number| number % n_pes);
        if me == late {
            sleep(Duration::from_millis(20));
        }
        remote!(&CAME[0]).fetch_add(1);
        call(world.team(), root);
        let came = remote!(CAME[0]);
        assert!(came >= (number * n_pes) as u64, "{name}, PE {late} is late: {came} have come");
    }
    for (number, (name, call)) in (1..).zip(OF_ROOT) {
        let root = number % n_pes;
        if me == root {
            sleep(Duration::from_millis(20));
            remote!(&ROOT_CAME[0]).fetch_add(1);
        }
        call(world.team(), root);
        assert!(remote!(ROOT_CAME[0]) >= number as u64, "{name} from PE {root}, which is late");
    }
}
