//! Messages of checks that run in the compiler.
//!
//! A constant panic can say nothing but a string, so the numbers in it are put together here, by
//! functions that run during constant evaluation. The span of the error is the call: every function
//! that ends in a panic is `#[track_caller]`.

/// How much a message may hold; what is longer is cut.
const CAPACITY: usize = 512;

/// A message under construction, in constant evaluation.
pub(crate) struct Text {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl Text {
    /// An empty message.
    pub(crate) const fn new() -> Text {
        Text { bytes: [0; CAPACITY], len: 0 }
    }

    /// Appends a string.
    #[must_use]
    pub(crate) const fn str(mut self, text: &str) -> Text {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() && self.len < CAPACITY {
            self.bytes[self.len] = text[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// Appends a number.
    #[must_use]
    pub(crate) const fn num(self, number: usize) -> Text {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = number;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        match core::str::from_utf8(digits.split_at(at).1) {
            Ok(text) => self.str(text),
            Err(_) => self,
        }
    }

    /// Appends `one` or `many`, as `number` asks for.
    #[must_use]
    pub(crate) const fn plural(self, number: usize, one: &str, many: &str) -> Text {
        self.str(if number == 1 { one } else { many })
    }

    /// Panics with the message.
    #[track_caller]
    pub(crate) const fn panic(&self) -> ! {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => panic!("{}", text),
            // Cut in the middle of a character: say at least where.
            Err(_) => panic!("this check of the shmem crate failed"),
        }
    }
}
