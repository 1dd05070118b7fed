//! Text of the codes in fonts without an embedded character map.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS};
use lopdf::{Dictionary, Document, Object};

/// The string encoding of a composite font (one that can have more than 256 glyphs).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CompositeEncoding {
    /// Glyph numbers of two bytes each, whose text is unknown.
    Glyphs,
    /// UTF-16, big-endian.
    Utf16,
    /// UTF-32, big-endian.
    Utf32,
    /// An older East Asian encoding with one or two bytes per character.
    Legacy(&'static Encoding),
}

/// Parts of the names of predefined character maps, each with the encoding of the map.
const PREDEFINED: &[(&str, CompositeEncoding)] = &[
    ("-UCS2", CompositeEncoding::Utf16),
    ("-UTF16", CompositeEncoding::Utf16),
    ("-UTF32", CompositeEncoding::Utf32),
    ("RKSJ", CompositeEncoding::Legacy(SHIFT_JIS)),
    ("GB-EUC", CompositeEncoding::Legacy(GB18030)),
    ("GBpc-EUC", CompositeEncoding::Legacy(GB18030)),
    ("GBK", CompositeEncoding::Legacy(GB18030)),
    ("KSC", CompositeEncoding::Legacy(EUC_KR)),
    ("B5", CompositeEncoding::Legacy(BIG5)),
    ("ETen", CompositeEncoding::Legacy(BIG5)),
    ("EUC", CompositeEncoding::Legacy(EUC_JP)),
];

impl CompositeEncoding {
    /// Returns the encoding of a predefined character map by its name; `Glyphs` for any other name.
    pub(super) fn of_map(name: &[u8]) -> Self {
        let name = String::from_utf8_lossy(name);
        PREDEFINED.iter().find(|(part, _)| name.contains(part)).map_or(Self::Glyphs, |(_, wide)| *wide)
    }

    /// Returns the number of bytes of the first code in `bytes`.
    pub(super) fn code_length(self, bytes: &[u8]) -> usize {
        match (self, bytes.first()) {
            (Self::Utf16, Some(0xd8..=0xdb)) | (Self::Utf32, _) => 4,
            (Self::Legacy(encoding), Some(&lead)) if !is_lead(encoding, lead) => 1,
            _ => 2,
        }
    }

    /// Returns the text of one code; `None` if the encoding does not define it.
    pub(super) fn text(self, code: &[u8]) -> Option<String> {
        match self {
            Self::Glyphs => None,
            Self::Utf16 => {
                let units: Vec<u16> =
                    code.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
                String::from_utf16(&units).ok()
            }
            Self::Utf32 => char::from_u32(super::cmap::number(code)).map(String::from),
            Self::Legacy(encoding) => {
                encoding.decode_without_bom_handling_and_without_replacement(code).map(Into::into)
            }
        }
    }
}

fn is_lead(encoding: &'static Encoding, byte: u8) -> bool {
    if encoding == SHIFT_JIS { matches!(byte, 0x81..=0x9f | 0xe0..=0xfc) } else { byte >= 0x81 }
}

/// Returns the text of each of the 256 codes of a simple font; `None` for codes without text.
pub(super) fn simple_table(font: &Dictionary, document: &Document) -> Vec<Option<String>> {
    let encoding = font.get_deref(b"Encoding", document).ok();
    let (base, differences) = match encoding {
        Some(Object::Name(name)) => (Some(name.as_slice()), None),
        Some(Object::Dictionary(encoding)) => (
            encoding.get_deref(b"BaseEncoding", document).and_then(Object::as_name).ok(),
            encoding.get_deref(b"Differences", document).and_then(Object::as_array).ok(),
        ),
        _ => (None, None),
    };
    let mut table = match base {
        Some(name) => base_table(name, document),
        None => own_table(font, document),
    };
    let mut code = 0;
    for item in differences.into_iter().flatten() {
        match item {
            Object::Integer(next) => code = usize::try_from(*next).unwrap_or(usize::MAX),
            Object::Name(name) => {
                if let Some(slot) = table.get_mut(code) {
                    *slot = glyph_text(name, document);
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    table
}

/// Returns the text of each code by the glyph names in the embedded font program; codes without one have the text of
/// the standard encoding.
fn own_table(font: &Dictionary, document: &Document) -> Vec<Option<String>> {
    let is_true_type =
        font.get_deref(b"Subtype", document).and_then(Object::as_name).is_ok_and(|kind| kind == b"TrueType");
    let standard = base_table(if is_true_type { b"WinAnsiEncoding" } else { b"StandardEncoding" }, document);
    let Some(names) = super::embedded::glyph_names(font, document) else { return standard };
    let text = |(name, standard): (Option<Vec<u8>>, _)| match name {
        Some(name) => glyph_text(&name, document),
        None => standard,
    };
    names.into_iter().zip(standard).map(text).collect()
}

fn base_table(name: &[u8], document: &Document) -> Vec<Option<String>> {
    let known = [&b"StandardEncoding"[..], b"WinAnsiEncoding", b"MacRomanEncoding", b"MacExpertEncoding"];
    let name = if known.contains(&name) { name } else { b"StandardEncoding" };
    (0..=255).map(|code| decode_one(Object::Name(name.to_vec()), code, document)).collect()
}

/// Glyph names of TeX's mathematical fonts that the Adobe glyph list lacks.
const MORE_NAMES: &[(&str, &str)] = &[
    ("mapsto", "↦"),
    ("mapstochar", "↦"),
    ("phi1", "ϕ"),
    ("square", "□"),
    ("squaresolid", "■"),
    ("squareplus", "⊞"),
    ("squaremultiply", "⊠"),
    ("circleasterisk", "⊛"),
    ("arrowhookleft", "↩"),
    ("arrowhookright", "↪"),
    ("dblarrowheadright", "↠"),
    ("maltese", "✠"),
    ("complement", "∁"),
    ("lessorsimilar", "≲"),
    ("greaterorsimilar", "≳"),
    ("lessorequalslant", "⩽"),
    ("greaterorequalslant", "⩾"),
];

/// Suffixes of TeX glyph names that only denote another size of the same character.
const SIZES: [&str; 6] = ["text", "display", "bigg", "Bigg", "big", "Big"];

/// Maximum length of a glyph name, in bytes.
const LONGEST_NAME: usize = 64;

/// Returns the text of a glyph by its name: from the Adobe glyph list, as a code point (`uni20AC`, `u1F600`), or from
/// the parts of the name (`f_f_i`, `a.alt`).
fn glyph_text(name: &[u8], document: &Document) -> Option<String> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    let listed = Dictionary::from_iter([
        ("Type", Object::Name(b"Encoding".to_vec())),
        ("Differences", Object::Array(vec![Object::Integer(0), Object::Name(name.to_vec())])),
    ]);
    let text = decode_one(Object::Dictionary(listed), 0, document);
    if let Some(text) =
        text.filter(|text| !text.chars().any(|letter| ('\u{e000}'..='\u{f8ff}').contains(&letter)))
    {
        return Some(text);
    }
    let name = std::str::from_utf8(name).ok()?;
    if let Some((_, text)) = MORE_NAMES.iter().find(|(known, _)| *known == name) {
        return Some((*text).to_owned());
    }
    if let Some(stem) = SIZES.iter().find_map(|size| name.strip_suffix(size)) {
        return glyph_text(stem.as_bytes(), document);
    }
    let stem = name.split('.').next().filter(|stem| !stem.is_empty())?;
    if stem.len() < name.len() {
        return glyph_text(stem.as_bytes(), document);
    }
    if stem.contains('_') {
        return stem.split('_').map(|part| glyph_text(part.as_bytes(), document)).collect();
    }
    if let Some(digits) = stem.strip_prefix("uni").filter(|digits| digits.len() >= 4 && digits.len() % 4 == 0)
    {
        let units = digits.as_bytes().chunks(4).map(|unit| hexadecimal(std::str::from_utf8(unit).ok()?));
        let units: Vec<u16> =
            units.map(|unit| unit.and_then(|unit| u16::try_from(unit).ok())).collect::<Option<_>>()?;
        return String::from_utf16(&units).ok();
    }
    let digits = stem.strip_prefix('u').filter(|digits| (4..=6).contains(&digits.len()))?;
    char::from_u32(hexadecimal(digits)?).map(String::from)
}

fn hexadecimal(digits: &str) -> Option<u32> {
    u32::from_str_radix(digits, 16).ok()
}

/// Returns the text of a code in an encoding, from the tables of the library `lopdf`; `None` if they have none.
fn decode_one(encoding: Object, code: u8, document: &Document) -> Option<String> {
    let font = Dictionary::from_iter([("Type", Object::Name(b"Font".to_vec())), ("Encoding", encoding)]);
    let text = font.get_font_encoding(document).ok()?.bytes_to_string(&[code]).ok()?;
    (!text.is_empty()).then_some(text)
}
