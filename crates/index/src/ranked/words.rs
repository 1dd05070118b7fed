//! Interface between queries and the storage of words.

use std::sync::Arc;

use crate::ranked::record::{PLACES, Spot};
use crate::ranked::segment::Meta;
use crate::ranked::table::File;

/// A token, by a number that one question gives it.
pub(crate) type Term = u32;

/// The words of files.
pub(crate) trait Words {
    /// Finds a token.
    fn find(&self, token: &str) -> Option<Term>;

    /// Returns the tokens, including stems, with a prefix that `fits` accepts; none if there are more than `most`.
    fn fitting(&self, begin: &str, fits: &(dyn Fn(&str) -> bool + Sync), most: usize) -> Vec<Term>;

    /// Lists the files that hold a token, in the order of their numbers.
    fn holders(&self, term: Term) -> Vec<u32>;

    /// Visits the positions of a token in order, in the given sorted files or in all.
    fn spots(&self, term: Term, within: Option<&[u32]>, take: &mut dyn FnMut(u32, Spot));

    /// Visits the files whose paths contain a token, with its position.
    fn on_paths(&self, term: Term, take: &mut dyn FnMut(u32, u32));

    /// Lists all files in the order of their numbers.
    fn files(&self) -> Box<dyn Iterator<Item = (u32, &File)> + '_>;

    /// Returns a file.
    fn file(&self, number: u32) -> Option<&File>;

    /// Returns the blocks of a file.
    fn meta(&self, number: u32) -> Option<Arc<Meta>>;

    /// Returns the number of blocks, and of tokens in each part.
    fn totals(&self) -> (u64, [u64; PLACES]);
}
