//! Entry point for the fuzz target of trigram segments.

/// Damages a segment, corrects its checksum, opens it, and looks a pattern up in it.
///
/// # Panics
/// If the undamaged segment cannot be read.
pub fn segment(pattern: &str, damage: &dyn Fn(&mut Vec<u8>)) {
    crate::segment::fuzz(pattern, damage);
}
