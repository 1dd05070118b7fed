//! Character encodings in embedded font programs, for fonts whose dictionary names no encoding.

use lopdf::{Dictionary, Document, Object};

use super::lexer::{Lexer, Token};

/// Maximum size of a font program, in bytes.
const LARGEST_PROGRAM: usize = 8 << 20;

/// Returns the glyph name of each of the 256 codes; `None` if the font has no readable embedded program of the Type 1
/// or CFF format.
pub(super) fn glyph_names(font: &Dictionary, document: &Document) -> Option<Vec<Option<Vec<u8>>>> {
    let descriptor = font.get_deref(b"FontDescriptor", document).ok()?.as_dict().ok()?;
    if let Some(program) = program(descriptor, b"FontFile", document) {
        return Some(type_one(&program));
    }
    compact(&program(descriptor, b"FontFile3", document)?)
}

fn program(descriptor: &Dictionary, key: &[u8], document: &Document) -> Option<Vec<u8>> {
    let stream = descriptor.get_deref(key, document).and_then(Object::as_stream).ok()?;
    stream.get_plain_content_with_limit(LARGEST_PROGRAM).ok()
}

/// Reads the encoding in a Type 1 font program: entries such as `dup 12 /fi put` in its plain-text part.
fn type_one(program: &[u8]) -> Vec<Option<Vec<u8>>> {
    let mut names = vec![None; 256];
    let plain = program.windows(5).position(|window| window == b"eexec").unwrap_or(program.len());
    let mut last = [const { None::<Token> }; 2];
    for token in Lexer::new(&program[..plain]) {
        if token == Token::Word(b"put".to_vec())
            && let [Some(Token::Number(code)), Some(Token::Name(name))] = &last
            && let Some(slot) = names.iter_mut().zip(0_u16..).find(|(_, place)| f64::from(*place) == *code)
        {
            *slot.0 = Some(name.clone());
        }
        last = [last[1].take(), Some(token)];
    }
    names
}

/// Reads the encoding in a compact (CFF) font program.
fn compact(program: &[u8]) -> Option<Vec<Option<Vec<u8>>>> {
    let table = ttf_parser::cff::Table::parse(program)?;
    let name = |code| table.glyph_name(table.glyph_index(code)?).map(|name| name.as_bytes().to_vec());
    Some((0..=255).map(name).collect())
}
