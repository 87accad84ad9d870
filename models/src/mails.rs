// Messages of a batch: `super` is the real algorithm, or a mutant.

use loom::cell::UnsafeCell;

use super::mailbox::{self, MailWords};
use crate::system::sync::{AtomicU32, AtomicU64, Ordering};
use crate::{explore, nothing, run};

/// One place for messages from PE 0 to PE 1, and for the answers. Loom panics when two accesses of its
/// bytes are not ordered.
struct MailPlace {
    flag: AtomicU64,
    credit: AtomicU64,
    message: UnsafeCell<u64>,
    answer: UnsafeCell<u64>,
    /// How often each message was performed.
    performed: [AtomicU32; 3],
}

impl MailWords for MailPlace {
    fn set_flag(&self, number: u64) {
        self.flag.store(number, Ordering::Release);
    }

    fn flag(&self) -> u64 {
        self.flag.load(Ordering::Acquire)
    }

    fn take_flag(&self, number: u64) -> bool {
        self.flag.compare_exchange(number, 0, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    fn set_credit(&self, number: u64) {
        self.credit.store(number, Ordering::Release);
    }

    fn credit(&self) -> u64 {
        self.credit.load(Ordering::Acquire)
    }
}

impl MailPlace {
    fn perform(&self, number: u64) {
        self.performed[number as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Sends messages one after the other through the place, each as soon as it is free. It takes back
    /// what is not answered after `patience` looks.
    fn send(&self, messages: u64, patience: usize) {
        for number in 1..=messages {
            // SAFETY: loom panics when another access is not ordered with this one.
            self.message.with_mut(|message| unsafe { *message = number });
            mailbox::send(self, number);
            let mut looks = 0;
            loop {
                if mailbox::is_answered(self, number) {
                    // SAFETY: as above.
                    let answer = self.answer.with(|answer| unsafe { *answer });
                    assert_eq!(answer, 10 * number, "the answer to another message");
                    break;
                }
                if looks >= patience && mailbox::take_back(self, number) {
                    self.perform(number);
                    break;
                }
                looks += 1;
                loom::thread::yield_now();
            }
        }
    }

    /// Looks so many times, and performs what is there.
    fn serve(&self, looks: usize) {
        for _ in 0..looks {
            if let Some(number) = mailbox::receive(self) {
                // SAFETY: as above.
                let message = self.message.with(|message| unsafe { *message });
                assert_eq!(message, number, "another message than was announced");
                self.perform(number);
                // SAFETY: as above.
                self.answer.with_mut(|answer| unsafe { *answer = 10 * number });
                mailbox::answer(self, number);
            }
        }
    }
}

/// Messages are performed once, by one of the two, whenever the receiver looks.
pub(crate) fn mails(bound: Option<usize>, messages: u64, patience: usize, looks: usize) {
    explore(bound, move || {
        let place = MailPlace {
            flag: AtomicU64::new(0),
            credit: AtomicU64::new(0),
            message: UnsafeCell::new(0),
            answer: UnsafeCell::new(0),
            performed: std::array::from_fn(|_| AtomicU32::new(0)),
        };
        run(
            2,
            place,
            nothing,
            move |pe, place, ()| if pe == 0 { place.send(messages, patience) } else { place.serve(looks) },
            move |place| {
                for number in 1..=messages as usize {
                    let performed = place.performed[number].load(Ordering::Relaxed);
                    assert_eq!(performed, 1, "message {number} was not performed once");
                }
            },
        );
    });
}
