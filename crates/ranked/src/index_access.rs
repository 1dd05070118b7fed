//! Interface through which queries read the keyword index; tests implement it with plain lists.

use std::sync::Arc;

use crate::record::{PLACES, TokenOccurrence};
use crate::segment::Meta;
use crate::table::File;

/// A token of the index, by a number that one query assigns.
pub(crate) type Term = u32;

/// Read access to the tokens and files of a keyword index.
pub(crate) trait Words {
    /// Returns the number of a token; `None` if no file and no path contains it.
    fn find(&self, token: &str) -> Option<Term>;

    /// Returns the tokens, including stems and defined names, that start with `begin` and that `fits` accepts; an empty
    /// list if there are more than `most`.
    fn fitting(&self, begin: &str, fits: &(dyn Fn(&str) -> bool + Sync), most: usize) -> Vec<Term>;

    /// Lists the numbers of the files that contain a token, in ascending order.
    fn holders(&self, term: Term) -> Vec<u32>;

    /// Calls `take` with the file number and position of each occurrence of a token, in order. `within` restricts the
    /// files; it must be sorted.
    fn spots(&self, term: Term, within: Option<&[u32]>, take: &mut dyn FnMut(u32, TokenOccurrence));

    /// Calls `take` for each occurrence of a token in the path of a file, with the file number and the position in the
    /// path.
    fn on_paths(&self, term: Term, take: &mut dyn FnMut(u32, u32));

    /// Lists all files in the order of their file numbers.
    fn files(&self) -> Box<dyn Iterator<Item = (u32, &File)> + '_>;

    /// Returns the file with a number.
    fn file(&self, number: u32) -> Option<&File>;

    /// Returns the blocks of the file with a number.
    fn meta(&self, number: u32) -> Option<Arc<Meta>>;

    /// Returns the number of blocks in the index, and the number of tokens in each part of the blocks.
    fn totals(&self) -> (u64, [u64; PLACES]);
}
