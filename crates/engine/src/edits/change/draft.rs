//! The draft of a changed file: its new content, in memory until all changes of the call are written.

use super::{line_shifts::LineShifts, offset_shifts::OffsetShifts};
use crate::{
    access::Extent,
    call::CallCtx,
    edits::freshness::{self, Disclosure},
    failure::{Failure, Kind, convert},
    files::Files,
    seen_content::SeenRange,
    session::freshness::StaleEditPolicy,
};
use toolpost_documents::notebook::{self, NotebookLimits};
use toolpost_text::{
    encoding::{Splice, Text},
    guard,
    lines::lf,
};
use toolpost_workspace::{AccessKind, ContentHash, Kind as FileKind, WorkspacePath};

/// A file that the call changes. Its new content is in memory until all changes of the call are written.
pub(crate) struct Draft {
    pub(crate) path: WorkspacePath,
    /// The content on the disk before the call; `None` if nothing existed at the path.
    pub(crate) before: Option<OriginalEntry>,
    /// The content at the path after the changes so far.
    pub(crate) now: DraftContent,
    /// The former path, if the call moved the file or link to `path`.
    pub(crate) from: Option<WorkspacePath>,
    pub(crate) replaced: usize,
    /// The byte offset in the text at which the last partial change ends; the search for the next one can
    /// start here.
    pub(crate) next: usize,
    pub(crate) wrote_whole: bool,
    /// The part of the file that the caller will have seen after a partial change.
    pub(crate) seen: SeenRange,
    pub(crate) notes: Vec<String>,
    /// Describes the lines that another process changed since the caller saw the file, such as
    /// " (1 line differs: line 3)"; empty if the lines are unknown. `None` if no partial change was made to a changed file.
    pub(crate) changed_since: Option<String>,
    /// The shifts of line numbers that the partial changes so far have caused.
    pub(crate) moved: LineShifts,
    /// The shifts of byte offsets that the partial changes so far have caused.
    pub(crate) offsets: OffsetShifts,
}

/// Formats the note that another process changed the file since the caller saw it. `differ` describes the lines.
pub(super) fn since_note(differ: &str) -> String {
    format!("the file changed since it was last seen{differ}; the change was made to its current version")
}

/// A file or link on the disk, before the call.
pub(crate) enum OriginalEntry {
    /// A file, with its content and the hash of the content.
    File { bytes: Vec<u8>, hash: ContentHash },
    /// A link, which can only be deleted or renamed.
    Link,
}

/// The content at a path after the changes so far.
pub(crate) enum DraftContent {
    /// The same as before the call.
    AsBefore,
    /// A file with these bytes.
    Bytes(Vec<u8>),
    /// The link that was moved from another path.
    Link,
    /// No file or link is left at the path.
    Nothing,
}

impl Draft {
    /// Creates the draft of a file, with the content on the disk.
    pub(crate) fn begin(files: &Files, path: &WorkspacePath) -> Result<Self, Failure> {
        let before = match files.workspace().read(path, freshness::LIMIT) {
            Ok(snapshot) => Some(OriginalEntry::File { bytes: snapshot.bytes, hash: snapshot.hash }),
            Err(error) if error.why == AccessKind::Missing => None,
            Err(error) if error.why == AccessKind::IsDirectory => {
                return Err(crate::files::lookup::directory(files, path));
            }
            Err(_) if files.workspace().stat(path).is_ok_and(|stat| stat.kind == FileKind::Link) => {
                Some(OriginalEntry::Link)
            }
            Err(error) => return Err(convert::access(path, error)),
        };
        Ok(Self {
            path: path.clone(),
            before,
            now: DraftContent::AsBefore,
            from: None,
            replaced: 0,
            next: 0,
            wrote_whole: false,
            seen: SeenRange::AsBefore,
            notes: Vec::new(),
            changed_since: None,
            moved: LineShifts::default(),
            offsets: OffsetShifts::default(),
        })
    }

    /// Returns the content after the changes so far; `None` if there is no file.
    pub(crate) fn present(&self) -> Option<&[u8]> {
        match (&self.now, &self.before) {
            (DraftContent::Bytes(bytes), _)
            | (DraftContent::AsBefore, Some(OriginalEntry::File { bytes, .. })) => Some(bytes),
            _ => None,
        }
    }

    /// Returns whether a file or link exists at the path after the changes so far.
    pub(crate) fn is_there(&self) -> bool {
        match self.now {
            DraftContent::AsBefore => self.before.is_some(),
            DraftContent::Bytes(_) | DraftContent::Link => true,
            DraftContent::Nothing => false,
        }
    }

    pub(crate) fn put(&mut self, bytes: Vec<u8>) {
        self.now = DraftContent::Bytes(bytes);
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

    /// Replaces parts of the text. `new` holds the texts that the caller wrote. Refuses texts with a
    /// placeholder for omitted text, such as `... rest of the code`, and a change that breaks a notebook.
    pub(super) fn splice(
        &mut self,
        cx: &CallCtx,
        text: &Text,
        splices: &[Splice],
        new: &[&str],
    ) -> Result<(), Failure> {
        let path = self.path.display();
        for new in new {
            guard::check_for(&path, new, text.view()).map_err(|found| convert::placeholder(&path, &found))?;
        }
        let stops = || cx.check().is_err();
        let bytes = text.splice_until(splices, &stops).map_err(|error| match cx.check() {
            Err(stopped) => stopped,
            Ok(()) => convert::encoding(&path, &error),
        })?;
        self.still_a_notebook(text.bytes(), &bytes)?;
        self.moved.note(text.view(), splices);
        self.offsets.note(splices);
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

    /// Refuses a change that would make a valid Jupyter notebook (`.ipynb`) invalid.
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

    /// Returns the failure of a change that could apply to a part of the file that the caller has not seen.
    pub(crate) fn stale(&self, files: &Files, cx: &CallCtx) -> Failure {
        // A file that is not on the disk comes from earlier changes of this call; its content is not shown.
        let (bytes, sight) = match &self.before {
            Some(OriginalEntry::File { bytes, .. }) => (bytes.as_slice(), Disclosure::Shown),
            _ => (self.present().unwrap_or_default(), Disclosure::Withheld),
        };
        freshness::stale(files, cx, &self.path, Extent::Part, (bytes, sight))
    }

    /// Checks that the content on the disk is the content that the caller has seen. If the file has changed
    /// since, a rename is allowed, and a partial change is allowed with a note, unless `cx.fresh` refuses it. The path
    /// must be locked, so that the content cannot change after the check.
    pub(crate) fn judge(
        &mut self,
        files: &Files,
        cx: &CallCtx,
        extent: Extent,
        sight: Disclosure,
    ) -> Result<(), Failure> {
        let Some(OriginalEntry::File { bytes, hash }) = &self.before else { return Ok(()) };
        let seen = cx.expected.get(&self.path).copied();
        let seen = seen.or_else(|| cx.session.ledger.seen(&self.path).map(|record| record.hash));
        let Some(seen) = seen else {
            // The first check, before the lock, allowed this write to an unseen file. The file can have been created
            // or filled since, so it is checked again.
            return freshness::judge_content(files, cx, &self.path, extent, bytes, sight);
        };
        if *hash == seen {
            return Ok(());
        }
        match extent {
            Extent::Name => return Ok(()),
            Extent::Whole | Extent::Gone => {
                return Err(freshness::stale(files, cx, &self.path, extent, (bytes.as_slice(), sight)));
            }
            Extent::Part if cx.fresh.changed == StaleEditPolicy::Refused => {
                return Err(freshness::stale(files, cx, &self.path, extent, (bytes.as_slice(), sight)));
            }
            Extent::Part => {}
        }
        if self.seen != SeenRange::Some {
            let lines = freshness::lines_changed(files, cx, &self.path, bytes);
            self.changed_since = Some(lines.map_or(String::new(), |lines| format!(" ({lines})")));
        }
        self.seen = SeenRange::Some;
        Ok(())
    }
}
