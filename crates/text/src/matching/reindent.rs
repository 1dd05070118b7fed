//! Adaptation of the indentation of an edit's new text to the file, derived from how the indentation of the
//! old text differs from the file's.

use std::cell::LazyCell;

use crate::encoding::{Indent, greatest};
use crate::lines::indent;

/// Indentations of an edit's old text, the smallest first, each with the indentation that the file has
/// instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndentShift {
    pairs: Vec<Pair>,
    first: Pair,
    /// True if the second line of the old text is indented deeper than the first.
    steps_in: bool,
    /// Indentation widths of lines of the old text that are followed by a deeper line, each with the width of
    /// that deeper line.
    jumps: Vec<(usize, usize)>,
}

/// An indentation of the old text and that of the same line in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pair {
    old: String,
    file: String,
}

/// The assumed width of an indentation level, and of a tab, in spaces.
const LEVEL: usize = 4;

/// The character that an indentation consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tabs,
    Spaces,
}

/// Conversion of indentation widths in the old text to widths in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scale {
    /// Number of characters per indentation level in the old text.
    old: usize,
    /// Number of characters per indentation level in the file.
    file: usize,
    /// The character with which the file indents lines.
    kind: Kind,
}

/// Result of comparing the indentation of new text with the file's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndentFit {
    /// Each new line has an indentation that one of the replaced lines of the file has, and is deeper than the line
    /// before it only if that line may open a block.
    Exact,
    /// Some new lines have an indentation that no replaced line has. It differs from that of the first replaced line
    /// by whole levels of the file.
    Extended,
    No,
}

impl IndentShift {
    /// Collects the indentations of matching lines of the old text and the file; `None` if there are no
    /// lines, or they are not shifted consistently.
    ///
    /// Lines with equal indentation in the old text must have equal indentation in the file, and deeper lines
    /// deeper indentation.
    pub(crate) fn new<'a>(lines: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let mut seen: Vec<(&str, &str)> = Vec::new();
        let mut steps_in = false;
        let (mut jumps, mut above) = (Vec::new(), usize::MAX);
        for (number, (old, file)) in lines.enumerate() {
            steps_in |= number == 1 && seen.first().is_some_and(|first| first.0.len() < old.len());
            if above < old.len() {
                jumps.push((above, old.len()));
            }
            above = old.len();
            match seen.iter().find(|known| known.0 == old) {
                Some(known) if known.1 != file => return None,
                Some(_) => {}
                None => seen.push((old, file)),
            }
        }
        let pair = |&(old, file): &(&str, &str)| Pair { old: old.to_owned(), file: file.to_owned() };
        let first = seen.first().map(pair);
        let mut pairs: Vec<Pair> = seen.iter().map(pair).collect();
        pairs.sort_by_key(|pair| pair.old.len());
        let deeper =
            |two: &[Pair]| two[0].old.len() < two[1].old.len() && two[0].file.len() < two[1].file.len();
        let consistent = pairs.windows(2).all(deeper);
        first.filter(|_| consistent).map(|first| Self { pairs, first, steps_in, jumps })
    }

    /// Returns whether the indentation of every line differs from the file's by at most one level.
    pub(super) fn is_small(&self) -> bool {
        let width = |indent: &str| indent.chars().map(|c| if c == '\t' { LEVEL } else { 1 }).sum::<usize>();
        self.pairs.iter().all(|pair| width(&pair.old).abs_diff(width(&pair.file)) <= LEVEL)
    }

    /// Indents new text like the file; `None` if its indentation has no clear counterpart in the file.
    ///
    /// Keeps new text that already has the file's indentation, and rewrites new text that is indented like the old
    /// text. If both readings are possible and lead to different results, returns `None`. `unit` computes the file's
    /// usual indentation, which is not always needed.
    pub(crate) fn apply(&self, new: &str, unit: impl FnOnce() -> Indent) -> Option<String> {
        let lines: Vec<&str> = new.split('\n').filter(|line| !is_blank_line(line)).collect();
        let own: Vec<&str> = lines.iter().map(|line| indent(line)).collect();
        let Some(begin) = own.first() else { return Some(new.to_owned()) };
        let usual = LazyCell::new(unit);
        let like_file = self.like_file(&lines, &own, || *usual);
        let begins_alike = *begin == self.first.old;
        // If the new text begins without indentation, and one of its lines is deeper than the line before it although
        // that line opens no block, then only the first line lost its indentation when it was copied.
        let deeper = |two: &[&str]| indent(two[1]).len() > indent(two[0]).len() && !opens(two[0]);
        let cut = !self.steps_in && self.is_cut(&own) && lines.windows(2).any(deeper);
        let starts_cut = begin.is_empty() && !self.steps_in && lines.windows(2).next().is_some_and(deeper);
        let jumps = !self.jumps_alike(&own, self.old_level(&own));
        if begins_alike && own.iter().all(|own| self.known(own).is_some()) && !jumps {
            let mapped = self.rewrite(new, |own| self.known(own).map(str::to_owned))?;
            return (mapped == new || like_file != IndentFit::Exact && !cut).then_some(mapped);
        }
        let scaled = || {
            let scale = self.scale(&own, *usual)?;
            let plausible = begins_alike
                && !cut
                && !jumps
                && self.has_level()
                && self.goes_out_alike(&own)
                && !starts_cut
                && self.steps_by(&own, self.old_level(&own))
                && !self.is_mixed(&lines);
            let other =
                |own: &str| self.known(own).map(str::to_owned).or_else(|| self.counterpart(own, scale));
            self.rewrite(new, other).filter(|_| plausible)
        };
        match like_file {
            IndentFit::Exact => Some(new.to_owned()),
            IndentFit::Extended => scaled().is_none_or(|scaled| scaled == new).then(|| new.to_owned()),
            IndentFit::No => scaled().or_else(|| {
                // The first line was copied without its indentation; the other lines have the file's indentation.
                let at = new.find(|c| c != '\n').unwrap_or(0);
                self.is_cut(&own).then(|| format!("{}{}{}", &new[..at], self.first.file, &new[at..]))
            }),
        }
    }

    /// Checks whether only the first line of new text seems to have lost its indentation: all other lines have
    /// indentations that occur in the file.
    fn is_cut(&self, own: &[&str]) -> bool {
        let Some((begin, rest)) = own.split_first() else { return false };
        let lost = begin.is_empty() && self.first.old.is_empty() && !self.first.file.is_empty();
        lost && !rest.is_empty() && rest.iter().all(|own| !own.is_empty() && self.in_file(own))
    }

    /// Compares the indentation of new text with the file's.
    fn like_file(&self, lines: &[&str], own: &[&str], usual: impl FnOnce() -> Indent) -> IndentFit {
        if own.first() != Some(&self.first.file.as_str()) {
            return IndentFit::No;
        }
        let goes_in = |at: usize, two: &[&str]| {
            indent(two[1]).len() <= indent(two[0]).len() || opens(two[0]) || at == 0 && self.steps_in
        };
        if own.iter().all(|own| self.in_file(own)) {
            let sound = lines.windows(2).enumerate().all(|(at, two)| goes_in(at, two));
            return if sound { IndentFit::Exact } else { IndentFit::No };
        }
        let level = match self.pairs.as_slice() {
            [_, _, ..] => self.steps(|pair| pair.file.as_str()),
            _ => match usual() {
                Indent::Spaces(width) => usize::from(width),
                Indent::Tabs => 1,
                Indent::None | Indent::Mixed => return IndentFit::No,
            },
        };
        let one_kind = kind(self.pairs.iter().map(|pair| pair.file.as_str()).chain(own.iter().copied()));
        let base = self.first.file.len();
        let whole = own.iter().all(|own| self.in_file(own) || own.len().abs_diff(base) % level.max(1) == 0);
        let single = |two: &[&str]| two[1].len() <= two[0].len() + level || self.in_file(two[1]);
        let opened = lines.windows(2).all(|two| {
            indent(two[1]).len() <= indent(two[0]).len() || self.in_file(indent(two[1])) || opens(two[0])
        });
        let least = self.pairs.first().map_or(0, |pair| pair.file.len());
        let inside = own.iter().all(|own| own.len() >= least);
        let extends = one_kind.is_some() && whole && inside && opened && own.windows(2).all(single);
        if extends { IndentFit::Extended } else { IndentFit::No }
    }

    /// Returns whether a matching line has this indentation in the file.
    fn in_file(&self, own: &str) -> bool {
        self.pairs.iter().any(|pair| pair.file == own)
    }

    /// Returns the greatest width that divides all differences between the indentations of the old text or of the
    /// file; `side` selects one of these texts.
    fn steps<'s>(&'s self, side: impl Fn(&'s Pair) -> &'s str) -> usize {
        self.pairs
            .windows(2)
            .fold(0, |common, two| greatest(common, side(&two[1]).len() - side(&two[0]).len()))
    }

    /// Returns the width of an indentation level in the old text, if that text has several indentations.
    /// Otherwise guesses it from the old and the new text.
    fn old_level(&self, own: &[&str]) -> usize {
        match self.pairs.as_slice() {
            [_, _, ..] => self.steps(|pair| pair.old.as_str()),
            _ if own.iter().any(|own| own.contains('\t')) => 1,
            _ => self.level(own),
        }
    }

    /// Checks that wherever the indentation of new text grows by more than one level, it also grows like this
    /// in the old text.
    fn jumps_alike(&self, own: &[&str], level: usize) -> bool {
        own.windows(2).all(|two| {
            let (above, below) = (two[0].len(), two[1].len());
            below <= above + level || self.jumps.contains(&(above, below))
        })
    }

    /// Checks that all differences between indentations of the old text are multiples of the smallest one.
    fn has_level(&self) -> bool {
        let least = self.pairs.windows(2).map(|two| two[1].old.len() - two[0].old.len()).min();
        least.is_none_or(|least| least == self.steps(|pair| pair.old.as_str()))
    }

    /// Checks that new text with lines less indented than the whole old text has indentation levels of the old text's
    /// width. Any other new text passes, and so does any text if the old text has only one indentation.
    fn goes_out_alike(&self, own: &[&str]) -> bool {
        let base = self.first.old.len();
        let least = self.pairs.first().map_or(0, |pair| pair.old.len());
        let level = own.iter().fold(0, |common, own| greatest(common, own.len().abs_diff(base)));
        own.iter().all(|own| own.len() >= least) || self.pairs.len() < 2 || level == self.old_level(own)
    }

    /// Checks that the indentations of new text are whole levels of the old text, and that no line is deeper than the
    /// line before by more than one level. Indentations that occur in the old text pass.
    fn steps_by(&self, own: &[&str], level: usize) -> bool {
        let base = self.first.old.len();
        let whole =
            |own: &&str| self.known(own).is_some() || own.len().abs_diff(base).is_multiple_of(level.max(1));
        own.iter().all(whole)
            && own.windows(2).all(|two| {
                two[1].len() <= two[0].len() + level || two.iter().all(|own| self.known(own).is_some())
            })
    }

    /// Checks whether some lines of new text seem to be indented like the file and others like the old text.
    ///
    /// The sign is a line whose indentation only the file has, and that is deeper than the line before although
    /// that line opens no block.
    fn is_mixed(&self, lines: &[&str]) -> bool {
        let file_only = |own: &str| self.in_file(own) && self.known(own).is_none();
        lines.windows(2).any(|two| {
            file_only(indent(two[1])) && indent(two[1]).len() > indent(two[0]).len() && !opens(two[0])
        })
    }

    /// Replaces the indentation of every line that is not blank by the result of `other` for this indentation; `None`
    /// if `other` returns `None`.
    fn rewrite(&self, new: &str, other: impl Fn(&str) -> Option<String>) -> Option<String> {
        let mut out = String::with_capacity(new.len() + new.len() / 4);
        for line in new.split_inclusive('\n') {
            let own = indent(line);
            if is_blank_line(line) {
                out.push_str(line);
            } else {
                out.push_str(&other(own)?);
                out.push_str(&line[own.len()..]);
            }
        }
        Some(out)
    }

    /// Returns the indentation that the file has instead of an indentation of the old text; `None` if the old
    /// text does not have this indentation.
    fn known(&self, own: &str) -> Option<&str> {
        self.pairs.iter().find(|pair| pair.old == own).map(|pair| pair.file.as_str())
    }

    /// Computes the indentation in the file for an indentation of new text that does not occur in the old text.
    /// `None` if it is smaller than all indentations of the old text, and the file's indentation cannot be reduced
    /// accordingly.
    fn counterpart(&self, own: &str, scale: Scale) -> Option<String> {
        let below = self.pairs.iter().rev().find(|pair| pair.old.len() < own.len());
        let Some(pair) = below else {
            let pair = self.pairs.first()?;
            let (levels, rest) = divide(pair.old.len() - own.len(), scale.old);
            let removed =
                if scale.old == scale.file { pair.old.len() - own.len() } else { levels * scale.file };
            let keep = pair.file.len().checked_sub(removed)?;
            return (rest == 0 || scale.old == scale.file).then(|| pair.file[..keep].to_owned());
        };
        let (levels, rest) = divide(own.len() - pair.old.len(), scale.old);
        let level = if scale.kind == Kind::Tabs { "\t" } else { " " };
        Some(format!("{}{}{}", pair.file, level.repeat(levels * scale.file), " ".repeat(rest)))
    }

    /// Determines how indentation levels of the old text convert to levels of the file; `None` if tabs and
    /// spaces are mixed in the file or across the old and the new text, or these texts have no indentation.
    fn scale(&self, new: &[&str], usual: Indent) -> Option<Scale> {
        let old = kind(self.pairs.iter().map(|pair| pair.old.as_str()).chain(new.iter().copied()))??;
        let file = match (kind(self.pairs.iter().map(|pair| pair.file.as_str()))?, usual) {
            (Some(kind), _) => kind,
            (None, Indent::Tabs) => Kind::Tabs,
            (None, Indent::Spaces(_)) => Kind::Spaces,
            (None, Indent::None | Indent::Mixed) => old,
        };
        let level = if old == Kind::Tabs { 1 } else { self.level(new) };
        let made = |from: usize, to: usize| Some(Scale { old: from, file: to, kind: file });
        if let [one, two, ..] = self.pairs.as_slice() {
            let (from, to) = (two.old.len() - one.old.len(), two.file.len() - one.file.len());
            let common = greatest(from, to);
            return match old == file {
                true if from == to => made(1, 1),
                true if from % level == 0 && (to * level) % from == 0 => made(level, to * level / from),
                true => made(from, to),
                false => made(from / common, to / common),
            };
        }
        let (from, to) = (self.first.old.len(), self.first.file.len());
        match (old, file) {
            (Kind::Tabs, Kind::Tabs) => made(1, 1),
            (Kind::Spaces, Kind::Spaces) => match usual {
                Indent::Spaces(width) if from > 0 && from * usize::from(width) == to * level => {
                    made(level, usize::from(width))
                }
                _ => made(1, 1),
            },
            (Kind::Spaces, Kind::Tabs) if from > 0 && to > 0 && from % to == 0 && from / to <= 8 => {
                made(from / to, 1)
            }
            (Kind::Spaces, Kind::Tabs) => made(level, 1),
            (Kind::Tabs, Kind::Spaces) if from > 0 && to > 0 && to % from == 0 && to / from <= 8 => {
                made(1, to / from)
            }
            (Kind::Tabs, Kind::Spaces) => match usual {
                Indent::Spaces(width) => made(1, usize::from(width)),
                Indent::None | Indent::Tabs | Indent::Mixed => made(1, 4),
            },
        }
    }

    /// Guesses how many spaces the old and the new text use for an indentation level.
    fn level(&self, new: &[&str]) -> usize {
        let base = self.first.old.len();
        let widths = self.pairs.iter().map(|pair| pair.old.len()).chain(new.iter().map(|own| own.len()));
        match widths.fold(0, |common, width| greatest(common, width.abs_diff(base))) {
            width @ (2 | 3 | 4 | 8) => width,
            _ => 4,
        }
    }
}

/// Returns whether the next line may be indented deeper than this line.
pub(super) fn opens(line: &str) -> bool {
    let line = line.trim();
    let first = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    line.ends_with(['{', '(', '[', ':', ',', '|', '=', '>'])
        || line.ends_with(" do")
        || line.ends_with(" then")
        || OPENERS.contains(&first) && !line.contains(';') && !line.ends_with("end")
}

/// Keywords that begin a block without punctuation at the end of the line.
const OPENERS: &[&str] = &[
    "begin", "case", "class", "def", "else", "elsif", "ensure", "for", "function", "if", "module", "repeat",
    "rescue", "unless", "until", "when", "while",
];

/// Keywords of Python statements that end with a colon and need deeper lines below.
const HEADS: &[&str] = &[
    "async", "class", "def", "elif", "else", "except", "finally", "for", "if", "match", "try", "while",
    "with",
];

/// Returns whether the first line of a Python block, such as `if x:`, is followed by a line that is not deeper.
pub(super) fn lacks_body(text: &str) -> bool {
    let lines: Vec<&str> = text.split('\n').filter(|line| !is_blank_line(line)).collect();
    lines.windows(2).any(|two| {
        let head = two[0].trim();
        let first = head.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        head.ends_with(':') && HEADS.contains(&first) && indent(two[1]).len() <= indent(two[0]).len()
    })
}

/// Returns whether a line is blank.
fn is_blank_line(line: &str) -> bool {
    line.trim_matches([' ', '\t', '\n']).is_empty()
}

/// Returns the character that indentations consist of: `None` if they mix characters, `Some(None)` if all are
/// empty.
fn kind<'a>(indents: impl IntoIterator<Item = &'a str>) -> Option<Option<Kind>> {
    let mut found = None;
    for character in indents.into_iter().flat_map(str::chars) {
        let kind = match character {
            '\t' => Kind::Tabs,
            ' ' => Kind::Spaces,
            _ => return None,
        };
        if found.is_some_and(|found| found != kind) {
            return None;
        }
        found = Some(kind);
    }
    Some(found)
}

/// Returns the quotient and the remainder; a divisor of 0 counts as 1.
fn divide(width: usize, by: usize) -> (usize, usize) {
    (width / by.max(1), width % by.max(1))
}
