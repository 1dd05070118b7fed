//! Tests of the files that a pattern matches.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use toolpost_test_rows::each;

use support::{World, bound, lock, unlock};
use toolpost_search::{
    Case, Complete, Control, EntryKinds, GlobRequest, HiddenFiles, Names, Prune, Rules, glob,
};

const TREE: &[(&str, &str)] = &[
    (".gitignore", "dist/\n*.log\n!keep.log\n"),
    (".env", ""),
    (".github/workflows/ci.yml", ""),
    (".git/config", ""),
    (".git/hooks/a.rs", ""),
    ("Cargo.toml", ""),
    ("a.rs", ""),
    ("app/[id]/page.tsx", ""),
    ("dist/app.js", ""),
    ("dist/sub/dist/deep.js", ""),
    ("debug.log", ""),
    ("keep.log", ""),
    ("node_modules/x/index.js", ""),
    ("src/b.rs", ""),
    ("src/deep/c.rs", ""),
    ("src/deep/d.ts", ""),
    ("src/Main.TS", ""),
    ("target/debug/e.rs", ""),
    ("link.rs", "->a.rs"),
    ("linked", "->src"),
];

fn found(world: &World, request: &GlobRequest) -> Vec<String> {
    match glob(&world.workspace, request, &Control::default(), None) {
        Ok(output) => {
            let mut paths: Vec<String> = output.matches.iter().map(|found| found.path.display()).collect();
            paths.sort();
            paths
        }
        Err(error) => vec![format!("error: {error}")],
    }
}

#[track_caller]
fn check(request: impl Fn(&World) -> GlobRequest, expected: &[&str]) {
    let world = World::new(TREE);
    assert_eq!(found(&world, &request(&world)), expected, "{:?}", request(&world).pattern);
}

#[test]
fn glob_patterns_match_the_expected_paths() {
    let rows: &[(&str, &[&str])] = &[
        ("*.rs", &["a.rs", "link.rs", "src/b.rs", "src/deep/c.rs"]),
        ("**/*.rs", &["a.rs", "link.rs", "src/b.rs", "src/deep/c.rs"]),
        ("./*.rs", &["a.rs", "link.rs"]),
        ("src/*.rs", &["src/b.rs"]),
        ("src/**/*.rs", &["src/b.rs", "src/deep/c.rs"]),
        ("src/**", &["src/Main.TS", "src/b.rs", "src/deep/c.rs", "src/deep/d.ts"]),
        ("**/deep/*", &["src/deep/c.rs", "src/deep/d.ts"]),
        ("*/deep/?.ts", &["src/deep/d.ts"]),
        ("src/*.{rs,TS}", &["src/Main.TS", "src/b.rs"]),
        ("{src/*.rs,Cargo.toml}", &["Cargo.toml", "src/b.rs"]),
        ("src/{deep/{c,x},b}.rs", &["src/b.rs", "src/deep/c.rs"]),
        ("[ab].rs", &["a.rs", "src/b.rs"]),
        ("src/[!b].rs", &[]),
        ("src/[b{].rs", &["src/b.rs"]),
        (
            "*.{rs,ts,js,{TS,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,aa,bb,cc,dd,ee}}",
            &["a.rs", "link.rs", "src/Main.TS", "src/b.rs", "src/deep/c.rs", "src/deep/d.ts"],
        ),
        ("app/[id]/*.tsx", &["app/[id]/page.tsx"]),
        ("app/\\[id\\]/page.tsx", &["app/[id]/page.tsx"]),
        ("src//deep/./c.rs", &["src/deep/c.rs"]),
        ("src/../a.rs", &["a.rs"]),
        ("nothing/*.rs", &[]),
        ("a.rs/*", &[]),
        ("linked/*.rs", &["src/b.rs"]),
        ("**/*.zig", &[]),
    ];
    each(rows, |(pattern, expected)| {
        check(|world| world.glob(pattern), expected);
    });
}

#[test]
fn literal_names_in_a_glob_override_ignore_rules() {
    let rows: &[(&str, &[&str])] = &[
        (".github/workflows/*.yml", &[".github/workflows/ci.yml"]),
        ("{.github,src}/**/*.yml", &[".github/workflows/ci.yml"]),
        ("**/.github/**/*.yml", &[".github/workflows/ci.yml"]),
        ("dist/*.js", &["dist/app.js"]),
        ("**/dist/*.js", &["dist/app.js"]),
        ("**/*.js", &[]),
        ("dist/app.js", &["dist/app.js"]),
        (".env", &[".env"]),
        ("debug.log", &["debug.log"]),
        ("*.log", &["keep.log"]),
        ("node_modules/**/*.js", &["node_modules/x/index.js"]),
        ("**/node_modules/x/*.js", &["node_modules/x/index.js"]),
        ("target/**", &["target/debug/e.rs"]),
        (".git/*", &[".git/config"]),
    ];
    each(rows, |(pattern, expected)| {
        check(|world| world.glob(pattern), expected);
    });
}

#[test]
fn glob_options_select_kind_case_and_rules() {
    check(
        |world| GlobRequest { only: EntryKinds::Directories, ..world.glob("**") },
        &["app", "app/[id]", "src", "src/deep"],
    );
    check(|world| world.glob("src/*/"), &["src/deep"]);
    check(|world| world.glob("deep/"), &["src/deep"]);
    check(
        |world| GlobRequest { only: EntryKinds::Any, ..world.glob("src/*") },
        &["src/Main.TS", "src/b.rs", "src/deep"],
    );
    check(|world| GlobRequest { case: Case::Insensitive, ..world.glob("SRC/*.ts") }, &["src/Main.TS"]);
    check(|world| GlobRequest { case: Case::Smart, ..world.glob("main.ts") }, &["src/Main.TS"]);
    check(|world| GlobRequest { case: Case::Smart, ..world.glob("Main.ts") }, &[]);
    check(
        |world| GlobRequest { hidden: HiddenFiles::Show, ..world.glob("*.yml") },
        &[".github/workflows/ci.yml"],
    );
    check(|world| GlobRequest { hidden: HiddenFiles::Show, ..world.glob("config") }, &[]);
    check(|world| GlobRequest { rules: Rules::None, ..world.glob("*.log") }, &["debug.log", "keep.log"]);
    check(
        |world| GlobRequest { rules: Rules::None, prune: Prune::Nothing, ..world.glob("{index,app}.js") },
        &["dist/app.js", "node_modules/x/index.js"],
    );
    check(
        |world| GlobRequest { base: world.workspace.resolve("src").unwrap(), ..world.glob("*.rs") },
        &["src/b.rs", "src/deep/c.rs"],
    );
    check(|world| world.glob(&format!("{}/src/*.rs", world.root().display())), &["src/b.rs"]);
}

#[test]
fn paths_are_compared_with_patterns_without_a_walk() {
    each(
        [
            ("*.log", "a.log", true),
            ("*.log", "deep/down/a.log", true),
            ("*.log", "a.txt", false),
            ("./*.log", "deep/a.log", false),
            ("dist", "dist/app.js", true),
            ("dist/", "dist/app.js", true),
            ("dist/", "dist", false),
            ("dist", "src/dist/app.js", true),
            ("src/dist", "src/dist/app.js", true),
            ("src/dist", "dist/app.js", false),
            ("src/**", "src/a/b.rs", true),
            ("src/**", "src", false),
            ("src/**/*.{rs,ts}", "src/a/b.ts", true),
            ("src/*.rs", "src/a/b.rs", false),
            ("**/test_*/**", "x/test_a/y/z.py", true),
            ("[id].tsx", "app/[id].tsx", true),
        ],
        |(pattern, path, fits)| {
            assert_eq!(
                Names::new(pattern, Case::Sensitive).unwrap().fit(path.as_bytes()),
                fits,
                "{pattern} {path}"
            );
        },
    );
    assert!(Names::new("A*", Case::Insensitive).unwrap().fit(b"src/abc"));
    for wrong in ["/abs/*.rs", "../up/*.rs", "~/x*"] {
        let error = Names::new(wrong, Case::Sensitive).unwrap_err().to_string();
        let why = "it leads outside the searched directory; use a path relative to that directory";
        assert_eq!(error, format!("invalid glob {wrong:?}: {why}"));
    }
}

#[test]
fn glob_depth_counts_levels_from_the_first_wildcard() {
    each(
        [
            ("*.rs", 1, &["a.rs", "link.rs"][..]),
            ("*.rs", 2, &["a.rs", "link.rs", "src/b.rs"]),
            ("**/*.rs", 3, &["a.rs", "link.rs", "src/b.rs", "src/deep/c.rs"]),
            ("src/**", 1, &["src/Main.TS", "src/b.rs"]),
            ("dist/**/*.js", 1, &["dist/app.js"]),
            ("**/dist/*.js", 1, &[]),
        ],
        |(pattern, depth, expected)| {
            check(|world| GlobRequest { depth: Some(depth), ..world.glob(pattern) }, expected);
        },
    );
    check(
        |world| GlobRequest { depth: Some(2), only: EntryKinds::Any, ..world.glob("*e*") },
        &["keep.log", "linked", "src/deep"],
    );
    check(
        |world| GlobRequest { depth: Some(0), ..world.glob("*") },
        &["error: depth must be greater than zero: 1 searches only the directory itself"],
    );
}

#[test]
fn invalid_globs_and_bases_are_explained() {
    let world = World::new(TREE);
    let bomb = "{a/,b/}".repeat(24);
    let rows: &[(&str, &str)] = &[
        ("a\0b", "invalid glob \"a\\0b\": it has a NUL byte, which no name contains"),
        ("", "invalid glob \"\": it contains no name; use **/* for all files"),
        ("a[", "invalid glob \"a[\": unclosed character class; missing ']'"),
        (
            "{a,b",
            "invalid glob \"{a,b\": unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
        ),
        (
            "*/../x",
            "invalid glob \"*/../x\": `..` cannot follow a wildcard or end the pattern; put `..` at the beginning",
        ),
    ];
    each(rows, |(pattern, expected)| {
        assert_eq!(found(&world, &world.glob(pattern)), [format!("error: {expected}")]);
    });
    assert_eq!(
        found(&world, &world.glob(&bomb)),
        [format!(
            "error: invalid glob {bomb:?}: its braces expand to more than 256 patterns; use fewer alternatives"
        )]
    );
    assert_eq!(found(&world, &world.glob(&"{a,b}".repeat(24))), [""; 0]);
    // More than the matcher accepts, and nested to the limit: an error or an answer, never a panic.
    let many: Vec<String> = (0..200_000).map(|number| format!("q{number}")).collect();
    let many = format!("*.{{{}}}", many.join(","));
    let message = found(&world, &world.glob(&many)).join("\n");
    assert!(message.starts_with("error: invalid glob \"*.{q0,q1,"), "{message}");
    assert!(
        message.ends_with("it has 1488893 bytes, and the maximum is 4096; use a shorter glob"),
        "{message}"
    );
    let deep = format!("{}x{}", "{a*,".repeat(500), "}".repeat(500));
    let message = found(&world, &world.glob(&deep)).join("\n");
    assert!(message.starts_with("error: invalid glob"), "{message}");
    for outside in ["../*.rs", "/etc/*", "../../etc/passwd"] {
        let error = glob(&world.workspace, &world.glob(outside), &Control::default(), None).unwrap_err();
        assert!(matches!(error, toolpost_search::SearchError::Outside(_)), "{outside}: {error}");
    }
    let base = |path: &str| GlobRequest { base: world.workspace.resolve(path).unwrap(), ..world.glob("*") };
    assert_eq!(
        found(&world, &base("a.rs")),
        ["error: glob path must be a directory: a.rs is not one; use its parent directory instead"]
    );
    assert_eq!(
        found(&world, &base("nope")),
        ["error: nope does not exist; check the path, or search its parent directory"]
    );
}

#[test]
fn links_to_outside_are_refused_and_link_cycles_end() {
    let world = World::new(&[("a/b/up", "->../.."), ("x", "->y"), ("y", "->x"), ("a/f.txt", "")]);
    std::fs::write(world.directory.path().join("secret.txt"), "").unwrap();
    world.add(b"out", b"->..");
    assert_eq!(found(&world, &world.glob("**/*.txt")), ["a/f.txt"]);
    let error = glob(&world.workspace, &world.glob("out/*"), &Control::default(), None).unwrap_err();
    assert!(matches!(error, toolpost_search::SearchError::Outside(_)), "{error}");
}

#[test]
fn newest_files_come_first_and_all_are_counted() {
    let world =
        World::new(&[("old.rs", ""), ("new.rs", ""), ("b/same.rs", ""), ("b-a.rs", ""), ("a.rs", "")]);
    for (name, seconds) in [("old.rs", 10), ("new.rs", 90), ("b/same.rs", 50), ("b-a.rs", 50), ("a.rs", 50)] {
        world.changed(name, seconds);
    }
    each([None, Some(5), Some(2), Some(0)], |limit| {
        let output =
            glob(&world.workspace, &GlobRequest { limit, ..world.glob("*.rs") }, &Control::default(), None)
                .unwrap();
        let shown: Vec<(String, i64)> = output
            .matches
            .iter()
            .map(|found| (found.path.display(), found.modified / 1_000_000_000))
            .collect();
        let all = [("new.rs", 90), ("a.rs", 50), ("b/same.rs", 50), ("b-a.rs", 50), ("old.rs", 10)];
        let expected: Vec<(String, i64)> =
            all.map(|(path, time)| (path.to_owned(), time))[..limit.unwrap_or(5)].to_vec();
        assert_eq!((shown, output.total, output.complete), (expected, 5, Complete::Yes));
    });
}

#[test]
fn skipped_files_and_directories_are_counted() {
    let world = World::new(TREE);
    let output = glob(&world.workspace, &world.glob("**/*.{js,log,yml}"), &Control::default(), None).unwrap();
    let skipped = output.skipped;
    let counts = (
        (skipped.ignored_files, skipped.ignored_directories),
        (skipped.hidden_files, skipped.hidden_directories),
        (skipped.version_control, skipped.dependencies),
    );
    assert_eq!(counts, ((1, 1), (0, 1), (1, 2)));
    let names: Vec<&str> = skipped.directories.iter().map(String::as_str).collect();
    assert_eq!(names, [".github", "dist", "node_modules", "target"]);
}

#[test]
fn odd_file_names_are_found_and_escaped() {
    let world = World::new(&[]);
    world.add(b"b\xffad.txt", b"");
    world.add(b"a\nfake.txt", b"");
    assert_eq!(found(&world, &world.glob("*.txt")), ["a\\nfake.txt", "b\\xffad.txt"]);
}

#[test]
fn cancelled_glob_is_distinguished_from_a_complete_one() {
    let world = World::new(TREE);
    let polls = std::sync::Arc::new(AtomicUsize::new(0));
    let count = polls.clone();
    let cancelled = Control::default().cancelled_by(move || count.fetch_add(1, Ordering::Relaxed) > 5);
    let output = glob(&world.workspace, &world.glob("**"), &cancelled, None).unwrap();
    assert_eq!(output.complete, Complete::Cancelled);
    let late = Control::default().until(Instant::now() - Duration::from_secs(1));
    let output = glob(&world.workspace, &world.glob("**"), &late, None).unwrap();
    assert_eq!((output.complete, output.total), (Complete::TimedOut, 0));
}

#[test]
fn unreadable_start_directory_is_an_error() {
    let world = World::new(&[("locked/x.rs", ""), ("locked/deep/y.rs", ""), ("open/z.rs", "")]);
    let locked = world.root().join("locked");
    let base = GlobRequest { base: world.workspace.resolve("locked").unwrap(), ..world.glob("*.rs") };
    lock(&locked);
    let rows = bound(|| {
        [
            found(&world, &base),
            found(&world, &world.glob("locked/*.rs")),
            found(&world, &world.glob("locked/deep/*.rs")),
            found(&world, &world.glob("**/*.rs")),
        ]
    });
    unlock(&locked);
    let deep = locked.canonicalize().unwrap().join("deep");
    let deep = format!(
        "error: {} cannot be accessed: permission denied in a parent directory; change its permissions first",
        deep.display()
    );
    assert_eq!(
        rows,
        [
            ["error: locked cannot be accessed: permission denied; change its permissions first"],
            ["error: locked cannot be accessed: permission denied; change its permissions first"],
            [deep.as_str()],
            ["open/z.rs"],
        ]
    );
}
