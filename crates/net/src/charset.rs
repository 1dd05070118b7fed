//! Character encoding of a response, from its byte order mark, its headers or the text itself.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Length of the beginning that is searched for a declaration, in bytes.
const SAID: usize = 4 * 1024;

/// A decoded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text; undecodable bytes are U+FFFD.
    pub text: String,
    /// Name of the encoding.
    pub encoding: &'static str,
    /// Result of the decoding.
    pub bytes: Bytes,
}

/// Result of a decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bytes {
    /// All bytes were valid.
    Good,
    /// Some bytes were invalid.
    Odd,
}

/// Decodes a body, with its media type if known.
#[must_use]
pub fn decode(body: &[u8], content_type: Option<&str>) -> Decoded {
    let marked = Encoding::for_bom(body).map(|(encoding, _)| encoding);
    let encoding = marked
        .or_else(|| content_type.and_then(parameter).and_then(named))
        .or_else(|| said(&body[..body.len().min(SAID)]))
        .unwrap_or_else(|| if looks_utf8(body) { UTF_8 } else { WINDOWS_1252 });
    let (text, used, odd) = encoding.decode(body);
    let bytes = if odd { Bytes::Odd } else { Bytes::Good };
    Decoded { text: text.into_owned(), encoding: used.name(), bytes }
}

/// Returns whether bytes are UTF-8, except for a character cut off at the end.
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

/// Returns the `charset` parameter of a media type.
fn parameter(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })
}

/// Returns the encoding declared in a `meta` element or an XML declaration. A readable declaration implies an
/// encoding of single bytes.
fn said(head: &[u8]) -> Option<&'static Encoding> {
    let text: String = head.iter().map(|byte| char::from(*byte).to_ascii_lowercase()).collect();
    let declared = text.strip_prefix("<?xml").and_then(|rest| value_of(rest.split("?>").next()?, "encoding"));
    let meta = || {
        text.split("<meta").skip(1).find_map(|element| {
            let element = element.split('>').next()?;
            value_of(element, "charset").and_then(named)
        })
    };
    let found = declared.and_then(named).or_else(meta)?;
    // A declaration of a two-byte encoding contradicts itself, since it was readable.
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

    #[test]
    fn characters_are_known_by_mark_head_or_text() {
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
        for (body, content_type, encoding, text) in rows {
            let found = decode(body, *content_type);
            assert_eq!((found.encoding, found.text.as_str()), (*encoding, *text), "{body:?}");
        }
    }
}
