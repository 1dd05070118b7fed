//! Go modules: `go.mod`, the module cache and `vendor`.

use crate::here::{Here, label};
use crate::locked::{Absent, Direct, Entry, Found, Locked};
use crate::name::Ecosystem;
use toolpost_workspace::{AllowedParent, WorkspacePath};

pub(crate) fn locked(here: &Here<'_>) -> Locked {
    let mut out = Locked::default();
    for file in here.named(&["go.mod"]) {
        match here.text(file) {
            Some(text) => {
                out.read.push(file.display());
                add(&mut out, &text, file);
            }
            None => out.odd.push(format!("{}: it cannot be read", file.display())),
        }
    }
    out
}

/// A `replace` directive of `go.mod`.
struct Replaced<'t> {
    module: &'t str,
    version: Option<&'t str>,
    by: (&'t str, Option<&'t str>),
}

fn add(out: &mut Locked, text: &str, file: &WorkspacePath) {
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
                let direct = if comment.trim() == "indirect" { Direct::No } else { Direct::Yes };
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
        out.add(Entry { name, version, direct, at: file.parent(), source });
    }
}

fn replacement<'t>(words: &[&'t str]) -> Option<Replaced<'t>> {
    let arrow = words.iter().position(|word| *word == "=>")?;
    let (from, by) = (words.get(..arrow)?, words.get(arrow + 1..)?);
    Some(Replaced {
        module: from.first()?,
        version: from.get(1).copied(),
        by: (by.first()?, by.get(1).copied()),
    })
}

pub(crate) fn place(here: &Here<'_>, entry: &Entry) -> Result<Found, Absent> {
    let module = if entry.source.is_empty() { &entry.name } else { &entry.source };
    let mut looked = Vec::new();
    if module.starts_with(['.', '/']) {
        let next = format!("go.mod puts the directory {module} in its place: search that by its path");
        return Err(Absent { looked, next });
    }
    let version = &entry.version;
    let plain = |path: &str| path.split('/').all(crate::here::is_plain);
    if !plain(module) || !crate::here::is_plain(version) {
        return Err(Absent { looked, next: "its name in go.mod is no name of a module".to_owned() });
    }
    let label = label(Ecosystem::Go, &entry.name, version);
    let found = |path: WorkspacePath| Found { path, version: version.clone() };
    if let Some(at) = entry.at.as_ref().filter(|at| here.text_in(at, "vendor/modules.txt").is_some()) {
        looked.push(format!("{}/vendor/{}", at.display(), entry.name));
        let folder = at.raw().join("vendor").join(&entry.name);
        if let Ok(path) = here.open(&folder, &here.workspace.allowed_parents(), &label) {
            return Ok(found(path));
        }
    }
    let Some(cache) = &here.places.go else {
        return Err(Absent { looked, next: "no module cache is known: set GOMODCACHE".to_owned() });
    };
    let folder = cache.join(format!("{}@{}", escaped(module), escaped(version)));
    looked.push(folder.display().to_string());
    let opened = AllowedParent::open(cache)
        .and_then(|holder| here.open(&folder, std::slice::from_ref(&holder), &label).ok());
    opened.map(found).ok_or_else(|| Absent { looked, next: "`go mod download` gets it".to_owned() })
}

/// Escapes a module name as the module cache does: `!` and the lower-case letter for an upper-case letter.
fn escaped(name: &str) -> String {
    let letter = |letter: char| match letter {
        'A'..='Z' => vec!['!', letter.to_ascii_lowercase()],
        other => vec![other],
    };
    name.chars().flat_map(letter).collect()
}
