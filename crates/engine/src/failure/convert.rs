//! Conversion of errors from other crates into failures.

use super::{ChangeProblem, Failure, Hint, Kind};
use std::io;
use toolpost_process::{SandboxError, StartError};
use toolpost_text::{
    encoding::{Encoding, SpliceError, Text},
    guard::PlaceholderError,
    lines::lf,
    matching::{MatchLocation, Miss},
};
use toolpost_workspace::{
    AccessError, AccessKind, CommitError, CommitKind, PathError, PathLockError, WorkspacePath,
};

/// Converts the error of a path that does not resolve or that leads outside the roots.
pub(crate) fn path(error: PathError) -> Failure {
    let words = sentence(&error.to_string());
    match error {
        PathError::Outside { .. } | PathError::NoRoot => {
            Failure::new(Kind::Outside, words).hint(Hint::AddRoot)
        }
        PathError::NoHome { .. } => Failure::new(Kind::Outside, words),
        PathError::Denied { .. } => Failure::new(Kind::Denied, words),
        PathError::Io { .. } => Failure::new(Kind::Io, words),
        PathError::NotADirectory { .. } => Failure::new(Kind::WrongKind, words),
        PathError::Loop { .. } => Failure::new(Kind::WrongKind, words).hint(Hint::Advice(
            "Pass the path of the real file or directory, without symbolic links.".to_owned(),
        )),
        PathError::Nul { .. }
        | PathError::TooLong { .. }
        | PathError::Empty
        | PathError::OtherHost { .. } => Failure::invalid(words),
    }
}

/// Converts the error of a file or directory that cannot be accessed.
pub(crate) fn access(path: &WorkspacePath, error: AccessError) -> Failure {
    let words = sentence(&error.to_string());
    match error.why {
        AccessKind::Missing => {
            let name = path
                .file_name()
                .map(|name| toolpost_text::escape::name(name.as_encoded_bytes()).into_owned());
            Failure::new(Kind::NotFound, format!("Not found: {}.", path.display()))
                .hint(Hint::FindByName(name.unwrap_or_default()))
        }
        AccessKind::IsDirectory => Failure::new(Kind::WrongKind, words).hint(Hint::LookInto(path.clone())),
        AccessKind::NotADirectory | AccessKind::Link | AccessKind::NotRegular(_) => {
            Failure::new(Kind::WrongKind, words)
        }
        AccessKind::Denied => Failure::new(Kind::Denied, words),
        AccessKind::TooLarge { .. } => Failure::new(Kind::TooLarge, words),
        AccessKind::Changed => Failure::new(Kind::Conflict, words).hint(Hint::TryAgain),
        AccessKind::Io(_) => Failure::new(Kind::Io, words),
    }
}

/// Converts an I/O error that interrupted the reading of a file.
pub(crate) fn io(path: &WorkspacePath, error: &io::Error) -> Failure {
    Failure::new(Kind::Io, format!("{} could not be read to its end: {error}.", path.display()))
        .hint(Hint::TryAgain)
}

/// Converts the error of a command that could not be started.
pub(crate) fn start(error: StartError) -> Failure {
    let words = opened(&error.to_string());
    let kind = match error {
        StartError::NoProgram { .. } | StartError::Directory { .. } => Kind::NotFound,
        StartError::Refused { .. }
        | StartError::RefusedInside { .. }
        | StartError::Unknown { .. }
        | StartError::Missing { .. }
        | StartError::Sandbox(SandboxError::Step { .. }) => Kind::Io,
        StartError::Nul => Kind::Invalid,
        StartError::TooMany { .. } => Kind::Conflict,
        StartError::ShuttingDown => Kind::Cancelled,
        StartError::Sandbox(SandboxError::NoSandbox { .. }) => Kind::Denied,
    };
    Failure::new(kind, words)
}

/// Converts the error of files that cannot be locked: another writer is changing one of them, or the call names
/// too many files.
pub(crate) fn hold(error: &PathLockError) -> Failure {
    let words = sentence(&error.to_string());
    match error {
        PathLockError::Busy { .. } => Failure::new(Kind::Conflict, words).hint(Hint::TryAgain),
        PathLockError::TooMany { .. } => Failure::new(Kind::TooLarge, words),
    }
}

/// Converts the error of a commit, which is a set of file changes that Toolpost applies together. Nothing was changed,
/// unless the rollback failed too.
pub(crate) fn commit(error: &CommitError) -> Failure {
    let words = sentence(&error.to_string());
    if error.aftermath.is_empty() {
        return refused(error, format!("{words} Nothing was changed."));
    }
    refused(error, format!("{words} Not all changes could be reverted.")).hint(Hint::Advice(
        "Check the files named here before you continue: they may have their new content, their old content, or a \
         temporary name."
            .to_owned(),
    ))
}

fn refused(error: &CommitError, words: String) -> Failure {
    match &error.why {
        CommitKind::Changed { .. } => {
            Failure::new(Kind::Stale, words).hint(Hint::ReadAgain(error.path.clone()))
        }
        CommitKind::Exists => Failure::new(Kind::Conflict, words).hint(Hint::ReadFirst(error.path.clone())),
        CommitKind::Missing => Failure::new(Kind::NotFound, words),
        CommitKind::External | CommitKind::ReadOnly | CommitKind::Denied { .. } => {
            Failure::new(Kind::Denied, words)
        }
        CommitKind::Io { .. } => Failure::new(Kind::Io, words),
        CommitKind::Access(AccessKind::Changed | AccessKind::Link) => {
            Failure::new(Kind::Conflict, words).hint(Hint::TryAgain)
        }
        CommitKind::Root
        | CommitKind::Clash
        | CommitKind::IntoItself
        | CommitKind::OtherDisk { .. }
        | CommitKind::NotEmpty
        | CommitKind::IsDirectory
        | CommitKind::NotADirectory
        | CommitKind::NotRegular(_)
        | CommitKind::Access(_) => Failure::new(Kind::WrongKind, words),
        CommitKind::NotHeld => Failure::new(Kind::Internal, words),
    }
}

/// Refuses new text that contains a placeholder for omitted code, such as `// ... existing code ...`.
pub(crate) fn placeholder(path: &str, placeholder: &PlaceholderError) -> Failure {
    Failure::invalid(format!("{path} was not changed: {}", sentence(&placeholder.to_string())))
}

/// Converts the error of a replacement that was stopped, or that cannot be made, for example because the file's
/// encoding cannot represent a character.
pub(crate) fn encoding(path: &str, error: &SpliceError) -> Failure {
    if let SpliceError::Stopped = error {
        return stopped();
    }
    Failure::invalid(format!("{path} was not changed: {}", sentence(&error.to_string())))
}

/// Replaces the hints of a failed replacement if the text to replace cannot match, because it is not ASCII and the
/// encoding of the file is unknown, or because the file has lone carriage returns where the text has line breaks.
pub(crate) fn with_cause(failure: Failure, text: &Text, old: &str) -> Failure {
    let advice = if text.encoding() == Encoding::EightBit && !old.is_ascii() {
        "The file is not UTF-8 and its encoding is unknown: only ASCII can be matched and written. Change a part that is \
         ASCII, or ask the operator to set the encoding (setting `encoding`)."
    } else if failure.kind == Kind::NoMatch && has_lone_breaks(text.view(), old) {
        "The file has a lone carriage return (CR) where this text has a line break. A lone CR does not end a line here: write it as \
         \\r, or replace the text between two of them."
    } else {
        return failure;
    };
    Failure { hints: vec![Hint::Advice(advice.to_owned())], ..failure }
}

/// Returns whether a text that a file lacks is in it with a lone carriage return for each line break.
fn has_lone_breaks(view: &str, old: &str) -> bool {
    let old = lf(old);
    let bare = old.trim_matches('\n');
    bare.contains('\n') && view.contains('\r') && view.contains(&bare.replace('\n', "\r"))
}

/// Converts the error of a replacement, for example if the old text is missing, not unique, or equal to the new text.
pub(crate) fn miss(path: &WorkspacePath, miss: &Miss, text: &Text) -> Failure {
    let number = |count: usize| u32::try_from(count).ok();
    let mut failure = missed(path, miss, text);
    failure.facts.searched = number(text.view().chars().count());
    let trouble = match miss {
        Miss::Same => ChangeProblem::Same,
        Miss::EmptyOld => ChangeProblem::EmptyOld,
        Miss::Ambiguous { count, .. } => {
            failure.facts.places = number(*count);
            ChangeProblem::Ambiguous
        }
        Miss::Absent { already_there, .. } => {
            failure.facts.already_there = already_there.and_then(number);
            ChangeProblem::Absent
        }
        Miss::TooMuch { .. } | Miss::Stopped => return failure,
    };
    failure.trouble(trouble, path)
}

fn missed(path: &WorkspacePath, miss: &Miss, text: &Text) -> Failure {
    let name = path.display();
    match miss {
        Miss::Same => Failure::invalid(format!(
            "The old and the new text are the same; nothing would change in {name}."
        )),
        Miss::EmptyOld => {
            Failure::invalid(format!("The text to replace is empty, but {name} is not.")).hint(Hint::Advice(
                "As the text to replace, pass existing text next to the insertion point, and repeat that text in the new text.".to_owned(),
            ))
        }
        Miss::Ambiguous { count, places, .. } => {
            Failure::new(Kind::Ambiguous, format!("The text to replace was found {count} times in {name}."))
                .found(format!("It begins on these lines:\n{}", listed(*count, places, text)))
                .hint(Hint::GiveMoreContext)
                .hint(Hint::ReplaceAll)
        }
        Miss::TooMuch { .. } => {
            Failure::new(Kind::TooLarge, format!("{name}: {}", sentence(&miss.to_string())))
                .hint(Hint::GiveMoreContext)
        }
        Miss::Absent { closest, already_there } => absent(path, closest.as_ref(), *already_there, text),
        Miss::Stopped => stopped(),
    }
}

/// Returns the failure of a change that was stopped, because the call was cancelled or its time ran out.
pub(crate) fn stopped() -> Failure {
    Failure::new(Kind::Cancelled, "The call was stopped before it finished; nothing was changed.")
}

/// Lists the first of `count` locations, one on a line, each with its line number.
pub(crate) fn listed(count: usize, places: &[MatchLocation], text: &Text) -> String {
    let line = |place: &MatchLocation| format!("{:>6}\t{}", place.line, text.shown(&place.text));
    let lines: Vec<String> = places.iter().map(line).collect();
    match count.saturating_sub(places.len()) {
        0 => lines.join("\n"),
        more => format!("{}\n… {more} more", lines.join("\n")),
    }
}

/// Maximum size in bytes of a file that a failure shows whole if nothing in the file resembles the text to replace.
const SMALL_FILE_BYTES: usize = 1024;
/// Maximum number of lines of a file that a failure shows whole if nothing in the file resembles the text to replace.
const SMALL_FILE_LINES: usize = 20;

fn absent(
    path: &WorkspacePath,
    closest: Option<&toolpost_text::matching::ClosestLines>,
    already: Option<usize>,
    text: &Text,
) -> Failure {
    let mut failure =
        Failure::new(Kind::NoMatch, format!("The text to replace was not found in {}.", path.display()));
    if let Some(line) = already {
        failure.what.push_str(&format!(
            " The new text is already there, at line {line}: the change may have been made before."
        ));
    }
    let Some(closest) = closest else {
        let (view, lines) = (text.view(), text.view().lines().count());
        let found = if view.len() <= SMALL_FILE_BYTES && (1..=SMALL_FILE_LINES).contains(&lines) {
            format!(
                "No close match was found. The whole file:\n{}",
                text.shown(view.trim_end_matches(['\r', '\n']))
            )
        } else {
            "No close match was found.".to_owned()
        };
        return failure.found(found).hint(Hint::ReadAgain(path.clone()));
    };
    let (first, last) = (closest.first_line, closest.last_line);
    let at = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
    let why = closest.differs.words();
    let shown = format!(
        "Closest match, {at} ({why}; → is a tab, · a space):\n{}\n\nThe difference, [-old text-] {{+file+}}:\n{}",
        text.shown(&closest.shown),
        text.shown(&closest.diff)
    );
    failure.found(shown).hint(Hint::ReadLines(path.clone(), first as u64, last as u64))
}

/// Makes a text a sentence: capitalizes the first word, unless it looks like a URL, a path or an identifier, and adds a
/// full stop if necessary.
pub(crate) fn opened(words: &str) -> String {
    let first = words.split_whitespace().next().unwrap_or_default();
    if first.contains(['/', ':', '.', '_']) {
        return sentence(words);
    }
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    sentence(&(first + letters.as_str()))
}

/// Trims a text, and adds a full stop unless it ends with `.`, `!` or `?`.
pub(crate) fn sentence(words: &str) -> String {
    let mut words = words.trim().to_owned();
    if !words.ends_with(['.', '!', '?']) {
        words.push('.');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_workspace::{Durability, HistoryLimits, Options, Scope, Workspace};

    #[test]
    fn url_at_the_beginning_of_a_sentence_is_not_capitalised() {
        let rows = [
            ("no program is called x", "No program is called x."),
            ("http://a.b/ does not answer", "http://a.b/ does not answer."),
            ("a.b says no!", "a.b says no!"),
        ];
        for (words, wanted) in rows {
            assert_eq!(opened(words), wanted);
        }
    }

    #[test]
    fn commit_error_claims_no_change_only_after_full_revert() {
        let root = tempfile::tempdir().unwrap();
        let (workspace, _) = Workspace::open(Options {
            roots: vec![root.path().into()],
            state: None,
            home: None,
            durability: Durability::Kill,
            scope: Scope::Any,
            history: HistoryLimits::default(),
        })
        .unwrap();
        let rows: [(&[&str], &str, usize); 2] = [
            (&[], "a already exists. Nothing was changed.", 1),
            (
                &["b: another process changed it after the commit"],
                "a already exists. b: another process changed it after the commit. Not all changes could be reverted.",
                2,
            ),
        ];
        for (aftermath, words, hints) in rows {
            let aftermath = aftermath.iter().map(|sentence| (*sentence).to_owned()).collect();
            let path = workspace.resolve("a").unwrap();
            let failure = commit(&CommitError { path, why: CommitKind::Exists, aftermath });
            assert_eq!((failure.what.as_str(), failure.hints.len()), (words, hints));
        }
    }
}
