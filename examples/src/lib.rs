//! What the examples share: how they speak to the person at the terminal.

use std::fmt;

/// Why an example cannot do what it was asked for.
///
/// A `main` that returns an error shows its `Debug` form, so here that is the sentence itself.
pub struct Failure(String);

impl Failure {
    /// A failure with this sentence.
    pub fn new(sentence: impl Into<String>) -> Failure {
        Failure(sentence.into())
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// So that `?` works on what the runtime returns.
impl From<shmem::Error> for Failure {
    fn from(error: shmem::Error) -> Failure {
        Failure(error.to_string())
    }
}

/// So many things: `1 PE`, `2 PEs`.
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
