//! A program whose PEs do not come to the same meeting.

use shmem::prelude::*;
use shmem::{Error, reduction};

use crate::programs::argument;

#[symmetric]
static DATA: [u64; 4096] = [1; 4096];

/// What a PE can wait for others in, and how it is called in a report.
pub(crate) const MEETINGS: &[(&str, &str)] = &[
    ("return", ""),
    ("barrier", "`barrier_all` at "),
    ("sync", "`sync_all` at "),
    ("team_barrier", "`barrier` at "),
    ("sum", "`sum` at "),
    ("sums", "`sum` at "),
    ("two_sums", "`sum` at "),
    ("broadcast", "`broadcast` at "),
    ("long_broadcast", "`broadcast` at "),
    ("collect", "`collect` at "),
    ("allocation", "an allocation at "),
    ("release", "a release of memory at "),
    ("split", "`split_strided` at "),
    ("phase", "`local_phase` at "),
    ("row", "`sum` at "),
    ("row_barrier", "`barrier` at "),
    ("row_broadcast", "`broadcast` at "),
];

/// Comes to the meeting of this name. What it returns is wrong if the PE passes it without the
/// others.
fn come(world: &World, row: &Team, to: &str) -> Result<(), Error> {
    let (team, n) = (world.team(), world.n_pes());
    // Longer than what is said in passing.
    let long = 3000;
    match to {
        "return" => {}
        "barrier" => world.barrier_all(),
        "sync" => world.sync_all(),
        "team_barrier" => team.barrier(),
        "sum" => println!("the sum is {}", collective!(sum 1)),
        "sums" => {
            team.reduce(reduction::Sum, local!(&DATA[..]), local!(&DATA[..]));
            println!("the sums are {}", local!(DATA[7]));
        }
        "two_sums" => {
            let mut values = [1_u64, 2];
            team.reduce_values(reduction::Sum, &mut values);
            println!("the sums are {values:?}");
        }
        // From the PE that does not come.
        "broadcast" => println!("the value is {}", team.broadcast_value(world.my_pe(), n - 1)),
        "long_broadcast" => {
            let mut values = vec![world.my_pe(); long];
            team.broadcast_values(&mut values, n - 1);
            println!("the values are {}", values[7]);
        }
        "collect" => println!("all are {:?}", team.collect_values(&vec![1_u8; world.my_pe() + 1])),
        "allocation" => println!("allocated {}", world.zeros::<u64, 1>([10])?.len()),
        "release" => {
            world.reclaim()?;
            println!("released");
        }
        "split" => println!("split {:?}", team.split_strided(0, 1, n)?),
        "phase" => world.local_phase(|p| println!("in a phase with {}", DATA.as_slice(p).len())),
        "row" => println!("the sum of the row is {}", collective!(sum 1; on row)),
        "row_barrier" => row.barrier(),
        "row_broadcast" => println!("the row's value is {}", row.broadcast_value(world.my_pe(), n - 1)),
        other => unreachable!("{other} is not known"),
    }
    Ok(())
}

/// All PEs meet; then the last PE comes to the second meeting of the argument, and the others to
/// the first.
#[shmem::main(npes = 2)]
pub(crate) fn meetings(world: &World) -> Result<(), Error> {
    let argument = argument();
    let (others, last) = argument.split_once(',').expect("two meetings");
    let row = world.team().split_strided(0, 1, world.n_pes())?.expect("all are in it");
    for _ in 0..3 {
        world.barrier_all();
        assert_eq!(collective!(sum 1; on row), world.n_pes() as i32);
        world.local_phase(|_| ());
    }
    come(world, &row, if world.my_pe() + 1 == world.n_pes() { last } else { others })
}

/// How a meeting is called in a report, with the place of its call.
pub(crate) fn called(meeting: &str) -> String {
    let (_, called) = MEETINGS.iter().find(|(name, _)| *name == meeting).expect("it is in the list");
    format!("{called}{}:", file!())
}
