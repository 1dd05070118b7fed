//! Selects the files that a request names or that its globs match, without excluded files.

use super::{FileSelector, Request};
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    find::walk::{Complete, WalkReport, walk},
    find::{Find, rules_of},
};
use std::collections::BTreeMap;
use toolpost_search::{Case, Control, GlobRequest, Names, SearchError};
use toolpost_workspace::WorkspacePath;

/// The selected files, sorted by path.
pub(super) struct FileSelection {
    pub(super) files: Vec<SelectedFile>,
    /// The number of files that were found, but that the request excludes.
    excluded: usize,
    /// The parts of the tree that were not searched.
    pub(super) walk: WalkReport,
}

#[derive(Clone)]
pub(super) struct SelectedFile {
    pub(super) path: WorkspacePath,
    /// The path as the caller wrote it, if the request names this file; `None` if a glob or a directory selected it.
    pub(super) raw_path: Option<String>,
}

pub(super) async fn select(finder: &Find, request: &Request, cx: &CallCtx) -> Result<FileSelection, Failure> {
    let asked = request.clone();
    let chosen = walk(finder, cx, &request.base, "steps through directories", move |finder, control| {
        search(finder, &asked, control)
    })
    .await?;
    let anything = chosen.files.iter().any(|file| file.raw_path.is_none() || is_there(finder, &file.path));
    if anything { Ok(chosen) } else { Err(nothing(finder, request, &chosen)) }
}

fn search(finder: &Find, request: &Request, control: &Control) -> Result<FileSelection, SearchError> {
    let without: Vec<Names> =
        request.without.iter().map(|glob| Names::new(glob, Case::Sensitive)).collect::<Result<_, _>>()?;
    let mut files: BTreeMap<WorkspacePath, SelectedFile> = BTreeMap::new();
    let mut walk = WalkReport::default();
    let mut find = |base: &WorkspacePath, pattern: &str| {
        let found = toolpost_search::glob(
            finder.files().workspace(),
            &asked(request, base, pattern),
            control,
            finder.trigrams_of(base),
        )?;
        for found in found.matches {
            files.entry(found.path.clone()).or_insert(SelectedFile { path: found.path, raw_path: None });
        }
        let own = WalkReport::of(&found.skipped, found.unreadable, found.complete);
        add(&mut walk, if pattern.starts_with('/') { own } else { own.of_one_root(finder.files(), base) });
        Ok(())
    };
    let mut named = Vec::new();
    for selector in &request.selectors {
        match selector {
            FileSelector::Glob(pattern) => find(&request.base, pattern)?,
            FileSelector::Named { path, .. } if is_directory(finder, path) => find(path, "**")?,
            FileSelector::Named { path, raw_path } => named.push((path.clone(), raw_path.clone())),
        }
    }
    for (path, raw_path) in named {
        files.insert(path.clone(), SelectedFile { path, raw_path: Some(raw_path) });
    }
    let is_out = |file: &SelectedFile| {
        let relative = file.path.raw().strip_prefix(request.base.raw()).ok();
        let relative = relative.map(|relative| relative.as_os_str().as_encoded_bytes());
        relative.is_some_and(|relative| without.iter().any(|names| names.fit(relative)))
    };
    let found = files.len();
    let files: Vec<SelectedFile> = files.into_values().filter(|file| !is_out(file)).collect();
    Ok(FileSelection { excluded: found - files.len(), files, walk })
}

fn asked(request: &Request, base: &WorkspacePath, pattern: &str) -> GlobRequest {
    GlobRequest { rules: rules_of(base, request.rules), ..GlobRequest::of(base.clone(), pattern) }
}

/// Merges the report of another directory walk into `walk`; a remark that is in both is listed once.
fn add(walk: &mut WalkReport, other: WalkReport) {
    for words in other.skipped {
        if !walk.skipped.contains(&words) {
            walk.skipped.push(words);
        }
    }
    for place in other.unreadable {
        if !walk.unreadable.contains(&place) {
            walk.unreadable.push(place);
        }
    }
    if walk.other_roots.is_empty() {
        walk.other_roots = other.other_roots;
    }
    walk.unreadable_total = walk.unreadable_total.max(other.unreadable_total);
    if other.complete != Complete::Yes {
        walk.complete = other.complete;
    }
}

fn is_directory(finder: &Find, path: &WorkspacePath) -> bool {
    finder.files().workspace().stat(path).is_ok_and(|stat| stat.kind == toolpost_workspace::Kind::Directory)
}

fn is_there(finder: &Find, path: &WorkspacePath) -> bool {
    finder.files().workspace().lookup(&path.absolute()).is_ok()
}

/// Creates the failure for a request that selects no file.
fn nothing(finder: &Find, request: &Request, chosen: &FileSelection) -> Failure {
    let said: Vec<&str> = request
        .selectors
        .iter()
        .map(|selector| match selector {
            FileSelector::Named { raw_path, .. } => raw_path.as_str(),
            FileSelector::Glob(pattern) => pattern,
        })
        .collect();
    let mut what = format!("No file was found for {}.", said.join(", "));
    request.refused.iter().for_each(|(_, refused)| what.push_str(&format!(" {refused}")));
    let mut failure = Failure::new(Kind::NotFound, what);
    let mut left_out: Vec<String> = chosen.walk.skipped.clone();
    left_out.extend(chosen.walk.unsearched_roots(None));
    match chosen.excluded {
        0 => {}
        1 => left_out.push("1 excluded file".to_owned()),
        excluded => left_out.push(format!("{excluded} excluded files")),
    }
    if !left_out.is_empty() {
        failure = failure.found(format!("The search left out {}.", left_out.join(", ")));
    }
    if let Some((kind, why)) = chosen.walk.complete.ended_before("all directories were searched") {
        failure.what.push_str(&format!(" {why}"));
        failure.kind = kind;
        return if kind == Kind::Timeout { failure.hint(Hint::Narrow) } else { failure };
    }
    let meant: Vec<String> = chosen
        .files
        .iter()
        .filter_map(|file| finder.files().workspace().lookup(file.raw_path.as_deref()?).err())
        .filter_map(|error| match error {
            toolpost_workspace::LookupError::Missing(missing) => Some(crate::files::lookup::meant(&missing)),
            toolpost_workspace::LookupError::Path(_) => None,
        })
        .flatten()
        .collect();
    if meant.is_empty() {
        return failure.hint(Hint::LookInto(request.base.clone()));
    }
    failure.hint(Hint::DidYouMean(meant))
}
