//! Tests for random files and snippets: no named item is lost, and every merge can be reverted.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use crate::common;

/// Builds a snippet from pieces, markers and lines of the file.
fn built_snippet(file: &str, picks: &[(u8, u8)]) -> String {
    let lines: Vec<&str> = file.lines().collect();
    let part = |(sort, at): &(u8, u8)| match sort % 4 {
        0 => common::marker(*at).to_owned(),
        1 => common::piece(*at).to_owned(),
        2 => common::piece(*at).lines().map(|line| format!("    {line}\n")).collect(),
        _ => {
            let first = usize::from(*at) % lines.len().max(1);
            lines.iter().skip(first).take(3).map(|line| format!("{line}\n")).collect()
        }
    };
    picks.iter().map(|pick| part(pick) + "\n").collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/properties.txt"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn merges_of_generated_code_lose_no_item_and_can_be_undone(
        language in any::<u8>(),
        file in prop::collection::vec(any::<u8>(), 0..8),
        picks in prop::collection::vec(any::<(u8, u8)>(), 0..8),
    ) {
        let file: String = file.iter().map(|pick| format!("{}\n", common::piece(*pick))).collect();
        common::check(&file, &built_snippet(&file, &picks), common::language(language));
    }

    #[test]
    fn merges_of_random_text_lose_no_item_and_can_be_undone(language in any::<u8>(), file in "\\PC{0,40}(\n\\PC{0,20}){0,6}", snippet in "\\PC{0,40}(\n\\PC{0,20}){0,6}") {
        common::check(&file, &snippet, common::language(language));
    }
}

#[test]
fn an_empty_file_accepts_or_refuses_any_snippet() {
    for (at, language) in (0..=u8::MAX).flat_map(|at| (0..14).map(move |language| (at, language))) {
        let language = common::language(language);
        for file in ["", "\n", "C"] {
            common::check(file, common::piece(at), language);
            common::check(file, &format!("{}\n{}\n", common::marker(at), common::piece(at / 5)), language);
        }
    }
}

#[test]
fn former_merge_bugs_do_not_return() {
    let garbled = "module M\n  def seven\n    7\n  end\nend\nfn one() {\n    let a = 1;\n    a\n}\n";
    let doubled = format!("    7\n    7\n{}{}", &garbled[27..], &garbled[37..]);
    // Two former bugs: overlapping changes, and an item that ended before its head.
    for (file, snippet) in
        [(garbled, doubled.as_str()), ("x\n", "@a\n"), ("enum E {\n\n #[a]\n}\n", " #[b]\n")]
    {
        for language in 0..14 {
            common::check(file, snippet, common::language(language));
            common::check(snippet, file, common::language(language));
        }
    }
}
