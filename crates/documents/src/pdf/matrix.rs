//! Affine matrices, which position text on a page.

use lopdf::Object;

/// A matrix `a b c d e f`, in PDF notation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    /// The identity matrix.
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// Reads a matrix from an array of six numbers.
    pub(super) fn of(numbers: &[Object]) -> Option<Self> {
        let numbers: Vec<f64> = numbers.iter().map_while(super::font::float).collect();
        numbers.try_into().ok().map(Self)
    }

    /// Returns the matrix that applies `self` first, and then `other`.
    pub(super) fn then(&self, other: &Self) -> Self {
        let (x, y) = (other.vector(self.0[0], self.0[1]), other.vector(self.0[2], self.0[3]));
        let origin = other.point(self.0[4], self.0[5]);
        Self([x.0, x.1, y.0, y.1, origin.0, origin.1])
    }

    /// Applies the matrix to a direction, which a translation does not change.
    pub(super) fn vector(&self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, _, _] = self.0;
        (a * x + c * y, b * x + d * y)
    }

    /// Applies the matrix to a point.
    pub(super) fn point(&self, x: f64, y: f64) -> (f64, f64) {
        let (along, up) = self.vector(x, y);
        (along + self.0[4], up + self.0[5])
    }
}
