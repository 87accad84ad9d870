//! The checksum: CRC-32, as in gzip and PNG.
//!
//! It finds every single flipped bit and every burst of up to 32 bits, and misses another change
//! once in 2^32. The processor's carry-less multiplication makes it faster than any disk, without a
//! build for one processor. And the sum of zeros follows from their number alone, so memory that
//! nobody has touched need not be read.

use crc32fast::Hasher;

/// A checksum that grows.
#[derive(Clone, Default)]
pub struct Sum(Hasher);

impl Sum {
    /// The sum of nothing.
    #[must_use]
    pub fn new() -> Sum {
        Sum(Hasher::new())
    }

    /// The sum of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> u32 {
        crc32fast::hash(bytes)
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds `len` zeros, in a time that grows with the logarithm of `len`.
    pub fn add_zeros(&mut self, mut len: u64) {
        let mut power = Hasher::new();
        power.update(&[0]);
        while len > 0 {
            if len & 1 == 1 {
                self.0.combine(&power);
            }
            len >>= 1;
            if len > 0 {
                power.combine(&power.clone());
            }
        }
    }

    /// The sum so far.
    #[must_use]
    pub fn value(&self) -> u32 {
        self.0.clone().finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;

    #[test]
    fn zeros_are_counted() {
        for len in [0, 1, 2, 63, 64, 1000, 4096, 100_003] {
            let (mut counted, mut read) = (Sum::new(), Sum::new());
            for sum in [&mut counted, &mut read] {
                sum.add(b"before");
            }
            counted.add_zeros(len as u64);
            read.add(&vec![0; len]);
            for sum in [&mut counted, &mut read] {
                sum.add(b"after");
            }
            assert_eq!(counted.value(), read.value(), "{len} zeros");
        }
    }

    #[test]
    fn it_is_the_known_one() {
        assert_eq!(Sum::of(b"123456789"), 0xcbf4_3926);
    }
}
