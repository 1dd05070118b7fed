//! Search of each file for a pattern; several files are searched at the same time.

use super::{
    Hole, Line, Lines, Place, Request,
    languages::{InFile, Patterns},
};
use crate::{
    call::CallCtx,
    code::Code,
    failure::{Failure, Kind},
    find::walk::Complete,
    seen::{Part, Seen},
    workers::at_once,
};
use std::{collections::BTreeSet, path::Path, sync::Arc};
use toolpost_syntax::Fit;
use toolpost_text::{counted::counted, cut, encoding::Text, lines::LineIndex};
use toolpost_workspace::{AccessKind, ContentHash, WorkspacePath};

/// Maximum size of a file to parse, in bytes.
const LONGEST: u64 = 8 * 1024 * 1024;
/// Maximum number of lines that are shown for one match.
const LINES: usize = 60;
/// Maximum number of characters shown for a line and for a capture.
const CHARACTERS: (usize, usize) = (2_000, 200);
/// Maximum number of named files that could not be searched, for each reason.
const NAMED: usize = 3;
/// Content up to this size is remembered, to report later changes.
const REMEMBERED: usize = 1024 * 1024;
/// Number of files in one unit of work.
const PIECE: usize = 32;

/// The results of all files.
#[derive(Default)]
pub(super) struct All {
    /// The files with matches, in order.
    pub(super) found: Vec<Found>,
    pub(super) searched: u64,
    pub(super) imperfect: u64,
    pub(super) foreign: Vec<String>,
    pub(super) skipped: Skipped,
    pub(super) ended: Complete,
}

/// The matches of one file.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) total: u64,
    /// The first matches, up to the limit.
    pub(super) places: Vec<Place>,
    place: WorkspacePath,
    hash: ContentHash,
    bytes: Option<Arc<[u8]>>,
}

/// Files that were not searched, by the reason.
#[derive(Default)]
pub(super) struct Skipped {
    unparsed: Vec<String>,
    too_large: Vec<String>,
    unreadable: Vec<String>,
    not_text: u64,
    withheld: Vec<String>,
}

/// The result of searching one file.
enum Looked {
    Found(Found, Parsed),
    Nothing(Parsed),
    Foreign(&'static str),
    Unparsed,
    TooLarge,
    Unreadable,
    NotText,
    Withheld,
    NoTime(Complete),
}

/// Completeness of a parsed file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parsed {
    Whole,
    InParts,
}

/// Searches all files.
pub(super) async fn all(
    code: &Code,
    files: Vec<WorkspacePath>,
    patterns: Patterns,
    request: &Request,
    cx: &CallCtx,
) -> Result<All, Failure> {
    let (code, cx) = (code.clone(), cx.clone());
    let most = usize::try_from(request.limit).unwrap_or(usize::MAX);
    let pieces: Vec<Vec<WorkspacePath>> = files.chunks(PIECE).map(<[WorkspacePath]>::to_vec).collect();
    let looked = at_once(pieces, move |piece| {
        let one = |path: WorkspacePath| (path.display(), one(&code, &path, &patterns, most, &cx));
        Ok(piece.into_iter().map(one).collect::<Vec<_>>())
    })
    .await?;
    Ok(together(looked.into_iter().flatten()))
}

fn together(looked: impl Iterator<Item = (String, Looked)>) -> All {
    let mut all = All::default();
    let mut foreign = BTreeSet::new();
    for (path, looked) in looked {
        let parsed = match looked {
            Looked::Found(found, parsed) => {
                all.found.push(found);
                Some(parsed)
            }
            Looked::Nothing(parsed) => Some(parsed),
            Looked::Foreign(language) => {
                foreign.insert(language);
                None
            }
            Looked::NoTime(ended) => {
                all.ended = ended;
                None
            }
            other => {
                all.skipped.take(path, &other);
                None
            }
        };
        all.searched += u64::from(parsed.is_some());
        all.imperfect += u64::from(parsed == Some(Parsed::InParts));
    }
    all.foreign = foreign.into_iter().map(str::to_owned).collect();
    all
}

/// Searches one file.
fn one(code: &Code, path: &WorkspacePath, patterns: &Patterns, most: usize, cx: &CallCtx) -> Looked {
    if let Err(failure) = cx.check() {
        let timed_out = failure.kind == Kind::Timeout;
        return Looked::NoTime(if timed_out { Complete::TimedOut } else { Complete::Cancelled });
    }
    let (language, pattern) = match patterns.of(Path::new(&path.display())) {
        InFile::Code(language, pattern) => (language, pattern),
        InFile::Foreign(language) => return Looked::Foreign(language.name()),
        InFile::Other => return Looked::NotText,
    };
    if !cx.may_read(path) {
        return Looked::Withheld;
    }
    let snapshot = match code.files().workspace().read(path, LONGEST) {
        Ok(snapshot) => snapshot,
        Err(error) if matches!(error.why, AccessKind::TooLarge { .. }) => return Looked::TooLarge,
        Err(_) => return Looked::Unreadable,
    };
    let bytes: Option<Arc<[u8]>> =
        (snapshot.bytes.len() <= REMEMBERED).then(|| snapshot.bytes.as_slice().into());
    let Ok(text) = Text::open(snapshot.bytes, code.files().encoding()) else { return Looked::NotText };
    let shown = text.shown(text.view());
    if !pattern.may_fit(&shown) {
        return Looked::Nothing(Parsed::Whole);
    }
    let Ok(tree) = language.parse(&shown) else { return Looked::Unparsed };
    let Ok(fits) = tree.fits(pattern) else { return Looked::Unparsed };
    let parsed = if tree.is_whole() { Parsed::Whole } else { Parsed::InParts };
    if fits.is_empty() {
        return Looked::Nothing(parsed);
    }
    let index = LineIndex::new(&shown);
    let places = fits.iter().take(most).map(|fit| place(&shown, &index, fit)).collect();
    let found = Found {
        path: path.display(),
        total: fits.len() as u64,
        places,
        place: path.clone(),
        hash: snapshot.hash,
        bytes,
    };
    Looked::Found(found, parsed)
}

/// Returns the position of a match, and the code in its captures.
fn place(text: &str, index: &LineIndex, fit: &Fit) -> Place {
    let first = index.line(fit.range.start);
    let last = index.line(fit.range.end.saturating_sub(1).max(fit.range.start));
    let line_start = text[..fit.range.start].rfind('\n').map_or(0, |at| at + 1);
    let holes = fit.holes.iter().map(|hole| {
        let inside = hole.range.clone().and_then(|range| text.get(range)).unwrap_or_default();
        let words = inside.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = match cut::line(&words, CHARACTERS.1) {
            (_, 0) => words.clone(),
            (kept, more) => format!("{kept}… ({more} more characters)"),
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

/// Returns a number of lines of a text, starting at a byte offset.
fn lines(text: &str, start: usize, first: usize, count: usize) -> Lines {
    let lines = text[start..].split('\n').take(count).enumerate().map(|(at, line)| {
        let (text, more) = cut::line(line, CHARACTERS.0);
        Line { number: (first + at) as u64, text, more: more as u64 }
    });
    lines.collect()
}

impl Found {
    /// Returns the lines that the caller will have seen once this number of matches is shown.
    pub(super) fn seen(&self, places: usize) -> Vec<Seen> {
        let shown = self.places.iter().take(places).filter_map(|place| {
            let part = Part::Lines(place.lines.first()?.number..=place.lines.last()?.number);
            Some(Seen { path: self.place.clone(), hash: Some(self.hash), part, bytes: self.bytes.clone() })
        });
        shown.collect()
    }
}

impl Skipped {
    fn take(&mut self, path: String, why: &Looked) {
        match why {
            Looked::Unparsed => self.unparsed.push(path),
            Looked::TooLarge => self.too_large.push(path),
            Looked::Unreadable => self.unreadable.push(path),
            Looked::NotText => self.not_text += 1,
            Looked::Withheld => self.withheld.push(path),
            Looked::Found(..) | Looked::Nothing(_) | Looked::Foreign(_) | Looked::NoTime(_) => {}
        }
    }

    /// Describes the skipped files.
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
            bare(self.not_text, "without text"),
            named(&self.withheld, "withheld by the rules"),
        ];
        words.into_iter().flatten().collect()
    }
}
