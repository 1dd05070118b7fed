//! Concurrent search of files for a pattern.

use super::{
    Hole, Line, Lines, Place, Request,
    languages::{InFile, Patterns},
};
use crate::{
    call::CallCtx,
    code::Code,
    failure::{Failure, Kind},
    find::walk::Complete,
    seen_content::{SeenContent, SeenRange},
    workers::at_once,
};
use std::{collections::BTreeSet, path::Path, sync::Arc};
use toolpost_syntax::PatternMatch;
use toolpost_text::{cut, encoding::Text, lines::LineIndex, plural::counted};
use toolpost_workspace::{AccessKind, ContentHash, WorkspacePath};

/// Maximum size of a file to parse, in bytes.
const LONGEST: u64 = 8 * 1024 * 1024;
/// Maximum number of lines that are shown for one match.
const LINES: usize = 60;
/// Maximum number of characters that are shown of a line, and of a capture.
const CHARACTERS: (usize, usize) = (2_000, 200);
/// Maximum number of skipped files that are named for each reason.
const NAMED: usize = 3;
/// Maximum size, in bytes, of a file whose content the session stores to report later changes.
const REMEMBERED: usize = 1024 * 1024;
/// Number of files for which one helper thread is used.
const PIECE: usize = 32;

/// The matches in all files, and the files that were not searched.
#[derive(Default)]
pub(super) struct QueryMatches {
    /// The files with matches, sorted by path.
    pub(super) found: Vec<FileMatches>,
    pub(super) searched: u64,
    pub(super) imperfect: u64,
    pub(super) foreign: Vec<String>,
    pub(super) skipped: SkippedFiles,
    pub(super) ended: Complete,
}

pub(super) struct FileMatches {
    pub(super) path: String,
    pub(super) total: u64,
    /// The first matches in the file, up to the limit of the request.
    pub(super) places: Vec<Place>,
    place: WorkspacePath,
    hash: ContentHash,
    bytes: Option<Arc<[u8]>>,
}

/// Files that were not searched, by the reason.
#[derive(Default)]
pub(super) struct SkippedFiles {
    unparsed: Vec<String>,
    too_large: Vec<String>,
    unreadable: Vec<String>,
    not_text: u64,
    withheld: Vec<String>,
}

/// The result of searching one file.
enum FileOutcome {
    Found(FileMatches, ParseCompleteness),
    Nothing(ParseCompleteness),
    Foreign(&'static str),
    Unparsed,
    TooLarge,
    Unreadable,
    NotText,
    Withheld,
    NoTime(Complete),
}

/// The completeness of a parse: `InParts` if the parser does not understand parts of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParseCompleteness {
    Whole,
    InParts,
}

pub(super) async fn search_all(
    code: &Code,
    files: Vec<WorkspacePath>,
    patterns: Patterns,
    request: &Request,
    cx: &CallCtx,
) -> Result<QueryMatches, Failure> {
    let (code, cx) = (code.clone(), cx.clone());
    let most = usize::try_from(request.limit).unwrap_or(usize::MAX);
    let looked =
        at_once(files, PIECE, move |path| Ok((path.display(), one(&code, path, &patterns, most, &cx))))
            .await?;
    Ok(together(looked.into_iter()))
}

fn together(looked: impl Iterator<Item = (String, FileOutcome)>) -> QueryMatches {
    let mut all = QueryMatches::default();
    let mut foreign = BTreeSet::new();
    for (path, looked) in looked {
        let parsed = match looked {
            FileOutcome::Found(found, parsed) => {
                all.found.push(found);
                Some(parsed)
            }
            FileOutcome::Nothing(parsed) => Some(parsed),
            FileOutcome::Foreign(language) => {
                foreign.insert(language);
                None
            }
            FileOutcome::NoTime(ended) => {
                all.ended = ended;
                None
            }
            other => {
                all.skipped.take(path, &other);
                None
            }
        };
        all.searched += u64::from(parsed.is_some());
        all.imperfect += u64::from(parsed == Some(ParseCompleteness::InParts));
    }
    all.foreign = foreign.into_iter().map(str::to_owned).collect();
    all
}

fn one(code: &Code, path: &WorkspacePath, patterns: &Patterns, most: usize, cx: &CallCtx) -> FileOutcome {
    if let Err(failure) = cx.check() {
        let timed_out = failure.kind == Kind::Timeout;
        return FileOutcome::NoTime(if timed_out { Complete::TimedOut } else { Complete::Cancelled });
    }
    let (language, pattern) = match patterns.of(Path::new(&path.display())) {
        InFile::Code(language, pattern) => (language, pattern),
        InFile::Foreign(language) => return FileOutcome::Foreign(language.name()),
        InFile::Other => return FileOutcome::NotText,
    };
    if !cx.may_read(path) {
        return FileOutcome::Withheld;
    }
    let snapshot = match code.files().workspace().read(path, LONGEST) {
        Ok(snapshot) => snapshot,
        Err(error) if matches!(error.why, AccessKind::TooLarge { .. }) => return FileOutcome::TooLarge,
        Err(_) => return FileOutcome::Unreadable,
    };
    let bytes: Option<Arc<[u8]>> =
        (snapshot.bytes.len() <= REMEMBERED).then(|| snapshot.bytes.as_slice().into());
    let Ok(text) = Text::open(snapshot.bytes, code.files().encoding()) else { return FileOutcome::NotText };
    let shown = text.shown(text.view());
    if !pattern.may_fit(&shown) {
        return FileOutcome::Nothing(ParseCompleteness::Whole);
    }
    let Ok(tree) = language.parse(&shown) else { return FileOutcome::Unparsed };
    let Ok(fits) = tree.fits(pattern) else { return FileOutcome::Unparsed };
    let parsed = if tree.is_whole() { ParseCompleteness::Whole } else { ParseCompleteness::InParts };
    if fits.is_empty() {
        return FileOutcome::Nothing(parsed);
    }
    let index = LineIndex::new(&shown);
    let places = fits.iter().take(most).map(|fit| place(&shown, &index, fit)).collect();
    let found = FileMatches {
        path: path.display(),
        total: fits.len() as u64,
        places,
        place: path.clone(),
        hash: snapshot.hash,
        bytes,
    };
    FileOutcome::Found(found, parsed)
}

/// Describes a match: its position, lines and captures.
fn place(text: &str, index: &LineIndex, fit: &PatternMatch) -> Place {
    let first = index.line(fit.range.start);
    let last = index.line(fit.range.end.saturating_sub(1).max(fit.range.start));
    let line_start = text[..fit.range.start].rfind('\n').map_or(0, |at| at + 1);
    let holes = fit.holes.iter().map(|hole| {
        let inside = hole.range.clone().and_then(|range| text.get(range)).unwrap_or_default();
        let words = inside.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = match cut::line(&words, CHARACTERS.1) {
            (_, 0) => words.clone(),
            (kept, more) => format!("{kept}… ({})", counted(more as u64, "more character")),
        };
        Hole { name: hole.name.clone(), text }
    });
    Place {
        first_line: first as u64,
        column: text[line_start..fit.range.start].chars().count() as u64 + 1,
        last_line: last as u64,
        lines: lines(text, line_start, first, (last - first + 1).min(LINES)),
        holes: holes.collect(),
    }
}

/// Returns `count` lines of a text, from a byte offset on. The first line has the number `first`.
fn lines(text: &str, start: usize, first: usize, count: usize) -> Lines {
    let lines = text[start..].split('\n').take(count).enumerate().map(|(at, line)| {
        let (text, more) = cut::line(line, CHARACTERS.0);
        Line { number: (first + at) as u64, text, more: more as u64 }
    });
    lines.collect()
}

impl FileMatches {
    /// Returns the lines that the caller sees if the first `places` matches are shown.
    pub(super) fn seen(&self, places: usize) -> Vec<SeenContent> {
        let shown = self.places.iter().take(places).filter_map(|place| {
            let part = SeenRange::Lines(place.lines.first()?.number..=place.lines.last()?.number);
            Some(SeenContent {
                path: self.place.clone(),
                hash: Some(self.hash),
                part,
                bytes: self.bytes.clone(),
            })
        });
        shown.collect()
    }
}

impl SkippedFiles {
    fn take(&mut self, path: String, why: &FileOutcome) {
        match why {
            FileOutcome::Unparsed => self.unparsed.push(path),
            FileOutcome::TooLarge => self.too_large.push(path),
            FileOutcome::Unreadable => self.unreadable.push(path),
            FileOutcome::NotText => self.not_text += 1,
            FileOutcome::Withheld => self.withheld.push(path),
            FileOutcome::Found(..)
            | FileOutcome::Nothing(_)
            | FileOutcome::Foreign(_)
            | FileOutcome::NoTime(_) => {}
        }
    }

    /// Describes the skipped files, one phrase for each reason.
    pub(super) fn words(&self) -> Vec<String> {
        let named = |files: &[String], why: &str| {
            let more = if files.len() > NAMED { ", …" } else { "" };
            let names = files.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            (!files.is_empty())
                .then(|| format!("{} {why} ({names}{more})", counted(files.len() as u64, "file")))
        };
        let bare = |count: u64, why: &str| (count > 0).then(|| format!("{} {why}", counted(count, "file")));
        let words = [
            named(&self.unparsed, "that could not be parsed"),
            named(&self.too_large, &format!("larger than {} MiB", LONGEST / 1024 / 1024)),
            named(&self.unreadable, "that could not be read"),
            bare(self.not_text, "with binary content"),
            named(&self.withheld, "withheld by the rules"),
        ];
        words.into_iter().flatten().collect()
    }
}
