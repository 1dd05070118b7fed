//! Refusals to overwrite unseen content.
//!
//! A refusal shows current content only if the call may read the file. The caller can then decide what to do next.

use super::covers;
use crate::{
    access::Extent,
    call::CallCtx,
    failure::{FOUND, Failure, Hint, Kind},
    files::Files,
    seen_content::{SeenContent, SeenRange},
};
use std::collections::BTreeMap;
use toolpost_text::{
    cut::{self, Limit},
    diff::{self, EqualLines},
    encoding::Text,
    plural::counted,
};
use toolpost_workspace::{Coverage, WorkspacePath, hash};

/// Maximum number of lines that a refusal shows if the whole file does not fit.
const HEAD: usize = 40;

/// Maximum size of the changes that a failure shows together with other findings.
const CHANGES: Limit = Limit { bytes: 2048, lines: 40 };

/// Permission to show the content of a file in a refusal.
#[derive(Clone, Copy)]
pub(crate) enum Disclosure {
    /// The content may be shown.
    Shown,
    /// No part may be shown, because the call may not read the file, or its permission to read was not checked.
    Withheld,
}

/// Returns the failure of a write to a file whose content was not seen in the session. For a partial change, the
/// failure shows no content, because the change can concern any part of the file.
pub(super) fn unread(
    files: &Files,
    path: &WorkspacePath,
    extent: Extent,
    present: &[u8],
    sight: Disclosure,
) -> Failure {
    // Reading a file that is not text would not help, so the failure advises another path and not a read.
    if let (Disclosure::Shown, Err(error)) = (sight, Text::open(present.to_vec(), files.encoding())) {
        let what = format!("{} cannot be changed as text: {error}", path.display());
        let hint = Hint::Advice("Choose another path for the text.".to_owned());
        return Failure::new(Kind::WrongKind, what).hint(hint);
    }
    let what = format!("{} exists, and this session has not seen its content.", path.display());
    let look =
        if extent == Extent::Part { ShownContent::default() } else { content(files, path, present, sight) };
    look.refuse(Kind::Unread, what, Hint::ReadFirst(path.clone()))
}

/// Returns the failure of a write that would replace a whole file that was seen only in part.
pub(super) fn unread_in_part(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    seen: &Coverage,
    (present, sight): (&[u8], Disclosure),
) -> Failure {
    let what = format!(
        "Some lines of {} were not shown in this session, or another process changed them since; writing the whole file \
         would lose them.",
        path.display()
    );
    let hint =
        Hint::Advice("Read the whole file first, or change only the part that you have seen.".to_owned());
    let look = content(files, path, present, sight);
    let missing = || unseen_lines(files, cx, path, seen, (present, sight));
    let look = if look.whole.is_some() { look } else { missing().unwrap_or(look) };
    look.refuse(Kind::Unread, what, hint)
}

/// Returns the failure of a write over content that differs from the content that was seen.
///
/// If the refusal shows all that changed, the caller has then seen as much of the current content as it had seen of the
/// earlier content, so it can repeat a partial change without another read.
pub(crate) fn stale(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    extent: Extent,
    (present, sight): (&[u8], Disclosure),
) -> Failure {
    let what = format!(
        "{} has changed since it was last seen in this session; nothing was written.",
        path.display()
    );
    let look = match (changes(files, cx, path, present, sight), content(files, path, present, sight)) {
        (Some(changes), content) if changes.shows(extent) || content.whole.is_none() => changes,
        (_, content) => content,
    };
    let hint = if look.whole.is_none() && look.shows(extent) {
        Hint::Advice(
            "This session has now seen the change: if the same call is still right, repeat it.".to_owned(),
        )
    } else {
        Hint::ReadAgain(path.clone())
    };
    let part = look.part.clone().filter(|_| extent == Extent::Part);
    let failure = look.refuse(Kind::Stale, what, hint);
    Failure { shows: failure.shows.or(part.map(Box::new)), ..failure }
}

/// Adds to the failure of a partial change that the file has changed since the caller saw it and, if
/// the session still stores the earlier content, what changed. `differ` describes the changed lines.
pub(crate) fn changed_first(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    (present, differ): (&[u8], &str),
    mut failure: Failure,
) -> Failure {
    let changed = format!("{} has changed since it was last seen in this session{differ}.", path.display());
    failure.what = format!("{changed} {}", failure.what);
    failure.facts.changed = Some(changed);
    let look = changes(files, cx, path, present, Disclosure::Shown);
    if let Some(changes) = look.and_then(|look| look.found) {
        let changes = changes.trim_end_matches('\n');
        let shown = cut::head(changes, CHANGES).map_or(changes.to_owned(), |cut| cut.to_string());
        failure.found = Some(match failure.found {
            Some(found) => format!("{shown}\n\n{found}"),
            None => shown,
        });
    }
    failure
}

/// The content of a file that a refusal shows.
#[derive(Default)]
struct ShownContent {
    found: Option<String>,
    /// The content, if the caller has seen all of it after this refusal.
    whole: Option<SeenContent>,
    /// The content, if the caller has seen all that changed after this refusal, but not the whole file.
    part: Option<SeenContent>,
}

impl ShownContent {
    /// Returns whether the caller has seen enough after this refusal to repeat a change of this extent.
    fn shows(&self, extent: Extent) -> bool {
        self.whole.is_some() || (extent == Extent::Part && self.part.is_some())
    }

    fn refuse(self, kind: Kind, what: String, otherwise: Hint) -> Failure {
        let known = "This session has now seen the content: if the same call is still right, repeat it. To \
                     keep the current content, change only a part of it.";
        let hint = if self.whole.is_some() { Hint::Advice(known.to_owned()) } else { otherwise };
        let failure = Failure::new(kind, what).hint(hint);
        Failure { found: self.found, shows: self.whole.map(Box::new), ..failure }
    }
}

/// Shows the content of the file: all of it, or the beginning if it is too long for a refusal. Shows only the size of
/// a file that is not text, and nothing if the content is withheld.
fn content(files: &Files, path: &WorkspacePath, present: &[u8], sight: Disclosure) -> ShownContent {
    if let Disclosure::Withheld = sight {
        return ShownContent::default();
    }
    let Ok(text) = Text::open(present.to_vec(), files.encoding()) else {
        let found = format!("The file has {} bytes and is not text.", present.len());
        return ShownContent { found: Some(found), ..ShownContent::default() };
    };
    let shown = text.shown(text.view());
    let lines: Vec<&str> = shown.lines().collect();
    let count = lines.len();
    let all = match count {
        0 => "It is empty.".to_owned(),
        1 => format!("It has this line:\n{}", numbered(&lines)),
        _ => format!("It has these {count} lines:\n{}", numbered(&lines)),
    };
    if fits(&all) {
        return ShownContent {
            found: Some(all),
            whole: Some(seen(path, present, SeenRange::Whole)),
            part: None,
        };
    }
    let head = numbered(&lines[..count.min(HEAD)]);
    ShownContent {
        found: Some(format!("It has {count} lines and begins with:\n{head}")),
        ..ShownContent::default()
    }
}

/// Shows the lines of the file that were not seen, and where lines were deleted. `None` if they do not fit into a refusal,
/// if their numbers are unknown, or if the content is withheld.
fn unseen_lines(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    coverage: &Coverage,
    (present, sight): (&[u8], Disclosure),
) -> Option<ShownContent> {
    let (Disclosure::Shown, Coverage::Lines(ranges)) = (sight, coverage) else { return None };
    let text = Text::open(present.to_vec(), files.encoding()).ok()?;
    let shown = text.shown(text.view());
    let is_seen = |number: u64| ranges.iter().any(|range| range.contains(&number));
    let lines = shown.lines().zip(1_u64..).filter(|(_, number)| !is_seen(*number));
    let lines: String = lines.map(|(line, number)| format!("{number:>6}\t{line}\n")).collect();
    let mut found = format!("These lines were not shown yet:\n{lines}");
    let count = shown.split_inclusive('\n').count();
    for (number, deleted) in deletions(files, cx, path, (&*shown, count), is_seen) {
        let place = if number > count { "at the end".to_owned() } else { format!("before line {number}") };
        let more = counted(deleted as u64, "more line");
        found.push_str(&format!("The content that was shown before had {more} {place}.\n"));
    }
    let whole = (!lines.is_empty() && fits(&found)).then(|| seen(path, present, SeenRange::Whole))?;
    Some(ShownContent { found: Some(found), whole: Some(whole), part: None })
}

/// Finds the deletions since each stored content that was seen, if a line next to the deletion was not seen. Returns the
/// line of the current text (`now`, with `count` lines) before which lines are missing, or the line number after the last
/// line, and the number of missing lines.
fn deletions(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    (now, count): (&str, usize),
    is_seen: impl Fn(u64) -> bool,
) -> BTreeMap<usize, usize> {
    let mut deletions = BTreeMap::new();
    for version in cx.session.versions(path) {
        let Ok(text) = Text::open(version.to_vec(), files.encoding()) else { continue };
        let before = text.shown(text.view());
        let end = EqualLines { old: before.split_inclusive('\n').count() + 1, new: count + 1, count: 0 };
        let (mut old_next, mut new_next) = (1, 1);
        for equal in diff::equal_lines(&before, now).into_iter().chain([end]) {
            let (old_gap, new_gap) = (equal.old - old_next, equal.new - new_next);
            let mut around = new_next.min(count)..=equal.new.min(count);
            if old_gap > new_gap && around.any(|number| !is_seen(number as u64)) {
                let most = deletions.entry(equal.new).or_insert(0);
                *most = (old_gap - new_gap).max(*most);
            }
            (old_next, new_next) = (equal.old + equal.count, equal.new + equal.count);
        }
    }
    deletions
}

/// Shows the difference from the content that was seen. A caller that had seen all of that content, and is shown the
/// whole difference, has also seen all of the current content. `None` if the session no longer stores the earlier
/// content, if the contents are equal or not text, or if the content is withheld.
fn changes(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    present: &[u8],
    sight: Disclosure,
) -> Option<ShownContent> {
    if let Disclosure::Withheld = sight {
        return None;
    }
    let record = cx.session.ledger.seen(path)?;
    let remembered = cx.session.remembered(path)?;
    if record.hash == hash(present) {
        return None;
    }
    let text = Text::open(present.to_vec(), files.encoding()).ok()?;
    let before = Text::open(remembered.to_vec(), files.encoding()).ok()?;
    let diff = diff::unified(&before.shown(before.view()), &text.shown(text.view()), 2);
    let found = if diff.text.is_empty() {
        "The text is the same; its line endings, byte order mark or encoding changed.".to_owned()
    } else {
        format!("What changed:\n{}", diff.text)
    };
    let complete = diff.cut == 0 && !diff.text.contains(cut::NOTICE) && fits(&found);
    let knew_all = covers(files, &record.coverage, &remembered);
    let whole = (complete && knew_all).then(|| seen(path, present, SeenRange::Whole));
    let part = (complete && !knew_all).then(|| seen(path, present, SeenRange::Some));
    Some(ShownContent { found: Some(found), whole, part })
}

fn seen(path: &WorkspacePath, bytes: &[u8], part: SeenRange) -> SeenContent {
    SeenContent { path: path.clone(), hash: Some(hash(bytes)), part, bytes: Some(bytes.into()) }
}

fn fits(found: &str) -> bool {
    cut::head(found.trim_end_matches('\n'), FOUND).is_none()
}

fn numbered(lines: &[&str]) -> String {
    let line = |(at, line): (usize, &&str)| format!("{:>6}\t{line}\n", at + 1);
    lines.iter().enumerate().map(line).collect()
}
