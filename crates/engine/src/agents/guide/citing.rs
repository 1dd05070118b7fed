//! Check of citations against the files on disk: the path, the lines and the quoted text must exist.

use super::{DroppedClaim, claims::Claim};
use crate::{call::CallCtx, failure::Failure, files::Files, workers::blocking};
use std::collections::{HashMap, HashSet};
use toolpost_text::{cut, encoding::Text, plural::counted};

/// Maximum size of a cited file, in bytes.
const LONGEST: u64 = 16 << 20;
/// Maximum number of characters of a citation that an error message quotes.
const SHOWN: usize = 120;

/// The rules by which a citation in a model's answer is accepted.
#[derive(Debug, Clone)]
pub(crate) struct CitationRules {
    /// The locations of each piece of evidence that the model was shown, as `path:line`. The first piece has
    /// the id E1.
    pub(crate) evidence: Vec<Vec<String>>,
    /// The only files that may be cited, by the path that replies show; `None` allows all files.
    pub(crate) only: Option<HashSet<String>>,
    /// The rule for quoting the cited text: required or not.
    pub(crate) quotes: Quotes,
}

/// Rule that a citation must quote the text at the cited location, or that it need not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    Wanted,
    NotWanted,
}

/// A claim with valid citations.
#[derive(Debug, Clone)]
pub(crate) struct CitedClaim {
    pub(crate) claim: String,
    pub(crate) places: Vec<CitedLocation>,
}

/// A cited location that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CitedLocation {
    pub(crate) path: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// The line in which the quoted text starts; without a quotation, the first cited line.
    pub(crate) line: u64,
    /// The index in `CitationRules::evidence`, if the citation is the id of a piece of evidence; otherwise
    /// `None`.
    pub(crate) of: Option<usize>,
}

/// Splits a model's claims into those whose citations are all valid, and the dropped ones, each with the
/// reason.
pub(crate) async fn check(
    sources: &Files,
    claims: Vec<Claim>,
    citing: CitationRules,
    cx: &CallCtx,
) -> Result<(Vec<CitedClaim>, Vec<DroppedClaim>), Failure> {
    let (sources, cx) = (sources.clone(), cx.clone());
    blocking(move || {
        let mut checker = Checker { sources: &sources, cx: &cx, citing: &citing, files: HashMap::new() };
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for claim in claims {
            match checker.claim(&claim) {
                Ok(places) => kept.push(CitedClaim { claim: claim.text, places }),
                Err(why) => dropped.push(DroppedClaim { claim: claim.text, why }),
            }
        }
        Ok((kept, dropped))
    })
    .await
}

struct Checker<'a> {
    sources: &'a Files,
    cx: &'a CallCtx,
    citing: &'a CitationRules,
    files: HashMap<String, Result<File, String>>,
}

#[derive(Clone)]
struct File {
    /// The path in the form that replies show.
    path: String,
    lines: Vec<String>,
}

impl Checker<'_> {
    fn claim(&mut self, claim: &Claim) -> Result<Vec<CitedLocation>, String> {
        if claim.cites.is_empty() {
            return Err("the claim has no citation".to_owned());
        }
        let mut places: Vec<CitedLocation> = Vec::new();
        for cite in &claim.cites {
            for place in self.cite(cite)? {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        Ok(places)
    }

    fn cite(&mut self, cite: &str) -> Result<Vec<CitedLocation>, String> {
        let (place, quote) = match cite.split_once('|') {
            Some((place, quote)) => (place, Some(quote)),
            None => (cite, None),
        };
        let place = place.trim().trim_matches(['`', '[', ']', '"', '*']).trim();
        let number = place.strip_prefix('E').and_then(|number| number.parse::<usize>().ok());
        if let Some(number) = number {
            return self.evidence(number);
        }
        let (path, first, last) = range(place)
            .ok_or_else(|| format!("{} is not a location; write path:line | quoted text", shown(place)))?;
        let file = self.file(path)?;
        if first == 0 || first > last {
            return Err(format!("{} is not a valid range of lines", shown(place)));
        }
        if last > file.lines.len() as u64 {
            let count = file.lines.len();
            return Err(format!("{} is cited, but {} ends at line {count}", shown(place), file.path));
        }
        let line = match quote.map(plain).filter(|quote| !quote.is_empty()) {
            Some(quote) => found(&file.lines, first, last, &quote)
                .ok_or_else(|| format!("the quoted text is not in {}", shown(place)))?,
            None if self.citing.quotes == Quotes::NotWanted => first,
            None => return Err(format!("the claim cites {} without quoting text from there", shown(place))),
        };
        Ok(vec![CitedLocation { path: file.path, first, last, line, of: None }])
    }

    /// Resolves the piece of evidence with the id `E{number}`, and checks that its lines still exist, because a
    /// file can have changed since the search.
    fn evidence(&mut self, number: usize) -> Result<Vec<CitedLocation>, String> {
        let at = number.wrapping_sub(1);
        let places = self.citing.evidence.get(at).ok_or_else(|| {
            format!(
                "E{number} is not the id of a piece of evidence; there are {}",
                counted(self.citing.evidence.len() as u64, "piece")
            )
        })?;
        let mut found = Vec::new();
        for place in places.clone() {
            let (path, line, _) = range(&place).ok_or_else(|| format!("{place} is not a location"))?;
            let file = self.file(path)?;
            if line > file.lines.len() as u64 {
                return Err(format!("{place} no longer exists"));
            }
            found.push(CitedLocation { path: file.path, first: line, last: line, line, of: Some(at) });
        }
        Ok(found)
    }

    fn file(&mut self, raw_path: &str) -> Result<File, String> {
        if let Some(known) = self.files.get(raw_path) {
            return known.clone();
        }
        let read = self.read(raw_path);
        self.files.insert(raw_path.to_owned(), read.clone());
        read
    }

    fn read(&self, raw_path: &str) -> Result<File, String> {
        let place = self.sources.resolve(raw_path).map_err(|failure| failure.what)?;
        // Missing and withheld files get the same message, so that it does not reveal whether a withheld file
        // exists.
        let missing = || format!("{} cannot be read here", shown(raw_path));
        if !self.cx.may_read(&place) {
            return Err(missing());
        }
        let read = self.sources.workspace().read(&place, LONGEST).map_err(|_| missing())?;
        let text = Text::open(read.bytes, self.sources.encoding()).map_err(|_| missing())?;
        let path = place.display();
        if self.citing.only.as_ref().is_some_and(|only| !only.contains(&path)) {
            return Err(format!("{path} is outside the scope"));
        }
        let whole = text.shown(text.view());
        let lines = toolpost_text::lines::bare(&whole).into_iter().map(str::to_owned).collect();
        Ok(File { path, lines })
    }
}

/// Parses `path:12` and `path:12-14` into the path, the first line and the last line; `None` for any other text.
fn range(place: &str) -> Option<(&str, u64, u64)> {
    let (path, lines) = place.rsplit_once(':')?;
    let number = |text: &str| text.trim().trim_start_matches(['L', 'l']).parse::<u64>().ok();
    let (first, last) = match lines.split_once(['-', '–']) {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(lines)?, number(lines)?),
    };
    (!path.trim().is_empty()).then_some((path.trim(), first, last))
}

/// Finds the line from `first` to `last` in which a quotation starts; `None` if these lines do not contain it. The
/// quotation can span several lines, and differences in white space are ignored.
fn found(lines: &[String], first: u64, last: u64, quote: &str) -> Option<u64> {
    let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let own = lines.get(at(first) - 1..at(last))?;
    if let Some(offset) = own.iter().position(|line| plain(line).contains(quote)) {
        return Some(first + offset as u64);
    }
    let whole = |from: usize| plain(&own[from..].join(" ")).contains(quote);
    // The quotation spans several lines. It starts in the last line from which the cited range still contains
    // all of it.
    (0..own.len()).rev().find(|from| whole(*from)).map(|offset| first + offset as u64)
}

/// Removes surrounding backticks, and normalizes white space.
fn plain(text: &str) -> String {
    let text = text.trim();
    let inside = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(text);
    inside.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shown(raw_path: &str) -> String {
    toolpost_text::escape::text(cut::line(raw_path, SHOWN).0).into_owned()
}
