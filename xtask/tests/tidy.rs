//! Each rule of `tidy` on small trees: what it finds, and what it leaves alone.

use toolpost_test_rows::each;
use xtask::{tidy, tree::Tree};

const CONTRACT: (&str, &str) = (
    "spec/dialects.json",
    r#"{"claude": {"tools": {"Read": {"params": {}}}},
        "trae": {"tools": {"list_dir": {"params": {}}}},
        "probe": {"tools": {"searchFiles": {"params": {}}, "edit": {"params": {}}}}}"#,
);

/// Checks that a rule has the findings `wanted` in a tree; each finding is written as `path:line: what`.
fn check(rule: &str, rows: &[(&str, &str)], wanted: &[&str]) {
    let mut rows = rows.to_vec();
    rows.push(CONTRACT);
    let tree = Tree::of_rows(&rows);
    let mut all = tidy::CHECKS.iter().chain(tidy::WARNINGS);
    let (_, check) = all.find(|(name, _)| *name == rule).unwrap();
    let found: Vec<String> =
        check(&tree).iter().map(|found| format!("{}:{}: {}", found.path, found.line, found.what)).collect();
    assert_eq!(found, wanted, "{rule}: {rows:?}");
}

fn lines(count: usize) -> String {
    "//\n".repeat(count)
}

fn function(lines: usize) -> String {
    format!("//! One.\n\nfn long() {{\n{}}}\n", "    step(\"{\");\n".repeat(lines))
}

#[test]
fn long_files_are_a_warning() {
    let tests = "#[cfg(test)]\n#[rustfmt::skip]\nmod tests {\n";
    let found = ["crates/a/src/a.rs:701: the file has 701 lines outside its tests, more than 700"];
    let with_tests = format!("{}{tests}{}}}\n", lines(500), lines(500));
    check("long files", &[("crates/a/src/a.rs", &lines(700))], &[]);
    check("long files", &[("crates/a/src/a.rs", &lines(701))], &found);
    check("long files", &[("crates/a/src/a.rs", &with_tests), ("crates/a/tests/a.rs", &lines(900))], &[]);
    let tree = Tree::of_rows(&[("crates/a/src/a.rs", &lines(701))]);
    assert_eq!(tidy::warnings(&tree).len(), 1);
}

#[test]
fn size_rule_reports_long_functions() {
    let rows: &[(&str, &str, String, &[&str])] = &[
        ("a file may be long", "crates/a/src/a.rs", lines(701), &[]),
        ("function fits", "xtask/src/a.rs", function(60), &[]),
        (
            "function too long",
            "xtask/src/a.rs",
            function(61),
            &["xtask/src/a.rs:3: `long` has 61 lines of code; 60 are allowed"],
        ),
        (
            "comments and empty lines are no code",
            "xtask/src/a.rs",
            format!("fn a() {{\n{}}}\n", "    // why\n\n    go();\n".repeat(50)),
            &[],
        ),
        ("a type of a function has no body", "a.rs", format!("type F = fn(u8);\n{}", function(10)), &[]),
    ];
    each(rows, |(_, path, text, wanted)| {
        check("size", &[(path, text)], wanted);
    });
}

#[test]
fn opening_rule_requires_one_sentence_of_module_docs() {
    let rows: &[(&str, &[&str])] = &[
        ("//! What lives here.\n", &[]),
        ("//! A sentence that goes on\n//! in a second line.\n\nuse a;\n", &[]),
        ("//! One sentence.\n//!\n//! More. Still more.\n", &[]),
        ("use a;\n", &["a.rs:1: the file does not open with `//!` and a sentence"]),
        (
            "//! No end\n\nuse a;\n",
            &["a.rs:1: the first paragraph of the file does not end with a full stop"],
        ),
        ("//! One thing. And another.\n", &["a.rs:1: the file opens with 2 sentences"]),
    ];
    each(rows, |(text, wanted)| {
        check("opening", &[("a.rs", text)], wanted);
    });
}

#[test]
fn tool_names_rule_reports_names_outside_their_dialect() {
    let rows: &[(&str, &str, &[&str])] = &[
        (
            "crates/engine/src/a.rs",
            "fn a() { \"use list_dir\" }",
            &["crates/engine/src/a.rs:1: the tool name `list_dir` outside its dialect"],
        ),
        (
            "crates/mcp-server/src/a.rs",
            "\n\"searchFiles\"",
            &["crates/mcp-server/src/a.rs:2: the tool name `searchFiles` outside its dialect"],
        ),
        (
            "crates/runtime/src/a.rs",
            "name == \"Read\"",
            &["crates/runtime/src/a.rs:1: the tool name `Read` outside its dialect"],
        ),
        (
            "crates/dialects/src/claude/a.rs",
            "\"list_dir\"",
            &["crates/dialects/src/claude/a.rs:1: the tool name `list_dir` outside its dialect"],
        ),
        (
            "crates/cli/src/a.rs",
            "r#\"list_dir\"#",
            &["crates/cli/src/a.rs:1: the tool name `list_dir` outside its dialect"],
        ),
        ("crates/dialects/src/trae/a.rs", "\"list_dir\"", &[]),
        (
            "crates/dialects/src/claude/a.rs",
            "const ALIASES: &[&str] =\n    &[\"list_dir\"];\nconst B: &str = \"list_dir\";",
            &["crates/dialects/src/claude/a.rs:3: the tool name `list_dir` outside its dialect"],
        ),
        ("crates/engine/src/a.rs", "\"Read the file again.\"", &[]),
        ("crates/engine/src/a.rs", "\"edit\"", &[]),
        ("crates/engine/src/a.rs", "\"list_directory my_list_dir\"", &[]),
        ("crates/engine/src/a.rs", "// list_dir\nfn list_dir() {}", &[]),
        ("crates/engine/tests/a.rs", "\"list_dir\"", &[]),
        ("crates/engine/src/a.rs", "#[cfg(test)]\nmod tests { const A: &str = \"list_dir\"; }", &[]),
    ];
    each(rows, |(path, text, wanted)| {
        check("tool names", &[(path, text)], wanted);
    });
    let without = tidy::check(&Tree::of_rows(&[]));
    let found: Vec<&str> = without.iter().map(|found| found.what.as_str()).collect();
    assert_eq!(found, ["the contract is missing or cannot be read"]);
}

#[test]
fn paths_rule_reports_pathbuf_in_operations() {
    let operation = "crates/engine/src/files/read.rs";
    let rows: &[(&str, &str, &[&str])] = &[
        (
            operation,
            "use a;\nfn a(path: PathBuf) {}\n",
            &["crates/engine/src/files/read.rs:2: `PathBuf` in an operation"],
        ),
        (operation, "// PathBuf\nlet a = \"PathBuf\"; struct MyPathBuf;\n", &[]),
        ("crates/engine/src/engine.rs", "fn a(path: PathBuf) {}\n", &[]),
        ("crates/workspace/src/root.rs", "fn a(path: PathBuf) {}\n", &[]),
    ];
    each(rows, |(path, text, wanted)| {
        check("paths", &[(path, text)], wanted);
    });
}

#[test]
fn links_rule_reports_dead_links() {
    let guide =
        ("docs/guide.md", "# Guide\n\n## Set `up` (twice)\n\n## Same\n\n## Same\n\n<a id=\"own\"></a>\n");
    let rows: &[(&str, &str, &[&str])] = &[
        (
            "README.md",
            "[a](docs/guide.md) [b](./docs/guide.md#set-up-twice) [c](docs) [d](docs/guide.md#own)\n",
            &[],
        ),
        ("docs/b.md", "[a](guide.md#same-1) [b](../spec/dialects.json) [c](#b)\n\n# B\n", &[]),
        ("README.md", "[a](https://example.com/docs/gone.md) [b](mailto:a@b.c) `[c](gone.md)`\n", &[]),
        ("README.md", "```text\n[a](gone.md)\n## Gone\n```\n~~~~\n```\n[a](gone.md)\n~~~~\n", &[]),
        ("crates/a/tests/fixtures/x.md", "[a](gone.md)\n", &[]),
        (
            "README.md",
            "x\n\n[a](docs/gone.md \"title\")\n",
            &["README.md:3: the link `docs/gone.md` leads to `docs/gone.md`, which does not exist"],
        ),
        (
            "docs/b.md",
            "[a]: docs/guide.md\n",
            &["docs/b.md:1: the link `docs/guide.md` leads to `docs/docs/guide.md`, which does not exist"],
        ),
        (
            "docs/b.md",
            "```sh\n# Not a heading\n```\n[a](#not-a-heading) [b](guide.md#same-2)\n",
            &[
                "docs/b.md:4: the link `#not-a-heading` names an anchor that `docs/b.md` does not have",
                "docs/b.md:4: the link `guide.md#same-2` names an anchor that `docs/guide.md` does not have",
            ],
        ),
        ("README.md", "[a](../x.md)\n", &["README.md:1: the link `../x.md` leads out of the repository"]),
        ("docs/SUMMARY.md", "# Summary\n\n- [Guide](guide.md)\n", &[]),
        (
            "docs/SUMMARY.md",
            "# Summary\n\n[top](../docs)\n",
            &["docs/SUMMARY.md:1: the table of contents does not list `docs/guide.md`"],
        ),
    ];
    each(rows, |(path, text, wanted)| {
        check("links", &[guide, (path, text)], wanted);
    });
}

#[test]
fn links_rule_compares_the_titles_of_decisions() {
    let decision = ("docs/decisions/0001-cut.md", "# 0001: Cut by lines\n");
    let index = |words: &str| format!("# Decisions\n\n| [0001](0001-cut.md) | {words} |\n");
    let same = index("Cut by lines");
    let other = index("Lines are cut");
    check("links", &[decision, ("docs/decisions/README.md", &same)], &[]);
    check(
        "links",
        &[decision, ("docs/decisions/README.md", &other)],
        &["docs/decisions/README.md:3: `0001-cut.md` is listed under another title than `Cut by lines`"],
    );
}

#[test]
fn edges_rule_reports_forbidden_dependencies() {
    let rows: &[(&str, &str, &[&str])] = &[
        (
            "crates/engine/Cargo.toml",
            "[dependencies]\ntoolpost-workspace.workspace = true\nserde = \"1\"\n",
            &[],
        ),
        (
            "crates/engine/Cargo.toml",
            "[dependencies]\nserde_json = \"1\"\n",
            &["crates/engine/Cargo.toml:2: `engine` depends on `serde_json`, which it must not use"],
        ),
        ("crates/engine/Cargo.toml", "[dev-dependencies]\nserde_json = \"1\"\n", &[]),
        (
            "crates/text/Cargo.toml",
            "[target.'cfg(unix)'.dependencies]\ntokio = \"1\"\n",
            &["crates/text/Cargo.toml:2: `text` depends on `tokio`, which it must not use"],
        ),
        (
            "crates/dialects/Cargo.toml",
            "[dependencies]\ntoolpost-workspace.workspace = true\n[dev-dependencies]\ntoolpost-runtime.workspace = true\n",
            &[
                "crates/dialects/Cargo.toml:2: `dialects` depends on `workspace`, which the design does not allow",
            ],
        ),
        ("crates/dialects/Cargo.toml", "[dev-dependencies]\ntoolpost-workspace.workspace = true\n", &[]),
        (
            "crates/runtime/Cargo.toml",
            "[dependencies]\ntoolpost-dialects.workspace = true\n",
            &[
                "crates/runtime/Cargo.toml:2: `runtime` depends on `dialects`, which the design does not allow",
            ],
        ),
        (
            "crates/magic/Cargo.toml",
            "",
            &[
                "crates/magic/Cargo.toml:1: the crate `magic` has no row in the table of dependencies, `EDGES`",
            ],
        ),
        ("fuzz/Cargo.toml", "[dependencies]\nserde_json = \"1\"\n", &[]),
    ];
    each(rows, |(path, text, wanted)| {
        check("edges", &[(path, text)], wanted);
    });
}

#[test]
fn unused_edges_rule_reports_unused_allowances() {
    let text = "[dependencies]\ntoolpost-text.workspace = true\n";
    let wanted =
        ["crates/search/Cargo.toml:1: `EDGES` allows `search` to depend on `workspace`, but it does not"];
    let all = "toolpost-trigrams = \"1\"\n";
    check("unused edges", &[("crates/search/Cargo.toml", &format!("{text}{all}"))], &wanted);
    check("unused edges", &[("crates/net/Cargo.toml", text)], &[]);
}

#[test]
fn circles_rule_reports_import_cycles() {
    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str]);
    let top = "crates/x/src/lib.rs:1: top-level modules import one another in a cycle: ";
    let ring: Vec<(String, String)> = (0..5)
        .map(|at| (format!("crates/x/src/a/m{at}.rs"), format!("use super::m{};\n", (at + 1) % 5)))
        .collect();
    let large: Vec<(&str, &str)> = ring
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .chain([("crates/x/src/a.rs", "")])
        .collect();
    let rows: &[Row<'_>] = &[
        ("a chain", &[("crates/x/src/a.rs", "use crate::b::B;"), ("crates/x/src/b.rs", "")], &[]),
        (
            "two modules",
            &[("crates/x/src/a.rs", "use crate::b::B;"), ("crates/x/src/b.rs", "fn f() { crate::a::g() }")],
            &[&format!("{top}a, b")],
        ),
        (
            "through a name that the root exports",
            &[
                ("crates/x/src/lib.rs", "mod a;\nmod b;\npub use a::{A, C as D};\n"),
                ("crates/x/src/a.rs", "use super::b;"),
                ("crates/x/src/b/mod.rs", "use crate::{A, c};"),
            ],
            &[&format!("{top}a, b")],
        ),
        (
            "comments, strings and tests do not count",
            &[
                ("crates/x/src/a.rs", "use crate::b::B;"),
                (
                    "crates/x/src/b.rs",
                    "// use crate::a;\nconst A: &str = \"use crate::a;\";\n#[cfg(test)]\nmod tests {\nuse crate::a;\n}\n",
                ),
            ],
            &[],
        ),
        (
            "four files below one module are a unit",
            &[("crates/x/src/a.rs", "use self::b::B;"), ("crates/x/src/a/b.rs", "use super::A;")],
            &[],
        ),
        (
            "five are not",
            &large,
            &["crates/x/src/lib.rs:1: 5 files import one another in a cycle: a/m0, a/m1, a/m2, a/m3, a/m4"],
        ),
    ];
    each(rows, |(_, tree, wanted)| {
        check("circles", tree, wanted);
    });
}

#[test]
fn suites_rule_reports_unlisted_test_files() {
    let suite = "crates/x/tests/suite.rs";
    let listed =
        [(suite, "mod a;\nmod common;\n"), ("crates/x/tests/a.rs", ""), ("crates/x/tests/common/mod.rs", "")];
    check("suites", &listed, &[]);
    let wanted = [format!("{suite}:1: `a.rs` is not a module of the crate's tests/suite.rs")];
    check("suites", &[(suite, "// mod a;\n"), ("crates/x/tests/a.rs", "")], &[&wanted[0]]);
}

#[test]
fn suites_rule_reports_tables_and_tests_that_never_run() {
    let (suite, rows, file) = ("crates/x/tests/suite.rs", "crates/x/tests/rows.rs", "crates/x/tests/a.rs");
    let table = "//! A.\npub(crate) fn rows_hold() -> Table {\n";
    let with_parameter = "//! A.\npub(crate) fn rows_hold(\n    count: usize,\n) -> [Table; 2] {\n";
    let list = "//! A.\npub(crate) fn rows_hold() -> impl Iterator<Item = table::Table> {\n";
    let other = "//! A.\npub(crate) fn rows_hold() -> TableOfWords {\n}\nfn own(count: usize) -> Table {\n";
    let test = "//! A.\n#[test]\nfn holds() {}\n";
    let runs = "mod a;\nfn main() { main([a::rows_hold()]) }\n";
    let unused = format!("{file}:2: the crate's tests/rows.rs does not run the table `rows_hold`");
    let never = format!("{file}:2: a test is in a file that is a module of tests/rows.rs only");
    let trees = [
        (vec![(suite, ""), (rows, runs), (file, table)], None),
        (vec![(suite, "mod a;\n"), (rows, runs), (file, test)], None),
        (vec![(suite, "mod a;\n"), (file, table)], Some(&unused)),
        (vec![(rows, "mod a;\n"), (file, table)], Some(&unused)),
        (vec![(rows, "mod a;\nfn main() { main([ba::rows_hold()]) }\n"), (file, table)], Some(&unused)),
        (vec![(rows, "mod a;\nfn main() { main([a::rows_hold_now()]) }\n"), (file, table)], Some(&unused)),
        (vec![(rows, "mod a;\n"), (file, with_parameter)], Some(&unused)),
        (vec![(rows, "mod a;\nfn main() { main(a::rows_hold(2)) }\n"), (file, with_parameter)], None),
        (vec![(rows, "mod a;\n"), (file, list)], Some(&unused)),
        (vec![(rows, "mod a;\n"), (file, other)], None),
        (vec![(suite, ""), (rows, "mod a;\n"), (file, test)], Some(&never)),
    ];
    each(trees, |(tree, wanted)| {
        let wanted: Vec<&str> = wanted.into_iter().map(String::as_str).collect();
        check("suites", &tree, &wanted);
    });
}

#[test]
fn allowances_rule_requires_a_reason() {
    let rows: &[(&str, &[&str])] = &[
        ("#[allow(dead_code)]\nfn a() {}", &["a.rs:1: a lint is allowed without a reason"]),
        ("//! A.\n#![allow(dead_code)]", &["a.rs:2: a lint is allowed without a reason"]),
        ("#[expect(dead_code)]", &["a.rs:1: a lint is expected without a reason"]),
        ("#[expect(\n    dead_code,\n    reason = \"it is used by [b]\"\n)]", &[]),
        ("let a = \"#[allow(dead_code)]\"; // #[allow(dead_code)]", &[]),
    ];
    each(rows, |(text, wanted)| {
        check("allowances", &[("a.rs", text)], wanted);
    });
}

#[test]
fn space_rule_reports_whitespace_errors() {
    let rows: &[(&str, &str, &[&str])] = &[
        ("a.rs", "fn a() {} \n", &["a.rs:1: trailing blanks"]),
        ("a.rs", "// a comment \n", &["a.rs:1: trailing blanks"]),
        ("a.rs", "\tfn a() {}\n", &["a.rs:1: a tab"]),
        ("a.rs", "let a = \"\t\";\n", &[]),
        ("a.rs", "let a = \"in a string \n\";\n", &[]),
        ("a.md", "words", &["a.md:1: the file does not end with one line break"]),
        ("a.md", "words\n\n", &["a.md:2: the file does not end with one line break"]),
        ("crates/dialects/src/claude/files.md", "     2\t\n", &[]),
        ("docs/reference/tools.md", "     2\t\n", &[]),
        ("docs/a.md", "words \n", &["docs/a.md:1: trailing blanks"]),
        ("tests/fixtures/a.json", "{} ", &[]),
        ("a.bin", "x ", &[]),
    ];
    each(rows, |(path, text, wanted)| {
        check("space", &[(path, text)], wanted);
    });
}

#[test]
fn machine_rule_reports_local_paths_and_private_registries() {
    let rows: &[(&str, &str, &[&str])] = &[
        ("README.md", "cd /Users/ada/main\n", &["README.md:1: a path of one machine: `/Users/`"]),
        ("a.sh", "\nx --cache /root/.cargo\n", &["a.sh:2: a path of one machine: `/root/.`"]),
        (
            "Cargo.lock",
            "source = \"registry+https://user:word@mirror.corp.example:8080/index\"\n",
            &["Cargo.lock:1: a private registry: `mirror.corp.example`"],
        ),
        ("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n", &[]),
        ("package-lock.json", "\"resolved\": \"https://registry.npmjs.org/a/-/a-1.tgz\"\n", &[]),
        ("a.md", "See https://docs.rs/proxy and networking.\n", &[]),
    ];
    each(rows, |(path, text, wanted)| {
        check("machine", &[(path, text)], wanted);
    });
}

#[test]
fn prose_rule_reports_phrases_above_the_baseline() {
    let phrase = "/// It is told where it stands.\n";
    let rows: &[(&str, &str, &str, &[&str])] = &[
        ("plain words", "docs/a.md", "Toolpost lists the dependencies.\n", &[]),
        (
            "a new file starts at none",
            "docs/a.md",
            "Nothing outside of the roots.\n",
            &[
                "docs/a.md:1: phrases to avoid: 1 (allowed here: 0); the last one is `outside of`; better: drop `of`",
            ],
        ),
        ("a listed file may keep its count", "crates/a/src/old.rs", phrase, &[]),
        (
            "and not add to it",
            "crates/a/src/old.rs",
            "/// It is told where it stands.\n/// Gives a name.\n",
            &[
                "crates/a/src/old.rs:2: phrases to avoid: 2 (allowed here: 1); the last one is `/// Gives`; better: open with a noun, or a verb such as `Returns`",
            ],
        ),
        ("data stays", "tests/fixtures/a.md", "outside of\n", &[]),
    ];
    each(rows, |(_, path, text, wanted)| {
        check("prose", &[(path, text), (tidy::prose::BASELINE, "1 crates/a/src/old.rs\n")], wanted);
    });
}

#[test]
fn allowed_counts_of_prose_only_fall() {
    let ratchet = |rows: &[(&str, &str)]| tidy::prose::ratchet(&Tree::of_rows(rows));
    let files = [("a.md", "anew anew\n"), ("b.md", "anew\n"), ("c.md", "plain\n"), ("d.md", "anew\n")];
    assert_eq!(ratchet(&files), "2 a.md\n1 b.md\n1 d.md\n", "without a baseline");
    let mut with = files.to_vec();
    with.push((tidy::prose::BASELINE, "1 a.md\n3 b.md\n2 c.md\n"));
    assert_eq!(ratchet(&with), "1 a.md\n1 b.md\n", "with one");
}

#[test]
fn type_names_rule_reports_words_above_the_baseline() {
    let path = "crates/a/src/a.rs";
    let what = |line: usize, count: usize, limit: usize, name: &str| {
        format!(
            "{path}:{line}: types whose name is not a noun: {count} (allowed here: {limit}); the last one is `{name}`"
        )
    };
    let rows: &[(&str, &str, &str, Option<String>)] = &[
        ("nouns", "pub struct OpenFile;\nenum HowTo {}\n", "", None),
        ("each kind", "struct Told;\npub enum Where {}\n", "", Some(what(2, 2, 0, "Where"))),
        ("a restricted one", "pub(super) struct Place<'a>(&'a str);\n", "", Some(what(1, 1, 0, "Place"))),
        ("an alias", "pub type Asking<'a> = &'a str;\n", "", Some(what(1, 1, 0, "Asking"))),
        ("a trait in a module", "mod b {\n    trait Said {}\n}\n", "", Some(what(2, 1, 0, "Said"))),
        ("an associated type", "impl Visitor for B {\n    type Place = ();\n}\n", "", None),
        ("a variant and a use", "use b::How;\nenum Kind {\n    Where,\n}\n", "", None),
        ("a comment and a string", "// struct Told;\nconst A: &str = \"\nstruct Told;\n\";\n", "", None),
        ("within the baseline", "struct Told;\n", "1 crates/a/src/a.rs\n", None),
        (
            "above the baseline",
            "struct Told;\nstruct Said;\n",
            "1 crates/a/src/a.rs\n",
            Some(what(2, 2, 1, "Said")),
        ),
    ];
    each(rows, |(_, text, baseline, wanted)| {
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        check("type names", &[(path, text), (tidy::type_names::BASELINE, baseline)], &wanted);
    });
}

#[test]
fn allowed_counts_of_type_names_only_fall() {
    let ratchet = |rows: &[(&str, &str)]| tidy::type_names::ratchet(&Tree::of_rows(rows));
    let files =
        [("a.rs", "struct Told;\nstruct Said;\n"), ("b.rs", "struct Told;\n"), ("c.rs", "struct A;\n")];
    assert_eq!(ratchet(&files), "2 a.rs\n1 b.rs\n", "without a baseline");
    let mut with = files.to_vec();
    with.push((tidy::type_names::BASELINE, "1 a.rs\n1 c.rs\n"));
    assert_eq!(ratchet(&with), "1 a.rs\n", "with one");
}

#[test]
fn regressions_rule_requires_stored_failures() {
    let kept = "proptest! {\n    #![c(Direct(\"proptest-regressions/a.txt\"))]\n    #[test]\n    fn a(b in 0..2) {}\n}\n";
    let lost = "proptest! {\n    #[test]\n    fn a(b in 0..2) {}\n}\n";
    check("regressions", &[("crates/a/tests/a.rs", kept)], &[]);
    check(
        "regressions",
        &[("crates/a/tests/a.rs", lost)],
        &["crates/a/tests/a.rs:1: the property tests do not store the cases that failed"],
    );
}

#[test]
fn readmes_rule_requires_a_readme_and_an_example() {
    let (manifest, readme) = (("crates/tool/Cargo.toml", ""), ("crates/tool/README.md", ""));
    let with_example =
        ("crates/tool/src/lib.rs", "//! Tools.\n//!\n//! ```\n//! run();\n//! ```\n\nmod a;\n");
    check("readmes", &[manifest, readme, with_example], &[]);
    check("readmes", &[manifest, with_example], &["crates/tool/README.md:1: the crate `tool` has no README"]);
    // An example further below belongs to an item, and not to the crate.
    let without_example = ("crates/tool/src/lib.rs", "//! Tools.\n\n//! ```\nmod a;\n");
    check(
        "readmes",
        &[manifest, readme, without_example],
        &["crates/tool/src/lib.rs:1: the documentation of the crate `tool` has no example"],
    );
    // An internal crate needs no example.
    check(
        "readmes",
        &[("crates/a/Cargo.toml", ""), ("crates/a/README.md", ""), ("crates/a/src/lib.rs", "//! A.\n")],
        &[],
    );
}

#[test]
fn skips_rule_requires_one_function() {
    let printed = "#[test]\nfn a() {\n    eprintln!(\"SKIPPED: no network\");\n}\n";
    let skipped = "#[test]\nfn a() {\n    skip(\"no network\");\n}\n";
    check("skips", &[("crates/a/tests/a.rs", skipped), ("crates/test-rows/src/lib.rs", printed)], &[]);
    check(
        "skips",
        &[("crates/a/tests/a.rs", printed), ("crates/a/src/b.rs", &printed.replace("SKIPPED", "skipped"))],
        &[
            "crates/a/tests/a.rs:3: a test prints that it is skipped",
            "crates/a/src/b.rs:3: a test prints that it is skipped",
        ],
    );
}

#[test]
fn skips_rule_reports_tests_that_end_early() {
    let helper = "fn is_missing() -> bool {\n    skip(\"no namespaces\");\n    true\n}\n";
    let rows = [
        ("#[test]\nfn a() {\n    if limit > 2 {\n        return;\n    }\n}\n", &[4][..]),
        ("#[tokio::test]\nasync fn a() {\n    let Some(b) = c() else { return };\n}\n", &[3]),
        ("#[test]\n#[cfg(unix)]\nfn a() {\n    skip(\"b\");\n    if c { return; }\n}\n", &[5]),
        ("#[test]\nfn a() {\n    if limit > 2 {\n        skip(\"b\");\n        return;\n    }\n}\n", &[]),
        ("#[test]\nfn a() {\n    if is_missing() {\n        return;\n    }\n}\n", &[]),
        ("#[test]\nfn a() {\n    each(rows, |row| {\n        if row { return; }\n    });\n}\n", &[]),
        ("#[test]\nfn a() {\n    fn b() { return; }\n    // return;\n}\n", &[]),
        ("fn a() {\n    return;\n}\n", &[]),
    ];
    each(rows, |(text, lines)| {
        let finding =
            |line: &i32| format!("crates/a/tests/a.rs:{line}: a test returns early without a report");
        let wanted: Vec<String> = lines.iter().map(finding).collect();
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        check("skips", &[("crates/a/tests/a.rs", text), ("crates/a/tests/common/mod.rs", helper)], &wanted);
    });
}

#[test]
fn errors_rule_reports_other_names() {
    let code = "#[derive(Debug, thiserror::Error)]\n#[error(\"no\")]\npub enum Bad { A }\n\n\
                pub struct Broken;\nimpl std::error::Error for Broken {}\n\n\
                #[derive(Debug, thiserror::Error)]\npub struct GoodError;\nimpl Error for Failure {}\n\
                #[derive(Debug)]\npub struct Other;\nimpl Display for Other {}\n";
    let found = [
        "crates/a/src/a.rs:6: the error type `Broken` does not end in `Error`",
        "crates/a/src/a.rs:1: the error type `Bad` does not end in `Error`",
    ];
    check("errors", &[("crates/a/src/a.rs", code), ("crates/a/tests/a.rs", code)], &found);
}

#[test]
fn grants_rule_reports_what_grants_accesses_or_runs_operations() {
    let code = "impl Permissions for All {}\nimpl<T: Send> toolpost_engine::Permissions for Held<T> {\n}\n\
                impl Limits for Permissions {}\nimpl OwnPermissions for All {}\n\
                // impl Permissions for All\nfn a() {\n    engine.run::<Read>(request, cx);\n    \
                engine\n        .run::<Read>(request, cx);\n    Engine::run(&engine);\n    process.run(request);\n}\n";
    let found = [
        "crates/a/src/a.rs:1: this type grants accesses to a call",
        "crates/a/src/a.rs:2: this type grants accesses to a call",
        "crates/a/src/a.rs:8: an operation runs here without the layers of a call",
        "crates/a/src/a.rs:10: an operation runs here without the layers of a call",
        "crates/a/src/a.rs:11: an operation runs here without the layers of a call",
    ];
    check("grants", &[("crates/a/src/a.rs", code), ("crates/a/tests/a.rs", code)], &found);
    let tests = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n{code}}}\n");
    check("grants", &[("crates/a/src/a.rs", &tests)], &[]);
    let tool = "fn a() {\n    engine.run::<T::Op>(request, cx);\n}\n";
    check("grants", &[("crates/tool/src/tool.rs", tool)], &[]);
    check(
        "grants",
        &[("crates/runtime/src/permissions.rs", "impl Permissions for CallPermissions {}\n")],
        &[],
    );
}

#[test]
fn statics_rule_reports_state_that_runtimes_share() {
    let code = "static OPEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());\nstatic NAMES: &[&str] = &[];\n\
                static ONE: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];\n\
                fn a(text: &'static str) -> Box<dyn Fn() + 'static> {}\n";
    let found = [
        "crates/a/src/a.rs:1: `OPEN` is state of the whole process",
        "crates/a/src/a.rs:3: `ONE` is state of the whole process",
    ];
    check("statics", &[("crates/a/src/a.rs", code)], &found);
    let listed = "static ASKING: Mutex<()> = Mutex::new(());\n#[cfg(test)]\nmod tests {\n    static A: Mutex<()> = Mutex::new(());\n}\n";
    check("statics", &[("crates/cli/src/ask.rs", listed), ("crates/a/tests/a.rs", code)], &[]);
    let gone = ["crates/cli/src/ask.rs:1: `ASKING` is listed as a static, but is not one"];
    check("statics", &[("crates/cli/src/ask.rs", "fn a() {}\n")], &gone);
}

#[test]
fn api_rule_reports_an_outdated_list() {
    let code = ("crates/toolpost/src/lib.rs", "pub fn a(b: u8) {}");
    check("api", &[code, ("crates/toolpost/api.txt", "pub fn toolpost::a(b: u8)\n")], &[]);
    check(
        "api",
        &[code, ("crates/toolpost/api.txt", "pub fn toolpost::a()\n")],
        &[
            "crates/toolpost/api.txt:1: the list of public items is out of date: -pub fn toolpost::a()",
            "crates/toolpost/api.txt:1: the list of public items is out of date: +pub fn toolpost::a(b: u8)",
        ],
    );
}

#[test]
fn tables_rule_reports_loops_that_stop_at_a_failed_row() {
    let found =
        |line: usize| format!("crates/a/tests/a.rs:{line}: a table test stops at its first failing row");
    let bound = |list: &str, over: &str| {
        format!(
            "fn a() {{\n    let rows = {list};\n    for row in {over} {{\n        assert!(row);\n    }}\n}}\n"
        )
    };
    let rows = [
        ("a list", "for a in [1, 2, 3, 4] { assert_eq!(a, 1) }".to_owned(), Some(1)),
        ("the last comma is not a row", "for a in [1, 2, 3,] { assert_eq!(a, 1) }".to_owned(), None),
        ("a repeated element", "for a in [1; 4] { assert!(a) }".to_owned(), None),
        ("a list with a name", bound("[(1, 2), (3, 4), (5, 6), (7, 8)]", "rows"), Some(3)),
        ("a borrowed list", bound("&[[1], [2], [3], [4]]", "rows.iter().enumerate()"), Some(3)),
        ("a vector", bound("vec![\n    1,\n    2,\n    3,\n    4,\n]", "&rows"), Some(8)),
        ("commas inside rows do not count", bound("[(1, 2), (3, 4)]", "rows"), None),
        ("another list", bound("[1, 2, 3, 4]", "others"), None),
        (
            "a constant",
            "const A: &[u8] = &[1, 2, 3, 4];\nfn a() {\n    for a in A { panic!() }\n}".to_owned(),
            Some(3),
        ),
        ("the rows are not checked", "for a in [1, 2, 3, 4] { write(a) }".to_owned(), None),
        (
            "the rows are checked by a function",
            "for a in [1, 2, 3, 4] { check(a) }\nfn check(a: u8) { same(a) }\nfn same(a: u8) { assert!(a) }"
                .to_owned(),
            Some(1),
        ),
        ("an assertion in a string", "for a in [1, 2, 3, 4] { write(\"assert!\") }".to_owned(), None),
        ("the helper", "each([1, 2, 3, 4], |a| { assert!(a) });".to_owned(), None),
    ];
    each(rows, |(_, text, line)| {
        let wanted: Vec<String> = line.map(found).into_iter().collect();
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        check("tables", &[("crates/a/tests/a.rs", &text)], &wanted);
    });
    let code = "fn a() {\n    for a in [1, 2, 3, 4] { assert!(a) }\n}\n";
    check("tables", &[("crates/a/src/a.rs", code)], &[]);
    let tests = format!("{code}\n#[cfg(test)]\nmod tests {{\n{code}}}\n");
    let wanted = "crates/a/src/a.rs:8: a table test stops at its first failing row";
    check("tables", &[("crates/a/src/a.rs", &tests)], &[wanted]);
}
