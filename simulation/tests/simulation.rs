//! The simulation against formulas, for any number of PEs. The same counts of real runs are
//! compared by `shmem-core/tests/simulated.rs`.

use std::collections::BTreeMap;

use simulation::network::{INFINIBAND, Link, SLINGSHOT, Time};
use simulation::{Call, Cores, Machine, run};

/// Within a host, for tests.
const NEAR: Link = Link::new(50.0, 10.0, 10.0, 20.0, 0.1);

/// Hosts on Slingshot.
fn hosts(pes: usize, per_host: usize) -> Machine {
    Machine::of_hosts(pes, per_host, 20_000, NEAR, SLINGSHOT)
}

/// The most parties that meet at once.
const AT_ONCE: usize = 16;

/// The messages of each of so many parties in a meeting.
fn messages_of_each(parties: usize) -> u64 {
    if parties <= AT_ONCE { parties as u64 - 1 } else { rounds(parties) }
}

fn rounds(n: usize) -> u64 {
    u64::from(usize::BITS - (n - 1).leading_zeros())
}

fn end(machine: &Machine, calls: &[Call]) -> Time {
    run(machine, calls, |_, _, _| ()).end
}

#[test]
fn few_pes_meet_at_once_and_more_in_rounds() {
    let flight = SLINGSHOT.send + 4 * SLINGSHOT.byte + SLINGSHOT.latency + SLINGSHOT.receive;
    for n in [2, 3, 7, 16, 17, 1000] {
        let machine = Machine::of_single_pes(n, Link { late: 0, ..SLINGSHOT });
        let outcome = run(&machine, &[Call::Meet; 3], |_, _, _| ());
        let messages = 3 * messages_of_each(n) * n as u64;
        assert_eq!((outcome.messages, outcome.bytes), (messages, 4 * messages), "{n} PEs");
        // The last message of each leaves after the others, or all are in the same round at the same time.
        let meeting =
            if n <= AT_ONCE { flight + (n as u64 - 2) * SLINGSHOT.send } else { rounds(n) * flight };
        assert_eq!(outcome.end, 3 * meeting, "{n} PEs");
    }
}

#[test]
fn a_message_that_has_come_before_takes_time_to_be_read() {
    // PE 0 waits for the message that comes last. All others have come then.
    for n in [2, 3, 7, 16] {
        let [slowly, fast] = [SLINGSHOT.late, 0]
            .map(|late| end(&Machine::of_single_pes(n, Link { late, ..SLINGSHOT }), &[Call::Meet]));
        assert_eq!(slowly - fast, (n as u64 - 2) * SLINGSHOT.late, "{n} PEs");
    }
}

#[test]
fn each_call_takes_time_beside_its_messages() {
    for n in [1, 2, 7, 17] {
        let machine = Machine::of_single_pes(n, SLINGSHOT);
        let [short, long] = [0, 30_000].map(|call| end(&Machine { call, ..machine }, &[Call::Meet; 3]));
        assert_eq!(long - short, 3 * 30_000, "{n} PEs");
    }
}

#[test]
fn each_host_sends_the_messages_of_one_party() {
    for (n, per_host) in [(4, 2), (7, 2), (7, 3), (1000, 50), (1001, 50)] {
        let machine = hosts(n, per_host);
        let outcome = run(&machine, &[Call::Meet; 5], |from, to, bytes| {
            assert!(machine.host(from) != machine.host(to) && to % per_host == 0 && bytes == 4);
        });
        let hosts = machine.hosts();
        let messages = 5 * messages_of_each(hosts) * hosts as u64;
        assert_eq!(outcome.messages, messages, "{n} PEs, {per_host} on a host");
    }
}

#[test]
fn what_is_combined_is_put_before_each_signal() {
    for machine in [Machine::of_single_pes(13, SLINGSHOT), hosts(13, 3)] {
        let [met, combined] =
            [Call::Meet, Call::Combine { bytes: 128 }].map(|call| run(&machine, &[call; 4], |_, _, _| ()));
        assert_eq!(combined.messages, 2 * met.messages);
        assert_eq!(combined.bytes, (128 + 4) * met.messages);
        assert!(combined.end > met.end);
    }
}

/// On hosts of a power of two, a party knows one partial result for each 1 in the binary number of its parties.
#[test]
fn few_partial_results_go_with_the_signals_of_a_reduction_in_pairs() {
    for (hosts, each) in [(32, 4), (64, 1), (1024, 64)] {
        let machine = Machine::of_hosts(hosts * each, each, 20_000, NEAR, SLINGSHOT);
        let [met, joined] =
            [Call::Meet, Call::Pairs { bytes: 8 }].map(|call| run(&machine, &[call], |_, _, _| ()));
        assert_eq!(joined.messages, 2 * met.messages, "{hosts} hosts");
        let of_each = (joined.bytes - met.bytes) as f64 / met.messages as f64;
        // The call, and at most two results of each size.
        let most = 8.0 * (1.0 + 2.0 * f64::from(hosts.ilog2()));
        assert!(of_each >= 16.0 && of_each <= most, "{hosts} hosts: {of_each} bytes");
    }
    // Few hosts send the values of all their PEs.
    let few = run(&hosts(12, 3), &[Call::Pairs { bytes: 8 }], |_, _, _| ());
    assert_eq!((few.messages, few.bytes), (2 * 4 * 3, 4 * 3 * (3 * 8 + 4)));
}

#[test]
fn nobody_leaves_a_meeting_before_all_have_come() {
    // The last PE to get the broadcast comes last to the meeting, and PE 0, which has sent it,
    // first.
    let calls = [Call::Broadcast { root: 0, bytes: 8 }, Call::Meet];
    for machine in [Machine::of_single_pes(6, INFINIBAND), hosts(6, 2)] {
        let first = run(&machine, &calls[..1], |_, _, _| ());
        let both = run(&machine, &calls, |_, _, _| ());
        assert!(both.end_of_first > first.end, "{first:?} {both:?}");
    }
}

#[test]
fn a_broadcast_reaches_each_host_once() {
    for n in [2, 3, 7, 16, 333] {
        for (root, bytes) in [(0, 40), (n / 2, 8), (n - 1, 40), (n / 3, 3)] {
            let mut got: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            let machine = hosts(n, 2);
            let outcome = run(&machine, &[Call::Broadcast { root, bytes }], |_, to, bytes| {
                got.entry(machine.host(to)).or_default().push(bytes);
            });
            // The bytes come before the number, or half of each in two words.
            let message = if bytes > 8 { vec![bytes, 8] } else { vec![16] };
            assert_eq!(outcome.messages, message.len() as u64 * (machine.hosts() as u64 - 1));
            assert!(!got.contains_key(&machine.host(root)) && got.len() == machine.hosts() - 1);
            assert!(got.values().all(|bytes| *bytes == message), "{got:?}");
        }
    }
}

#[test]
fn members_meet_when_the_cells_are_used_up() {
    let machine = Machine::of_single_pes(5, SLINGSHOT);
    let messages = |bytes: usize, broadcasts: usize| {
        let call = Call::Broadcast { root: 1, bytes };
        run(&machine, &vec![call; broadcasts], |_, _, _| ()).messages
    };
    let meeting = messages_of_each(5) * 5;
    for (bytes, each) in [(9, 64), (128, 64), (129, 32), (300, 21), (2048, 4)] {
        for (broadcasts, meetings) in [(each, 0), (each + 1, 1), (2 * each, 1), (2 * each + 1, 2)] {
            assert_eq!(
                messages(bytes, broadcasts),
                2 * 4 * broadcasts as u64 + meetings * meeting,
                "{bytes}"
            );
        }
    }
    for (broadcasts, meetings) in [(128, 0), (129, 1), (256, 1), (257, 2)] {
        assert_eq!(messages(8, broadcasts), 4 * broadcasts as u64 + meetings * meeting);
    }
    // Without them, the cell of an earlier broadcast would be overwritten, and its readers would
    // wait for ever.
    for machine in [machine, hosts(6, 2), hosts(7, 3)] {
        for bytes in [8, 40, 300, 2000] {
            let root = |i: usize| Call::Broadcast {
                root: i % machine.pes,
                bytes: if i % 7 > 2 { bytes } else { 8 },
            };
            assert!(end(&machine, &(0..400).map(root).collect::<Vec<_>>()) > 0);
        }
    }
}

#[test]
fn messages_of_a_host_share_its_link() {
    let slow = Link { gap: 1_000_000, ..SLINGSHOT };
    // The root sends four messages: the last leaves three gaps after the first.
    let call = [Call::Broadcast { root: 0, bytes: 8 }];
    let [slowly, fast] = [slow, SLINGSHOT].map(|link| end(&Machine::of_single_pes(5, link), &call));
    assert_eq!(slowly - fast, 3 * slow.gap - 3 * SLINGSHOT.send);
    // Of two hosts, all ten PEs of each signal each of the other host; where hosts take part as one, one of
    // them does.
    let machine = Machine { between: slow, ..hosts(20, 10) };
    let gaps = |machine: Machine| {
        let fast = end(&Machine { between: SLINGSHOT, ..machine }, &[Call::Meet]);
        (end(&machine, &[Call::Meet]) - fast) / slow.gap
    };
    assert!(gaps(machine.by_pes()) >= 9 && gaps(machine) == 0);
}

#[test]
fn results_do_not_change_from_run_to_run() {
    let machine = hosts(500, 16);
    let calls = [Call::Meet, Call::Broadcast { root: 7, bytes: 64 }, Call::Meet];
    let log = || {
        let mut log = Vec::new();
        let outcome = run(&machine, &calls, |from, to, bytes| log.push((from, to, bytes)));
        (outcome, log)
    };
    assert_eq!(log(), log());
}

#[test]
fn pes_that_share_cores_take_turns() {
    let shared = |pes, number| Machine {
        cores: Some(Cores { number, turn: 1_000_000 }),
        ..Machine::of_single_pes(pes, NEAR)
    };
    let call = [Call::Meet; 10];
    let [alone, two, four] = [1, 2, 4].map(|cores| end(&shared(4, cores), &call));
    assert!(alone > two && two > four, "{alone} {two} {four}");
    // The messages are the same.
    let counted = |machine: &Machine| run(machine, &call, |_, _, _| ()).messages;
    assert_eq!(counted(&shared(4, 1)), counted(&Machine::of_single_pes(4, NEAR)));
    // More PEs on the same cores take longer.
    assert!(end(&shared(16, 2), &call) > 2 * end(&shared(8, 2), &call));
}

#[test]
fn a_hundred_thousand_pes_meet() {
    let n = 100_000;
    let machine = hosts(n, 64);
    let outcome = run(&machine, &[Call::Meet, Call::Broadcast { root: 0, bytes: 8 }], |_, _, _| ());
    let hosts = machine.hosts() as u64;
    assert_eq!(outcome.messages, rounds(machine.hosts()) * hosts + hosts - 1);
}
