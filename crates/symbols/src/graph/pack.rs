//! Limits on the memory of the graph: records move to segments, and unused names are dropped.

use std::collections::HashMap;
use std::sync::Arc;

use super::{File, Graph};
use crate::ids::FileId;
use crate::record::Summary;
use crate::segment::{Entry, Packer, Segment};
use crate::{Word, Words};

/// If the decoded records that can be read again take more bytes than this in their stored form, they are freed. In
/// memory they take several times as much.
const HELD: usize = 8 << 20;
/// Unused names are dropped when the number of removed names exceeds the number of all names by more than this.
const NAMES: usize = 50_000;

impl Graph {
    /// Adds a file whose record is in a segment; the summary uses the segment's name numbers.
    pub(crate) fn load(
        &mut self,
        path: &str,
        segment: &Arc<Segment>,
        entry: Entry,
        mut summary: Summary,
    ) -> FileId {
        self.remove(path);
        let words = segment.settle(&mut self.words);
        summary.renumber(&|word| words.get(word.0 as usize).copied().unwrap_or(word));
        self.enter(path, entry.content, super::LazyRecord::of(summary, segment.clone(), entry))
    }

    /// Returns the files whose records are in no segment.
    pub(crate) fn unpacked(&self) -> Vec<FileId> {
        self.files().filter(|id| self.file(*id).record.from().is_none()).collect()
    }

    /// Packs files into a segment and returns it; `None` if it would be empty.
    pub(crate) fn pack(&mut self, files: &[FileId]) -> Option<Arc<Segment>> {
        let (segment, packed, _) = self.packed(files);
        if packed.is_empty() {
            return None;
        }
        let segment = Arc::new(segment);
        for (id, entry) in packed {
            if let Some(file) = self.file_mut(id) {
                file.record.stands_in(segment.clone(), entry);
            }
        }
        Some(segment)
    }

    fn packed(&self, files: &[FileId]) -> (Segment, Vec<(FileId, Entry)>, Vec<Word>) {
        let mut packer = Packer::new(&self.words);
        let mut added = Vec::with_capacity(files.len());
        for id in files {
            let file = self.file(*id);
            if file.hash.is_some_and(|hash| file.record.pack(hash, &mut packer)) {
                added.push(*id);
            }
        }
        let (segment, entries, order) = packer.finish();
        (segment, added.into_iter().zip(entries).collect(), order)
    }

    /// Returns how many bytes of each segment are records of current files, by the segment's file name.
    pub(crate) fn in_use(&self) -> HashMap<&str, usize> {
        let mut out: HashMap<&str, usize> = HashMap::new();
        for (segment, entry) in self.files().filter_map(|id| self.file(id).record.from()) {
            *out.entry(segment.name()).or_default() += entry.len();
        }
        out
    }

    /// Returns the files whose records are in the given segments.
    pub(crate) fn standing_in(&self, names: &[String]) -> Vec<FileId> {
        let stands = |id: &FileId| {
            self.file(*id)
                .record
                .from()
                .is_some_and(|(segment, _)| names.iter().any(|name| name == segment.name()))
        };
        self.files().filter(stands).collect()
    }

    /// Lists the paths of the files whose records were needed but cannot be read.
    pub(crate) fn damaged(&self) -> Vec<String> {
        let all = self.files().map(|id| self.file(id)).filter(|file| file.record.is_damaged());
        all.map(|file| file.path.to_string()).collect()
    }

    /// Frees the decoded records that can be read again, if they take more than [`HELD`].
    pub(crate) fn let_go(&mut self) {
        let held: usize = self.files().map(|id| self.file(id).record.weight()).sum();
        if held > HELD {
            self.files.iter_mut().flatten().for_each(|file| file.record.let_go());
        }
    }

    /// Returns whether most names may be unused.
    pub(crate) fn has_dead_words(&self) -> bool {
        self.names_gone > NAMES + self.words.len()
    }

    /// Drops unused names: packs all records into one segment, rebuilds the tables, and returns the segment. If a
    /// record cannot be packed, keeps all names and returns `None`.
    ///
    /// Files and symbols keep their numbers.
    pub(crate) fn forget_words(&mut self) -> Option<Arc<Segment>> {
        let files: Vec<FileId> = self.files().collect();
        let (segment, packed, order) = self.packed(&files);
        self.names_gone = 0;
        if packed.len() < files.len() {
            return None;
        }
        let mut words = Words::default();
        order.iter().for_each(|word| {
            words.add(self.words.text(*word));
        });
        let segment = Arc::new(segment.renamed());
        segment.settle(&mut words);
        let numbers: HashMap<Word, Word> = order.into_iter().zip((0..).map(Word)).collect();
        let number = |word: Word| numbers.get(&word).copied().unwrap_or(word);
        self.words = words;
        self.forget_tables();
        for (id, entry) in packed {
            let Some(mut file) = self.files[id.0 as usize].take() else { continue };
            let mut summary = std::mem::take(file.record.summary_mut());
            summary.renumber(&number);
            file.record = super::LazyRecord::of(summary, segment.clone(), entry);
            self.add_to_tables(id, &file);
            self.files[id.0 as usize] = Some(file);
        }
        self.changes += 1;
        Some(segment)
    }

    fn file_mut(&mut self, id: FileId) -> Option<&mut File> {
        self.files.get_mut(id.0 as usize)?.as_mut()
    }
}
