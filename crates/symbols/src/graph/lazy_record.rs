//! Record with a summary in memory and the rest loaded on first use.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use toolpost_workspace::ContentHash;

use super::file::class_around;
use super::table::SortedMultimap;
use crate::Word;
use crate::record::{BindingKind, Record, Summary, SymbolRecord};
use crate::segment::{Entry, Packer, Segment};

/// A record whose summary is in memory; the rest is decoded on first use, unless it was created decoded.
#[derive(Debug)]
pub struct LazyRecord {
    summary: Summary,
    whole: OnceLock<Box<LoadedRecord>>,
    from: Origin,
}

/// The source from which a record can be read.
#[derive(Debug)]
enum Origin {
    /// No source: the record exists only in memory.
    Memory,
    /// The encoded record, which is in no segment yet; its names are the numbers that the graph assigned
    /// ([`Word`]).
    Encoded(Box<[u8]>),
    /// A segment (a file of the index), and the position of the record in it.
    Segment(Arc<Segment>, Entry),
}

/// A record, and tables over it.
#[derive(Debug)]
pub(super) struct LoadedRecord {
    record: Record,
    /// Set if the record could not be read, so that only the names of its symbols are known.
    is_damaged: bool,
    /// The uses of each name, as indexes in the record's list of uses.
    pub(super) uses: SortedMultimap<Word>,
    /// The symbols by the enclosing symbol and the name.
    pub(super) named: SortedMultimap<(Option<u32>, Word)>,
    /// The direct members of each symbol.
    pub(super) children: SortedMultimap<u32>,
    /// The fields that methods assign, as indexes in the record's list of local names, by class and name.
    pub(super) fields: SortedMultimap<(u32, Word)>,
    /// The local names, as indexes in the record's list, by scope (`None`: outside all scopes) and name.
    pub(super) locals: SortedMultimap<(Option<u32>, Word)>,
}

impl LazyRecord {
    /// Creates a record that is stored only in memory, in decoded form.
    pub(super) fn new(summary: Summary, record: Record) -> Self {
        let whole = Box::new(LoadedRecord::new(record));
        Self { summary, whole: OnceLock::from(whole), from: Origin::Memory }
    }

    /// Creates a new record that is kept in encoded form, which takes a fraction of the memory.
    pub(super) fn encoded(summary: Summary, record: Record) -> Self {
        match postcard::to_stdvec(&record) {
            Ok(encoded) => Self { summary, whole: OnceLock::new(), from: Origin::Encoded(encoded.into()) },
            Err(_) => Self::new(summary, record),
        }
    }

    /// Creates a record that is stored in a segment.
    pub(super) fn of(summary: Summary, segment: Arc<Segment>, entry: Entry) -> Self {
        Self { summary, whole: OnceLock::new(), from: Origin::Segment(segment, entry) }
    }

    /// Returns the summary: the part of the record that is always in memory.
    pub(crate) fn summary(&self) -> &Summary {
        &self.summary
    }

    pub(super) fn summary_mut(&mut self) -> &mut Summary {
        &mut self.summary
    }

    /// Returns the segment that stores the record, if one does, and the position in it.
    pub(super) fn from(&self) -> Option<(&Arc<Segment>, Entry)> {
        match &self.from {
            Origin::Segment(segment, entry) => Some((segment, *entry)),
            Origin::Memory | Origin::Encoded(_) => None,
        }
    }

    /// Sets the segment that stores the record.
    pub(super) fn stands_in(&mut self, segment: Arc<Segment>, entry: Entry) {
        self.from = Origin::Segment(segment, entry);
    }

    /// Returns the encoded size, in bytes, of a record that is decoded in memory and can be read again;
    /// otherwise 0.
    pub(super) fn weight(&self) -> usize {
        match &self.from {
            _ if self.whole.get().is_none() => 0,
            Origin::Memory => 0,
            Origin::Encoded(bytes) => bytes.len(),
            Origin::Segment(_, entry) => entry.len(),
        }
    }

    /// Frees the decoded record, if it can be read again.
    pub(super) fn let_go(&mut self) {
        if !matches!(self.from, Origin::Memory) {
            self.whole = OnceLock::new();
        }
    }

    /// Returns whether an attempt to read the record failed.
    pub(super) fn is_damaged(&self) -> bool {
        self.whole.get().is_some_and(|whole| whole.is_damaged)
    }

    /// Adds the record to a new segment; returns whether that succeeded.
    pub(super) fn pack(&self, content: ContentHash, packer: &mut Packer<'_>) -> bool {
        let record = match self.whole.get() {
            Some(whole) if whole.is_damaged => None,
            Some(whole) => Some(whole.record.clone()),
            None => self.from.read(),
        };
        record.is_some_and(|record| packer.add(content, self.summary.clone(), record))
    }

    pub(super) fn whole(&self) -> &LoadedRecord {
        self.whole.get_or_init(|| {
            let read = self.from.read();
            // The graph refers to symbols by position, so the record must have as many symbols as the summary.
            let read = read.filter(|record| record.symbols.len() == self.summary.symbols.len());
            Box::new(read.map_or_else(|| LoadedRecord::hollow(&self.summary), LoadedRecord::new))
        })
    }
}

impl Origin {
    fn read(&self) -> Option<Record> {
        match self {
            Self::Memory => None,
            Self::Encoded(bytes) => postcard::from_bytes(bytes).ok(),
            Self::Segment(segment, entry) => segment.record(*entry),
        }
    }
}

impl Deref for LazyRecord {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.whole().record
    }
}

impl LoadedRecord {
    fn new(record: Record) -> Self {
        let symbols = || (0..).zip(&record.symbols);
        let named = symbols().map(|(number, symbol)| ((symbol.parent, symbol.name), number)).collect();
        let children = symbols().filter_map(|(number, symbol)| Some((symbol.parent?, number))).collect();
        let uses = (0..).zip(&record.uses).map(|(place, used)| (used.name, place)).collect();
        let (mut fields, mut locals) = (Vec::new(), Vec::new());
        for (number, local) in (0..).zip(&record.locals) {
            if local.sort == BindingKind::Field {
                let class = class_around(&record.symbols, local.at);
                fields.extend(class.map(|class| ((class, local.name), number)));
            } else {
                locals.push(((local.scope, local.name), number));
            }
        }
        Self {
            is_damaged: false,
            uses: SortedMultimap::new(uses),
            named: SortedMultimap::new(named),
            children: SortedMultimap::new(children),
            fields: SortedMultimap::new(fields),
            locals: SortedMultimap::new(locals),
            record,
        }
    }

    /// Creates a placeholder for an unreadable record until the file is parsed again.
    fn hollow(summary: &Summary) -> Self {
        let symbols = summary.symbols.iter().map(|name| SymbolRecord::hollow(*name)).collect();
        let record = Record { language: summary.language.to_string(), symbols, ..Record::default() };
        Self { is_damaged: true, ..Self::new(record) }
    }
}
