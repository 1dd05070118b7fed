//! Fonts of a PDF file, reduced to the text and the width of each code.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Object};

use super::cmap::{CharMap, number};
use super::encoding::{CompositeEncoding, simple_table};
use super::metrics::standard_width;

/// The text for a code whose text the file does not define.
pub(super) const UNKNOWN: &str = "\u{fffd}";

/// The glyph of one code in a string.
pub(super) struct Glyph<'a> {
    /// The text of the code.
    pub(super) text: &'a str,
    /// The advance of the glyph in the writing direction, as a multiple of the font size.
    pub(super) advance: f64,
    /// True if word spacing applies to the code.
    pub(super) is_space: bool,
}

/// The writing direction of a font.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WritingMode {
    /// From left to right (or right to left).
    Across,
    /// From top to bottom.
    Down,
}

/// A font of a PDF file: the text and the width of each code.
pub(super) struct Font {
    codes: Codes,
    /// The writing direction of text in the font.
    pub(super) writing: WritingMode,
}

enum Codes {
    Simple(Box<Simple>),
    Wide { wide: CompositeEncoding, lengths: Option<CharMap>, to_unicode: Option<CharMap>, widths: Widths },
}

struct Simple {
    texts: Vec<Option<String>>,
    widths: Vec<f64>,
}

struct Widths {
    spans: BTreeMap<u32, (u32, f64)>,
    default: f64,
}

/// Maximum size of an embedded character map, in bytes.
const LARGEST_MAP: usize = 8 << 20;

impl Font {
    /// Returns a substitute for a font that is missing in the file.
    pub(super) fn missing(document: &Document) -> Self {
        Self::read(&Dictionary::new(), document)
    }

    /// Reads a font from its dictionary; damaged parts are replaced by standard values.
    pub(super) fn read(font: &Dictionary, document: &Document) -> Self {
        if font.get_deref(b"Subtype", document).and_then(Object::as_name).is_ok_and(|kind| kind == b"Type0") {
            return Self::read_wide(font, document);
        }
        let to_unicode = char_map(font, b"ToUnicode", document);
        let mut texts = simple_table(font, document);
        if let Some(map) = &to_unicode {
            for (code, slot) in (0_u32..).zip(&mut texts) {
                if let Some(text) = map.text(code) {
                    *slot = Some(text);
                }
            }
        }
        let widths = simple_widths(font, &texts, document);
        Self { codes: Codes::Simple(Box::new(Simple { texts, widths })), writing: WritingMode::Across }
    }

    /// Splits a string into its codes, and calls `each` with the glyph of each code.
    pub(super) fn decode(&self, bytes: &[u8], mut each: impl FnMut(Glyph<'_>)) {
        match &self.codes {
            Codes::Simple(simple) => {
                for &code in bytes {
                    let at = usize::from(code);
                    let text = simple.texts[at].as_deref().unwrap_or(UNKNOWN);
                    each(Glyph { text, advance: simple.widths[at], is_space: code == b' ' });
                }
            }
            Codes::Wide { wide, lengths, to_unicode, widths } => {
                let mut rest = bytes;
                while !rest.is_empty() {
                    let length = lengths.as_ref().and_then(|map| map.code_length(rest));
                    let length = length.unwrap_or_else(|| wide.code_length(rest)).clamp(1, rest.len());
                    let (code, behind) = rest.split_at(length);
                    let value = number(code);
                    let text =
                        to_unicode.as_ref().and_then(|map| map.text(value)).or_else(|| wide.text(code));
                    let text = text.as_deref().unwrap_or(UNKNOWN);
                    let advance = match self.writing {
                        WritingMode::Across => widths.of(value),
                        WritingMode::Down => 1.0,
                    };
                    each(Glyph { text, advance, is_space: code == b" " });
                    rest = behind;
                }
            }
        }
    }

    fn read_wide(font: &Dictionary, document: &Document) -> Self {
        let encoding = font.get_deref(b"Encoding", document);
        let name = encoding.and_then(Object::as_name).unwrap_or_default();
        let descendant = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array).ok();
        let descendant = descendant.and_then(|fonts| fonts.first());
        let descendant = descendant.and_then(|font| document.dereference(font).ok());
        let descendant = descendant.and_then(|(_, font)| font.as_dict().ok());
        let codes = Codes::Wide {
            wide: CompositeEncoding::of_map(name),
            lengths: char_map(font, b"Encoding", document),
            to_unicode: char_map(font, b"ToUnicode", document),
            widths: Widths::read(descendant, document),
        };
        let writing =
            if name.ends_with(b"-V") || name == b"V" { WritingMode::Down } else { WritingMode::Across };
        Self { codes, writing }
    }
}

impl Widths {
    fn read(font: Option<&Dictionary>, document: &Document) -> Self {
        let default = font.and_then(|font| font.get_deref(b"DW", document).ok()).and_then(float);
        let mut widths = Self { spans: BTreeMap::new(), default: default.unwrap_or(1000.0) / 1000.0 };
        let listed = font.and_then(|font| font.get_deref(b"W", document).ok());
        let mut items = listed.and_then(|list| list.as_array().ok()).into_iter().flatten();
        while let (Some(first), Some(next)) = (items.next(), items.next()) {
            let Some(first) = whole(first) else { break };
            match document.dereference(next) {
                Ok((_, Object::Array(each))) => {
                    for (code, width) in (first..).zip(each.iter().filter_map(float)) {
                        widths.spans.insert(code, (code, width / 1000.0));
                    }
                }
                Ok((_, last)) => {
                    let (Some(last), Some(width)) = (whole(last), items.next().and_then(float)) else {
                        break;
                    };
                    widths.spans.insert(first, (last, width / 1000.0));
                }
                Err(_) => break,
            }
        }
        widths
    }

    fn of(&self, code: u32) -> f64 {
        match self.spans.range(..=code).next_back() {
            Some((_, (last, width))) if code <= *last => *width,
            _ => self.default,
        }
    }
}

fn simple_widths(font: &Dictionary, texts: &[Option<String>], document: &Document) -> Vec<f64> {
    let name = font.get_deref(b"BaseFont", document).and_then(Object::as_name).unwrap_or_default();
    let name = String::from_utf8_lossy(name);
    let scale = glyph_scale(font, document);
    let first = font.get_deref(b"FirstChar", document).ok().and_then(whole).unwrap_or(0);
    let listed = font.get_deref(b"Widths", document).and_then(Object::as_array).ok();
    let width = |code: u32, text: &Option<String>| {
        let place = code.checked_sub(first).and_then(|place| usize::try_from(place).ok());
        let item = listed.and_then(|widths| widths.get(place?));
        if let Some(width) =
            item.and_then(|item| document.dereference(item).ok()).and_then(|(_, item)| float(item))
        {
            return width * scale;
        }
        let letter = text.as_ref().and_then(|text| text.chars().next()).unwrap_or(' ');
        standard_width(&name, letter) / 1000.0
    };
    (0..).zip(texts).map(|(code, text)| width(code, text)).collect()
}

/// Returns the unit of a font's widths, as a multiple of the font size: 1/1000, unless the font is of Type 3 and
/// defines another.
fn glyph_scale(font: &Dictionary, document: &Document) -> f64 {
    let matrix = font.get_deref(b"FontMatrix", document).and_then(Object::as_array).ok();
    matrix.and_then(|matrix| matrix.first()).and_then(float).map_or(0.001, f64::abs)
}

fn char_map(font: &Dictionary, key: &[u8], document: &Document) -> Option<CharMap> {
    let stream = font.get_deref(key, document).and_then(Object::as_stream).ok()?;
    Some(CharMap::parse(&stream.get_plain_content_with_limit(LARGEST_MAP).ok()?))
}

/// Returns the value of a PDF number object; `None` for other objects, and for a number that is not finite.
pub(super) fn float(object: &Object) -> Option<f64> {
    object.as_float().ok().map(f64::from).filter(|number| number.is_finite())
}

fn whole(object: &Object) -> Option<u32> {
    u32::try_from(object.as_i64().ok()?).ok()
}
