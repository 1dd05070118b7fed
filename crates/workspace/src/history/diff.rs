//! Unified diffs of the changes that the history records.

use std::fmt::Write;

use toolpost_text::diff::{Diff, unified_whole};

use super::list::History;
use super::paths::shown;
use crate::record::{Change, ChangeKind, Content, ContentKind, Record};

/// Number of unchanged lines that a diff shows before and after each changed part.
const CONTEXT: usize = 3;

/// Diff of one path that a recorded change affected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// Kind of change at the path, such as created or moved.
    pub what: ChangeKind,
    /// Path of the file in the form for messages: relative to the first root, absolute in other roots.
    pub path: String,
    /// New path of a moved file, link or directory; `None` for other changes.
    pub to: Option<String>,
    /// Changed lines, or a description if there are no lines to compare.
    pub shown: DiffBody,
}

/// The part of a file's diff after its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffBody {
    /// Changed lines of a text file.
    Text(Diff),
    /// A description, for example of a binary file or of changed permissions.
    Words(String),
}

/// A changed file whose diff is not computed yet.
struct File {
    what: ChangeKind,
    path: String,
    to: Option<String>,
    input: DiffInput,
}

/// Contents before and after a change, or a description if there are none to compare.
enum DiffInput {
    Contents(Option<Content>, Option<Content>),
    Words(String),
}

impl History<'_> {
    /// Returns the diffs of all files of a change; a removed directory is expanded into its files.
    pub fn diff(&self, record: &Record) -> Vec<FileDiff> {
        let files = record.changes.iter().flat_map(|change| self.files(change));
        files.map(|file| self.look(file)).collect()
    }

    /// Returns the diffs of the first `most` files of a change, and the number of remaining files.
    pub fn diff_first(&self, record: &Record, most: usize) -> (Vec<FileDiff>, usize) {
        let mut files = record.changes.iter().flat_map(|change| self.files(change));
        let first = files.by_ref().take(most).map(|file| self.look(file)).collect();
        (first, files.count())
    }

    fn look(&self, file: File) -> FileDiff {
        let File { what, path, to, input } = file;
        let shown = match input {
            DiffInput::Contents(before, after) => self.compare(before.as_ref(), after.as_ref()),
            DiffInput::Words(words) => DiffBody::Words(words),
        };
        FileDiff { what, path, to, shown }
    }

    /// Returns the files that a change affected. A removed directory is expanded from its stored list; file
    /// contents are not read.
    fn files(&self, change: &Change) -> Vec<File> {
        let (path, to) = (change.path(self.workspace), change.to(self.workspace));
        let file = |path: String, input: DiffInput| File { what: change.what, path, to: to.clone(), input };
        let list =
            change.before.as_ref().filter(|before| before.sort == ContentKind::Tree && before.lost.is_none());
        match list.map(|list| self.nodes(list)) {
            Some(Ok(nodes)) => {
                let below = nodes.into_iter().filter(|node| node.content.sort != ContentKind::Directory);
                let whole = |place: &std::path::Path| shown(self.workspace, &change.place.path().join(place));
                below
                    .map(|node| file(whole(node.place.path()), DiffInput::Contents(Some(node.content), None)))
                    .collect()
            }
            Some(Err(why)) => {
                vec![file(path, DiffInput::Words(format!("the directory cannot be listed: {why}")))]
            }
            None if change.what == ChangeKind::Moved && change.before.is_none() => {
                vec![file(path, DiffInput::Words("moved, content unchanged".to_owned()))]
            }
            None => vec![file(path, DiffInput::Contents(change.before.clone(), change.after.clone()))],
        }
    }

    fn compare(&self, before: Option<&Content>, after: Option<&Content>) -> DiffBody {
        let is_file = |content: &Content| content.sort == ContentKind::File;
        if !before.iter().chain(&after).all(|content| is_file(content))
            || (before.is_none() && after.is_none())
        {
            return DiffBody::Words(sentence(before, after));
        }
        let bytes = |content: Option<&Content>| content.map_or(Ok(Vec::new()), |content| self.bytes(content));
        let (old, new) = match (bytes(before), bytes(after)) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(why), _) => return DiffBody::Words(format!("the former content cannot be shown: {why}")),
            (_, Err(why)) => return DiffBody::Words(format!("the new content cannot be shown: {why}")),
        };
        match (text(&old), text(&new)) {
            (Some(old), Some(new)) if old != new => DiffBody::Text(unified_whole(old, new, CONTEXT)),
            (Some(_), Some(_)) => DiffBody::Words(sentence(before, after)),
            _ => DiffBody::Words(format!("not text: {} bytes before, {} after", old.len(), new.len())),
        }
    }
}

impl FileDiff {
    /// Formats the diff for `patch` and `git apply`; a description becomes a comment.
    #[must_use]
    pub fn unified(&self) -> String {
        let target = self.to.as_ref().unwrap_or(&self.path);
        match &self.shown {
            DiffBody::Text(diff) => {
                let old = if self.what == ChangeKind::Created {
                    "/dev/null".to_owned()
                } else {
                    format!("a/{}", self.path)
                };
                let is_gone = matches!(self.what, ChangeKind::Deleted | ChangeKind::DeletedTree);
                let new = if is_gone { "/dev/null".to_owned() } else { format!("b/{target}") };
                format!("--- {old}\n+++ {new}\n{}", diff.text)
            }
            DiffBody::Words(words) => match &self.to {
                Some(to) => format!("# {} -> {to}: {words}\n", self.path),
                None => format!("# {}: {words}\n", self.path),
            },
        }
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// Describes a change that has no lines to compare.
fn sentence(before: Option<&Content>, after: Option<&Content>) -> String {
    let mut words = String::new();
    match (before, after) {
        (Some(before), Some(after)) if before.mode != after.mode => {
            let bits =
                |content: &Content| content.mode.map_or("default".to_owned(), |mode| format!("{mode:o}"));
            let _ = write!(words, "permissions {} -> {}", bits(before), bits(after));
        }
        (Some(_), Some(_)) => words.push_str("unchanged"),
        (Some(before), None) => {
            let _ = write!(words, "{} removed", name(before));
        }
        (None, Some(after)) => {
            let _ = write!(words, "{} created", name(after));
        }
        (None, None) => words.push_str("empty directory removed"),
    }
    words
}

fn name(content: &Content) -> &'static str {
    match content.sort {
        ContentKind::File if content.bytes == 0 => "empty file",
        ContentKind::File => "file",
        ContentKind::Directory | ContentKind::Tree => "directory",
        ContentKind::Link => "symbolic link",
        ContentKind::Other => "special file",
    }
}
