//! A text of bounded length in memory that other processes read.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// A text of at most `N` bytes. Zeros are the empty text.
///
/// Its writer allocates nothing and takes no lock, so a signal handler can use it. It does not order
/// anything by itself: a reader sees the whole text if its writer has published it by a release
/// store that comes after [`set`](SharedText::set), and the reader has acquired that.
#[repr(C)]
pub(crate) struct SharedText<const N: usize> {
    len: AtomicU32,
    bytes: [AtomicU8; N],
}

impl<const N: usize> SharedText<N> {
    /// Replaces the text, cut at a character boundary to `N` bytes.
    pub(crate) fn set(&self, text: &str) {
        let text = cut(text, N);
        // A reader that comes meanwhile sees less of the text, and no end of the earlier one.
        self.len.store(0, Ordering::Release);
        for (slot, byte) in self.bytes.iter().zip(text.as_bytes()) {
            slot.store(*byte, Ordering::Relaxed);
        }
        self.len.store(text.len() as u32, Ordering::Release);
    }

    /// The text. What is no UTF-8, because it was read while it changed, is replaced.
    pub(crate) fn get(&self) -> String {
        let len = (self.len.load(Ordering::Acquire) as usize).min(N);
        let bytes: Vec<u8> = self.bytes[..len].iter().map(|byte| byte.load(Ordering::Relaxed)).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The beginning of `text` that has at most `len` bytes, cut between characters.
pub(crate) fn cut(text: &str, len: usize) -> &str {
    let mut end = text.len().min(len);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_replaces_the_one_before_and_is_cut_between_characters() {
        let text = SharedText::<16> { len: AtomicU32::new(0), bytes: [const { AtomicU8::new(0) }; 16] };
        assert_eq!(text.get(), "");
        text.set("the first");
        text.set("two");
        assert_eq!(text.get(), "two");
        text.set(&format!("x{}", "é".repeat(16)));
        assert_eq!(text.get(), "xééééééé");
        text.set("sixteen bytes: 6");
        assert_eq!(text.get(), "sixteen bytes: 6");
    }
}
