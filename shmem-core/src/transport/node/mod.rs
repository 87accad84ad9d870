//! What PEs of one node do through memory that they share: the same algorithms for both transports.
//!
//! * `counter.rs`: a word that PEs advance and wait for;
//! * `barrier.rs`: the barrier of a team, and small broadcasts without one;
//! * `record.rs`: what each PE has in that memory, and the trait of those who have it;
//! * `phase_change.rs`: where all PEs meet to enter and to leave a local phase, and at the end of
//!   the job;
//! * `waits.rs`: what each PE waits for, for the others and the supervisor to read;
//! * `question.rs`: how they read it, and how the supervisor learns that a wait cannot end;
//! * `deadlock.rs`: waits that can never end are found and reported;
//! * `fault.rs`: faults of the shared memory are explained before they end the process.

pub(crate) mod barrier;
pub(crate) mod counter;
pub(crate) mod deadlock;
pub(in crate::transport) mod fault;
pub(in crate::transport) mod phase_change;
pub(crate) mod question;
pub(crate) mod record;
pub(crate) mod traffic;
pub(crate) mod waits;
