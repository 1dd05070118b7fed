//! Collection of the files of a project, and of their records.

use super::{Limits, Made, Record, Why};
use crate::{
    call::CallCtx,
    code::symbol_index::ready,
    failure::{Failure, Hint},
    find::walk::{Walked, walk},
    overview::Overview,
    workers::at_once,
};
use std::{path::Path, sync::Arc, time::Instant};
use toolpost_search::{Case, GlobRequest, Hidden, Only, Prune, Rules};
use toolpost_syntax::Language;
use toolpost_text::encoding::Text;
use toolpost_workspace::{AccessKind, WorkspacePath, hash};

/// The number of files in one unit of work.
const PIECE: usize = 32;

/// The files of a project.
pub(crate) struct Gathered {
    /// All files, by path; those in no known language have no record.
    pub(crate) files: Vec<(WorkspacePath, Option<Arc<Record>>)>,
    /// The parts of the tree that were not searched.
    pub(crate) walk: Walked,
}

impl Gathered {
    /// Returns the number of files that were not read yet.
    pub(crate) fn unread(&self) -> usize {
        let later = |record: &Option<Arc<Record>>| {
            record.as_ref().is_some_and(|record| record.why == Some(Why::Later))
        };
        self.files.iter().filter(|(_, record)| later(record)).count()
    }
}

/// Finds the files below a directory, and reads those without a current record.
pub(crate) async fn gather(
    overview: &Overview,
    base: &WorkspacePath,
    rules: Rules,
    cx: &CallCtx,
) -> Result<Gathered, Failure> {
    let asked = GlobRequest {
        base: base.clone(),
        pattern: "**".to_owned(),
        rules,
        prune: Prune::Dependencies,
        hidden: Hidden::Show,
        case: Case::Sensitive,
        only: Only::Files,
        limit: None,
        depth: None,
    };
    let projects = overview.projects().clone();
    let (found, walk) = walk(overview.find(), cx, base, "steps through directories", move |find, control| {
        projects.refresh(find.files().workspace(), rules);
        let found = toolpost_search::glob(find.files().workspace(), &asked, control, find.grams())?;
        let walk = Walked::of(&found.skipped, found.unreadable, found.complete)
            .of_one_root(find.files(), &asked.base);
        Ok((found.matches, walk))
    })
    .await?;
    let mut files: Vec<WorkspacePath> = found.into_iter().map(|found| found.path).collect();
    files.sort();
    let count = files.len();
    let pieces: Vec<Vec<WorkspacePath>> = files.chunks(PIECE).map(<[WorkspacePath]>::to_vec).collect();
    let (of_engine, of_cx, until) =
        (overview.clone(), cx.clone(), Instant::now() + overview.code().index_wait());
    let projects = overview.projects().clone();
    let _report = ready::report(cx, move || projects.progress(count));
    let records = at_once(pieces, move |piece| {
        let one = |path: WorkspacePath| {
            of_cx.check().map_err(|failure| {
                failure.hint(Hint::Advice(
                    "Ask again: what was read by then is kept, so it goes on from there.".to_owned(),
                ))
            })?;
            let record = record(&of_engine, &path, &of_cx, Some(until));
            Ok((path, record))
        };
        piece.into_iter().map(one).collect::<Result<Vec<_>, Failure>>()
    })
    .await?;
    overview.projects().tidy(count);
    let files: Vec<_> = records.into_iter().flatten().collect();
    let is_later =
        |record: &Option<Arc<Record>>| record.as_ref().is_some_and(|record| record.why == Some(Why::Later));
    let later = files.iter().filter(|(_, record)| is_later(record)).map(|(path, _)| path.clone());
    go_on(overview, later.collect(), cx);
    Ok(Gathered { files, walk })
}

/// Reads files in the background if the call had no time for them.
fn go_on(overview: &Overview, later: Vec<WorkspacePath>, cx: &CallCtx) {
    if later.is_empty() || !overview.projects().begin() {
        return;
    }
    let (overview, cx) = (overview.clone(), cx.clone());
    let projects = overview.projects().clone();
    let work = move || {
        for path in &later {
            record(&overview, path, &cx, None);
        }
        overview.projects().end();
    };
    if std::thread::Builder::new().name("projects".to_owned()).spawn(work).is_err() {
        projects.end();
    }
}

/// Returns the record of a file; reads the file first if it may have changed, unless the time limit has
/// passed.
fn record(
    overview: &Overview,
    path: &WorkspacePath,
    cx: &CallCtx,
    until: Option<Instant>,
) -> Option<Arc<Record>> {
    let shown = path.display();
    let language = Language::of_path(Path::new(&shown))?;
    let without = |why: Why| Some(Arc::new(Record::without(&shown, why)));
    if !cx.may_read(path) {
        return without(Why::Withheld);
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(known) = overview.projects().known(path, &name) {
        return Some(known);
    }
    if until.is_some_and(|until| Instant::now() >= until) {
        return without(Why::Later);
    }
    let snapshot = match overview.files().workspace().read(path, Limits::LONGEST) {
        Ok(snapshot) => snapshot,
        Err(error) if matches!(error.why, AccessKind::TooLarge { .. }) => return without(Why::TooLarge),
        Err(_) => return without(Why::Unreadable),
    };
    let made = Made { name, hash: hash(&snapshot.bytes) };
    let record = overview.projects().made(&made).or_else(|| {
        let text = Text::open(snapshot.bytes, overview.files().encoding()).ok()?;
        Some(Arc::new(Record::of(&made.name, language, text.shown(text.view()).as_ref())))
    });
    let Some(record) = record else { return without(Why::NotText) };
    overview.projects().keep(path, made, &record);
    Some(record)
}
