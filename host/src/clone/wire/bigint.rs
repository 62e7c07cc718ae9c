//! Integers of any width: JavaScript's `bigint`.

use std::fmt;

/// A JavaScript `bigint`: a sign and a magnitude of any width.
///
/// Kept in one form per number (no leading zero digits, zero is not negative), so that `==` compares numbers. [`Display`](fmt::Display) is
/// hexadecimal, as that takes time linear in the width.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct BigInt {
    negative: bool,
    /// Least significant first; the last is not zero.
    digits: Vec<u64>,
}

impl BigInt {
    /// The number whose magnitude is `digits`, least significant first.
    pub fn new(negative: bool, mut digits: Vec<u64>) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let negative = negative && !digits.is_empty();
        BigInt { negative, digits }
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The magnitude, least significant digit first. Empty for zero.
    pub fn digits(&self) -> &[u64] {
        &self.digits
    }

    fn magnitude(&self) -> Option<u128> {
        match *self.digits.as_slice() {
            [] => Some(0),
            [low] => Some(u128::from(low)),
            [low, high] => Some(u128::from(low) | u128::from(high) << 64),
            _ => None,
        }
    }

    /// The number, where an `i128` can hold it.
    pub fn to_i128(&self) -> Option<i128> {
        let magnitude = self.magnitude()?;
        if self.negative {
            // `i128::MIN` has no positive counterpart, hence not by negation.
            0_i128.checked_sub_unsigned(magnitude)
        } else {
            i128::try_from(magnitude).ok()
        }
    }

    /// The number, where a `u128` can hold it.
    pub fn to_u128(&self) -> Option<u128> {
        self.magnitude().filter(|_| !self.negative)
    }
}

impl From<u128> for BigInt {
    fn from(number: u128) -> Self {
        // Truncation is the point: the two halves.
        BigInt::new(false, vec![number as u64, (number >> 64) as u64])
    }
}

impl From<i128> for BigInt {
    fn from(number: i128) -> Self {
        BigInt {
            negative: number < 0,
            ..BigInt::from(number.unsigned_abs())
        }
    }
}

impl From<u64> for BigInt {
    fn from(number: u64) -> Self {
        BigInt::from(u128::from(number))
    }
}

impl From<i64> for BigInt {
    fn from(number: i64) -> Self {
        BigInt::from(i128::from(number))
    }
}

impl fmt::Display for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.negative { "-0x" } else { "0x" })?;
        let mut digits = self.digits.iter().rev();
        write!(f, "{:x}", digits.next().unwrap_or(&0))?;
        digits.try_for_each(|digit| write!(f, "{digit:016x}"))
    }
}

impl fmt::Debug for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BigInt({self})")
    }
}
