//! Tests of valid queries, and of the errors for invalid ones.

use super::parse;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use toolpost_test_rows::each;

/// Parses a query and formats its syntax tree, or the error.
fn understood(query: &str) -> String {
    parse(query).map_or_else(|fault| format!("{fault:?}"), |query| query.node.to_string())
}

/// Queries, each with its syntax tree, formatted as a query.
const ROWS: &[(&str, &str)] = &[
    ("foo", "foo"),
    ("foo bar", "foo bar"),
    ("foo AND bar", "foo AND bar"),
    ("foo OR bar", "foo OR bar"),
    ("foo OR bar AND baz", "foo OR bar AND baz"),
    ("(foo OR bar) AND baz", "(foo OR bar) AND baz"),
    ("foo bar AND baz", "foo bar AND baz"),
    ("foo and bar", "foo AND bar"),
    ("foo or bar or baz", "foo OR bar OR baz"),
    ("read and write files", "read and write files"),
    ("file not found", "file not found"),
    ("foo && bar || baz", "foo AND bar OR baz"),
    ("foo|bar", "foo OR bar"),
    ("foo NOT bar", "foo -bar"),
    ("foo AND NOT bar", "foo AND NOT bar"),
    ("foo AND -bar", "foo AND NOT bar"),
    ("foo -bar", "foo -bar"),
    ("-bar foo", "foo -bar"),
    ("+foo bar", "+foo bar"),
    ("+foo +bar -baz", "+foo +bar -baz"),
    ("+foo", "foo"),
    ("!bar", "NOT bar"),
    ("-bar", "NOT bar"),
    ("NOT NOT bar", "bar"),
    ("NOT (foo OR bar)", "NOT (foo OR bar)"),
    ("foo OR NOT bar", "foo OR NOT bar"),
    ("-(foo bar) baz", "baz -(foo bar)"),
    ("\"foo bar\"", "\"foo bar\""),
    ("'foo bar' baz", "\"foo bar\" baz"),
    ("`foo` bar", "\"foo\" bar"),
    ("don't stop", "don't stop"),
    ("“foo bar”", "\"foo bar\""),
    (r#""a \"b\" c""#, r#""a \"b\" c""#),
    ("foo ext:rs", "+ext:rs foo"),
    ("foo AND ext:rs,js", "foo AND ext:rs,js"),
    ("foo AND -ext:py", "foo AND NOT ext:py"),
    ("foo OR ext:py", "foo OR ext:py"),
    ("ext:rs ext:py foo", "+ext:rs,py foo"),
    ("foo AND file:\"src/**/*.py\"", "foo AND file:src/**/*.py"),
    ("extension:rs lang:rust foo", "+ext:rs +lang:rust foo"),
    ("ext:(rs OR py) foo", "+(ext:rs OR ext:py) foo"),
    ("ext:(rs py) foo", "+(ext:rs OR ext:py) foo"),
    ("-dir:vendor foo", "foo -dir:vendor"),
    ("directory:src/a path:b.rs x", "+dir:src/a +file:b.rs x"),
    ("file:\"my file.txt\"", "file:\"my file.txt\""),
    ("name:foo", "name:foo"),
    ("name:(foo OR bar)", "name:(foo OR bar)"),
    ("comment:\"to do\"", "comment:\"to do\""),
    ("foo^2 bar", "foo^2 bar"),
    ("(foo bar)^0.5 baz", "(foo bar)^0.5 baz"),
    ("foo~ bar~2", "foo~1 bar~2"),
    ("func*", "func*"),
    ("get*Data te?t", "get*Data te?t"),
    ("how does it work?", "how does it work"),
    ("wor?", "wor?"),
    ("std::fs::read", "std::fs::read"),
    ("a->b", "a->b"),
    ("--dry-run", "--dry-run"),
    ("foo - bar", "foo bar"),
    ("main()", "main()"),
    ("foo(bar, baz) x", "foo(bar, baz) x"),
    ("foo(bar OR baz)", "foo bar OR baz"),
    ("https://a.b/c", "https://a.b/c"),
    ("TODO: later", "TODO: later"),
    ("src/auth/login.ts", "src/auth/login.ts"),
    ("C:\\dir", "C:\\dir"),
    ("a != b", "a b"),
    ("x => y", "x y"),
    ("#[derive(Debug)]", "#[derive(Debug)]"),
    ("@decorator", "@decorator"),
    ("$var", "$var"),
];

#[test]
fn queries_are_parsed() {
    each(ROWS, |(query, wanted)| {
        assert_eq!(understood(query), *wanted, "{query}");
    });
}

#[test]
fn query_errors_have_a_column_and_a_suggested_query() {
    let rows = [
        ("", 1, "the query has no word to search for", None),
        ("   ", 1, "the query has no word to search for", None),
        ("-> !=", 1, "the query has no word to search for", None),
        ("\"\"", 1, "the quotes contain no word to search for", None),
        ("\"foo bar", 1, "the quote \" is not closed", Some("\"foo bar\"")),
        ("foo AND", 5, "AND has nothing after it", Some("foo")),
        ("AND foo", 1, "AND has nothing before it", Some("foo")),
        ("foo OR", 5, "OR has nothing after it", Some("foo")),
        ("foo AND OR bar", 5, "AND has nothing after it", Some("foo OR bar")),
        ("foo AND AND bar", 5, "AND has nothing after it", Some("foo AND bar")),
        ("foo NOT", 5, "NOT has nothing after it", Some("foo")),
        ("(foo OR bar", 1, "this bracket is not closed", Some("foo OR bar")),
        ("foo AND (bar OR baz", 9, "this bracket is not closed", Some("foo AND (bar OR baz)")),
        ("foo) AND bar", 4, "this closing bracket has no opening bracket", Some("foo bar")),
        ("()", 1, "these brackets are empty", None),
        ("foo AND ()", 9, "these brackets are empty", Some("foo")),
        ("ext: rs", 1, "ext: has no value directly after it", Some("ext:rs")),
        ("ext:", 1, "ext: has no value directly after it", None),
        ("ext:!rs", 5, "put NOT or - before ext:, not after it", Some("NOT ext:rs")),
        ("foo AND ext:-rs,py", 13, "put NOT or - before ext:, not after it", Some("foo AND NOT ext:rs,py")),
        ("foo lagn:rust", 5, "lagn: is not a filter; did you mean `lang:`?", Some("+lang:rust foo")),
        (
            "foo:bar",
            1,
            "foo: is not a filter; use one of file:, filename:, ext:, dir:, lang:, type:, name:, signature:, body:, \
             comment:",
            Some("\"foo:bar\""),
        ),
        ("foo^9999", 4, "^ takes a number from 0 to 1000, such as ^2", Some("foo")),
        ("foo~9", 4, "~ takes 1 or 2, the number of letters that may differ", Some("foo")),
        ("\"a b\"~2", 6, "~ works only after a word: some of its letters may differ", Some("\"a b\"")),
        ("é AND", 3, "AND has nothing after it", Some("é")),
    ];
    each(rows, |(query, column, what, instead)| {
        let fault = parse(query).expect_err(query);
        assert_eq!(
            (fault.column, fault.what.as_str(), fault.instead.as_deref()),
            (column, what, instead),
            "{query}"
        );
    });
}

#[test]
fn nesting_depth_of_queries_is_limited() {
    let fault = parse(&format!("{}foo{}", "(".repeat(200), ")".repeat(200))).expect_err("too deep");
    assert!(fault.what.contains("more than 64 brackets and operators"), "{}", fault.what);
    assert!(parse(&"!".repeat(3_000)).is_err());
    assert!(parse(&format!("ext:{}rs", "!".repeat(9_000))).is_err());
    assert!(parse(&format!("{}x", "NOT ".repeat(2_000))).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/ranked_grammar.txt"))),
        ..ProptestConfig::default()
    })]

    /// A printed query parses to the same tree, and a suggestion is a valid query.
    #[test]
    fn printed_and_suggested_queries_can_be_parsed(query in r#"([a-z?*"()+!:^~|& -]|AND |OR |NOT |ext:|name:|foo |é){0,24}"#) {
        match parse(&query) {
            Ok(read) => {
                let written = read.node.to_string();
                let again = parse(&written);
                prop_assert!(again.is_ok(), "{} -> {}: {:?}", query, written, again);
                prop_assert_eq!(again.map(|query| query.node.to_string()).unwrap_or_default(), written);
            }
            Err(fault) => {
                if let Some(instead) = fault.instead {
                    prop_assert!(parse(&instead).is_ok(), "{} -> {}: {:?}", query, instead, parse(&instead));
                }
            }
        }
    }
}
