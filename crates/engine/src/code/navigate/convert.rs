//! Conversion of a language server's answer to the output of `navigate`.

use super::{Complete, Output, Place, Source, Symbol};
use super::{
    files::{self, Text},
    question::{PLACES, Question},
};
use crate::{call::CallCtx, code::Code};
use std::collections::{HashMap, HashSet};
use toolpost_lsp::{self as lsp, DocumentSymbol, Encoding, LspAnswer, ServerReadiness};
use toolpost_syntax::{Import, Language};
use toolpost_workspace::WorkspacePath;

/// An answer of a language server, with the data that is needed to interpret it.
pub(crate) struct ServerAnswer {
    pub(crate) server: &'static str,
    pub(crate) answer: LspAnswer,
    /// The definitions whose documentation a hover text shows; empty for other answers.
    pub(crate) sources: Vec<lsp::CodeLocation>,
    pub(crate) standing: ServerReadiness,
    pub(crate) encoding: Encoding,
}

/// Converts a language server's answer to the output. Locations in files that the caller may not read are
/// counted, but not listed.
pub(crate) fn output(code: &Code, cx: &CallCtx, question: &Question, answered: ServerAnswer) -> Output {
    let ServerAnswer { server, answer, sources, standing, encoding } = answered;
    let mut output = Output {
        source: Source::Server(server.to_owned()),
        complete: match standing.complete {
            lsp::Complete::Yes => Complete::Yes,
            lsp::Complete::No => Complete::No,
            lsp::Complete::Unknown => Complete::Unknown,
        },
        why: standing.why,
        asked: question.name.as_ref().map(|(asked, _)| asked.clone()),
        places: Vec::new(),
        total: 0,
        withheld: 0,
        symbols: Vec::new(),
        text: None,
        notes: Vec::new(),
        session_notes: Vec::new(),
    };
    let mut known = FileCache { code, cx, texts: HashMap::new() };
    match answer {
        LspAnswer::Places(places) => {
            output.total = places.len() as u64;
            for place in &places {
                match known.look(place, encoding) {
                    PlaceLookup::At(place) => output.places.push(place),
                    PlaceLookup::Withheld => output.withheld += 1,
                    PlaceLookup::Gone => {
                        output.total -= 1;
                        doubt(
                            &mut output,
                            "the answer contains a location in a deleted file, so the language server has not read the latest changes",
                        );
                    }
                }
            }
            output.places.sort();
            output.places.truncate(PLACES);
        }
        LspAnswer::Text(text) => {
            let hidden =
                |place: &lsp::CodeLocation| matches!(known.look(place, encoding), PlaceLookup::Withheld);
            output.withheld = sources.iter().map(hidden).filter(|hidden| *hidden).count() as u64;
            output.total = output.withheld;
            if output.withheld == 0 {
                output.text = text;
            } else {
                doubt(&mut output, "the answer comes from a file that the rules do not allow reading");
            }
        }
        LspAnswer::Symbols(symbols) => {
            output.symbols = defined(&symbols, question);
            output.total = output.symbols.len() as u64;
        }
    }
    output
}

/// Marks an answer as incomplete, with the reason. An earlier reason takes precedence.
fn doubt(output: &mut Output, why: &str) {
    if output.complete != Complete::No {
        output.complete = Complete::No;
        why.clone_into(&mut output.why);
    }
}

/// The result of looking up a location that a language server reported.
enum PlaceLookup {
    At(Place),
    /// The rules do not allow the file to be read.
    Withheld,
    /// The file no longer exists, and the server has not noticed it yet.
    Gone,
}

/// Reads the files of a language server's locations, each file once.
struct FileCache<'a> {
    code: &'a Code,
    cx: &'a CallCtx,
    texts: HashMap<WorkspacePath, Option<Text>>,
}

impl FileCache<'_> {
    fn look(&mut self, place: &lsp::CodeLocation, encoding: Encoding) -> PlaceLookup {
        let from = place.span.from;
        let shown = place.path.as_ref().and_then(|path| path.to_str());
        let inside = shown.and_then(|path| self.code.files().resolve(path).ok());
        let Some(inside) = inside else {
            let path = shown.unwrap_or(&place.address).to_owned();
            let (line, column) = (from.line.saturating_add(1), from.character.saturating_add(1));
            let what = Some("outside the workspace".to_owned());
            return PlaceLookup::At(Place { path, line, column, text: String::new(), what });
        };
        if !self.cx.may_read(&inside) {
            return PlaceLookup::Withheld;
        }
        if self.code.files().workspace().stat(&inside).is_err() {
            return PlaceLookup::Gone;
        }
        let code = self.code;
        let text = self.texts.entry(inside.clone()).or_insert_with_key(|path| files::read(code, path).ok());
        let line = text.as_ref().and_then(|text| text.line(from.line)).unwrap_or_default();
        let column = line[..encoding.byte(line, from.character)].chars().count();
        PlaceLookup::At(Place {
            path: inside.display(),
            line: from.line.saturating_add(1),
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
            text: text.as_ref().map(|text| text.shown(from.line)).unwrap_or_default(),
            what: None,
        })
    }
}

/// Keeps the definitions of the file. Some servers also list imports, anonymous functions that are passed to calls, and the
/// keys of object literals. These are dropped, and their members move up one level.
fn defined(symbols: &[DocumentSymbol], question: &Question) -> Vec<Symbol> {
    let imports = import_lines(question);
    let mut around: Vec<Enclosing> = Vec::new();
    let mut out = Vec::new();
    for named in symbols {
        around.retain(|outer| outer.depth < named.depth);
        let is_key = named.kind == "property" && around.last().is_some_and(|outer| outer.is_value);
        let kept = !is_key && !is_callback(&named.name) && !imports.contains(&named.at.line);
        if kept {
            let depth = around.iter().filter(|outer| outer.kept).count();
            out.push(Symbol { depth, ..symbol(named, &question.text) });
        }
        let is_value = is_key || ["variable", "constant"].contains(&named.kind);
        around.push(Enclosing { depth: named.depth, kept, is_value });
    }
    out
}

/// A symbol that encloses the current one.
struct Enclosing {
    depth: usize,
    /// True if the symbol is in the answer.
    kept: bool,
    /// True for a variable, a constant and a key of an object literal. A property in such a symbol is a key too, and
    /// is dropped.
    is_value: bool,
}

/// Returns true if a server made up the name for an anonymous function: `describe("cart") callback`,
/// `<function>`.
fn is_callback(name: &str) -> bool {
    name.ends_with(" callback") || (name.starts_with('<') && name.ends_with('>'))
}

/// Lists the lines of the import statements of a file, counted from 0.
fn import_lines(question: &Question) -> HashSet<u32> {
    let text = &question.text;
    let tree = Language::of_path(question.path.raw()).and_then(|language| language.parse(&text.text).ok());
    let imports = tree.map(|tree| tree.facts().imports).unwrap_or_default();
    let begins = ["import ", "import{", "from ", "use ", "using ", "#include"];
    let statement = |import: &Import| {
        let (first, last) = (text.place(import.span.start).0, text.place(import.span.end).0);
        let line = text.line(first).unwrap_or_default().trim_start();
        begins.iter().any(|begin| line.starts_with(begin)).then_some(first..=last)
    };
    imports.iter().filter_map(statement).flatten().collect()
}

fn symbol(named: &DocumentSymbol, text: &Text) -> Symbol {
    Symbol {
        name: named.name.clone(),
        kind: named.kind.to_owned(),
        depth: named.depth,
        line: named.at.line.saturating_add(1),
        // A range that ends at the beginning of a line does not include that line.
        last_line: named.span.to.line.saturating_add(
            u32::from(named.span.to.character > 0).max(u32::from(named.span.to.line == named.at.line)),
        ),
        text: text.shown(named.at.line),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests create their files directly")]
mod tests {
    use super::*;
    use crate::{call::permissions::ReadPermission, code::navigate::NavigationQuery, session::Session};
    use std::{fs, sync::Arc};
    use tempfile::TempDir;
    use toolpost_lsp::{Position, Span, Stage};
    use toolpost_workspace::{Options, Workspace};

    /// Converts an answer in a workspace with `a.py` and with `secret.py`, which may not be read.
    fn answered(
        answer: impl FnOnce(&dyn Fn(&str) -> lsp::CodeLocation) -> (LspAnswer, Vec<lsp::CodeLocation>),
    ) -> Output {
        let base = TempDir::new().unwrap();
        for name in ["a.py", "secret.py"] {
            fs::write(base.path().join(name), "key = 'k'\n").unwrap();
        }
        let options = Options { roots: vec![base.path().to_owned()], ..Options::default() };
        let code = Code::of_workspace(Workspace::open(options).unwrap().0);
        let path = code.files().resolve("a.py").unwrap();
        let root = path.root().path().to_owned();
        let may_read = Arc::new(|path: &WorkspacePath| !path.relative().ends_with("secret.py"));
        let cx =
            CallCtx { permissions: Arc::new(ReadPermission(may_read)), ..CallCtx::denied(Session::new()) };
        let text = files::read(&code, &path).unwrap();
        let question = Question { path, query: NavigationQuery::Symbols, text, name: None };
        let place = |name: &str| {
            let at = Position { line: u32::MAX, character: u32::MAX };
            let path = root.join(name);
            let address = name.to_owned();
            lsp::CodeLocation { path: Some(path), address, span: Span { from: at, to: at } }
        };
        let (answer, sources) = answer(&place);
        let standing = ServerReadiness {
            stage: Stage::Ready,
            complete: lsp::Complete::Yes,
            why: "it is ready".to_owned(),
        };
        let answered = ServerAnswer { server: "x", answer, sources, standing, encoding: Encoding::Utf16 };
        output(&code, &cx, &question, answered)
    }

    #[test]
    fn answers_from_forbidden_files_are_counted_and_withheld() {
        let text = || LspAnswer::Text(Some("key: 'k'".to_owned()));
        let hidden = "the answer comes from a file that the rules do not allow reading";
        let rows = [
            (&[][..], Some("key: 'k'"), 0, Complete::Yes, "it is ready"),
            (&["a.py"][..], Some("key: 'k'"), 0, Complete::Yes, "it is ready"),
            (&["a.py", "secret.py"][..], None, 1, Complete::No, hidden),
        ];
        for (sources, wanted_text, withheld, complete, why) in rows {
            let output = answered(|place| (text(), sources.iter().map(|name| place(name)).collect()));
            let found = (output.text.as_deref(), output.withheld, output.complete, output.why.as_str());
            assert_eq!(found, (wanted_text, withheld, complete, why), "{sources:?}");
        }
    }

    #[test]
    fn imports_keys_and_anonymous_functions_are_not_file_symbols() {
        let text = "import a\nfrom b import (\n    c,\n)\nclass D:\n    def e(self): ...\n";
        let rows = [
            ("a", "module", 0, 0),
            ("c", "module", 2, 0),
            ("describe(\"x\") callback", "function", 4, 0),
            ("D", "class", 4, 1),
            ("<function>", "function", 5, 2),
            ("e", "method", 5, 3),
            ("f", "property", 5, 2),
            ("options", "constant", 6, 0),
            ("server", "property", 6, 1),
            ("port", "property", 6, 2),
            ("start", "method", 6, 1),
        ];
        let named = rows.map(|(name, kind, line, depth)| {
            let at = Position { line, character: 0 };
            let (name, span) = (name.to_owned(), Span { from: at, to: at });
            DocumentSymbol { name, kind, detail: None, within: None, depth, at, span }
        });
        let base = TempDir::new().unwrap();
        fs::write(base.path().join("a.py"), text).unwrap();
        let options = Options { roots: vec![base.path().to_owned()], ..Options::default() };
        let code = Code::of_workspace(Workspace::open(options).unwrap().0);
        let path = code.files().resolve("a.py").unwrap();
        let text = files::read(&code, &path).unwrap();
        let found = defined(&named, &Question { path, query: NavigationQuery::Symbols, text, name: None });
        let found: Vec<(&str, usize)> =
            found.iter().map(|symbol| (symbol.name.as_str(), symbol.depth)).collect();
        assert_eq!(found, [("D", 0), ("e", 1), ("f", 1), ("options", 0), ("start", 1)]);
    }

    #[test]
    fn locations_in_deleted_files_make_an_answer_incomplete() {
        let names = ["a.py", "gone.py", "/nowhere/b.py"];
        let output = answered(|place| (LspAnswer::Places(names.map(place).to_vec()), Vec::new()));
        let lines: Vec<u32> = output.places.iter().map(|place| place.line).collect();
        assert_eq!((lines, output.total, output.complete), (vec![u32::MAX; 2], 2, Complete::No));
        let why = "the answer contains a location in a deleted file, so the language server has not read the latest changes";
        assert_eq!(output.why, why);
    }
}
