//! Resolution of every form of a path.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use toolpost_test_rows::each;

use common::World;
use toolpost_workspace::{OpenError, Options, PathError, Scope, Workspace};

/// A given path, and the expected display path or name of the error.
type Row<'a> = (&'a str, &'a str);

fn world() -> World {
    let world = World::new();
    world.write("a.txt", "a");
    world.write("sub/deep/b.txt", "b");
    world.write("with space.txt", "s");
    world.write("ünï.txt", "u");
    fs::write(world.out("secret.txt"), "CANARY").unwrap();
    fs::create_dir_all(world.out("dir/sub")).unwrap();
    fs::create_dir(world.base().join("ws-evil")).unwrap();
    fs::write(world.base().join("ws-evil/secret.txt"), "CANARY").unwrap();
    let links = [
        ("in", "a.txt".into()),
        ("indir", "sub".into()),
        ("up", "sub/deep/../..".into()),
        ("absolute", world.at("sub/deep/b.txt")),
        ("chain", "in".into()),
        ("sub/back", "../a.txt".into()),
        ("out", world.out("")),
        ("outfile", world.out("secret.txt")),
        ("outsub", world.out("dir/sub")),
        ("outrelative", "../out/secret.txt".into()),
        ("dangling", "missing/new.txt".into()),
        ("danglingout", world.out("created.txt")),
        ("danglingup", "missing/../sub".into()),
        ("loop", "loop".into()),
        ("x", "y".into()),
        ("y", "x".into()),
        ("proc", "/proc/self/root".into()),
        ("roundabout", world.out("home")),
    ];
    for (name, target) in links {
        symlink(target, world.at(name)).unwrap();
    }
    symlink(world.root(), world.base().join("alias")).unwrap();
    symlink(world.at("sub"), world.base().join("subalias")).unwrap();
    symlink(world.root(), world.out("home")).unwrap();
    world
}

fn kind(error: &PathError) -> &'static str {
    match error {
        PathError::Outside { .. } => "OUTSIDE",
        PathError::Nul { .. } => "NUL",
        PathError::TooLong { .. } => "TOO LONG",
        PathError::Empty => "EMPTY",
        PathError::Loop { .. } => "LOOP",
        PathError::NoRoot => "NO ROOT",
        PathError::NotADirectory { .. } => "NOT A DIRECTORY",
        PathError::Denied { .. } => "DENIED",
        PathError::NoHome { .. } => "NO HOME",
        PathError::OtherHost { .. } => "OTHER HOST",
        PathError::Io { .. } => "IO",
    }
}

fn check(world: &World, workspace: &Workspace, rows: &[Row<'_>]) {
    for (requested, wanted) in rows {
        let requested = requested
            .replace("{WS}", world.root().to_str().unwrap())
            .replace("{OUT}", world.base().join("out").to_str().unwrap())
            .replace("{BASE}", world.base().to_str().unwrap());
        let found = match workspace.resolve(&requested) {
            Ok(path) => path.display(),
            Err(error) => kind(&error).to_owned(),
        };
        assert_eq!(found, *wanted, "{requested}");
    }
}

#[test]
fn paths_inside_the_root_are_resolved() {
    let world = world();
    let workspace = world.open();
    check(
        &world,
        &workspace,
        &[
            ("a.txt", "a.txt"),
            ("./a.txt", "a.txt"),
            (".//sub/./deep//b.txt", "sub/deep/b.txt"),
            ("sub/../a.txt", "a.txt"),
            ("nothing/../a.txt", "a.txt"),
            (".", "."),
            ("./", "."),
            ("sub/", "sub"),
            ("{WS}", "."),
            ("{WS}/", "."),
            ("{WS}/a.txt", "a.txt"),
            ("{WS}/../ws/a.txt", "a.txt"),
            ("../ws/a.txt", "a.txt"),
            ("file://{WS}/a.txt", "a.txt"),
            ("file://localhost{WS}/with%20space.txt", "with space.txt"),
            ("file://{WS}/%C3%BCn%c3%af.txt", "ünï.txt"),
            ("file://{WS}/100%.txt", "100%.txt"),
            ("{BASE}/alias/a.txt", "a.txt"),
            ("{BASE}/alias", "."),
            ("{BASE}/alias/new/file", "new/file"),
            ("{BASE}/subalias/deep/b.txt", "sub/deep/b.txt"),
            ("{OUT}/home/a.txt", "a.txt"),
            ("/proc/self/root{WS}/a.txt", "a.txt"),
            ("in", "a.txt"),
            ("chain", "a.txt"),
            ("indir/deep/b.txt", "sub/deep/b.txt"),
            ("indir/new.txt", "sub/new.txt"),
            ("absolute", "sub/deep/b.txt"),
            ("sub/back", "a.txt"),
            ("up", "."),
            ("up/a.txt", "a.txt"),
            ("up/up/up/indir/back", "a.txt"),
            ("dangling", "missing/new.txt"),
            ("roundabout/a.txt", "a.txt"),
            ("missing.txt", "missing.txt"),
            ("missing/deep/file", "missing/deep/file"),
            ("~x", "~x"),
            ("a.txt ", "a.txt "),
            ("-rf", "-rf"),
        ],
    );
}

#[test]
fn outside_and_invalid_paths_are_refused() {
    let world = world();
    let workspace = world.open();
    let long_name = "n".repeat(256);
    let long_path = "a/".repeat(3_000);
    check(
        &world,
        &workspace,
        &[
            ("{OUT}/secret.txt", "OUTSIDE"),
            ("{OUT}/nothing", "OUTSIDE"),
            ("{OUT}/dir/..", "OUTSIDE"),
            ("../out/secret.txt", "OUTSIDE"),
            ("sub/../../out/secret.txt", "OUTSIDE"),
            ("..", "OUTSIDE"),
            ("/", "OUTSIDE"),
            ("../../../../../../../../../../etc/passwd", "OUTSIDE"),
            ("{WS}-evil/secret.txt", "OUTSIDE"),
            ("{WS}-evil", "OUTSIDE"),
            ("out/secret.txt", "OUTSIDE"),
            ("out/nothing", "OUTSIDE"),
            ("out/secret.txt/below", "OUTSIDE"),
            ("out", "OUTSIDE"),
            ("outfile", "OUTSIDE"),
            ("outrelative", "OUTSIDE"),
            ("danglingout", "OUTSIDE"),
            ("proc", "OUTSIDE"),
            ("proc/etc/passwd", "OUTSIDE"),
            ("~", "OUTSIDE"),
            ("~/.ssh/id_ed25519", "OUTSIDE"),
            ("file://{OUT}/secret.txt", "OUTSIDE"),
            ("file://{WS}/%2e%2e/out/secret.txt", "OUTSIDE"),
            ("file://elsewhere/share/f", "OTHER HOST"),
            ("/proc/self/environ", "OUTSIDE"),
            ("/proc/self/root{OUT}/secret.txt", "OUTSIDE"),
            ("/dev/zero", "OUTSIDE"),
            ("{OUT}/secret.txt\0.png", "NUL"),
            ("a.txt\0", "NUL"),
            ("file://{WS}/a%00.txt", "NUL"),
            ("", "EMPTY"),
            ("loop", "LOOP"),
            ("x", "LOOP"),
            ("x/y/z", "LOOP"),
            ("a.txt/below", "NOT A DIRECTORY"),
            ("a.txt/", "NOT A DIRECTORY"),
            ("in/", "NOT A DIRECTORY"),
            ("danglingup", "IO"),
            (&long_name, "TOO LONG"),
            (&long_path, "TOO LONG"),
        ],
    );
    // `outsub` is a link that leads out of the root, so the kernel would resolve `outsub/..` outside the root.
    // Toolpost removes `outsub/..` from the text of the path first, and stays in the root.
    check(&world, &workspace, &[("outsub/../secret.txt", "secret.txt")]);
}

#[test]
fn outside_path_error_does_not_reveal_existence() {
    let world = world();
    let workspace = world.open();
    let pairs = [("secret.txt", "nothing!!!"), ("dir", "nod"), ("secret.txt/x", "nothing!!!/x")];
    for (exists, missing) in pairs {
        for prefix in [world.out("").to_str().unwrap().to_owned(), "out/".to_owned()] {
            let message_for =
                |name: &str| workspace.resolve(&format!("{prefix}{name}")).unwrap_err().to_string();
            assert_eq!(
                message_for(exists).replace(exists, "NAME"),
                message_for(missing).replace(missing, "NAME")
            );
        }
    }
    let message = workspace.resolve("out/secret.txt").unwrap_err().to_string();
    let (out, root) = (world.base().join("out"), world.root());
    let wanted = format!(
        "out/secret.txt is outside the workspace (a symbolic link leads to {}/): only paths in {} may be used",
        out.display(),
        root.display()
    );
    assert_eq!(message, wanted);
}

#[test]
fn resolve_entry_returns_a_link_itself() {
    let world = world();
    let workspace = world.open();
    let rows = [
        ("in", "in"),
        ("outfile", "outfile"),
        ("loop", "loop"),
        ("indir/back", "sub/back"),
        ("a.txt", "a.txt"),
    ];
    each(rows, |(requested, wanted)| {
        assert_eq!(workspace.resolve_entry(requested).unwrap().display(), wanted);
    });
    assert_eq!(kind(&workspace.resolve_entry("out/secret.txt").unwrap_err()), "OUTSIDE");
}

#[test]
fn paths_resolve_with_several_roots_and_with_none() {
    let world = world();
    let roots = vec![world.root(), world.base().join("out"), world.at("sub")];
    let (workspace, _) = Workspace::open(Options { roots, ..world.options() }).unwrap();
    let secret = world.out("secret.txt").to_str().unwrap().to_owned();
    check(
        &world,
        &workspace,
        &[("out/secret.txt", &secret), ("{OUT}/secret.txt", &secret), ("outfile", &secret)],
    );
    let path = workspace.resolve(&secret).unwrap();
    assert_eq!(workspace.resolve(&path.display()).unwrap(), path);
    each(["sub/deep/b.txt", "indir/deep/b.txt", "absolute", "sub"], |requested| {
        assert_eq!(workspace.resolve(requested).unwrap().root(), &workspace.roots()[2], "{requested}");
    });
    assert_eq!(workspace.resolve("a.txt").unwrap().root(), &workspace.roots()[0]);
    // A nested root resolves to the same path through the outer root.
    assert_eq!(
        workspace.resolve("sub/deep").unwrap(),
        workspace.resolve(world.at("sub/deep").to_str().unwrap()).unwrap()
    );

    let (nothing, _) = Workspace::open(Options { roots: vec![], ..world.options() }).unwrap();
    check(&world, &nothing, &[("a.txt", "NO ROOT"), ("{WS}/a.txt", "NO ROOT"), ("/", "NO ROOT")]);
}

#[test]
fn tilde_resolves_to_the_configured_home() {
    let world = world();
    let home = world.base().join("home");
    fs::create_dir(home.join("project")).unwrap();
    let options = Options { roots: vec![home.join("project")], ..world.options() };
    let (workspace, _) = Workspace::open(options.clone()).unwrap();
    check(&world, &workspace, &[("~/project/f", "f"), ("~/f", "OUTSIDE"), ("~/project/../f", "OUTSIDE")]);
    let message = workspace.resolve("~/f").unwrap_err().to_string();
    assert!(
        message.starts_with("~/f is outside the workspace (~ is the home directory): only "),
        "{message}"
    );
    let message = workspace.resolve("~f/../../f").unwrap_err().to_string();
    assert!(message.starts_with("~f/../../f is outside the workspace: only "), "{message}");
    let (workspace, _) = Workspace::open(Options { home: None, ..options }).unwrap();
    check(&world, &workspace, &[("~/project/f", "NO HOME")]);
}

#[test]
fn system_root_and_home_directory_are_refused_as_roots() {
    let world = world();
    let home = world.base().join("home");
    symlink(&home, world.base().join("homelink")).unwrap();
    let open = |root: &std::path::Path, scope| {
        Workspace::open(Options { roots: vec![root.into()], scope, ..world.options() }).map(|_| ())
    };
    let shown = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let link = world.base().join("homelink");
    assert_eq!(open("/".as_ref(), Scope::Careful), Err(OpenError::WholeSystem { root: "/".into() }));
    assert_eq!(
        open("/proc/self/root".as_ref(), Scope::Careful),
        Err(OpenError::WholeSystem { root: "/proc/self/root".into() })
    );
    assert_eq!(open(&home, Scope::Careful), Err(OpenError::Home { root: shown(&home) }));
    assert_eq!(open(&link, Scope::Careful), Err(OpenError::Home { root: shown(&link) }));
    for root in ["/".as_ref(), home.as_path()] {
        assert_eq!(open(root, Scope::Any), Ok(()));
    }
    let file = world.at("a.txt");
    assert!(matches!(open(&file, Scope::Any), Err(OpenError::Root { .. })));
    assert!(matches!(open(&world.at("missing"), Scope::Any), Err(OpenError::Root { .. })));
}

#[test]
fn shown_names_escape_control_and_invisible_characters() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let rows: &[(&[u8], &str)] = &[
        (b"a\nFAKE: b\x1b[31mred", "a\\nFAKE: b\\u{1b}[31mred"),
        (b"caf\xe9", "caf\\xe9"),
        ("x\u{202e}txt.exe".as_bytes(), "x\\u{202e}txt.exe"),
        ("zero\u{200b}width".as_bytes(), "zero\\u{200b}width"),
        ("plain ünï 日本.rs".as_bytes(), "plain ünï 日本.rs"),
        (b"tab\tcr\rdel\x7f", "tab\\tcr\\rdel\\u{7f}"),
        (b"back\\nslash", "back\\\\nslash"),
        ("blank\u{3164}tag\u{e0041}".as_bytes(), "blank\\u{3164}tag\\u{e0041}"),
    ];
    let workspace = world.open();
    each(rows, |(raw, shown)| {
        let name = std::ffi::OsStr::from_bytes(raw);
        fs::write(world.root().join(name), "x").unwrap();
        let entries = workspace.list(&workspace.resolve(".").unwrap()).unwrap();
        assert!(entries.iter().any(|entry| entry.name == name));
        assert_eq!(workspace.resolve(shown).unwrap().file_name(), Some(name), "{shown}");
        assert_eq!(workspace.resolve_entry(shown).unwrap().file_name(), Some(name), "{shown}");
        let path = workspace.lookup(shown).unwrap().path;
        assert_eq!((path.display(), path.file_name()), ((*shown).to_owned(), Some(name)));
        assert_eq!(workspace.read(&path, 10).unwrap().bytes, b"x");
    });
}

#[test]
fn escaped_names_resolve_back_and_literal_names_win() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let odd = world.root().join(OsStr::from_bytes(b"d\xff"));
    fs::create_dir_all(odd.join("in\nner")).unwrap();
    world.write("both\nnames", "new line");
    world.write("both\\nnames", "backslash");
    let workspace = world.open();
    let rows: &[(&str, &[u8])] = &[
        ("d\\xff", b"d\xff"),
        ("d\\xff/", b"d\xff"),
        ("d\\xff/new.txt", b"d\xff/new.txt"),
        ("d\\xff/in\\nner/new\\n.txt", b"d\xff/in\nner/new\\n.txt"),
        ("both\\nnames", b"both\\nnames"),
        ("both\\\\nnames", b"both\\nnames"),
        ("none\\nat all", b"none\\nat all"),
        ("\\x2e\\x2e/out/f", b"\\x2e\\x2e/out/f"),
        ("d\\xff/in\\x2fner", b"d\xff/in\\x2fner"),
        ("wrong\\q", b"wrong\\q"),
    ];
    each(rows, |(requested, wanted)| {
        let found = workspace.resolve(requested).unwrap();
        assert_eq!(found.relative().as_os_str().as_bytes(), *wanted, "{requested}");
    });
    // A root whose own name is not UTF-8.
    let (workspace, _) =
        Workspace::open(Options { roots: vec![world.root(), odd], ..world.options() }).unwrap();
    let root = &workspace.roots()[1];
    let new = workspace.within(root, "deep/new.txt").unwrap();
    assert_eq!((new.root(), new.relative()), (root, "deep/new.txt".as_ref()));
    assert_eq!(workspace.resolve(&new.display()).unwrap(), new);
    assert_eq!(kind(&workspace.within(root, "../f").unwrap_err()), "OUTSIDE");
    assert_eq!(kind(&workspace.within(root, "../../out").unwrap_err()), "OUTSIDE");

    let alone = Options { roots: vec![root.path().to_owned()], ..world.options() };
    let (workspace, _) = Workspace::open(alone).unwrap();
    let path = workspace.resolve("new.txt").unwrap();
    assert_eq!(workspace.resolve(&path.absolute()).unwrap(), path);
}
