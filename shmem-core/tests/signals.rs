//! `put_signal`: what a signal announces is there, whatever its size and form, round after round.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use shmem::prelude::*;
use shmem::select::One;

/// How many messages of the left neighbour are here.
#[symmetric]
static SIGNAL: Atomic<u64> = Atomic::new(0);
/// How many of this PE's messages the right neighbour has taken.
#[symmetric]
static TAKEN: Atomic<u64> = Atomic::new(0);

/// A number that differs from one round to the next, and from one place to the next.
fn stamp(round: u64, from: usize, i: usize) -> u64 {
    (round.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (from as u64) << 7)
        .wrapping_add((i as u64).wrapping_mul(0x0101_0101_0101_0107))
}

/// Every PE sends to its right neighbour, and takes what the left one sends: `send` puts with the
/// signal that it is given, and `check` looks at what has come from a PE.
#[shmem::kernel]
fn ring(
    world: &World,
    rounds: u64,
    send: impl Fn(u64, usize, Remote<'_, Atomic<u64>, One>, SignalOp),
    check: impl Fn(u64, usize),
) {
    let (me, n) = (world.my_pe(), world.n_pes());
    let (left, right) = ((me + n - 1) % n, (me + 1) % n);
    local!(SIGNAL) = 0;
    local!(TAKEN) = 0;
    world.barrier_all();
    for round in 1..=rounds {
        wait!(TAKEN == round - 1);
        let op = if round % 2 == 0 { SignalOp::Add(1) } else { SignalOp::Set(round) };
        send(round, right, remote!(&SIGNAL[right]), op);
        assert_eq!(wait!(SIGNAL >= round), round);
        check(round, left);
        remote!(TAKEN[left]) += 1;
    }
    wait!(TAKEN == rounds);
    world.barrier_all();
}

const MIB: usize = 1 << 20;

#[symmetric]
static BYTES: [u8; MIB] = [0; MIB];

/// A queue of messages of every size, from a byte to a MiB.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn payloads_of_all_sizes(world: &World) {
    let me = world.my_pe();
    let sizes = [
        1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 33, 64, 65, 100, 129, 1000, 2048, 2049, 4096, 10_000, 16_384,
        16_385, 65_536, 300_001, MIB,
    ];
    for (k, size) in sizes.into_iter().enumerate() {
        let start = (k * 37).min(MIB - size);
        let of = |round, from| -> Vec<u8> { (0..size).map(|i| stamp(round, from, i) as u8).collect() };
        ring(
            world,
            if size < 1000 { 40 } else { 3 },
            |round, to, signal, op| {
                remote!(&BYTES[to, start..start + size]).put_signal(of(round, me), signal, op);
            },
            |round, from| {
                assert!(
                    local!(BYTES[start..start + size]) == of(round, from),
                    "{size} bytes in round {round}"
                );
            },
        );
    }
}

/// The bytes of large copies take a way past the caches, and arrive before the signal all the same.
#[shmem::test(npes = 2, heap = "96M")]
fn payloads_larger_than_the_caches(world: &World) {
    const WORDS: usize = 3 << 20;
    let inbox = world.symmetric_array([WORDS], 0_u64).expect("room");
    let mut mine = vec![0; WORDS];
    let mut received = vec![0; WORDS];
    let (me, other) = (world.my_pe(), (world.my_pe() + 1) % world.n_pes());
    for round in 1..=4 {
        let last = WORDS - round as usize;
        mine.fill(round * 2 + me as u64);
        remote!(&inbox[other, ..]).put_signal(&mine, remote!(&SIGNAL[other]), SignalOp::Set(round));
        wait!(SIGNAL == round);
        // The end first: it is what was written last.
        assert_eq!(local!(inbox[last..]), vec![round * 2 + other as u64; WORDS - last]);
        local!(inbox[..] => &mut received);
        assert!(received.iter().all(|&word| word == round * 2 + other as u64));
        world.barrier_all();
    }
}

#[symmetric]
static GRID: [[u64; 24]; 16] = [[0; 24]; 16];
#[symmetric]
static CELLS: [Atomic<u32>; 40] = [Atomic::new(0); 40];

#[derive(Clone, Copy, Debug, PartialEq, Symmetric)]
#[repr(C)]
struct Body {
    position: [f64; 3],
    mass: f32,
    kind: [u16; 2],
}
#[symmetric]
static BODIES: [Body; 9] = [Body { position: [0.0; 3], mass: 0.0, kind: [0; 2] }; 9];

/// Rows, columns, blocks, steps, single elements and fields, from arrays, slices, one value for
/// all, and cells.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn payloads_of_all_forms(world: &World) {
    let me = world.my_pe();
    let rounds = 200;
    let (a, b) = (world.n_pes().min(1), 15);
    ring(
        world,
        rounds,
        |round, to, signal, op| {
            let column: [u64; 16] = std::array::from_fn(|i| stamp(round, me, i));
            remote!(&GRID[to, .., 5]).put_signal(column, signal, op);
        },
        |round, from| assert_eq!(local!(GRID[.., 5]), std::array::from_fn(|i| stamp(round, from, i))),
    );
    ring(
        world,
        rounds,
        |round, to, signal, op| {
            let block: [[u64; 8]; 5] =
                std::array::from_fn(|i| std::array::from_fn(|k| stamp(round, me, 8 * i + k)));
            remote!(&GRID[to, 1..16;3, 0..24;3]).put_signal(block, signal, op);
        },
        |round, from| {
            let block: [[u64; 8]; 5] =
                std::array::from_fn(|i| std::array::from_fn(|k| stamp(round, from, 8 * i + k)));
            assert_eq!(local!(GRID[1..16;3, 0..24;3]), block);
        },
    );
    ring(
        world,
        rounds,
        |round, to, signal, op| {
            let rows: Vec<u64> = (0..14 * 24).map(|i| stamp(round, me, i)).collect();
            remote!(&GRID[to, a..b, ..]).put_signal(rows.as_slice(), signal, op);
        },
        |round, from| {
            let rows: Vec<u64> = (0..14 * 24).map(|i| stamp(round, from, i)).collect();
            assert_eq!(local!(GRID[a..b, ..]), rows);
        },
    );
    // One value for all.
    ring(
        world,
        rounds,
        |round, to, signal, op| remote!(&GRID[to, a..b;2, ..;5]).put_signal(stamp(round, me, 0), signal, op),
        |round, from| assert_eq!(local!(GRID[a..b;2, ..;5]), vec![stamp(round, from, 0); 7 * 5]),
    );
    ring(
        world,
        rounds,
        |round, to, signal, op| remote!(&GRID[to, 3, 4]).put_signal(stamp(round, me, 0), signal, op),
        |round, from| assert_eq!(local!(GRID[3, 4]), stamp(round, from, 0)),
    );
    ring(
        world,
        rounds,
        |round, to, signal, op| {
            remote!(&CELLS[to, 2..40;2]).put_signal(stamp(round, me, 0) as u32, signal, op)
        },
        |round, from| assert_eq!(local!(CELLS[2..40;2]), [stamp(round, from, 0) as u32; 19]),
    );
    ring(
        world,
        rounds,
        |round, to, signal, op| {
            let cells: [u32; 40] = std::array::from_fn(|i| stamp(round, me, i) as u32);
            remote!(&CELLS[to, ..]).put_signal(cells, signal, op);
        },
        |round, from| assert_eq!(local!(CELLS[..]), std::array::from_fn(|i| stamp(round, from, i) as u32)),
    );
    let body = |round: u64, from: usize| Body {
        position: [round as f64, from as f64, -1.5],
        mass: round as f32 + 0.5,
        kind: [from as u16, round as u16],
    };
    ring(
        world,
        rounds,
        |round, to, signal, op| remote!(&BODIES[to, a..;3]).put_signal(body(round, me), signal, op),
        |round, from| assert_eq!(local!(BODIES[a..;3]), [body(round, from); 3]),
    );
    ring(
        world,
        rounds,
        |round, to, signal, op| {
            let position = [round as f64, me as f64, 0.25];
            remote!(&BODIES[to, ..].position).put_signal(position, signal, op);
        },
        |round, from| assert_eq!(local!(BODIES[..].position), [[round as f64, from as f64, 0.25]; 9]),
    );
}

/// Many rounds of a message of some cache lines: the payload is complete whenever the signal is
/// seen, also by a poll.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn no_signal_overtakes_its_payload(world: &World) {
    const LINES: usize = 8 * 24;
    #[symmetric]
    static MESSAGE: [u64; LINES] = [0; LINES];
    let me = world.my_pe();
    ring(
        world,
        1000,
        |round, to, signal, op| {
            let words: [u64; LINES] = std::array::from_fn(|i| stamp(round, me, i));
            remote!(&MESSAGE[to, ..]).put_signal(words, signal, op);
        },
        |round, from| assert_eq!(local!(MESSAGE[..]), std::array::from_fn(|i| stamp(round, from, i))),
    );
}

/// A queue of slots, each with its own signal: all PEs send to all, and each message is taken once.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn queues_of_all_to_all(world: &World) {
    const MESSAGES: u64 = 200;
    #[symmetric]
    static INBOX: PerPe<[u32; 50]> = PerPe::new([0; 50]);
    #[symmetric]
    static FULL: PerPe<Atomic<u64>> = PerPe::new(Atomic::new(0));
    let (me, n) = (world.my_pe(), world.n_pes());
    let payload =
        |message: u64, from: usize| -> Vec<u32> { (0..50).map(|i| stamp(message, from, i) as u32).collect() };
    thread::scope(|scope| {
        scope.spawn(|| {
            for message in 1..=MESSAGES {
                for to in (0..n).map(|step| (me + step) % n) {
                    remote!(&FULL[to, me]).wait_until(Comparison::Eq, 0);
                    remote!(&INBOX[to, me, ..]).put_signal(
                        payload(message, me),
                        remote!(&FULL[to, me]),
                        SignalOp::Set(message),
                    );
                }
            }
        });
        let mut taken = vec![0; n];
        while taken.iter().sum::<u64>() < MESSAGES * n as u64 {
            let from = wait!(any FULL[..] != 0).expect("there are slots");
            taken[from] += 1;
            assert_eq!(local!(FULL[from]), taken[from]);
            assert_eq!(local!(INBOX[from, ..]).to_vec(), payload(taken[from], from));
            local!(FULL[from]) = 0;
        }
        assert_eq!(taken, vec![MESSAGES; n]);
    });
    world.barrier_all();
}

/// Sums of many senders; set wins over what was there; both use all 64 bits, and wrap around.
#[shmem::test(npes = [1, 2, 3, 4, 7])]
fn the_signal_is_set_or_added_to(world: &World) {
    let (me, n) = (world.my_pe() as u64, world.n_pes() as u64);
    let step = 1 << 40 | 3;
    for _ in 0..100 {
        remote!(&GRID[0, world.my_pe(), ..]).put_signal(me, remote!(&SIGNAL[0]), SignalOp::Add(step));
    }
    if me == 0 {
        wait!(SIGNAL == 100 * n * step);
        for pe in 0..n {
            assert_eq!(local!(GRID[pe as usize, ..]), [pe; 24]);
        }
    }
    world.barrier_all();
    let signal = remote!(&SIGNAL[world.my_pe()]);
    let mine = local!(&GRID[15, 0]);
    mine.put_signal(1, signal, SignalOp::Set(u64::MAX));
    assert_eq!(local!(SIGNAL), u64::MAX);
    mine.put_signal(2, signal, SignalOp::Add(9));
    assert_eq!((local!(SIGNAL), local!(GRID[15, 0])), (8, 2));
    // Nothing to put: the signal alone.
    local!(&GRID[15, 3..3]).put_signal([], local!(&SIGNAL), SignalOp::Add(1));
    local!(&GRID[2..2, ..]).put_signal(7, local!(&SIGNAL), SignalOp::Add(1));
    let none = &Vec::new();
    let k = world.n_pes();
    local!(&GRID[15, k..k]).put_signal(none, local!(&SIGNAL), SignalOp::Add(1));
    assert_eq!(local!(SIGNAL), 11);
    world.barrier_all();
}

/// What `call` panics with.
fn panic_of(call: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("a mistake");
    panic.downcast_ref::<String>().cloned().expect("a text")
}

/// A put that is refused signals nothing, and one whose signal is refused puts nothing.
#[shmem::test(npes = [2, 3])]
fn refusals(world: &World) {
    let (me, right) = (world.my_pe(), (world.my_pe() + 1) % world.n_pes());
    let message =
        panic_of(|| remote!(&GRID[right, 0, ..]).put_signal(9, remote!(&SIGNAL[me]), SignalOp::Add(1)));
    assert!(
        message.starts_with("a put and its signal must go to the same PE: here the put of `GRID: "),
        "{message}"
    );
    assert!(message.contains(&format!(" goes to PE {right}, and the signal `SIGNAL: ")), "{message}");
    assert!(message.contains(&format!(" is on PE {me}; select the signal on PE {right} too")), "{message}");
    let short = vec![9; world.n_pes()];
    let message = panic_of(|| {
        remote!(&GRID[right, 0, ..]).put_signal(&short, remote!(&SIGNAL[right]), SignalOp::Add(1))
    });
    assert!(message.starts_with("the source has"), "{message}");
    let nobody = world.n_pes();
    let message =
        panic_of(|| remote!(&GRID[nobody, 0, ..]).put_signal(9, remote!(&SIGNAL[nobody]), SignalOp::Add(1)));
    assert!(message.starts_with(&format!("there is no PE {nobody}")), "{message}");
    for (pe, signal_pe) in [(nobody, me), (me, nobody)] {
        let message = panic_of(|| {
            remote!(&GRID[pe, 0, ..]).put_signal(9, remote!(&SIGNAL[signal_pe]), SignalOp::Add(1))
        });
        assert!(message.starts_with(&format!("there is no PE {nobody}")), "{message}");
    }
    world.barrier_all();
    assert_eq!((local!(GRID[0, ..]), local!(SIGNAL)), ([0; 24], 0));
    world.barrier_all();
}
