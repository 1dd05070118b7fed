//! Tests of the facts about a file of each language.
//!
//! Each case is a file with the code and the expected facts.

use crate::facts;
use toolpost_test_rows::each;

use toolpost_syntax::Language;

/// The separator between the code of a case and its facts.
const APART: &str = "\n=====\n";

#[test]
fn each_language_yields_the_expected_facts() {
    for language in Language::all() {
        let (code, wanted, file) = case(language);
        let Ok(tree) = language.parse(&code) else { panic!("{file}") };
        let found = facts::words(&code, &tree.facts());
        if found != wanted && std::env::var_os("TOOLPOST_WRITE_FACTS").is_some() {
            #[expect(clippy::disallowed_methods, reason = "the cases are files of this repository")]
            std::fs::write(&file, format!("{code}{APART}{found}")).ok();
            continue;
        }
        assert_eq!(found, wanted, "{file}; TOOLPOST_WRITE_FACTS=1 writes the current facts");
    }
}

/// The braces of a macro call contain the items that the same text is in a file.
#[test]
fn items_in_macro_calls_are_those_of_the_same_text() {
    let rust = Language::of_name("rust").unwrap_or_else(|| panic!("there is no grammar of Rust"));
    let symbols = |text: &str, from: usize| -> Vec<String> {
        let Ok(tree) = rust.parse(text) else { panic!("{text}") };
        let shifted = |range: &std::ops::Range<usize>| range.start - from..range.end - from;
        let symbols = tree.symbols().into_iter();
        let described = symbols.map(|symbol| {
            let (span, at) = (shifted(&symbol.span), symbol.at.as_ref().map(shifted));
            format!("{:?} {} {span:?} {at:?} {:?}", symbol.kind, symbol.qualified, shifted(&symbol.signature))
        });
        described.collect()
    };
    let files = [
        "fn one() { two(); }\n\n/// Doc.\n#[inline]\npub(crate) fn two<T: Clone>(x: T) -> T { x }\n",
        "pub struct S { pub a: u8 }\nimpl S {\n    const A: u8 = 1;\n    fn m(&self) -> u8 { self.a }\n}\nimpl Clone for S { fn clone(&self) -> S { S { a: 1 } } }\n",
        "pub enum E { A, B(u8) }\npub trait T { fn f(&self); fn g(&self) { self.f() } }\ntype A = E;\nstatic X: u8 = 1;\n",
        "use a::b;\npub mod task;\nmod inline { pub fn deep() {} mod below; }\nmacro_rules! own { () => { fn no() {} } }\n",
    ];
    let around = [
        ("m! {\n", "}\n"),
        ("path::m! { ", " }"),
        ("m!{", "}"),
        ("a! {\n    b! {\n", "    }\n}\n"),
        ("cfg_if! {\n    if #[cfg(unix)] {\n", "    }\n}\n"),
        ("cfg_if! { if #[cfg(a)] { } else if #[cfg(b)] {\n", "} else { } }"),
        ("cfg_if! { if #[cfg(a)] { } else {\n", "} }"),
    ];
    each(files, |file| {
        let alone = symbols(file, 0);
        assert!(alone.len() >= 2, "{file}");
        each(around, |(open, close)| {
            let text = format!("{open}{file}{close}");
            assert_eq!(symbols(&text, open.len()), alone, "{text}");
        });
    });
    // Text that is something else than items, and templates, define nothing.
    let others = [
        "list! { a, b }",
        "m! { fn f($x:ty) {} }",
        "m! { a => { fn f() {} } }",
        "m!(fn f() {});",
        "macro_rules! no { () => { fn template() {} } }",
        "fn f() { m! { fn inner() {} } }",
        "a! { b! { c! { fn f() {} } } }",
    ];
    each(others, |text| {
        let found = symbols(text, 0);
        assert!(found.iter().all(|symbol| symbol.starts_with("Macro") || symbol.contains(" f ") && text.starts_with("fn")), "{text}: {found:?}");
    });
}

#[test]
fn line_endings_do_not_change_symbol_names() {
    for language in Language::all() {
        let (code, _, file) = case(language);
        let crlf = code.replace('\n', "\r\n");
        let names = |text: &str| -> Vec<String> {
            let Ok(tree) = language.parse(text) else { panic!("{file}") };
            tree.symbols().into_iter().map(|symbol| symbol.qualified).collect()
        };
        assert_eq!(names(&crlf), names(&code), "{file}");
    }
}

/// Reads the case of a language: the code, the expected facts, and the path of the case.
fn case(language: Language) -> (String, String, String) {
    let file = format!("{}/tests/facts/{}.txt", env!("CARGO_MANIFEST_DIR"), language.name());
    #[expect(clippy::disallowed_methods, reason = "the cases are files of this repository")]
    let Ok(case) = std::fs::read_to_string(&file) else { panic!("{file} is missing") };
    let Some((code, wanted)) = case.split_once(APART) else { panic!("{file} has no {APART:?}") };
    (code.to_owned(), wanted.to_owned(), file)
}
