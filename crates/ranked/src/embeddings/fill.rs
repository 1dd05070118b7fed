//! Computation of missing embeddings, with code before other text, on all cores.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use encoding_rs::Encoding;
use toolpost_index_lifecycle::{PartialIndex, Patience, lock_unless_stopped};
use toolpost_syntax::Language;
use toolpost_text::encoding::Text;
use toolpost_text::{cut, lines};
use toolpost_workspace::{ContentHash, Workspace, WorkspacePath, cores, memory, with_helpers};

use super::store::Store;
use super::{EmbeddingIndex, FillError, FillReport, Inner, LazyStore, Rows, key};
use crate::Block;
use crate::embed::{EmbedError, Embedder, TextRole, Vector};
use crate::index::{Index, IndexGuard, LARGEST};
use crate::segment::Segment;

/// The interval at which a caller that waits for another computation checks whether to stop.
const PAUSE: Duration = Duration::from_millis(2);
/// The length of a block's text, in bytes, after which no further lines are added for its embedding, because models use
/// only the beginning of a text.
const LONGEST: usize = 16 << 10;
/// The maximum length of a line in the text from which an embedding is computed, in characters.
const CHARACTERS: usize = 2_000;
/// The number of files without embeddings beyond which their computation releases unused memory at its end.
const MANY: usize = 1_000;

/// A file whose blocks have no embeddings yet.
struct PendingFile {
    path: WorkspacePath,
    hash: ContentHash,
    key: ContentHash,
    /// The index segment that contains the blocks of the file, and the number of the file's content in that segment.
    content: (Arc<Segment>, u32),
}

impl EmbeddingIndex {
    /// Computes the missing embeddings of the files at or below `bases` for which `may` returns true. Calls `stop`
    /// often, and ends early if it returns true; the embeddings that were computed until then are kept.
    ///
    /// # Errors
    /// If the files cannot be read, or the model fails.
    pub fn fill(
        &self,
        index: &Index,
        bases: &[WorkspacePath],
        may: &dyn Fn(&WorkspacePath) -> bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<FillReport, FillError> {
        self.fill_within(index, bases, may, &Patience::whole(), stop)
    }

    /// Computes missing embeddings like [`EmbeddingIndex::fill`], but with a time limit for reading files that are not indexed
    /// yet.
    ///
    /// # Errors
    /// The same as for [`EmbeddingIndex::fill`].
    pub fn fill_within(
        &self,
        index: &Index,
        bases: &[WorkspacePath],
        may: &dyn Fn(&WorkspacePath) -> bool,
        patience: &Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<FillReport, FillError> {
        let inner = &*self.0;
        let mut turn = inner.turn(stop)?;
        inner.open(&mut turn);
        let (missing, files, encoding) = {
            let lent = index.lend_within(patience, stop)?;
            let live: HashSet<ContentHash> =
                lent.state().table.files().map(|(_, file)| key(file.hash, &file.language)).collect();
            inner.forget(&live);
            let (missing, files) = inner.missing(&lent, bases, may);
            (missing, files, lent.encoding())
        };
        let (looked, fault) = inner.make(&mut turn, (index.workspace(), encoding), &missing, stop);
        inner.flush(&mut turn);
        if missing.len() > MANY {
            memory::give_back();
        }
        match fault {
            Some(fault @ EmbedError::Model { .. }) => Err(fault.into()),
            _ => Ok(FillReport { missing: missing.len().saturating_sub(looked), files }),
        }
    }
}

/// The progress of a computation of embeddings by several threads.
struct FillProgress<'t> {
    turn: &'t mut LazyStore,
    /// The number of processed files, including those that had changed since they were indexed and were skipped.
    looked: usize,
    fault: Option<EmbedError>,
}

impl Inner {
    /// Waits until no other thread computes embeddings, and locks their storage.
    fn turn(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<MutexGuard<'_, LazyStore>, FillError> {
        lock_unless_stopped(&self.turn, PAUSE, stop).ok_or_else(|| EmbedError::Stopped.into())
    }

    fn open(&self, turn: &mut LazyStore) {
        let Some(folder) = turn.folder.take() else { return };
        if let Some((store, known)) = Store::open(&folder, self.model.name()) {
            turn.store = Some(store);
            self.known.write().unwrap_or_else(PoisonError::into_inner).extend(known);
        }
    }

    /// Lists the files at or below `bases` that have no embeddings and that `may` accepts, code first and equal
    /// contents once. Also counts all accepted files there.
    fn missing(
        &self,
        lent: &IndexGuard<'_>,
        bases: &[WorkspacePath],
        may: &dyn Fn(&WorkspacePath) -> bool,
    ) -> (Vec<PendingFile>, usize) {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut named = HashSet::new();
        let (mut out, mut files) = ((Vec::new(), Vec::new()), 0);
        for (_, file) in lent.state().table.files() {
            if !bases.iter().any(|base| base.contains(&file.path)) || !may(&file.path) {
                continue;
            }
            files += 1;
            let key = key(file.hash, &file.language);
            if known.contains_key(&key) || !named.insert(key) {
                continue;
            }
            let Some(content) = lent.state().table.content(file) else { continue };
            let missing = PendingFile { path: file.path.clone(), hash: file.hash, key, content };
            let is_code = Language::of_name(&file.language).is_some_and(Language::is_code);
            if is_code { out.0.push(missing) } else { out.1.push(missing) }
        }
        out.0.append(&mut out.1);
        (out.0, files)
    }

    /// Computes embeddings until no file is missing, the caller stops the computation, or the model fails. Returns the
    /// number of processed files, and the error of the model.
    fn make(
        &self,
        turn: &mut LazyStore,
        (workspace, encoding): (&Workspace, Option<&'static Encoding>),
        missing: &[PendingFile],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> (usize, Option<EmbedError>) {
        let next = AtomicUsize::new(0);
        let made = Mutex::new(FillProgress { turn, looked: 0, fault: None });
        let failed = || made.lock().unwrap_or_else(PoisonError::into_inner).fault.is_some();
        let work = || {
            while !stop() && !failed() {
                let batch = Batch::read(self.model.batch(), workspace, encoding, missing, &next);
                if batch.looked == 0 {
                    return;
                }
                let rows = batch.rows(&*self.model, stop);
                let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
                match rows {
                    Ok(rows) => {
                        self.keep(made.turn, rows);
                        made.looked += batch.looked;
                    }
                    Err(fault) => made.fault = Some(fault),
                }
            }
        };
        with_helpers(cores().min(missing.len() / 8 + 1) - 1, &work);
        let FillProgress { looked, fault, .. } = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        (looked, fault)
    }
}

/// Files whose embeddings are computed in one call of the model.
struct Batch<'m> {
    files: Vec<(&'m PendingFile, Vec<String>)>,
    looked: usize,
}

impl<'m> Batch<'m> {
    /// Reads files until they have enough blocks for one call of the model.
    fn read(
        size: usize,
        workspace: &Workspace,
        encoding: Option<&'static Encoding>,
        missing: &'m [PendingFile],
        next: &AtomicUsize,
    ) -> Self {
        let mut batch = Self { files: Vec::new(), looked: 0 };
        let mut blocks = 0;
        while blocks < size {
            let Some(file) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            batch.looked += 1;
            if let Some(texts) = texts(workspace, encoding, file) {
                blocks += texts.len();
                batch.files.push((file, texts));
            }
        }
        batch
    }

    fn rows(
        &self,
        model: &dyn Embedder,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<(ContentHash, Rows)>, EmbedError> {
        let texts: Vec<&str> =
            self.files.iter().flat_map(|(_, texts)| texts.iter().map(String::as_str)).collect();
        let mut vectors: Vec<Vector> = Vec::with_capacity(texts.len());
        for part in texts.chunks(model.batch().max(1)) {
            vectors.extend(model.embed(TextRole::Code, part, stop)?);
        }
        let mut vectors = vectors.into_iter();
        let own = |(file, texts): &(&PendingFile, Vec<String>)| {
            let mut rows = Rows { scales: Vec::new(), parts: Vec::new() };
            for vector in vectors.by_ref().take(texts.len()) {
                rows.scales.push(vector.scale);
                rows.parts.extend(vector.parts);
            }
            (file.key, rows)
        };
        Ok(self.files.iter().map(own).collect())
    }
}

/// Returns the texts of a file's blocks; `None` if the file has changed since it was indexed, or it or its blocks
/// cannot be read.
fn texts(
    workspace: &Workspace,
    encoding: Option<&'static Encoding>,
    file: &PendingFile,
) -> Option<Vec<String>> {
    let read = workspace.read(&file.path, LARGEST).ok().filter(|read| read.hash == file.hash)?;
    let text = Text::open(read.bytes, encoding).ok()?;
    let shown = text.shown(text.view());
    let all = lines::bare(&shown);
    let (segment, doc) = &file.content;
    let meta = segment.meta(*doc)?;
    Some(
        (0..meta.facts.len() as u32)
            .filter_map(|at| meta.block(at))
            .map(|block| text_of(&block, &all))
            .collect(),
    )
}

/// Returns the text of a block from which its embedding is computed; `lines` are those of the whole file.
pub(crate) fn text_of(block: &Block, lines: &[&str]) -> String {
    let (first, last) = (block.first as usize, (block.last as usize).min(lines.len()));
    let own = lines.get(first.saturating_sub(1)..last).unwrap_or_default();
    let mut out = String::new();
    for line in own {
        if out.len() > LONGEST {
            break;
        }
        out.push_str(cut::line(line.trim(), CHARACTERS).0);
        out.push('\n');
    }
    // The qualified name is added once, so its weight is small. The path is left out, because files with the same
    // content share the embedding.
    out.push_str(&block.name);
    out
}
