//! Targets of `extract`: paths with lines or symbols, several in one text.

use toolpost_engine::Failure;
use toolpost_text::hashline::Reference;

/// Maximum number of targets in a call.
const MOST: usize = 50;

/// Number of lines after the first one in the example of a range.
const EXAMPLE: u64 = 66;

/// A parsed target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) path: String,
    pub(super) part: TargetSelector,
}

/// The part of a file to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TargetSelector {
    /// The whole file.
    Whole,
    /// One line and its surroundings.
    Line(u64),
    /// A range of lines.
    Lines(u64, u64),
    /// A symbol, by name or qualified name.
    Symbol(String),
}

/// Parses targets, separated by commas or spaces; a path that contains either needs quotes. Two quotes in a quoted path
/// mean one that is a part of it.
///
/// Spaces separate only pieces that look like paths. If the whole text is an existing path, perhaps with lines, it
/// means that file, whatever characters the path contains.
pub(super) fn read(target_text: &str, exists: impl Fn(&str) -> bool) -> Result<Vec<Target>, Failure> {
    if let Some(target) = of_file(target_text.trim(), &exists) {
        return Ok(vec![target?]);
    }
    let pieces = split(target_text)?;
    if pieces.is_empty() {
        return Err(Failure::invalid(
            "file is empty: pass a file, such as src/main.rs, or lines of a file, such as src/main.rs:10-20.",
        ));
    }
    if pieces.len() > MOST {
        let what = format!(
            "file has {} targets; one call shows at most {MOST}. Nothing was shown. Extract the \
             others in another call.",
            pieces.len()
        );
        return Err(Failure::invalid(what));
    }
    pieces.iter().map(|piece| of_file(piece, &exists).unwrap_or_else(|| target(piece.trim()))).collect()
}

/// Quotes a path that would otherwise parse as several.
pub(super) fn quoted(path: &str) -> String {
    let whole = !path.contains([',', '"']) && !path.contains(char::is_whitespace);
    if whole { path.to_owned() } else { format!("\"{}\"", path.replace('"', "\"\"")) }
}

/// Splits a text at commas, and at spaces if every piece looks like a path.
fn split(target_text: &str) -> Result<Vec<String>, Failure> {
    let mut pieces = Vec::new();
    for part in cut(target_text, |c| c == ',')? {
        let words = cut(&part, char::is_whitespace)?;
        if words.len() > 1 && words.iter().all(|word| looks_like_a_path(word)) {
            pieces.extend(words);
        } else {
            pieces.push(part);
        }
    }
    let bare = pieces.iter().map(|piece| unquoted(piece));
    Ok(bare.filter(|piece| !piece.trim().is_empty()).collect())
}

/// Removes the quotes from a piece; two quotes inside quotes become one.
fn unquoted(piece: &str) -> String {
    let mut bare = String::with_capacity(piece.len());
    let (mut inside, mut characters) = (false, piece.chars().peekable());
    while let Some(character) = characters.next() {
        if character != '"' {
            bare.push(character);
        } else if inside && characters.next_if_eq(&'"').is_some() {
            bare.push('"');
        } else {
            inside = !inside;
        }
    }
    bare
}

/// Splits a text at separators outside quotes; the quotes stay.
fn cut(text: &str, at: impl Fn(char) -> bool) -> Result<Vec<String>, Failure> {
    let mut pieces = vec![String::new()];
    let mut inside = false;
    for character in text.chars() {
        inside ^= character == '"';
        if !inside && at(character) {
            pieces.push(String::new());
        } else if let Some(piece) = pieces.last_mut() {
            piece.push(character);
        }
    }
    if inside {
        return Err(Failure::invalid(format!("Unclosed quote in {text:?}.")));
    }
    Ok(pieces.into_iter().map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect())
}

fn looks_like_a_path(word: &str) -> bool {
    word.starts_with('"') || word.contains(['.', '/', '\\', ':', '#'])
}

/// Parses a target whose path exists, with or without lines; `None` if there is no such path.
fn of_file(target_text: &str, exists: &impl Fn(&str) -> bool) -> Option<Result<Target, Failure>> {
    if target_text.is_empty() {
        return None;
    }
    if exists(target_text) {
        return Some(checked(target_text, TargetSelector::Whole));
    }
    let (path, part) = with_lines(target_text)?;
    exists(path).then(|| checked(path, part))
}

/// Parses one target: a path, perhaps with lines or a symbol. The path need not exist.
fn target(piece: &str) -> Result<Target, Failure> {
    if let Some(failure) = half_range(piece) {
        return Err(failure);
    }
    if let Some((path, part)) = piece.rsplit_once('#')
        && !path.is_empty()
        && !part.contains('/')
    {
        let part = github_lines(part).unwrap_or_else(|| TargetSelector::Symbol(part.to_owned()));
        return checked(path, part);
    }
    let (path, part) = with_lines(piece).unwrap_or((piece, TargetSelector::Whole));
    checked(path, part)
}

/// Returns the failure for a range with only one of its lines, such as `path:700-`; `None` for other texts.
fn half_range(piece: &str) -> Option<Failure> {
    let (path, range) =
        piece.rsplit_once([':', '#']).filter(|(path, _)| !path.is_empty() && !is_prefix(path))?;
    let number = |text: &str| line(text.strip_prefix('L').unwrap_or(text));
    let (missing, first, last) = match range.split_once('-')? {
        (first, "") => number(first).map(|first| ("end", first, first.saturating_add(EXAMPLE)))?,
        ("", last) => number(last).map(|last| ("start", 1, last))?,
        _ => return None,
    };
    Some(Failure::invalid(format!(
        "{piece} has no {missing} line: give both lines, for example {path}:{first}-{last}. Nothing was shown."
    )))
}

/// Parses `path:42`, `path:42:7` with a column, `path:42:ab` with a hash, `path:10-20`, `path:10:ab-20:cd`.
fn with_lines(piece: &str) -> Option<(&str, TargetSelector)> {
    if let Some(range) = with_references(piece) {
        return Some(range);
    }
    let (front, last) = piece.rsplit_once(':')?;
    if let Some((path, line)) = front.rsplit_once(':')
        && let (Some(part), true) = (lines(line), is_column_or_hash(last))
        && !path.is_empty()
    {
        return Some((path, part));
    }
    // `js:7` is a package, not a line of a file.
    let part = lines(last)?;
    (!front.is_empty() && !is_prefix(front)).then_some((front, part))
}

/// Parses a range whose first line has a column or a hash: `path:10:ab-20:cd`, `path:10:ab-20`.
fn with_references(piece: &str) -> Option<(&str, TargetSelector)> {
    let (front, end) = piece.rsplit_once('-')?;
    let (front, mark) = front.rsplit_once(':')?;
    let (path, first) = front.rsplit_once(':')?;
    let is_mark = |text: &str| !text.contains('|') && is_column_or_hash(text);
    let last = match end.split_once(':') {
        Some((last, mark)) if is_mark(mark) => last,
        Some(_) => return None,
        None => end,
    };
    let part = TargetSelector::Lines(line(first)?, line(last)?);
    (is_mark(mark) && !path.is_empty() && !is_prefix(path)).then_some((path, part))
}

/// Checks whether a text is the prefix of dependency names, such as `js`.
fn is_prefix(front: &str) -> bool {
    toolpost_engine::is_dependency(&format!("{front}:x")) && !toolpost_engine::is_dependency(front)
}

/// Rejects impossible line ranges.
fn checked(path: &str, part: TargetSelector) -> Result<Target, Failure> {
    match part {
        TargetSelector::Line(0) | TargetSelector::Lines(0, _) => {
            Err(Failure::invalid(format!("Lines are counted from 1; {path} has no line 0.")))
        }
        TargetSelector::Lines(first, last) if last < first => Err(Failure::invalid(format!(
            "Lines {first}-{last} of {path} end before they begin; use {path}:{last}-{first}."
        ))),
        part => Ok(Target { path: path.to_owned(), part }),
    }
}

/// Parses `42` or `10-20`.
fn lines(target_text: &str) -> Option<TargetSelector> {
    match target_text.split_once('-') {
        Some((first, last)) => Some(TargetSelector::Lines(line(first)?, line(last)?)),
        None => line(target_text).map(TargetSelector::Line),
    }
}

fn line(target_text: &str) -> Option<u64> {
    target_text.bytes().all(|byte| byte.is_ascii_digit()).then(|| target_text.parse().ok())?
}

/// Parses the lines of a GitHub link: `L42` or `L10-L20`.
fn github_lines(target_text: &str) -> Option<TargetSelector> {
    let bare = |target_text: &str| line(target_text.strip_prefix('L')?);
    match target_text.split_once('-') {
        Some((first, last)) => Some(TargetSelector::Lines(bare(first)?, bare(last)?)),
        None => bare(target_text).map(TargetSelector::Line),
    }
}

/// Checks whether the text after a line number is a column or a hash.
fn is_column_or_hash(target_text: &str) -> bool {
    line(target_text).is_some() || format!("1:{target_text}").parse::<Reference>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::{Target, TargetSelector, quoted, read};
    use TargetSelector::{Line, Lines, Symbol, Whole};
    use toolpost_test_rows::each;

    #[test]
    fn extract_targets_parse_paths_lines_and_symbols() {
        let symbol = |name: &str| Symbol(name.to_owned());
        let rows = [
            ("src/a.rs", vec![("src/a.rs", Whole)]),
            (" src/a.rs:42 ", vec![("src/a.rs", Line(42))]),
            ("src/a.rs:42:ab", vec![("src/a.rs", Line(42))]),
            ("src/a.rs:42:7", vec![("src/a.rs", Line(42))]),
            ("src/a.rs:10-20", vec![("src/a.rs", Lines(10, 20))]),
            ("src/a.rs:10:ab-20:cd", vec![("src/a.rs", Lines(10, 20))]),
            ("src/a.rs:10:ab-20", vec![("src/a.rs", Lines(10, 20))]),
            ("src/a.rs:10-20:cd", vec![("src/a.rs", Lines(10, 20))]),
            ("src/a.rs:10:12-20:34", vec![("src/a.rs", Lines(10, 20))]),
            ("C:\\x\\a-1.rs:10:ab-20:cd", vec![("C:\\x\\a-1.rs", Lines(10, 20))]),
            ("a.rs:10:xy-20:cd", vec![("a.rs:10:xy-20:cd", Whole)]),
            ("src/a.rs#L10", vec![("src/a.rs", Line(10))]),
            ("src/a.rs#L10-L20", vec![("src/a.rs", Lines(10, 20))]),
            ("src/a.rs#A.run", vec![("src/a.rs", symbol("A.run"))]),
            ("src/a.rs#A::run", vec![("src/a.rs", symbol("A::run"))]),
            ("a.rs, b.rs:2\nc.rs", vec![("a.rs", Whole), ("b.rs", Line(2)), ("c.rs", Whole)]),
            ("a.rs:1 b.rs", vec![("a.rs", Line(1)), ("b.rs", Whole)]),
            ("\"my file.rs\":3 b.rs", vec![("my file.rs", Line(3)), ("b.rs", Whole)]),
            ("\"my, file.rs:3\"", vec![("my, file.rs", Line(3))]),
            ("my file.rs:3", vec![("my file.rs", Line(3))]),
            ("Makefile, README", vec![("Makefile", Whole), ("README", Whole)]),
            ("C:\\x\\a.rs:7", vec![("C:\\x\\a.rs", Line(7))]),
            ("C:\\x\\a.rs", vec![("C:\\x\\a.rs", Whole)]),
            ("a.rs:", vec![("a.rs:", Whole)]),
            ("a.rs:x", vec![("a.rs:x", Whole)]),
            (":7", vec![(":7", Whole)]),
            ("rust:serde/src/lib.rs", vec![("rust:serde/src/lib.rs", Whole)]),
            ("js:a@1.2.0/b.js:3", vec![("js:a@1.2.0/b.js", Line(3))]),
            ("go:x.com/a#Run, js:7", vec![("go:x.com/a", symbol("Run")), ("js:7", Whole)]),
        ];
        each(rows, |(target_text, wanted)| {
            let wanted: Vec<Target> =
                wanted.into_iter().map(|(path, part)| Target { path: path.to_owned(), part }).collect();
            assert_eq!(read(target_text, |_| false), Ok(wanted), "{target_text}");
        });
    }

    #[test]
    fn invalid_extract_targets_are_refused_with_a_reason() {
        let many = "a.rs ".repeat(51);
        let rows = [
            ("", "file is empty"),
            (" , ", "file is empty"),
            ("a.rs:0", "Lines are counted from 1; a.rs has no line 0."),
            ("a.rs:0:ab-5:cd", "Lines are counted from 1; a.rs has no line 0."),
            ("a.rs:30-5", "Lines 30-5 of a.rs end before they begin; use a.rs:5-30."),
            ("a.rs:30:ab-5:cd", "Lines 30-5 of a.rs end before they begin; use a.rs:5-30."),
            (
                "src/x.py:700-",
                "src/x.py:700- has no end line: give both lines, for example src/x.py:700-766.",
            ),
            ("a.rs b.rs:7-", "b.rs:7- has no end line: give both lines, for example b.rs:7-73."),
            ("a.rs:-20", "a.rs:-20 has no start line: give both lines, for example a.rs:1-20."),
            ("a.rs#L10-", "a.rs#L10- has no end line: give both lines, for example a.rs:10-76."),
            ("\"a.rs", "Unclosed quote"),
            (many.as_str(), "file has 51 targets"),
        ];
        each(rows, |(target_text, wanted)| {
            let what = read(target_text, |_| false).map_err(|failure| failure.what);
            assert!(matches!(&what, Err(what) if what.starts_with(wanted)), "{target_text}: {what:?}");
        });
    }

    #[test]
    fn quoted_paths_parse_back_to_the_same_path() {
        let pieces = ["a", "\"", "\"\"", "'", " ", "\n", ",", "\\", "é", "-"];
        let paths = pieces.iter().flat_map(|one| pieces.iter().map(move |other| (one, other)));
        for path in paths.map(|(one, other)| format!("x{one}{other}y")) {
            let of = |part| Ok(vec![Target { path: path.clone(), part }]);
            assert_eq!(read(&quoted(&path), |_| false), of(Whole), "{path}");
            assert_eq!(read(&format!("{}:3-9", quoted(&path)), |_| false), of(Lines(3, 9)), "{path}");
        }
        each([" x.rs", "x.rs ", "\"", "\"x.rs\"", ","], |path| {
            let wanted = Ok(vec![Target { path: path.to_owned(), part: Whole }]);
            assert_eq!(read(&quoted(path), |other| other == path), wanted, "{path}");
        });
    }

    #[test]
    fn existing_paths_with_special_characters_are_targets() {
        let pieces = ["a", "#", "\"", "'", " ", ",", ":", ".", "/", "7", "L3", "é", "-"];
        let paths = pieces.iter().flat_map(|one| pieces.iter().map(move |other| (one, other)));
        for path in paths.map(|(one, other)| format!("x{one}{other}y")) {
            let of = |part| Ok(vec![Target { path: path.clone(), part }]);
            let exists = |other: &str| other == path;
            assert_eq!(read(&path, exists), of(Whole), "{path}");
            assert_eq!(read(&format!("{path}:42"), exists), of(Line(42)), "{path}");
            assert_eq!(read(&format!("{path}:3-9"), exists), of(Lines(3, 9)), "{path}");
        }
        let exists = |other: &str| other == "b#1.md";
        let targets = read("b#1.md, b#1.md:2, a.rs#f", exists).unwrap();
        let of = |path: &str, part| Target { path: path.to_owned(), part };
        assert_eq!(targets, [of("b#1.md", Whole), of("b#1.md", Line(2)), of("a.rs", Symbol("f".to_owned()))]);
    }
}
