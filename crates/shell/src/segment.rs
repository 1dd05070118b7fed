//! Commands of a text, and their effects.

use crate::word::Word;
use std::borrow::Cow;

/// Label of commands in a loop.
pub(crate) const LOOP: &str = "a loop";
/// Label of commands in a function.
pub(crate) const FUNCTION: &str = "a function";

/// All that a text would run, as far as it can be known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Every command, including nested ones.
    pub segments: Vec<Segment>,
    /// Parts with an unknown effect.
    pub unsure: Vec<UnknownPart>,
    /// The possible working directories of the commands.
    pub places: Places,
}

/// A part of a text with an unknown effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPart {
    /// The part as written.
    pub text: String,
    /// The reason.
    pub why: Cow<'static, str>,
}

/// One command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Segment {
    /// The command as written.
    pub text: String,
    /// The program and its arguments; empty if no program is run.
    pub words: Vec<Word>,
    /// The variables that are set before the program, or by it.
    pub assignments: Vec<Assignment>,
    /// Its effects beyond running the program.
    pub effects: Vec<Effect>,
    /// The role of the command.
    pub role: Role,
    /// The ways on which it is reached, the outermost first: a substitution, a wrapper.
    pub via: Vec<String>,
}

/// The role of a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// A program or a builtin.
    #[default]
    Program,
    /// A program that only runs another, which is a segment of its own.
    Wrapper,
    /// A function of the same text, whose commands are segments of their own.
    Function,
    /// Nothing is run: only something is set or redirected.
    Nothing,
}

/// A variable that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable's name.
    pub name: String,
    /// The value.
    pub value: Word,
    /// The programs that see it.
    pub reach: Reach,
}

/// The programs that see a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The shell; programs only if they saw it before.
    Shell,
    /// The programs that are started.
    Programs,
}

/// An effect of a command beyond running its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// It reads a file.
    Reads(Word),
    /// It names a possible file.
    Names(Word),
    /// It writes a file.
    Writes(Word),
    /// It reads the files below a directory.
    Searches(Search),
    /// It fetches from an address.
    Fetches(Word),
    /// It does more than the harmless form of the program, because of a word.
    More {
        /// The word that makes it so, as a rule can name it.
        word: String,
        /// The additional effect.
        what: Cow<'static, str>,
    },
}

/// A directory whose files a command reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The directory, or a file.
    pub start: Word,
    /// Names that begin with a dot are read, too.
    pub hidden: bool,
    /// Files that ignore rules name are read, too.
    pub ignored: bool,
    /// Patterns of names: only these are read, unless there are none.
    pub names: Vec<String>,
    /// Patterns of names that are not read.
    pub except: Vec<String>,
}

/// The possible working directories of a text's commands, relative to its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Places {
    /// One of these: empty for the start, else as the text names them.
    Known(Vec<String>),
    /// Anywhere.
    Unknown,
}

impl Default for Places {
    fn default() -> Self {
        Self::Known(vec![String::new()])
    }
}

impl Segment {
    /// Creates a segment from a program and its arguments.
    pub(crate) fn of(words: Vec<Word>) -> Self {
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        Self { text, words, ..Self::default() }
    }

    /// Returns the program as written, if it is known.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.words.first().and_then(Word::known)
    }

    /// Returns the program's name without its directories, if it is known.
    #[must_use]
    pub fn program_name(&self) -> Option<&str> {
        self.program().map(|program| program.rsplit('/').next().unwrap_or(program))
    }

    /// Adds that a word makes the command do more.
    pub(crate) fn more(&mut self, word: impl Into<String>, what: impl Into<Cow<'static, str>>) {
        let added = word.into();
        let known = |effect: &Effect| matches!(effect, Effect::More { word, .. } if *word == added);
        if !self.effects.iter().any(known) {
            self.effects.push(Effect::More { word: added, what: what.into() });
        }
    }
}

impl Script {
    /// Adds a part with an unknown effect.
    pub(crate) fn unsure(&mut self, text: &str, why: impl Into<Cow<'static, str>>) {
        let unsure = UnknownPart { text: shortened(text), why: why.into() };
        if !self.unsure.contains(&unsure) {
            self.unsure.push(unsure);
        }
    }

    /// Adds all that another text would run, which is reached in this way.
    pub(crate) fn add(&mut self, other: Self, via: &[String]) {
        for mut segment in other.segments {
            segment.via.splice(0..0, via.iter().cloned());
            self.segments.push(segment);
        }
        for unsure in other.unsure {
            if !self.unsure.contains(&unsure) {
                self.unsure.push(unsure);
            }
        }
    }
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 120;
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
