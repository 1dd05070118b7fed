//! Tests that each form of symbol in sixteen languages is replaced byte for byte, without new syntax errors.

use std::{fs, path::Path};
use toolpost_test_rows::each;

use toolpost_syntax::{Language, change};
use toolpost_text::line_edit::EditPosition;

const LANGUAGES: [&str; 16] = [
    "javascript",
    "typescript",
    "python",
    "rust",
    "go",
    "java",
    "c",
    "cpp",
    "ruby",
    "php",
    "swift",
    "kotlin",
    "scala",
    "csharp",
    "lua",
    "zig",
];

#[test]
fn every_form_of_a_symbol_is_replaced() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sixteen");
    let mut wrong = Vec::new();
    each(LANGUAGES, |name| {
        let file = fs::read_to_string(folder.join(name).with_extension("txt")).unwrap();
        let mut parts = file.split("===== ");
        let text = parts.next().unwrap();
        let language = Language::of_name(name).unwrap();
        let errors = |text: &str| language.parse(text).unwrap().errors().len();
        assert_eq!(errors(text), 0, "{name} cannot be read");
        let forms: Vec<&str> = parts.collect();
        assert!(forms.len() >= 4, "{name} has {} forms", forms.len());
        for form in forms {
            let (head, rest) = form.split_once('\n').unwrap();
            let (_, symbol) = head.split_once(": ").unwrap();
            let [given, old, new] = rest.split("-----\n").collect::<Vec<_>>()[..] else { panic!("{head}") };
            let (old, new) = (old.trim_end_matches('\n'), new.trim_end_matches('\n'));
            assert_eq!(text.matches(old).count(), 1, "{name}, {head}: {old}");
            let got = change(language, text, symbol, EditPosition::Replace, given).map(|edited| {
                let range = edited.splice.range;
                format!("{}{}{}", &text[..range.start], edited.splice.new, &text[range.end..])
            });
            match got {
                Ok(got) if got == text.replacen(old, new, 1) && errors(&got) == 0 => {}
                Ok(got) => wrong.push(format!("{name}, {head}:\n{got}")),
                Err(error) => wrong.push(format!("{name}, {head}: {error}")),
            }
        }
    });
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
