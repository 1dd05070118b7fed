//! Search results end where their symbols end, in every form of nesting and in several languages.

use crate::common::{World, permissive};
use toolpost_engine::operations::search::{From, Matching, Request, Search, Tests};
use toolpost_syntax::{Kind, Language};
use toolpost_test_rows::each_async;
use toolpost_text::lines::LineIndex;

/// The parts of a file: the symbols around its functions, the first and the last line of a function with `NAME`, a
/// statement, and the last line of each symbol around the functions.
#[derive(Debug)]
struct Grammar {
    file: &'static str,
    around: &'static [&'static str],
    function: (&'static str, &'static str),
    statement: &'static str,
    close: &'static str,
}

const GRAMMARS: [Grammar; 9] = [
    Grammar {
        file: "a.rs",
        around: &["mod outer {", "impl Inner {"],
        function: ("fn NAME() {", "}"),
        statement: "call(1);",
        close: "}",
    },
    Grammar {
        file: "a.ts",
        around: &["namespace outer {", "class Inner {"],
        function: ("NAME() {", "}"),
        statement: "call(1);",
        close: "}",
    },
    Grammar {
        file: "a.js",
        around: &["class Inner {"],
        function: ("NAME() {", "}"),
        statement: "call(1);",
        close: "}",
    },
    Grammar {
        file: "a.java",
        around: &["class Outer {", "class Inner {"],
        function: ("void NAME() {", "}"),
        statement: "call(1);",
        close: "}",
    },
    Grammar {
        file: "a.cpp",
        around: &["namespace outer {", "class Inner {"],
        function: ("void NAME() {", "}"),
        statement: "call(1);",
        close: "};",
    },
    Grammar {
        file: "a.cs",
        around: &["namespace Outer {", "class Inner {"],
        function: ("void NAME() {", "}"),
        statement: "call(1);",
        close: "}",
    },
    Grammar {
        file: "a.rb",
        around: &["module Outer", "class Inner"],
        function: ("def NAME", "end"),
        statement: "call(1)",
        close: "end",
    },
    Grammar {
        file: "a.py",
        around: &["class Outer:", "class Inner:"],
        function: ("def NAME(self):", ""),
        statement: "call(1)",
        close: "",
    },
    Grammar { file: "a.go", around: &[], function: ("func NAME() {", "}"), statement: "call(1)", close: "}" },
];

/// The names of the functions of a file, in order.
const NAMES: [&str; 3] = ["alphaone", "betatwo", "gammathree"];

impl Grammar {
    /// Writes a file whose functions have `length` statements each, with `blank` empty lines before each closing line.
    fn file(&self, length: usize, blank: usize) -> String {
        let mut out = if self.file == "a.go" { "package a\n\n".to_owned() } else { String::new() };
        let mut line = |depth: usize, text: &str| out.push_str(&format!("{}{text}\n", "    ".repeat(depth)));
        let depth = self.around.len();
        self.around.iter().enumerate().for_each(|(at, open)| line(at, open));
        let (begin, end) = self.function;
        for name in NAMES {
            line(depth, &begin.replace("NAME", name));
            (0..length).for_each(|_| line(depth + 1, self.statement));
            if !end.is_empty() {
                line(depth, end);
            }
            line(0, "");
        }
        for at in (0..depth).rev().filter(|_| !self.close.is_empty()) {
            (0..blank).for_each(|_| line(0, ""));
            line(at, self.close);
        }
        out
    }
}

#[tokio::test]
async fn a_block_ends_with_its_symbol() {
    let mut compared = 0;
    each_async(&GRAMMARS, async |grammar| {
        each_async([(1, 0), (3, 0), (3, 1), (200, 0), (300, 0), (500, 1)], async |(length, blank)| {
            let text = grammar.file(length, blank);
            let world = World::new(&[(grammar.file, &text)]);
            let language = Language::of_path(grammar.file.as_ref()).unwrap();
            let symbols = language.parse(&text).unwrap().symbols();
            let lines = LineIndex::new(&text);
            for name in NAMES {
                let request = Request {
                    base: world.engine.resolve(".").unwrap(),
                    query: format!("{name} AND call"),
                    matching: Matching::Query,
                    tests: Tests::Searched,
                    limit: 100,
                    tokens: None,
                    from: From::First,
                    max_bytes: 1 << 20,
                };
                let found =
                    world.engine.run::<Search>(request, &permissive(world.session.clone())).await.unwrap();
                let blocks = found.blocks.iter().filter(|block| block.name.ends_with(name));
                let last =
                    blocks.map(|block| block.last_line).max().unwrap_or_else(|| panic!("{name}: {text}"));
                let symbol =
                    symbols.iter().find(|symbol| symbol.name == name && symbol.kind == Kind::Function);
                let span = &symbol.unwrap_or_else(|| panic!("{name}: {text}")).span;
                let end = lines.line(span.end - 1) as u64;
                assert_eq!(last, end, "{} {name} of {length} statements: {found:?}", grammar.file);
                compared += 1;
            }
        })
        .await;
    })
    .await;
    assert_eq!(compared, GRAMMARS.len() * 6 * NAMES.len());
}
