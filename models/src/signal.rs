//! A put with a signal, and a wait for the signal.
//!
//! In the crate, these are operations on addresses, which this package cannot include. Relaxed
//! atomics move elements. `amo` updates a cell with `AcqRel`, or stores with `Release`, and reads
//! it with `Acquire`. A wait reads the cell again after a pause.

use loom::sync::atomic::{AtomicU64, Ordering};

use crate::{done, explore, nothing, run};

#[derive(Default)]
struct Memory {
    payload: [AtomicU64; 2],
    signal: AtomicU64,
}

fn look_until(signal: &AtomicU64, value: u64, order: Ordering) {
    while signal.load(order) < value {
        loom::thread::yield_now();
    }
}

/// PE 0 puts twice, each time a word and its signal, and PE 1 waits for both. `update` sets the
/// signal to the number of the put.
fn put_and_wait(update: fn(&AtomicU64, u64), look: Ordering) {
    explore(None, move || {
        run(
            2,
            Memory::default(),
            nothing,
            move |pe, memory, ()| {
                for number in 1..=2 {
                    let word = &memory.payload[number as usize - 1];
                    if pe == 0 {
                        word.store(number, Ordering::Relaxed);
                        update(&memory.signal, number);
                    } else {
                        look_until(&memory.signal, number, look);
                        assert_eq!(word.load(Ordering::Relaxed), number, "a signal came before its data");
                    }
                }
            },
            done,
        );
    });
}

/// PEs 1 and 2 each put a word and add to the signal of PE 0, which waits for both.
#[test]
fn two_signals_bring_both_words() {
    explore(None, move || {
        run(
            3,
            Memory::default(),
            nothing,
            move |pe, memory, ()| {
                if pe == 0 {
                    look_until(&memory.signal, 2, Ordering::Acquire);
                    assert!(memory.payload.iter().all(|word| word.load(Ordering::Relaxed) == 1));
                } else {
                    memory.payload[pe - 1].store(1, Ordering::Relaxed);
                    memory.signal.fetch_add(1, Ordering::AcqRel);
                }
            },
            done,
        );
    });
}

#[test]
fn a_signal_that_is_set_brings_its_data() {
    put_and_wait(|signal, value| signal.store(value, Ordering::Release), Ordering::Acquire);
}

#[test]
fn a_signal_that_is_added_to_brings_its_data() {
    put_and_wait(|signal, _| _ = signal.fetch_add(1, Ordering::AcqRel), Ordering::Acquire);
}

#[test]
#[should_panic = "a signal came before its data"]
fn a_signal_without_release_does_not() {
    put_and_wait(|signal, value| signal.store(value, Ordering::Relaxed), Ordering::Acquire);
}

#[test]
#[should_panic = "a signal came before its data"]
fn a_look_without_acquire_does_not() {
    put_and_wait(|signal, value| signal.store(value, Ordering::Release), Ordering::Relaxed);
}
