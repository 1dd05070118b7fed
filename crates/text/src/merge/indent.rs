//! Adaptation of the indentation of a snippet (partial code) to the file.

use std::collections::HashMap;

use super::Line;
use super::line::{depth, has_word};
use crate::encoding::{Indent, greatest};

/// Replaces the indentation `from` at the beginning of lines with `to`; blank lines, and lines that do not begin with
/// `from`, keep their indentation.
///
/// If the lines are indented with tabs and the file with spaces, or the reverse, the indentation is converted
/// first.
pub fn fit(lines: &mut [Line], style: Indent, from: &str, to: &str) {
    let convert = conversion(lines, style);
    let from = convert.apply(from);
    for line in lines {
        let width = depth(&line.text);
        let (indent, rest) = line.text.split_at(width);
        let indent = convert.apply(indent);
        let indent = match indent.strip_prefix(from.as_str()) {
            Some(deeper) if !rest.trim().is_empty() => format!("{to}{deeper}"),
            _ => indent,
        };
        line.text = format!("{indent}{rest}");
    }
}

/// Indents a snippet like the file, if the indentation of all lines that both have differs by the same
/// amount.
pub(super) fn of_file(old: &[&str], mut lines: Vec<Line>, style: Indent) -> Vec<Line> {
    let mut known: HashMap<&str, Option<&str>> = HashMap::new();
    for line in old.iter().filter(|line| has_word(line)) {
        let indent = &line[..depth(line)];
        known
            .entry(line.trim())
            .and_modify(|known| *known = known.filter(|known| *known == indent))
            .or_insert(Some(indent));
    }
    let convert = conversion(&lines, style);
    let mut shift: Option<(String, &str)> = None;
    for line in lines.iter().filter(|line| line.marker.is_none()) {
        let Some(Some(there)) = known.get(line.text.trim()) else { continue };
        let here = convert.apply(&line.text[..depth(&line.text)]);
        match &shift {
            None => shift = Some((here, there)),
            Some((from, to)) if moved(from, to) == moved(&here, there) => {
                if here.len() < from.len() {
                    shift = Some((here, there));
                }
            }
            Some(_) => return lines, // different shifts: the new indentation is intended
        }
    }
    if let Some((from, to)) = shift {
        let (from, to) = (from.as_str(), to);
        if let Some(more) = to.strip_suffix(from) {
            fit(&mut lines, style, "", more);
        } else if let Some(less) = from.strip_suffix(to) {
            fit(&mut lines, style, less, "");
        }
    }
    lines
}

/// Converts the indentation of a whole snippet to the file's tabs or spaces, and to the width of the file's levels.
///
/// The width stays if an indented line of the snippet is also in the file, or if the snippet's own width is unclear.
#[must_use]
pub fn adapted(old: &[&str], mut lines: Vec<Line>, style: Indent) -> Vec<Line> {
    fit(&mut lines, style, "", "");
    let Indent::Spaces(width) = style else { return lines };
    let full = || lines.iter().filter(|line| !line.is_blank());
    let indents = || full().map(|line| depth(&line.text));
    // A marker may be at the left margin regardless of the lines around it.
    let levels = full().zip(indents().skip(1)).filter(|(line, _)| line.marker.is_none());
    let deeper = levels.filter_map(|(line, next)| next.checked_sub(depth(&line.text)));
    let unit = deeper.filter(|by| *by > 0).min().unwrap_or(0);
    let known =
        |line: &Line| depth(&line.text) > 0 && has_word(&line.text) && old.contains(&line.text.trim_end());
    let own = lines.iter().any(|line| line.marker.is_none() && known(line));
    let spaces = lines.iter().all(|line| !line.text[..depth(&line.text)].contains('\t'));
    let width = usize::from(width);
    let least = indents().filter(|own| *own > 0).min();
    if own
        || least == Some(width)
        || !spaces
        || !matches!(unit, 2 | 3 | 4 | 8)
        || unit == width
        || indents().any(|own| own % unit != 0)
    {
        return lines;
    }
    for line in &mut lines {
        let rest = line.text.trim_start_matches(' ');
        line.text = format!("{}{rest}", " ".repeat((line.text.len() - rest.len()) / unit * width));
    }
    lines
}

/// Returns the difference in length of the indentations `to` and `from`, in characters.
fn moved(from: &str, to: &str) -> isize {
    to.len().cast_signed() - from.len().cast_signed()
}

/// Conversion of the indentation characters of a snippet to those of the file.
#[derive(Debug, Clone, Copy)]
enum Conversion {
    None,
    /// This many spaces become a tab.
    ToTabs(usize),
    /// A tab becomes this many spaces.
    ToSpaces(usize),
}

impl Conversion {
    fn apply(self, indent: &str) -> String {
        match self {
            Self::None => indent.to_owned(),
            Self::ToSpaces(width) => indent.replace('\t', &" ".repeat(width)),
            Self::ToTabs(width) => indent.replace(&" ".repeat(width), "\t"),
        }
    }
}

fn conversion(lines: &[Line], style: Indent) -> Conversion {
    let indents = || {
        lines
            .iter()
            .filter(|line| line.marker.is_none() && !line.is_blank())
            .map(|line| &line.text[..depth(&line.text)])
    };
    let all =
        |c: char| indents().any(|own| !own.is_empty()) && indents().all(|own| own.chars().all(|d| d == c));
    match style {
        Indent::Tabs if all(' ') => {
            let width = indents().map(str::len).fold(0, greatest);
            Conversion::ToTabs(if matches!(width, 2 | 3 | 4 | 8) { width } else { 4 })
        }
        Indent::Spaces(width) if all('\t') => Conversion::ToSpaces(usize::from(width)),
        _ => Conversion::None,
    }
}
