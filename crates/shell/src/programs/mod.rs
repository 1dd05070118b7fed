//! Tables of programs: the meaning of their options and operands, in particular of options that make an otherwise
//! harmless program run programs or change files.

use crate::options::{Options, Style};

pub(super) mod git;
mod readers;
mod runners;
mod writers;

/// The effect of an option of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionEffect {
    /// The option makes the program run another program, or programs that files name.
    Runs,
    /// The option makes the program change something, such as files or branches.
    Changes,
    /// The option makes the program work in another directory, or on another machine.
    Elsewhere,
    /// The value of the option is a file that the program writes.
    Writes,
    /// The value of the option is a file that the program reads.
    Reads,
}

/// The meaning of a program's operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    /// Text that names no file, as for `echo`.
    Text,
    /// Names of variables that the program sets.
    Variables,
    /// Words that may name files.
    Names,
    /// Files that the program reads.
    Files,
    /// First a text, such as a pattern, unless one of these options contains it; then files that the program
    /// reads.
    TextThenFiles(&'static str),
    /// Files that the program writes.
    Written,
    /// Files that are read, then the file or directory to which they are copied, moved or linked.
    Copied(Copies),
    /// Words such as `if=FILE` and `of=FILE`.
    Dd,
    /// Files or archives; the options decide whether they are read or written.
    Packed,
    /// Words that may name files which are changed.
    NamesChanged,
    /// A file that is read, then one that is written.
    ReadThenWritten,
    /// URLs from which the program fetches.
    Addresses,
    /// Any operand makes the program change something.
    Change,
    /// First a sed script, unless an option contains it; then files that the program reads.
    Sed,
    /// First an awk script; then files that the program reads.
    Awk,
}

/// A program that copies, moves or links files: its options with an effect on the sources or the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Copies {
    pub(crate) machines: Machines,
    pub(crate) single: SingleOperand,
    /// The operands are directories that the program creates.
    pub(crate) creates: EffectCondition,
    /// Sources and destination change places.
    pub(crate) exchanges: EffectCondition,
    /// The program writes links that contain the paths of the sources, and reads no source.
    pub(crate) links: EffectCondition,
    /// The program removes the sources.
    pub(crate) removes: EffectCondition,
    /// A source that is a directory is copied with all files below it.
    pub(crate) recurses: EffectCondition,
    /// A copy keeps the whole path of its source below the destination.
    pub(crate) keeps_path: EffectCondition,
}

/// The machines whose files the operands name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Machines {
    /// This machine. The option `-t` can name the destination.
    This,
    /// This machine, or another one in operands such as `HOST:PATH`.
    Others,
}

/// The meaning of an operand that is the only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SingleOperand {
    /// A destination without sources.
    Destination,
    /// A source; the destination is the current directory.
    SourceToHere,
    /// A source that is only listed.
    Source,
}

/// The condition of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EffectCondition {
    Never,
    Always,
    /// If one of these options is given.
    With(&'static str),
}

impl EffectCondition {
    pub(crate) fn holds(self, sorted: &Options) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::With(options) => sorted.has(options),
        }
    }
}

/// The meaning of the options and operands of a program, or of a subcommand.
pub(crate) struct Form {
    /// The names of the programs with this entry, separated by commas; a subcommand follows its program after
    /// a space.
    pub(crate) names: &'static str,
    pub(crate) style: Style,
    /// Options that take a value, separated by spaces.
    pub(crate) valued: &'static str,
    /// Options with effects: for each effect, a list of options separated by spaces.
    pub(crate) acts: &'static [(&'static str, OptionEffect)],
    pub(crate) operands: Operands,
    /// Pairs of options with the same meaning: the short and the long one.
    pub(crate) same: &'static [(&'static str, &'static str)],
}

const PLAIN: Form =
    Form { names: "", style: Style::Clusters, valued: "", acts: &[], operands: Operands::Names, same: &[] };

const fn form(names: &'static str, operands: Operands) -> Form {
    Form { names, operands, ..PLAIN }
}

impl Form {
    /// Returns whether the entry is that of `name`: a program, or a program with its subcommand.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.names.split(", ").any(|known| known == name)
    }

    const fn valued(self, valued: &'static str) -> Self {
        Self { valued, ..self }
    }

    const fn acts(self, acts: &'static [(&'static str, OptionEffect)]) -> Self {
        Self { acts, ..self }
    }

    const fn same(self, same: &'static [(&'static str, &'static str)]) -> Self {
        Self { same, ..self }
    }

    const fn one_dash(self) -> Self {
        Self { style: Style::OneDash, ..self }
    }
}

/// The table entry for programs that no table contains.
pub(crate) const UNKNOWN: &Form = &PLAIN;

/// Finds the table entry with the meaning of a program's options and operands. `name` is the program, or the
/// program and its subcommand, such as `git reset`.
pub(crate) fn find(name: &str) -> Option<&'static Form> {
    let all = [readers::FORMS, git::FORMS, runners::FORMS, writers::FORMS];
    all.into_iter().flatten().find(|form| form.is_called(name))
}

/// Returns an option in its full spelling, and its effect; `None` if the list does not contain the option.
pub(crate) fn act(
    acts: &'static [(&'static str, OptionEffect)],
    given: &str,
) -> Option<(&'static str, OptionEffect)> {
    acts.iter().find_map(|(list, act)| {
        list.split(' ').find(|option| Options::means(given, option)).map(|option| (option, *act))
    })
}
