//! Symbols by their ids, with recovery of renamed or moved ones.

use toolpost_syntax::{Id, Kind, id};

use crate::graph::RemovedSymbol;
use crate::record::SymbolRecord;
use crate::{At, Graph};

/// The result of a lookup by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdLookup {
    /// The symbol with this id exists.
    Here(At),
    /// The symbol is gone, but this one appears to be its successor.
    Moved(At, SuccessorEvidence),
    /// No symbol has the id. Contains symbols of the same name, and whether a symbol with this id existed earlier.
    Gone(Vec<At>, IdHistory),
    /// The text is not an id of a symbol.
    NoId,
}

/// The result of checking whether a symbol once had an id that no symbol has now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdHistory {
    /// A symbol with this id existed.
    There,
    /// No symbol with this id is known to have existed.
    Never,
}

/// The evidence for a successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuccessorEvidence {
    /// The successor has the same content, at another location or under another name.
    Content,
    /// The successor is the only symbol with the same qualified name, usually in another file.
    Qualified,
    /// The successor is the only symbol with the same name in the same file.
    Name,
}

/// The minimum length in bytes of a body that identifies a symbol by its content.
const TELLING: u32 = 16;

/// The maximum number of alternatives for a missing symbol.
const NEAR: usize = 5;

impl Graph {
    /// Returns the id of a symbol.
    #[must_use]
    pub fn id(&self, at: At) -> String {
        let file = self.file(at.file);
        let symbol = self.symbol(at);
        let before = &file.record.symbols[..at.symbol as usize];
        let same =
            before.iter().filter(|other| other.qualified == symbol.qualified && other.kind == symbol.kind);
        id(
            &file.record.language,
            &file.path,
            self.text(symbol.qualified),
            symbol.kind.kind(),
            same.count() + 1,
        )
    }

    /// Looks up a symbol by its id. Successors and alternatives are only in files that the caller may see (`may`); the
    /// symbol with the id itself can be in any file.
    #[must_use]
    pub fn by_id(&self, text: &str, may: &dyn Fn(&str) -> bool) -> IdLookup {
        let Some(id) = Id::read(text) else { return IdLookup::NoId };
        let of_file = self.by_path(id.path);
        let qualified = self.word(id.qualified);
        if let (Some(file), Some(qualified)) = (of_file, qualified) {
            let symbols = (0..).zip(&self.file(file).record.symbols);
            let fits = |symbol: &SymbolRecord| symbol.qualified == qualified && id.is_of(symbol.kind.kind());
            let mut same: Vec<(u32, &SymbolRecord)> = symbols.filter(|(_, symbol)| fits(symbol)).collect();
            // If the id has no kind, a type has priority over its `impl` blocks.
            same.sort_by_key(|(_, symbol)| symbol.kind.kind() == Kind::Impl);
            if let Some((symbol, _)) = same.into_iter().nth(id.count - 1) {
                return IdLookup::Here(At { file, symbol });
            }
        }
        self.again(text, &id, may)
    }

    /// Finds the successor of a symbol that is gone; `id` is its id `text`, parsed.
    fn again(&self, text: &str, id: &Id<'_>, may: &dyn Fn(&str) -> bool) -> IdLookup {
        // Symbols in files that the caller may not see are ignored completely, because even their number would
        // reveal them.
        let told = |at: &At| may(&self.file(at.file).path);
        let kind = |at: &At| id.is_of(self.symbol(*at).kind.kind());
        let only = |mut all: Vec<At>| if all.len() == 1 { all.pop() } else { None };
        let name = id.qualified.rsplit('.').next().unwrap_or(id.qualified);
        let named = self.word(name).map(|word| self.definitions(word)).unwrap_or_default();
        let mut named: Vec<At> = named.iter().copied().filter(told).collect();
        if let Some(gone) = self.gone(text) {
            let all: Vec<At> = self.came_since(gone).into_iter().filter(told).filter(kind).collect();
            let same_name: Vec<At> = all.iter().copied().filter(|at| named.contains(at)).collect();
            if let Some(at) = only(same_name).or_else(|| only(all)) {
                return IdLookup::Moved(at, SuccessorEvidence::Content);
            }
        }
        let whole = |at: &At| self.text(self.symbol(*at).qualified) == id.qualified;
        if let Some(at) = only(named.iter().copied().filter(whole).filter(kind).collect()) {
            return IdLookup::Moved(at, SuccessorEvidence::Qualified);
        }
        let beside = |at: &At| self.file(at.file).path.as_ref() == id.path;
        if let Some(at) = only(named.iter().copied().filter(beside).filter(kind).collect()) {
            return IdLookup::Moved(at, SuccessorEvidence::Name);
        }
        named.sort_by_key(|at| (!kind(at), self.file(at.file).path.clone(), at.symbol));
        named.truncate(NEAR);
        let once = if self.gone(text).is_some() { IdHistory::There } else { IdHistory::Never };
        IdLookup::Gone(named, once)
    }

    /// Returns the symbols that appeared after a symbol was removed and have the same content, without very short ones.
    fn came_since(&self, gone: RemovedSymbol) -> Vec<At> {
        let symbols = self.files_since(gone.when).flat_map(|(file, _)| {
            let symbols = (0..).zip(&self.file(file).record.symbols);
            symbols
                .filter(move |(_, symbol)| symbol.content == gone.content)
                .map(move |(symbol, _)| At { file, symbol })
        });
        let says = |at: &At| {
            let symbol = self.symbol(*at);
            let (from, to) = symbol.body.unwrap_or(symbol.span);
            to - from >= TELLING
        };
        let was_there =
            |at: &At| self.gone(&self.id(*at)).is_some_and(|before| before.content == gone.content);
        symbols.filter(says).filter(|at| !was_there(at)).collect()
    }
}
