//! The skeletons: each is written into a copy of the crates, and is formatted code with the right structure.

use std::{fs, path::Path, process::Command};
use tempfile::TempDir;
use toolpost_test_rows::each;
use xtask::{Repository, new, tree::Tree};

/// Copies the folders that skeletons are written into.
fn copy() -> TempDir {
    let house = Repository::find().unwrap();
    let copy = tempfile::tempdir().unwrap();
    let wanted = ["crates/dialects/src/", "crates/engine/src/", "Cargo.toml", "rustfmt.toml"];
    for file in Tree::of_house(&house).unwrap().files() {
        if wanted.iter().any(|wanted| file.path.starts_with(wanted)) {
            let path = copy.path().join(&file.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &file.text).unwrap();
        }
    }
    copy
}

fn run(root: &Path, words: &str) -> Result<(), String> {
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    new::run(&Repository::at(root), &words).map(drop).map_err(|error| error.to_string())
}

/// Checks that a file is formatted, and therefore parses.
fn check_format(root: &Path, path: &str) {
    let done =
        Command::new("rustfmt").args(["--edition", "2024", "--check"]).arg(root.join(path)).output().unwrap();
    assert!(done.status.success(), "{path}: {}", String::from_utf8_lossy(&done.stdout));
}

fn read(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn new_tool_for_a_plain_request_is_generated() {
    let copy = copy();
    let root = copy.path();
    run(root, "tool claude lookAt stat").unwrap();
    let wanted = "\
//! `lookAt`: runs the operation `stat`.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::stat::{self, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct LookAt;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The path of the file, resolved inside a root.
    path: String,
}

impl Tool for LookAt {
    const NAME: &'static str = \"lookAt\";
    type Op = stat::Stat;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        Ok(Request { path: at.path(&args.path)? })
    }

    fn render(output: &Output, page: &mut Page) {
        page.line(&format!(\"path: {}\", output.path));
        page.line(&format!(\"bytes: {}\", output.bytes));
        page.line(&format!(\"modified: {}\", output.modified));
        page.line(&format!(\"mode: {}\", output.mode));
        page.line(&format!(\"read_only: {}\", output.read_only));
    }
}
";
    assert_eq!(read(root, "crates/dialects/src/claude/look_at.rs"), wanted);
    check_format(root, "crates/dialects/src/claude/look_at.rs");
    let table = read(root, "crates/dialects/src/claude/mod.rs");
    let rows: Vec<&str> = table.lines().filter(|line| line.contains("look_at")).collect();
    assert_eq!(rows, ["mod look_at;", "    ToolDef::of::<look_at::LookAt>(),"]);
    let listed = table.lines().filter(|line| line.trim().starts_with("ToolDef::of")).count();
    assert!(table.contains(&format!("const TOOLS: [ToolDef; {listed}]")), "{table}");
    assert!(
        read(root, "crates/dialects/src/claude/search.md")
            .ends_with("\n\n## lookAt\n\nRuns the operation `stat`.\n")
    );
}

#[test]
fn new_tool_lists_request_fields_that_need_own_types() {
    let copy = copy();
    let root = copy.path();
    run(root, "tool claude alter change").unwrap();
    check_format(root, "crates/dialects/src/claude/alter.rs");
    let text = read(root, "crates/dialects/src/claude/alter.rs");
    assert!(text.contains("alter does not fill these fields of the request yet: changes."), "{text}");
}

#[test]
fn new_dialect_and_its_first_tool_are_generated() {
    let copy = copy();
    let root = copy.path();
    run(root, "dialect bench_dialect").unwrap();
    let list = read(root, "crates/dialects/src/lib.rs");
    let all = toolpost_dialects::ALL.map(|dialect| format!("&{}::DIALECT", dialect.name)).join(", ");
    let wanted = format!(
        "pub const ALL: [&Dialect; {}] = [{all}, &bench_dialect::DIALECT];",
        toolpost_dialects::ALL.len() + 1
    );
    assert!(list.contains("\npub mod bench_dialect;\n"), "{list}");
    let words: Vec<&str> = list.split_whitespace().collect(); // a long row may be broken
    assert!(words.join(" ").contains(&wanted), "{list}");
    let say = read(root, "crates/dialects/src/bench_dialect/hints.rs");
    assert!(say.contains("Hint::ReadFirst(..) => \"Read this file, then repeat the call.\","), "{say}");

    run(root, "tool bench_dialect stat_path stat").unwrap();
    check_format(root, "crates/dialects/src/bench_dialect/mod.rs");
    let table = read(root, "crates/dialects/src/bench_dialect/mod.rs");
    assert!(table.contains("const TOOLS: [ToolDef; 1] = [ToolDef::of::<stat_path::StatPath>()];"), "{table}");
    assert_eq!(
        read(root, "crates/dialects/src/bench_dialect/tools.md"),
        "# bench_dialect\n\nThe tools of the `bench_dialect` dialect.\n\n## stat_path\n\nRuns the operation `stat`.\n"
    );
}

#[test]
fn new_operation_and_its_tool_are_generated() {
    let copy = copy();
    let root = copy.path();
    run(root, "operation files peek").unwrap();
    check_format(root, "crates/engine/src/files/peek.rs");
    let list = read(root, "crates/engine/src/files/mod.rs");
    assert!(list.contains("\npub mod peek;\n"), "{list}");
    let public = read(root, "crates/engine/src/lib.rs");
    assert!(public.contains("    pub use crate::files::{picture, read, stat, view, peek};\n"), "{public}");
    run(root, "tool claude Peek peek").unwrap();
    check_format(root, "crates/dialects/src/claude/peek.rs");
    assert!(read(root, "crates/dialects/src/claude/peek.rs").contains("type Op = peek::Peek;"));
}

#[test]
fn invalid_arguments_of_new_are_refused() {
    let rows = [
        (
            "tool claude Read read",
            "crates/dialects/src/claude/read.rs already exists; choose another name, or change that file",
        ),
        (
            "tool magic Read read",
            "no dialect is called `magic`; create it with `cargo xtask new dialect magic`",
        ),
        (
            "tool claude Read burn",
            "no operation is called `burn`; create it with `cargo xtask new operation CAPABILITY burn`",
        ),
        ("tool claude a/b stat", "`a/b` is not a valid tool name"),
        (
            "operation files stat",
            "crates/engine/src/files/stat.rs already exists; choose another name, or change that file",
        ),
        ("operation files ../x", "`../x` is not a lower-case name such as `stat` or `move_file`"),
        ("dialect Big", "`Big` is not a lower-case name such as `stat` or `move_file`"),
        (
            "recipe x",
            "new accepts `tool DIALECT NAME OPERATION`, `dialect NAME` or `operation CAPABILITY NAME`",
        ),
        (
            "operation magic x",
            "no capability is called `magic`; the capabilities are agents, code, commands, editors, edits, files, find, overview, plans, search, \
             skills, tasks, upstream, web",
        ),
    ];
    let copy = copy();
    each(rows, |(words, wanted)| {
        assert_eq!(run(copy.path(), words), Err(wanted.to_owned()), "{words}");
    });
}
