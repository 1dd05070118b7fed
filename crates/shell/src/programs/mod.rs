//! Forms of programs that are harmless except for some options and operands.

use crate::options::{Options, Style};

pub(super) mod git;
mod readers;
mod runners;
mod writers;

/// The effect of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// It runs another program, or programs named in files.
    Runs,
    /// It changes something.
    Changes,
    /// It works in another place, or on another machine.
    Elsewhere,
    /// Its value is a file that is written.
    Writes,
    /// Its value is a file that is read.
    Reads,
}

/// The meaning of the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    /// Nothing that is a file.
    Text,
    /// Names of variables that are set.
    Variables,
    /// Perhaps files.
    Names,
    /// Files that are read.
    Files,
    /// Text first, unless an option holds it; then files that are read.
    TextThenFiles(&'static str),
    /// Files that are written.
    Written,
    /// A file that is read, then one that is written.
    ReadThenWritten,
    /// Addresses.
    Addresses,
    /// Any of them makes a change.
    Change,
    /// A script of sed, unless an option has it; then files that are read.
    Sed,
    /// A script of awk; then files that are read.
    Awk,
}

/// The form of a program, or of a program with its subcommand.
pub(crate) struct Form {
    /// Its names, comma-separated; a subcommand follows a blank.
    pub(crate) names: &'static str,
    pub(crate) style: Style,
    /// Options that have a value, with blanks between them.
    pub(crate) valued: &'static str,
    /// Options that do more, with blanks between those that do the same.
    pub(crate) acts: &'static [(&'static str, Act)],
    pub(crate) operands: Operands,
    /// Options that mean the same: the short and the long.
    pub(crate) same: &'static [(&'static str, &'static str)],
}

const PLAIN: Form =
    Form { names: "", style: Style::Clusters, valued: "", acts: &[], operands: Operands::Names, same: &[] };

const fn form(names: &'static str, operands: Operands) -> Form {
    Form { names, operands, ..PLAIN }
}

impl Form {
    /// Returns whether the form is that of a program, or of a program with its subcommand.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.names.split(", ").any(|known| known == name)
    }

    const fn valued(self, valued: &'static str) -> Self {
        Self { valued, ..self }
    }

    const fn acts(self, acts: &'static [(&'static str, Act)]) -> Self {
        Self { acts, ..self }
    }

    const fn same(self, same: &'static [(&'static str, &'static str)]) -> Self {
        Self { same, ..self }
    }

    const fn one_dash(self) -> Self {
        Self { style: Style::OneDash, ..self }
    }
}

/// The form of unknown programs.
pub(crate) const UNKNOWN: &Form = &PLAIN;

/// Finds the form of a program by its name, with or without a subcommand.
pub(crate) fn find(name: &str) -> Option<&'static Form> {
    let all = [readers::FORMS, git::FORMS, runners::FORMS, writers::FORMS];
    all.into_iter().flatten().find(|form| form.is_called(name))
}

/// Returns whether an option is in a list; a long one may be abbreviated.
pub(crate) fn lists(list: &str, given: &str) -> bool {
    list.split(' ').any(|option| Options::means(given, option))
}

/// Finds what an option does.
pub(crate) fn act(acts: &'static [(&'static str, Act)], given: &str) -> Option<(&'static str, Act)> {
    acts.iter().find_map(|(list, act)| {
        list.split(' ').find(|option| Options::means(given, option)).map(|option| (option, *act))
    })
}
