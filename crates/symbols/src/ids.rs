//! Identifiers of the files and symbols of a graph.

/// A file, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A symbol: its file, and its position in the file's list of symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The file that defines the symbol.
    pub file: FileId,
    /// The index in the file's list of symbols.
    pub symbol: u32,
}
