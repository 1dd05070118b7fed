//! Lookup of files by nearly correct names.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use common::World;
use toolpost_test_rows::each;
use toolpost_workspace::{LookupError, MissingPathError};

const NARROW: char = '\u{202f}';

fn world() -> World {
    let world = World::new();
    for name in [
        &format!("Screenshot 1.01.11{NARROW}AM.png"),
        "cafe\u{301}.txt",
        "it\u{2019}s.md",
        "README.md",
        "Two Words.txt",
        "two\u{a0}words.txt",
        "exact.txt",
        "EXACT.txt",
        "De\u{301}p/Inner.rs",
        "src/main.rs",
        "src/other/config.toml",
        "deep/er/config.toml",
        ".git/config.toml",
    ] {
        world.write(name, name);
    }
    world
}

#[test]
fn lookup_uses_the_only_similar_name_and_notes_it() {
    let world = world();
    let workspace = world.open();
    let rows = [
        ("Screenshot 1.01.11 AM.png", Some(format!("Screenshot 1.01.11{NARROW}AM.png"))),
        ("caf\u{e9}.txt", Some("cafe\u{301}.txt".into())),
        ("it's.md", Some("it\u{2019}s.md".into())),
        ("readme.md", Some("README.md".into())),
        ("exact.txt", Some("exact.txt".into())),
        ("EXACT.txt", Some("EXACT.txt".into())),
        ("Exact.txt", None),
        ("two words.txt", None),
        ("Two Words.txt", Some("Two Words.txt".into())),
        ("d\u{e9}p/inner.rs", Some("De\u{301}p/Inner.rs".into())),
        ("SRC/MAIN.RS", Some("src/main.rs".into())),
        ("src/none.rs", None),
    ];
    each(rows, |(requested, wanted)| {
        let found = workspace.lookup(requested).ok();
        let expected_note = wanted.as_ref().is_some_and(|wanted| wanted != requested);
        assert_eq!(found.as_ref().map(|found| found.note.is_some()), wanted.as_ref().map(|_| expected_note));
        assert_eq!(found.map(|found| found.path.display()), wanted, "{requested}");
    });
    let note = workspace.lookup("readme.md").unwrap().note.unwrap();
    assert_eq!(note, "readme.md does not exist; README.md was used instead, because its name looks the same");
    // Writes never use lookups.
    assert_eq!(workspace.resolve("readme.md").unwrap().display(), "readme.md");
}

#[test]
fn missing_path_is_reported_with_suggestions() {
    let world = world();
    let workspace = world.open();
    let missing = |requested: &str| match workspace.lookup(requested) {
        Err(LookupError::Missing(missing)) => missing,
        other => panic!("{other:?}"),
    };
    let missing_path = |requested: &str, siblings: &[&str], elsewhere: &[&str]| MissingPathError {
        path: workspace.resolve(requested).unwrap(),
        workspace: world.root().to_str().unwrap().to_owned(),
        siblings: siblings.iter().map(|name| workspace.resolve(name).unwrap()).collect(),
        same_name_elsewhere: elsewhere.iter().map(|name| workspace.resolve(name).unwrap()).collect(),
    };
    let rows = [
        ("src/mian.rs", missing_path("src/mian.rs", &["src/main.rs"], &[])),
        ("config.toml", missing_path("config.toml", &[], &["deep/er/config.toml", "src/other/config.toml"])),
        ("REDME.md", missing_path("REDME.md", &["README.md"], &[])),
        ("zzzzzzzz", missing_path("zzzzzzzz", &[], &[])),
        ("scr/main.rs", missing_path("scr/main.rs", &["src"], &["src/main.rs"])),
    ];
    each(rows, |(requested, wanted)| {
        assert_eq!(missing(requested), wanted, "{requested}");
    });
    let root = world.root();
    let message = missing("src/mian.rs").to_string();
    let wanted = format!(
        "src/mian.rs does not exist (the workspace is {}). Did you mean `src/main.rs`?",
        root.display()
    );
    assert_eq!(message, wanted);
    assert!(matches!(workspace.lookup("../out"), Err(LookupError::Path(_))));
}
