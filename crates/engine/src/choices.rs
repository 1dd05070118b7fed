//! What the operator chooses of how operations go.

/// What happens where the next text to replace stands in several places behind the one before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Several {
    /// It is refused, with the lines.
    #[default]
    Refused,
    /// The first place is meant.
    First,
}

/// Who finds what a search in words asks for, where the dialect knows of agents that search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Seeking {
    /// Its words do, and nobody is asked.
    #[default]
    Words,
    /// An agent does where there is a model; without one the words are expanded.
    Agent,
}
