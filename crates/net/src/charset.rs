//! Character encoding of an HTTP response, from its byte order mark, its headers or the text itself.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Number of bytes at the start of a response body in which a declaration of the encoding is searched for.
const DECLARATION_RANGE: usize = 4 * 1024;

/// A decoded response body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedText {
    /// The decoded text; bytes that are invalid in the encoding are replaced by U+FFFD.
    pub text: String,
    /// Name of the encoding, such as `UTF-8`.
    pub encoding: &'static str,
    /// Validity of the body's bytes in this encoding.
    pub bytes: Bytes,
}

/// Validity of a response body's bytes in the encoding that was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bytes {
    /// All bytes were valid.
    Good,
    /// Some bytes were invalid, and are U+FFFD in the text.
    Odd,
}

/// Decodes a response body. Uses the first of these: the encoding of the byte order mark, the `charset` of the media
/// type, a declaration in the text, UTF-8 if the bytes are valid, and windows-1252.
#[must_use]
pub fn decode(body: &[u8], content_type: Option<&str>) -> DecodedText {
    let marked = Encoding::for_bom(body).map(|(encoding, _)| encoding);
    let encoding = marked
        .or_else(|| content_type.and_then(parameter).and_then(named))
        .or_else(|| declared_encoding(&body[..body.len().min(DECLARATION_RANGE)]))
        .unwrap_or_else(|| if looks_utf8(body) { UTF_8 } else { WINDOWS_1252 });
    let (text, used, odd) = encoding.decode(body);
    let bytes = if odd { Bytes::Odd } else { Bytes::Good };
    DecodedText { text: text.into_owned(), encoding: used.name(), bytes }
}

/// Returns whether bytes are valid UTF-8. An incomplete character at the end is allowed, unless it is a single byte
/// after ASCII text, which is more likely a character of another encoding.
fn looks_utf8(body: &[u8]) -> bool {
    match std::str::from_utf8(body) {
        Ok(_) => true,
        Err(error) => {
            let (whole, rest) = body.split_at(error.valid_up_to());
            error.error_len().is_none() && (rest.len() > 1 || !whole.is_ascii())
        }
    }
}

fn named(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes())
}

/// Returns the `charset` parameter of a media type, such as `utf-8`.
fn parameter(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })
}

/// Returns the encoding that a `meta` element or an XML declaration at the start of a text names.
fn declared_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let text: String = head.iter().map(|byte| char::from(*byte).to_ascii_lowercase()).collect();
    let declared = text.strip_prefix("<?xml").and_then(|rest| value_of(rest.split("?>").next()?, "encoding"));
    let meta = || {
        text.split("<meta").skip(1).find_map(|element| {
            let element = element.split('>').next()?;
            value_of(element, "charset").and_then(named)
        })
    };
    let found = declared.and_then(named).or_else(meta)?;
    // The declaration could be read as ASCII, so the encoding cannot be UTF-16, even if the declaration names it.
    Some(if found.is_ascii_compatible() { found } else { UTF_8 })
}

fn value_of<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let rest = text[text.find(name)? + name.len()..].trim_start().strip_prefix('=')?.trim_start();
    let quoted = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
    let end = quoted.find(['"', '\'', ';', ' ', '\t', '\n', '/', '>']).unwrap_or(quoted.len());
    (end > 0).then(|| &quoted[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn encoding_is_detected_from_mark_header_or_text() {
        let rows: &[(&[u8], Option<&str>, &str, &str)] = &[
            (b"caf\xc3\xa9", None, "UTF-8", "café"),
            (b"caf\xe9", None, "windows-1252", "café"),
            (b"caf\xe9", Some("text/html; charset=ISO-8859-1"), "windows-1252", "café"),
            (b"caf\xe9", Some("text/html; Charset=\"latin1\""), "windows-1252", "café"),
            (b"caf\xe9", Some("text/html; charset=utf-8"), "UTF-8", "caf\u{fffd}"),
            (b"\xef\xbb\xbfcaf\xc3\xa9", Some("text/plain; charset=latin1"), "UTF-8", "café"),
            (b"\xff\xfea\0b\0", Some("text/html"), "UTF-16LE", "ab"),
            (b"<meta charset=shift_jis>\x93\xfa", None, "Shift_JIS", "<meta charset=shift_jis>日"),
            (b"<META CHARSET = 'koi8-r'/>\xc1", Some("text/html"), "KOI8-R", "<META CHARSET = 'koi8-r'/>а"),
            (
                b"<meta http-equiv=Content-Type content=\"text/html; charset=gbk\">\xc4\xe3",
                None,
                "GBK",
                "<meta http-equiv=Content-Type content=\"text/html; charset=gbk\">你",
            ),
            (
                b"<?xml version='1.0' encoding='euc-jp'?>\xc6\xfc",
                None,
                "EUC-JP",
                "<?xml version='1.0' encoding='euc-jp'?>日",
            ),
            (b"<meta charset=utf-16>a", None, "UTF-8", "<meta charset=utf-16>a"),
            (
                b"<meta charset=nonsense>\xe9",
                Some("text/html; charset=nonsense"),
                "windows-1252",
                "<meta charset=nonsense>é",
            ),
            (b"cut \xe2\x82", None, "UTF-8", "cut \u{fffd}"),
        ];
        each(rows, |(body, content_type, encoding, text)| {
            let found = decode(body, *content_type);
            assert_eq!((found.encoding, found.text.as_str()), (*encoding, *text), "{body:?}");
        });
    }
}
