//! Depth of the analysis of a project: languages, entry points, modules and their dependencies.

pub(crate) use super::mapping::mapped;
pub(crate) use super::structure::analyze;

/// The depth of the analysis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Depth {
    /// Languages, entry points, the modules of the first level.
    Shallow,
    /// Modules of two levels, hotspots, dependency cycles, tests.
    #[default]
    Normal,
    /// Modules of four levels, and more of everything.
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

    /// Returns the maximum number of entries of each sort in the reply.
    pub(crate) fn told(self) -> usize {
        match self {
            Self::Shallow => 10,
            Self::Normal => 20,
            Self::Deep => 60,
        }
    }
}
