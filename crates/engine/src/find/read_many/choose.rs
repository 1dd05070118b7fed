//! Selection of the files: named, or found by globs, without the excluded ones.

use super::{Request, Wanted};
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    find::Find,
    find::walk::{Complete, Walked, walk},
};
use std::collections::BTreeMap;
use toolpost_search::{Case, Control, GlobRequest, Hidden, Names, Only, Prune, SearchError};
use toolpost_workspace::WorkspacePath;

/// The selected files, by path.
pub(super) struct Chosen {
    pub(super) files: Vec<Meant>,
    /// The number of files that were found and then excluded.
    excluded: usize,
    /// The parts of the tree that were not searched.
    pub(super) walk: Walked,
}

/// A selected file.
#[derive(Clone)]
pub(super) struct Meant {
    pub(super) path: WorkspacePath,
    /// The path as the caller wrote it, if the file was named.
    pub(super) said: Option<String>,
}

pub(super) async fn choose(finder: &Find, request: &Request, cx: &CallCtx) -> Result<Chosen, Failure> {
    let asked = request.clone();
    let chosen = walk(finder, cx, &request.base, "steps through directories", move |finder, control| {
        search(finder, &asked, control)
    })
    .await?;
    let anything = chosen.files.iter().any(|file| file.said.is_none() || is_there(finder, &file.path));
    if anything { Ok(chosen) } else { Err(nothing(finder, request, &chosen)) }
}

fn search(finder: &Find, request: &Request, control: &Control) -> Result<Chosen, SearchError> {
    let without: Vec<Names> =
        request.without.iter().map(|glob| Names::new(glob, Case::Sensitive)).collect::<Result<_, _>>()?;
    let mut files: BTreeMap<WorkspacePath, Meant> = BTreeMap::new();
    let mut walk = Walked::default();
    let mut find = |base: &WorkspacePath, pattern: &str| {
        let found = toolpost_search::glob(
            finder.files().workspace(),
            &asked(request, base, pattern),
            control,
            finder.grams(),
        )?;
        for found in found.matches {
            files.entry(found.path.clone()).or_insert(Meant { path: found.path, said: None });
        }
        let own = Walked::of(&found.skipped, found.unreadable, found.complete);
        add(&mut walk, if pattern.starts_with('/') { own } else { own.of_one_root(finder.files(), base) });
        Ok(())
    };
    let mut named = Vec::new();
    for wanted in &request.wanted {
        match wanted {
            Wanted::Glob(pattern) => find(&request.base, pattern)?,
            Wanted::Named { path, .. } if is_directory(finder, path) => find(path, "**")?,
            Wanted::Named { path, said } => named.push((path.clone(), said.clone())),
        }
    }
    for (path, said) in named {
        files.insert(path.clone(), Meant { path, said: Some(said) });
    }
    let is_out = |file: &Meant| {
        let relative = file.path.raw().strip_prefix(request.base.raw()).ok();
        let relative = relative.map(|relative| relative.as_os_str().as_encoded_bytes());
        relative.is_some_and(|relative| without.iter().any(|names| names.fit(relative)))
    };
    let found = files.len();
    let files: Vec<Meant> = files.into_values().filter(|file| !is_out(file)).collect();
    Ok(Chosen { excluded: found - files.len(), files, walk })
}

fn asked(request: &Request, base: &WorkspacePath, pattern: &str) -> GlobRequest {
    GlobRequest {
        base: base.clone(),
        pattern: pattern.to_owned(),
        rules: request.rules,
        prune: Prune::Dependencies,
        hidden: Hidden::Show,
        case: Case::Sensitive,
        only: Only::Files,
        limit: None,
        depth: None,
    }
}

/// Merges the report of another walk; duplicates are listed once.
fn add(walk: &mut Walked, other: Walked) {
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

/// The refusal if no file was selected at all.
fn nothing(finder: &Find, request: &Request, chosen: &Chosen) -> Failure {
    let said: Vec<&str> = request
        .wanted
        .iter()
        .map(|wanted| match wanted {
            Wanted::Named { said, .. } => said.as_str(),
            Wanted::Glob(pattern) => pattern,
        })
        .collect();
    let what = format!("No file was found for {}.", said.join(", "));
    let mut failure = Failure::new(Kind::NotFound, what);
    let mut left_out: Vec<String> = chosen.walk.skipped.clone();
    left_out.extend(chosen.walk.unsearched_roots(None));
    match chosen.excluded {
        0 => {}
        1 => left_out.push("1 file that was to be left out".to_owned()),
        excluded => left_out.push(format!("{excluded} files that were to be left out")),
    }
    if !left_out.is_empty() {
        failure = failure.found(format!("The search left out {}.", left_out.join(", ")));
    }
    if chosen.walk.complete != Complete::Yes {
        failure.what.push_str(" The time was up before all directories were searched.");
        failure.kind = Kind::Timeout;
        return failure.hint(Hint::Narrow);
    }
    let meant: Vec<String> = chosen
        .files
        .iter()
        .filter_map(|file| finder.files().workspace().lookup(file.said.as_deref()?).err())
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
