//! Entry point for the fuzz target of the keyword index's segments (its files on disk).

/// Writes an index segment for a text, damages it, and reads it. The checksum of the header is corrected after the
/// damage, so that the damaged data is parsed. The file name `file` determines the language of the text.
///
/// # Panics
/// If the undamaged segment cannot be read.
pub fn segment(file: &str, text: &str, damage: &dyn Fn(&mut Vec<u8>)) {
    crate::segment::fuzz::fuzz(toolpost_syntax::Language::of_path(file.as_ref()), text, damage);
}
