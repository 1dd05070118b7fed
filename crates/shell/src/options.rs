//! Classification of a command's words into options, their values, and operands.

use crate::Word;

/// The words of a command after the program, classified as options, their values, and operands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The options, each with its value if it has one.
    pub options: Vec<(String, Option<Word>)>,
    /// The operands, in the order of the command.
    pub operands: Vec<Word>,
    /// Words whose value is unknown before the command runs, and that may be options.
    pub doubtful: Vec<Word>,
    /// Index of the first operand among the classified words; `None` without an operand.
    pub(crate) first: Option<usize>,
    /// Number of operands before the word `--`; `None` without such a word.
    pub(crate) separator: Option<usize>,
}

/// The style of a program's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Options as in `-a -b`, `-ab` or `--long`.
    Clusters,
    /// Long options with one dash, as in `-long`.
    OneDash,
}

/// The position after which words that begin with a dash are operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionsEnd {
    /// After the word `--`; without it, every word that begins with a dash is an option.
    End,
    /// After the word `--` or the first operand.
    Operand,
}

/// Classifies the words of a command. `valued` are the options whose value is the next word or the rest of
/// the option's word.
pub(crate) fn sort(words: &[Word], valued: &str, style: Style, until: OptionsEnd) -> Options {
    let mut sorted = Options::default();
    let mut rest = words.iter().enumerate();
    let mut ended = false;
    while let Some((at, word)) = rest.next() {
        let text = word.start.as_str();
        if word.known() == Some("--") {
            sorted.separator.get_or_insert(sorted.operands.len());
        }
        if ended || !word.may_be_option() || (text == "-" && word.known().is_some()) {
            sorted.first.get_or_insert(at);
            sorted.operands.push(word.clone());
            ended |= until == OptionsEnd::Operand;
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

/// Splits an option word into its options: one long option, or a cluster of short ones.
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
    /// Returns those options of a list that are given, each with its value.
    pub(crate) fn given<'o>(&'o self, list: &'o str) -> impl Iterator<Item = &'o (String, Option<Word>)> {
        self.options.iter().filter(|(option, _)| Self::lists(list, option))
    }

    /// Returns whether one of the options in a list is given.
    pub(crate) fn has(&self, list: &str) -> bool {
        self.given(list).next().is_some()
    }

    /// Returns whether one of the options in a list is given under its full name. For options that let a program do less,
    /// because the full name of another option may look like their abbreviation, as `--type` does for `--type-list`.
    pub(crate) fn has_exactly(&self, list: &str) -> bool {
        self.options.iter().any(|(option, _)| list.split(' ').any(|listed| listed == option))
    }

    /// Returns the values of those options of a list that are given; `None` if a value is missing, or unknown
    /// before the command runs.
    pub(crate) fn known_values(&self, list: &str) -> Option<Vec<String>> {
        self.given(list).map(|(_, value)| value.as_ref().and_then(Word::known).map(str::to_owned)).collect()
    }

    /// Returns whether a list of options contains an option; a long option may be abbreviated.
    pub(crate) fn lists(list: &str, given: &str) -> bool {
        list.split(' ').any(|option| Self::means(given, option))
    }

    /// Returns whether a given word is the option `option`, which may be abbreviated if it is long.
    pub(crate) fn means(given: &str, option: &str) -> bool {
        given == option || (given.len() > 2 && given.starts_with("--") && option.starts_with(given))
    }
}
