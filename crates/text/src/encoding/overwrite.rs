//! Replacement of the whole text of a file, which keeps the encoding and the line breaks of the file.

use super::{Encoding, Eol, SpliceError, Text, with_crlf};
use crate::lines::lf;

/// The new bytes of a file, and the properties that they keep from the old file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overwrite {
    /// The new bytes of the file.
    pub bytes: Vec<u8>,
    /// True if the file was all CRLF and the new text all LF, so that CRLF was kept.
    pub kept_crlf: bool,
    /// True if the file had a byte order mark, which was kept.
    pub kept_bom: bool,
    /// The encoding of the old file, which the new bytes keep.
    pub encoding: Encoding,
}

impl Text {
    /// Replaces the whole text; keeps the byte order mark and the encoding. If the file has only CRLF and the
    /// new text only LF, the line breaks become CRLF.
    ///
    /// # Errors
    ///
    /// If the file's encoding cannot hold the new text.
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
