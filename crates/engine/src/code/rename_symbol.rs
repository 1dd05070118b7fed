//! `rename_symbol`: the edits that give a symbol another name, with every occurrence that they leave alone.
//!
//! It writes nothing. An occurrence is edited only if it is proved to mean the symbol; every other one is listed.

mod draft;
mod names;

pub use super::symbol_index::{Gone, Searched, Symbol, Which};

use super::symbol_index::{Asked, Shower, ask, choose};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    failure::{Failure, Hint, Kind},
    operation::Operation,
};
use draft::{Draft, Fate};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use toolpost_index::{At, FileId, Occurrence, Usage};
use toolpost_syntax::Kind as SymbolKind;

/// The `rename_symbol` operation.
pub struct RenameSymbol;

/// A symbol and its new name.
#[derive(Debug, Clone)]
pub struct Request {
    /// The symbol.
    pub which: Which,
    /// The new name, without qualifiers.
    pub new_name: String,
}

/// The edits of a rename, and what they do not cover.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The symbol.
    pub symbol: Symbol,
    /// The id of the request, if the symbol has another one now.
    pub moved: Option<Gone>,
    /// The new name.
    pub new_name: String,
    /// Ids of all symbols that get the new name: overloads, declarations, and methods that override one another.
    pub symbols: Vec<String>,
    /// The edits of each file.
    pub files: Vec<FileEdits>,
    /// Occurrences in the code that may mean the symbol; they are not edited.
    pub possible: Vec<Spot>,
    /// Occurrences in comments and strings; they are not edited.
    pub text: Vec<Spot>,
    /// Number of occurrences in the code that mean something else.
    pub others: usize,
    /// Reasons why the rename would change what the program does; with any, it must not be applied.
    pub conflicts: Vec<String>,
    /// The searched files.
    pub searched: Searched,
}

/// The edits of one file, from its end to its beginning.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileEdits {
    /// The file.
    pub path: String,
    /// The hash of the content that the offsets refer to.
    pub hash: String,
    /// The edits, the last one of the file first.
    pub edits: Vec<Edit>,
}

/// The replacement of one occurrence.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Edit {
    /// The offset of its first byte in the text with plain line ends.
    pub from: usize,
    /// The offset after its last byte.
    pub to: usize,
    /// The new text.
    pub text: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The source line.
    pub code: String,
}

/// An occurrence of the old name that is not edited.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Spot {
    /// The file.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The source line.
    pub code: String,
    /// The reason why it is not edited.
    pub why: String,
}

impl Operation for RenameSymbol {
    const NAME: &'static str = "rename_symbol";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Code;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        super::symbol::touches(&request.which)
    }

    async fn run(code: &Code, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        ask(code, cx, request.which.about(), move |asked| plan(asked, &request)).await
    }
}

/// The symbols to rename, with the old and the new name.
struct Rename<'a> {
    asked: &'a Asked<'a>,
    symbols: Vec<At>,
    old: String,
    new: &'a str,
    /// True if the symbol belongs to a class or an object.
    member: bool,
}

fn plan(asked: &Asked<'_>, request: &Request) -> Result<Output, Failure> {
    let chosen = choose(asked, &request.which)?;
    let index = asked.index;
    let symbols = index.namesakes(chosen.at);
    let old = index.text(index.symbol(chosen.at).name).to_owned();
    let kind = index.symbol(chosen.at).kind.kind();
    let language = index.file(chosen.at.file).language();
    names::check(language, kind, &old, request.new_name.trim())?;
    let member = index.is_member(chosen.at);
    let rename = Rename { asked, symbols, old, new: request.new_name.trim(), member };
    let shower = Shower::new(asked);
    let searched = Searched::of(asked, None);
    let mut output = Output {
        symbol: shower.symbol(chosen.at),
        moved: chosen.moved,
        new_name: rename.new.to_owned(),
        symbols: rename.symbols.iter().map(|at| index.id(*at)).collect(),
        files: Vec::new(),
        possible: Vec::new(),
        text: Vec::new(),
        others: 0,
        conflicts: rename.conflicts(&searched),
        searched,
    };
    for (file, occurrences) in rename.files() {
        rename.file(file, &occurrences, &mut output)?;
    }
    if rename.member {
        rename.clashes(&shower, &mut output);
    }
    Ok(output)
}

impl Rename<'_> {
    /// Lists the files with the old name in their code, each with its occurrences.
    fn files(&self) -> Vec<(FileId, Vec<Occurrence>)> {
        let index = self.asked.index;
        let mut by_file: BTreeMap<FileId, Vec<Occurrence>> = BTreeMap::new();
        for one in index.occurrences(&self.symbols) {
            by_file.entry(one.file).or_default().push(one);
        }
        // A destructuring pattern names a member, and the index knows only its local variable.
        for file in self.symbols.iter().filter(|_| self.member).flat_map(|at| index.binders(*at)) {
            by_file.entry(file).or_default();
        }
        let mut files: Vec<(FileId, Vec<Occurrence>)> = by_file.into_iter().collect();
        files.sort_by(|(one, _), (other, _)| index.file(*one).path.cmp(&index.file(*other).path));
        files
    }

    /// Lists the reasons against the rename that concern no single file.
    fn conflicts(&self, searched: &Searched) -> Vec<String> {
        let index = self.asked.index;
        let mut out = Vec::new();
        if let Some(unfinished) = searched.unfinished() {
            out.push(format!("The index is {unfinished}."));
        }
        if !searched.left_out.is_empty() {
            out.push(format!(
                "Files that are not in the index may use the name: {}.",
                searched.left_out.join(", ")
            ));
        }
        let foreign = self.symbols.iter().filter(|at| {
            index.symbol(**at).kind.kind() == SymbolKind::Function && index.has_foreign_base(**at)
        });
        out.extend(foreign.map(|at| {
            format!(
                "The class of {} inherits from a type that is not in the workspace, which may declare {}.",
                index.id(*at),
                self.old
            )
        }));
        out
    }

    /// Adds the edits and the other occurrences of one file.
    fn file(&self, file: FileId, occurrences: &[Occurrence], output: &mut Output) -> Result<(), Failure> {
        self.asked.cx.check()?;
        let path = self.asked.index.file(file).path.to_string();
        if !self.asked.may(&path) {
            let whole = occurrences.len();
            if whole > 0 {
                output.conflicts.push(
                    "A file that the rules do not let be read has the old name, so it would not be renamed."
                        .to_owned(),
                );
            }
            return Ok(());
        }
        let draft = Draft::open(self.asked, &path)?;
        let mut edits = Vec::new();
        for token in draft.tokens(&self.old)? {
            let known = occurrences.iter().find(|one| one.place as usize == token.at.start);
            match draft.fate(&token, known, self.member) {
                Fate::Edit(text) => edits.push(draft.edit(&token, text.replace("{new}", self.new))),
                Fate::Possible(why) => output.possible.push(draft.spot(token.at.start, why)),
                Fate::Other => output.others += 1,
            }
        }
        output.text.extend(draft.texts(&self.old)?);
        if edits.is_empty() {
            return Ok(());
        }
        edits.reverse();
        output.conflicts.extend(draft.check(&edits, &self.old, self.new, self.captures(file))?);
        output.files.push(FileEdits { path, hash: draft.hash(), edits });
        Ok(())
    }

    /// Checks whether a name in the same file can hide the new name, or be hidden by it.
    fn captures(&self, file: FileId) -> bool {
        // Methods of C++ and similar languages are called without their object.
        !self.member
            || matches!(
                self.asked.index.file(file).language(),
                "cpp" | "ruby" | "kotlin" | "swift" | "scala" | "csharp"
            )
    }

    /// Adds a conflict for each member with the new name in the same or a related class.
    fn clashes(&self, shower: &Shower<'_>, output: &mut Output) {
        let clashes = self.asked.index.clashes(&self.symbols, self.new);
        output.conflicts.extend(clashes.into_iter().map(|at| {
            let symbol = shower.symbol(at);
            format!("{} exists already ({}:{}).", symbol.id, symbol.path, symbol.line)
        }));
    }
}

/// Names the role of an occurrence whose meaning is unknown.
fn role(usage: Option<Usage>) -> &'static str {
    match usage {
        Some(Usage::Call) => "a call whose target is unknown",
        Some(Usage::Apparent) => "an apparent call in a macro or in code that the parser does not understand",
        Some(Usage::Mention) => "a key, an argument name or a macro token",
        _ => "a use whose target is unknown",
    }
}

fn not_read(path: &str) -> Failure {
    Failure::new(Kind::Stale, format!("{path} changed while the rename was computed.")).hint(Hint::TryAgain)
}
