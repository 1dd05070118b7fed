//! Generated source trees, identical on every machine.

use crate::{disk, output};
use anyhow::Result;
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

/// Approximate size of the large file, in bytes.
const LARGE: usize = 80 * 1024;
/// A word that occurs in three files of a tree.
pub(super) const RARE: &str = "zygomorphic_petal";
/// A text that occurs in about every twentieth file.
pub(super) const LITERAL: &str = "retry_after_timeout";
/// Path of the large file in a tree.
pub(super) const LARGE_FILE: &str = "src/large.rs";
/// File that marks a complete tree; its name contains the version of the generator.
pub(super) const STAMP: &str = ".corpus-2";

const WORDS: [&str; 40] = [
    "account", "balance", "buffer", "cache", "channel", "client", "config", "context", "cursor", "decode",
    "encode", "entry", "error", "event", "field", "filter", "frame", "handle", "header", "index", "invoice",
    "kernel", "ledger", "message", "metric", "node", "offset", "packet", "parser", "queue", "record",
    "request", "response", "schema", "session", "socket", "stream", "token", "vector", "window",
];
const ENDINGS: [&str; 6] = ["rs", "ts", "py", "md", "json", "rs"];

/// Generates a tree of `files` files unless it exists; returns its path.
pub(super) fn tree(folder: &Path, files: usize) -> Result<PathBuf> {
    let root = folder.join(format!("files-{files}"));
    if disk::exists(&root.join(STAMP)) {
        return Ok(root);
    }
    output::line(&format!("creating a source tree with {files} files"));
    disk::remove_folder(&root)?;
    disk::write(&root.join(".git/HEAD"), b"ref: refs/heads/main\n")?;
    disk::write(&root.join(".gitignore"), b"build/\n*.log\n")?;
    let lines = if files > 10_000 { 30 } else { 120 };
    for number in 0..files {
        let mut chance = Chance(number as u64 + 1);
        let ending = ENDINGS[number % ENDINGS.len()];
        let name = format!("src/{}/{}_{number}.{ending}", place(number), chance.word());
        disk::write(&root.join(name), text(&mut chance, lines, rare(number, files)).as_bytes())?;
    }
    for number in 0..files / 50 {
        let mut chance = Chance(number as u64 + 1_000_003);
        disk::write(&root.join(format!("build/out_{number}.rs")), text(&mut chance, 40, None).as_bytes())?;
    }
    let mut large = String::new();
    let mut chance = Chance(77);
    while large.len() < LARGE {
        large.push_str(&line(&mut chance));
    }
    large.push_str("const LIMIT: usize = 1;\n");
    disk::write(&root.join(LARGE_FILE), large.as_bytes())?;
    disk::write(&root.join(STAMP), b"")?;
    Ok(root)
}

/// Returns the directory of the file with a number: each directory holds fifty files.
fn place(number: usize) -> String {
    let folder = number / 50;
    format!(
        "{}_{:02}/{}_{folder}",
        WORDS[folder / 20 % WORDS.len()],
        folder / 20,
        WORDS[folder % WORDS.len()]
    )
}

fn rare(number: usize, files: usize) -> Option<&'static str> {
    (number % (files / 3) == 7).then_some(RARE)
}

fn text(chance: &mut Chance, lines: usize, extra: Option<&str>) -> String {
    let mut text = String::new();
    for _ in 0..lines {
        text.push_str(&line(chance));
    }
    if chance.below(20) == 0 {
        let _ = writeln!(text, "    let wait = {LITERAL}(&{}, {});", chance.word(), chance.below(900));
    }
    if let Some(word) = extra {
        let _ = writeln!(text, "// the {word} of the tree");
    }
    text
}

fn line(chance: &mut Chance) -> String {
    let (first, second, third) = (chance.word(), chance.word(), chance.word());
    match chance.below(12) {
        0 => format!("pub fn {first}_{second}({third}: &str) -> Result<usize, Error> {{\n"),
        1 => "}\n\n".to_owned(),
        2 => format!("    // The {first} of a {second} is known before its {third}.\n"),
        3 => format!(
            "    if {first}.{second}() > {} {{\n        return Err({third}.into());\n    }}\n",
            chance.below(400)
        ),
        4 if chance.below(40) == 0 => format!("fn {first}_timeout({second}: u64) {{\n"),
        5 => format!("    {first}.push(\"{second} {third}\");\n"),
        _ => format!("    let {first} = {second}.{third}_{}({});\n", chance.word(), chance.below(1_000)),
    }
}

/// Deterministic pseudo-random numbers.
pub(super) struct Chance(u64);

impl Chance {
    /// Creates a sequence from the seed `from`; the same seed yields the same numbers.
    pub(super) fn new(from: u64) -> Self {
        Self(from.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub(super) fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    pub(super) fn word(&mut self) -> &'static str {
        let at = usize::try_from(self.below(WORDS.len() as u64)).unwrap_or_default();
        WORDS[at]
    }
}
