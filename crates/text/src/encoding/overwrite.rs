//! Replacing a whole text in the manner of the file.

use super::{Encoding, Eol, SpliceError, Text, with_crlf};
use crate::lines::lf;

/// The new bytes of a file, and the properties that they keep from the old file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overwrite {
    /// The new bytes.
    pub bytes: Vec<u8>,
    /// The file was all CRLF and the content all LF, so the file stays CRLF.
    pub kept_crlf: bool,
    /// The byte order mark was kept.
    pub kept_bom: bool,
    /// The encoding, which is the old one.
    pub encoding: Encoding,
}

impl Text {
    /// Replaces everything; keeps the byte order mark, the encoding, and CRLF if the new text has no break of another kind.
    ///
    /// # Errors
    ///
    /// When the file's encoding cannot hold the new text.
    pub fn overwrite(&self, new: &str) -> Result<Overwrite, SpliceError> {
        let kept_bom = self.bom() > 0;
        let content = if kept_bom { new.strip_prefix('\u{FEFF}').unwrap_or(new) } else { new };
        let kept_crlf = self.eol() == Eol::CrLf && content.contains('\n') && !content.contains('\r');
        let encoded = if kept_crlf { self.encoded(&with_crlf(content))? } else { self.encoded(content)? };
        self.reads_as(&encoded, lf(content).into_owned(), "")?;
        let mut bytes = self.bytes()[..self.bom()].to_vec();
        bytes.extend_from_slice(&encoded);
        Ok(Overwrite { bytes, kept_crlf, kept_bom, encoding: self.encoding() })
    }
}
