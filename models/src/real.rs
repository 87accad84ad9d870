//! The real algorithms, in their models.

#[path = "../../shmem-core/src/transport/node/barrier.rs"]
mod barrier;
#[path = "../../shmem-core/src/transport/node/counter.rs"]
mod counter;
#[path = "../../shmem-core/src/runtime/batch/mailbox.rs"]
mod mailbox;
#[path = "mails.rs"]
mod mails;
#[path = "models.rs"]
mod models;
#[path = "pairings.rs"]
mod pairings;
#[path = "../../shmem-core/src/partners/pairs.rs"]
mod pairs;
#[path = "../../shmem-core/src/transport/node/phase_change.rs"]
mod phase_change;
#[path = "../../shmem-core/src/transport/node/question.rs"]
mod question;
#[path = "questions.rs"]
mod questions;
#[path = "../../shmem-core/src/lock/queue.rs"]
mod queue;
#[path = "segment.rs"]
mod segment;

use self::mails::*;
use self::models::*;
use self::pairings::*;
use self::questions::*;

#[test]
fn a_sleeper_is_woken() {
    counter(None, 2);
    counter(Some(3), 3);
}

#[test]
fn a_barrier_of_two() {
    barrier(None, 2, 1, 1);
    barrier(None, 2, 8, 1);
    barrier(None, 2, 1, 2);
    barrier(Some(5), 2, 8, 2);
}

#[test]
fn a_barrier_of_three_on_one_counter() {
    barrier(Some(3), 3, 1, 1);
    barrier(Some(2), 3, 1, 2);
}

#[test]
fn a_barrier_of_three_by_rounds() {
    barrier(Some(2), 3, 8, 1);
    barrier(Some(1), 3, 8, 2);
}

#[test]
fn a_barrier_of_four_by_rounds() {
    barrier(Some(1), 4, 8, 1);
}

#[test]
fn exchanges_cross() {
    exchanges(Some(3), 2);
    exchanges(Some(2), 3);
}

#[test]
fn broadcasts_arrive() {
    broadcasts(None, 2, 1, &[0], 1);
    broadcasts(Some(3), 2, 8, &[0, 1], 3);
    broadcasts(Some(2), 2, 1, &[0, 0, 1, 0, 0], 1);
    broadcasts(Some(3), 2, 8, &[0, 0], 8);
    broadcasts(Some(2), 3, 1, &[0, 1], 8);
    broadcasts(Some(1), 3, 8, &[0, 2], 8);
}

#[test]
fn broadcasts_of_two_cells_arrive() {
    broadcasts(Some(3), 2, 1, &[0, 0], 12);
    broadcasts(Some(2), 2, 1, &[0, 0, 0], 12);
    broadcasts(Some(1), 3, 1, &[0, 1, 0], 16);
}

#[test]
fn a_slot_is_used_again() {
    slot(Some(2));
}

#[test]
fn changes_of_phase_meet() {
    changes(None, 2, 1);
    changes(Some(3), 2, 2);
    changes(Some(2), 3, 2);
}

/// One letter for each turn: `L` takes the lock, `T` tries to.
#[test]
fn a_lock_of_two_pes() {
    lock(None, 2, 0, &[(0, "L"), (1, "L")]);
    lock(None, 2, 0, &[(0, "T"), (1, "L")]);
    lock(Some(4), 2, 1, &[(0, "LL"), (1, "LL")]);
    lock(Some(4), 2, 0, &[(0, "LT"), (1, "TL")]);
}

#[test]
fn a_lock_of_two_threads() {
    lock(None, 1, 0, &[(0, "L"), (0, "L")]);
    lock(None, 2, 1, &[(0, "T"), (0, "L")]);
}

#[test]
fn a_lock_of_three() {
    lock(Some(3), 3, 0, &[(0, "L"), (1, "L"), (2, "L")]);
    lock(Some(3), 2, 0, &[(0, "L"), (0, "L"), (1, "L")]);
    lock(Some(3), 2, 1, &[(0, "T"), (0, "L"), (1, "L")]);
    lock(Some(2), 2, 0, &[(0, "L"), (0, "L"), (1, "LL")]);
}

#[test]
fn an_attempt_alone_succeeds() {
    lock_alone();
}

#[test]
fn a_record_is_read_as_a_whole() {
    records(None, 2);
}

#[test]
fn a_wait_that_ends_is_never_called_hopeless() {
    questions(Some(3), HAND_OVER);
    questions(Some(3), BETWEEN_WAITS);
}

#[test]
fn two_partners_meet() {
    pairings(Some(2), ByStores, TWO);
    pairings(Some(2), ByPuts, TWO);
}

#[test]
fn three_partners_meet() {
    for form in [ByStores, ByPuts] {
        pairings(Some(2), form, CHAIN);
        pairings(Some(1), form, ALL);
    }
}

#[test]
fn a_message_is_performed_once() {
    mails(None, 1, 0, 1);
    mails(None, 1, 1, 2);
    mails(Some(4), 2, 0, 2);
    mails(Some(3), 2, 1, 3);
}
