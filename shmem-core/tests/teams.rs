//! Teams: who is in them, with which numbers, and that they keep out of each other's way.

use shmem::prelude::*;

/// Every way of writing a strided team, against a plain list.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn strided(world: &World) {
    let n = world.n_pes();
    let me = world.my_pe();
    for start in 0..n {
        for stride in -3_isize..=3 {
            for size in 1..=n {
                let list: Vec<isize> = (0..size as isize).map(|i| start as isize + stride * i).collect();
                let legal =
                    list.iter().all(|&pe| (0..n as isize).contains(&pe)) && (stride != 0 || size == 1);
                let team = world.team().split_strided(start, stride, size);
                match team {
                    Err(error) => {
                        assert!(!legal, "{error}");
                        assert!(error.to_string().contains("split_strided(start"), "{error}");
                    }
                    Ok(team) => {
                        assert!(legal, "start {start} stride {stride} size {size}");
                        let rank = list.iter().position(|&pe| pe == me as isize);
                        assert_eq!(team.as_ref().map(Team::my_pe), rank);
                        let Some(team) = team else { continue };
                        assert_eq!(team.n_pes(), size);
                        assert_eq!(team.world_pes().map(|pe| pe as isize).collect::<Vec<_>>(), list);
                        assert_eq!(team.translate(size - 1, world.team()), Some(list[size - 1] as usize));
                        for pe in 0..n {
                            let expected = list.iter().position(|&member| member == pe as isize);
                            assert_eq!(world.team().translate(pe, &team), expected);
                        }
                        team.barrier();
                        let sum = team.reduce_value(shmem::reduction::Sum, me as isize);
                        assert_eq!(sum, list.iter().sum::<isize>());
                    }
                }
            }
        }
    }
}
