//! Lists the files of a project, with the records of their symbols and entry points.

use super::{Limits, Projects, Record, RecordKey, Why};
use crate::{
    background::background,
    call::CallCtx,
    code::symbol_index::{ReadFiles, ready},
    failure::{Failure, Hint, Kind},
    files::Files,
    find::{
        rules_of,
        walk::{WalkReport, walk},
    },
    overview::Overview,
    workers::at_once,
};
use std::{path::Path, sync::Arc, time::Instant};
use toolpost_search::{GlobRequest, Rules};
use toolpost_syntax::Language;
use toolpost_text::encoding::Text;
use toolpost_workspace::{AccessKind, WorkspacePath, hash};

/// The number of files for each helper thread.
const PIECE: usize = 32;

/// The share of the index wait (the time that a call waits for an index) in which files are read; the rest is for the
/// summary of all files.
const READING: f64 = 0.7;

/// The files of a project, with the records of their symbols and entry points.
pub(crate) struct ProjectFiles {
    /// All files of the project, sorted by path. A file in an unknown language has no record.
    pub(crate) files: Vec<(WorkspacePath, Option<Arc<Record>>)>,
    /// The parts of the tree that were not searched.
    pub(crate) walk: WalkReport,
}

impl ProjectFiles {
    /// Returns the numbers of the files in known languages that were read, and of the others.
    pub(crate) fn read(&self) -> ReadFiles {
        let mut files = ReadFiles::default();
        self.files
            .iter()
            .filter_map(|(_, record)| record.as_ref())
            .for_each(|record| record.count_in(&mut files));
        files
    }
}

/// Finds the files below a directory, and reads those whose record (of symbols and entry points) is missing or
/// outdated, as far as the time allows; a background thread reads the others. Fails if the time does not suffice to find
/// all files, or if the call is cancelled.
pub(crate) async fn gather(
    overview: &Overview,
    base: &WorkspacePath,
    rules: Rules,
    cx: &CallCtx,
) -> Result<ProjectFiles, Failure> {
    let until = Instant::now() + overview.code().index_wait().mul_f64(READING);
    let asked = GlobRequest { rules: rules_of(base, rules), ..GlobRequest::of(base.clone(), "**") };
    let projects = overview.projects().clone();
    let (found, walk) = walk(overview.find(), cx, base, "steps through directories", move |find, control| {
        projects.refresh(find.files().workspace(), rules);
        let index = find.trigrams_of(&asked.base);
        let found = toolpost_search::glob(find.files().workspace(), &asked, control, index)?;
        let walk = WalkReport::of(&found.skipped, found.unreadable, found.complete)
            .of_one_root(find.files(), &asked.base);
        Ok((found.matches, walk))
    })
    .await?;
    if let Some((kind, what)) = walk.complete.ended_before("all directories of the project were listed") {
        let advice = "Pass a subdirectory of the project as the path.";
        let failure = Failure::new(kind, what);
        return Err(match kind {
            Kind::Timeout => failure.hint(Hint::Advice(advice.to_owned())),
            _ => failure,
        });
    }
    let mut files: Vec<WorkspacePath> = found.into_iter().map(|found| found.path).collect();
    files.sort();
    let count = files.len();
    let (of_overview, of_cx, may) = (overview.clone(), cx.clone(), cx.read_filter());
    let projects = overview.projects().clone();
    let _report = ready::report_of(cx, "reading the project", move || projects.progress(count));
    let files = at_once(files, PIECE, move |path| {
        of_cx.check().map_err(|failure| {
            failure.hint(Hint::Advice(
                "Repeat the same call: it skips the files that have already been read.".to_owned(),
            ))
        })?;
        let state = (of_overview.files(), &**of_overview.projects());
        Ok((path.clone(), record(state, path, &*may, Some(until))))
    })
    .await?;
    overview.projects().tidy(count);
    let is_later =
        |record: &Option<Arc<Record>>| record.as_ref().is_some_and(|record| record.why == Some(Why::Later));
    let later = files.iter().filter(|(_, record)| is_later(record)).map(|(path, _)| path.clone());
    go_on(overview, later.collect(), cx);
    Ok(ProjectFiles { files, walk })
}

/// Reads, in the background, the files that the call had no time to read.
fn go_on(overview: &Overview, later: Vec<WorkspacePath>, cx: &CallCtx) {
    if later.is_empty() {
        return;
    }
    let (files, may) = (overview.files().clone(), cx.read_filter());
    let projects = Arc::downgrade(overview.projects());
    background("projects", overview.projects().reading(), move |gone| {
        for path in later.iter().take_while(|_| !gone()) {
            let Some(projects) = projects.upgrade() else { return };
            record((&files, &projects), path, &*may, None);
        }
    });
}

/// Returns the record (symbols and entry points) of a file; `None` if the file's language is unknown. Reads the file
/// first if it may have changed, unless the time `until` has passed.
fn record(
    (files, projects): (&Files, &Projects),
    path: &WorkspacePath,
    may_read: &dyn Fn(&WorkspacePath) -> bool,
    until: Option<Instant>,
) -> Option<Arc<Record>> {
    let shown = path.display();
    let language = Language::of_path(Path::new(&shown))?;
    let without = |why: Why| Some(Arc::new(Record::without(&shown, why)));
    if !may_read(path) {
        return without(Why::Withheld);
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(known) = projects.known(path, &name) {
        return Some(known);
    }
    if until.is_some_and(|until| Instant::now() >= until) {
        return without(Why::Later);
    }
    let snapshot = match files.workspace().read(path, Limits::LONGEST) {
        Ok(snapshot) => snapshot,
        Err(error) if matches!(error.why, AccessKind::TooLarge { .. }) => return without(Why::TooLarge),
        Err(error) if error.why == AccessKind::Link => return without(Why::Link),
        Err(_) => return without(Why::Unreadable),
    };
    let made = RecordKey { name, hash: hash(&snapshot.bytes) };
    let record = projects.made(&made).or_else(|| {
        let text = Text::open(snapshot.bytes, files.encoding()).ok()?;
        Some(Arc::new(Record::of(&made.name, language, text.shown(text.view()).as_ref())))
    });
    let Some(record) = record else { return without(Why::NotText) };
    projects.keep(path, made, &record);
    Some(record)
}
