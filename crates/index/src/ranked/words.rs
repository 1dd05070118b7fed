//! What a question asks of the words of files, however they are kept.

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

    /// Lists the tokens that begin so and fit; stems are among them. Of more than so many none.
    fn fitting(&self, begin: &str, fits: &(dyn Fn(&str) -> bool + Sync), most: usize) -> Vec<Term>;

    /// Lists the files that hold a token, in the order of their numbers.
    fn holders(&self, term: Term) -> Vec<u32>;

    /// Tells where a token stands, in order; in some files, which are in order, or in all.
    fn spots(&self, term: Term, within: Option<&[u32]>, take: &mut dyn FnMut(u32, Spot));

    /// Tells in which files' paths a token stands, and where.
    fn on_paths(&self, term: Term, take: &mut dyn FnMut(u32, u32));

    /// Lists all files in the order of their numbers.
    fn files(&self) -> Box<dyn Iterator<Item = (u32, &File)> + '_>;

    /// Gives a file.
    fn file(&self, number: u32) -> Option<&File>;

    /// Gives the blocks of a file.
    fn meta(&self, number: u32) -> Option<Arc<Meta>>;

    /// Tells how many blocks there are, and how many tokens stand in each place.
    fn totals(&self) -> (u64, [u64; PLACES]);
}
