//! The competitor codegraph from npm, which indexes the same code; its calls are read from its database.

use super::code::Code;
use super::corpora::InstalledCorpus;
use super::score::Predictions;
use crate::{disk, output, programs};
use anyhow::{Context, Result};
use serde_json::Value;
use std::{collections::HashMap, path::Path};

pub(super) const PACKAGE: &str = "@colbymchenry/codegraph";
pub(super) const VERSION: &str = "1.6.1";

/// Python script that prints the calls in the competitor's database: source, called name, target. It leaves
/// out synthetic calls and macros.
const READER: &str = "
import json, sqlite3, sys
found = sqlite3.connect(sys.argv[1]).execute('''
    SELECT s.file_path, e.line, e.metadata, t.file_path, t.start_line, t.name
    FROM edges e JOIN nodes s ON s.id = e.source JOIN nodes t ON t.id = e.target
    WHERE e.kind IN ('calls', 'instantiates') AND e.provenance IS NULL AND t.kind NOT IN ('macro', 'import', 'file')''')
rows = []
for path, line, more, to, at, name in found:
    more = json.loads(more or '{}')
    if 'synthesizedBy' not in more:
        rows.append([path, line, more.get('refName') or name, to, at, name])
print(json.dumps(rows))
";

/// Indexes a corpus with the competitor, and returns the targets of each call site.
pub(super) fn said(laid: &InstalledCorpus, code: &Code, folder: &Path) -> Result<Predictions> {
    let program = install(folder)?;
    let kept = folder.join("peer").join(format!("{}.json", laid.corpus.name));
    let key = format!("{VERSION} {:?}", laid.corpus);
    let known = disk::read(&kept).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let rows = match known.filter(|known| known["key"] == key.as_str()) {
        Some(known) => known["rows"].clone(),
        None => {
            output::complain(&format!("{PACKAGE} indexes {}", laid.corpus.name));
            let home = folder.join("home");
            disk::make_folder(&home)?;
            disk::remove_folder(&laid.tree.join(".codegraph"))?;
            let mut index = programs::program(&program);
            index.arg("init").current_dir(&laid.tree).env("HOME", home).env("CODEGRAPH_TELEMETRY", "0");
            programs::output(&mut index)?;
            let database = laid.tree.join(".codegraph").join("codegraph.db");
            let mut read = programs::program("python3");
            let rows: Value =
                serde_json::from_str(&programs::output(read.args(["-c", READER]).arg(database))?)?;
            disk::remove_folder(&laid.tree.join(".codegraph"))?;
            let text = serde_json::json!({ "key": key, "rows": rows }).to_string();
            disk::write(&kept, text.as_bytes())?;
            rows
        }
    };
    Ok(match_sites(
        code,
        rows.as_array().context("the cached calls of codegraph are not a list; remove their file")?,
    ))
}

/// Matches the competitor's calls to call sites by file, line and name.
fn match_sites(code: &Code, rows: &[Value]) -> Predictions {
    let mut edges: HashMap<(String, u64, String), Vec<_>> = HashMap::new();
    for row in rows {
        let text = |at: usize| row[at].as_str().unwrap_or_default().to_owned();
        let called = text(2);
        let called = called.rsplit(['.', ':', '>']).next().unwrap_or_default().to_owned();
        let line = row[4].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or_default();
        let target = target(code, &text(3), line, &text(5));
        edges.entry((text(0), row[1].as_u64().unwrap_or_default(), called)).or_default().push(target);
    }
    let one = |site: &super::code::Site| {
        let line = code.files[&site.path].line(site.at.start) as u64 + 1;
        let mut said = edges.get(&(site.path.clone(), line, site.name.clone())).cloned().unwrap_or_default();
        said.sort_unstable();
        said.dedup();
        said
    };
    code.sites.iter().map(one).collect()
}

/// Finds the definition that begins on a line. Its name may be on one of the next twelve lines, because
/// decorators can come first.
fn target(code: &Code, path: &str, line: usize, name: &str) -> Option<usize> {
    let file = code.files.get(path)?;
    (line.checked_sub(1)?..line + 12).find_map(|line| {
        let (start, row) = file.row(line)?;
        row.match_indices(name).find_map(|(at, _)| code.at(path, start + at))
    })
}

/// Installs the competitor into a directory, and returns the path of its program.
pub(crate) fn install(folder: &Path) -> Result<std::path::PathBuf> {
    let place = folder.join("peer-package");
    let program = place.join("node_modules").join(".bin").join("codegraph");
    if !disk::exists(&program) {
        disk::make_folder(&place)?;
        let mut npm = programs::program("npm");
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
        programs::output(npm.arg(&place).arg(format!("{PACKAGE}@{VERSION}")))?;
    }
    Ok(program)
}
