//! `rename_symbol`: the edits that rename a symbol, and every occurrence that stays unchanged.
//!
//! The operation writes no file. An edit covers an occurrence only if it is proved to be a use of the symbol.
//! The output lists occurrences that may be uses, and counts those that mean something else.

mod draft;
mod names;

pub use super::symbol_index::{FormerId, SearchCoverage, Symbol, SymbolRef};

use super::symbol_index::{IndexContext, SourceReader, ask, choose};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    edits::change::{Change, ChangeTarget, Exact},
    failure::{Failure, Hint, Kind},
    operation::Operation,
};
use draft::{Draft, Fate, Reach};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolpost_symbols::{At, FileId, Occurrence, Usage};
use toolpost_syntax::{Kind as SymbolKind, NameToken};
use toolpost_workspace::{ContentHash, WorkspacePath};

/// The `rename_symbol` operation, which computes the edits that rename a symbol.
pub struct RenameSymbol;

/// A symbol and its new name.
#[derive(Debug, Clone)]
pub struct Request {
    /// The symbol to rename.
    pub which: SymbolRef,
    /// The new name, without qualifiers.
    pub new_name: String,
}

/// The edits of a rename, and the occurrences that they do not cover.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The symbol, with its old name.
    pub symbol: Symbol,
    /// The requested id, if the symbol has another id now.
    pub moved: Option<FormerId>,
    /// The new name.
    pub new_name: String,
    /// Ids of all symbols that get the new name, including overloads, declarations, and methods that override
    /// each other.
    pub symbols: Vec<String>,
    /// The edits of each file.
    pub files: Vec<FileEdits>,
    /// Occurrences in the code that may mean the symbol; they are not edited.
    pub possible: Vec<UneditedOccurrence>,
    /// Occurrences in comments and strings; they are not edited.
    pub text: Vec<UneditedOccurrence>,
    /// Number of occurrences in the code that mean something else.
    pub others: usize,
    /// Reasons why the rename could change the program's behaviour. The edits must not be applied if there
    /// are any.
    pub conflicts: Vec<String>,
    /// The files that were searched, and those that were left out.
    pub searched: SearchCoverage,
}

/// The edits of one file, in reverse order of their positions.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct FileEdits {
    /// The path of the file.
    pub path: String,
    /// The hash of the content to which the offsets refer.
    pub hash: String,
    /// The edits, in reverse order of their positions.
    pub edits: Vec<Edit>,
}

/// The replacement of one occurrence.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Edit {
    /// The byte offset of the occurrence, in the text with LF line endings and without a byte order mark.
    pub from: usize,
    /// The byte offset of the end of the occurrence in the same text.
    pub to: usize,
    /// The text that replaces the occurrence.
    pub text: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The source line.
    pub code: String,
}

/// An occurrence of the old name that is not edited.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UneditedOccurrence {
    /// The file that contains the occurrence.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The source line.
    pub code: String,
    /// The reason why the occurrence is not edited.
    pub why: String,
}

impl FileEdits {
    /// Converts the edits to changes to the file at `path`. Applying them fails if the content has another
    /// hash. Returns `None` if `hash` is not a content hash.
    #[must_use]
    pub fn changes(&self, path: &WorkspacePath) -> Option<Vec<Change>> {
        let of = ContentHash::from_hex(&self.hash)?;
        let change = |edit: &Edit| Change {
            path: path.clone(),
            at: ChangeTarget::Exact(Exact { from: edit.from, to: edit.to, of }),
            text: edit.text.clone(),
        };
        Some(self.edits.iter().map(change).collect())
    }
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
        ask(code, cx, request.which.about(), move |context| plan(context, &request)).await
    }
}

/// The symbols to rename, with the old and the new name.
struct Rename<'a> {
    context: &'a IndexContext<'a>,
    symbols: Vec<At>,
    old: String,
    new: &'a str,
    /// True if the symbol belongs to a class or an object.
    member: bool,
    /// True if code in another file can access the symbol as a field of its module.
    module_field: bool,
}

fn plan(context: &IndexContext<'_>, request: &Request) -> Result<Output, Failure> {
    let chosen = choose(context, &request.which)?;
    let index = context.index;
    let symbols = index.namesakes(chosen.at);
    let old = index.text(index.symbol(chosen.at).name).to_owned();
    let kind = index.symbol(chosen.at).kind.kind();
    let language = index.file(chosen.at.file).language();
    names::check(language, kind, &old, request.new_name.trim())?;
    let member = index.is_member(chosen.at);
    let module_field = !member
        && matches!(language, "javascript" | "typescript" | "tsx")
        && index.symbol(chosen.at).parent.is_none();
    let rename = Rename { context, symbols, old, new: request.new_name.trim(), member, module_field };
    let reader = SourceReader::new(context);
    let searched = SearchCoverage::of(context, None);
    let mut output = Output {
        symbol: reader.symbol(chosen.at),
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
    let mut keeps_export = !member && index.is_exported_by_alias(&rename.symbols);
    for (file, occurrences) in rename.files() {
        keeps_export |= rename.file(file, &occurrences, &mut output)?;
    }
    if keeps_export {
        rename.doubt_importers(&mut output);
    }
    if rename.member {
        rename.clashes(&reader, &mut output);
    }
    Ok(output)
}

impl Rename<'_> {
    /// Lists the files with the old name in their code, each with its occurrences.
    fn files(&self) -> Vec<(FileId, Vec<Occurrence>)> {
        let index = self.context.index;
        let mut by_file: BTreeMap<FileId, Vec<Occurrence>> = BTreeMap::new();
        for one in index.occurrences(&self.symbols) {
            by_file.entry(one.file).or_default().push(one);
        }
        // The index records a destructuring pattern such as `const { total } = cart` only as a local variable, not as
        // a use of the symbol. Files with such local variables are therefore included.
        if self.member || self.module_field {
            for file in self.symbols.iter().flat_map(|at| index.binders(*at)) {
                by_file.entry(file).or_default();
            }
        }
        // The index may record only the last name of the path of an import.
        if self.is_type() {
            for file in self.symbols.iter().flat_map(|at| index.files_with_import_path(*at)) {
                by_file.entry(file).or_default();
            }
        }
        let mut files: Vec<(FileId, Vec<Occurrence>)> = by_file.into_iter().collect();
        files.sort_by(|(one, _), (other, _)| index.file(*one).path.cmp(&index.file(*other).path));
        files
    }

    /// Lists the conflicts that concern the rename as a whole, not one file.
    fn conflicts(&self, searched: &SearchCoverage) -> Vec<String> {
        let index = self.context.index;
        let mut out = Vec::new();
        if let Some(unfinished) = searched.unfinished() {
            out.push(format!("Some uses may be missing, because {unfinished}."));
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

    /// Returns the ways in which the code of a file can use the symbol as a field.
    fn reach(&self, file: FileId) -> Reach {
        if self.member {
            Reach::Member
        } else if self.module_field && self.symbols.iter().all(|at| at.file != file) {
            Reach::OtherModule
        } else {
            Reach::Name
        }
    }

    /// Adds the edits of one file, and its occurrences that are not edited. Returns true if the file defines the symbol
    /// and may still export it under the old name, as in `exports.total = total`.
    fn file(&self, file: FileId, occurrences: &[Occurrence], output: &mut Output) -> Result<bool, Failure> {
        self.context.cx.check()?;
        let path = self.context.index.file(file).path.to_string();
        if !self.context.may(&path) {
            let whole = occurrences.len();
            if whole > 0 {
                output.conflicts.push(
                    "A file that the rules do not allow reading uses the old name, and would keep it."
                        .to_owned(),
                );
            }
            return Ok(false);
        }
        let draft = Draft::open(self.context, &path)?;
        let mut edits = Vec::new();
        let mut keeps_export = false;
        // The end of the imported name before the token, and whether the import is renamed.
        let mut imported: Option<(usize, bool)> = None;
        for token in draft.tokens(&self.old)? {
            let known = occurrences.iter().find(|one| one.place as usize == token.at.start);
            let fate = match known {
                None if self.is_unknown_part(file, &draft, &token) => {
                    Fate::Possible("a part of a path that the index does not resolve".to_owned())
                }
                known => draft.fate(&token, known, self.reach(file)),
            };
            let renamed =
                imported.filter(|(end, _)| draft.is_alias(*end, &token)).map(|(_, renamed)| renamed);
            let fate = match (fate, renamed) {
                (Fate::Other, Some(true)) => Fate::Edit("{new}"),
                (Fate::Other, Some(false)) => {
                    Fate::Possible("the alias of an import that may mean the symbol".to_owned())
                }
                (Fate::Other, None) => self.other_fate(file, &draft, &token, known),
                (fate, _) => fate,
            };
            keeps_export |= self.is_own_export(file, &token) && !matches!(fate, Fate::Edit(_));
            let is_import = known.is_some_and(|known| known.usage == Some(Usage::Import));
            imported = match &fate {
                Fate::Edit(_) if is_import => Some((token.at.end, true)),
                Fate::Possible(_) if is_import => Some((token.at.end, false)),
                _ => None,
            };
            match fate {
                Fate::Edit(text) => edits.push(draft.edit(&token, text.replace("{new}", self.new))),
                Fate::Possible(why) => output.possible.push(draft.spot(token.at.start, why)),
                Fate::Other => output.others += 1,
            }
        }
        self.texts(&draft, !edits.is_empty(), output)?;
        if edits.is_empty() {
            return Ok(keeps_export);
        }
        edits.reverse();
        output.conflicts.extend(draft.check(&edits, &self.old, self.new, self.captures(file))?);
        output.files.push(FileEdits { path, hash: draft.hash(), edits });
        Ok(keeps_export)
    }

    /// Adds the occurrences of a file in comments and strings. If the file has edits, a name in `__all__` may be the
    /// symbol.
    fn texts(&self, draft: &Draft, edited: bool, output: &mut Output) -> Result<(), Failure> {
        for (at, mut spot) in draft.texts(&self.old)? {
            if edited && !self.member && draft.is_in_export_list(at) {
                spot.why = "in `__all__`, the names that the module exports".to_owned();
                output.possible.push(spot);
            } else {
                output.text.push(spot);
            }
        }
        Ok(())
    }

    /// Decides about a token that the index does not resolve to the symbol, from its role in the code.
    fn other_fate(&self, file: FileId, draft: &Draft, token: &NameToken, known: Option<&Occurrence>) -> Fate {
        if known.is_none() && self.is_own_default(file, draft, token) {
            Fate::Edit("{new}")
        } else if self.is_own_export(file, token) {
            Fate::Possible("the name under which the module may export the symbol".to_owned())
        } else if known.is_none() && self.may_be_local(file, token) {
            Fate::Possible("a use of a local name, which may be the symbol".to_owned())
        } else {
            Fate::Other
        }
    }

    /// Checks whether a token names an export of a CommonJS module that defines the symbol.
    fn is_own_export(&self, file: FileId, token: &NameToken) -> bool {
        self.module_field && token.is_export && self.symbols.iter().any(|at| at.file == file)
    }

    /// Checks whether a token is the name in `export default name`, and only the symbol has this name in the file.
    fn is_own_default(&self, file: FileId, draft: &Draft, token: &NameToken) -> bool {
        let index = self.context.index;
        let named = index.word(&self.old).map(|name| index.file(file).top(name)).unwrap_or_default();
        let own = named.iter().all(|symbol| self.symbols.contains(&At { file, symbol: *symbol }));
        self.module_field && !named.is_empty() && own && draft.is_default_export(token)
    }

    /// Checks whether a token that is not in the index may be a use of the symbol as a local name.
    fn may_be_local(&self, file: FileId, token: &NameToken) -> bool {
        let place = u32::try_from(token.at.start).unwrap_or(u32::MAX);
        !self.member && self.context.index.is_in_scope_of(file, place, &self.symbols)
    }

    /// Makes the edits in other files than those of the symbol possible uses, because the module may export the symbol
    /// under its old name.
    fn doubt_importers(&self, output: &mut Output) {
        let index = self.context.index;
        let defines = |path: &str| self.symbols.iter().any(|at| *index.file(at.file).path == *path);
        let (own, others): (Vec<FileEdits>, Vec<FileEdits>) =
            std::mem::take(&mut output.files).into_iter().partition(|file| defines(&file.path));
        output.files = own;
        for FileEdits { path, edits, .. } in others {
            output.possible.extend(edits.into_iter().rev().map(|edit| UneditedOccurrence {
                path: path.clone(),
                line: edit.line,
                code: edit.code,
                why: "a use through an export that may keep the old name".to_owned(),
            }));
        }
    }

    /// Checks whether the symbol is a type, which may be a part of a path.
    fn is_type(&self) -> bool {
        self.symbols.iter().any(|at| self.context.index.symbol(*at).kind.kind().is_type())
    }

    /// Checks whether a token that is not in the index may name the symbol in a path, as in `import a.Symbol.Inner`. Of
    /// most languages, the index records only the last name of the path of an import.
    fn is_unknown_part(&self, file: FileId, draft: &Draft, token: &NameToken) -> bool {
        let index = self.context.index;
        let place = u32::try_from(token.at.start).unwrap_or(u32::MAX);
        self.is_type() && draft.is_qualifier(token) && !index.is_local(file, place, &self.old)
    }

    /// Returns true if another use of the new name in the same file could hide the renamed symbol, or be
    /// hidden by it.
    fn captures(&self, file: FileId) -> bool {
        // In these languages, code in a class can call a method without naming the object, so another use of the new
        // name can hide a method too.
        !self.member
            || matches!(
                self.context.index.file(file).language(),
                "cpp" | "ruby" | "kotlin" | "swift" | "scala" | "csharp"
            )
    }

    /// Adds a conflict for each member with the new name in the same or a related class.
    fn clashes(&self, reader: &SourceReader<'_>, output: &mut Output) {
        let clashes = self.context.index.clashes(&self.symbols, self.new);
        output.conflicts.extend(clashes.into_iter().map(|at| {
            let symbol = reader.symbol(at);
            format!("{} already exists ({}:{}).", symbol.id, symbol.path, symbol.line)
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
