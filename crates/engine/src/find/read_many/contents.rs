//! Reads the files that a request selects, several at the same time.

use super::{Answer, Request, Text, TextExtent, selection::SelectedFile};
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::{
        document::{binary, text},
        lookup,
    },
    find::Find,
    seen_content::{SeenContent, SeenRange},
    workers::at_once,
};
use std::sync::Arc;
use toolpost_documents::Kind as Document;
use toolpost_text::window::LineSelection;
use toolpost_workspace::{ContentHash, WorkspacePath};

/// The answer for one selected file, with the hash and the bytes of its content.
pub(super) struct FileResult {
    /// The path of the file, as displayed.
    pub(super) path: String,
    /// The answer for the file; `None` if the time limit was reached or the call was cancelled before the file was
    /// read.
    pub(super) answer: Option<Answer>,
    place: WorkspacePath,
    hash: Option<ContentHash>,
    bytes: Option<Arc<[u8]>>,
}

impl FileResult {
    /// Returns the part of the file that counts as read by the caller; `None` if the hash of the content is unknown, or
    /// if the text is cut and no line is shown.
    pub(super) fn seen(&self, text: &Text) -> Option<SeenContent> {
        let part = match text.shown {
            TextExtent::Whole => SeenRange::Whole,
            TextExtent::Beginning => SeenRange::Lines(1..=text.lines.last()?.number),
        };
        Some(SeenContent {
            path: self.place.clone(),
            hash: Some(self.hash?),
            part,
            bytes: self.bytes.clone(),
        })
    }
}

/// Reads all selected files; the answers are in the order of the files.
pub(super) async fn read_all(
    find: &Find,
    files: Vec<SelectedFile>,
    request: &Request,
    cx: &CallCtx,
) -> Result<Vec<FileResult>, Failure> {
    let most = request.max_bytes_each.min(request.max_bytes);
    let (find, cx) = (find.clone(), cx.clone());
    at_once(files, 1, move |file| Ok(one(&find, file, most, &cx))).await
}

fn one(find: &Find, file: &SelectedFile, most: usize, cx: &CallCtx) -> FileResult {
    look(find, file, most, cx).unwrap_or_else(|failure| {
        let answer = match failure.kind {
            Kind::Timeout | Kind::Cancelled => None,
            Kind::WrongKind | Kind::Denied => Some(Answer::Skipped { why: failure.what }),
            _ => Some(failed(failure)),
        };
        FileResult { path: file.path.display(), answer, place: file.path.clone(), hash: None, bytes: None }
    })
}

fn failed(failure: Failure) -> Answer {
    let meant = failure.hints.into_iter().flat_map(|hint| match hint {
        Hint::DidYouMean(names) => names,
        _ => Vec::new(),
    });
    Answer::Failed { meant: meant.collect(), what: failure.what }
}

fn look(find: &Find, file: &SelectedFile, most: usize, cx: &CallCtx) -> Result<FileResult, Failure> {
    cx.check()?;
    let (path, note) = match &file.raw_path {
        None => (file.path.clone(), None),
        Some(said) => {
            let found = lookup::file(find.files(), &file.path, said, cx)?;
            (found.path, found.note)
        }
    };
    if !cx.may_read(&path) {
        let what = format!("The rules do not allow reading {} without approval.", path.display());
        return Err(Failure::new(Kind::Denied, what));
    }
    let opened = lookup::open(find.files(), &path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let of_bytes = opened.len();
    let what = match toolpost_documents::kind(opened.head(), &name) {
        Document::Notebook | Document::Unknown => None,
        Document::Other { what } => Some(what),
        Document::Pdf => Some("a PDF document"),
        Document::Png | Document::Jpeg | Document::Gif | Document::Webp => Some("an image"),
    };
    if let Some(what) = what {
        return Err(binary(&path, of_bytes, what));
    }
    let ask = LineSelection { first: 1, count: (most as u64).saturating_add(1), characters: most as u64 };
    let looked = text::look(opened, find.files(), ask, cx)?;
    let total = looked.total.count();
    let mut text = Text {
        lines: looked.lines,
        bytes: of_bytes,
        of_bytes,
        shown: TextExtent::Whole,
        facts: looked.facts,
        note,
    };
    if (text.lines.len() as u64) < total || of_bytes > most as u64 {
        text.cut(most, |line| line.text.len() + 1);
    }
    let (hash, bytes) = (looked.hash, looked.bytes);
    Ok(FileResult { path: path.display(), answer: Some(Answer::Text(text)), place: path, hash, bytes })
}
