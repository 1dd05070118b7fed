//! The commands of a shell text, and their effects.

use crate::word::Word;
use std::borrow::Cow;

/// Label in `Segment::via` for commands inside a loop.
pub(crate) const LOOP: &str = "a loop";
/// Label in `Segment::via` of commands in a substitution.
pub(crate) const SUBSTITUTION: &str = "a substitution";
/// Label in `Segment::via` of commands in a function.
pub(crate) const FUNCTION: &str = "a function";

/// All commands that a shell text would run, to the extent that they are known before it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Every command, including nested ones.
    pub segments: Vec<Segment>,
    /// Parts of the text whose effect is unknown.
    pub unsure: Vec<UnknownPart>,
    /// The possible working directories of the commands.
    pub places: Places,
}

/// A part of a shell text whose effect is unknown before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPart {
    /// The text of the part.
    pub text: String,
    /// The reason why the effect of the part is unknown.
    pub why: Cow<'static, str>,
}

/// One command of a shell text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Segment {
    /// The text of the command; only its first line if it has a here-document.
    pub text: String,
    /// The program and its arguments; empty if the command runs no program.
    pub words: Vec<Word>,
    /// The variables that the command sets: in words before the program, or as an effect of the program, such as
    /// `export`.
    pub assignments: Vec<Assignment>,
    /// The effects of the command in addition to running its program.
    pub effects: Vec<Effect>,
    /// The kind of the command: a program, a wrapper, a function, or none of these.
    pub role: Role,
    /// The substitutions, loops and functions that contain the command, and the wrappers that run it, the
    /// outermost first.
    pub via: Vec<String>,
}

/// The kind of a command, by what it runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// The command runs a program or a builtin.
    #[default]
    Program,
    /// The command runs a wrapper such as `env`, which only runs another command. That command is a separate
    /// segment.
    Wrapper,
    /// The command calls a function of the same text, whose commands are separate segments.
    Function,
    /// The command runs no program: it only sets variables, redirects or tests.
    Nothing,
}

/// A variable that a command sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable's name.
    pub name: String,
    /// The new value of the variable.
    pub value: Word,
    /// The processes that see the new value.
    pub reach: VariableScope,
}

/// The processes that see a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableScope {
    /// The shell sees the variable; programs see it only if it was exported before.
    Shell,
    /// Programs see the variable: those that the command starts, or, after `export`, those that the shell starts later.
    Programs,
}

/// An effect of a command in addition to running its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The command reads a file.
    Reads(Word),
    /// An argument of the command may name a file.
    Names(Word),
    /// The command only tests or enters a path, as `test` and `cd` do: it does not read its content.
    Tests(Word),
    /// The command writes a file.
    Writes(Word),
    /// The command has an argument that may name a file which it writes.
    MayWrite(Word),
    /// The command reads the files below a directory.
    Searches(Search),
    /// The command prints contents that git has stored, and does not name each file.
    Prints(Contents),
    /// The command fetches from a URL.
    Fetches(Word),
    /// With this word, the command does more than its program usually does, such as `-exec` of `find`.
    More {
        /// The word, in the spelling that a rule can name.
        word: String,
        /// The effect of the word, as the end of a sentence.
        what: Cow<'static, str>,
    },
}

/// A recursive read of files below a directory by a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The directory, or the file, at which the search begins.
    pub start: Word,
    /// True if files and directories whose names begin with a dot are read, too.
    pub hidden: bool,
    /// True if files that ignore rules such as `.gitignore` name are read, too.
    pub ignored: bool,
    /// Patterns of file names: only files that match one are read. Empty for all files.
    pub names: Vec<String>,
    /// Patterns of file names: files that match one are not read.
    pub except: Vec<String>,
    /// True if the start may be a revision or a pattern instead of a path; then the search can read files anywhere.
    pub loose_start: bool,
}

/// Contents that git has stored, and that a command prints without naming each file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The operands before `--`: revisions, or paths if such files exist.
    pub either: Vec<Word>,
    /// The operands after `--`: pathspecs, which select or exclude files.
    pub paths: Vec<Word>,
    /// True if the command, without revisions, compares the worktree with the index, and shows only files that differ.
    pub is_of_worktree: bool,
    /// True if a pathspec can exclude files from the output.
    pub takes_paths: bool,
}

/// The possible working directories of a text's commands, relative to the directory in which the text starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Places {
    /// One of these directories. The empty string is the start directory; other directories are the operands of
    /// `cd`, joined.
    Known(Vec<String>),
    /// Any directory.
    Unknown,
}

impl Default for Places {
    fn default() -> Self {
        Self::Known(vec![String::new()])
    }
}

impl Segment {
    /// Creates a command from a program and its arguments.
    pub(crate) fn of(words: Vec<Word>) -> Self {
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        Self { text, words, ..Self::default() }
    }

    /// Returns the program as written; `None` if there is none, or it is unknown before the command runs.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.words.first().and_then(Word::known)
    }

    /// Returns the program's name without directories; `None` if there is no program, or it is unknown before
    /// the command runs.
    #[must_use]
    pub fn program_name(&self) -> Option<&str> {
        self.program().map(|program| program.rsplit('/').next().unwrap_or(program))
    }

    /// Records that a word makes the command do more than its program usually does; `what` is the effect.
    pub(crate) fn more(&mut self, word: impl Into<String>, what: impl Into<Cow<'static, str>>) {
        let added = word.into();
        let known = |effect: &Effect| matches!(effect, Effect::More { word, .. } if *word == added);
        if !self.effects.iter().any(known) {
            self.effects.push(Effect::More { word: added, what: what.into() });
        }
    }
}

impl Script {
    /// Records a part of the text whose effect is unknown.
    pub(crate) fn unsure(&mut self, text: &str, why: impl Into<Cow<'static, str>>) {
        let unsure = UnknownPart { text: shortened(text), why: why.into() };
        if !self.unsure.contains(&unsure) {
            self.unsure.push(unsure);
        }
    }

    /// Adds the commands of a nested text; `via` names what contains or runs that text, the outermost first.
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
