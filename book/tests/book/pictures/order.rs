//! Pictures of what comes after what: between two PEs, from the top down, and in a barrier.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

use shmem::SignalOp;
use shmem::prelude::*;

use super::check;
use super::svg::Picture;
use crate::read;

#[allow(dead_code, reason = "the crate uses the rest of it")]
#[rustfmt::skip] // Not by the width of the book.
#[path = "../../../../shmem-core/src/transport/members.rs"]
mod members;

/// The part of a program of the book that an anchor names, as lines.
fn part(program: &str, anchor: &str) -> Vec<String> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(program);
    let text = read(&path);
    let (_, rest) = text
        .split_once(&format!("// ANCHOR: {anchor}\n"))
        .unwrap_or_else(|| panic!("{program}: no part {anchor}"));
    let (part, _) = rest.split_once("// ANCHOR_END").expect("parts end");
    let lines = part.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

/// Two PEs side by side, each with a line down the page, on which time goes.
pub(super) struct Lanes {
    pub(super) picture: Picture,
    x: [f64; 2],
    top: f64,
}

impl Lanes {
    pub(super) fn new(
        mut picture: Picture,
        x: [f64; 2],
        top: f64,
        bottom: f64,
    ) -> Lanes {
        for (pe, x) in x.into_iter().enumerate() {
            let name = format!("PE {pe}");
            picture.text(x, top - 6.0, "strong middle", name);
            picture.line((x, top), (x, bottom), "pale");
        }
        Lanes { picture, x, top }
    }

    /// What a PE does at a time, beside its line.
    pub(super) fn label(
        &mut self,
        pe: usize,
        at: f64,
        class: &str,
        text: &str,
    ) {
        let class = if pe == 0 { format!("{class} end") } else { class.into() };
        let x = if pe == 0 { self.x[0] - 9.0 } else { self.x[1] + 9.0 };
        self.picture.text(x, self.top + at, &class, text);
    }

    /// A message that leaves one PE at a time and comes to the other one later.
    pub(super) fn message(
        &mut self,
        from: usize,
        left: f64,
        came: f64,
        class: &str,
    ) {
        let start = (self.x[from], self.top + left);
        let end = (self.x[1 - from], self.top + came);
        self.picture.arrow(start, end, class);
    }

    /// What a PE is busy with from a time to another one.
    pub(super) fn during(
        &mut self,
        pe: usize,
        from: f64,
        to: f64,
        class: &str,
    ) {
        let corner = (self.x[pe] - 4.0, self.top + from);
        self.picture.frame(corner, (8.0, to - from), class);
    }
}

#[symmetric]
static HALO: [f64; 16] = [0.0; 16];
#[symmetric]
static FLAG: Atomic<u64> = Atomic::new(0);
#[symmetric]
static READ: f64 = 0.0;

/// Two parts of the program of the page. The one with a fence is run here. The other is a race, which
/// the page's own test finds: what it reads is not defined.
#[shmem::test(npes = 2)]
fn put_fence_flag(world: &World) {
    let before = remote!(HALO[1, 4]);
    world.barrier_all();
    if world.my_pe() == 0 {
        remote!(HALO[1, ..]) = 2.0;
        world.fence();
        remote!(FLAG[1]) = 1;
    } else {
        wait!(FLAG == 1);
        remote!(READ[0]) = local!(HALO[4]);
    }
    world.barrier_all();
    if world.my_pe() == 0 {
        draw_flags(before, local!(READ));
    }
}

/// The pictures of the two programs. PE 1 reads one value before the data arrives, and one after.
fn draw_flags(before: f64, after: f64) {
    for (name, anchor, has_fence) in
        [("fence", "no-fence", true), ("no-fence", "fence", false)]
    {
        // What the programs of the page do.
        let put = "remote!(HALO[1, ..]) = 2.0;";
        let fence = "world.fence();";
        let flag = "remote!(FLAG[1]) = 1;";
        let of_0: Vec<String> = part("races.rs", anchor)
            .into_iter()
            .skip(1)
            .take_while(|line| line != "}")
            .collect();
        let steps = [put, fence, flag];
        let steps: Vec<&str> = steps
            .into_iter()
            .filter(|&step| has_fence || step != fence)
            .collect();
        assert_eq!(of_0, steps);
        let wait = "wait!(FLAG == 1);";
        let print = "println!(\"{}\", local!(HALO[4]));";
        let of_1 = part("races.rs", "fence");
        assert!(of_1.ends_with(&[wait, print, "}"].map(str::to_owned)));
        let (title, description) = if has_fence {
            (
                "A put, a fence and a flag",
                "PE 0 puts data to PE 1, calls fence, and sets a flag there. The data arrives before the flag. PE 1 \
                 waits for the flag, and reads the data.",
            )
        } else {
            (
                "A put and a flag, without a fence",
                "PE 0 puts data to PE 1, and sets a flag there, without a fence between them. The flag may arrive \
                 first. PE 1 waits for the flag, and reads what was there before the data.",
            )
        };
        let mut picture = Picture::new(name, title, description);
        let heading =
            if has_fence { "With a fence" } else { "Without a fence" };
        picture.text(4.0, 14.0, "strong", heading);
        picture.text(4.0, 37.0, "pale", "PE 0");
        picture.text(44.0, 37.0, "code", put);
        if has_fence {
            picture.text(44.0, 54.0, "code", fence);
        } else {
            picture.text(44.0, 54.0, "bad", "(nothing orders the two)");
        }
        picture.text(44.0, 71.0, "code", flag);
        picture.text(4.0, 93.0, "pale", "PE 1");
        picture.text(44.0, 93.0, "code", wait);
        picture.text(44.0, 110.0, "code", print);

        let mut lanes = Lanes::new(picture, [64.0, 240.0], 140.0, 276.0);
        if has_fence {
            lanes.label(0, 18.0, "", "put");
            lanes.message(0, 14.0, 42.0, "move");
            lanes.label(0, 54.0, "", "fence");
            lanes.during(0, 46.0, 54.0, "on");
            lanes.label(0, 72.0, "", "flag");
            lanes.message(0, 68.0, 96.0, "");
            lanes.during(1, 6.0, 96.0, "plain dashed");
            lanes.label(1, 24.0, "pale", "waits");
            lanes.label(1, 46.0, "move", "data");
            lanes.label(1, 100.0, "", "flag");
            let reads = format!("reads {after}");
            lanes.label(1, 124.0, "good strong", &reads);
        } else {
            lanes.label(0, 18.0, "", "put");
            lanes.message(0, 14.0, 118.0, "bad dashed");
            lanes.label(0, 40.0, "", "flag");
            lanes.message(0, 36.0, 60.0, "");
            lanes.during(1, 6.0, 60.0, "plain dashed");
            lanes.label(1, 34.0, "pale", "waits");
            lanes.label(1, 64.0, "", "flag");
            let reads = format!("reads {before}");
            lanes.label(1, 88.0, "bad strong", &reads);
            lanes.label(1, 122.0, "bad", "data");
        }
        check(&lanes.picture);
    }
}

#[symmetric]
static DATA: [f64; 4] = [0.0; 4];
#[symmetric]
static SIGNAL: Atomic<u64> = Atomic::new(0);

/// The target of a put makes no call while it is done: here it looks at nothing but the file that the
/// origin writes when the data and the signal are in the copy of the target.
#[shmem::test(npes = 2)]
fn a_put_needs_no_call_of_its_target(world: &World) {
    let started_by = std::os::unix::process::parent_id();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("arrived-{started_by}"));
    let src = [1.0, 2.0, 3.0, 4.0];
    if world.my_pe() == 0 {
        remote!(&DATA[1, ..]).put_signal(
            src,
            remote!(&SIGNAL[1]),
            SignalOp::Add(1),
        );
        world.quiet();
        assert_eq!((remote!(DATA[1, ..]), remote!(SIGNAL[1])), (src, 1));
        fs::write(&file, "arrived").expect("the file can be written");
    } else {
        while !file.exists() {
            thread::sleep(Duration::from_millis(1));
        }
        fs::remove_file(&file).expect("the file can be removed");
        assert!(poll!(SIGNAL >= 1));
        assert_eq!(local!(DATA[..]), src);
    }
}

#[test]
fn one_side_and_two() {
    // As in the table of the page.
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/from-mpi.md");
    let page = read(&page);
    for call in ["MPI_Send(", "MPI_Recv(", ".put_signal(", "`wait!(S >= 1)`"] {
        assert!(page.contains(call), "{call}");
    }

    let picture = Picture::new(
        "two-sided",
        "Two-sided: both PEs call",
        "PE 0 calls MPI_Send while PE 1 computes. The data moves when PE 1 calls MPI_Recv. Until then, MPI_Send may \
         wait.",
    );
    let mut lanes = Lanes::new(picture, [96.0, 222.0], 52.0, 212.0);
    lanes.picture.text(4.0, 14.0, "strong", "Two-sided: both call");
    lanes.during(0, 6.0, 30.0, "pe0");
    lanes.label(0, 22.0, "pale", "computes");
    lanes.label(0, 42.0, "code", "MPI_Send");
    lanes.during(0, 38.0, 142.0, "plain dashed");
    lanes.label(0, 86.0, "bad", "may wait");
    lanes.during(0, 148.0, 160.0, "pe0");
    lanes.during(1, 6.0, 102.0, "pe1");
    lanes.label(1, 54.0, "pale", "computes");
    lanes.label(1, 114.0, "code", "MPI_Recv");
    lanes.during(1, 110.0, 142.0, "plain dashed");
    lanes.message(0, 40.0, 56.0, "pale dashed");
    lanes.message(1, 112.0, 122.0, "pale dashed");
    lanes.message(0, 124.0, 140.0, "move");
    lanes.label(1, 144.0, "move", "data");
    lanes.during(1, 148.0, 160.0, "pe1");
    check(&lanes.picture);

    let picture = Picture::new(
        "one-sided",
        "One-sided: only the origin calls",
        "PE 0 calls put_signal while PE 1 computes. Data and signal arrive at once, and PE 0 goes on. When PE 1 asks \
         for the signal, it is there.",
    );
    let mut lanes = Lanes::new(picture, [96.0, 206.0], 52.0, 212.0);
    lanes.picture.text(4.0, 14.0, "strong", "One-sided: the origin calls");
    lanes.during(0, 6.0, 30.0, "pe0");
    lanes.label(0, 22.0, "pale", "computes");
    lanes.label(0, 42.0, "code", "put_signal");
    lanes.message(0, 40.0, 60.0, "move");
    lanes.during(0, 48.0, 160.0, "pe0");
    lanes.label(0, 104.0, "pale", "computes");
    lanes.during(1, 6.0, 102.0, "pe1");
    lanes.label(1, 34.0, "pale", "computes");
    lanes.label(1, 64.0, "move", "data, signal");
    lanes.label(1, 114.0, "code", "wait!(S >= 1)");
    lanes.label(1, 131.0, "good", "at once");
    lanes.during(1, 118.0, 160.0, "pe1");
    check(&lanes.picture);
}

/// The rounds of the barrier, which the crate's own code for the members of a team gives.
#[test]
fn rounds_of_a_barrier() {
    const N: usize = 8;
    let members = members::Members::of((0..N).collect());
    let signalled: Vec<Vec<usize>> =
        (0..N).map(|rank| members.signalled(rank).collect()).collect();
    let rounds = signalled[0].len();
    // Of which PEs each knows that they have come, before a round and after the last.
    let mut known: Vec<Vec<BTreeSet<usize>>> =
        vec![(0..N).map(|rank| BTreeSet::from([rank])).collect()];
    for round in 0..rounds {
        let before = known.last().expect("there is a first");
        let mut after = before.clone();
        for (rank, signalled) in signalled.iter().enumerate() {
            after[signalled[round]].extend(&before[rank]);
        }
        known.push(after);
    }
    let count = |level: usize| {
        let counts: BTreeSet<usize> =
            known[level].iter().map(BTreeSet::len).collect();
        assert_eq!(counts.len(), 1, "all know of equally many");
        *counts.first().expect("one")
    };
    assert_eq!(count(rounds), N, "a barrier");
    // The signals through which the last PE learns of all.
    let reader = N - 1;
    let mut tree = BTreeSet::new();
    let mut heard = BTreeSet::from([reader]);
    for round in (0..rounds).rev() {
        for (rank, signalled) in signalled.iter().enumerate() {
            if heard.contains(&signalled[round]) {
                tree.insert((round, rank));
            }
        }
        let senders = tree.iter().filter(|(of, _)| *of == round);
        heard.extend(senders.map(|(_, rank)| rank));
    }
    assert_eq!(tree.len(), N - 1, "a tree");

    let counts: Vec<String> =
        (0..=rounds).map(|level| count(level).to_string()).collect();
    let (last, counts) = counts.split_last().expect("there are rounds");
    let mut picture = Picture::new(
        "barrier",
        "The rounds of a barrier of eight PEs",
        format!(
            "In each of {rounds} rounds, every PE signals one other PE, which is 1, 2, then 4 after it. A PE knows that \
             {} and at last {last} PEs have come. The signals through which PE {reader} learns of all others form a \
             tree.",
            counts.join(", ")
        ),
    );
    let (left, step) = (92.0, 28.6);
    let x = |rank: usize| left + step * rank as f64;
    let top = |level: usize| 4.0 + 74.0 * level as f64;
    for round in 0..rounds {
        let y = f64::midpoint(top(round), top(round + 1)) + 16.0;
        picture.text(
            4.0,
            y - 8.0,
            "strong",
            format_args!("round {}", round + 1),
        );
        let distance = (signalled[0][round] + N) % N;
        picture.text(4.0, y + 9.0, "pale", format_args!("{distance} further"));
        // Signals of the tree are drawn over the others.
        for is_in_tree in [false, true] {
            for (rank, signalled) in signalled.iter().enumerate() {
                if tree.contains(&(round, rank)) != is_in_tree {
                    continue;
                }
                let class = if is_in_tree { "move" } else { "faint" };
                let from = (x(rank), top(round) + 20.0);
                let to = (x(signalled[round]), top(round + 1));
                if signalled[round] > rank {
                    picture.arrow(from, to, class);
                    continue;
                }
                // Around the end: out on the right, in on the left.
                let across = (x(rank + distance) - from.0, to.1 - from.1);
                let edge = x(N - 1) + step / 2.0;
                let out = (edge - from.0) / across.0;
                let meets = (edge, from.1 + across.1 * out);
                picture.line(from, meets, class);
                let behind = x(0) - step / 2.0;
                picture.arrow((behind, meets.1), to, class);
            }
        }
    }
    for level in 0..=rounds {
        for rank in 0..N {
            let is_reader = rank == reader && level == rounds;
            let class = if is_reader { "on" } else { "pe0" };
            let corner = (x(rank) - 10.0, top(level));
            picture.cell(corner, (20.0, 20.0), class, rank);
        }
        let knows = format!("knows of {}", count(level));
        picture.text(4.0, top(level) + 14.5, "number pale", knows);
    }
    check(&picture);
}
