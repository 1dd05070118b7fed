//! The reasons for which a search cannot use the index.

/// The reason for which the index cannot name candidates, so that all files have to be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// It does not know the files yet, or not any more.
    #[error("the files are not known yet")]
    NotYet,
    /// The search goes where a walk of the workspace does not.
    #[error("the search goes into what the rules leave out")]
    LeftOut,
    /// Too much cannot be read.
    #[error("too many places cannot be read")]
    Unreadable,
    /// A stored segment, given by its number, is damaged or unreadable.
    #[error("a part of the cache is damaged")]
    Cache(u32),
    /// There are more files than it is made for.
    #[error("there are {0} files, and at most {1} are indexed")]
    TooMany(usize, usize),
    /// The files have more text than it is made for.
    #[error("the files have {0} GB, and at most {1} are indexed")]
    TooLarge(u64, u64),
    /// The workspace is a whole home directory, or the whole disk.
    #[error("{0} is no project but a whole home directory or disk; give a directory in it as the root")]
    Home(String),
    /// One root of the workspace is inside another one.
    #[error("one root of the workspace lies in another one")]
    Nested,
}
