//! The `project` operation: generates an index of a project and returns a part of it.

use super::files::{self, ProjectFiles};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Hint},
    operation::Operation,
    overview::Overview,
    session::PagedIndex,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_search::Rules;
use toolpost_text::budget::ByteBudget;
use toolpost_workspace::{Kind, WorkspacePath, hash};

/// The `project` operation, which returns a part of a project's index as text.
pub struct Project;

/// A request for a part of a project's index.
#[derive(Debug, Clone)]
pub struct Request {
    /// The root directory of the project.
    pub base: WorkspacePath,
    /// The offset in the index at which the requested part begins, in characters from 0.
    pub offset: usize,
    /// The maximum number of characters of the requested part.
    pub max_characters: usize,
    /// The maximum size of the part in the reply, in bytes.
    pub max_bytes: usize,
    /// The ignore rules, such as `.gitignore`, to apply.
    pub rules: Rules,
    /// The path at which another tool may have stored an index of the project.
    pub beside: WorkspacePath,
}

/// A part of a project's index.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The root directory of the project.
    pub root: String,
    /// The number of characters of the index.
    pub total: usize,
    /// The offset at which the part begins, in characters.
    pub offset: usize,
    /// The offset after the last character of the part.
    pub end: usize,
    /// The text of the part. If more follows, the part ends after a whole line, unless the line is long.
    pub text: String,
    /// The hash of the whole index text.
    pub fingerprint: String,
    /// The change in the index since the previous part.
    pub since: Since,
    /// The number of the project's files that Toolpost has not read yet. Unless the number is 0, the index is
    /// incomplete.
    pub unread: usize,
    /// A file that may contain an index from another tool, possibly an outdated one; `None` if there is no
    /// such file.
    pub beside: Option<String>,
}

/// The change in the index since the previous part that the session requested.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Since {
    /// The session requested no previous part, or this part begins at offset 0.
    First,
    /// The index has not changed.
    Same,
    /// The index was incomplete at the previous part and has grown, so the parts do not fit together.
    Grown,
    /// The index has changed, so the parts do not fit together.
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
        let (overview, cx) = (overview.clone(), cx.clone());
        blocking(move || part(&overview, &request, &gathered, &cx)).await
    }
}

fn part(
    overview: &Overview,
    request: &Request,
    gathered: &ProjectFiles,
    cx: &CallCtx,
) -> Result<Output, Failure> {
    let (text, unread) = (files::write(&request.base, gathered), gathered.read().later);
    let text = text.as_str();
    let total = text.chars().count();
    if request.offset >= total {
        let place = if request.offset == total { "at" } else { "after" };
        let what = format!("offset {} is {place} the end: the index has {total} characters.", request.offset);
        return Err(Failure::invalid(what).hint(Hint::Advice("Start again with offset 0.".to_owned())));
    }
    let fingerprint = hash(text.as_bytes()).to_string();
    let index = PagedIndex { fingerprint: fingerprint.clone(), unread };
    let since = match cx.session.paged(&request.base, index) {
        Some(_) if request.offset == 0 => Since::First,
        None => Since::First,
        Some(before) if before.fingerprint == fingerprint => Since::Same,
        // The index can grow while the remaining files are read, even if the project does not change.
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

/// Returns the part of a text from the character `offset` on, up to a number of characters and of bytes. If more text
/// follows, the part ends after a whole line, unless that would drop more than half of the part.
fn window(text: &str, offset: usize, characters: usize, bytes: usize) -> &str {
    let start = text.char_indices().nth(offset).map_or(text.len(), |(at, _)| at);
    let rest = &text[start..];
    let mut budget = ByteBudget::new(bytes);
    let mut end = 0;
    for (at, letter) in rest.char_indices().take(characters.max(1)) {
        // In the reply, quotes, backslashes and line ends are escaped and take two bytes.
        let weight = if matches!(letter, '"' | '\\' | '\n') { 2 } else { letter.len_utf8() };
        if !budget.takes(weight) && end > 0 {
            break;
        }
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
    use toolpost_test_rows::each;

    #[test]
    fn text_window_ends_at_a_line_break_if_possible() {
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
        each(rows, |((offset, characters, bytes), wanted)| {
            assert_eq!(window(text, offset, characters, bytes), wanted, "{offset} {characters} {bytes}");
        });
        // The parts together cover the text without a gap.
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
