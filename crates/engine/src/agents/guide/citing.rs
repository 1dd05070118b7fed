//! Checks citations against the disk: the file, the lines and the quoted text.

use super::{Dropped, claims::Claim};
use crate::{call::CallCtx, failure::Failure, files::Files, workers::blocking};
use std::collections::{HashMap, HashSet};
use toolpost_text::{cut, encoding::Text};

/// Maximum number of bytes that are read of a file.
const LONGEST: u64 = 16 << 20;
/// Maximum number of characters of a citation that a reason repeats.
const SHOWN: usize = 120;

/// The permitted citations.
#[derive(Debug, Clone)]
pub(crate) struct Citing {
    /// The evidence with the ids E1, E2, …: the positions of each piece, as `path:line`.
    pub(crate) evidence: Vec<Vec<String>>,
    /// The only files that may be cited; `None` for all.
    pub(crate) only: Option<HashSet<String>>,
    /// The quotation requirement.
    pub(crate) quotes: Quotes,
}

/// Requirement that a citation quotes the text at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    Wanted,
    NotWanted,
}

/// A claim with valid citations.
#[derive(Debug, Clone)]
pub(crate) struct Cited {
    pub(crate) claim: String,
    pub(crate) places: Vec<Place>,
}

/// A cited position that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// The first line of the quoted text.
    pub(crate) line: u64,
    /// The index of the cited piece of evidence, counted from 0; `None` for other citations.
    pub(crate) of: Option<usize>,
}

/// Keeps the claims whose citations are all valid; returns the other claims with the reasons.
pub(crate) async fn check(
    sources: &Files,
    claims: Vec<Claim>,
    citing: Citing,
    cx: &CallCtx,
) -> Result<(Vec<Cited>, Vec<Dropped>), Failure> {
    let (sources, cx) = (sources.clone(), cx.clone());
    blocking(move || {
        let mut checker = Checker { sources: &sources, cx: &cx, citing: &citing, files: HashMap::new() };
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for claim in claims {
            match checker.claim(&claim) {
                Ok(places) => kept.push(Cited { claim: claim.text, places }),
                Err(why) => dropped.push(Dropped { claim: claim.text, why }),
            }
        }
        Ok((kept, dropped))
    })
    .await
}

struct Checker<'a> {
    sources: &'a Files,
    cx: &'a CallCtx,
    citing: &'a Citing,
    files: HashMap<String, Result<File, String>>,
}

#[derive(Clone)]
struct File {
    /// The path for display.
    path: String,
    lines: Vec<String>,
}

impl Checker<'_> {
    fn claim(&mut self, claim: &Claim) -> Result<Vec<Place>, String> {
        if claim.cites.is_empty() {
            return Err("it cites nothing".to_owned());
        }
        let mut places: Vec<Place> = Vec::new();
        for cite in &claim.cites {
            for place in self.cite(cite)? {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        Ok(places)
    }

    fn cite(&mut self, cite: &str) -> Result<Vec<Place>, String> {
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
            .ok_or_else(|| format!("{} is no place: path:line | words is wanted", shown(place)))?;
        let file = self.file(path)?;
        if first == 0 || first > last || last > file.lines.len() as u64 {
            let count = file.lines.len();
            return Err(format!("{} is cited, and {} has {count} lines", shown(place), file.path));
        }
        let line = match quote.map(plain).filter(|quote| !quote.is_empty()) {
            Some(quote) => found(&file.lines, first, last, &quote)
                .ok_or_else(|| format!("the words that it quotes do not stand in {}", shown(place)))?,
            None if self.citing.quotes == Quotes::NotWanted => first,
            None => return Err(format!("it cites {} without words that stand there", shown(place))),
        };
        Ok(vec![Place { path: file.path, first, last, line, of: None }])
    }

    /// Resolves a piece of evidence by its id; the file can have changed since it was found.
    fn evidence(&mut self, number: usize) -> Result<Vec<Place>, String> {
        let at = number.wrapping_sub(1);
        let places = self.citing.evidence.get(at).ok_or_else(|| {
            format!("E{number} is no evidence that was given: there are {}", self.citing.evidence.len())
        })?;
        let mut found = Vec::new();
        for place in places.clone() {
            let (path, line, _) = range(&place).ok_or_else(|| format!("{place} is no place"))?;
            let file = self.file(path)?;
            if line > file.lines.len() as u64 {
                return Err(format!("{place} is not there any more"));
            }
            found.push(Place { path: file.path, first: line, last: line, line, of: Some(at) });
        }
        Ok(found)
    }

    fn file(&mut self, said: &str) -> Result<File, String> {
        if let Some(known) = self.files.get(said) {
            return known.clone();
        }
        let read = self.read(said);
        self.files.insert(said.to_owned(), read.clone());
        read
    }

    fn read(&self, said: &str) -> Result<File, String> {
        let place = self.sources.resolve(said).map_err(|failure| failure.what)?;
        // A file that the rules withhold looks like a missing one.
        let missing = || format!("{} cannot be read here", shown(said));
        if !self.cx.may_read(&place) {
            return Err(missing());
        }
        let read = self.sources.workspace().read(&place, LONGEST).map_err(|_| missing())?;
        let text = Text::open(read.bytes, self.sources.encoding()).map_err(|_| missing())?;
        let path = place.display();
        if self.citing.only.as_ref().is_some_and(|only| !only.contains(&path)) {
            return Err(format!("{path} lies outside of the scope"));
        }
        let whole = text.shown(text.view());
        let lines = toolpost_text::lines::bare(&whole).into_iter().map(str::to_owned).collect();
        Ok(File { path, lines })
    }
}

/// Parses `path:12` and `path:12-14`.
fn range(place: &str) -> Option<(&str, u64, u64)> {
    let (path, lines) = place.rsplit_once(':')?;
    let number = |text: &str| text.trim().trim_start_matches(['L', 'l']).parse::<u64>().ok();
    let (first, last) = match lines.split_once(['-', '–']) {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(lines)?, number(lines)?),
    };
    (!path.trim().is_empty()).then_some((path.trim(), first, last))
}

/// Finds the first line of a quotation, which can span several lines; white space does not count.
fn found(lines: &[String], first: u64, last: u64, quote: &str) -> Option<u64> {
    let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let own = lines.get(at(first) - 1..at(last))?;
    if let Some(offset) = own.iter().position(|line| plain(line).contains(quote)) {
        return Some(first + offset as u64);
    }
    let whole = |from: usize| plain(&own[from..].join(" ")).contains(quote);
    // The quotation begins in the last line such that the text from there on contains all of it.
    (0..own.len()).rev().find(|from| whole(*from)).map(|offset| first + offset as u64)
}

/// Removes surrounding backticks, and normalizes white space.
fn plain(text: &str) -> String {
    let text = text.trim();
    let inside = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(text);
    inside.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shown(said: &str) -> String {
    toolpost_text::escape::text(cut::line(said, SHOWN).0).into_owned()
}
