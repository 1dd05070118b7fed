//! Tests of the lines that a regular expression matches.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

mod support;

use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use toolpost_test_rows::each;

use support::{World, bound, lines, lock, program, unlock};
use toolpost_search::grep::{Content, FileHits, LineTruncation, Role, Show, Span};
use toolpost_search::{
    Case, Complete, Control, GrepOutput, GrepRequest, HiddenFiles, Mode, Prune, Rules, SearchError, grep,
};

const TREE: &[(&str, &str)] = &[
    (".gitignore", "dist/\n*.gen.js\n"),
    (".hidden.js", "needle\n"),
    (".git/x.js", "needle\n"),
    ("dist/app.js", "needle\n"),
    ("a.gen.js", "needle\n"),
    ("src/a.js", "one\nneedle two needle\nthree\n"),
    ("src/b.py", "Needle\n"),
    ("crlf", "foo\r\nbar\r\nfoo bar\r\n"),
    ("flag", "--flag here\nx --files y\n"),
    ("binary", "needle\0needle\n"),
    ("plain", "interface{}\na.b\n"),
];

fn run(world: &World, request: &GrepRequest) -> Result<GrepOutput, SearchError> {
    grep(&world.workspace, request, &Control::default(), None)
}

fn on(threads: usize) -> Control {
    let mut control = Control::default();
    control.threads = NonZeroUsize::new(threads);
    control
}

#[track_caller]
fn check(files: &[(&str, &str)], request: impl Fn(&World) -> GrepRequest, expected: &[&str]) {
    let world = World::new(files);
    assert_eq!(lines(&run(&world, &request(&world))), expected);
}

#[test]
fn matches_are_found_in_files_that_the_ignore_rules_allow() {
    check(
        TREE,
        |world| GrepRequest { hidden: HiddenFiles::Skip, ..world.grep("needle") },
        &["src/a.js:2:needle two needle"],
    );
    check(TREE, |world| world.grep("needle"), &[".hidden.js:1:needle", "src/a.js:2:needle two needle"]);
    check(
        TREE,
        |world| GrepRequest { rules: Rules::None, ..world.grep("needle") },
        &[".hidden.js:1:needle", "a.gen.js:1:needle", "dist/app.js:1:needle", "src/a.js:2:needle two needle"],
    );
    each(["dist/app.js", "a.gen.js", ".hidden.js", ".git/x.js"], |named| {
        check(
            TREE,
            |world| GrepRequest { base: world.workspace.resolve(named).unwrap(), ..world.grep("needle") },
            &[&format!("{named}:1:needle")],
        );
    });
    check(
        TREE,
        |world| GrepRequest { base: world.workspace.resolve("dist").unwrap(), ..world.grep("needle") },
        &["dist/app.js:1:needle"],
    );
}

#[test]
fn prune_option_decides_about_dependencies_despite_ignore_rules() {
    let files: &[(&str, &str)] = &[
        (".gitignore", "node_modules\n/vendor/\ndist\n"),
        ("a.js", "needle\n"),
        ("dist/b.js", "needle\n"),
        ("node_modules/x/c.js", "needle\n"),
        ("vendor/d.go", "needle\n"),
    ];
    check(
        files,
        |world| GrepRequest { prune: Prune::Dependencies, ..world.grep("needle") },
        &["a.js:1:needle"],
    );
    check(
        files,
        |world| GrepRequest { prune: Prune::Enter, ..world.grep("needle") },
        &["a.js:1:needle", "node_modules/x/c.js:1:needle", "vendor/d.go:1:needle"],
    );
}

#[test]
fn globs_and_types_select_files() {
    let globs = |globs: &'static [&'static str], types: &'static [&'static str]| {
        move |world: &World| GrepRequest {
            globs: globs.iter().map(|glob| (*glob).to_owned()).collect(),
            types: types.iter().map(|name| (*name).to_owned()).collect(),
            case: Case::Insensitive,
            ..world.grep("needle")
        }
    };
    check(TREE, globs(&["*.py"], &[]), &["src/b.py:1:Needle"]);
    check(
        TREE,
        globs(&["*.js"], &[]),
        &[".hidden.js:1:needle", "a.gen.js:1:needle", "src/a.js:2:needle two needle"],
    );
    check(
        TREE,
        globs(&["*.{js,py}", "!*.gen.js"], &[]),
        &[".hidden.js:1:needle", "src/a.js:2:needle two needle", "src/b.py:1:Needle"],
    );
    check(TREE, globs(&["src/**"], &["py"]), &["src/a.js:2:needle two needle", "src/b.py:1:Needle"]);
    check(TREE, globs(&["!src"], &[]), &[".hidden.js:1:needle"]);
    check(TREE, globs(&[], &["py"]), &["src/b.py:1:Needle"]);
    check(
        TREE,
        globs(&[], &["js", "py"]),
        &[".hidden.js:1:needle", "src/a.js:2:needle two needle", "src/b.py:1:Needle"],
    );
    check(
        TREE,
        globs(&[], &["pyton"]),
        &["error: unknown file type \"pyton\": did you mean `python`, `cython`?"],
    );
    let long = "a".repeat(2_000_000);
    check(
        TREE,
        |world| GrepRequest { types: vec![long.clone()], ..world.grep("needle") },
        &["error: unknown file type \"aaaaaaaaaaaaaaaaaaaa…\": use a glob such as *.ext instead"],
    );
    let glob = "a*".repeat(2_049);
    let start = "a*".repeat(50);
    check(
        TREE,
        |world| GrepRequest { globs: vec![glob.clone()], ..world.grep("needle") },
        &[&format!(
            "error: invalid glob \"{start}…\": it has 4098 bytes, and the maximum is 4096; use a shorter glob"
        )],
    );
    check(TREE, globs(&[], &["rs"]), &["error: unknown file type \"rs\": did you mean `rust`?"]);
    check(
        TREE,
        globs(&["a["], &[]),
        &["error: invalid glob \"a[\": error parsing glob 'a[': unclosed character class; missing ']'"],
    );
}

#[test]
fn absolute_globs_are_relative_to_the_base() {
    let world = World::new(&[
        ("g/a.log", "needle\n"),
        ("g/[x]/b.log", "needle\n"),
        ("h/c.log", "needle\n"),
        ("link", "->g"),
    ]);
    let root = world.root().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let nowhere = |first: &str, base: &str, glob: &str| {
        format!(
            "error: invalid glob {glob:?}: as an absolute path it is outside {base}, and {base} has no {first:?}: begin \
             the glob with a name in {base}, or search another path"
        )
    };
    let top = root.split('/').nth(1).unwrap();
    let (a, b, c) = ("g/a.log:1:needle", "g/[x]/b.log:1:needle", "h/c.log:1:needle");
    let rows: [(&str, String, Vec<String>); 13] = [
        (".", format!("{root}/g/*.log"), vec![a.to_owned()]),
        (".", format!("{root}/**/*.log"), vec![b.to_owned(), a.to_owned(), c.to_owned()]),
        (".", format!("{root}/g/a.log"), vec![a.to_owned()]),
        (".", format!("{root}/link/*.log"), vec![a.to_owned()]),
        (".", format!("!{root}/g/*"), vec![c.to_owned()]),
        (".", root.to_owned(), vec![b.to_owned(), a.to_owned(), c.to_owned()]),
        ("g", format!("{root}/g/*.log"), vec![a.to_owned()]),
        ("g/[x]", format!("{root}/g/[x]/*.log"), vec![b.to_owned()]),
        ("g", format!("{root}/**/*.log"), vec![b.to_owned(), a.to_owned()]),
        ("g", format!("{root}/h/*.log"), vec![nowhere(top, "g", &format!("{root}/h/*.log"))]),
        (".", "/nowhere/*.log".to_owned(), vec![nowhere("nowhere", ".", "/nowhere/*.log")]),
        (".", "!/nowhere/*.log".to_owned(), vec![b.to_owned(), a.to_owned(), c.to_owned()]),
        ("h/c.log", format!("{root}/h/*.log"), vec![c.to_owned()]),
    ];
    each(rows, |(base, glob, expected)| {
        let base = world.workspace.resolve(base).unwrap();
        let request = GrepRequest { base, globs: vec![glob.clone()], ..world.grep("needle") };
        assert_eq!(lines(&run(&world, &request)), expected, "{glob}");
    });
}

#[test]
fn patterns_match_literal_flags_anchors_and_crlf_lines() {
    let rows: &[(&str, &[&str])] = &[
        ("--flag", &["flag:1:--flag here"]),
        ("--files", &["flag:2:x --files y"]),
        ("foo$", &["crlf:1:foo"]),
        ("^bar$", &["crlf:2:bar"]),
        (r"interface\{\}", &["plain:1:interface{}"]),
        (r"a\.b", &["plain:2:a.b"]),
        (r"zzz", &[]),
    ];
    each(rows, |(pattern, expected)| {
        check(TREE, |world| world.grep(pattern), expected);
    });
    check(
        TREE,
        |world| GrepRequest { case: Case::Smart, ..world.grep("needle two") },
        &["src/a.js:2:needle two needle"],
    );
    check(TREE, |world| GrepRequest { case: Case::Smart, ..world.grep("Needle") }, &["src/b.py:1:Needle"]);
}

/// Returns a pseudo-random number; the sequence is the same in each run.
fn roll(seed: &mut u64, sides: usize) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    usize::try_from(*seed >> 20).unwrap() % sides
}

/// The matches in a line do not depend on the other lines, nor on the size of the file.
#[test]
fn matches_in_a_line_are_independent_of_other_lines() {
    let all = ["x", "#a", "#c", "", "d#", "a d", "#", "end d", " #a"];
    let patterns = [
        r"\A#",
        r"d\z",
        r"^$\z",
        r"\A\z",
        "^#",
        "d$",
        r"(?-m)^#",
        r"(?-m:d$)",
        r"(?i-m)\AD|^#a$",
        r"\A(#|x)\z",
        r"\Aend\b",
        r"[^\A]\z",
        r"\\A|#\z",
    ];
    let mut seed = 0xED6E;
    for turn in 0..40 {
        let chosen: Vec<&str> =
            (0..1 + roll(&mut seed, 6)).map(|_| all[roll(&mut seed, all.len())]).collect();
        let end = ["\n", "\r\n"][turn % 2];
        let text = chosen.iter().map(|line| format!("{line}{end}")).collect::<String>();
        let filler = format!("filler!{end}").repeat(1_200_000 / (7 + end.len()));
        let world = World::new(&[("small", &text), ("large", &format!("{text}{filler}"))]);
        for (number, line) in chosen.iter().enumerate() {
            world.add(format!("line{number}").as_bytes(), format!("{line}{end}").as_bytes());
        }
        each(patterns, |pattern| {
            let found = lines(&run(&world, &world.grep(pattern)));
            let found: Vec<String> = found.into_iter().filter(|line| !line.ends_with("filler!")).collect();
            let of = |name: &str| -> Vec<String> {
                found.iter().filter_map(|line| line.strip_prefix(name)).map(str::to_owned).collect()
            };
            let alone: Vec<String> = (0..chosen.len())
                .flat_map(|number| {
                    let own = of(&format!("line{number}:1"));
                    own.into_iter().map(move |rest| format!(":{}{rest}", number + 1))
                })
                .collect();
            assert_eq!(of("small"), alone, "{pattern} in {text:?}");
            assert_eq!(of("large"), alone, "{pattern} in {text:?} and much more");
        });
    }
}

#[test]
fn wrong_patterns_are_explained() {
    let world = World::new(&[]);
    let rows = [
        ("foo(", Some(r"foo\("), "unclosed group"),
        ("interface{}", Some(r"interface\{\}"), "write \\{ and \\}"),
        (r"(\w{1,200}\s?){1,200}$", None, "use smaller counts"),
        (r"a(?=b)", None, "filter the results"),
        (r"(a)\1", None, "filter the results"),
        (r"a\nb", None, "Each line is searched separately: search for text within one line"),
        ("a\nb", None, "Each line is searched separately: search for text within one line"),
        (r"foo\r", None, "Each line is searched separately: search for text within one line"),
        ("*", Some(r"\*"), "repetition operator missing expression"),
        ("f(**kwargs", Some(r"f\(\*\*kwargs"), "repetition operator missing expression"),
        ("{x}", Some(r"\{x\}"), "write \\{ and \\}"),
        (r"C:\Users", Some(r"C:\\Users"), "hexadecimal"),
        (r"a\.b(", None, "unclosed group"),
        (r"\d+\y", None, "unrecognized escape"),
        (r"a\yb", Some(r"a\\yb"), "unrecognized escape"),
        ("a.*b(", None, "unclosed group"),
        ("(a|b", None, "unclosed group"),
        ("[a-z]+(", None, "unclosed group"),
        ("a || b(", Some(r"a \|\| b\("), "unclosed group"),
    ];
    each(rows, |(pattern, suggestion, part)| {
        let Err(SearchError::Regex { why, literal, .. }) = run(&world, &world.grep(pattern)) else {
            panic!("{pattern} was accepted");
        };
        assert_eq!(literal.as_deref(), suggestion, "{pattern}");
        assert!(why.contains(part), "{pattern}: {why}");
        assert_eq!(why.contains("brace"), part.contains("\\{"), "{pattern}: {why}");
    });
}

#[test]
fn context_is_merged_and_gaps_are_marked() {
    let text = "a\nb\nM1\nc\nM2\nd\ne\nf\ng\nM3\n";
    let with = |before, after| move |world: &World| GrepRequest { before, after, ..world.grep("M") };
    check(
        &[("f", text)],
        with(1, 1),
        &["f-2-b", "f:3:M1", "f-4-c", "f:5:M2", "f-6-d", "--", "f-9-g", "f:10:M3"],
    );
    check(&[("f", text)], with(0, 0), &["f:3:M1", "f:5:M2", "f:10:M3"]);
    check(
        &[("f", text)],
        with(0, 9),
        &["f:3:M1", "f-4-c", "f:5:M2", "f-6-d", "f-7-e", "f-8-f", "f-9-g", "f:10:M3"],
    );
}

#[test]
fn matches_can_be_shown_alone_and_span_lines() {
    let only = |pattern: &'static str, span| {
        move |world: &World| GrepRequest { show: Show::Matches, span, ..world.grep(pattern) }
    };
    check(
        TREE,
        only("n[a-z]+", Span::Line),
        &[
            ".hidden.js:1:needle",
            "plain:1:nterface",
            "src/a.js:1:ne",
            "src/a.js:2:needle",
            "src/a.js:2:needle",
        ],
    );
    let text = [("f", "fn one(\n  a,\n) {}\nx\nfn two(\n) {}\n")];
    check(&text, only(r"two\(.\)", Span::Lines), &["f:5:two(", "f:6:)"]);
    check(
        &text,
        |world| GrepRequest { span: Span::Lines, ..world.grep(r"one\([^)]*\)") },
        &["f:1:fn one(", "f:2:  a,", "f:3:) {}"],
    );
    check(
        &[("f", "a\r\nb\r\n")],
        |world| GrepRequest { span: Span::Lines, ..world.grep(r"a\r\nb") },
        &["f:1:a", "f:2:b"],
    );
    each(
        [r"a\nb\n+c", "a\nb\n{2}c", r"(?m)^a$\x0Ab[^\n]*\n\nc$", r"a\r\nb\r?\n\n?c", r"a\sb|a\nb\n\nc"],
        |pattern| {
            let request = |world: &World| GrepRequest { span: Span::Lines, ..world.grep(pattern) };
            check(&[("f", "a\r\nb\r\n\r\nc\r\n")], request, &["f:1:a", "f:2:b", "f:3:", "f:4:c"]);
        },
    );
}

#[test]
fn utf_16_files_are_searched_and_binary_files_are_counted() {
    let world = World::new(&[("binary", "needle\0\n"), ("late", "")]);
    let utf16 = |mark: &[u8], wide: fn(u16) -> [u8; 2]| {
        [mark, &"a needle é\n".encode_utf16().flat_map(wide).collect::<Vec<u8>>()].concat()
    };
    world.add(b"le", &utf16(b"\xff\xfe", u16::to_le_bytes));
    world.add(b"be", &utf16(b"\xfe\xff", u16::to_be_bytes));
    world.add(b"mark", b"\xef\xbb\xbfneedle first\n");
    world.add(b"late", &[&b"needle\n".repeat(400_000)[..], b"\0\n"].concat());
    let output = run(&world, &world.grep("needle"));
    assert_eq!(lines(&output), ["be:1:a needle é", "le:1:a needle é", "mark:1:needle first"]);
    let output = output.unwrap();
    assert_eq!((output.unsearched.binary, output.totals.searched), (2, 3));
    assert_eq!(lines(&run(&world, &world.grep("^needle"))), ["mark:1:needle first"]);
    let named = GrepRequest { base: world.workspace.resolve("binary").unwrap(), ..world.grep("needle") };
    let output = run(&world, &named).unwrap();
    assert_eq!((output.files.len(), output.files[0].content), (1, Content::Binary));
}

#[test]
fn long_lines_are_cut_around_the_match() {
    let cut = |text: &str, max_line| {
        let world = World::new(&[("f", text)]);
        let output = run(&world, &GrepRequest { max_line, ..world.grep("needle") }).unwrap();
        let line = output.files[0].lines[0].clone();
        (line.text, line.cut.map(|LineTruncation { before, after }| (before, after)))
    };
    assert_eq!(cut("xneedlex", 8), ("xneedlex".to_owned(), None));
    assert_eq!(cut("aaaaneedlebbbb", 8), ("aaaaneedlebbbb".to_owned(), None));
    assert_eq!(cut("aaaaaneedlebbbbb", 8), ("aaaaneedlebbbb".to_owned(), Some((1, 1))));
    assert_eq!(cut("ééééééneedleéééééé", 8), ("ééééneedleéééé".to_owned(), Some((4, 4))));
    assert_eq!(cut("needlebbbbbbbbb", 8), ("needlebbbb".to_owned(), Some((0, 5))));
    let shown = |line: &[u8], max_line| {
        let world = World::new(&[]);
        world.add(b"f", line);
        lines(&run(&world, &GrepRequest { max_line, ..world.grep("needle") }))
    };
    assert_eq!(shown(b"caf\xe9 needle \x80\x81", 400), ["f:1:café needle €\u{FFFD}"]);
    assert_eq!(shown(b"caf\xe9\xe9\xe9needle\xfc\xfc\xfc", 4), ["f:1:ééneed"]);
    let long = format!("{}needle{}", "é".repeat(100_000), "日".repeat(900_000));
    let (text, cut) = cut(&long, 400);
    assert_eq!(text, format!("{}needle{}", "é".repeat(200), "日".repeat(200)));
    assert_eq!(cut, Some((2 * 99_800, 3 * 899_800)));
}

#[test]
fn offset_and_limit_select_from_all_matching_lines() {
    let world = World::new(&[]);
    let mut all = Vec::new();
    for file in 0..30 {
        let name = format!("d{}/f{file:02}", file % 3);
        world.add(name.as_bytes(), "match\nno\nmatch match\n".as_bytes());
        all.push(format!("{name}:1:match"));
        all.push(format!("{name}:3:match match"));
    }
    all.sort();
    each(
        [(0, None), (0, Some(7)), (7, Some(7)), (59, Some(9)), (60, Some(5)), (999, Some(1)), (3, None)],
        |(offset, limit)| {
            for threads in [1, 4] {
                let control = on(threads);
                let output = grep(
                    &world.workspace,
                    &GrepRequest { offset, limit, ..world.grep("match") },
                    &control,
                    None,
                );
                let end = limit.map_or(60, |limit| (offset + limit).min(60));
                assert_eq!(lines(&output), all[offset.min(60)..end.max(offset.min(60))]);
                let output = output.unwrap();
                let totals = output.totals;
                assert_eq!(
                    (output.entries, totals.matching_lines, totals.matches, totals.files),
                    (60, 60, 90, 30)
                );
            }
        },
    );
}

#[test]
fn files_come_newest_first_and_counts_by_path() {
    let world = World::new(&[("b", "x\nx x\n"), ("a", "x\n"), ("c", "x\n"), ("d", "y\n")]);
    for (name, seconds) in [("a", 10), ("b", 20), ("c", 20)] {
        world.changed(name, seconds);
    }
    let files = |request: &GrepRequest| {
        let output = run(&world, request).unwrap();
        let shown: Vec<(String, u64, u64)> = output
            .files
            .iter()
            .map(|file| (file.path.display(), file.matching_lines, file.matches))
            .collect();
        (shown, output.entries, output.totals.searched)
    };
    let row = |name: &str, lines, matches| (name.to_owned(), lines, matches);
    let newest = GrepRequest { mode: Mode::Files, ..world.grep("x") };
    assert_eq!(files(&newest), (vec![row("b", 1, 0), row("c", 1, 0), row("a", 1, 0)], 3, 4));
    let second = GrepRequest { offset: 1, limit: Some(1), ..newest };
    assert_eq!(files(&second), (vec![row("c", 1, 0)], 3, 4));
    let counts = GrepRequest { mode: Mode::Count, ..world.grep("x") };
    assert_eq!(files(&counts), (vec![row("a", 1, 1), row("b", 2, 3), row("c", 1, 1)], 3, 4));
}

#[test]
fn matches_over_lines_are_counted_as_ripgrep_does() {
    let world = World::new(&[("a", "x {\n y\n}\nx {\n y\n}\n"), ("b", "x x\nx\n"), ("c", "x {\r\n}\r\n")]);
    let rows: [(&str, &[&str], u64); 3] = [
        (r"x \{[^}]*\}", &["a:2", "c:1"], 8),
        (r"x", &["a:2", "b:2", "c:1"], 5),
        (r"[^y]x", &["a:1", "b:2"], 4),
    ];
    for (pattern, expected, spanned) in rows {
        let request = GrepRequest { span: Span::Lines, mode: Mode::Count, ..world.grep(pattern) };
        let output = run(&world, &request).unwrap();
        let count = |file: &FileHits| format!("{}:{}", file.path.display(), file.matching_lines);
        assert_eq!(output.files.iter().map(count).collect::<Vec<_>>(), expected, "{pattern}");
        let all: u64 = output.files.iter().map(|file| file.matching_lines).sum();
        assert_eq!(output.totals.matching_lines, all, "{pattern}");
        let shown = run(&world, &GrepRequest { mode: Mode::Content, ..request }).unwrap();
        assert_eq!((shown.totals.matching_lines, shown.entries), (spanned, spanned), "{pattern}");
        let arguments = ["--no-config", "-cU", "--multiline-dotall", "--crlf", "--regexp", pattern];
        let Some(theirs) = program(&world.root(), "rg", &arguments) else { return };
        assert_eq!(theirs, expected, "{pattern}");
    }
}

#[test]
fn repeated_search_returns_an_equal_result() {
    let world = World::new(&[]);
    for file in 0..400 {
        world.add(
            format!("d{}/e{}/f{file}", file % 7, file % 5).as_bytes(),
            format!("match {file}\n").as_bytes(),
        );
    }
    for mode in [Mode::Content, Mode::Files, Mode::Count] {
        let request = GrepRequest { mode, limit: Some(33), offset: 5, ..world.grep("match") };
        let control = on(8);
        let first = grep(&world.workspace, &request, &control, None).unwrap();
        // A search for lines ends when it has found enough, but not before it has searched 300 files.
        let entries = if mode == Mode::Content { 300 } else { 400 };
        assert_eq!((first.shown, first.entries), (33, entries));
        for _ in 0..20 {
            assert_eq!(grep(&world.workspace, &request, &control, None).unwrap(), first);
        }
    }
}

#[test]
fn withheld_files_are_counted_and_not_read() {
    let world = World::new(&[(".env", "needle\n"), ("a", "needle\n")]);
    let may_read =
        Arc::new(|path: &toolpost_workspace::WorkspacePath| path.file_name() != Some(".env".as_ref()));
    let request = GrepRequest { may_read: Some(may_read), ..world.grep("needle") };
    let output = run(&world, &request);
    assert_eq!(lines(&output), ["a:1:needle"]);
    assert_eq!(output.unwrap().unsearched.withheld, 1);
    let named = GrepRequest { base: world.workspace.resolve(".env").unwrap(), ..request };
    let output = run(&world, &named).unwrap();
    assert_eq!((output.files.len(), output.unsearched.withheld), (0, 1));
}

#[test]
fn million_matches_are_counted_but_only_the_limit_is_shown() {
    let world = World::new(&[("f", &"match\n".repeat(1_000_000)), ("e", "match\n")]);
    let output = run(&world, &GrepRequest { limit: Some(3), ..world.grep("match") });
    assert_eq!(lines(&output), ["e:1:match", "f:1:match", "f:2:match"]);
    assert_eq!(output.unwrap().totals.matching_lines, 1_000_001);
}

#[test]
fn huge_files_are_searched_or_reported() {
    let world = World::new(&[("a.txt", "needle\n")]);
    let minified = format!("{}needle{}", "a".repeat(25_000_000), "b".repeat(25_000_000));
    world.add(b"min.js", minified.as_bytes());
    let sparse = std::fs::File::create(world.root().join("sparse")).unwrap();
    sparse.set_len(4 << 30).unwrap();
    let output = run(&world, &world.grep("needle"));
    let around = format!("min.js:1:{}needle{}", "a".repeat(200), "b".repeat(200));
    assert_eq!(lines(&output), ["a.txt:1:needle".to_owned(), around]);
    assert_eq!(output.unwrap().unsearched.binary, 1);
    world.add(b"huge.txt", &b"z".repeat(80 << 20));
    let unsearched = run(&world, &world.grep("needle")).unwrap().unsearched;
    assert_eq!((unsearched.too_large, unsearched.too_large_names), (1, vec!["huge.txt".to_owned()]));
}

#[test]
fn cancelled_search_returns_the_matches_found_so_far() {
    let world = World::new(&[]);
    for file in 0..300 {
        world.add(format!("f{file:03}").as_bytes(), b"match\n");
    }
    let polls = Arc::new(AtomicUsize::new(0));
    let count = polls.clone();
    let control = on(1).cancelled_by(move || count.fetch_add(1, Ordering::Relaxed) > 50);
    let output = grep(&world.workspace, &world.grep("match"), &control, None).unwrap();
    assert_eq!(output.complete, Complete::Cancelled);
    assert!((1..300).contains(&output.totals.files), "{:?}", output.totals);
    // A search of a single file also stops in the middle.
    let world_of_one = World::new(&[("f", &"match\n".repeat(1_000_000))]);
    let polls = AtomicUsize::new(0);
    let control = on(1).cancelled_by(move || polls.fetch_add(1, Ordering::Relaxed) > 9);
    let output = grep(&world_of_one.workspace, &world_of_one.grep("match"), &control, None).unwrap();
    assert_eq!(output.complete, Complete::Cancelled);
    assert!((1..1_000_000).contains(&output.totals.matching_lines), "{:?}", output.totals);
    assert_eq!(lines(&Ok(output))[..1], ["f:1:match"]);
    let late = Control::default().until(Instant::now() - Duration::from_secs(1));
    let output = grep(&world.workspace, &world.grep("match"), &late, None).unwrap();
    assert_eq!((output.complete, output.totals.files), (Complete::TimedOut, 0));
}

#[test]
fn odd_file_names_cannot_forge_output_lines() {
    let world = World::new(&[("ok.txt", "needle\n")]);
    world.add(b"b\xffad.txt", b"needle\n");
    world.add(b"a\nfake.rs:1:needle", b"needle\n");
    let output = run(&world, &world.grep("needle"));
    assert_eq!(lines(&output), ["a\\nfake.rs:1:needle:1:needle", "b\\xffad.txt:1:needle", "ok.txt:1:needle"]);
}

/// Calls a function on a thread that the modes of files apply to, also if the user is root.
fn obeying_modes<T: Send>(call: impl FnOnce() -> T + Send) -> T {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut own = capabilities(None).unwrap();
            own.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            set_capabilities(None, own).unwrap();
            call()
        });
        thread.join().unwrap()
    })
}

#[test]
fn missing_and_unreadable_paths_are_reported() {
    let world =
        World::new(&[("locked/x", "42\n"), ("readable/notes.txt", "the answer is 42\n"), ("dark", "42\n")]);
    let gone = GrepRequest { base: world.workspace.resolve("nope").unwrap(), ..world.grep("42") };
    assert_eq!(
        lines(&run(&world, &gone)),
        ["error: nope does not exist; check the path, or search its parent directory"]
    );
    let mode = |name: &str, mode| {
        std::fs::set_permissions(world.root().join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("locked", 0);
    mode("dark", 0);
    let output = obeying_modes(|| run(&world, &world.grep("answer")));
    mode("locked", 0o700);
    assert_eq!(lines(&output), ["readable/notes.txt:1:the answer is 42"]);
    let unreadable = output.unwrap().unreadable;
    let names: Vec<&str> = unreadable.names.iter().map(String::as_str).collect();
    assert_eq!(
        (unreadable.count, names),
        (2, vec!["dark: EACCES: Permission denied", "locked: EACCES: Permission denied"])
    );
}

#[test]
fn line_roles_distinguish_matches_from_context() {
    let world = World::new(&[("f", "a\nM\n")]);
    let output = run(&world, &GrepRequest { before: 1, ..world.grep("M") }).unwrap();
    let roles: Vec<(u64, Role)> = output.files[0].lines.iter().map(|line| (line.number, line.role)).collect();
    assert_eq!(roles, [(1, Role::Context), (2, Role::Match)]);
}

#[test]
fn ripgrep_finds_the_same_lines() {
    let world = World::new(TREE);
    let rows: &[(&str, &[&str])] = &[
        ("needle", &[]),
        ("(?i)needle", &["*.js"]),
        ("e", &["!*.py"]),
        ("e", &["src/*"]),
        ("e", &["/src/*.js", "*.py"]),
        ("e", &["src"]),
        ("e", &["**/a.*", "!dist"]),
        ("o{2}|--", &["*"]),
    ];
    each(rows, |(pattern, globs)| {
        let mut arguments = vec!["--no-config", "--no-ignore-global", "--no-require-git", "--crlf", "-nH"];
        arguments.extend(globs.iter().flat_map(|glob| ["--glob", glob]));
        arguments.extend(["--regexp", pattern]);
        let Some(expected) = program(&world.root(), "rg", &arguments) else { return };
        let expected: Vec<String> = expected
            .into_iter()
            .filter(|line| !line.contains("binary file"))
            .map(|line| line.replace('\r', ""))
            .collect();
        let globs = globs.iter().map(|glob| (*glob).to_owned()).collect();
        let request = GrepRequest { globs, hidden: HiddenFiles::Skip, ..world.grep(pattern) };
        let mut found = lines(&run(&world, &request));
        found.sort();
        assert_eq!(found, expected, "{pattern} {:?}", request.globs);
    });
}

#[test]
fn unreadable_base_directory_is_an_error() {
    let world = World::new(&[("locked/x", "needle\n"), ("open/z", "needle\n")]);
    let locked = world.root().join("locked");
    let base = GrepRequest { base: world.workspace.resolve("locked").unwrap(), ..world.grep("needle") };
    lock(&locked);
    let (start, above) = bound(|| (run(&world, &base), run(&world, &world.grep("needle"))));
    unlock(&locked);
    assert_eq!(
        lines(&start),
        ["error: locked cannot be accessed: permission denied; change its permissions first"]
    );
    assert_eq!((lines(&above), above.unwrap().unreadable.count), (vec!["open/z:1:needle".to_owned()], 1));
}

#[test]
fn window_at_a_large_offset_is_shown_and_its_cut_reported() {
    let world = World::new(&[("after", "last\n")]);
    let numbers: Vec<String> = (1..=600_000).map(|number| number.to_string()).collect();
    world.add(b"a", (numbers.join("\n") + "\n").as_bytes());
    let far = |base: &str, offset: usize, limit: usize| {
        let base = world.workspace.resolve(base).unwrap();
        let request = GrepRequest { base, offset, limit: Some(limit), ..world.grep(".") };
        let output = run(&world, &request).unwrap();
        let counts = (output.entries, output.shown, output.window_cut);
        (lines(&Ok(output)), counts)
    };
    let wanted = |numbers: std::ops::RangeInclusive<u64>| -> Vec<String> {
        numbers.map(|number| format!("a:{number}:{number}")).collect()
    };
    assert_eq!(far("a", 500_000, 3), (wanted(500_001..=500_003), (600_000, 3, 0)));
    assert_eq!(far("a", 599_999, 3), (wanted(600_000..=600_000), (600_000, 1, 0)));
    assert_eq!(far("a", 600_000, 3), (vec![], (600_000, 0, 0)));
    assert_eq!(far(".", 500_000, 3), (wanted(500_001..=500_003), (600_001, 3, 0)));
    let ending = [wanted(599_999..=600_000), vec!["after:1:last".to_owned()]].concat();
    assert_eq!(far(".", 599_998, 5), (ending, (600_001, 3, 0)));
    // The search finds more lines than it keeps in memory.
    let (shown, (entries, count, cut)) = far("a", 0, usize::MAX);
    assert_eq!((shown.len() as u64, entries, count + cut), (count, 600_000, 600_000));
    assert!(cut > 0 && shown == wanted(1..=count), "{count} {cut}");
}

#[test]
fn files_that_are_not_utf_8_use_the_requested_encoding() {
    let world = World::new(&[("plain", "cafe\n"), ("utf8", "caf\u{e9}\n")]);
    let long = "x\n".repeat(600_000);
    world.add(b"latin", b"b\xE9ta caf\xE9\n");
    world.add(b"long", &[long.as_bytes(), b"caf\xE9\n"].concat());
    let named = Some(encoding_rs::WINDOWS_1252);
    let rows: [(&str, Option<&'static encoding_rs::Encoding>, &[&str], u64); 6] = [
        (
            "caf\u{e9}",
            named,
            &["latin:1:b\u{e9}ta caf\u{e9}", "long:600001:caf\u{e9}", "utf8:1:caf\u{e9}"],
            0,
        ),
        ("b.ta", named, &["latin:1:b\u{e9}ta caf\u{e9}"], 0),
        ("caf\u{e9}", None, &["utf8:1:caf\u{e9}"], 2),
        ("caf\\x{e9}", None, &["utf8:1:caf\u{e9}"], 2),
        ("cafe", None, &["plain:1:cafe"], 0),
        ("cafe", named, &["plain:1:cafe"], 0),
    ];
    each(rows, |(pattern, encoding, wanted, only_ascii)| {
        let found = run(&world, &GrepRequest { encoding, ..world.grep(pattern) });
        assert_eq!(lines(&found), wanted, "{pattern} {encoding:?}");
        let found = found.unwrap();
        assert_eq!((found.unsearched.only_ascii, found.totals.searched), (only_ascii, 4), "{pattern}");
    });
    let named = world.workspace.resolve("latin").unwrap();
    let found = run(&world, &GrepRequest { base: named, ..world.grep("\u{e9}") }).unwrap();
    assert_eq!(found.unsearched.only_ascii, 1);
}
