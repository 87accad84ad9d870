//! The random numbers of the RandomAccess kernel: the powers of `x` modulo a polynomial over GF(2).

/// A polynomial over GF(2), a bit for each coefficient, times `x`, modulo x^64 + x^2 + x + 1.
#[inline]
#[must_use]
pub fn next(random: u64) -> u64 {
    let carry = random >> 63;
    (random << 1) ^ (carry * 0b111)
}

/// The power of `x` with this exponent, which is the number at this place of the stream.
#[must_use]
pub fn power(exponent: u64) -> u64 {
    // Squaring doubles exponents: each coefficient at x^i goes to x^2i.
    let doubled: Vec<u64> =
        std::iter::successors(Some(1), |&power| Some(next(next(power)))).take(64).collect();
    let square = |number: u64| (0..64).filter(|i| number >> i & 1 == 1).fold(0, |sum, i| sum ^ doubled[i]);
    let bits = (0..64).rev().map(|i| exponent >> i & 1);
    bits.fold(1, |power, bit| if bit == 1 { next(square(power)) } else { square(power) })
}
