//! Entry points for the fuzz targets of index files.

use crate::{
    Words, make,
    record::Summary,
    scip::Scip,
    segment::{Packer, Segment, seal},
};
use toolpost_syntax::Language;
use toolpost_workspace::{Blob, hash};

/// Stores the symbols of `text` in a segment, lets `damage` change its bytes, corrects the checksums, and reads the
/// segment. The file name `file` determines the language.
///
/// # Panics
/// If the segment cannot be created, or cannot be read before it is damaged.
pub fn segment(file: &str, text: &str, damage: &dyn Fn(&mut Vec<u8>)) {
    let Some(language) = Language::of_path(file.as_ref()) else { return };
    let Ok((mut words, record)) = make(language, text) else { return };
    let summary = Summary::of(&record, &mut words);
    let mut packer = Packer::new(&words);
    assert!(packer.add(hash(text.as_bytes()), summary, record));
    let mut bytes = packer.finish().0.to_bytes();
    assert_eq!(Segment::open(Blob::in_memory(bytes.clone())).map(|(_, entries)| entries.len()), Some(1));
    damage(&mut bytes);
    seal(&mut bytes);
    let Some((segment, entries)) = Segment::open(Blob::in_memory(bytes)) else { return };
    let mut words = Words::default();
    segment.settle(&mut words);
    for entry in entries {
        let _ = segment.summary(entry);
        let _ = segment.record(entry);
    }
}

/// Reads any bytes as a SCIP index.
pub fn scip(bytes: &[u8]) {
    let Some(index) = Scip::read(bytes) else { return };
    let _ = index.defined();
    for names in index.files {
        let text = names.text.unwrap_or_default();
        for ((line, column), _) in names.uses.iter().chain(&names.definitions) {
            let line = text.lines().nth(*line as usize).unwrap_or_default();
            if let Some(byte) = names.columns.byte(line, *column) {
                assert!(line.is_char_boundary(byte), "byte {byte} of {line:?}");
            }
        }
    }
}
