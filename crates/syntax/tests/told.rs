//! Tests of the facts about a file of each language.
//!
//! Each case is a file with the code and the expected facts.

use crate::facts;

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
