//! Go modules as dependencies: `go.mod`, the module cache, and `vendor`.

use crate::dependency_list::{
    DependencyList, Directness, Entry, MissingSource, PackageSource, VersionSource,
};
use crate::name::Ecosystem;
use crate::project::{Project, label};
use toolpost_workspace::{AllowedParent, WorkspacePath};

pub(crate) fn locked(project: &Project<'_>) -> DependencyList {
    let mut out = DependencyList::default();
    for file in project.named(&["go.mod"]) {
        match project.text(file) {
            Ok(text) => {
                out.read.push(file.display());
                add(&mut out, &text, file);
            }
            Err(why) => out.odd.push(format!("{}: {why}", file.display())),
        }
    }
    out
}

/// A `replace` directive of `go.mod`, which substitutes another module or directory for a module.
struct Replacement<'t> {
    module: &'t str,
    version: Option<&'t str>,
    by: (&'t str, Option<&'t str>),
}

fn add(out: &mut DependencyList, text: &str, file: &WorkspacePath) {
    let (mut required, mut replaced) = (Vec::new(), Vec::new());
    let mut block = None;
    for line in text.lines() {
        let (line, comment) = line.split_once("//").unwrap_or((line, ""));
        let line = line.trim();
        let (verb, rest) = match block {
            Some(verb) => (verb, line),
            None => line.split_once([' ', '\t']).unwrap_or((line, "")),
        };
        let rest = rest.trim();
        if rest == "(" || line.ends_with('(') {
            block = Some(verb.trim_end_matches('('));
            continue;
        }
        if line.starts_with(')') {
            block = None;
            continue;
        }
        let words: Vec<&str> = rest.split_whitespace().map(|word| word.trim_matches('"')).collect();
        match (verb, words.as_slice()) {
            ("module", [module, ..]) => out.own.push((*module).to_owned()),
            ("require", [module, version, ..]) => {
                let direct = if comment.trim() == "indirect" { Directness::No } else { Directness::Yes };
                required.push((*module, *version, direct));
            }
            ("replace", words) => replaced.extend(replacement(words)),
            _ => {}
        }
    }
    for (module, version, direct) in required {
        let by = replaced
            .iter()
            .find(|replaced| replaced.module == module && replaced.version.is_none_or(|own| own == version));
        let (version, source) = match by.map(|replaced| replaced.by) {
            Some((other, Some(version))) if other == module => (version, String::new()),
            Some((other, version)) => (version.unwrap_or_default(), other.to_owned()),
            None => (version, String::new()),
        };
        let (name, version) = (module.to_owned(), version.to_owned());
        let (at, version_source) = (file.parent(), VersionSource::File(file.display()));
        out.add(Entry { name, version, version_source, direct, at, source });
    }
}

fn replacement<'t>(words: &[&'t str]) -> Option<Replacement<'t>> {
    let arrow = words.iter().position(|word| *word == "=>")?;
    let (from, by) = (words.get(..arrow)?, words.get(arrow + 1..)?);
    Some(Replacement {
        module: from.first()?,
        version: from.get(1).copied(),
        by: (by.first()?, by.get(1).copied()),
    })
}

pub(crate) fn place(project: &Project<'_>, entry: &Entry) -> Result<PackageSource, MissingSource> {
    let module = if entry.source.is_empty() { &entry.name } else { &entry.source };
    let mut searched = Vec::new();
    if module.starts_with(['.', '/']) {
        let next = format!(
            "a `replace` directive in go.mod replaces this module with the directory {module}; search that directory by \
             its path"
        );
        return Err(MissingSource { searched, next });
    }
    let version = &entry.version;
    let plain = |path: &str| path.split('/').all(crate::project::is_plain);
    if !plain(module) || !crate::project::is_plain(version) {
        return Err(MissingSource {
            searched,
            next: "the name in go.mod is not a valid module name".to_owned(),
        });
    }
    let label = label(Ecosystem::Go, &entry.name, version);
    let found = |path: WorkspacePath| PackageSource { path, version: version.clone() };
    if let Some(at) = entry.at.as_ref().filter(|at| project.text_in(at, "vendor/modules.txt").is_some()) {
        searched.push(format!("{}/vendor/{}", at.display(), entry.name));
        let folder = at.raw().join("vendor").join(&entry.name);
        if let Ok(path) = project.open(&folder, &project.workspace.allowed_parents(), &label) {
            return Ok(found(path));
        }
    }
    let Some(cache) = &project.stores.go else {
        return Err(MissingSource {
            searched,
            next: "the module cache is not known: set GOMODCACHE".to_owned(),
        });
    };
    let folder = cache.join(format!("{}@{}", escaped(module), escaped(version)));
    searched.push(folder.display().to_string());
    let opened = AllowedParent::open(cache)
        .and_then(|holder| project.open(&folder, std::slice::from_ref(&holder), &label).ok());
    opened.map(found).ok_or_else(|| MissingSource {
        searched,
        next: "run `go mod download` to install the sources".to_owned(),
    })
}

/// Escapes a module name as the module cache does: an upper-case letter becomes `!` and the lower-case letter.
fn escaped(name: &str) -> String {
    let letter = |letter: char| match letter {
        'A'..='Z' => vec!['!', letter.to_ascii_lowercase()],
        other => vec![other],
    };
    name.chars().flat_map(letter).collect()
}
