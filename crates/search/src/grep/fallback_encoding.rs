//! Encoding of files that are not UTF-8 and have no byte order mark (BOM).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use encoding_rs::Encoding as Charset;
use toolpost_text::encoding::{Encoding, Text};

use super::GrepRequest;
use super::scan::has_mark;

/// The number of bytes of a long file that are read and checked for UTF-8 at a time.
const CHUNK: usize = 256 * 1024;

/// The encoding of a request for files that are not UTF-8 and have no BOM, if the request gives one.
pub(super) struct FallbackEncoding {
    charset: Option<&'static Charset>,
    /// Set if the pattern contains non-ASCII characters, or escapes such as `\x` that may stand for them, so that files
    /// in an unknown encoding cannot be searched completely.
    beyond_ascii: bool,
}

impl FallbackEncoding {
    pub(super) fn new(request: &GrepRequest) -> Self {
        let pattern = request.pattern.as_str();
        let escaped = ["\\x", "\\u", "\\U"].iter().any(|escape| pattern.contains(escape));
        Self { charset: request.encoding, beyond_ascii: !pattern.is_ascii() || escaped }
    }

    /// Returns the requested encoding in the type of `grep_searcher`.
    pub(super) fn label(&self) -> Option<grep_searcher::Encoding> {
        self.charset.and_then(|charset| grep_searcher::Encoding::new(charset.name()).ok())
    }

    /// Returns whether the encoding of a file that is not UTF-8 can affect the result.
    pub(super) fn is_meant(&self) -> bool {
        self.charset.is_some() || self.beyond_ascii
    }

    /// Decodes the content of a file; `None` if the content has a BOM, or is not in the requested encoding, or if the
    /// request gives no encoding. Content that is valid UTF-8 is decoded only if that encoding is not ASCII-compatible.
    pub(super) fn decoded(&self, bytes: &[u8]) -> Option<Text> {
        let charset = self.charset.filter(|_| !has_mark(bytes))?;
        if charset.is_ascii_compatible() && std::str::from_utf8(bytes).is_ok() {
            return None;
        }
        let text = Text::open(bytes.to_vec(), Some(charset)).ok()?;
        matches!(text.encoding(), Encoding::Named(_)).then_some(text)
    }

    /// Returns whether a search in these bytes can miss a match, because their encoding is unknown and the pattern may
    /// contain non-ASCII characters.
    pub(super) fn hides(&self, bytes: &[u8]) -> bool {
        self.beyond_ascii && !has_mark(bytes) && std::str::from_utf8(bytes).is_err()
    }
}

/// Returns whether a long file has a BOM or is UTF-8, and rewinds the file to its start. If `stops` returns true, only
/// the part that was read so far counts.
pub(super) fn is_known(mut file: &File, stops: &dyn Fn() -> bool) -> io::Result<bool> {
    let mut buffer = vec![0; CHUNK];
    let (mut kept, mut begins, mut known) = (0, true, true);
    loop {
        let count = match file.read(buffer.get_mut(kept..).unwrap_or_default()) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let filled = kept + count;
        let bytes = buffer.get(..filled).unwrap_or_default();
        if count == 0 || stops() || std::mem::take(&mut begins) && has_mark(bytes) {
            known &= kept == 0 || count > 0;
            break;
        }
        kept = match std::str::from_utf8(bytes) {
            Ok(_) => 0,
            Err(error) if error.error_len().is_none() => filled - error.valid_up_to(),
            Err(_) => {
                known = false;
                break;
            }
        };
        buffer.copy_within(filled - kept..filled, 0);
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(known)
}
