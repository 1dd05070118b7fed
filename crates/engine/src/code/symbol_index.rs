//! Questions to the workspace's symbol index.

pub(crate) mod ready;
mod searched;
mod show;
mod which;
pub(crate) mod withheld;

pub use searched::Searched;
pub use show::Symbol;
pub use which::{Gone, Which};

pub use ready::DirectLook;

pub(crate) use ready::About;
pub(crate) use show::{Shower, one_line};
pub(crate) use which::choose;

use crate::{
    call::CallCtx,
    code::Code,
    failure::{Failure, Hint, Kind},
    workers::blocking,
};
use std::time::Instant;
use toolpost_index::{Lent, Trouble};
use toolpost_workspace::WorkspacePath;

/// The borrowed index, and the call that asks.
pub(crate) struct Asked<'a> {
    pub(crate) code: &'a Code,
    pub(crate) index: &'a Lent<'a>,
    pub(crate) cx: &'a CallCtx,
    /// The indexed files that must not be revealed.
    pub(crate) withheld: withheld::Files,
    /// The files that were read directly, if the index is not complete.
    pub(crate) look: Option<DirectLook>,
}

/// Updates the index as far as the call can wait, and queries it concurrently with other calls.
pub(crate) async fn ask<T: Send + 'static>(
    code: &Code,
    cx: &CallCtx,
    about: About,
    question: impl FnOnce(&Asked<'_>) -> Result<T, Failure> + Send + 'static,
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
        let answer = question(&Asked { code: &code, index: &index, cx: &cx, withheld, look });
        answer.map_err(|failure| ready::so_far(failure, waiting, waiting + read, look))
    })
    .await
}

impl Asked<'_> {
    /// Returns whether the content of an indexed file may be shown.
    pub(crate) fn may(&self, shown: &str) -> bool {
        self.index.by_path(shown).is_some_and(|file| !self.withheld.contains_key(&file))
    }

    /// Returns whether a file that is not in the index may be named, and is at or below a path.
    pub(crate) fn may_name(&self, shown: &str, base: Option<&WorkspacePath>) -> bool {
        let path = self.code.files().resolve_entry(shown);
        path.is_ok_and(|path| self.cx.may_read(&path) && base.is_none_or(|base| base.contains(&path)))
    }

    /// Returns whether a file is at or below a path.
    pub(crate) fn lies_in(&self, shown: &str, base: &WorkspacePath) -> bool {
        self.index.path(shown).is_some_and(|path| base.contains(path))
    }
}

fn failed(cx: &CallCtx, trouble: &Trouble) -> Failure {
    match (cx.check(), trouble) {
        (Err(failure), Trouble::Stopped) => failure.hint(Hint::Advice(
            "Ask again: what was read by then is kept, so it goes on from there.".to_owned(),
        )),
        _ => Failure::new(Kind::Io, crate::failure::convert::sentence(&trouble.to_string())),
    }
}
