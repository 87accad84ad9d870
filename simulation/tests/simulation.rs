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

fn rounds(n: usize) -> u64 {
    u64::from(usize::BITS - (n - 1).leading_zeros())
}

fn end(machine: &Machine, calls: &[Call]) -> Time {
    run(machine, calls, |_, _, _| ()).end
}

#[test]
fn each_pe_sends_one_message_in_each_round() {
    for n in [2, 3, 7, 16, 1000] {
        let machine = Machine::of_single_pes(n, SLINGSHOT);
        let outcome = run(&machine, &[Call::Meet; 3], |_, _, _| ());
        let messages = 3 * rounds(n) * n as u64;
        assert_eq!((outcome.messages, outcome.bytes), (messages, 8 * messages), "{n} PEs");
        // All are in the same round at the same time.
        let round = SLINGSHOT.send + 8 * SLINGSHOT.byte + SLINGSHOT.latency + SLINGSHOT.receive;
        assert_eq!(outcome.end, 3 * rounds(n) * round, "{n} PEs");
    }
}

#[test]
fn each_host_sends_one_message_in_each_round() {
    for (n, per_host) in [(4, 2), (7, 2), (7, 3), (1000, 50), (1001, 50)] {
        let machine = hosts(n, per_host);
        let outcome = run(&machine, &[Call::Meet; 5], |from, to, bytes| {
            assert!(machine.host(from) != machine.host(to) && to % per_host == 0 && bytes == 8);
        });
        let hosts = machine.hosts();
        assert_eq!(outcome.messages, 5 * rounds(hosts) * hosts as u64, "{n} PEs, {per_host} on a host");
    }
}

#[test]
fn what_is_combined_is_put_before_each_signal() {
    for machine in [Machine::of_single_pes(13, SLINGSHOT), hosts(13, 3)] {
        let [met, combined] =
            [Call::Meet, Call::Combine { bytes: 128 }].map(|call| run(&machine, &[call; 4], |_, _, _| ()));
        assert_eq!(combined.messages, 2 * met.messages);
        assert_eq!(combined.bytes, (128 + 8) * met.messages);
        assert!(combined.end > met.end);
    }
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
fn a_broadcast_reaches_each_member_once() {
    for n in [2, 3, 7, 16, 333] {
        for root in [0, n / 2, n - 1] {
            let mut got: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            let machine = hosts(n, 2);
            let outcome = run(&machine, &[Call::Broadcast { root, bytes: 40 }], |_, to, bytes| {
                got.entry(to).or_default().push(bytes);
            });
            assert_eq!(outcome.messages, 2 * (n as u64 - 1));
            assert!(!got.contains_key(&root) && got.len() == n - 1);
            // The bytes come before the number.
            assert!(got.values().all(|bytes| *bytes == [40, 8]), "{got:?}");
        }
    }
}

#[test]
fn members_meet_when_the_cells_are_used_up() {
    let machine = Machine::of_single_pes(5, SLINGSHOT);
    let call = Call::Broadcast { root: 1, bytes: 8 };
    let messages = |broadcasts: usize| run(&machine, &vec![call; broadcasts], |_, _, _| ()).messages;
    let meeting = rounds(5) * 5;
    for (broadcasts, meetings) in [(16, 0), (17, 1), (32, 1), (33, 2)] {
        assert_eq!(messages(broadcasts), 2 * 4 * broadcasts as u64 + meetings * meeting);
    }
    // Without them, the cell of an earlier broadcast would be overwritten, and its readers would
    // wait for ever.
    let roots: Vec<Call> = (0..100).map(|root| Call::Broadcast { root: root % 5, bytes: 8 }).collect();
    assert!(end(&machine, &roots) > 0);
}

#[test]
fn messages_of_a_host_share_its_link() {
    let slow = Link { gap: 1_000_000, ..SLINGSHOT };
    // The root sends eight messages: the last leaves seven gaps after the first.
    let call = [Call::Broadcast { root: 0, bytes: 8 }];
    let [slowly, fast] = [slow, SLINGSHOT].map(|link| end(&Machine::of_single_pes(5, link), &call));
    assert_eq!(slowly - fast, 7 * slow.gap - 7 * SLINGSHOT.send);
    // Of two hosts, all ten PEs of each signal in the first round that goes from host to host;
    // where hosts take part as one, one of them does.
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
    let hosts = machine.hosts();
    assert_eq!(outcome.messages, rounds(hosts) * hosts as u64 + 2 * (n as u64 - 1));
}
