//! Content hashes of removed symbols, to recognise them at another location.

use std::collections::{HashMap, VecDeque};

use toolpost_syntax::id;

use super::Graph;
use crate::ids::FileId;
use crate::record::KindCode;
use crate::word::Word;

/// The content hash of a removed symbol, and the number of graph changes when it was removed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RemovedSymbol {
    pub(crate) content: u64,
    pub(crate) when: u64,
}

/// The maximum number of remembered symbols.
const GONE: usize = 50_000;

/// Removed symbols by their ids; the oldest are dropped first.
#[derive(Debug, Default)]
pub(super) struct Memory {
    by_id: HashMap<String, RemovedSymbol>,
    in_order: VecDeque<String>,
}

impl Graph {
    /// Remembers the content hashes of a file's symbols.
    pub(super) fn remember(&mut self, file: FileId) {
        let own = self.file(file);
        let mut counts: HashMap<(Word, KindCode), usize> = HashMap::new();
        let mut said = Vec::with_capacity(own.record.symbols.len());
        for symbol in &own.record.symbols {
            let count = counts.entry((symbol.qualified, symbol.kind)).or_default();
            *count += 1;
            let (qualified, kind) = (self.text(symbol.qualified), symbol.kind.kind());
            said.push((id(own.language(), &own.path, qualified, kind, *count), symbol.content));
        }
        let when = self.changes;
        for (id, content) in said {
            if self.gone.by_id.insert(id.clone(), RemovedSymbol { content, when }).is_none() {
                self.gone.in_order.push_back(id);
            }
        }
        while self.gone.in_order.len() > GONE {
            let oldest = self.gone.in_order.pop_front();
            oldest.and_then(|oldest| self.gone.by_id.remove(&oldest));
        }
    }

    /// Returns the content hash of a removed symbol.
    pub(crate) fn gone(&self, id: &str) -> Option<RemovedSymbol> {
        self.gone.by_id.get(id).copied()
    }
}
