//! What a project is made of: languages, where it is entered, modules and how they use one another, and what follows from that.

pub(crate) use super::mapping::mapped;
pub(crate) use super::structure::analyze;

/// How far a project is looked into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Depth {
    /// Languages, entries, the modules of the first level.
    Shallow,
    /// Modules of two levels, what is used most, rings, tests.
    #[default]
    Normal,
    /// Modules of four levels, and more of everything.
    Deep,
}

impl Depth {
    /// Gives how many levels of directories are modules of their own.
    pub(crate) fn levels(self) -> usize {
        match self {
            Self::Shallow => 1,
            Self::Normal => 2,
            Self::Deep => 4,
        }
    }

    /// Gives of how many chunks of code a model is asked at most.
    pub(crate) fn chunks(self) -> usize {
        match self {
            Self::Shallow => 4,
            Self::Normal => 12,
            Self::Deep => 50,
        }
    }

    /// Gives how many of a sort are told.
    pub(crate) fn told(self) -> usize {
        match self {
            Self::Shallow => 10,
            Self::Normal => 20,
            Self::Deep => 60,
        }
    }
}
