//! Parser of `index.scip`, the output of compiler-based indexers.

use std::collections::HashMap;

use prost::Message;

/// The name of the SCIP index, at the top of a root.
pub(crate) const FILE: &str = "index.scip";
/// The maximum size of a SCIP index that is read, in bytes.
pub(crate) const LARGEST: u64 = 512 << 20;
/// The role bit of an occurrence that is a definition.
const DEFINES: i32 = 1;

/// The fields of a SCIP index that are read.
#[derive(Clone, PartialEq, Message)]
struct ScipIndex {
    #[prost(message, repeated, tag = "2")]
    documents: Vec<Document>,
}

/// The data that a SCIP index has about one source file.
#[derive(Clone, PartialEq, Message)]
struct Document {
    #[prost(string, tag = "1")]
    path: String,
    #[prost(message, repeated, tag = "2")]
    occurrences: Vec<Occurrence>,
    /// The content of the file; empty if it is not included.
    #[prost(string, tag = "5")]
    text: String,
    /// The unit of columns: 1 for bytes, 2 for UTF-16 code units, 3 for characters.
    #[prost(int32, tag = "6")]
    columns: i32,
}

/// An occurrence of a name.
#[derive(Clone, PartialEq, Message)]
struct Occurrence {
    /// The range: line and column of the start, then the end, from 0.
    #[prost(int32, repeated, tag = "1")]
    range: Vec<i32>,
    #[prost(string, tag = "2")]
    symbol: String,
    #[prost(int32, tag = "3")]
    roles: i32,
}

/// A parsed SCIP index. An occurrence has the number of a symbol, and equal numbers refer to the same symbol.
#[derive(Debug, Default)]
pub(crate) struct Scip {
    /// The uses and definitions in each source file.
    pub(crate) files: Vec<Names>,
}

/// The uses and definitions in one source file.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) path: String,
    pub(crate) columns: Columns,
    /// The content of the file, if it is included.
    pub(crate) text: Option<String>,
    /// The positions of uses, each with its symbol.
    pub(crate) uses: Vec<(Position, u32)>,
    /// The positions of definitions, each with its symbol.
    pub(crate) definitions: Vec<(Position, u32)>,
}

/// A line and a column, from 0.
pub(crate) type Position = (u32, u32);

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Columns {
    Bytes,
    Utf16,
    Characters,
}

impl Scip {
    /// Parses an index; `None` if it is invalid.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let whole = ScipIndex::decode(bytes).ok()?;
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut files = Vec::with_capacity(whole.documents.len());
        for document in whole.documents {
            let columns = match document.columns {
                2 => Columns::Utf16,
                3 => Columns::Characters,
                _ => Columns::Bytes,
            };
            let text = Some(document.text).filter(|text| !text.is_empty());
            let mut names =
                Names { path: document.path, columns, text, uses: Vec::new(), definitions: Vec::new() };
            for occurrence in document.occurrences {
                let [line, column, ..] = occurrence.range.as_slice() else { continue };
                let (Ok(line), Ok(column)) = (u32::try_from(*line), u32::try_from(*column)) else { continue };
                // The numbers of local symbols restart in each file.
                let symbol = match occurrence.symbol.strip_prefix("local ") {
                    Some(_) => format!("{}\0{}", names.path, occurrence.symbol),
                    None => occurrence.symbol,
                };
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                let number = *numbers.entry(symbol).or_insert(next);
                let list =
                    if occurrence.roles & DEFINES != 0 { &mut names.definitions } else { &mut names.uses };
                list.push(((line, column), number));
            }
            files.push(names);
        }
        Some(Self { files })
    }

    /// Lists where each symbol is defined: the index of the file in `files`, and the position.
    pub(crate) fn defined(&self) -> HashMap<u32, Vec<(usize, Position)>> {
        let mut out: HashMap<u32, Vec<(usize, Position)>> = HashMap::new();
        for (file, names) in self.files.iter().enumerate() {
            for (position, symbol) in &names.definitions {
                out.entry(*symbol).or_default().push((file, *position));
            }
        }
        out
    }
}

impl Columns {
    /// Returns the byte offset of a column in a line; `None` if the line is shorter or the column is inside a
    /// character.
    pub(crate) fn byte(self, line: &str, column: u32) -> Option<usize> {
        let column = column as usize;
        match self {
            Self::Bytes => line.is_char_boundary(column).then_some(column),
            Self::Characters => line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(column),
            Self::Utf16 => {
                let mut units = 0;
                for (at, letter) in line.char_indices() {
                    if units >= column {
                        return (units == column).then_some(at);
                    }
                    units += letter.len_utf16();
                }
                (units == column).then_some(line.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Columns, Scip};
    use toolpost_test_rows::each;

    #[test]
    fn columns_are_converted_to_byte_offsets() {
        let line = "a𝄞é = f()";
        let rows = [
            (Columns::Bytes, 10, Some(10)),
            (Columns::Bytes, 2, None),
            (Columns::Utf16, 7, Some(10)),
            (Columns::Utf16, 2, None),
            (Columns::Characters, 6, Some(10)),
            (Columns::Characters, 60, None),
        ];
        each(rows, |(columns, column, wanted)| {
            assert_eq!(columns.byte(line, column), wanted, "{columns:?} {column}");
        });
    }

    #[test]
    fn invalid_bytes_are_not_a_scip_index() {
        assert!(Scip::read(b"\xff\xff\xff").is_none());
        assert_eq!(Scip::read(b"").map(|scip| scip.files.len()), Some(0));
    }
}
