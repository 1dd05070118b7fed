//! Writes the text of a project index from the records of the files.

use super::{Limits, Record, Why, gather::ProjectFiles};
use crate::code::symbol_index::ReadFiles;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
    sync::Arc,
};
use toolpost_syntax::Language;
use toolpost_text::plural::counted;
use toolpost_workspace::WorkspacePath;

/// The maximum number of directory levels in the index of a project.
const LEVELS: usize = 4;
/// The maximum number of subdirectories that the index shows of one directory.
const WIDE: usize = 30;
/// The maximum number of entry points in the index of a project.
const ENTRIES: usize = 100;
/// The maximum number of file names for each reason why files have no full record.
const NAMED: usize = 3;

/// A directory, with the number of files below it and its subdirectories by name.
#[derive(Default)]
struct Directory {
    files: u64,
    inside: BTreeMap<String, Directory>,
}

/// Formats the index of a project; the text depends only on the files.
pub(crate) fn write(base: &WorkspacePath, gathered: &ProjectFiles) -> String {
    let mut out = String::new();
    let name =
        base.raw().file_name().map_or_else(|| base.absolute(), |name| name.to_string_lossy().into_owned());
    let _ = writeln!(out, "# Project index: {name}\n");
    head(&mut out, gathered);
    languages(&mut out, gathered);
    entries(&mut out, gathered);
    directories(&mut out, base, gathered);
    outlines(&mut out, gathered);
    out
}

fn head(out: &mut String, gathered: &ProjectFiles) {
    let directories: BTreeSet<&Path> =
        gathered.files.iter().filter_map(|(path, _)| path.raw().parent()).collect();
    let of = match directories.len() {
        1 => "1 directory".to_owned(),
        count => format!("{count} directories"),
    };
    let _ = writeln!(out, "Files: {} in {of}", gathered.files.len());
    let walk = &gathered.walk;
    let mut left = walk.skipped.clone();
    left.extend(walk.unsearched_roots(Some("pass one as the path")));
    if walk.unreadable_total > 0 {
        left.push(format!("unreadable: {} ({})", walk.unreadable_total, walk.unreadable.join(", ")));
    }
    for (why, words) in [
        (Why::TooLarge, format!("larger than {} MiB", Limits::LONGEST / 1024 / 1024)),
        (Why::NotText, "not text".to_owned()),
        (Why::Unparsed, "that cannot be parsed".to_owned()),
        (Why::Link, "that are symbolic links".to_owned()),
        (Why::Unreadable, "that cannot be read".to_owned()),
        (Why::Withheld, "withheld by the rules".to_owned()),
        (Why::Later, "not read yet: make the same call again to include them".to_owned()),
    ] {
        let files = gathered.files.iter().filter(|(_, record)| is(record.as_ref(), why));
        let files: Vec<String> = files.map(|(path, _)| path.display()).collect();
        let words = match (why, files.len()) {
            (Why::Link, 1) => "that is a symbolic link".to_owned(),
            (Why::Later, 1) => "not read yet: make the same call again to include it".to_owned(),
            _ => words,
        };
        if !files.is_empty() {
            let more = if files.len() > NAMED { ", …" } else { "" };
            let names = files.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            left.push(format!("{} {words} ({names}{more})", counted(files.len() as u64, "file")));
        }
    }
    if !left.is_empty() {
        let _ = writeln!(out, "Left out: {}", left.join("; "));
    }
    let imperfect = gathered.files.iter().filter_map(|(_, record)| record.as_ref());
    let imperfect = imperfect.filter(|record| record.errors > 0).count();
    if imperfect > 0 {
        let _ = writeln!(out, "Parsed with syntax errors: {}", counted(imperfect as u64, "file"));
    }
}

fn is(record: Option<&Arc<Record>>, why: Why) -> bool {
    record.is_some_and(|record| record.why == Some(why))
}

fn languages(out: &mut String, gathered: &ProjectFiles) {
    let mut counts: BTreeMap<&str, (u64, u64, ReadFiles)> = BTreeMap::new();
    let mut others = 0;
    for (_, record) in &gathered.files {
        match record {
            Some(record) => {
                let count = counts.entry(record.language).or_default();
                count.0 += 1;
                count.1 += record.lines;
                record.count_in(&mut count.2);
            }
            None => others += 1,
        }
    }
    let _ = writeln!(out, "\n## Languages\n");
    let mut counts: Vec<(&str, (u64, u64, ReadFiles))> = counts.into_iter().collect();
    let data = |name: &str| !Language::of_name(name).is_some_and(Language::is_code);
    counts.sort_by_key(|(name, (files, lines, _))| {
        (data(name), std::cmp::Reverse(*lines), std::cmp::Reverse(*files), *name)
    });
    for (name, (files, lines, read)) in counts {
        let limit = read.limit().map(|limit| format!(" {limit}")).unwrap_or_default();
        let _ = writeln!(out, "- {name}: {}, {}{limit}", counted(files, "file"), counted(lines, "line"));
    }
    if others > 0 {
        let _ = writeln!(out, "- other: {}", counted(others, "file"));
    }
}

fn entries(out: &mut String, gathered: &ProjectFiles) {
    let all = gathered.files.iter().filter_map(|(path, record)| Some((path, record.as_ref()?)));
    let all: Vec<(&WorkspacePath, &super::record::Line)> =
        all.flat_map(|(path, record)| record.entries.iter().map(move |entry| (path, entry))).collect();
    let _ = writeln!(out, "\n## Entry points\n");
    if all.is_empty() {
        let limit = gathered.read().limit().map(|limit| format!(" {limit}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "No entry point was found{limit}: no main function, no script, and no manifest that names one."
        );
    }
    for (path, entry) in all.iter().take(ENTRIES) {
        let _ = writeln!(out, "- {}:{} {}", path.display(), entry.number, entry.words);
    }
    if all.len() > ENTRIES {
        let _ = writeln!(out, "- … {} more", all.len() - ENTRIES);
    }
    if !all.is_empty() && gathered.read().later > 0 {
        let _ = writeln!(out, "There may be more entry points in the files that are not read yet.");
    }
}

fn directories(out: &mut String, base: &WorkspacePath, gathered: &ProjectFiles) {
    let mut top = Directory::default();
    for (path, _) in &gathered.files {
        let mut here = &mut top;
        here.files += 1;
        let relative = path.raw().strip_prefix(base.raw()).unwrap_or(Path::new(""));
        for part in relative.parent().into_iter().flat_map(Path::components) {
            let name = toolpost_text::escape::name(part.as_os_str().as_encoded_bytes()).into_owned();
            here = here.inside.entry(name).or_default();
            here.files += 1;
        }
    }
    let _ = writeln!(out, "\n## Directories\n");
    if top.inside.is_empty() {
        let _ = writeln!(out, "None.");
    }
    below(out, &top, 0);
}

fn below(out: &mut String, directory: &Directory, depth: usize) {
    for (name, inside) in directory.inside.iter().take(WIDE) {
        let indent = "  ".repeat(depth);
        let _ = writeln!(out, "{indent}{name}/ ({})", counted(inside.files, "file"));
        if depth + 1 < LEVELS {
            below(out, inside, depth + 1);
        }
    }
    let more = directory.inside.len().saturating_sub(WIDE);
    if more > 0 {
        let _ = writeln!(out, "{}… {more} more", "  ".repeat(depth));
    }
}

fn outlines(out: &mut String, gathered: &ProjectFiles) {
    let _ = writeln!(out, "\n## Files");
    let mut any = false;
    for (path, record) in &gathered.files {
        let Some(record) = record.as_ref().filter(|record| record.why.is_none()) else { continue };
        any = true;
        let _ = writeln!(
            out,
            "\n### {} ({}, {})",
            path.display(),
            record.language,
            counted(record.lines, "line")
        );
        for line in &record.symbols {
            let _ = writeln!(out, "{}{} {}", "  ".repeat(line.depth), line.number, line.words);
        }
        if record.more > 0 {
            let _ = writeln!(out, "… {} more", record.more);
        }
    }
    if !any {
        let so_far = if gathered.read().later > 0 { " so far" } else { "" };
        let _ = writeln!(out, "\nNo file in a supported language was read{so_far}.");
    }
}
