//! Tests that the facts about a file that is cut off anywhere refer only to positions in it.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use toolpost_syntax::{Language, Resolution, enclosing, find};
use toolpost_test_rows::each;

/// Returns a language, chosen by a number, with the code of its test case.
fn case(at: u8) -> (Language, String) {
    let languages: Vec<Language> = Language::all().collect();
    let language = languages[usize::from(at) % languages.len()];
    let file = format!("{}/tests/facts/{}.txt", env!("CARGO_MANIFEST_DIR"), language.name());
    #[expect(clippy::disallowed_methods, reason = "the cases are files of this repository")]
    let case = std::fs::read_to_string(&file).unwrap_or_default();
    (language, case.split("\n=====\n").next().unwrap_or_default().to_owned())
}

/// Checks that every reported position is in the text, and that each name can be found again.
fn holds(language: Language, text: &str) {
    let Ok(tree) = language.parse(text) else { return };
    let facts = tree.facts();
    for (at, symbol) in facts.symbols.iter().enumerate() {
        let parts =
            [Some(&symbol.span), Some(&symbol.signature), symbol.docs.as_ref(), symbol.decorators.as_ref()];
        let more = [symbol.body.as_ref(), symbol.at.as_ref(), symbol.hint.as_ref(), symbol.value.as_ref()];
        each(parts.into_iter().chain(more).flatten(), |part| {
            assert!(text.get(part.clone()).is_some(), "{symbol:?} of {text:?}");
            assert!(symbol.span.start <= part.start && part.end <= symbol.span.end, "{symbol:?} of {text:?}");
        });
        assert!(symbol.parent.is_none_or(|parent| parent < at), "{symbol:?}");
        assert!(enclosing(&facts.symbols, &symbol.span).is_some());
        assert!(
            !matches!(find(&facts.symbols, &symbol.qualified), Resolution::None(_)),
            "{symbol:?} of {text:?}"
        );
    }
    for reference in &facts.references {
        assert!(text.get(reference.at.clone()).is_some(), "{reference:?}");
    }
    for binding in &facts.bindings {
        let scope = binding.scope.map_or(0..text.len(), |scope| facts.scopes[scope].span.clone());
        let inside = scope.start <= binding.at.start && binding.at.end <= scope.end;
        // The name in a Go type switch is local in each case, and the cases come after the name.
        let before = language.name() == "go" && binding.at.end <= scope.start;
        assert!(inside || before, "{binding:?} of {text:?}");
    }
}

#[test]
fn an_empty_body_has_no_documentation() {
    let python = Language::of_name("python").unwrap();
    holds(
        python,
        "class K:\n    \"\"\"Doc.\"\"\"\n    @property\n    def s(self) -> X:\n    \u{b4c}    for i in k:\n            l(i)\n",
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/cuts.txt"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn facts_of_a_cut_file_stay_within_its_text(at in any::<u8>(), from in any::<u16>(), len in 0_usize..80, with in "\\PC{0,6}") {
        let (language, text) = case(at);
        let letters: Vec<char> = text.chars().collect();
        let from = usize::from(from) % (letters.len() + 1);
        let to = (from + len).min(letters.len());
        let cut: String = letters[..from].iter().copied().chain(with.chars()).chain(letters[to..].iter().copied()).collect();
        holds(language, &cut);
    }

    #[test]
    fn facts_of_random_text_stay_within_it(at in any::<u8>(), text in "\\PC{0,60}(\n\\PC{0,20}){0,6}") {
        holds(case(at).0, &text);
    }
}
