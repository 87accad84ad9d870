//! Algorithms with a mistake, which the models must find. `build.rs` describes the mistake of each.

macro_rules! mutants {
    ($($name:ident: $model:expr, $message:literal;)*) => {$(
        mod $name {
            mod barrier {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/barrier.rs"));
            }
            mod counter {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/counter.rs"));
            }
            mod mailbox {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/mailbox.rs"));
            }
            mod mails {
                include!("mails.rs");
            }
            mod models {
                include!("models.rs");
            }
            mod pairings {
                include!("pairings.rs");
            }
            mod pairs {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/pairs.rs"));
            }
            mod phase_change {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/phase_change.rs"));
            }
            mod question {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/question.rs"));
            }
            mod questions {
                include!("questions.rs");
            }
            mod queue {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($name), "/queue.rs"));
            }
            mod segment {
                include!("segment.rs");
            }

            #[allow(unused_imports)]
            use self::{mails::*, models::*, pairings::*, questions::*};

            #[test]
            #[should_panic = $message]
            fn is_found() {
                $model;
            }
        }
    )*};
}

mutants! {
    clears_without_a_wake: barrier(None, 2, 1, 1), "deadlock";
    clears_a_single_waiter_without_a_wake: counter(None, 1), "deadlock";
    sleeps_without_an_announcement: counter(None, 1), "deadlock";
    announces_by_a_store: counter(None, 2), "deadlock";
    advances_without_release: barrier(None, 2, 8, 1), "Causality violation";
    completes_without_acquire: barrier(None, 2, 8, 1), "Causality violation";
    looks_without_acquire: counter(None, 1), "Causality violation";
    begins_a_slot_at_zero: slot(Some(2)), "before all had come";
    begins_exchanges_at_zero: slot(Some(2)), "exchange 2";
    leaves_a_round_out: barrier(Some(2), 3, 8, 1), "before all had come";
    has_one_exchange_buffer: exchanges(None, 2), "exchange 1";
    broadcasts_without_release: broadcasts(None, 2, 8, &[0], 1), "is wrong";
    receives_without_acquire: broadcasts(None, 2, 8, &[0], 1), "is wrong";
    overwrites_unread_cells: broadcasts(Some(2), 2, 1, &[0, 0, 0], 12), "broadcast 0 is wrong";
    counts_words_up_before_they_are_written: broadcasts(Some(2), 2, 8, &[0, 0], 8), "is wrong";
    reads_words_without_waiting: broadcasts(Some(2), 2, 8, &[0, 0], 8), "is wrong";
    begins_cells_at_zero: slot(Some(2)), "broadcast 1 is wrong";
    lets_threads_share_a_place: lock(None, 1, 0, &[(0, "L"), (0, "L")]), "a number is left to call";
    grants_before_it_clears_next: lock(Some(2), 2, 0, &[(0, "L"), (0, "L"), (1, "L")]), "a word is left";
    leaves_itself_granted: lock(Some(3), 2, 1, &[(0, "LL"), (1, "LL")]), "a word is left";
    forgets_who_is_coming: lock(None, 2, 0, &[(0, "L"), (1, "L")]), "maximum number of branches";
    asks_without_release: questions(Some(4), HAND_OVER), "called hopeless";
    is_asked_without_acquire: questions(Some(4), HAND_OVER), "called hopeless";
    answers_what_was_asked_later: questions(Some(3), HAND_OVER), "called hopeless";
    hears_the_answers_last: questions(Some(3), BETWEEN_WAITS), "called hopeless";
    counts_no_waits: questions(Some(3), BETWEEN_WAITS), "called hopeless";
    writes_without_a_fence: records(None, 2), "in parts";
    reads_without_a_fence: records(None, 2), "in parts";
    reads_once: records(None, 2), "in parts";
    publishes_without_release: records(None, 2), "in parts";
    comes_to_the_only_one_and_tells_nobody: pairings(Some(2), ByStores, TWO), "deadlock";
    comes_and_tells_nobody: pairings(Some(2), ByPuts, TWO), "deadlock";
    waits_for_the_visit_before: pairings(Some(2), ByStores, TWO), "was not waited for";
    compares_without_wrapping: pairings(Some(2), ByPuts, TWO), "was not waited for";
    has_one_half: pairings(Some(2), ByPuts, TWO), "deadlock";
    meets_one_after_the_other: pairings(Some(1), ByStores, ALL), "deadlock";
    does_not_wait_for_the_only_one: pairings(Some(2), ByStores, TWO), "was not waited for";
    tells_without_release: pairings(Some(2), ByStores, TWO), "Causality violation";
    sees_without_acquire: pairings(Some(2), ByStores, TWO), "Causality violation";
    receives_without_taking: mails(None, 1, 0, 1), "was not performed once";
    takes_back_what_was_received: mails(None, 1, 0, 1), "was not performed once";
    takes_an_older_answer: mails(None, 2, 1, 2), "the answer to another message";
}
