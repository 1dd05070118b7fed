//! A file while it is being changed in memory.

use super::moved::Moved;
use crate::{
    access::Extent,
    call::CallCtx,
    edits::freshness::{self, Sight},
    failure::{Failure, Kind, convert},
    files::Files,
    seen::Part,
    session::freshness::Changed,
};
use toolpost_documents::notebook::{self, NotebookLimits};
use toolpost_text::{
    encoding::{Splice, Text},
    guard,
    lines::lf,
};
use toolpost_workspace::{AccessKind, ContentHash, Kind as FileKind, WorkspacePath};

/// A file while it is being changed in memory.
pub(crate) struct Draft {
    pub(crate) path: WorkspacePath,
    /// The content on the disk; `None` if there is nothing.
    pub(crate) before: Option<Before>,
    /// The content after the change.
    pub(crate) now: Now,
    /// The path that the file had before it got this name.
    pub(crate) from: Option<WorkspacePath>,
    pub(crate) replaced: usize,
    /// The end of the last partial change, in the displayed text; the search for the next one can start
    /// here.
    pub(crate) next: usize,
    pub(crate) wrote_whole: bool,
    /// The part of the file that the caller will have seen after a partial change.
    pub(crate) seen: Part,
    pub(crate) notes: Vec<String>,
    /// A note that another process changed the file since the caller saw it.
    pub(crate) changed_since: Option<String>,
    /// The line shifts caused by the partial changes so far.
    pub(crate) moved: Moved,
}

/// The content on the disk.
pub(crate) enum Before {
    /// A file.
    File { bytes: Vec<u8>, hash: ContentHash },
    /// A link, which can only be deleted or renamed.
    Link,
}

/// The content after the change.
pub(crate) enum Now {
    /// Unchanged.
    AsBefore,
    /// A file.
    Bytes(Vec<u8>),
    /// The link from another path.
    Link,
    /// Nothing.
    Nothing,
}

impl Draft {
    /// Starts with the content on the disk.
    pub(crate) fn begin(files: &Files, path: &WorkspacePath) -> Result<Self, Failure> {
        let before = match files.workspace().read(path, freshness::LIMIT) {
            Ok(snapshot) => Some(Before::File { bytes: snapshot.bytes, hash: snapshot.hash }),
            Err(error) if error.why == AccessKind::Missing => None,
            Err(error) if error.why == AccessKind::IsDirectory => {
                return Err(crate::files::lookup::directory(files, path));
            }
            Err(_) if files.workspace().stat(path).is_ok_and(|stat| stat.kind == FileKind::Link) => {
                Some(Before::Link)
            }
            Err(error) => return Err(convert::access(path, error)),
        };
        Ok(Self {
            path: path.clone(),
            before,
            now: Now::AsBefore,
            from: None,
            replaced: 0,
            next: 0,
            wrote_whole: false,
            seen: Part::AsBefore,
            notes: Vec::new(),
            changed_since: None,
            moved: Moved::default(),
        })
    }

    /// Returns the content after the changes so far; `None` if there is no file.
    pub(crate) fn present(&self) -> Option<&[u8]> {
        match (&self.now, &self.before) {
            (Now::Bytes(bytes), _) | (Now::AsBefore, Some(Before::File { bytes, .. })) => Some(bytes),
            _ => None,
        }
    }

    /// Returns whether anything has this name after the changes so far.
    pub(crate) fn is_there(&self) -> bool {
        match self.now {
            Now::AsBefore => self.before.is_some(),
            Now::Bytes(_) | Now::Link => true,
            Now::Nothing => false,
        }
    }

    /// Sets the new content.
    pub(crate) fn put(&mut self, bytes: Vec<u8>) {
        self.now = Now::Bytes(bytes);
    }

    /// Opens the content as text; `None` if there is no file.
    pub(super) fn text(&self, files: &Files) -> Result<Option<Text>, Failure> {
        let Some(present) = self.present() else { return Ok(None) };
        let text = Text::open(present.to_vec(), files.encoding()).map_err(|error| {
            let what = format!("{} cannot be changed as text: {error}", self.path.display());
            Failure::new(Kind::WrongKind, convert::sentence(&what))
        })?;
        Ok(Some(text))
    }

    /// Replaces parts of the text. `new` is the text that the caller supplied: placeholders for omitted text
    /// are refused.
    pub(super) fn splice(&mut self, text: &Text, splices: &[Splice], new: &[&str]) -> Result<(), Failure> {
        let path = self.path.display();
        for new in new {
            guard::check(new, text.view()).map_err(|found| convert::placeholder(&path, &found))?;
        }
        let bytes = text.splice(splices).map_err(|error| convert::encoding(&path, &error))?;
        self.still_a_notebook(text.bytes(), &bytes)?;
        self.moved.note(text.view(), splices);
        let mut grown = 0;
        for Splice { range, new } in splices {
            let new = lf(new).len();
            self.next = (range.start + new).saturating_add_signed(grown);
            grown += new.cast_signed() - range.len().cast_signed();
        }
        self.replaced += splices.len();
        self.put(bytes);
        Ok(())
    }

    /// Refuses a change that would make a valid notebook invalid.
    pub(super) fn still_a_notebook(&self, before: &[u8], after: &[u8]) -> Result<(), Failure> {
        if self.path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("ipynb")) {
            return Ok(());
        }
        let limits = NotebookLimits::default();
        match (notebook::read(before, limits), notebook::read(after, limits)) {
            (Ok(_), Err(error)) => {
                let what = format!("The change would break the notebook {}: {error}", self.path.display());
                Err(Failure::new(Kind::Invalid, what))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a change that could apply to a part of the file that the caller has not seen.
    pub(crate) fn stale(&self, files: &Files, cx: &CallCtx) -> Failure {
        // The content after earlier changes of this call is not on the disk.
        let (bytes, sight) = match &self.before {
            Some(Before::File { bytes, .. }) => (bytes.as_slice(), Sight::Shown),
            _ => (self.present().unwrap_or_default(), Sight::Withheld),
        };
        freshness::stale(files, cx, &self.path, bytes, sight)
    }

    /// Compares the content on the disk with the content that the caller has seen, once the lock keeps other
    /// callers from changing it.
    pub(crate) fn judge(
        &mut self,
        files: &Files,
        cx: &CallCtx,
        extent: Extent,
        sight: Sight,
    ) -> Result<(), Failure> {
        let Some(Before::File { bytes, hash }) = &self.before else { return Ok(()) };
        let seen = cx.expected.get(&self.path).copied();
        let seen = seen.or_else(|| cx.session.ledger.seen(&self.path).map(|record| record.hash));
        let Some(seen) = seen else {
            // The file did not exist at the first check, and another process has created it since.
            return freshness::judge_content(files, cx, &self.path, extent, bytes, sight);
        };
        if *hash == seen {
            return Ok(());
        }
        match extent {
            Extent::Name => return Ok(()),
            Extent::Whole | Extent::Gone => {
                return Err(freshness::stale(files, cx, &self.path, bytes, sight));
            }
            Extent::Part if cx.fresh.changed == Changed::Refused => {
                return Err(freshness::stale(files, cx, &self.path, bytes, sight));
            }
            Extent::Part => {}
        }
        if self.seen != Part::Some {
            let lines = freshness::lines_changed(files, cx, &self.path, bytes);
            let differ = lines.map_or(String::new(), |lines| format!(" ({lines})"));
            self.changed_since = Some(format!(
                "the file changed since it was last seen{differ}; the current version was changed"
            ));
        }
        self.seen = Part::Some;
        Ok(())
    }
}
