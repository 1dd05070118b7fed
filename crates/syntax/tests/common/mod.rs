//! Random code from pieces, and checks that every merge must pass.

use toolpost_syntax::{Item, Language, merge};
use toolpost_text::encoding::Splice;
use toolpost_text::merge::apply;

const MARKERS: &[&str] = &[
    "// ... existing code ...",
    "    # ... rest of file ...",
    "...",
    "/* ... */",
    "  <!-- ... existing code ... -->",
];

const PIECES: &[&str] = &[
    "fn one() {\n    let a = 1;\n    a\n}",
    "def two(a):\n    if a:\n        return 1\n    return 2",
    "class A {\n  three(b) {\n    return b;\n  }\n  static x = 1;\n}",
    "class B:\n    @tag\n    def four(self):\n        pass\n\n    value = 1",
    "impl C {\n    fn five(&self) {}\n}",
    "func (c *C) Six() int {\n\treturn 6\n}",
    "import a from \"a\";",
    "import os",
    "use std::fmt;",
    "const X = 1;",
    "X = 1",
    "enum E {\n    One,\n    Two\n}",
    "struct S {\n    int a;\n};",
    "module M\n  def seven\n    7\n  end\nend",
    "<?php",
    "function eight($a)\n{\n    return 8;\n}",
    "public void nine(int a) { nine(a); }",
    "    return 1;",
    "}",
    "    }",
    "end",
    "",
    "if (x) {",
    "\"\"\"",
    "a: 1,",
    "// comment",
];

/// Returns a piece of a file or a snippet, chosen by a number.
pub(crate) fn piece(at: u8) -> &'static str {
    PIECES[usize::from(at) % PIECES.len()]
}

/// Returns a marker for omitted code, chosen by a number.
pub(crate) fn marker(at: u8) -> &'static str {
    MARKERS[usize::from(at) % MARKERS.len()]
}

/// Returns a language or `None`, chosen by a number.
pub(crate) fn language(at: u8) -> Option<Language> {
    let mut languages: Vec<Option<Language>> = Language::all().map(Some).collect();
    languages.push(None);
    languages[usize::from(at) % languages.len()]
}

/// Merges a snippet and checks the result; returns false if the merge was refused.
pub(crate) fn check(original: &str, snippet: &str, language: Option<Language>) -> bool {
    let same = merge::merge(original, original, language);
    assert!(original.contains('\r') || same.is_ok_and(|merged| merged.splices.is_empty()), "{original:?}");
    let Ok(merged) = merge::merge(original, snippet, language) else { return false };
    let result = checked(original, &merged.splices);
    if let (Some(language), true) = (language, snippet != original) {
        keeps(language, original, snippet, &result);
    }
    true
}

/// Applies the splices, and checks that reverting them gives the original text.
fn checked(original: &str, splices: &[Splice]) -> String {
    let mut done = 0;
    for splice in splices {
        assert!(
            done <= splice.range.start && original.get(splice.range.clone()).is_some(),
            "{splices:?} in {original:?}"
        );
        done = splice.range.end;
    }
    let result = apply(original, splices);
    let (mut back, mut at, mut from) = (String::new(), 0, 0);
    for splice in splices {
        let kept = splice.range.start - from;
        back.push_str(&result[at..at + kept]);
        back.push_str(&original[splice.range.clone()]);
        at += kept + splice.new.len();
        from = splice.range.end;
    }
    back.push_str(&result[at..]);
    assert_eq!(back, original);
    result
}

/// Checks that no named item is lost, and that items which share no word and no line with the snippet are
/// unchanged.
fn keeps(language: Language, original: &str, snippet: &str, result: &str) {
    let items = |text: &str, which: ItemSelection| {
        let mut out = Vec::new();
        if let Ok(tree) = language.parse(text) {
            list(text, &tree.items(), which, &mut out);
        }
        out
    };
    // In a file with syntax errors, for example of another language, the parser only guesses the names.
    if language.parse(original).map_or(true, |tree| !tree.errors().is_empty()) {
        return;
    }
    let mut after = items(result, ItemSelection::All);
    let words: Vec<&str> = snippet.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let lines: Vec<&str> = snippet.lines().map(str::trim).collect();
    for (name, text) in items(original, ItemSelection::Innermost) {
        let at = after.iter().position(|(there, _)| *there == name);
        let Some(at) = at else { panic!("{name} is lost: {original:?} with {snippet:?}") };
        let at = after.iter().position(|found| *found == (name.clone(), text.clone())).unwrap_or(at);
        let (_, now) = after.swap_remove(at);
        let named =
            name.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| words.contains(&word));
        let shared = text.lines().any(|line| lines.contains(&line.trim()));
        assert!(named || shared || now == text, "{name} was changed: {original:?} with {snippet:?}");
    }
}

/// The items to list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemSelection {
    All,
    /// Only items without children.
    Innermost,
}

fn list(text: &str, items: &[Item], which: ItemSelection, out: &mut Vec<(String, String)>) {
    for item in items {
        if item.kind.defines() && (which == ItemSelection::All || item.children.is_empty()) {
            out.push((item.name.clone(), text[item.head..item.range.end].to_owned()));
        }
        list(text, &item.children, which, out);
    }
}
