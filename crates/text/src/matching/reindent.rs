//! Indentation carried over from an old text to the file.

use crate::encoding::{Indent, greatest};
use crate::lines::indent;

/// Which indentation of an old text is which of the file, the least first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shift {
    pairs: Vec<Pair>,
    first: Pair,
}

/// An indentation of the old text and that of the same line in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pair {
    old: String,
    file: String,
}

/// So many spaces are taken for a level.
const LEVEL: usize = 4;

/// What an indentation is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tabs,
    Spaces,
}

/// How widths of the old text become widths of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scale {
    /// So many characters of the old text are a level.
    old: usize,
    /// A level is so many characters of the file.
    file: usize,
    /// The file's character.
    kind: Kind,
}

impl Shift {
    /// Collects the indentations of lines that agree; none if they are not shifted consistently.
    ///
    /// Lines that are indented alike in the old text must be so in the file, and deeper ones deeper.
    pub(crate) fn new<'a>(lines: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let mut seen: Vec<(&str, &str)> = Vec::new();
        for (old, file) in lines {
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
        first.filter(|_| consistent).map(|first| Self { pairs, first })
    }

    /// Says whether no line is shifted by more than a level.
    pub(super) fn is_small(&self) -> bool {
        let width = |indent: &str| indent.chars().map(|c| if c == '\t' { LEVEL } else { 1 }).sum::<usize>();
        self.pairs.iter().all(|pair| width(&pair.old).abs_diff(width(&pair.file)) <= LEVEL)
    }

    /// Indents new text like the file; none if its indentation has no clear counterpart there.
    ///
    /// `unit` is asked for the file's usual indentation when the lines themselves do not tell.
    pub(crate) fn apply(&self, new: &str, unit: impl FnOnce() -> Indent) -> Option<String> {
        let full =
            || new.split('\n').map(|line| (indent(line), line)).filter(|(_, line)| !is_blank_line(line));
        let Some((begin, _)) = full().next() else { return Some(new.to_owned()) };
        if begin != self.first.old && begin == self.first.file {
            // Indented like the file already, unless other lines are indented like the old text.
            let like_the_old =
                |own: &str| self.known(own).is_some() && self.pairs.iter().all(|pair| pair.file != own);
            return full().all(|(own, _)| !like_the_old(own)).then(|| new.to_owned());
        }
        if full().all(|(own, _)| self.known(own).is_some()) {
            return self.rewrite(new, |own| self.known(own).map(str::to_owned));
        }
        let scale = self.scale(&full().map(|(own, _)| own).collect::<Vec<_>>(), unit)?;
        self.rewrite(new, |own| self.known(own).map(str::to_owned).or_else(|| self.counterpart(own, scale)))
    }

    /// Gives every line with something on it another indentation.
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

    /// Looks up the file's indentation for one that the old text had too.
    fn known(&self, own: &str) -> Option<&str> {
        self.pairs.iter().find(|pair| pair.old == own).map(|pair| pair.file.as_str())
    }

    /// Works out the file's indentation for one that the old text did not have.
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

    /// Finds out how the levels of the old text and of the file relate.
    fn scale(&self, new: &[&str], unit: impl FnOnce() -> Indent) -> Option<Scale> {
        let old = kind(self.pairs.iter().map(|pair| pair.old.as_str()).chain(new.iter().copied()))??;
        let usual = unit();
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

    /// Guesses how many spaces the old text and the new use for a level.
    fn level(&self, new: &[&str]) -> usize {
        let base = self.first.old.len();
        let widths = self.pairs.iter().map(|pair| pair.old.len()).chain(new.iter().map(|own| own.len()));
        match widths.fold(0, |common, width| greatest(common, width.abs_diff(base))) {
            width @ (2 | 3 | 4 | 8) => width,
            _ => 4,
        }
    }
}

/// Says whether there is nothing on a line.
fn is_blank_line(line: &str) -> bool {
    line.trim_matches([' ', '\t', '\n']).is_empty()
}

/// Says what indentations are made of: outer none if they mix, inner none if they are all empty.
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

/// Divides, with the rest.
fn divide(width: usize, by: usize) -> (usize, usize) {
    (width / by.max(1), width % by.max(1))
}
