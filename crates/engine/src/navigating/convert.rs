//! What a language server answered, in the words of the operation.

use super::{PLACES, Question, Text, files};
use crate::{
    CallCtx, Engine,
    operations::navigate::{Complete, Output, Place, Source, Symbol},
};
use std::collections::HashMap;
use toolpost_lsp::{self as lsp, Answer, Encoding, Named, Standing};
use toolpost_workspace::WorkspacePath;

/// Makes the output of an answer.
pub(crate) fn output(
    engine: &Engine,
    cx: &CallCtx,
    question: &Question,
    server: &str,
    answer: Answer,
    standing: Standing,
    encoding: Encoding,
) -> Output {
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
    };
    match answer {
        Answer::Places(places) => {
            output.total = places.len() as u64;
            let mut known = Known { engine, cx, texts: HashMap::new() };
            for place in &places {
                match known.look(place, encoding) {
                    Looked::At(place) => output.places.push(place),
                    Looked::Withheld => output.withheld += 1,
                    Looked::Gone => output.total -= 1,
                }
            }
            output.places.sort();
            output.places.truncate(PLACES);
        }
        Answer::Text(text) => output.text = text,
        Answer::Symbols(symbols) => {
            output.symbols = symbols.iter().map(|named| symbol(named, &question.text)).collect();
            output.total = symbols.len() as u64;
        }
    }
    output
}

/// What came of looking at a place.
enum Looked {
    At(Place),
    /// The rules do not let its file be read.
    Withheld,
    /// Its file is gone, and the server has not understood it yet.
    Gone,
}

/// The files that places were found in, each read once.
struct Known<'a> {
    engine: &'a Engine,
    cx: &'a CallCtx,
    texts: HashMap<WorkspacePath, Option<Text>>,
}

impl Known<'_> {
    fn look(&mut self, place: &lsp::Place, encoding: Encoding) -> Looked {
        let from = place.span.from;
        let shown = place.path.as_ref().and_then(|path| path.to_str());
        let inside = shown.and_then(|path| self.engine.resolve(path).ok());
        let Some(inside) = inside else {
            let path = shown.unwrap_or(&place.address).to_owned();
            let (line, column) = (from.line + 1, from.character + 1);
            let what = Some("outside of the workspace".to_owned());
            return Looked::At(Place { path, line, column, text: String::new(), what });
        };
        if !(self.cx.may_read)(&inside) {
            return Looked::Withheld;
        }
        if self.engine.workspace().stat(&inside).is_err() {
            return Looked::Gone;
        }
        let engine = self.engine;
        let text = self.texts.entry(inside.clone()).or_insert_with_key(|path| files::read(engine, path).ok());
        let line = text.as_ref().and_then(|text| text.line(from.line)).unwrap_or_default();
        let column = line[..encoding.byte(line, from.character)].chars().count();
        Looked::At(Place {
            path: inside.display(),
            line: from.line + 1,
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
            text: text.as_ref().map(|text| text.shown(from.line)).unwrap_or_default(),
            what: None,
        })
    }
}

fn symbol(named: &Named, text: &Text) -> Symbol {
    Symbol {
        name: named.name.clone(),
        kind: named.kind.to_owned(),
        depth: named.depth,
        line: named.at.line + 1,
        // What ends at the beginning of a line does not reach into it.
        last_line: named.span.to.line
            + u32::from(named.span.to.character > 0).max(u32::from(named.span.to.line == named.at.line)),
        text: text.shown(named.at.line),
    }
}
