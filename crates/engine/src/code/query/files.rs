//! Selection of the files that a structural search parses.

use super::{
    Request,
    languages::{InFile, Patterns},
};
use crate::{
    call::CallCtx,
    code::Code,
    failure::{Failure, Hint},
    find::{
        rules_of,
        walk::{WalkReport, walk},
    },
};
use std::path::Path;
use toolpost_search::{GlobRequest, HiddenFiles};
use toolpost_syntax::Language;
use toolpost_workspace::{Kind, WorkspacePath};

/// Finds the files to search, sorted by path. Files in languages that cannot parse the pattern are included,
/// so that the output can name these languages. Fails if the request names a single file whose language is
/// not searched.
pub(super) async fn find(
    code: &Code,
    request: &Request,
    patterns: &Patterns,
    cx: &CallCtx,
) -> Result<(Vec<WorkspacePath>, WalkReport), Failure> {
    let base = &request.base;
    if code.files().workspace().stat(base).is_ok_and(|stat| stat.kind == Kind::File) {
        return match patterns.of(Path::new(&base.display())) {
            InFile::Other => Err(other(base, request)),
            InFile::Code(..) | InFile::Foreign(_) => Ok((vec![base.clone()], WalkReport::default())),
        };
    }
    let is_package = base.root().label().is_some();
    let asked = GlobRequest {
        rules: rules_of(base, request.rules),
        hidden: if is_package { HiddenFiles::Skip } else { HiddenFiles::Show },
        ..GlobRequest::of(base.clone(), "**")
    };
    let (found, walk) = walk(code.find(), cx, base, "steps through directories", move |find, control| {
        let found =
            toolpost_search::glob(find.files().workspace(), &asked, control, find.trigrams_of(&asked.base))?;
        let walk = WalkReport::of(&found.skipped, found.unreadable, found.complete)
            .of_one_root(find.files(), &asked.base);
        Ok((found.matches, walk))
    })
    .await?;
    let mut files: Vec<WorkspacePath> = found.into_iter().map(|found| found.path).collect();
    files.retain(|path| !matches!(patterns.of(Path::new(&path.display())), InFile::Other));
    files.sort();
    Ok((files, walk))
}

/// Returns the failure for a file in a language other than the requested one, or in an unknown language.
fn other(path: &WorkspacePath, request: &Request) -> Failure {
    let shown = path.display();
    match (Language::of_path(Path::new(&shown)), &request.language) {
        (Some(own), Some(named)) => Failure::invalid(format!("{shown} is {}, not {named}.", own.name()))
            .hint(Hint::Advice("Leave the language out, or pass the file's language.".to_owned())),
        _ => Failure::invalid(format!(
            "There is no parser for {shown}: its file name matches no supported language."
        ))
        .hint(Hint::Advice("Search it as text, with a regular expression.".to_owned())),
    }
}
