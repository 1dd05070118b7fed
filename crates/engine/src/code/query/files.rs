//! Selection of the files to search.

use super::{
    Request,
    languages::{InFile, Patterns},
};
use crate::{
    call::CallCtx,
    code::Code,
    failure::{Failure, Hint},
    find::walk::{Walked, walk},
};
use std::path::Path;
use toolpost_search::{Case, GlobRequest, Hidden, Only, Prune, Rules};
use toolpost_syntax::Language;
use toolpost_workspace::{Kind, WorkspacePath};

/// Finds the files in whose languages the pattern can be code, in the order of their paths.
pub(super) async fn find(
    code: &Code,
    request: &Request,
    patterns: &Patterns,
    cx: &CallCtx,
) -> Result<(Vec<WorkspacePath>, Walked), Failure> {
    let base = &request.base;
    if code.files().workspace().stat(base).is_ok_and(|stat| stat.kind == Kind::File) {
        return match patterns.of(Path::new(&base.display())) {
            InFile::Other => Err(other(base, request)),
            InFile::Code(..) | InFile::Foreign(_) => Ok((vec![base.clone()], Walked::default())),
        };
    }
    let is_package = base.root().label().is_some();
    let asked = GlobRequest {
        base: base.clone(),
        pattern: "**".to_owned(),
        // Ignore rules of the directories above a package do not apply to its content.
        rules: if is_package { Rules::None } else { request.rules },
        prune: Prune::Dependencies,
        hidden: if is_package { Hidden::Skip } else { Hidden::Show },
        case: Case::Sensitive,
        only: Only::Files,
        limit: None,
        depth: None,
    };
    let (found, walk) = walk(code.find(), cx, base, "steps through directories", move |find, control| {
        let found =
            toolpost_search::glob(find.files().workspace(), &asked, control, find.grams_of(&asked.base))?;
        let walk = Walked::of(&found.skipped, found.unreadable, found.complete)
            .of_one_root(find.files(), &asked.base);
        Ok((found.matches, walk))
    })
    .await?;
    let mut files: Vec<WorkspacePath> = found.into_iter().map(|found| found.path).collect();
    files.retain(|path| !matches!(patterns.of(Path::new(&path.display())), InFile::Other));
    files.sort();
    Ok((files, walk))
}

/// The refusal to search a file of another language, or of an unknown one.
fn other(path: &WorkspacePath, request: &Request) -> Failure {
    let shown = path.display();
    match (Language::of_path(Path::new(&shown)), &request.language) {
        (Some(own), Some(named)) => Failure::invalid(format!("{shown} is {}, not {named}.", own.name()))
            .hint(Hint::Advice("Leave the language out, or name that of the file.".to_owned())),
        _ => Failure::invalid(format!(
            "There is no parser for {shown}: its name tells no language that is known here."
        ))
        .hint(Hint::Advice("Search it as text, by a regular expression.".to_owned())),
    }
}
