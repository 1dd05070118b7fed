//! Classification of a command's words into options, their values, and operands.

use crate::Word;

/// The words of a command after the program, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The options, each with its value if it has one.
    pub options: Vec<(String, Option<Word>)>,
    /// The operands, in order.
    pub operands: Vec<Word>,
    /// Unknown words that may be options.
    pub doubtful: Vec<Word>,
    /// Index of the first operand among the words.
    pub(crate) first: Option<usize>,
}

/// The style of a program's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `-a -b` or `-ab`, `--long`.
    Clusters,
    /// `-long`.
    OneDash,
}

/// When the options end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// At `--`, or never.
    End,
    /// At the first operand.
    Operand,
}

/// Sorts words; `valued` are the options that take the next word, or the rest of their own, as a value.
pub(crate) fn sort(words: &[Word], valued: &str, style: Style, until: Until) -> Options {
    let mut sorted = Options::default();
    let mut rest = words.iter().enumerate();
    let mut ended = false;
    while let Some((at, word)) = rest.next() {
        let text = word.start.as_str();
        if ended || !word.may_be_option() || (text == "-" && word.known().is_some()) {
            sorted.first.get_or_insert(at);
            sorted.operands.push(word.clone());
            ended |= until == Until::Operand;
            continue;
        }
        if word.known() == Some("--") {
            ended = true;
            continue;
        }
        if word.known().is_none() && !text.starts_with("--") {
            sorted.first.get_or_insert(at);
            sorted.doubtful.push(word.clone());
            sorted.operands.push(word.clone());
            continue;
        }
        for (name, value) in named(word, valued, style) {
            let value = match value {
                Value::Own(value) => Some(value),
                Value::Next => rest.next().map(|(_, word)| word.clone()),
                Value::None => None,
            };
            sorted.options.push((name, value));
        }
    }
    sorted
}

enum Value {
    Own(Word),
    Next,
    None,
}

/// Takes one word apart: a long option, or a cluster of short ones.
fn named(word: &Word, valued: &str, style: Style) -> Vec<(String, Value)> {
    let text = word.start.as_str();
    if text.starts_with("--") || style == Style::OneDash {
        let (name, own) = match text.split_once('=') {
            Some((name, _)) => (name, word.after(&format!("{name}="))),
            None => (text, None),
        };
        let takes = own.is_none() && valued.split(' ').any(|known| known == name);
        let value = own.map_or(if takes { Value::Next } else { Value::None }, Value::Own);
        return vec![(name.to_owned(), value)];
    }
    let mut found = Vec::new();
    let letters = text.get(1..).unwrap_or_default();
    for (at, letter) in letters.char_indices() {
        let name = format!("-{letter}");
        if !valued.split(' ').any(|known| known == name) {
            found.push((name, Value::None));
            continue;
        }
        let rest = &letters[at + letter.len_utf8()..];
        let own = (!rest.is_empty()).then(|| word.after(&text[..text.len() - rest.len()])).flatten();
        found.push((name, own.map_or(Value::Next, Value::Own)));
        break;
    }
    found
}

impl Options {
    /// Returns whether a word is a known option, possibly abbreviated as long options may be.
    pub(crate) fn means(given: &str, option: &str) -> bool {
        given == option || (given.len() > 2 && given.starts_with("--") && option.starts_with(given))
    }
}
