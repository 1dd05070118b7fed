//! Queries of the workspace's symbol index.

mod read_files;
pub(crate) mod ready;
mod search_coverage;
mod show;
mod symbol_ref;
pub(crate) mod withheld;

pub use read_files::ReadFiles;
pub use search_coverage::SearchCoverage;
pub use show::Symbol;
pub use symbol_ref::{FormerId, SymbolRef};

pub use ready::DirectLook;

pub(crate) use ready::About;
pub(crate) use show::{SourceReader, one_line};
pub(crate) use symbol_ref::{choose, choose_in};

use crate::{
    call::CallCtx,
    code::Code,
    failure::{Failure, Hint, Kind},
    workers::blocking,
};
use std::time::Instant;
use toolpost_symbols::{GraphGuard, UpdateError};
use toolpost_workspace::WorkspacePath;

/// The index, locked for reading, and the context of the call that queries it.
pub(crate) struct IndexContext<'a> {
    pub(crate) code: &'a Code,
    pub(crate) index: &'a GraphGuard<'a>,
    pub(crate) cx: &'a CallCtx,
    /// The indexed files that the caller must not see.
    pub(crate) withheld: withheld::Files,
    /// Counts of the files that the incomplete index does not cover; `None` if the index is complete or the
    /// query contains no names.
    pub(crate) look: Option<DirectLook>,
}

/// Updates the index within the time that the call can wait, and runs a query. Several calls can query the
/// index at the same time.
pub(crate) async fn ask<T: Send + 'static>(
    code: &Code,
    cx: &CallCtx,
    about: About,
    question: impl FnOnce(&IndexContext<'_>) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    cx.check()?;
    let (code, cx) = (code.clone(), cx.clone());
    let index = code.index().clone();
    let _report = ready::report(&cx, move || index.progress());
    blocking(move || {
        let deadline = cx.deadline;
        let stop = || cx.cancel.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let wait = ready::Wait::start(code.index_wait(), &cx);
        let (index, look) = ready::lend(code.index(), code.find(), &|| about.clone(), wait, &cx, &stop)
            .map_err(|trouble| failed(&cx, &trouble))?;
        let withheld = code.withheld().of(&index, &cx.read_filter());
        let (waiting, read) = (index.waiting().len(), index.files().count());
        let answer = question(&IndexContext { code: &code, index: &index, cx: &cx, withheld, look });
        answer.map_err(|failure| ready::so_far(failure, waiting, waiting + read, look))
    })
    .await
}

impl IndexContext<'_> {
    /// Returns true if a reply may show the content of an indexed file.
    pub(crate) fn may(&self, shown: &str) -> bool {
        self.index.by_path(shown).is_some_and(|file| !self.withheld.contains_key(&file))
    }

    /// Returns true if a reply may name a file that is not in the index, and the file is at or below `base`.
    pub(crate) fn may_name(&self, shown: &str, base: Option<&WorkspacePath>) -> bool {
        let path = self.code.files().resolve_entry(shown);
        path.is_ok_and(|path| self.cx.may_read(&path) && base.is_none_or(|base| base.contains(&path)))
    }

    /// Returns true if an indexed file is at or below `base`.
    pub(crate) fn lies_in(&self, shown: &str, base: &WorkspacePath) -> bool {
        self.index.path(shown).is_some_and(|path| base.contains(path))
    }
}

/// Creates the failure for an index that cannot be updated.
pub(crate) fn failed(cx: &CallCtx, trouble: &UpdateError) -> Failure {
    match (cx.check(), trouble) {
        (Err(failure), UpdateError::Stopped) => failure
            .hint(Hint::Advice("Make the same call again: indexing continues in the meantime.".to_owned())),
        _ => Failure::new(Kind::Io, crate::failure::convert::sentence(&trouble.to_string())),
    }
}
