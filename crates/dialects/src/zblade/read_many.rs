//! `read_many_files`: the texts of many files in one call.

use super::json;
use crate::common::line_numbers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use toolpost_engine::{
    Failure,
    operations::{
        glob::Complete,
        read_many::{self, Answer, File, FileSelector, Numbers, Output, Request, Text, TextExtent},
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct ReadManyFiles;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Globs or paths.
    #[schemars(extend("x-aliases" = ["globs", "patterns", "files"], "examples" = [["src/**/*.rs", "README.md"]]))]
    paths: Vec<String>,
    /// Globs.
    #[schemars(extend("examples" = [["**/*.test.ts"]]))]
    exclude: Option<Vec<String>>,
    #[serde(default = "hundred")]
    #[schemars(extend("x-raise" = true), range(min = 1, max = 500))]
    max_files: usize,
    #[serde(default = "much")]
    #[schemars(extend("x-raise" = true), range(min = 1, max = 524_288))]
    max_bytes_per_file: usize,
    /// Default: true.
    include_line_numbers: Option<bool>,
}

const fn hundred() -> usize {
    100
}

const fn much() -> usize {
    65_536
}

#[derive(Serialize)]
struct Reply<'a> {
    files: Vec<Entry<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'a> {
    Read {
        path: &'a str,
        truncated: bool,
        content: String,
        line_count: usize,
        byte_count: u64,
        original_byte_count: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    Skipped {
        path: &'a str,
        skipped: bool,
        error: &'a str,
    },
    Failed {
        path: &'a str,
        error: String,
    },
}

#[derive(Serialize)]
struct Summary {
    matched: u64,
    returned: u64,
    truncated_files: u64,
    skipped: u64,
    failed: u64,
    elapsed_ms: u64,
    metrics: Metrics,
}

#[derive(Serialize)]
struct Metrics {
    left_out: u64,
    bytes_returned: u64,
    timed_out: bool,
}

impl Tool for ReadManyFiles {
    const NAME: &'static str = "read_many_files";
    type Op = read_many::ReadMany;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        if args.paths.is_empty() {
            return Err(Failure::invalid(
                "paths is empty; give globs or paths, for example {\"paths\":[\"src/**/*.rs\"]}.",
            ));
        }
        let numbers = args.include_line_numbers != Some(false);
        let (mut selectors, mut refused) = (Vec::new(), Vec::new());
        for raw_path in args.paths {
            match wanted(&raw_path, at) {
                Ok(selector) => selectors.push(selector),
                Err(failure) => refused.push((raw_path, failure)),
            }
        }
        // If no path is usable, the call fails with the failure of the first path, including its hints.
        if selectors.is_empty() && !refused.is_empty() {
            return Err(refused.remove(0).1);
        }
        Ok(Request {
            base: at.path_or_root(None)?,
            selectors,
            refused: refused.into_iter().map(|(raw_path, failure)| (raw_path, failure.what)).collect(),
            without: args.exclude.unwrap_or_default(),
            max_files: args.max_files,
            max_bytes_each: args.max_bytes_per_file,
            max_bytes: at.reply_bytes(),
            rules: at.rules(),
            numbers: if numbers { Numbers::Shown } else { Numbers::Hidden },
        })
    }

    fn render(output: &Output, page: &mut Page) {
        let files: Vec<Entry<'_>> = output.files.iter().map(|file| entry(file, output.numbers)).collect();
        json::write(&Reply { files, summary: summary(output) }, page);
        if output.left_out > 0 {
            page.note(left_out(output.left_out, output.matched, output.walk.complete));
        }
        crate::common::walk_notes::notes(&output.walk, output.files.len() as u64, page);
        // The summary reports a timeout.
        if output.walk.complete == Complete::Cancelled {
            page.note("cancelled: true; not all files were read");
        }
    }
}

/// Formats the note about files that are left out, with the reason.
fn left_out(count: u64, matched: u64, complete: Complete) -> String {
    let advice = "to see them, pass fewer paths or narrower globs, or set exclude";
    let why = match complete {
        Complete::Yes | Complete::NotReady => format!("a reply has a limited size; {advice}"),
        Complete::TimedOut => format!("the time limit was reached before all files were read; {advice}"),
        Complete::Cancelled => "the call was cancelled before all files were read".to_owned(),
    };
    format!("{count} of {matched} files are left out, because {why}")
}

/// Parses a selector: a text with a wildcard is a glob, any other text is a path.
fn wanted(raw_path: &str, at: &Lowering) -> Result<FileSelector, Failure> {
    if raw_path.contains(['*', '?', '[', '{']) {
        return Ok(FileSelector::Glob(raw_path.to_owned()));
    }
    Ok(FileSelector::Named { path: at.path(raw_path)?, raw_path: raw_path.to_owned() })
}

fn entry(file: &File, numbers: Numbers) -> Entry<'_> {
    let path = file.path.as_str();
    match &file.answer {
        Answer::Text(text) => Entry::Read {
            path,
            truncated: text.shown == TextExtent::Beginning,
            content: content(text, numbers),
            line_count: text.lines.len(),
            byte_count: text.bytes,
            original_byte_count: text.of_bytes,
            note: note(text),
        },
        Answer::Skipped { why } => Entry::Skipped { path, skipped: true, error: why },
        Answer::Failed { what, meant } if meant.is_empty() => Entry::Failed { path, error: what.clone() },
        Answer::Failed { what, meant } => {
            Entry::Failed { path, error: format!("{what} Did you mean `{}`?", meant.join("`, or `")) }
        }
    }
}

fn content(text: &Text, numbers: Numbers) -> String {
    let mut content = String::new();
    for line in text.lines.iter() {
        if numbers == Numbers::Shown {
            let _ = write!(content, "{}: ", line.number);
        }
        line_numbers::text(&line, &mut content);
    }
    content
}

fn note(text: &Text) -> Option<String> {
    let facts = (!text.facts.is_empty()).then(|| text.facts.join("; "));
    let notes: Vec<String> = facts.into_iter().chain(text.note.clone()).collect();
    (!notes.is_empty()).then(|| notes.join(". "))
}

fn summary(output: &Output) -> Summary {
    let texts = || {
        output.files.iter().filter_map(|file| match &file.answer {
            Answer::Text(text) => Some(text),
            _ => None,
        })
    };
    Summary {
        matched: output.matched,
        returned: texts().count() as u64,
        truncated_files: texts().filter(|text| text.shown == TextExtent::Beginning).count() as u64,
        skipped: output.skipped,
        failed: output.failed,
        elapsed_ms: u64::try_from(output.took.as_millis()).unwrap_or(u64::MAX),
        metrics: Metrics {
            left_out: output.left_out,
            bytes_returned: texts().map(|text| text.bytes).sum(),
            timed_out: output.walk.complete == Complete::TimedOut,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn the_note_about_files_left_out_gives_the_reason() {
        let advice = "; to see them, pass fewer paths or narrower globs, or set exclude";
        let rows = [
            (Complete::Yes, "a reply has a limited size", advice),
            (Complete::NotReady, "a reply has a limited size", advice),
            (Complete::TimedOut, "the time limit was reached before all files were read", advice),
            (Complete::Cancelled, "the call was cancelled before all files were read", ""),
        ];
        each(rows, |(complete, why, advice)| {
            let wanted = format!("2 of 5 files are left out, because {why}{advice}");
            assert_eq!(left_out(2, 5, complete), wanted);
        });
    }
}
