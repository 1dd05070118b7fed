//! Selection of a symbol by its id, or by a file and a name.

use super::{About, IndexContext, SearchCoverage, SourceReader};
use crate::{
    failure::{Failure, Hint, Kind},
    files::lookup,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_symbols::{At, FileId, IdHistory, IdLookup, Relation, SuccessorEvidence};
use toolpost_syntax::Kind as Sort;
use toolpost_workspace::{Kind as FileKind, WorkspacePath};

/// A reference to a symbol.
#[derive(Debug, Clone)]
pub enum SymbolRef {
    /// The symbol with this id.
    Id(String),
    /// The symbol of this name in a file; a qualified name has dots between its parts.
    Named {
        /// The file that defines the symbol.
        path: WorkspacePath,
        /// The path of the file, as the caller wrote it.
        raw_path: String,
        /// The name of the symbol, qualified or not.
        name: String,
    },
}

impl SymbolRef {
    /// Returns the subject of the query: the index first reads the files that can define the symbol.
    pub(crate) fn about(&self) -> About {
        let last = |name: &str| toolpost_syntax::segments(name).pop().into_iter().collect::<Vec<String>>();
        match self {
            Self::Id(id) => {
                let name = id.split_once('#').map_or(id.as_str(), |(_, name)| name);
                About { names: last(name.split('(').next().unwrap_or(name)), ..About::default() }
            }
            Self::Named { path, name, .. } => {
                About { names: last(name), paths: vec![path.clone()], base: None }
            }
        }
    }
}

/// A former id of a symbol, and the evidence for the symbol that has replaced it.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct FormerId {
    /// The former id.
    pub id: String,
    /// Evidence for the symbol's new id, such as `the same code`.
    pub by: String,
}

pub(crate) struct SelectedSymbol {
    pub(crate) at: At,
    pub(crate) moved: Option<FormerId>,
}

/// Maximum number of symbols that a failure lists.
const NAMED: usize = 20;

/// Finds the symbol that a request names.
pub(crate) fn choose(context: &IndexContext<'_>, which: &SymbolRef) -> Result<SelectedSymbol, Failure> {
    match which {
        SymbolRef::Id(id) => by_id(context, id.trim()),
        SymbolRef::Named { path, raw_path, name } => by_name(context, path, raw_path, name.trim(), None),
    }
}

/// Finds the referenced symbol as the subject of a relation. If several symbols of a file have the name, only those
/// whose kind can be in the relation are considered, for example functions for calls.
pub(crate) fn choose_in(
    context: &IndexContext<'_>,
    which: &SymbolRef,
    relation: Relation,
) -> Result<SelectedSymbol, Failure> {
    match which {
        SymbolRef::Id(_) => choose(context, which),
        SymbolRef::Named { path, raw_path, name } => {
            by_name(context, path, raw_path, name.trim(), Some(relation))
        }
    }
}

fn by_id(context: &IndexContext<'_>, id: &str) -> Result<SelectedSymbol, Failure> {
    // Replies must not reveal whether a file that may not be read has a symbol with this id.
    let withheld = toolpost_syntax::Id::read(id)
        .and_then(|id| context.code.files().resolve_entry(id.path).ok())
        .is_some_and(|path| !context.cx.may_read(&path));
    if withheld {
        let what = format!("The rules do not allow reading the file of {id} without approval.");
        return Err(Failure::new(Kind::Denied, what)
            .hint(Hint::Advice("Read the file first: that call can ask the user for approval.".to_owned())));
    }
    match context.index.by_id(id, &|shown| context.may(shown)) {
        IdLookup::Here(at) => Ok(SelectedSymbol { at, moved: None }),
        IdLookup::Moved(at, by) => {
            let by = match by {
                SuccessorEvidence::Content => "the same code",
                SuccessorEvidence::Qualified => "the same qualified name",
                SuccessorEvidence::Name => "the same name in the same file",
            };
            Ok(SelectedSymbol { at, moved: Some(FormerId { id: id.to_owned(), by: by.to_owned() }) })
        }
        IdLookup::Gone(near, once) => {
            let what = match once {
                IdHistory::There => {
                    format!("No symbol has the id {id} any more, and no other symbol clearly replaces it.")
                }
                IdHistory::Never => format!("No symbol has the id {id}."),
            };
            let failure = Failure::new(Kind::NotFound, what);
            Err(match near.is_empty() {
                true => failure.found(format!("Searched: {}.", SearchCoverage::of(context, None).words())),
                false => failure.found(format!("Symbols with that name:\n{}", listed(context, &near))),
            }
            .hint(Hint::Advice("Search for the symbol by its name.".to_owned())))
        }
        IdLookup::NoId => {
            let what =
                format!("{id:?} is not a symbol id, which has the form language:path#Outer.inner(kind).");
            Err(Failure::invalid(what).hint(Hint::Advice(
                "Take an id from a search or an outline, or give a file and a name in it.".to_owned(),
            )))
        }
    }
}

fn by_name(
    context: &IndexContext<'_>,
    path: &WorkspacePath,
    raw_path: &str,
    name: &str,
    relation: Option<Relation>,
) -> Result<SelectedSymbol, Failure> {
    let file = of_file(context, path, raw_path)?;
    let shown = context.index.file(file).path.clone();
    let mut named = context.index.without_signatures(named(context, file, name));
    if let Some(relation) = relation {
        named = context.index.in_relation(named, relation);
    }
    match named.as_slice() {
        [at] => Ok(SelectedSymbol { at: *at, moved: None }),
        [] => {
            let what = format!("Nothing in {shown} is called {name}.");
            Err(like(context, file, name, Failure::new(Kind::NoMatch, what)))
        }
        several => {
            let what = format!("{} symbols of {shown} are called {name}.", several.len());
            Err(Failure::new(Kind::Ambiguous, what)
                .found(listed(context, several))
                .hint(Hint::Advice("Give the id of one of these symbols.".to_owned())))
        }
    }
}

/// Lists the symbols of a file whose qualified name equals a name or ends with it. If some are equal, those that
/// only end with it are left out. An `impl` block is left out if another symbol matches equally well.
fn named(context: &IndexContext<'_>, file: FileId, name: &str) -> Vec<At> {
    let segments = toolpost_syntax::segments(name);
    let wanted = segments.join(".");
    let symbols = (0..).zip(&context.index.file(file).record.symbols);
    let fits: Vec<(At, &str, Sort)> = symbols
        .filter_map(|(symbol, defined)| {
            let qualified = context.index.text(defined.qualified);
            let ends = qualified.strip_suffix(wanted.as_str())?;
            let whole = ends.is_empty() || ends.ends_with('.');
            whole.then_some((At { file, symbol }, qualified, defined.kind.kind()))
        })
        .collect();
    let by = |keep: &dyn Fn(&(At, &str, Sort)) -> bool| {
        let kept: Vec<At> = fits.iter().filter(|one| keep(one)).map(|(at, ..)| *at).collect();
        (!kept.is_empty()).then_some(kept)
    };
    by(&|(_, qualified, kind)| *qualified == wanted && *kind != Sort::Impl)
        .or_else(|| by(&|(_, qualified, _)| *qualified == wanted))
        .or_else(|| by(&|(_, _, kind)| *kind != Sort::Impl))
        .or_else(|| by(&|_| true))
        .unwrap_or_default()
}

/// Finds a file in the index, or explains why it is missing.
fn of_file(context: &IndexContext<'_>, path: &WorkspacePath, raw_path: &str) -> Result<FileId, Failure> {
    let found = lookup::file(context.code.files(), path, raw_path, context.cx)?;
    let shown = found.path.display();
    if let Some(file) = context.index.by_path(&shown) {
        return Ok(file);
    }
    let left = context.index.left_out();
    let why = if left.large.contains(&shown) {
        "it is too large"
    } else if left.unparsed.contains(&shown) {
        "it cannot be parsed"
    } else if toolpost_syntax::Language::of_path(std::path::Path::new(&shown)).is_none() {
        "its file name matches no supported language"
    } else if context.code.files().workspace().stat(&found.path).is_ok_and(|stat| stat.kind != FileKind::File)
    {
        "it is not a regular file"
    } else {
        "it contains no code, or ignore rules exclude it"
    };
    let what = format!("{shown} is not in the symbol index: {why}.");
    Err(Failure::new(Kind::WrongKind, what)
        .hint(Hint::Advice("Ask for the outline of the file, or read it.".to_owned())))
}

/// Adds similar names, or else the names that the file defines, to the failure to find a name in a file.
fn like(context: &IndexContext<'_>, file: FileId, name: &str, failure: Failure) -> Failure {
    let all = context.index.file(file).record.symbols.iter();
    let mut names: Vec<&str> = all.map(|symbol| context.index.text(symbol.name)).collect();
    names.sort_unstable();
    names.dedup();
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let near: Vec<String> =
        toolpost_text::names::suggest(last, &names, 5).into_iter().map(str::to_owned).collect();
    if !near.is_empty() {
        return failure.hint(Hint::DidYouMean(near));
    }
    let more = if names.len() > NAMED { format!(" and {} more", names.len() - NAMED) } else { String::new() };
    match names.len() {
        0 => failure.found("The file defines no symbol."),
        _ => failure.found(format!(
            "The file defines: {}{more}.",
            names.into_iter().take(NAMED).collect::<Vec<_>>().join(", ")
        )),
    }
}

/// Lists symbols with their positions, one on each line.
fn listed(context: &IndexContext<'_>, symbols: &[At]) -> String {
    let reader = SourceReader::new(context);
    let line = |at: &At| {
        let symbol = reader.symbol(*at);
        format!("  {} ({}:{})", symbol.id, symbol.path, symbol.line)
    };
    let mut lines: Vec<String> = symbols.iter().take(NAMED).map(line).collect();
    if symbols.len() > NAMED {
        lines.push(format!("  … {} more", symbols.len() - NAMED));
    }
    lines.join("\n")
}
