//! The reasons why a search cannot use the index.

/// The reason why the index cannot name candidates, so that all files have to be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The files are not listed, or the listing is out of date and its refresh was not possible or was stopped.
    #[error("the files are not listed yet")]
    NotYet,
    /// The search includes paths that a walk of the workspace excludes.
    #[error("the search includes files that the ignore rules exclude")]
    LeftOut,
    /// Some paths cannot be read; for a text search, more than 20 paths.
    #[error("some paths cannot be read")]
    Unreadable,
    /// A stored segment, given by its number, is damaged or unreadable.
    #[error("a part of the index on disk is damaged")]
    Cache(u32),
    /// There are more files than the limit.
    #[error("there are {0} files, more than the limit of {1} for the index")]
    TooMany(usize, usize),
    /// The total size of the files exceeds the limit.
    #[error("the files have a total size of {0} GiB, more than the limit of {1} GiB for the index")]
    TooLarge(u64, u64),
    /// A root is the home directory, or `/`.
    #[error(
        "{0} is not a project but a whole home directory or disk; pass a directory inside it as the root"
    )]
    Home(String),
    /// One root of the workspace is inside another one.
    #[error("one root of the workspace is inside another")]
    Nested,
}
