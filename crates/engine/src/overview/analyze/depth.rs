//! The depth of a project analysis, and the limits that depend on it.

pub(crate) use super::mapping::mapped;
pub(crate) use super::structure::analyze;

/// The depth of a project analysis: how many directory levels count as modules, and how long the lists are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Depth {
    /// A module is a top-level directory. The lists are short, and tests are not mapped to the files that they use.
    Shallow,
    /// A module is a directory up to two levels deep. The lists are longer.
    #[default]
    Normal,
    /// A module is a directory up to four levels deep. The lists are longest.
    Deep,
}

impl Depth {
    /// Returns the number of directory levels that count as modules.
    pub(crate) fn levels(self) -> usize {
        match self {
            Self::Shallow => 1,
            Self::Normal => 2,
            Self::Deep => 4,
        }
    }

    /// Returns the maximum number of code chunks that are sent to a model.
    pub(crate) fn chunks(self) -> usize {
        match self {
            Self::Shallow => 4,
            Self::Normal => 12,
            Self::Deep => 50,
        }
    }

    /// Returns the maximum number of entry points and of public symbols in the reply. For hotspots, tests and
    /// untested files, the maximum is half of it.
    pub(crate) fn told(self) -> usize {
        match self {
            Self::Shallow => 10,
            Self::Normal => 20,
            Self::Deep => 60,
        }
    }
}
