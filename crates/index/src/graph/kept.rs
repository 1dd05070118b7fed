//! Record with a summary in memory and the rest loaded on first use.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use toolpost_workspace::ContentHash;

use super::file::class_around;
use super::table::Sorted;
use crate::Word;
use crate::record::{Bound, Defined, Record, Summary};
use crate::segment::{Entry, Packer, Segment};

/// A record that is read from its segment when it is asked for the first time.
#[derive(Debug)]
pub struct Kept {
    summary: Summary,
    whole: OnceLock<Box<Whole>>,
    from: Option<(Arc<Segment>, Entry)>,
}

/// A record, and tables over it.
#[derive(Debug)]
pub(super) struct Whole {
    record: Record,
    /// Set if the record could not be read, so that only the names of its symbols are known.
    is_damaged: bool,
    /// Its uses by the names.
    pub(super) uses: Sorted<Word>,
    /// The symbols by the enclosing symbol and the name.
    pub(super) named: Sorted<(Option<u32>, Word)>,
    /// The direct members of each symbol.
    pub(super) children: Sorted<u32>,
    /// The fields that methods give a value, by the class and the name.
    pub(super) fields: Sorted<(u32, Word)>,
    /// The local names of each scope, and of the whole file, by name.
    pub(super) locals: Sorted<(Option<u32>, Word)>,
}

impl Kept {
    /// Keeps a record that is new.
    pub(super) fn new(summary: Summary, record: Record) -> Self {
        let whole = Box::new(Whole::new(record));
        Self { summary, whole: OnceLock::from(whole), from: None }
    }

    /// Creates a record that is stored in a segment.
    pub(super) fn of(summary: Summary, segment: Arc<Segment>, entry: Entry) -> Self {
        Self { summary, whole: OnceLock::new(), from: Some((segment, entry)) }
    }

    /// Returns the summary.
    pub(crate) fn summary(&self) -> &Summary {
        &self.summary
    }

    pub(super) fn summary_mut(&mut self) -> &mut Summary {
        &mut self.summary
    }

    /// Returns the segment that stores it.
    pub(super) fn from(&self) -> Option<(&Arc<Segment>, Entry)> {
        self.from.as_ref().map(|(segment, entry)| (segment, *entry))
    }

    /// Records the segment that stores it.
    pub(super) fn stands_in(&mut self, segment: Arc<Segment>, entry: Entry) {
        self.from = Some((segment, entry));
    }

    /// Returns the number of bytes in memory that can be read again.
    pub(super) fn weight(&self) -> usize {
        self.from.as_ref().filter(|_| self.whole.get().is_some()).map_or(0, |(_, entry)| entry.len())
    }

    /// Frees the memory that can be read again.
    pub(super) fn let_go(&mut self) {
        if self.from.is_some() {
            self.whole = OnceLock::new();
        }
    }

    /// Returns whether reading it failed.
    pub(super) fn is_damaged(&self) -> bool {
        self.whole.get().is_some_and(|whole| whole.is_damaged)
    }

    /// Adds it to a segment that is made.
    pub(super) fn pack(&self, content: ContentHash, packer: &mut Packer<'_>) -> bool {
        let record = match (self.whole.get(), &self.from) {
            (Some(whole), _) if whole.is_damaged => None,
            (Some(whole), _) => Some(whole.record.clone()),
            (None, Some((segment, entry))) => segment.record(*entry),
            (None, None) => None,
        };
        record.is_some_and(|record| packer.add(content, self.summary.clone(), record))
    }

    pub(super) fn whole(&self) -> &Whole {
        self.whole.get_or_init(|| {
            let read = self.from.as_ref().and_then(|(segment, entry)| segment.record(*entry));
            // Of what others know by its place, there must be as many as before.
            let read = read.filter(|record| record.symbols.len() == self.summary.symbols.len());
            Box::new(read.map_or_else(|| Whole::hollow(&self.summary), Whole::new))
        })
    }
}

impl Deref for Kept {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.whole().record
    }
}

impl Whole {
    fn new(record: Record) -> Self {
        let symbols = || (0..).zip(&record.symbols);
        let named = symbols().map(|(number, symbol)| ((symbol.parent, symbol.name), number)).collect();
        let children = symbols().filter_map(|(number, symbol)| Some((symbol.parent?, number))).collect();
        let uses = (0..).zip(&record.uses).map(|(place, used)| (used.name, place)).collect();
        let (mut fields, mut locals) = (Vec::new(), Vec::new());
        for (number, local) in (0..).zip(&record.locals) {
            if local.sort == Bound::Field {
                let class = class_around(&record.symbols, local.at);
                fields.extend(class.map(|class| ((class, local.name), number)));
            } else {
                locals.push(((local.scope, local.name), number));
            }
        }
        Self {
            is_damaged: false,
            uses: Sorted::new(uses),
            named: Sorted::new(named),
            children: Sorted::new(children),
            fields: Sorted::new(fields),
            locals: Sorted::new(locals),
            record,
        }
    }

    /// Creates a placeholder for an unreadable record until the file is parsed again.
    fn hollow(summary: &Summary) -> Self {
        let symbols = summary.symbols.iter().map(|name| Defined::hollow(*name)).collect();
        let record = Record { language: summary.language.to_string(), symbols, ..Record::default() };
        Self { is_damaged: true, ..Self::new(record) }
    }
}
