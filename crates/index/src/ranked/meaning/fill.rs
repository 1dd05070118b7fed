//! Computation of missing embeddings: code first, on all cores.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use encoding_rs::Encoding;
use toolpost_syntax::Language;
use toolpost_text::encoding::Text;
use toolpost_text::{cut, lines};
use toolpost_workspace::{ContentHash, Workspace, WorkspacePath, memory};

use super::store::Store;
use super::{Filled, Inner, Meaning, Rows, Turn, Unfilled, key};
use crate::embed::{Embedder, Side, Unembedded, Vector};
use crate::lifecycle::{Patience, lock_unless_stopped};
use crate::ranked::Block;
use crate::ranked::index::{Index, LARGEST, Lent};
use crate::ranked::segment::Segment;

/// The interval at which a waiting caller checks whether to stop.
const PAUSE: Duration = Duration::from_millis(2);
/// The maximum size of a block's text for an embedding, in bytes: every model has a limit.
const LONGEST: usize = 16 << 10;
/// The same of a line, in characters.
const CHARACTERS: usize = 2_000;
/// The number of files after which unused memory is released.
const MANY: usize = 1_000;

/// A file whose blocks have no vectors yet.
struct Missing {
    path: WorkspacePath,
    hash: ContentHash,
    key: ContentHash,
    /// The segment that knows its blocks, and its number in that.
    content: (Arc<Segment>, u32),
}

impl Meaning {
    /// Computes the missing embeddings of the readable files at some paths. Calls `stop` often; results so far are
    /// kept.
    ///
    /// # Errors
    /// If the files cannot be read, or the model fails.
    pub fn fill(
        &self,
        index: &Index,
        bases: &[WorkspacePath],
        may: &dyn Fn(&WorkspacePath) -> bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Filled, Unfilled> {
        self.fill_within(index, bases, may, &Patience::whole(), stop)
    }

    /// The same, but waits for files that were not read yet no longer than there is patience for.
    ///
    /// # Errors
    /// As [`Meaning::fill`].
    pub fn fill_within(
        &self,
        index: &Index,
        bases: &[WorkspacePath],
        may: &dyn Fn(&WorkspacePath) -> bool,
        patience: &Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Filled, Unfilled> {
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
            Some(fault @ Unembedded::Model { .. }) => Err(fault.into()),
            _ => Ok(Filled { missing: missing.len().saturating_sub(looked), files }),
        }
    }
}

/// The result of a round.
struct Made<'t> {
    turn: &'t mut Turn,
    /// The number of processed files, including those that changed in the meantime.
    looked: usize,
    fault: Option<Unembedded>,
}

impl Inner {
    /// Waits for the exclusive right to compute embeddings.
    fn turn(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<MutexGuard<'_, Turn>, Unfilled> {
        lock_unless_stopped(&self.turn, PAUSE, stop).ok_or_else(|| Unembedded::Stopped.into())
    }

    fn open(&self, turn: &mut Turn) {
        let Some(folder) = turn.folder.take() else { return };
        if let Some((store, known)) = Store::open(&folder, self.model.name()) {
            turn.store = Some(store);
            self.known.write().unwrap_or_else(PoisonError::into_inner).extend(known);
        }
    }

    /// Lists the files without vectors, code first, and counts all.
    fn missing(
        &self,
        lent: &Lent<'_>,
        bases: &[WorkspacePath],
        may: &dyn Fn(&WorkspacePath) -> bool,
    ) -> (Vec<Missing>, usize) {
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
            let missing = Missing { path: file.path.clone(), hash: file.hash, key, content };
            let is_code = Language::of_name(&file.language).is_some_and(Language::is_code);
            if is_code { out.0.push(missing) } else { out.1.push(missing) }
        }
        out.0.append(&mut out.1);
        (out.0, files)
    }

    /// Computes embeddings until all exist, it is stopped, or the model fails; returns the number of processed files.
    fn make(
        &self,
        turn: &mut Turn,
        (workspace, encoding): (&Workspace, Option<&'static Encoding>),
        missing: &[Missing],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> (usize, Option<Unembedded>) {
        let next = AtomicUsize::new(0);
        let made = Mutex::new(Made { turn, looked: 0, fault: None });
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
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        std::thread::scope(|scope| {
            for _ in 1..threads.min(missing.len() / 8 + 1) {
                scope.spawn(work);
            }
            work();
        });
        let Made { looked, fault, .. } = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        (looked, fault)
    }
}

/// Files whose embeddings are computed together.
struct Batch<'m> {
    files: Vec<(&'m Missing, Vec<String>)>,
    looked: usize,
}

impl<'m> Batch<'m> {
    /// Reads the next files, until they have as many blocks as a model is best given at once.
    fn read(
        size: usize,
        workspace: &Workspace,
        encoding: Option<&'static Encoding>,
        missing: &'m [Missing],
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
    ) -> Result<Vec<(ContentHash, Rows)>, Unembedded> {
        let texts: Vec<&str> =
            self.files.iter().flat_map(|(_, texts)| texts.iter().map(String::as_str)).collect();
        let mut vectors: Vec<Vector> = Vec::with_capacity(texts.len());
        for part in texts.chunks(model.batch().max(1)) {
            vectors.extend(model.embed(Side::Code, part, stop)?);
        }
        let mut vectors = vectors.into_iter();
        let own = |(file, texts): &(&Missing, Vec<String>)| {
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

/// Returns the texts of a file's blocks; `None` if the file differs from the index.
fn texts(workspace: &Workspace, encoding: Option<&'static Encoding>, file: &Missing) -> Option<Vec<String>> {
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

/// Returns the text of a block for its embedding; `lines` are those of the whole file.
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
    // The qualified name counts a little; the path does not, since another file may have the same content.
    out.push_str(&block.name);
    out
}
