//! What each language's files tell of themselves: a file for each language, the code and then what it tells.

use crate::facts;

use toolpost_syntax::Language;

/// What parts the code of a case from what it tells.
const APART: &str = "\n=====\n";

#[test]
fn each_language_tells_what_it_should() {
    for language in Language::all() {
        let (code, wanted, file) = case(language);
        let Ok(tree) = language.parse(&code) else { panic!("{file}") };
        let told = facts::words(&code, &tree.facts());
        if told != wanted && std::env::var_os("TOOLPOST_WRITE_FACTS").is_some() {
            #[expect(clippy::disallowed_methods, reason = "the cases are files of this repository")]
            std::fs::write(&file, format!("{code}{APART}{told}")).ok();
            continue;
        }
        assert_eq!(told, wanted, "{file}; TOOLPOST_WRITE_FACTS=1 writes what is told now");
    }
}

#[test]
fn line_ends_change_no_fact() {
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

/// Reads the case of a language: the code, what it tells, the file.
fn case(language: Language) -> (String, String, String) {
    let file = format!("{}/tests/facts/{}.txt", env!("CARGO_MANIFEST_DIR"), language.name());
    #[expect(clippy::disallowed_methods, reason = "the cases are files of this repository")]
    let Ok(case) = std::fs::read_to_string(&file) else { panic!("{file} is missing") };
    let Some((code, wanted)) = case.split_once(APART) else { panic!("{file} has no {APART:?}") };
    (code.to_owned(), wanted.to_owned(), file)
}
