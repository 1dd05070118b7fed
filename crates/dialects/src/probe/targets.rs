//! Targets of `extract`: paths with lines or symbols, several in one text.

use toolpost_engine::Failure;
use toolpost_text::hashline::Reference;

/// Maximum number of targets in a call.
const MOST: usize = 50;

/// A parsed target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) path: String,
    pub(super) part: Part,
}

/// The part of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// The whole file.
    Whole,
    /// One line and its surroundings.
    Line(u64),
    /// A range of lines.
    Lines(u64, u64),
    /// A symbol.
    Symbol(String),
}

/// Parses targets, separated by commas or spaces; a path that contains either needs quotes.
///
/// Spaces separate only pieces that look like paths.
pub(super) fn read(said: &str) -> Result<Vec<Target>, Failure> {
    let pieces = split(said)?;
    if pieces.is_empty() {
        return Err(Failure::invalid(
            "file is empty: name a file, such as src/main.rs, or lines of it, such as src/main.rs:10-20.",
        ));
    }
    if pieces.len() > MOST {
        let what = format!("These are {} targets; at most {MOST} are shown at once.", pieces.len());
        return Err(Failure::invalid(what));
    }
    pieces.iter().map(|piece| target(piece)).collect()
}

/// Quotes a path that would otherwise parse as several.
pub(super) fn quoted(path: &str) -> String {
    let whole = !path.contains([',', '"']) && !path.contains(char::is_whitespace);
    if whole { path.to_owned() } else { format!("\"{path}\"") }
}

/// Splits a text at commas, and at spaces if every piece looks like a path.
fn split(said: &str) -> Result<Vec<String>, Failure> {
    let mut pieces = Vec::new();
    for part in cut(said, |c| c == ',')? {
        let words = cut(&part, char::is_whitespace)?;
        if words.len() > 1 && words.iter().all(|word| looks_like_a_path(word)) {
            pieces.extend(words);
        } else {
            pieces.push(part);
        }
    }
    let bare = pieces.iter().map(|piece| piece.replace('"', "").trim().to_owned());
    Ok(bare.filter(|piece| !piece.is_empty()).collect())
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

/// Parses one target.
fn target(piece: &str) -> Result<Target, Failure> {
    if let Some((path, part)) = piece.rsplit_once('#')
        && !path.is_empty()
        && !part.contains('/')
    {
        let part = github_lines(part).unwrap_or_else(|| Part::Symbol(part.to_owned()));
        return checked(path, part);
    }
    // `path:42`, `path:42:7` with a column, `path:42:ab` with a hash, `path:10-20`.
    let (front, last) = piece.rsplit_once(':').unwrap_or((piece, ""));
    if let Some((path, line)) = front.rsplit_once(':')
        && let (Some(part), true) = (lines(line), is_column_or_hash(last))
        && !path.is_empty()
    {
        return checked(path, part);
    }
    match lines(last) {
        // `js:7` is a package, not a line of a file.
        Some(part) if !front.is_empty() && !is_prefix(front) => checked(front, part),
        _ => checked(piece, Part::Whole),
    }
}

/// Checks whether a text is the prefix of a dependency name.
fn is_prefix(front: &str) -> bool {
    toolpost_engine::is_dependency(&format!("{front}:x")) && !toolpost_engine::is_dependency(front)
}

/// Rejects impossible line ranges.
fn checked(path: &str, part: Part) -> Result<Target, Failure> {
    match part {
        Part::Line(0) | Part::Lines(0, _) => {
            Err(Failure::invalid(format!("Lines are counted from 1; {path} has no line 0.")))
        }
        Part::Lines(first, last) if last < first => Err(Failure::invalid(format!(
            "Lines {first}-{last} of {path} end before they begin; use {path}:{last}-{first}."
        ))),
        part => Ok(Target { path: path.to_owned(), part }),
    }
}

/// Parses `42` or `10-20`, each with an optional hash.
fn lines(said: &str) -> Option<Part> {
    match said.split_once('-') {
        Some((first, last)) => Some(Part::Lines(line(first)?, line(last)?)),
        None => line(said).map(Part::Line),
    }
}

fn line(said: &str) -> Option<u64> {
    said.bytes().all(|byte| byte.is_ascii_digit()).then(|| said.parse().ok())?
}

/// Parses the lines of a link: `L42` or `L10-L20`.
fn github_lines(said: &str) -> Option<Part> {
    let bare = |said: &str| line(said.strip_prefix('L')?);
    match said.split_once('-') {
        Some((first, last)) => Some(Part::Lines(bare(first)?, bare(last)?)),
        None => bare(said).map(Part::Line),
    }
}

/// Checks whether the text after a line number is a column or a hash.
fn is_column_or_hash(said: &str) -> bool {
    line(said).is_some() || format!("1:{said}").parse::<Reference>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::{Part, Target, quoted, read};
    use Part::{Line, Lines, Symbol, Whole};

    #[test]
    fn targets_are_read_as_they_are_written() {
        let symbol = |name: &str| Symbol(name.to_owned());
        let rows = [
            ("src/a.rs", vec![("src/a.rs", Whole)]),
            (" src/a.rs:42 ", vec![("src/a.rs", Line(42))]),
            ("src/a.rs:42:ab", vec![("src/a.rs", Line(42))]),
            ("src/a.rs:42:7", vec![("src/a.rs", Line(42))]),
            ("src/a.rs:10-20", vec![("src/a.rs", Lines(10, 20))]),
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
        for (said, wanted) in rows {
            let wanted: Vec<Target> =
                wanted.into_iter().map(|(path, part)| Target { path: path.to_owned(), part }).collect();
            assert_eq!(read(said), Ok(wanted), "{said}");
        }
    }

    #[test]
    fn targets_that_cannot_be_are_said() {
        let many = "a.rs ".repeat(51);
        let rows = [
            ("", "file is empty"),
            (" , ", "file is empty"),
            ("a.rs:0", "Lines are counted from 1; a.rs has no line 0."),
            ("a.rs:30-5", "Lines 30-5 of a.rs end before they begin; use a.rs:5-30."),
            ("\"a.rs", "Unclosed quote"),
            (many.as_str(), "These are 51 targets"),
        ];
        for (said, wanted) in rows {
            let what = read(said).map_err(|failure| failure.what);
            assert!(matches!(&what, Err(what) if what.starts_with(wanted)), "{said}: {what:?}");
        }
    }

    #[test]
    fn what_is_quoted_is_read_back() {
        for path in ["src/a.rs", "my file.rs", "a, b.rs"] {
            let read =
                read(&quoted(path)).map(|targets| targets.into_iter().map(|target| target.path).collect());
            assert_eq!(read, Ok(vec![path.to_owned()]));
        }
    }
}
