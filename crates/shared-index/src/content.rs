//! A file content in the index: its hash, its text in pieces, and the languages for which it is split into
//! blocks.

use std::collections::BTreeSet;

use toolpost_ranked::portable::LONGEST;
use toolpost_trigrams::{Form, block, form};
use toolpost_workspace::{ContentHash, hash};

/// Maximum size of a stored text, in bytes.
pub(crate) const LARGEST: usize = 64 << 20;

pub(crate) struct Content {
    pub(crate) hash: ContentHash,
    /// The id of the git blob with this content.
    pub(crate) git: Vec<u8>,
    pub(crate) size: i64,
    pub(crate) form: i16,
    /// The pieces of the text: the byte offset and the text of each.
    pub(crate) pieces: Vec<(i64, String)>,
    /// The languages for which the content is split into blocks, as `way_of` returns them.
    pub(crate) ways: BTreeSet<&'static str>,
}

impl Content {
    /// Splits the text of a file into pieces; `git` is the id of the git blob.
    pub(crate) fn of(git: &[u8], bytes: Vec<u8>, ways: BTreeSet<&'static str>) -> Self {
        let (hash, size) = (hash(&bytes), bytes.len() as i64);
        let kind = if bytes.len() > LARGEST { Form::Odd } else { form(&bytes) };
        let text =
            if kind == Form::Text { String::from_utf8(bytes).unwrap_or_default() } else { String::new() };
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let end = at + block(text.as_bytes().get(at..).unwrap_or_default());
            pieces.push((at as i64, text.get(at..end).unwrap_or_default().to_owned()));
            at = end;
        }
        let form = number(kind);
        let ways = if is_cut(form, size) { ways } else { BTreeSet::new() };
        Self { hash, git: git.to_vec(), size, form, pieces, ways }
    }

    /// Returns the number of bytes of the text.
    pub(crate) fn weight(&self) -> usize {
        self.pieces.iter().map(|(_, text)| text.len()).sum()
    }

    /// Returns the whole text.
    pub(crate) fn text(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|(_, text)| text.as_bytes()).copied().collect()
    }
}

/// Returns whether file contents of a form (such as text) and a size are split into blocks.
pub(crate) fn is_cut(form: i16, size: i64) -> bool {
    form == number(Form::Text) && u64::try_from(size).is_ok_and(|size| size <= LONGEST)
}

/// Returns the number that encodes the form of a content (text, binary or other) in the tables.
pub(crate) fn number(form: Form) -> i16 {
    match form {
        Form::Text => 0,
        Form::Binary => 1,
        Form::Odd => 2,
    }
}
