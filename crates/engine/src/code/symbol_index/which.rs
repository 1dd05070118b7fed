//! Selection of a symbol by its id, or by a file and a name.

use super::{About, Asked, Searched, Shower};
use crate::{
    failure::{Failure, Hint, Kind},
    files::lookup,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_index::{Again, At, FileId, Once, Resolved};
use toolpost_syntax::Kind as Sort;
use toolpost_workspace::{Kind as FileKind, WorkspacePath};

/// A reference to a symbol.
#[derive(Debug, Clone)]
pub enum Which {
    /// The symbol with this id.
    Id(String),
    /// The symbol of this name in a file; a qualified name has dots between its parts.
    Named {
        /// The file.
        path: WorkspacePath,
        /// The file, as the caller wrote it.
        said: String,
        /// The name.
        name: String,
    },
}

impl Which {
    /// Returns the names and the files that the index reads first to find it.
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

/// A former id of a symbol, and how the symbol was found again.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Gone {
    /// The id.
    pub id: String,
    /// The property that identified the symbol.
    pub by: String,
}

/// The selected symbol.
pub(crate) struct Chosen {
    pub(crate) at: At,
    pub(crate) moved: Option<Gone>,
}

/// Maximum number of candidates that a refusal names.
const NAMED: usize = 20;

/// Finds the referenced symbol.
pub(crate) fn choose(asked: &Asked<'_>, which: &Which) -> Result<Chosen, Failure> {
    match which {
        Which::Id(id) => by_id(asked, id.trim()),
        Which::Named { path, said, name } => by_name(asked, path, said, name.trim()),
    }
}

fn by_id(asked: &Asked<'_>, id: &str) -> Result<Chosen, Failure> {
    // Replies must not reveal whether a file that may not be read has such a symbol.
    let withheld = toolpost_syntax::Id::read(id)
        .and_then(|id| asked.code.files().resolve_entry(id.path).ok())
        .is_some_and(|path| !asked.cx.may_read(&path));
    if withheld {
        let what = format!("The rules do not let the file of {id} be read without asking.");
        return Err(Failure::new(Kind::Denied, what)
            .hint(Hint::Advice("Read the file, so that somebody can be asked.".to_owned())));
    }
    match asked.index.by_id(id, &|shown| asked.may(shown)) {
        Resolved::Here(at) => Ok(Chosen { at, moved: None }),
        Resolved::Moved(at, by) => {
            let by = match by {
                Again::Content => "the same code",
                Again::Qualified => "the same whole name",
                Again::Name => "the same name in the same file",
            };
            Ok(Chosen { at, moved: Some(Gone { id: id.to_owned(), by: by.to_owned() }) })
        }
        Resolved::Gone(near, once) => {
            let what = match once {
                Once::There => format!("No symbol has the id {id} any more, and none can be taken for it."),
                Once::Never => format!("No symbol has the id {id}."),
            };
            let failure = Failure::new(Kind::NotFound, what);
            Err(match near.is_empty() {
                true => failure.found(format!("Searched: {}.", Searched::of(asked, None).words())),
                false => failure.found(format!("Of that name there are:\n{}", listed(asked, &near))),
            }
            .hint(Hint::Advice("Search for the symbol by its name.".to_owned())))
        }
        Resolved::NoId => {
            let what = format!("{id:?} is no id of a symbol: those read language:path#Outer.inner(kind).");
            Err(Failure::invalid(what).hint(Hint::Advice(
                "Take an id from a search or an outline, or name a file and a name in it.".to_owned(),
            )))
        }
    }
}

fn by_name(asked: &Asked<'_>, path: &WorkspacePath, said: &str, name: &str) -> Result<Chosen, Failure> {
    let file = of_file(asked, path, said)?;
    let shown = asked.index.file(file).path.clone();
    let named = named(asked, file, name);
    match named.as_slice() {
        [at] => Ok(Chosen { at: *at, moved: None }),
        [] => {
            let what = format!("Nothing in {shown} is called {name}.");
            Err(like(asked, file, name, Failure::new(Kind::NoMatch, what)))
        }
        several => {
            let what = format!("{} symbols of {shown} are called {name}.", several.len());
            Err(Failure::new(Kind::Ambiguous, what)
                .found(listed(asked, several))
                .hint(Hint::Advice("Give the id of the one that is meant.".to_owned())))
        }
    }
}

/// Lists the symbols of a name; implementations count only if no other symbol has the name.
fn named(asked: &Asked<'_>, file: FileId, name: &str) -> Vec<At> {
    let segments = toolpost_syntax::segments(name);
    let wanted = segments.join(".");
    let symbols = (0..).zip(&asked.index.file(file).record.symbols);
    let fits: Vec<(At, &str, Sort)> = symbols
        .filter_map(|(symbol, defined)| {
            let qualified = asked.index.text(defined.qualified);
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
fn of_file(asked: &Asked<'_>, path: &WorkspacePath, said: &str) -> Result<FileId, Failure> {
    let found = lookup::file(asked.code.files(), path, said, asked.cx)?;
    let shown = found.path.display();
    if let Some(file) = asked.index.by_path(&shown) {
        return Ok(file);
    }
    let left = asked.index.left_out();
    let why = if left.large.contains(&shown) {
        "it is too large"
    } else if left.unparsed.contains(&shown) {
        "it cannot be parsed"
    } else if toolpost_syntax::Language::of_path(std::path::Path::new(&shown)).is_none() {
        "its name tells no language that is known here"
    } else if asked.code.files().workspace().stat(&found.path).is_ok_and(|stat| stat.kind != FileKind::File) {
        "it is no regular file"
    } else {
        "it holds no code, or ignore rules leave it out"
    };
    let what = format!("{shown} is not in the index of symbols: {why}.");
    Err(Failure::new(Kind::WrongKind, what)
        .hint(Hint::Advice("Ask for the outline of the file, or read it.".to_owned())))
}

/// Adds similar names to the failure to find a name in a file.
fn like(asked: &Asked<'_>, file: FileId, name: &str, failure: Failure) -> Failure {
    let all = asked.index.file(file).record.symbols.iter();
    let mut names: Vec<&str> = all.map(|symbol| asked.index.text(symbol.name)).collect();
    names.sort_unstable();
    names.dedup();
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let near: Vec<String> =
        toolpost_text::names::suggest(last, &names, 5).into_iter().map(str::to_owned).collect();
    if !near.is_empty() {
        return failure.hint(Hint::DidYouMean(near));
    }
    match names.len() {
        0 => failure.found("No symbol is defined in it."),
        _ => failure
            .found(format!("It defines: {}.", names.into_iter().take(NAMED).collect::<Vec<_>>().join(", "))),
    }
}

/// Lists symbols with their positions, one on each line.
fn listed(asked: &Asked<'_>, symbols: &[At]) -> String {
    let shower = Shower::new(asked);
    let line = |at: &At| {
        let symbol = shower.symbol(*at);
        format!("  {} ({}:{})", symbol.id, symbol.path, symbol.line)
    };
    symbols.iter().take(NAMED).map(line).collect::<Vec<_>>().join("\n")
}
