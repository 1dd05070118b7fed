//! Quantized embedding vectors with one byte per dimension, and their similarity.

/// An embedding: a vector of length one, quantized to one byte per dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// The coordinates, in units of `scale`.
    pub parts: Vec<i8>,
    /// The quantization step: a coordinate is its byte in `parts` times this number.
    pub scale: f32,
}

impl Vector {
    /// Quantizes a vector and normalizes it to length one. A vector that is zero or not finite becomes zero, which is
    /// similar to nothing.
    #[must_use]
    pub fn of(numbers: &[f32]) -> Self {
        let length = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt() as f32;
        let largest = numbers.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        if !length.is_finite() || largest <= f32::MIN_POSITIVE {
            return Self { parts: vec![0; numbers.len()], scale: 0.0 };
        }
        let steps = 127.0 / largest;
        let parts = numbers.iter().map(|number| (number * steps).round() as i8).collect();
        Self { parts, scale: largest / (127.0 * length) }
    }
}

/// Returns the cosine similarity of two quantized vectors: 1 for the same direction, 0 for orthogonal ones.
#[must_use]
pub fn likeness(one: &[i8], one_scale: f32, other: &[i8], other_scale: f32) -> f32 {
    product(one, other) as f32 * one_scale * other_scale
}

/// Returns the dot product of two vectors; the loop is written so that the compiler vectorizes it.
fn product(one: &[i8], other: &[i8]) -> i32 {
    let (ones, one_rest) = one.as_chunks::<32>();
    let (others, other_rest) = other.as_chunks::<32>();
    let mut sums = [0_i32; 32];
    for (one, other) in ones.iter().zip(others) {
        for (sum, (left, right)) in sums.iter_mut().zip(one.iter().zip(other)) {
            *sum += i32::from(i16::from(*left) * i16::from(*right));
        }
    }
    let rest = one_rest.iter().zip(other_rest).map(|(left, right)| i32::from(*left) * i32::from(*right));
    sums.iter().sum::<i32>() + rest.sum::<i32>()
}

#[cfg(test)]
mod tests {
    use super::{Vector, likeness};
    use toolpost_test_rows::each;

    #[test]
    fn quantised_likeness_approximates_the_cosine() {
        let rows: [(&[f32], &[f32], f32); 6] = [
            (&[1.0, 0.0], &[2.0, 0.0], 1.0),
            (&[1.0, 0.0], &[0.0, 3.0], 0.0),
            (&[1.0, 0.0], &[-5.0, 0.0], -1.0),
            (&[3.0, 4.0], &[4.0, 3.0], 0.96),
            (&[0.0, 0.0], &[1.0, 1.0], 0.0),
            (&[f32::INFINITY, 0.0], &[1.0, 1.0], 0.0),
        ];
        each(rows, |(one, other, wanted)| {
            // The vectors are long enough for both the chunks of 32 bytes and the remaining bytes in `product`.
            let long = |numbers: &[f32]| Vector::of(&numbers.repeat(37));
            let (one, other) = (long(one), long(other));
            let found = likeness(&one.parts, one.scale, &other.parts, other.scale);
            assert!((found - wanted).abs() < 0.01, "{found} is not {wanted}");
        });
    }
}
