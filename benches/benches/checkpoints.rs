//! The bandwidth of a checkpoint and of a restore, against `dd conv=fsync` to the same disk.
//!
//! ```text
//! cargo bench -p benches --bench checkpoints                    in the target folder
//! cargo bench -p benches --bench checkpoints -- /mnt/disk       in a directory of another disk
//! ```
//!
//! Each PE has half a GiB of numbers that are no zeros. A round writes a checkpoint, and as many
//! bytes by one `dd` in blocks of 1 MiB, in turns. The ratio is the median of those of the rounds.

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use shmem::prelude::*;

/// Elements of each PE.
const LEN: usize = 64 << 20;
const ROUNDS: usize = 7;
/// The goal of the project: 80 % of the speed of `dd`.
const GOAL: f64 = 0.8;

/// Seconds that `act` takes, from when all PEs begin to when all have ended.
fn seconds<R>(world: &World, act: impl FnOnce() -> R) -> (f64, R) {
    world.barrier_all();
    let begun = Instant::now();
    let result = act();
    world.barrier_all();
    (begun.elapsed().as_secs_f64(), result)
}

#[shmem::main(npes = 2, heap = "600M")]
fn main(world: &World) -> Result<(), Box<dyn Error>> {
    let me = world.my_pe();
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let folder = given.map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    let (directory, file) = (folder.join("checkpoints"), folder.join("dd"));
    let array = world.array_from_fn([LEN], |[at]| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)?;
    let mebibytes = (array.len() * 8 * world.n_pes()) >> 20;
    let (mut ratios, mut restores) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (ours, written) = seconds(world, || world.checkpoint(&directory));
        written?;
        let (theirs, status) = seconds(world, || {
            (me == 0).then(|| {
                Command::new("dd")
                    .args(["if=/dev/zero", "bs=1M", "conv=fsync", "status=none"])
                    .args([format!("of={}", file.display()), format!("count={mebibytes}")])
                    .status()
            })
        });
        if let Some(status) = status {
            assert!(status?.success(), "dd writes its file");
            std::fs::remove_file(&file)?;
        }
        let (back, restored) = seconds(world, || world.restore(&directory));
        assert!(restored?);
        ratios.push(theirs / ours);
        restores.push(mebibytes as f64 / back);
        if me == 0 {
            let rate = |seconds: f64| mebibytes as f64 / seconds;
            println!(
                "round {round}: checkpoint {:.0} MiB/s, dd {:.0} MiB/s, ratio {:.2}; restore {:.0} MiB/s",
                rate(ours),
                rate(theirs),
                theirs / ours,
                rate(back)
            );
        }
    }
    if me == 0 {
        ratios.sort_by(f64::total_cmp);
        restores.sort_by(f64::total_cmp);
        let (ratio, goal) = (ratios[ROUNDS / 2], if ratios[ROUNDS / 2] >= GOAL { "met" } else { "NOT met" });
        println!(
            "a checkpoint of {} PEs has {:.0} % of the bandwidth of dd: the goal of {:.0} % is {goal}; restores at {:.0} MiB/s",
            world.n_pes(),
            100.0 * ratio,
            100.0 * GOAL,
            restores[ROUNDS / 2]
        );
        std::fs::remove_dir_all(&directory)?;
    }
    Ok(())
}
