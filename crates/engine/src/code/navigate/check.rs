//! Check of a server's list of references for uses that certainly exist: imports of the name from the file
//! that defines it.

use super::Place;
use super::{
    files::{self, Text},
    question::{BY_TREE_ALONE, Question},
};
use crate::{call::CallCtx, code::Code, failure::Failure};
use std::{
    collections::HashSet,
    path::{Component, Path, PathBuf},
    time::{Duration, Instant},
};
use toolpost_lsp as lsp;
use toolpost_syntax::{Facts, ImportTarget, Language};
use toolpost_workspace::WorkspacePath;

/// Time limit of the check. A check that takes longer has no result.
const TIME: Duration = Duration::from_secs(3);

/// The languages whose imports name their files unambiguously.
const NAMES_FILES: [&str; 5] = ["python", "typescript", "tsx", "javascript", "jsx"];

/// The result of comparing a server's answer with the known imports.
pub(crate) enum ImportCheck {
    /// The answer has a location in every file with a known import, and at least one import is known.
    Holds,
    /// The answer has no location in the files of these imports.
    Lacks(Vec<Place>),
    /// No import is known, the imports of the language do not name their files, or the check took too long.
    Nothing,
}

/// Compares the answer to a references request with the import statements for the name in the files of the root.
pub(crate) fn check(
    code: &Code,
    cx: &CallCtx,
    question: &Question,
    answer: &[lsp::CodeLocation],
) -> Result<ImportCheck, Failure> {
    let (Some((asked, _)), Some(language)) = (&question.name, Language::of_path(question.path.raw())) else {
        return Ok(ImportCheck::Nothing);
    };
    if !NAMES_FILES.contains(&language.name()) {
        return Ok(ImportCheck::Nothing);
    }
    let answered: HashSet<&Path> = answer.iter().filter_map(|place| place.path.as_deref()).collect();
    let start = Instant::now();
    let (mut defining, mut importing) = (Vec::new(), Vec::new());
    let listed = files::listed(code, cx, &question.path)?;
    let all = listed.shown.iter().chain(&listed.withheld);
    let stems: HashSet<PathBuf> = all.map(|file| file.path.relative().with_extension("")).collect();
    for found in listed.shown {
        cx.check()?;
        if start.elapsed() > TIME {
            return Ok(ImportCheck::Nothing);
        }
        let own = Language::of_path(found.path.raw()).filter(|own| files::related(*own, language));
        // Files that were deleted in the meantime or are not text are skipped.
        let (Some(own), Ok(text)) = (own, files::read(code, &found.path)) else { continue };
        if !text.text.contains(asked.name.as_str()) {
            continue;
        }
        let Ok(tree) = own.parse(&text.text) else { continue };
        let facts = tree.facts();
        if defines(&facts, &text, &found.path, &asked.name, answer) {
            defining.push(found.path.relative().to_owned());
        }
        let of_name = |what: &ImportTarget| matches!(what, ImportTarget::Name(name) if *name == asked.name);
        for import in facts.imports.into_iter().filter(|import| of_name(&import.what)) {
            importing.push((found.path.clone(), text.clone(), import));
        }
    }
    let (mut holds, mut lacks) = (false, Vec::new());
    for (path, text, import) in importing {
        if !defining.iter().any(|file| leads(&import.module, path.relative(), file, &stems)) {
            continue;
        }
        if answered.contains(path.raw()) {
            holds = true;
        } else {
            let (line, column) = text.place(import.at.start);
            let what = Some(format!("import; {BY_TREE_ALONE}"));
            let (line, column, text) = (line + 1, column + 1, text.shown(line));
            lacks.push(Place { path: path.display(), line, column, text, what });
        }
    }
    Ok(match (lacks.is_empty(), holds) {
        (false, _) => ImportCheck::Lacks(lacks),
        (true, true) => ImportCheck::Holds,
        (true, false) => ImportCheck::Nothing,
    })
}

/// Returns true if a file defines a name at the top level, on a line that the language server's answer contains.
fn defines(
    facts: &Facts,
    text: &Text,
    path: &WorkspacePath,
    name: &str,
    answer: &[lsp::CodeLocation],
) -> bool {
    let defined = facts.symbols.iter().filter(|symbol| symbol.parent.is_none() && symbol.name == name);
    let lines = defined.filter_map(|symbol| Some(text.place(symbol.at.as_ref()?.start).0));
    let answered = |line| {
        answer.iter().any(|place| place.path.as_deref() == Some(path.raw()) && place.span.from.line == line)
    };
    lines.into_iter().any(answered)
}

/// Returns true if a module name in the file `from` certainly refers to the file `to`. Both paths are
/// relative to the root; `stems` are the paths of all files in the root, without extensions.
fn leads(module: &str, from: &Path, to: &Path, stems: &HashSet<PathBuf>) -> bool {
    let stem = to.with_extension("");
    let whole = |name: &str| if stem.ends_with(name) { stem.parent() } else { None };
    let folder = from.parent().unwrap_or(Path::new(""));
    if from.extension().is_some_and(|extension| extension == "py" || extension == "pyi") {
        let rest = module.trim_start_matches('.');
        let up = module.len() - rest.len();
        let rest: PathBuf = rest.split('.').collect();
        let targets = [Some(stem.as_path()), whole("__init__")];
        return targets.into_iter().flatten().any(|target| match up {
            0 => absolute(&rest, folder, target, stems),
            _ => folder.ancestors().nth(up - 1).is_some_and(|above| above.join(&rest) == target),
        });
    }
    if !(module.starts_with("./") || module.starts_with("../")) {
        return false;
    }
    let Some(meant) = plain(&folder.join(module)) else { return false };
    let written = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"];
    let has_extension = meant.extension().is_some_and(|own| written.iter().any(|known| own == *known));
    meant == stem || (has_extension && meant.with_extension("") == stem) || whole("index") == Some(&meant)
}

/// Returns true if a Python module name without leading dots certainly refers to the file `target`: the file is in a
/// directory that Python searches for the module, and no other file of the root matches. `folder` is the directory of
/// the importing file.
fn absolute(module: &Path, folder: &Path, target: &Path, stems: &HashSet<PathBuf>) -> bool {
    if module.as_os_str().is_empty() {
        return false;
    }
    // Files in the directory of a package can only be imported by their full module name, so the directory of the
    // importing file counts only if it is not a package.
    let beside = (!stems.contains(&folder.join("__init__"))).then(|| folder.join(module));
    let places = [Some(module.to_owned()), Some(Path::new("src").join(module)), beside];
    let ends_so = |stem: &&PathBuf| stem.ends_with(module) || stem.ends_with(module.join("__init__"));
    places.iter().flatten().any(|place| place == target) && stems.iter().filter(ends_so).count() == 1
}

/// Resolves `.` and `..` in a path; `None` if the path leaves the root.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::ParentDir if !out.pop() => return None,
            _ => {}
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn module_imports_resolve_to_files() {
        let rows = [
            ("shop.prices", "till.py", "shop/prices.py", true),
            ("shop.prices", "till.py", "src/shop/prices.py", true),
            ("shop", "till.py", "shop/__init__.py", true),
            ("prices", "till.py", "shop/other.py", false),
            ("shop.prices", "till.py", "prices.py", false),
            ("shop.prices", "till.py", "vendor/shop/prices.py", false),
            ("logging", "main.py", "app/logging.py", false),
            ("prices", "scripts/till.py", "scripts/prices.py", true),
            (".prices", "shop/till.py", "shop/prices.py", true),
            (".prices", "shop/till.py", "prices.py", false),
            ("..prices", "shop/in/till.py", "shop/prices.py", true),
            (".", "shop/till.py", "shop/__init__.py", true),
            ("...prices", "till.py", "prices.py", false),
            ("./prices", "src/till.ts", "src/prices.ts", true),
            ("./prices.js", "src/till.ts", "src/prices.ts", true),
            ("../lib/prices", "src/till.tsx", "lib/prices.ts", true),
            ("../lib", "src/till.ts", "lib/index.ts", true),
            ("prices", "src/till.ts", "src/prices.ts", false),
            ("../../prices", "src/till.ts", "prices.ts", false),
            ("./prices.spec", "src/till.ts", "src/prices.spec.ts", true),
            ("./prices.spec", "src/till.ts", "src/prices.ts", false),
        ];
        each(rows, |(module, from, to, wanted)| {
            let found = led(module, from, to, &[]);
            assert_eq!(found, wanted, "{module} in {from} as {to}");
        });
        // A module name, the file that imports it, the file that it would refer to, and another file. If the root has
        // this other file too, the target is ambiguous.
        let others = [
            ("shop.prices", "till.py", "shop/prices.py", "src/shop/prices.py"),
            ("prices", "scripts/till.py", "scripts/prices.py", "prices/__init__.py"),
            ("logging", "app/main.py", "app/logging.py", "app/__init__.py"),
        ];
        for (module, from, to, other) in others {
            assert!(!led(module, from, to, &[other]), "{module} in {from} as {to} beside {other}");
        }
    }

    fn led(module: &str, from: &str, to: &str, others: &[&str]) -> bool {
        let all = [from, to].into_iter().chain(others.iter().copied());
        let stems = all.map(|path| Path::new(path).with_extension("")).collect();
        leads(module, Path::new(from), Path::new(to), &stems)
    }
}
