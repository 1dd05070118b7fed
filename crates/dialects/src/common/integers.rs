//! Conversion of integer arguments.

use toolpost_engine::Failure;

/// Converts an argument to a count of things in memory.
pub(crate) fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Converts an argument whose schema allows any number to a whole number; rejects a negative number or a fraction.
pub(crate) fn number(name: &str, said: f64) -> Result<u64, Failure> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is whole and not negative; the cast saturates"
    )]
    if said >= 0.0 && said.fract() == 0.0 {
        Ok(said as u64)
    } else {
        Err(Failure::invalid(format!("{name} must be a whole number, 0 or more; got {said}.")))
    }
}
