//! Navigation by syntax trees: compares names, not meanings.

use super::{Complete, NavigationQuery, Output, Place, Source, Symbol};
use super::{
    files::{self, Text},
    question::{PLACES, Question},
};
use crate::{
    call::CallCtx,
    code::Code,
    failure::{Failure, Kind},
};
use std::ops::Range;
use toolpost_syntax::{self as syntax, Facts, Language};
use toolpost_text::plural::counted;
use toolpost_workspace::WorkspacePath;

/// Answers a navigation question from the syntax trees of the files, without a language server.
pub(crate) fn answer(code: &Code, question: &Question, cx: &CallCtx) -> Result<Output, Failure> {
    let Some(language) = Language::of_path(question.path.raw()) else {
        let what = format!(
            "The language of {} is not supported, and no language server answered.",
            question.path.display()
        );
        return Err(Failure::new(Kind::WrongKind, what));
    };
    let own = File::parse(question.path.clone(), language, question.text.clone())?;
    let by_name = "names are compared, not their meaning";
    let mut output = Output {
        source: Source::Tree,
        complete: Complete::Unknown,
        why: by_name.to_owned(),
        asked: question.name.as_ref().map(|(asked, _)| asked.clone()),
        places: Vec::new(),
        total: 0,
        withheld: 0,
        symbols: Vec::new(),
        text: None,
        notes: Vec::new(),
        session_notes: Vec::new(),
    };
    match (question.query, &question.name) {
        (NavigationQuery::Symbols, _) | (_, None) => {
            output.symbols = own.symbols();
            output.total = output.symbols.len() as u64;
            let broken = own.facts.errors.len();
            (output.complete, output.why) = match broken {
                0 => (Complete::Yes, "the whole file was parsed".to_owned()),
                _ => (
                    Complete::Unknown,
                    format!("{} of the file could not be parsed", counted(broken as u64, "part")),
                ),
            };
        }
        (NavigationQuery::Definition(_), Some((asked, at))) => {
            let found = definitions(code, cx, &own, &asked.name, *at)?;
            output.places = found.iter().map(Definition::place).collect();
        }
        (NavigationQuery::Hover(_), Some((asked, at))) => {
            let found = definitions(code, cx, &own, &asked.name, *at)?;
            output.total = found.len() as u64;
            output.text = texts(&found);
        }
        (NavigationQuery::References(_), Some((asked, _))) => {
            let mut places = own.uses(&asked.name);
            others(code, cx, &own, &asked.name, |file| places.extend(file.uses(&asked.name)))?;
            output.places = places;
        }
    }
    if !output.places.is_empty() {
        output.places.sort();
        output.total = output.places.len() as u64;
        output.places.truncate(PLACES);
    }
    Ok(output)
}

struct File {
    path: WorkspacePath,
    language: Language,
    text: Text,
    facts: Facts,
}

struct Definition {
    at: Place,
    /// The documentation and the signature; empty for a local name.
    text: String,
}

impl Definition {
    fn place(&self) -> Place {
        self.at.clone()
    }
}

impl File {
    fn parse(path: WorkspacePath, language: Language, text: Text) -> Result<Self, Failure> {
        let tree = language.parse(&text.text).map_err(|unread| {
            Failure::new(Kind::TooLarge, format!("{} cannot be parsed: {unread}.", path.display()))
        })?;
        let facts = tree.facts();
        Ok(Self { path, language, text, facts })
    }

    fn word(&self, at: &Range<usize>) -> &str {
        self.text.text.get(at.clone()).unwrap_or_default()
    }

    fn place(&self, byte: usize, what: &str) -> Place {
        let (line, column) = self.text.place(byte);
        Place {
            path: self.path.display(),
            line: line + 1,
            column: column + 1,
            text: self.text.shown(line),
            what: Some(what.to_owned()),
        }
    }

    /// Lists the symbols that the file defines.
    fn symbols(&self) -> Vec<Symbol> {
        let symbols = &self.facts.symbols;
        let depth = |of: &syntax::Symbol| {
            std::iter::successors(of.parent, |above| symbols.get(*above).and_then(|above| above.parent))
                .count()
        };
        let shown = |symbol: &syntax::Symbol| {
            let (line, _) = self.text.place(symbol.at.as_ref().map_or(symbol.signature.start, |at| at.start));
            let end = symbol.span.end.saturating_sub(1).max(symbol.span.start);
            Symbol {
                name: symbol.name.clone(),
                kind: symbol.kind.name().to_owned(),
                depth: depth(symbol),
                line: line + 1,
                last_line: self.text.place(end).0 + 1,
                text: self.text.shown(line),
            }
        };
        symbols.iter().map(shown).collect()
    }

    /// Lists the uses and definitions of a name in the file.
    fn uses(&self, name: &str) -> Vec<Place> {
        let uses = self.facts.references.iter().filter(|found| self.word(&found.at) == name);
        let uses = uses.map(|found| self.place(found.at.start, found.usage.name()));
        let defined = self.defined(name).into_iter().map(|found| found.at);
        let bound = self.facts.bindings.iter().filter(|bound| self.word(&bound.at) == name);
        let bound = bound.map(|bound| self.place(bound.at.start, "definition"));
        let mut places: Vec<Place> = defined.chain(bound).chain(uses).collect();
        places.sort_by_key(|place| (place.line, place.column));
        places.dedup_by_key(|place| (place.line, place.column));
        places
    }

    /// Lists the file's definitions of a name.
    fn defined(&self, name: &str) -> Vec<Definition> {
        let found = self.facts.symbols.iter().filter(|symbol| symbol.name == name);
        let defined = |symbol: &syntax::Symbol| {
            let start = symbol.at.as_ref().map_or(symbol.signature.start, |at| at.start);
            let docs = symbol.docs.as_ref().map(|docs| self.word(docs)).unwrap_or_default();
            let text = [docs, self.word(&symbol.signature)].join("\n").trim().to_owned();
            Definition { at: self.place(start, symbol.kind.name()), text }
        };
        found.map(defined).collect()
    }

    /// Finds the local variable or parameter to which a name at a byte offset refers: the one in the innermost
    /// enclosing scope. `None` if no scope defines the name.
    fn local(&self, name: &str, at: usize) -> Option<Definition> {
        let span = |scope: Option<usize>| match scope.and_then(|scope| self.facts.scopes.get(scope)) {
            Some(scope) => scope.span.clone(),
            None => 0..self.text.text.len(),
        };
        let bound = self.facts.bindings.iter().filter(|bound| bound.sort != syntax::BindingKind::Field);
        let bound = bound.filter(|bound| self.word(&bound.at) == name && span(bound.scope).contains(&at));
        // If a scope binds the name more than once, the first binding counts as the definition.
        let meant = bound.min_by_key(|bound| (span(bound.scope).len(), bound.at.start))?;
        Some(Definition { at: self.place(meant.at.start, "local name"), text: String::new() })
    }
}

/// Finds the definitions to which a name at a byte offset can refer: a local name, else the definitions in
/// the same file, else those in other files. For a member, as in `a.name`, lists the definitions in all files.
fn definitions(
    code: &Code,
    cx: &CallCtx,
    own: &File,
    name: &str,
    at: usize,
) -> Result<Vec<Definition>, Failure> {
    let is_taken_of =
        own.facts.references.iter().any(|found| found.at.start == at && found.receiver.is_some());
    if !is_taken_of && let Some(local) = own.local(name, at) {
        return Ok(vec![local]);
    }
    let mut found = own.defined(name);
    if found.is_empty() || is_taken_of {
        others(code, cx, own, name, |file| found.extend(file.defined(name)))?;
    }
    Ok(found)
}

/// Parses every other file of the root that contains a name and is in the same language or a related one, and
/// passes it to `look`.
fn others(
    code: &Code,
    cx: &CallCtx,
    own: &File,
    name: &str,
    mut look: impl FnMut(&File),
) -> Result<(), Failure> {
    for found in files::all(code, cx, &own.path)? {
        cx.check()?;
        let language = Language::of_path(found.path.raw());
        let Some(language) = language.filter(|language| files::related(*language, own.language)) else {
            continue;
        };
        if found.path == own.path {
            continue;
        }
        // Files that were deleted in the meantime or are not text are skipped.
        let Ok(text) = files::read(code, &found.path) else { continue };
        if text.text.contains(name)
            && let Ok(file) = File::parse(found.path, language, text)
        {
            look(&file);
        }
    }
    Ok(())
}

fn texts(found: &[Definition]) -> Option<String> {
    let shown = |found: &Definition| {
        let Place { path, line, text, .. } = &found.at;
        format!("{path}:{line}\n{}", if found.text.is_empty() { text } else { &found.text })
    };
    let mut texts: Vec<String> = found.iter().take(5).map(shown).collect();
    if found.len() > 5 {
        texts.push(format!("… {}", counted((found.len() - 5) as u64, "more definition")));
    }
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}
