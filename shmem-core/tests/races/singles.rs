//! Programs of one mistake or one right pattern each. Those whose name begins with `no-` do not race.

use std::path::PathBuf;
use std::process::ExitCode;

use shmem::context::Private;
use shmem::prelude::*;
use shmem::reduction::Sum;

#[symmetric]
static X: [u64; 8] = [0; 8];
#[symmetric]
static BYTES: [u8; 16] = [0; 16];
#[symmetric]
static FLAG: Atomic<u64> = Atomic::new(0);
#[symmetric]
static ACK: Atomic<u64> = Atomic::new(0);
#[symmetric]
static COUNT: [Atomic<u64>; 4] = [Atomic::new(0); 4];
#[symmetric]
static SMALL: [Atomic<u8>; 4] = [Atomic::new(0); 4];
#[symmetric]
static LEVEL: Atomic<f64> = Atomic::new(0.0);
#[symmetric]
static LOCK: Lock = Lock::new();
#[symmetric]
static SUM: [u64; 4] = [0; 4];
#[symmetric]
static FULL: [Event; 2] = [Event::new(); 2];
#[symmetric]
static FREE: [Event; 2] = [Event::new(); 2];

/// The programs, and what is said of each: parts of the report, in this order.
pub(crate) const SINGLES: &[(&str, &[&str])] = &[
    (
        "put-put",
        &[
            "X[2..4] of PE 1",
            "PE 0 puts  at ",
            "and a later put may arrive first",
            "help: world.fence() between line ",
            " and line ",
        ],
    ),
    ("no-put-fence-put", &[]),
    (
        "put-get",
        &[
            "X[4] of PE 1",
            "and has not completed it",
            "help: world.quiet() between line ",
            "a put may arrive",
        ],
    ),
    ("put-fence-get", &["X[4] of PE 1", "help: world.quiet() between line "]),
    ("context-put-put", &["X[0] of PE 1", "help: fence() of the context between the two times that line "]),
    ("no-put-quiet-get", &[]),
    ("no-own-copy", &[]),
    ("no-neighbours", &[]),
    ("no-interleaved", &[]),
    ("interleaved-too-far", &["BYTES[6]"]),
    ("same-byte", &["BYTES[5] of PE 0"]),
    ("no-other-byte", &[]),
    (
        "two-writers",
        &[
            "X[0] of PE 0",
            "PE 1 puts  at ",
            "PE 2 puts  at ",
            "and nothing orders the two",
            "help: let one PE write at line ",
            "two writes race even if the values are the same",
        ],
    ),
    ("no-counters", &[]),
    ("no-counters-fetched", &[]),
    ("no-lock", &[]),
    ("half-a-lock", &["X[0] of PE 0"]),
    ("lock-then-put", &["X[0] of PE 0"]),
    ("no-put-signal", &[]),
    (
        "put-before-put-signal",
        &[
            "X[0..4] of PE 1",
            "the flag that it has set since may arrive first",
            "world.fence() on PE 0 between line ",
            "where it updates FLAG; or one put_signal for both",
        ],
    ),
    ("no-fence-before-put-signal", &[]),
    (
        "context-put-default-fence",
        &[
            "X[..] of PE 1",
            "the flag that it has set since may arrive first",
            "help: quiet() of its context on PE 0 after line ",
            "FLAG was updated by another context, and a fence orders the operations of one",
        ],
    ),
    ("no-context-fence", &[]),
    ("no-session", &[]),
    ("no-dropped-context", &[]),
    (
        "double-buffer",
        &[
            "X[0..4] of PE 1",
            "PE 1 reads  at ",
            "after it has seen FLAG (",
            "PE 0 puts   at ",
            "again, and does not know whether PE 1 has read",
            "help: an acknowledgement: PE 1 sets a flag after line ",
            "and PE 0 waits for it before line ",
        ],
    ),
    ("no-double-buffer", &[]),
    ("no-result-overwritten", &[]),
    ("result-read-by-another", &["SUM"]),
    ("source-changed-by-another", &["X[..] of PE 1"]),
    ("no-scan", &[]),
    ("no-alltoall", &[]),
    ("no-two-ready-destinations", &[]),
    (
        "destination-not-ready",
        &[
            " of PE ",
            "  at shmem-core/tests/races/singles.rs:",
            "writes  at shmem-core/tests/races/singles.rs:",
            "and does not know that the destination of PE ",
            " is ready",
            "help: a sync_all before line ",
            ", or two destinations in turn",
        ],
    ),
    (
        "destination-put-to",
        &[
            "X[5] of PE 1",
            "PE 0 puts    at ",
            "and does not know that the destination of PE 1 is ready",
            "help: a barrier_all between line ",
        ],
    ),
    ("no-fcollect-to-ready", &[]),
    ("fcollect-to-what-is-not-ready", &["COPY["]),
    ("no-collect", &[]),
    ("no-views", &[]),
    ("no-threads", &[]),
    ("thread-without-quiet", &["X[2]"]),
    ("no-freed", &[]),
    ("no-resized", &[]),
    ("no-set-by-two", &[]),
    ("no-poll", &[]),
    (
        "poll-in-vain",
        &[
            "X[0] of PE 1",
            "PE 0 puts",
            "PE 1 reads",
            "after it has read ACK (",
            "which does not tell of it",
            "help: a wait! at line ",
            "for a value that PE 0 sets after line ",
        ],
    ),
    (
        "own-update-tells-nothing",
        &["X[0] of PE 1", "PE 0 puts", "PE 1 reads", "help: a barrier_all between "],
    ),
    ("no-own-update-with-value", &[]),
    ("no-wait-any", &[]),
    (
        "set-hides-update",
        &[
            "X[0] of PE 2",
            "PE 0 puts   at ",
            "PE 2 reads  at ",
            "after it has read FLAG (",
            "which PE 1 has updated last",
            "help: a flag that PE 0 sets after line ",
            "another one than FLAG, which tells of PE 1 alone",
        ],
    ),
    ("no-update-keeps-update", &[]),
    ("no-halo-with-partners", &[]),
    ("halo-overwritten", &["X[", "again, and does not know whether PE "]),
    (
        "halo-not-completed",
        &["X[", "has not completed it", "help: barrier_with in place of sync_with at line "],
    ),
    ("no-halo-with-events", &[]),
    ("no-partners-of-threads", &[]),
    (
        "nbi-read-overwritten",
        &[
            "X[..] of PE 1",
            "PE 0 reads   at ",
            "until its nbi scope ends, and has updated a flag before",
            "PE 1 writes  at ",
            "after it has seen FLAG (",
            "help: the end of the nbi scope on PE 0 after line ",
            "a fence does not order reads",
        ],
    ),
    ("no-batch", &[]),
    (
        "batch-written-twice",
        &[
            "X[4] of PE 1",
            "PE 0 puts  at ",
            "in a batch, and no order holds before its end",
            "help: two batches, one for line ",
            "the operations of a batch have no order",
        ],
    ),
    (
        "batch-with-a-barrier-inside",
        &[
            "X[3] of PE 1",
            "PE 0 puts   at ",
            "in a batch, and no order holds before its end",
            "PE 1 reads  at ",
            "help: the end of the batch on PE 0 between line ",
            "no fence, quiet or barrier inside of a batch completes its operations",
        ],
    ),
    (
        "batch-read-overwritten",
        &[
            "X[0] of PE 1",
            "PE 0 reads   at ",
            "in a batch, and no order",
            "PE 1 writes  at ",
            "help: the end of the batch",
        ],
    ),
    (
        "sync-all",
        &[
            "X[4] of PE 1",
            "PE 0 puts   at ",
            "and has not completed it: no quiet or barrier since",
            "PE 1 reads  at ",
            "after sync_all (",
            "which completes no puts",
            "help: world.barrier_all() in place of sync_all at line ",
            "or world.quiet() on PE 0 before it",
        ],
    ),
    (
        "team-sync",
        &["after sync (", "which completes no puts", "help: barrier() in place of sync() at line "],
    ),
    ("sum", &["after sum (", "which completes no puts", "help: world.quiet() on PE 0 before sum at line "]),
    (
        "flag-without-fence",
        &[
            "X[4] of PE 1",
            "and the flag that it has set since may arrive first",
            "PE 1 reads  at ",
            "after it has seen FLAG (",
            "help: world.fence() on PE 0 between line ",
            " and line ",
            "where it updates FLAG; or one put_signal for both",
        ],
    ),
    (
        "flag-on-another-pe",
        &[
            "X[4] of PE 1",
            "PE 2 reads  at ",
            "after it has seen FLAG (",
            "help: world.quiet() on PE 0 after line ",
            "FLAG is on PE 2, and a fence orders what goes to one PE",
        ],
    ),
    (
        "flag-of-another-pe",
        &[
            "X[4] of PE 1",
            "PE 1 reads  at ",
            "help: world.quiet() on PE 0 after line ",
            "PE 2 has updated FLAG since, and a fence orders the operations of one PE",
        ],
    ),
    (
        "without-a-wait",
        &[
            "X[4] of PE 1",
            "PE 0 puts   at ",
            "PE 1 reads  at ",
            "and nothing orders the two",
            "help: a barrier_all between line ",
            "or a flag that PE 0 sets after line ",
            "and PE 1 waits for before line ",
        ],
    ),
    (
        "context-put-barrier",
        &[
            "X[4] of PE 1",
            "by a context, and has completed another one only",
            "after barrier_all (",
            "help: quiet() of the context of line ",
            "world.quiet() and barriers complete the default context alone",
        ],
    ),
    (
        "default-put-context-quiet",
        &[
            "X[4] of PE 1",
            "and has completed another context only",
            "after sync_all (",
            "help: world.quiet() on PE 0 after line ",
        ],
    ),
    (
        "pe_quiet-of-another",
        &[
            "X[4] of PE 1",
            "and has completed its operations on another PE only",
            "after sync_all (",
            "help: pe_quiet(&[1]) on PE 0: line ",
            "accesses PE 1; or world.quiet(), for all PEs",
        ],
    ),
    (
        "barrier-without-the-writer",
        &[
            "X[4] of PE 1",
            "PE 2 puts   at ",
            "PE 1 reads  at ",
            "after barrier (",
            "in which PE 2 has no part",
            "help: world.barrier_all() in place of barrier at line ",
            "or a team that PE 2 is a member of",
        ],
    ),
    (
        "broadcast-of-another",
        &[
            "X[4] of PE 1",
            "PE 0 puts   at ",
            "PE 1 reads  at ",
            "after broadcast (",
            "which tells of PE 2 alone",
            "help: world.barrier_all() between line ",
        ],
    ),
    (
        "after-a-barrier",
        &[
            "X[4] of PE 1",
            "PE 1 reads  at ",
            "and nothing orders the two since barrier_all (",
            "help: a barrier_all",
        ],
    ),
    (
        "barrier-before-the-reads-only",
        &[
            "X[4] of PE 1",
            "PE 1 reads  at ",
            "after barrier_all (",
            "PE 0 puts   at ",
            "again, and does not know whether PE 1 has read",
            "help: an acknowledgement",
            "or a barrier_all there",
        ],
    ),
    (
        "freed-under-a-put",
        &[
            "race on freed memory of PE 1",
            "PE 0 puts       at ",
            "by a context, and has not completed it",
            "PE 1 allocates  at ",
            "a new object there",
            "help: quiet() of the context of line ",
            "before the object is freed",
        ],
    ),
    ("no-freed-after-a-quiet", &[]),
    (
        "freed-under-an-update",
        &[
            "race on freed memory of PE 1",
            "PE 0 updates atomically  at ",
            "by a context, and has not completed it",
            "a new object there",
            "help: quiet() of the context of line ",
        ],
    ),
    ("no-freed-after-updates", &[]),
    #[cfg(feature = "gpu")]
    ("no-freed-under-a-stream", &[]),
    #[cfg(feature = "gpu")]
    (
        "stream-without-a-quiet",
        &[
            "race on device array #0[4] of PE 1",
            "PE 0 puts   at shmem-core/tests/races/singles.rs:",
            "on a stream, which has not completed it",
            "PE 1 reads  at shmem-core/tests/races/singles.rs:",
            "help: stream.quiet() on PE 0 after line ",
            "calls of the host complete no operation of a stream",
        ],
    ),
    #[cfg(feature = "gpu")]
    ("no-stream-after-a-quiet", &[]),
    #[cfg(feature = "gpu")]
    (
        "stream-before-a-barrier",
        &[
            "race on device array #0[4] of PE 1",
            "help: a collective!(stream; barrier) between line ",
            "or a flag that PE 0 sets after line ",
            "(with stream.quiet() between the two)",
        ],
    ),
    #[cfg(feature = "gpu")]
    (
        "stream-and-a-flag",
        &[
            "race on device array #0[4] of PE 1",
            "and the flag that it has set since may arrive first",
            "after it has seen device array #1 (",
            "help: stream.quiet() on PE 0 between line ",
            "where it updates device array #1; or one put_signal for both",
        ],
    ),
    #[cfg(feature = "gpu")]
    (
        "kernel-and-a-flag",
        &[
            "race on device array #0[4] of PE 1",
            "and the flag that it has set since may arrive first",
            "help: fence() in the kernel on PE 0 between line ",
        ],
    ),
    #[cfg(feature = "gpu")]
    ("no-kernel-fence", &[]),
    ("no-ring", &[]),
    (
        "ring-without-a-quiet",
        &["X[", "and has not completed it", "after sync_all (", "which completes no puts"],
    ),
    ("no-lists", &[]),
    ("lists-that-meet", &["X[5] of PE 1"]),
    ("no-move", &[]),
    ("move-without-quiet", &["X[6] of PE 1", "help: world.quiet() between line "]),
    ("no-cells-of-one-word", &[]),
    ("no-max-that-tells", &[]),
    (
        "max-that-keeps",
        &["X[2] of PE 1", "PE 0 puts   at ", "after it has read LEVEL (", "which does not tell of it"],
    ),
];

/// Tells another PE in a way that the checker does not see: in what order things happen, is not what
/// orders them.
fn say(word: &str) {
    std::fs::write(side(word), "").expect("a file");
}

fn hear(word: &str) {
    while !side(word).exists() {
        std::thread::yield_now();
    }
}

fn side(word: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("RACES_SIDE").expect("a directory")).join(word)
}

#[shmem::main(npes = 3)]
fn single(world: &World) -> Result<(), shmem::Error> {
    let name = std::env::args().nth(3).expect("a name");
    let (me, right) = (world.my_pe(), (world.my_pe() + 1) % world.n_pes());
    match &name[..] {
        "put-put" if me == 0 => {
            remote!(X[1, 0..4]) = [1; 4];
            remote!(X[1, 2..6]) = [2; 4];
        }
        "no-put-fence-put" if me == 0 => {
            for i in 0..3 {
                remote!(X[1, 0..4]) = [i; 4];
                world.fence();
            }
        }
        "put-get" if me == 0 => {
            remote!(X[1, ..]) = [1; 8];
            assert!(remote!(X[1, 4]) < 2);
        }
        "put-fence-get" if me == 0 => {
            remote!(X[1, ..]) = [1; 8];
            world.fence();
            assert!(remote!(X[1, 4]) < 2);
        }
        "context-put-put" => {
            let ctx = world.team().context(Private)?;
            for i in 0..2 {
                if me == 0 {
                    remote!(ctx; X[1, 0]) = i;
                }
            }
        }
        "no-put-quiet-get" if me == 0 => {
            remote!(X[1, ..]) = [1; 8];
            world.quiet();
            assert_eq!(remote!(X[1, 4]), 1);
        }
        // Interleaved; and one list has an index twice.
        "no-lists" if me != 1 => {
            let list = if me == 0 { [0, 5, 3, 0] } else { [1, 6, 2, 1] };
            remote!(X[1, @list]) = [7; 4];
        }
        "lists-that-meet" if me != 1 => {
            let list = if me == 0 { [0, 5] } else { [6, 5] };
            remote!(X[1, @list]) = [7; 2];
        }
        // Overlapping on the PE itself, then to places that nobody else accesses.
        "no-move" => {
            local!(X[2..8]) = local!(&X[0..6]);
            remote!(SUM[right, [2, 0]]) = local!(&X[..;-4]);
        }
        "move-without-quiet" if me == 0 => {
            remote!(X[1, 4..]) = local!(&X[..4;-1]);
            assert_eq!(remote!(X[1, 6]), 0);
        }
        // All PEs, as they like.
        "no-cells-of-one-word" => {
            for round in 0..20 {
                remote!(SMALL[1, (round + me) % 4]) += 1;
                remote!(LEVEL[0]) -= 0.25;
            }
        }
        // It writes to the cell, and so announces what was completed before.
        "no-max-that-tells" if me < 2 => {
            if me == 0 {
                remote!(X[1, 2]) = 5;
                world.quiet();
                remote!(&LEVEL[1]).max(3.5);
            } else {
                while local!(LEVEL) < 3.0 {}
                assert_eq!(local!(X[2]), 5);
            }
        }
        // It leaves the cell alone, and announces nothing.
        "max-that-keeps" if me < 2 => {
            if me == 0 {
                remote!(X[1, 2]) = 5;
                world.quiet();
                remote!(&LEVEL[1]).max(-1.0);
                say("kept");
            } else {
                hear("kept");
                assert!(local!(LEVEL) == 0.0 && local!(X[2]) == 5);
            }
        }
        // One's own copy is written at once, in whichever way.
        "no-own-copy" => {
            remote!(X[me, ..]) = [1; 8];
            assert_eq!(local!(X[4]), 1);
            local!(X[4]) = 2;
            world.sync_all();
            assert_eq!(remote!(X[right, 4]), 2);
        }
        // Each PE writes its own part of PE 0's copy.
        "no-neighbours" => remote!(X[0, 2 * me..2 * me + 2]) = [1; 2],
        "no-interleaved" => match me {
            0 => remote!(BYTES[0, 0..16;4]) = [1; 4],
            1 => remote!(BYTES[0, 1..16;4]) = [1; 4],
            _ => remote!(BYTES[0, 2..16;4]) = [1; 4],
        },
        "interleaved-too-far" => match me {
            0 => remote!(BYTES[0, 0..16;2]) = [1; 8],
            1 => remote!(BYTES[0, 6]) = 1,
            _ => {}
        },
        "same-byte" if me > 0 => remote!(BYTES[0, 5]) = 9,
        "no-other-byte" => remote!(BYTES[0, 5 + me]) = 9,
        "two-writers" if me > 0 => remote!(X[0, 0]) = 7,
        "no-counters" => {
            for i in 0..20 {
                remote!(COUNT[i % 3, 1]) += 1;
                remote!(COUNT[(i + 1) % 3, 2]) |= 1;
            }
            world.barrier_all();
            assert!(local!(COUNT[1]) > 15);
        }
        "no-counters-fetched" => {
            for i in 0..20 {
                remote!(&COUNT[0, 1]).fetch_add(i);
                remote!(&COUNT[0, 2]).swap(i);
                let _ = remote!(&COUNT[0, 3]).compare_exchange(i, i + 1);
            }
        }
        "no-lock" => {
            for _ in 0..5 {
                let _guard = LOCK.lock();
                let value = remote!(X[0, 0]);
                remote!(X[0, 0]) = value + 1;
            }
            world.barrier_all();
            assert_eq!(remote!(X[0, 0]), 15);
        }
        // PE 2 does without.
        "half-a-lock" => {
            let _guard = (me != 2).then(|| LOCK.lock());
            remote!(X[0, 0]) = 1;
        }
        "lock-then-put" if me > 0 => {
            drop(LOCK.lock());
            remote!(X[0, 0]) = 1;
        }
        "no-put-signal" => match me {
            0 => remote!(&X[1, ..]).put_signal([1; 8], remote!(&FLAG[1]), SignalOp::Set(1)),
            1 => {
                wait!(FLAG == 1);
                assert_eq!(local!(X[..]), [1; 8]);
            }
            _ => {}
        },
        // The signal is ordered after its own data alone.
        "put-before-put-signal" | "no-fence-before-put-signal" => match me {
            0 => {
                remote!(X[1, 0..4]) = [1; 4];
                if name.starts_with("no-") {
                    world.fence();
                }
                remote!(&X[1, 4..8]).put_signal([1; 4], remote!(&FLAG[1]), SignalOp::Add(1));
            }
            1 => {
                wait!(FLAG == 1);
                assert!(local!(X[4..8]) == [1; 4] && local!(X[0..4])[0] < 2);
            }
            _ => {}
        },
        "context-put-default-fence" | "no-context-fence" => {
            let ctx = world.team().context(Private)?;
            match me {
                0 => {
                    remote!(ctx; X[1, ..]) = [1; 8];
                    if name.starts_with("no-") {
                        ctx.fence();
                        remote!(ctx; FLAG[1]) = 1;
                    } else {
                        world.fence();
                        remote!(FLAG[1]) = 1;
                    }
                }
                1 => {
                    wait!(FLAG == 1);
                    assert!(local!(X[..])[0] < 2);
                }
                _ => {}
            }
        }
        "no-session" => {
            let ctx = world.team().context(Private)?;
            if me == 0 {
                let session = ctx.session();
                remote!(ctx; X[1, 0]) = 1;
                remote!(ctx; X[1, 1]) = 1;
                drop(session);
            }
            ctx.quiet();
            world.sync_all();
            assert!(remote!(X[1, 0]) == 1);
        }
        "no-dropped-context" => {
            {
                let ctx = world.team().context(Private)?;
                remote!(ctx; X[right, 0]) = 1;
            }
            world.sync_all();
            assert_eq!(local!(X[0]), 1);
        }
        "double-buffer" | "no-double-buffer" => {
            for round in 1..=3_u64 {
                match me {
                    0 => {
                        if round > 1 {
                            hear(&format!("read-{}", round - 1));
                            if name.starts_with("no-") {
                                wait!(ACK >= round - 1);
                            }
                        }
                        remote!(X[1, 0..4]) = [round; 4];
                        world.fence();
                        remote!(FLAG[1]) = round;
                    }
                    1 => {
                        wait!(FLAG >= round);
                        assert!(local!(X[0..4])[3] >= 1);
                        remote!(ACK[0]) = round;
                        say(&format!("read-{round}"));
                    }
                    _ => {}
                }
            }
        }
        // A destination is written only after its PE has come to the call.
        "no-result-overwritten" => {
            for _ in 0..3 {
                world.team().reduce(Sum, local!(&SUM[..]), local!(&X[0..4]));
                assert_eq!(local!(SUM[0]), 0);
                world.team().broadcast(local!(&SUM[..]), local!(&X[0..4]), 1);
                assert_eq!(local!(SUM[1]), 0);
            }
        }
        "result-read-by-another" => {
            world.team().broadcast(local!(&SUM[..]), local!(&X[0..4]), 0);
            assert_eq!(remote!(SUM[right, 1]), 0);
        }
        "source-changed-by-another" => {
            if me == 0 {
                remote!(X[1, ..]) = [4; 8];
            }
            let mut all = [0; 24];
            world.team().fcollect(local!(&COPY[..]), local!(&X[..]));
            all.copy_from_slice(&local!(COPY[..]));
            std::hint::black_box(all);
        }
        "no-scan" => {
            world.team().scan(Sum, local!(&SUM[..]), local!(&X[0..4]));
            world.team().exscan(local!(&SUM[..]), local!(&X[4..8]));
            assert_eq!(local!(SUM[..]), [0; 4]);
        }
        "no-alltoall" => {
            for round in 0..3 {
                local!(X[0..3]) = [round; 3];
                world.team().alltoall(local!(&X[3..6]), local!(&X[0..3]));
                assert_eq!(local!(X[3..6]), [round; 3]);
            }
        }
        // A PE that has returned knows that the others no longer use the destination of the call before.
        "no-two-ready-destinations" => {
            for round in 0..6 {
                local!(X[0..2]) = [round; 2];
                let to = 2 + round as usize % 2 * 3;
                collective!(X[to..to + 3] = alltoall SUM[0..3] to ready);
                assert_eq!(local!(X[to..to + 3]), [0; 3]);
            }
        }
        "destination-not-ready" => {
            for _ in 0..2 {
                collective!(X[3..6] = alltoall X[0..3] to ready);
                std::hint::black_box(local!(X[3..6]));
            }
        }
        "destination-put-to" => {
            if me == 0 {
                remote!(X[1, 5]) = 1;
            }
            collective!(X[3..6] = alltoall X[0..3] to ready);
        }
        "no-fcollect-to-ready" => {
            for round in 0..3 {
                local!(X[..]) = round;
                collective!(COPY[0..24] = fcollect X[..] to ready);
                assert_eq!(local!(COPY[0..24]), [round; 24]);
                world.sync_all();
            }
        }
        "fcollect-to-what-is-not-ready" => {
            for round in 0..3 {
                local!(X[..]) = round;
                collective!(COPY[0..24] = fcollect X[..] to ready);
                std::hint::black_box(local!(COPY[me]));
            }
        }
        "no-collect" => {
            for round in 0..3 {
                local!(X[..]) = round;
                let n = world.team().collect(local!(&COPY[..]), local!(&X[..me + 1]));
                // What lies behind is not touched.
                assert_eq!(n, 6);
                if me == 0 && round == 0 {
                    local!(COPY[20]) = 1;
                }
                let got = world.team().alltoallv(local!(&COPY[..]), local!(&X[..]), &[1, 0, 2]);
                assert_eq!(got.len(), 3);
            }
        }
        "no-views" => {
            for _ in 0..2 {
                remote!(X[right, ..]) = [2; 8];
                world.local_phase(|phase| X.as_mut_slice(phase)[3] = 5);
                assert_eq!(remote!(X[right, 3]), 5);
                world.local_phase(|phase| assert_eq!(X.as_slice(phase)[2], 2));
            }
        }
        "no-threads" => std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    remote!(X[right, thread]) = 1;
                    remote!(COUNT[right, thread]) += 1;
                });
            }
        }),
        "thread-without-quiet" => {
            if me == 0 {
                std::thread::scope(|scope| {
                    scope.spawn(|| remote!(X[1, 2]) = 1);
                });
            }
            world.sync_all();
            assert!(local!(X[2]) < 2);
        }
        "no-freed" => {
            for round in 0..4 {
                let array = world.zeros::<u64, 1>([64])?;
                remote!(array[right, ..]) = round;
                if round % 2 == 0 {
                    array.free()?;
                }
            }
        }
        "no-resized" => {
            let mut array = world.zeros::<u64, 1>([64])?;
            remote!(array[right, 0..4]) = [3; 4];
            array.resize([128], 1)?;
            assert_eq!(local!(array[0..4]), [3; 4]);
            remote!(array[right, 100]) = 3;
        }
        "no-set-by-two" => remote!(FLAG[0]) = me as u64,
        "no-poll" | "poll-in-vain" => match me {
            0 => {
                remote!(X[1, 0]) = 1;
                world.fence();
                remote!(FLAG[1]) = 1;
                // So that PE 1 reads after the put, and has not seen the flag.
                wait!(ACK >= 1);
            }
            1 if name == "no-poll" => {
                while !poll!(FLAG == 1) {}
                assert_eq!(local!(X[0]), 1);
                remote!(ACK[0]) = 1;
            }
            1 => {
                let _ = poll!(ACK == 7);
                assert!(local!(X[0]) < 2);
                remote!(ACK[0]) = 1;
            }
            _ => {}
        },
        "own-update-tells-nothing" | "no-own-update-with-value" => match me {
            0 => {
                remote!(X[1, 0]) = 1;
                world.quiet();
                remote!(FLAG[1]) += 1;
                remote!(ACK[1]) = 1;
            }
            1 if name == "no-own-update-with-value" => {
                while remote!(&FLAG[1]).fetch_add(0) == 0 {}
                assert_eq!(local!(X[0]), 1);
            }
            1 => {
                // After the update of PE 0, mostly. It makes no difference: the program does not get the value.
                std::thread::sleep(std::time::Duration::from_millis(50));
                local!(FLAG) += 1;
                assert!(local!(X[0]) < 2);
                wait!(ACK == 1);
            }
            _ => {}
        },
        "no-wait-any" => match me {
            0 => {
                wait!(all COUNT[1..3] != 0);
                assert_eq!(local!(X[1..3]), [1, 2]);
            }
            _ => {
                remote!(X[0, me]) = me as u64;
                world.fence();
                remote!(COUNT[0, me]) = 1;
            }
        },
        // PE 2 sees the set of PE 1, which says nothing of PE 0. An update would pass on what the update
        // before it has passed on.
        "set-hides-update" | "no-update-keeps-update" => match me {
            0 => {
                remote!(X[2, 0]) = 1;
                world.quiet();
                remote!(FLAG[2]) += 1;
                world.quiet();
                say("updated");
            }
            1 => {
                hear("updated");
                if name.starts_with("no-") {
                    remote!(FLAG[2]) += 1;
                } else {
                    remote!(FLAG[2]) = 2;
                }
                world.quiet();
                say("set");
            }
            _ => {
                // Each look at a flag tells of the update that it sees: so none at the first.
                hear("set");
                wait!(FLAG >= 2);
                assert!(local!(X[0]) < 2);
            }
        },
        "nbi-read-overwritten" => {
            let mut into = [0; 8];
            if me == 0 {
                world.nbi(|s| {
                    s.get(remote!(&X[1, ..]), &mut into);
                    remote!(FLAG[1]) = 1;
                });
            } else if me == 1 {
                wait!(FLAG == 1);
                local!(X[..]) = 3;
            }
        }
        "no-batch" => {
            let mut seen = [0; 3];
            for round in 0..2 {
                world.batch(|b| {
                    for i in 0..20 {
                        remote!(b; COUNT[i % 3, 1]) += 1;
                    }
                    remote!(b; X[right, 2]) = round;
                    remote!(b; X[right, 4..6]) = [round; 2];
                });
                assert_eq!(local!(X[2]), round);
                world.batch(|b| {
                    for (pe, place) in seen.iter_mut().enumerate() {
                        remote!(b; X[pe, 2] => place);
                    }
                });
                local!(X[2]) = 7;
                world.barrier_all();
            }
        }
        "batch-written-twice" => world.batch(|b| {
            if me == 0 {
                remote!(b; X[1, 4]) = 1;
                remote!(b; X[1, 4]) = 2;
            }
        }),
        "batch-with-a-barrier-inside" => world.batch(|b| {
            if me == 0 {
                remote!(b; X[1, 3]) = 1;
            }
            world.barrier_all();
            if me == 1 {
                assert!(local!(X[3]) < 2);
            }
        }),
        "batch-read-overwritten" => {
            let mut seen = 0;
            world.batch(|b| {
                if me == 0 {
                    remote!(b; X[1, 0] => &mut seen);
                }
                world.barrier_all();
                if me == 1 {
                    local!(X[0]) = 1;
                }
            });
            assert!(seen < 2);
        }
        // X[0] is the halo at the left, X[7] that at the right.
        "no-halo-with-partners" | "halo-overwritten" | "halo-not-completed" => {
            let left = (me + 2) % 3;
            for round in 1..=3 {
                remote!(X[left, 7]) = round;
                remote!(X[right, 0]) = round;
                if name == "halo-not-completed" {
                    world.sync_with(&[left, right]);
                } else {
                    world.barrier_with(&[left, right]);
                }
                assert!(local!(X[0]) <= 4 && local!(X[7]) <= 4);
                if name != "halo-overwritten" {
                    world.sync_with(&[left, right]);
                }
            }
        }
        "no-halo-with-events" => {
            let left = (me + 2) % 3;
            for round in 1..=3 {
                if round > 1 {
                    local!(&FREE[0]).wait();
                    local!(&FREE[1]).wait();
                }
                remote!(X[left, 7]) = round;
                remote!(&FULL[left, 1]).post();
                remote!(X[right, 0]) = round;
                remote!(&FULL[right, 0]).post();
                local!(&FULL[0]).wait();
                while !local!(&FULL[1]).try_wait(1) {}
                assert_eq!([local!(X[0]), local!(X[7])], [round; 2]);
                remote!(&FREE[left, 1]).post();
                remote!(&FREE[right, 0]).post();
            }
        }
        "no-partners-of-threads" => std::thread::scope(|scope| {
            for other in [right, (me + 2) % 3] {
                scope.spawn(move || {
                    for round in 0..3 {
                        remote!(X[other, me]) = round;
                        world.barrier_with(&[other]);
                        assert_eq!(local!(X[other]), round);
                        world.sync_with(&[other]);
                    }
                });
            }
        }),
        "sync-all" | "team-sync" | "sum" | "default-put-context-quiet" | "pe_quiet-of-another" => {
            let ctx = world.team().context(Private)?;
            if me == 0 {
                remote!(X[1, ..]) = [1; 8];
            }
            match &name[..] {
                "sync-all" => world.sync_all(),
                "team-sync" => world.team().sync(),
                "sum" => {
                    let _ = collective!(sum 1);
                }
                "default-put-context-quiet" => {
                    ctx.quiet();
                    world.sync_all();
                }
                _ => {
                    world.pe_quiet(&[2]);
                    world.sync_all();
                }
            }
            if me == 1 {
                assert!(local!(X[4]) < 2);
            }
        }
        "no-ring" | "ring-without-a-quiet" => {
            for round in 1..=3 {
                remote!(X[right, ..]) = [round; 8];
                if name.starts_with("no-") {
                    world.barrier_all();
                } else {
                    world.sync_all();
                }
                assert!(local!(X[5]) <= round);
                world.barrier_all();
            }
        }
        "flag-without-fence" | "without-a-wait" | "flag-of-another-pe" => match me {
            0 => {
                remote!(X[1, ..]) = [1; 8];
                if name == "flag-of-another-pe" {
                    remote!(ACK[2]) = 1;
                } else {
                    remote!(FLAG[1]) = 1;
                }
            }
            1 => {
                if name != "without-a-wait" {
                    wait!(FLAG == 1);
                }
                assert!(local!(X[4]) < 2);
            }
            _ if name == "flag-of-another-pe" => {
                wait!(ACK == 1);
                remote!(FLAG[1]) = 1;
            }
            _ => {}
        },
        "flag-on-another-pe" => match me {
            0 => {
                remote!(X[1, ..]) = [1; 8];
                world.fence();
                remote!(FLAG[2]) = 1;
            }
            2 => {
                wait!(FLAG == 1);
                assert!(remote!(X[1, 4]) < 2);
            }
            _ => {}
        },
        "context-put-barrier" => {
            let ctx = world.team().context(Private)?;
            if me == 0 {
                remote!(ctx; X[1, ..]) = [1; 8];
            }
            world.barrier_all();
            if me == 1 {
                assert!(local!(X[4]) < 2);
            }
        }
        "barrier-without-the-writer" => {
            let team = world.team().split_list(&[0, 1])?;
            if me == 2 {
                remote!(X[1, ..]) = [1; 8];
                world.quiet();
            }
            if let Some(team) = team {
                team.barrier();
            }
            if me == 1 {
                assert!(local!(X[4]) < 2);
            }
        }
        "broadcast-of-another" => {
            if me == 0 {
                remote!(X[1, ..]) = [1; 8];
                world.quiet();
            }
            let _ = collective!(broadcast 5_u64 from 2);
            if me == 1 {
                assert!(local!(X[4]) < 2);
            }
        }
        "after-a-barrier" => {
            world.barrier_all();
            match me {
                0 => remote!(X[1, ..]) = [1; 8],
                1 => assert!(local!(X[4]) < 2),
                _ => {}
            }
        }
        "barrier-before-the-reads-only" => {
            for round in 0..3 {
                if me == 0 {
                    remote!(X[1, ..]) = [round; 8];
                }
                world.barrier_all();
                if me == 1 {
                    assert!(local!(X[4]) < 3);
                }
            }
        }
        "freed-under-a-put" | "no-freed-after-a-quiet" => {
            let ctx = world.team().context(Private)?;
            let array = world.zeros::<u64, 1>([64])?;
            if me == 0 {
                remote!(ctx; array[1, 0..8]) = [1; 8];
                if name.starts_with("no-") {
                    ctx.quiet();
                }
            }
            array.free()?;
            let next = world.zeros::<u64, 1>([64])?;
            assert_eq!(local!(next[32]), 0);
        }
        // Those by a context that the default one does not complete, and all others.
        "freed-under-an-update" | "no-freed-after-updates" => {
            let ctx = world.team().context(Private)?;
            let cells = world.array_from_fn([8], |_| Atomic::new(0_u64))?;
            if name.starts_with("no-") {
                remote!(cells[right, 0]) += 1;
                remote!(cells[me, 1]) = 1;
                remote!(ctx; &cells[right, 2]).fetch_add(1);
                remote!(ctx; cells[me, 3]) += 1;
            } else if me == 0 {
                remote!(ctx; cells[1, 0]) += 1;
            }
            cells.free()?;
            let next = world.zeros::<u64, 1>([64])?;
            remote!(next[right, 0]) = 7;
        }
        #[cfg(feature = "gpu")]
        "stream-without-a-quiet" | "no-stream-after-a-quiet" => {
            let gpu = world.gpu()?;
            let (stream, array) = (gpu.stream()?, gpu.zeros::<u64, 1>([8])?);
            if me == 0 {
                remote!(stream; array[1, 2..6]) = 1;
                if name.starts_with("no-") {
                    stream.quiet();
                }
                stream.record().synchronize()?;
            }
            world.barrier_all();
            if me == 1 {
                assert!(remote!(stream; array[1, 4]) < 2);
            }
        }
        #[cfg(feature = "gpu")]
        "stream-before-a-barrier" | "stream-and-a-flag" | "kernel-and-a-flag" | "no-kernel-fence" => {
            let gpu = world.gpu()?;
            let (stream, array) = (gpu.stream()?, gpu.zeros::<u64, 1>([8])?);
            let flag = gpu.zeros::<Atomic<u64>, 1>([1])?;
            let is_kernel = name != "stream-before-a-barrier" && name != "stream-and-a-flag";
            if is_kernel {
                send.launch(&stream, 1, 1, (&array, &flag, name == "no-kernel-fence"))?;
            } else if me == 0 {
                remote!(stream; array[1, 2..6]) = 1;
                if name == "stream-and-a-flag" {
                    remote!(stream; flag[1, 0]) = 1;
                }
            }
            if me == 1 && !is_kernel {
                if name == "stream-and-a-flag" {
                    wait!(stream; flag[0] == 1);
                }
                assert!(remote!(stream; array[1, 4]) < 2);
            }
            stream.synchronize()?;
        }
        // A stream keeps what it writes to until it has completed the writes.
        #[cfg(feature = "gpu")]
        "no-freed-under-a-stream" => {
            let gpu = world.gpu()?;
            let stream = gpu.stream()?;
            let before = world.heap_free();
            let (array, cells) = (gpu.zeros::<u64, 1>([64])?, gpu.zeros::<Atomic<u64>, 1>([64])?);
            if me == 0 {
                remote!(stream; array[1, 0..8]) = [1; 8];
                remote!(stream; array[1, 8..16] = &array[0..8]);
                remote!(stream; cells[1, 0]) += 1;
                stream.record().synchronize()?; // done, and not completed
            }
            drop((array, cells));
            let next = world.zeros::<u64, 1>([128])?;
            assert_eq!(local!(next[32]), 0);
            drop(next);
            stream.synchronize()?;
            world.reclaim()?;
            assert_eq!(world.heap_free(), before, "what is complete is released");
        }
        _ => {
            assert!(SINGLES.iter().any(|(known, _)| *known == name), "{name}");
        }
    }
    Ok(())
}

/// PE 0 puts an element and sets a flag; PE 1 waits for the flag and reads.
#[cfg(feature = "gpu")]
#[shmem::gpu::kernel]
fn send(mut array: Global<u64>, mut flag: Global<Atomic<u64>>, has_fence: bool) {
    if my_pe() == 0 {
        remote!(array[1, 4]) = 1;
        if has_fence {
            fence();
        }
        remote!(flag[1, 0]) = 1;
    } else if my_pe() == 1 {
        wait!(flag[0] == 1);
        local!(array[0]) = local!(array[4]);
    }
}

#[symmetric]
static COPY: [u64; 24] = [0; 24];

pub(crate) fn main() -> ExitCode {
    single()
}
