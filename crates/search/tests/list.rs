//! Tests of directory trees.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

mod support;

use support::{World, bound, lock, unlock};
use toolpost_search::list::ReadStatus;
use toolpost_search::{Control, Kind, ListRequest, list};

fn tree(world: &World, base: &str, depth: usize, limit: Option<usize>) -> Vec<String> {
    let request = ListRequest { depth, limit, ..ListRequest::of(world.workspace.resolve(base).unwrap()) };
    let output = match list(&world.workspace, &request, &Control::default()) {
        Ok(output) => output,
        Err(error) => return vec![format!("error: {error}")],
    };
    let mut lines: Vec<String> = output
        .nodes
        .iter()
        .map(|node| {
            let name = node.path.display().rsplit('/').next().unwrap().to_owned();
            let sign = match (node.kind, node.inside) {
                (Kind::Directory, ReadStatus::Unreadable) => "/ unreadable".to_owned(),
                (Kind::Directory, ReadStatus::LeftOut) => "/ left out".to_owned(),
                (Kind::Directory, _) => "/".to_owned(),
                (Kind::Link, _) => format!("@ -> {}", node.target.as_deref().unwrap_or_default()),
                (Kind::File, _) => String::new(),
                _ => "?".to_owned(),
            };
            let more = if node.more > 0 { format!(" +{}", node.more) } else { String::new() };
            format!("{}{name}{sign}{more}", "  ".repeat(node.depth))
        })
        .collect();
    if output.more > 0 {
        lines.push(format!("+{}", output.more));
    }
    lines
}

#[track_caller]
fn check(files: &[(&str, &str)], depth: usize, limit: Option<usize>, expected: &[&str]) {
    assert_eq!(tree(&World::new(files), ".", depth, limit), expected);
}

const NESTED: &[(&str, &str)] =
    &[("root.txt", ""), ("nested/child.txt", ""), ("nested/deeper/grandchild.txt", "")];

#[test]
fn trees_are_sorted_and_have_the_requested_depth() {
    check(
        &[
            ("entry.txt", ""),
            ("nested/child.txt", ""),
            ("nested/deeper/grandchild.txt", ""),
            ("link", "->entry.txt"),
        ],
        3,
        None,
        &["entry.txt", "link@ -> entry.txt", "nested/", "  child.txt", "  deeper/", "    grandchild.txt"],
    );
    check(NESTED, 1, None, &["nested/", "root.txt"]);
    check(NESTED, 2, None, &["nested/", "  child.txt", "  deeper/", "root.txt"]);
    check(NESTED, 3, None, &["nested/", "  child.txt", "  deeper/", "    grandchild.txt", "root.txt"]);
    check(&[("b", ""), ("B", ""), ("a/x", ""), ("é", "")], 1, None, &["B", "a/", "b", "é"]);
    check(&[], 2, None, &[]);
}

#[test]
fn limited_listing_is_cut_fairly_and_counts_the_rest() {
    check(NESTED, 3, Some(2), &["nested/ +2", "root.txt"]);
    check(NESTED, 3, Some(3), &["nested/ +1", "  child.txt", "root.txt"]);
    check(NESTED, 3, Some(1), &["nested/ +2", "+1"]);
    let wide: Vec<(String, &str)> = (0..100)
        .map(|number| (format!("big/{number:03}"), ""))
        .chain((0..3).map(|number| (format!("small/{number}"), "")))
        .collect();
    let wide: Vec<(&str, &str)> = wide.iter().map(|(name, content)| (name.as_str(), *content)).collect();
    check(&wide, 2, Some(8), &["big/ +97", "  000", "  001", "  002", "small/", "  0", "  1", "  2"]);
}

#[test]
fn listing_applies_ignore_rules_and_marks_special_kinds() {
    check(
        &[
            (".gitignore", "*.log\n"),
            (".hidden", ""),
            ("a.log", ""),
            ("loop", "->loop"),
            ("node_modules/x", ""),
            ("venv/pyvenv.cfg", ""),
            ("venv/lib/x", ""),
        ],
        3,
        None,
        &["loop@ -> loop", "venv/ left out"],
    );
    let world = World::new(&[]);
    world.add(b"a\nFAKE: b\x1b[31mred", b"");
    world.add(b"b\xff", b"");
    let _socket = std::os::unix::net::UnixListener::bind(world.root().join("socket")).unwrap();
    assert_eq!(tree(&world, ".", 1, None), ["a\\nFAKE: b\\u{1b}[31mred", "b\\xff", "socket?"]);
}

#[test]
fn directories_excluded_by_name_are_counted() {
    let world = World::new(&[("logs/a", ""), ("src/logs/b", ""), ("src/c", ""), ("build", "a file")]);
    let request = ListRequest {
        depth: 3,
        without: vec!["logs".to_owned(), "build".to_owned()],
        limit: None,
        ..ListRequest::of(world.workspace.resolve(".").unwrap())
    };
    let output = list(&world.workspace, &request, &Control::default()).unwrap();
    let shown: Vec<String> = output.nodes.iter().map(|node| node.path.display()).collect();
    assert_eq!(shown, ["build", "src", "src/c"]);
    assert_eq!((output.skipped.dependencies, output.total), (2, 3));
    assert_eq!(Vec::from_iter(output.skipped.directories), ["logs", "src/logs"]);
}

#[test]
fn invalid_list_requests_are_refused() {
    let world = World::new(NESTED);
    assert_eq!(
        tree(&world, ".", 0, None),
        ["error: depth must be greater than zero: 1 lists only the directory itself"]
    );
    assert_eq!(
        tree(&world, ".", 1, Some(0)),
        ["error: limit must be greater than zero; leave the limit out for all entries"]
    );
    assert_eq!(
        tree(&world, "root.txt", 1, None),
        ["error: list path must be a directory: root.txt is not one; use its parent directory instead"]
    );
    assert_eq!(
        tree(&world, "gone", 1, None),
        ["error: gone does not exist; check the path, or search its parent directory"]
    );
}

#[test]
fn unreadable_directory_is_marked_and_refused_as_base() {
    let world = World::new(&[("locked/x", ""), ("locked/deep/z", ""), ("open/y", "")]);
    let locked = world.root().join("locked");
    lock(&locked);
    let (shown, start, below) = bound(|| {
        let deep = world.workspace.resolve("open").map(|_| tree(&world, "open", 2, None));
        (tree(&world, ".", 2, None), tree(&world, "locked", 2, None), deep)
    });
    unlock(&locked);
    assert_eq!(shown, ["locked/ unreadable", "open/", "  y"]);
    assert_eq!(start, ["error: locked cannot be accessed: permission denied; change its permissions first"]);
    assert_eq!(below.unwrap(), ["y"]);
}
