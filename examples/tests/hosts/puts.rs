//! How many packets a large put takes over TCP: in pieces of the library's default there would be four times as many.

use shmem::prelude::*;

use super::{cluster, counted};

/// Started with this argument, the binary is this program.
pub(crate) const PROGRAM: &str = "--puts";

/// How many puts there are, and how many words each has: a mebibyte.
const PUTS: usize = 32;
const WORDS: usize = 1 << 17;

/// PE 0 puts, or does all but that.
#[shmem::main]
pub(crate) fn puts(world: &World) -> Result<(), shmem::Error> {
    let puts = std::env::args().nth(2).and_then(|text| text.parse().ok()).expect("how many puts");
    let (from, to) = (vec![7; WORDS], world.zeros::<u64, 1>([WORDS])?);
    if world.my_pe() == 0 {
        for _ in 0..puts {
            remote!(to[1, ..] = &from[..]);
            world.quiet();
        }
    }
    world.barrier_all();
    let sum: u64 = local!(to[..from.len()]).iter().sum();
    println!("{sum}");
    Ok(())
}

pub(crate) fn large_puts_cross_in_few_packets() {
    let this = std::env::current_exe().expect("the test has a path");
    let packets = |puts: usize| {
        let mut cluster = cluster();
        let before = cluster.packets();
        let (_, out) = counted(&mut cluster, |cluster| {
            let mut command = cluster.oshrun(&[1, 1]);
            command.arg(&this).args([PROGRAM, &puts.to_string()]);
            command
        });
        let sum = if puts == 0 { 0 } else { 7 * WORDS };
        let mut lines: Vec<&str> = out.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["0", &sum.to_string()]);
        cluster.packets() - before
    };
    let of_each = (packets(PUTS) - packets(0)) / PUTS;
    // 16 with elements; the others acknowledge these, or complete the put. In pieces of 8 KiB there are 128 with elements.
    assert!((16..128).contains(&of_each), "a mebibyte has crossed in {of_each} packets");
}
