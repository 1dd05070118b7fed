//! Tools read dependencies by name, at locked versions, and never outside the package.

use crate::common;
use toolpost_test_rows::{each, each_async};

use common::{World, words};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::symlink};
use toolpost_dialects::{claude, opencode, probe, trae, zblade};
use toolpost_engine::Kind;
use toolpost_runtime::Outcome;
use toolpost_tool::Dialect;

const LOCK: &str = "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\ndependencies = [\"clock 2.0.0\", \"gone\"]\n\
                    [[package]]\nname = \"clock\"\nversion = \"1.0.0\"\nsource = \"registry+x\"\n\
                    [[package]]\nname = \"clock\"\nversion = \"2.0.0\"\nsource = \"registry+x\"\n\
                    [[package]]\nname = \"gone\"\nversion = \"0.3.0\"\nsource = \"registry+x\"\n";
const NOTE: &str = "[toolpost: rust:clock@2.0.0 is the version that the project itself requires; its dependencies also use \
                    rust:clock@1.0.0]";

fn filled(world: &World) {
    world.put("Cargo.lock", LOCK);
    world.put("src/main.rs", "fn main() {\n    clock::now();\n}\n");
    world.put("package.json", r#"{"dependencies": {"kit": "*"}}"#);
    world.put("node_modules/kit/package.json", r#"{"version": "3.1.0"}"#);
    world.put("node_modules/kit/lib/ring.js", "function ring(bell) {\n  return bell.sound();\n}\n");
    world.put("node_modules/kit/node_modules/inner/bell.js", "function ringInner() {}\n");
    world.put("node_modules/kit/.env", "KEY=CANARY\n");
    world.put("node_modules/kit/conf/.npmrc", "token=CANARY\n");
    let registry = ".cargo/registry/src/index-1";
    world.put_at_home(&format!("{registry}/clock-1.0.0/src/lib.rs"), "pub fn now() -> u32 {\n    1\n}\n");
    world.put_at_home(
        &format!("{registry}/clock-2.0.0/src/lib.rs"),
        "/// Tells the time.\npub fn now() -> u64 {\n    2\n}\n",
    );
    world.put_at_home(
        &format!("{registry}/clock-2.0.0/examples/show.rs"),
        "fn main() {\n    println!(\"time {}\", clock::now());\n}\n",
    );
    world.put_at_home(&format!("{registry}/other-9.0.0/src/lib.rs"), "pub fn of_another_project() {}\n");
}

async fn run_tool(world: &World, tool: &str, arguments: Value) -> (Option<Kind>, String) {
    let outcome = world.call(tool, arguments).await;
    let kind = if let Outcome::Failed(kind, _) = &outcome { Some(*kind) } else { None };
    (kind, words(&outcome))
}

#[tokio::test]
async fn read_tools_accept_dependency_names() {
    let rows: [(&'static Dialect, &str, Value, String); 15] = [
        (
            &probe::DIALECT,
            "search",
            json!({"query": "time", "path": "rust:clock/src"}),
            format!("File: rust:clock@2.0.0/src/lib.rs\nLines: 1-4 (function now)\n\n1:b4 | /// Tells the time.\n2:ea | pub fn now() -> u64 \
                     {{\n3:d7 |     2\n4:22 | }}\n\nFound 1 result in 1 file; about 41 tokens.\n{NOTE}"),
        ),
        (
            &probe::DIALECT,
            "search",
            json!({"query": "now file:src/lib.rs", "path": "/dep/rust/clock@1.0.0"}),
            "File: rust:clock@1.0.0/src/lib.rs\nLines: 1-3 (function now)\n\n1:e5 | pub fn now() -> u32 {\n2:d6 |     1\n3:22 | }\n\nFound 1 \
             result in 1 file; about 34 tokens."
                .to_owned(),
        ),
        (
            &probe::DIALECT,
            "query",
            json!({"pattern": "function $NAME($A) { $$$BODY }", "path": "js:kit"}),
            "js:kit@3.1.0/lib/ring.js:1:1  $A = bell  $BODY = return bell.sound();  $NAME = ring\n1:a6 | function ring(bell) {\n2:c7 |   return \
             bell.sound();\n3:22 | }\n"
                .to_owned(),
        ),
        (
            &probe::DIALECT,
            "extract",
            json!({"file": "rust:clock@1.0.0/src/lib.rs#now, js:kit/lib/ring.js:2-2"}),
            "rust:clock@1.0.0/src/lib.rs (lines 1-3 of 3; function now)".to_owned(),
        ),
        (&probe::DIALECT, "listFiles", json!({"directory": "js:kit/lib"}), "js:kit@3.1.0/lib/\n  ring.js".to_owned()),
        (&probe::DIALECT, "searchFiles", json!({"pattern": "*.js", "directory": "js:kit"}), "js:kit@3.1.0/lib/ring.js".to_owned()),
        (&opencode::DIALECT, "grep", json!({"pattern": "sound", "path": "js:kit"}), "js:kit@3.1.0/lib/ring.js:2:  return bell.sound();".to_owned()),
        (&opencode::DIALECT, "glob", json!({"pattern": "src/*.rs", "path": "rust:clock@1.0.0"}), "rust:clock@1.0.0/src/lib.rs".to_owned()),
        (&claude::DIALECT, "Read", json!({"file_path": "js:kit@3.1.0/lib/ring.js"}), "     1\tfunction ring(bell) {".to_owned()),
        (&claude::DIALECT, "Grep", json!({"pattern": "sound", "path": "js:kit", "output_mode": "content"}), "js:kit@3.1.0/lib/ring.js:".to_owned()),
        (&trae::DIALECT, "view_files", json!({"files": [{"file_path": "js:kit/lib/ring.js"}]}), "".to_owned()),
        (&trae::DIALECT, "search_by_regex", json!({"query": "sound", "search_directory": "js:kit"}), "".to_owned()),
        (&trae::DIALECT, "search_codebase", json!({"query": "ring the bell", "target_directories": ["js:kit"]}), "".to_owned()),
        (&zblade::DIALECT, "read_file", json!({"path": "js:kit/lib/ring.js"}), "".to_owned()),
        (&zblade::DIALECT, "grep_search", json!({"pattern": "sound", "path": "js:kit"}), "".to_owned()),
    ];
    each_async(rows, async |(dialect, tool, arguments, wanted)| {
        let world = World::new(dialect);
        filled(&world);
        let (kind, reply) = run_tool(&world, tool, arguments.clone()).await;
        let held = kind.is_none()
            && reply.starts_with(wanted.as_str())
            && (!wanted.is_empty() || reply.contains("bell.sound()"));
        assert!(held, "{} {tool} {arguments}: {kind:?} {reply}", dialect.name);
        assert!(!reply.contains("CANARY") && !reply.contains("ringInner"), "{tool}: {reply}");
    })
    .await;
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "the function is one table of cases")]
async fn unresolvable_dependency_names_fail_with_a_reason() {
    let world = World::new(&probe::DIALECT);
    filled(&world);
    symlink(world.root().join("../out/secret"), world.root().join("node_modules/kit/out.js")).unwrap();
    symlink(world.root().join("../out"), world.root().join("node_modules/evil")).unwrap();
    let rows = [
        (
            "rust:cloc",
            Kind::NotFound,
            "The project does not depend on rust:cloc.",
            "Did you mean `rust:clock`?",
        ),
        (
            "rust:other",
            Kind::NotFound,
            "The project does not depend on rust:other.",
            "Read: Cargo.lock (3 packages).",
        ),
        (
            "rust:clock@9",
            Kind::NotFound,
            "The project does not depend on clock 9.",
            "`rust:clock@1.0.0`, or `rust:clock@2.0.0`",
        ),
        (
            "rust:gone",
            Kind::NotFound,
            "The project depends on rust:gone@0.3.0, whose sources are not on this machine.",
            "Run `cargo fetch` to install the sources.",
        ),
        (
            "rust:own",
            Kind::NotFound,
            "own is a package of the workspace itself, not a dependency.",
            "Use the path of the package in the workspace.",
        ),
        (
            "py:requests",
            Kind::NotFound,
            "The dependencies of the project are unknown: there is no pyproject.toml",
            "",
        ),
        (
            "rust:clock/src/lob.rs",
            Kind::NotFound,
            "File not found: rust:clock@2.0.0/src/lob.rs.",
            "rust:clock@2.0.0/src/lib.rs",
        ),
        ("js:/../..", Kind::Invalid, "js:/../.. leads out of the package", ""),
        ("js:kit/../../..", Kind::Invalid, "js:kit/../../.. leads out of the package", ""),
        (
            "js:kit';process.exit()//",
            Kind::NotFound,
            "The project does not depend on js:kit';process.exit().",
            "",
        ),
        ("js:kit/out.js", Kind::Outside, "js:kit/out.js leads out of the package: a link in it leads to", ""),
        ("js:evil/secret", Kind::NotFound, "The project does not depend on js:evil.", ""),
    ];
    each_async(rows, async |(path, wanted, begins, holds)| {
        each_async(
            [
                ("search", json!({"query": "now", "path": path})),
                ("searchAll", json!({"query": "now", "path": path})),
                ("query", json!({"pattern": "f($A)", "path": path})),
                ("extract", json!({"file": path})),
            ],
            async |(tool, arguments)| {
                let (kind, reply) = run_tool(&world, tool, arguments).await;
                let held = kind == Some(wanted) && reply.starts_with(begins) && reply.contains(holds);
                assert!(held, "{tool} {path}: {kind:?} {reply}");
            },
        )
        .await;
    })
    .await;
}

#[tokio::test]
async fn access_rules_apply_inside_packages() {
    let world = World::new(&probe::DIALECT);
    filled(&world);
    world.put("config/.ssh/key.js", "const CANARY = 1;\n");
    world.put("config/.ssh/package.json", "{}");
    symlink(world.root().join("config/.ssh"), world.root().join("node_modules/way")).unwrap();
    for file in ["js:kit/.env", "js:kit/conf/.npmrc", "js:way/key.js"] {
        let (kind, reply) = run_tool(&world, "extract", json!({"file": file})).await;
        assert!(kind == Some(Kind::Denied) && !reply.contains("CANARY"), "{file}: {kind:?} {reply}");
        let seen = words(&world.allowed("extract", json!({"file": file})).await);
        assert!(seen.contains("CANARY"), "{file}: {seen}");
    }
    for (tool, arguments) in [
        ("search", json!({"query": "CANARY", "path": "js:kit"})),
        ("query", json!({"pattern": "const $A = $B", "path": "js:way"})),
    ] {
        let (_, reply) = run_tool(&world, tool, arguments).await;
        assert!(!reply.contains("CANARY = "), "{tool}: {reply}");
    }
}

#[tokio::test]
async fn withheld_files_of_all_searched_directories_are_counted() {
    let rows = [
        (json!(["src"]), "1 file withheld by the rules"),
        (json!(["js:kit"]), "1 file withheld by the rules"),
        (json!(["src", "js:kit"]), "2 files withheld by the rules"),
        (json!(["js:kit", "src"]), "2 files withheld by the rules"),
    ];
    each_async(rows, async |(directories, note)| {
        let world = World::new(&trae::DIALECT);
        world.put("package.json", r#"{"dependencies": {"kit": "*"}}"#);
        world.put("src/main.js", "function ring() {}\n");
        world.put("src/deploy.key", "ring\n");
        world.put("node_modules/kit/package.json", r#"{"version": "3.1.0"}"#);
        world.put("node_modules/kit/deploy.key", "ring\n");
        let arguments = json!({"query": "ring the bell", "target_directories": directories});
        let (_, reply) = run_tool(&world, "search_codebase", arguments).await;
        assert!(reply.contains(note), "{directories}: {reply}");
    })
    .await;
}

#[tokio::test]
async fn write_tools_refuse_dependency_names() {
    let rows: [(&'static Dialect, &str, Value); 7] = [
        (&probe::DIALECT, "create", json!({"file_path": "js:kit/new.js", "content": "x"})),
        (
            &probe::DIALECT,
            "edit",
            json!({"file_path": "js:kit/lib/ring.js", "old_string": "ring", "new_string": "x"}),
        ),
        (&opencode::DIALECT, "write", json!({"filePath": "js:kit/lib/ring.js", "content": "x"})),
        (
            &opencode::DIALECT,
            "edit",
            json!({"filePath": "rust:clock/src/lib.rs", "oldString": "2", "newString": "x"}),
        ),
        (
            &claude::DIALECT,
            "Edit",
            json!({"file_path": "js:kit@3.1.0/lib/ring.js", "old_string": "ring", "new_string": "x"}),
        ),
        (&claude::DIALECT, "Write", json!({"file_path": "rust:clock/new.rs", "content": "x"})),
        (
            &trae::DIALECT,
            "write_to_file",
            json!({"file_path": "js:kit/new.js", "content": "x", "rewrite": true}),
        ),
    ];
    each_async(rows, async |(dialect, tool, arguments)| {
        let world = World::new(dialect);
        filled(&world);
        let before = fs::read_dir(world.root()).unwrap().count();
        let (kind, reply) = run_tool(&world, tool, arguments.clone()).await;
        let held = kind == Some(Kind::Invalid) && reply.contains("is a dependency, which is read-only");
        assert!(held, "{} {tool} {arguments}: {kind:?} {reply}", dialect.name);
        assert_eq!(fs::read_dir(world.root()).unwrap().count(), before, "{tool}");
        let ring = fs::read_to_string(world.root().join("node_modules/kit/lib/ring.js")).unwrap();
        assert!(ring.starts_with("function ring(bell)"), "{tool}");
    })
    .await;
}

#[tokio::test]
async fn dependencies_can_be_switched_off() {
    let wanted = "The project's dependencies cannot be read: the setting `dependencies` is off.";
    let world = World::without_dependencies(&probe::DIALECT);
    filled(&world);
    let (kind, off) = run_tool(&world, "search", json!({"query": "now", "path": "rust:clock"})).await;
    assert!(kind == Some(Kind::Denied) && off.starts_with(wanted), "{off}");
    let world = World::without_dependencies(&opencode::DIALECT);
    filled(&world);
    let (kind, off) = run_tool(&world, "codesearch", json!({"query": "time"})).await;
    assert!(kind == Some(Kind::Denied) && off.starts_with(wanted), "{off}");
}

/// Packs files into an uncompressed ZIP archive.
fn jar(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut about = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        about.extend(sum(content.as_bytes()).to_le_bytes());
        about.extend([(content.len() as u32).to_le_bytes(); 2].concat());
        about.extend([name.len() as u8, 0, 0, 0]);
        list.extend([b"PK\x01\x02\x14\x03", about.as_slice(), &[0; 10]].concat());
        list.extend((out.len() as u32).to_le_bytes());
        list.extend(name.as_bytes());
        out.extend([b"PK\x03\x04", about.as_slice(), name.as_bytes(), content.as_bytes()].concat());
    }
    let (at, length, count) = (out.len() as u32, list.len() as u32, files.len() as u8);
    out.extend(list);
    out.extend([b"PK\x05\x06\0\0\0\0".as_slice(), &[count, 0, count, 0]].concat());
    out.extend([length.to_le_bytes(), at.to_le_bytes()].concat());
    out.extend([0, 0]);
    out
}

/// Returns the CRC-32 checksum that ZIP archives use.
fn sum(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}

/// Writes a Java project whose dependencies are in the directories of Maven and Gradle.
fn fill(world: &World) {
    let bell = "package org.kit;\n\n/** A bell that can be rung. */\npublic class Bell {\n  /** Rings the bell as often as is said. */\n  \
                public void ring(int times) {\n    strike(times);\n  }\n}\n";
    let one = |name: &str| {
        format!(
            "<dependency><groupId>org.kit</groupId><artifactId>{name}</artifactId><version>1.2.0</version></dependency>"
        )
    };
    world.put(
        "pom.xml",
        format!(
            "<project><dependencies>{}</dependencies></project>",
            ["kit", "bad", "gone"].map(one).concat()
        ),
    );
    world.put("gradle.lockfile", "org.kit:rope:3.0=compileClasspath\n");
    let maven = ".m2/repository/org/kit";
    world.put_at_home(
        &format!("{maven}/kit/1.2.0/kit-1.2.0-sources.jar"),
        jar(&[("META-INF/MANIFEST.MF", "A: b\n"), ("org/kit/Bell.java", bell)]),
    );
    world.put_at_home(
        &format!("{maven}/bad/1.2.0/bad-1.2.0-sources.jar"),
        jar(&[("Good.java", "class Good {}"), ("../../evil.java", "x")]),
    );
    let gradle = ".gradle/caches/modules-2/files-2.1/org.kit/rope/3.0";
    world.put_at_home(&format!("{gradle}/0abc/rope-3.0.jar"), "no sources");
    world.put_at_home(
        &format!("{gradle}/1def/rope-3.0-sources.jar"),
        jar(&[("org/rope/Rope.java", "public class Rope {\n  void pull() {}\n}\n")]),
    );
}

/// Calls that read the Java dependencies, in several dialects, with the beginnings of their replies.
fn asked_of_java() -> [(&'static Dialect, &'static str, Value, String); 6] {
    let place = "java:org.kit:kit@1.2.0/org/kit/Bell.java";
    [
        (
            &probe::DIALECT,
            "search",
            json!({"query": "ring", "path": "java:org.kit:kit"}),
            format!("File: {place}\nLines: 5-"),
        ),
        (
            &probe::DIALECT,
            "query",
            json!({"pattern": "strike($A)", "path": "java:kit"}),
            format!("{place}:7:5  $A = times"),
        ),
        (
            &probe::DIALECT,
            "extract",
            json!({"file": "java:kit/org/kit/Bell.java#ring"}),
            format!("{place} (lines 5-"),
        ),
        (
            &opencode::DIALECT,
            "grep",
            json!({"pattern": "pull", "path": "java:rope"}),
            "java:org.kit:rope@3.0/org/rope/Rope.java:2:".to_owned(),
        ),
        (
            &claude::DIALECT,
            "Read",
            json!({"file_path": format!("{place}")}),
            "     1\tpackage org.kit;".to_owned(),
        ),
        (
            &opencode::DIALECT,
            "codesearch",
            json!({"query": "ring the bell of kit"}),
            format!("===== java:org.kit:kit@1.2.0 =====\n\n{place}:5-"),
        ),
    ]
}

#[tokio::test]
async fn java_sources_are_read_from_their_archives() {
    for (dialect, tool, arguments, wanted) in asked_of_java() {
        let world = World::new(dialect);
        fill(&world);
        let (kind, reply) = run_tool(&world, tool, arguments).await;
        assert!(kind.is_none() && reply.starts_with(&wanted), "{tool}: {kind:?} {reply}");
    }
    let world = World::new(&opencode::DIALECT);
    fill(&world);
    let rows = [
        (
            "java:gone",
            "Run `mvn dependency:sources -DincludeArtifactIds=gone` to download the sources (with Gradle, \
             let an IDE download them).",
        ),
        (
            "java:bad",
            "bad-1.2.0-sources.jar exists, but cannot be read: the archive contains ../../evil.java, which \
             leads out of the archive or is not a file name.",
        ),
    ];
    for (path, wanted) in rows {
        let (kind, reply) = run_tool(&world, "grep", json!({"pattern": "x", "path": path})).await;
        assert!(kind == Some(Kind::NotFound) && reply.contains(wanted), "{reply}");
    }
    let (_, reply) = run_tool(&world, "codesearch", json!({"query": "pull the rope"})).await;
    assert!(
        reply.contains(
            "not searched, because they are not on this machine: java:org.kit:bad@1.2.0: bad-1.2.0-sources.jar exists"
        ),
        "{reply}"
    );
}

#[tokio::test]
async fn codesearch_groups_results_by_package_and_names_omissions() {
    let world = World::new(&opencode::DIALECT);
    filled(&world);
    let (kind, reply) = run_tool(&world, "codesearch", json!({"query": "tell the time with clock"})).await;
    assert_eq!(kind, None, "{reply}");
    let heads: Vec<&str> = reply.lines().filter(|line| line.starts_with("===== ")).collect();
    assert_eq!(heads.first(), Some(&"===== rust:clock@2.0.0 ====="), "{reply}");
    let places: Vec<&str> = reply.lines().filter(|line| line.starts_with("rust:clock@2.0.0/")).collect();
    assert_eq!(
        places,
        [
            "rust:clock@2.0.0/src/lib.rs:1-4 function now",
            "rust:clock@2.0.0/examples/show.rs:1-3 function main"
        ],
        "{reply}"
    );
    each(
        [
            "===== this project =====\n\nsrc/main.rs:1-3 function main",
            "searched 3 packages and this project, ",
            "at the versions of Cargo.lock and the versions installed in node_modules]",
            "not searched, because they are not on this machine: rust:gone@0.3.0: run `cargo fetch` to install the sources]",
        ],
        |wanted| {
            assert!(reply.contains(wanted), "{wanted}: {reply}");
        },
    );
    assert!(!reply.contains("CANARY") && !reply.contains("of_another_project"), "{reply}");
}

#[tokio::test]
async fn codesearch_fits_tokens_num_and_finds_changed_files() {
    let world = World::new(&opencode::DIALECT);
    let code: String = (0..60).map(|at| format!("/** Sends letter {at}. */\nexport function send{at}(letter) {{\n  post(letter, {at});\n}}\n\n")).collect();
    world.put("package.json", r#"{"dependencies": {"mail": "*", "post": "*"}}"#);
    for (at, name) in ["mail", "post"].iter().enumerate() {
        world.put(&format!("node_modules/{name}/package.json"), format!("{{\"version\": \"1.0.{at}\"}}"));
        for part in 0..4 {
            world.put(&format!("node_modules/{name}/part{part}.js"), &code);
        }
    }
    let ask = |tokens: u64| json!({"query": "send a letter", "tokens_num": tokens});
    let mut sizes = Vec::new();
    for tokens in [200, 600, 50_000] {
        let (kind, reply) = run_tool(&world, "codesearch", ask(tokens)).await;
        assert_eq!(kind, None, "{reply}");
        let blocks = reply.split("\n[toolpost: ").next().unwrap_or_default().len() as u64;
        assert!(blocks <= tokens * 4 + 400, "{tokens}: {blocks}");
        assert_eq!(reply.contains("raise tokens_num to see them"), tokens == 200, "{reply}");
        sizes.push(blocks);
    }
    assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]), "{sizes:?}");
    let (_, lowered) = run_tool(&world, "codesearch", ask(90_000)).await;
    assert!(lowered.contains("tokens_num was 90000 and was lowered to 50000"), "{lowered}");
    for part in 0..4 {
        world.put(
            &format!("node_modules/mail/part{part}.js"),
            "/** Sends letters by pigeon. */\nexport function pigeon(letter) {\n  fly(letter);\n}\n",
        );
    }
    let (_, reply) =
        run_tool(&world, "codesearch", json!({"query": "send letters by pigeon with mail"})).await;
    assert!(reply.contains("export function pigeon(letter) {"), "{reply}");
}

#[tokio::test]
async fn codesearch_reports_that_there_is_nothing_to_search() {
    let world = World::new(&opencode::DIALECT);
    let (kind, reply) = run_tool(&world, "codesearch", json!({"query": "send a letter"})).await;
    assert_eq!(kind, None, "{reply}");
    assert!(reply.starts_with("Nothing found in 0 packages and this project, 0 files."), "{reply}");
    assert!(reply.contains("the dependencies of this project are unknown: it has no lock file"), "{reply}");
    for query in ["", "  "] {
        let outcome = world.call("codesearch", json!({"query": query})).await;
        assert!(words(&outcome).starts_with("The query is empty"), "{}", words(&outcome));
    }
}

#[tokio::test]
async fn codesearch_headings_differ_from_headings_in_a_readme() {
    let world = World::new(&opencode::DIALECT);
    filled(&world);
    world.put_at_home(
        ".cargo/registry/src/index-1/clock-2.0.0/README.md",
        "# clock\n\n## Examples\n\nHow to tell the time with clock: call now.\n",
    );
    let (kind, reply) = run_tool(&world, "codesearch", json!({"query": "tell the time with clock"})).await;
    assert_eq!(kind, None, "{reply}");
    assert!(reply.contains("\n## Examples\n"), "{reply}");
    let packages: Vec<&str> = reply.lines().filter(|line| line.starts_with("===== ")).collect();
    assert!(packages.contains(&"===== rust:clock@2.0.0 ====="), "{packages:?}");
    let are_groups = packages.iter().all(|line| line.contains('@') || *line == "===== this project =====");
    assert!(are_groups, "{packages:?}");
}
