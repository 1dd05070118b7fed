//! Refusals to overwrite unseen content: they show the current content, so that the caller can decide on the
//! next call.

use super::covers;
use crate::{
    access::Extent,
    call::CallCtx,
    failure::{FOUND, Failure, Hint, Kind},
    files::Files,
    seen::{Part, Seen},
};
use toolpost_text::{cut, diff, encoding::Text};
use toolpost_workspace::{WorkspacePath, hash};

/// Maximum number of lines that are shown of a file that does not fit.
const HEAD: usize = 40;

/// Permission of a refusal to show the content of a file.
#[derive(Clone, Copy)]
pub(crate) enum Sight {
    /// The content may be shown.
    Shown,
    /// No part may be shown: the call may write the file, and its permission to read it was not checked.
    Withheld,
}

/// The refusal to overwrite unseen content. A partial change shows nothing, since it can concern any part.
pub(super) fn unread(
    files: &Files,
    path: &WorkspacePath,
    extent: Extent,
    present: &[u8],
    sight: Sight,
) -> Failure {
    // A file that is not text cannot be shown, and reading it would not help.
    if let (Sight::Shown, Err(error)) = (sight, Text::open(present.to_vec(), files.encoding())) {
        let what = format!("{} cannot be changed as text: {error}", path.display());
        let hint = Hint::Advice("Give the text a name of its own.".to_owned());
        return Failure::new(Kind::WrongKind, what).hint(hint);
    }
    let what = format!("{} exists, and this session has not seen what is in it.", path.display());
    let look = if extent == Extent::Part { Look::default() } else { content(files, path, present, sight) };
    look.refuse(Kind::Unread, what, Hint::ReadFirst(path.clone()))
}

/// The refusal to overwrite a whole file that was only seen in part.
pub(super) fn unread_in_part(files: &Files, path: &WorkspacePath, present: &[u8], sight: Sight) -> Failure {
    let what = format!(
        "Some lines of {} were not shown in this session, or another process changed them since; writing the whole file \
         would lose them.",
        path.display()
    );
    let hint = Hint::Advice("See all of it first, or change only the part that you have seen.".to_owned());
    content(files, path, present, sight).refuse(Kind::Unread, what, hint)
}

/// The refusal to overwrite content that differs from the content that was seen.
pub(crate) fn stale(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    present: &[u8],
    sight: Sight,
) -> Failure {
    let what = format!(
        "{} has changed since it was last seen in this session; nothing was written.",
        path.display()
    );
    let look = match (changes(files, cx, path, present, sight), content(files, path, present, sight)) {
        (Some(changes), content) if changes.whole.is_some() || content.whole.is_none() => changes,
        (_, content) => content,
    };
    look.refuse(Kind::Stale, what, Hint::ReadAgain(path.clone()))
}

/// The content that a refusal shows of a file.
#[derive(Default)]
struct Look {
    found: Option<String>,
    /// Set if the caller knows the whole content from the refusal.
    whole: Option<Seen>,
}

impl Look {
    fn refuse(self, kind: Kind, what: String, otherwise: Hint) -> Failure {
        let known = "This counts as seen now: if the same call is still right for it, make it again. To keep what stands \
                     there, change only a part of it.";
        let hint = if self.whole.is_some() { Hint::Advice(known.to_owned()) } else { otherwise };
        let failure = Failure::new(kind, what).hint(hint);
        Failure { found: self.found, shows: self.whole.map(Box::new), ..failure }
    }
}

/// Shows the content of the file: all of it, or the beginning if it is too long for a refusal.
fn content(files: &Files, path: &WorkspacePath, present: &[u8], sight: Sight) -> Look {
    if let Sight::Withheld = sight {
        return Look::default();
    }
    let Ok(text) = Text::open(present.to_vec(), files.encoding()) else {
        let found = format!("It holds {} bytes that are no text.", present.len());
        return Look { found: Some(found), whole: None };
    };
    let shown = text.shown(text.view());
    let lines: Vec<&str> = shown.lines().collect();
    let count = lines.len();
    let all = match count {
        0 => "It is empty.".to_owned(),
        1 => format!("It holds this line:\n{}", numbered(&lines)),
        _ => format!("It holds these {count} lines:\n{}", numbered(&lines)),
    };
    if fits(&all) {
        return Look { found: Some(all), whole: Some(seen(path, present)) };
    }
    let head = numbered(&lines[..count.min(HEAD)]);
    Look { found: Some(format!("It holds {count} lines and begins with:\n{head}")), whole: None }
}

/// Shows the difference from the seen content, if that is still remembered. A caller that had seen all of it
/// then knows the whole current content.
fn changes(files: &Files, cx: &CallCtx, path: &WorkspacePath, present: &[u8], sight: Sight) -> Option<Look> {
    if let Sight::Withheld = sight {
        return None;
    }
    let record = cx.session.ledger.seen(path)?;
    let remembered = cx.session.remembered(path)?;
    if hash(&remembered) == hash(present) {
        return None;
    }
    let text = Text::open(present.to_vec(), files.encoding()).ok()?;
    let before = Text::open(remembered.to_vec(), files.encoding()).ok()?;
    let diff = diff::unified(&before.shown(before.view()), &text.shown(text.view()), 2);
    let found = if diff.text.is_empty() {
        "The text is the same; its line ends, its byte order mark or its encoding changed.".to_owned()
    } else {
        format!("What changed:\n{}", diff.text)
    };
    let knew = record.hash == hash(&remembered) && covers(files, &record.coverage, &remembered);
    let whole = knew && diff.cut == 0 && !diff.text.contains(cut::NOTICE) && fits(&found);
    Some(Look { found: Some(found), whole: whole.then(|| seen(path, present)) })
}

fn seen(path: &WorkspacePath, bytes: &[u8]) -> Seen {
    Seen { path: path.clone(), hash: Some(hash(bytes)), part: Part::Whole, bytes: Some(bytes.into()) }
}

fn fits(found: &str) -> bool {
    cut::head(found.trim_end_matches('\n'), FOUND).is_none()
}

fn numbered(lines: &[&str]) -> String {
    let line = |(at, line): (usize, &&str)| format!("{:>6}\t{line}\n", at + 1);
    lines.iter().enumerate().map(line).collect()
}
