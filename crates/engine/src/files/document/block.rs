//! Lines of a symbol in a file, and the block of code around a line.

use crate::files::lookup;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind, convert},
    files::Files,
    files::symbol_failure::{listed, no_parser, none},
};
use std::{ops::Range, path::Path};
use toolpost_syntax::{Language, Resolution, Symbol, Tree, find as find_symbol, first_named, named};
use toolpost_text::{encoding::Text, lines::LineIndex};
use toolpost_workspace::WorkspacePath;

/// The maximum length of a block around a line, in lines.
const LONGEST: usize = 150;
/// The maximum number of symbols with the same name that are shown.
const MOST: usize = 10;

/// The range of lines of a symbol or of a block of code.
pub(crate) struct Block {
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// A description of the symbol or block.
    pub(crate) words: String,
}

/// Finds the lines of all symbols in a file that have the requested name. Fails if there is none, or if there are more
/// than `MOST`.
pub(crate) fn symbol(
    files: &Files,
    path: &WorkspacePath,
    raw_path: &str,
    name: &str,
    cx: &CallCtx,
) -> Result<Vec<Block>, Failure> {
    let (shown, text) = read(files, path, raw_path, cx)?;
    let symbols = parse(&shown, text.view())?.symbols();
    let which = match find_symbol(&symbols, name) {
        Resolution::One(at) => vec![at],
        Resolution::Several(all) if all.len() > MOST => {
            let what = format!("{} symbols in {shown} are called {}.", all.len(), name.trim());
            let failure =
                Failure::new(Kind::Ambiguous, what).found(listed(&named(text.view(), &symbols, &all)));
            return Err(failure.hint(Hint::Advice("Use one of the names shown here.".to_owned())));
        }
        Resolution::Several(all) => all,
        Resolution::None(like) => {
            let (like, first) = (named(text.view(), &symbols, &like), first_named(text.view(), &symbols));
            let what = format!("Nothing in {shown} is called {}.", name.trim());
            return Err(none(what, &like, (&first, symbols.len())));
        }
    };
    let found = named(text.view(), &symbols, &which);
    let block = |one: toolpost_syntax::NamedSymbol| Block {
        from: one.first as u64,
        to: one.last as u64,
        words: one.words,
    };
    Ok(found.into_iter().map(block).collect())
}

/// Finds the innermost symbol around a line or, if there is none, the first other block, with 2 to `LONGEST` lines.
/// `None` if there is none, or if the file cannot be parsed.
pub(crate) fn around(
    files: &Files,
    path: &WorkspacePath,
    raw_path: &str,
    line: u64,
    cx: &CallCtx,
) -> Result<Option<Block>, Failure> {
    if Language::of_path(Path::new(raw_path)).is_none() {
        return Ok(None);
    }
    let (_, text) = read(files, path, raw_path, cx)?;
    let view = text.view();
    let Some(language) = Language::of_text(Path::new(raw_path), view) else { return Ok(None) };
    let Ok(tree) = language.parse(view) else { return Ok(None) };
    let Some(place) = start(view, line) else { return Ok(None) };
    let index = LineIndex::new(view);
    let lines = |range: &Range<usize>| {
        index.line(range.start)..=index.line(range.end.saturating_sub(1).max(range.start))
    };
    let fits = |range: &Range<usize>| {
        let count = lines(range).count();
        range.contains(&place) && count > 1 && count <= LONGEST
    };
    let symbols = tree.symbols();
    let inner = symbols.iter().enumerate().filter(|(_, symbol)| fits(&symbol.span));
    let found = match inner.min_by_key(|(_, symbol)| symbol.span.len()) {
        Some((at, Symbol { span, .. })) => {
            let words = named(view, &symbols, &[at]).pop().map(|one| one.words);
            Some((span.clone(), words.unwrap_or_default()))
        }
        None => {
            let block = tree.blocks().into_iter().find(|item| fits(&item.range));
            block.map(|item| (item.range, item.kind.name().to_owned()))
        }
    };
    Ok(found.map(|(range, words)| {
        let lines = lines(&range);
        Block { from: *lines.start() as u64, to: *lines.end() as u64, words }
    }))
}

/// Parses a file. The file name determines the language; for a header file, the text does too.
pub(crate) fn parse<'t>(shown: &str, text: &'t str) -> Result<Tree<'t>, Failure> {
    let language = Language::of_text(Path::new(shown), text).ok_or_else(|| no_parser(shown))?;
    language.parse(text).map_err(|error| {
        let what = format!("The symbols of {shown} are unknown, because the file cannot be parsed: {error}.");
        Failure::new(Kind::TooLarge, what)
    })
}

/// Reads a text file into memory; returns its displayed path and its text.
pub(crate) fn read(
    files: &Files,
    path: &WorkspacePath,
    raw_path: &str,
    cx: &CallCtx,
) -> Result<(String, Text), Failure> {
    let found = lookup::file(files, path, raw_path, cx)?;
    let shown = found.path.display();
    let whole = lookup::open(files, &found.path)?.whole()?;
    let text = Text::open(whole.bytes, files.encoding()).map_err(|error| {
        let what = format!("{shown} is not text, so it has no symbols: {error}");
        Failure::new(Kind::WrongKind, convert::sentence(&what))
    })?;
    Ok((shown, text))
}

/// Returns the byte offset of a line's first non-blank character, or of the last byte of a blank line; `None` if the text
/// has no such line.
fn start(text: &str, line: u64) -> Option<usize> {
    let before = usize::try_from(line).ok()?.checked_sub(1)?;
    let mut lines = text.split_inclusive('\n');
    let start: usize = lines.by_ref().take(before).map(str::len).sum();
    let own = lines.next()?;
    Some(start + (own.len() - own.trim_start().len()).min(own.len() - 1))
}
