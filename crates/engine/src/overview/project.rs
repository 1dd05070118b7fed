//! `project`: an index of a project, generated from its files and returned one window at a time.

use super::files::{self, Gathered};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Hint},
    find::walk::Complete,
    operation::Operation,
    overview::Overview,
    session::PagedIndex,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_search::Rules;
use toolpost_workspace::{Kind, WorkspacePath, hash};

/// Shows a part of the index of a project.
pub struct Project;

/// A request for a part of the index.
#[derive(Debug, Clone)]
pub struct Request {
    /// The root directory of the project.
    pub base: WorkspacePath,
    /// The character of the index at which the part begins, counted from 0.
    pub offset: usize,
    /// The maximum number of characters of the part.
    pub max_characters: usize,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
    /// The ignore rules to apply.
    pub rules: Rules,
    /// A file that may contain an index from another tool.
    pub beside: WorkspacePath,
}

/// A part of the index.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The root directory of the project.
    pub root: String,
    /// The number of characters of the index.
    pub total: usize,
    /// The offset at which the part begins.
    pub offset: usize,
    /// The offset after its last character.
    pub end: usize,
    /// The text of the part; if more follows, it ends with a line.
    pub text: String,
    /// The fingerprint of the index: it changes with the project.
    pub fingerprint: String,
    /// The changes of the project since the previous part.
    pub since: Since,
    /// The number of files that were not read yet: the index is incomplete.
    pub unread: usize,
    /// A file that contains an index from another tool; it may be outdated.
    pub beside: Option<String>,
}

/// The changes of the project since the previous part.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Since {
    /// There is no previous part in this session, or this is the first part.
    First,
    /// The index has not changed.
    Same,
    /// It was incomplete then, and has grown: the parts do not fit together.
    Grown,
    /// It has changed: the parts do not fit together.
    Changed,
}

impl Operation for Project {
    const NAME: &'static str = "project";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Overview;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.base)
    }

    async fn run(overview: &Overview, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let gathered = files::gather(overview, &request.base, request.rules, cx).await?;
        if gathered.walk.complete != Complete::Yes {
            let what = "The time was up before all directories of the project were seen.";
            return Err(Failure::new(crate::failure::Kind::Timeout, what)
                .hint(Hint::Advice("Name a directory of the project as the path.".to_owned())));
        }
        let (overview, cx) = (overview.clone(), cx.clone());
        blocking(move || part(&overview, &request, &gathered, &cx)).await
    }
}

fn part(
    overview: &Overview,
    request: &Request,
    gathered: &Gathered,
    cx: &CallCtx,
) -> Result<Output, Failure> {
    let (text, unread) = (files::write(&request.base, gathered), gathered.unread());
    let text = text.as_str();
    let total = text.chars().count();
    if request.offset >= total {
        let what =
            format!("offset {} lies behind the end: the index has {total} characters.", request.offset);
        return Err(Failure::invalid(what).hint(Hint::Advice("Begin again with offset 0.".to_owned())));
    }
    let fingerprint = hash(text.as_bytes()).to_string();
    let index = PagedIndex { fingerprint: fingerprint.clone(), unread };
    let since = match cx.session.paged(&request.base, index) {
        Some(_) if request.offset == 0 => Since::First,
        None => Since::First,
        Some(before) if before.fingerprint == fingerprint => Since::Same,
        // The index grows while the remaining files are read, whether or not the project changes.
        Some(before) if before.unread > 0 => Since::Grown,
        Some(_) => Since::Changed,
    };
    let shown = window(text, request.offset, request.max_characters, request.max_bytes);
    let is_file = |path: &WorkspacePath| {
        cx.may_read(path) && overview.files().workspace().stat(path).is_ok_and(|stat| stat.kind == Kind::File)
    };
    Ok(Output {
        root: request.base.absolute(),
        total,
        offset: request.offset,
        end: request.offset + shown.chars().count(),
        text: shown.to_owned(),
        fingerprint,
        since,
        unread,
        beside: Some(&request.beside).filter(|path| is_file(path)).map(WorkspacePath::display),
    })
}

/// Returns a window of a text; it ends with a line if more follows and the line is not too long.
fn window(text: &str, offset: usize, characters: usize, bytes: usize) -> &str {
    let start = text.char_indices().nth(offset).map_or(text.len(), |(at, _)| at);
    let rest = &text[start..];
    let mut room = bytes;
    let mut end = 0;
    for (at, letter) in rest.char_indices().take(characters.max(1)) {
        // The size in the reply: quotes and line ends take two bytes.
        let weight = if matches!(letter, '"' | '\\' | '\n') { 2 } else { letter.len_utf8() };
        if weight > room && end > 0 {
            break;
        }
        room = room.saturating_sub(weight);
        end = at + letter.len_utf8();
    }
    let shown = &rest[..end];
    if end == rest.len() {
        return shown;
    }
    match shown.rfind('\n') {
        Some(at) if at + 1 >= end / 2 => &shown[..=at],
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::window;

    #[test]
    fn a_part_ends_with_a_line_where_it_can() {
        let text = "äb\ncdef\n\"ghi\n";
        let rows = [
            ((0, 100, 100), "äb\ncdef\n\"ghi\n"),
            ((0, 5, 100), "äb\n"),
            ((0, 2, 100), "äb"),
            ((3, 4, 100), "cdef"),
            ((3, 6, 100), "cdef\n"),
            ((8, 5, 100), "\"ghi\n"),
            ((8, 5, 4), "\"gh"),
            ((0, 0, 0), "ä"),
        ];
        for ((offset, characters, bytes), wanted) in rows {
            assert_eq!(window(text, offset, characters, bytes), wanted, "{offset} {characters} {bytes}");
        }
        // The parts cover the text without a gap.
        for characters in 1..16 {
            let (mut offset, mut whole) = (0, String::new());
            while offset < text.chars().count() {
                let part = window(text, offset, characters, 100);
                offset += part.chars().count();
                whole.push_str(part);
            }
            assert_eq!(whole, text, "{characters}");
        }
    }
}
