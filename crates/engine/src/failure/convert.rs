//! Conversion of errors from the I/O crates into failures.

use super::{Failure, Hint, Kind, Trouble};
use std::io;
use toolpost_process::StartError;
use toolpost_text::{
    encoding::{Encoding, SpliceError, Text},
    guard::Placeholder,
    matching::Miss,
};
use toolpost_workspace::{
    AccessError, AccessKind, CommitError, CommitKind, HoldError, PathError, WorkspacePath,
};

/// A path that does not resolve or that leads outside.
pub(crate) fn path(error: PathError) -> Failure {
    let words = sentence(&error.to_string());
    match error {
        PathError::Outside { .. } | PathError::NoRoot | PathError::NoHome { .. } => {
            Failure::new(Kind::Outside, words)
        }
        PathError::Denied { .. } => Failure::new(Kind::Denied, words),
        PathError::Io { .. } => Failure::new(Kind::Io, words),
        PathError::NotADirectory { .. } => Failure::new(Kind::WrongKind, words),
        PathError::Loop { .. } => Failure::new(Kind::WrongKind, words)
            .hint(Hint::Advice("Name the file that the link was meant to lead to.".to_owned())),
        PathError::Nul { .. }
        | PathError::TooLong { .. }
        | PathError::Empty
        | PathError::OtherHost { .. } => Failure::invalid(words),
    }
}

/// A file that cannot be accessed.
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
        AccessKind::NotADirectory | AccessKind::NotRegular(_) => Failure::new(Kind::WrongKind, words),
        AccessKind::Denied => Failure::new(Kind::Denied, words),
        AccessKind::TooLarge { .. } => Failure::new(Kind::TooLarge, words),
        AccessKind::Changed => Failure::new(Kind::Conflict, words).hint(Hint::TryAgain),
        AccessKind::Io(_) => Failure::new(Kind::Io, words),
    }
}

/// A file that failed in the middle of reading.
pub(crate) fn io(path: &WorkspacePath, error: &io::Error) -> Failure {
    Failure::new(Kind::Io, format!("{} could not be read on: {error}.", path.display())).hint(Hint::TryAgain)
}

/// A command that did not start.
pub(crate) fn start(error: StartError) -> Failure {
    let words = opened(&error.to_string());
    let kind = match error {
        StartError::NoProgram { .. } | StartError::Directory { .. } => Kind::NotFound,
        StartError::Refused { .. }
        | StartError::RefusedInside { .. }
        | StartError::Missing { .. }
        | StartError::Sandbox { .. } => Kind::Io,
        StartError::Nul => Kind::Invalid,
        StartError::TooMany { .. } => Kind::Conflict,
        StartError::ShuttingDown => Kind::Cancelled,
        StartError::NoSandbox { .. } => Kind::Denied,
    };
    Failure::new(kind, words)
}

/// Files that cannot be locked: another writer is changing one, or there are too many.
pub(crate) fn hold(error: &HoldError) -> Failure {
    let words = sentence(&error.to_string());
    match error {
        HoldError::Busy { .. } => Failure::new(Kind::Conflict, words).hint(Hint::TryAgain),
        HoldError::TooMany { .. } => Failure::new(Kind::TooLarge, words),
    }
}

/// A commit that failed; nothing was changed, unless the rollback failed too.
pub(crate) fn commit(error: &CommitError) -> Failure {
    let words = sentence(&error.to_string());
    if error.aftermath.is_empty() {
        return refused(error, format!("{words} Nothing was changed."));
    }
    refused(error, format!("{words} Not all could be taken back.")).hint(Hint::Advice(
        "Look at the files that are named here before going on: they may hold new content, old content, or lie under a \
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
        CommitKind::Access(AccessKind::Changed) => Failure::new(Kind::Conflict, words).hint(Hint::TryAgain),
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

/// A text that is only a placeholder for other text.
pub(crate) fn placeholder(path: &str, placeholder: &Placeholder) -> Failure {
    Failure::invalid(format!("{path} was not changed: {}", sentence(&placeholder.to_string())))
        .hint(Hint::Advice("Write out what shall really stand there.".to_owned()))
}

/// Characters that the file's encoding cannot hold.
pub(crate) fn encoding(path: &str, error: &SpliceError) -> Failure {
    Failure::invalid(format!("{path} was not changed: {}", sentence(&error.to_string())))
}

/// Adds advice if the text to replace can never match, because the encoding of the file is unknown.
pub(crate) fn with_encoding(failure: Failure, text: &Text, old: &str) -> Failure {
    if text.encoding() != Encoding::EightBit || old.is_ascii() {
        return failure;
    }
    let advice = "The file is not UTF-8 and its encoding is unknown: only ASCII can be matched and written. Change a \
                  part that is ASCII, or let the operator name the encoding (setting `encoding`).";
    Failure { hints: vec![Hint::Advice(advice.to_owned())], ..failure }
}

/// A text to replace that is missing or not unique.
pub(crate) fn miss(path: &WorkspacePath, miss: &Miss, text: &Text) -> Failure {
    let number = |count: usize| u32::try_from(count).ok();
    let mut failure = missed(path, miss, text);
    failure.facts.searched = number(text.view().chars().count());
    let trouble = match miss {
        Miss::Same => Trouble::Same,
        Miss::EmptyOld => Trouble::EmptyOld,
        Miss::Ambiguous { count, .. } => {
            failure.facts.places = number(*count);
            Trouble::Ambiguous
        }
        Miss::Absent { already_there, .. } => {
            failure.facts.already_there = already_there.and_then(number);
            Trouble::Absent
        }
        Miss::TooMuch { .. } => return failure,
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
            Failure::invalid(format!("The text to replace is empty, and {name} is not.")).hint(Hint::Advice(
                "Name the text after or before which the new one belongs, and repeat it in the new text."
                    .to_owned(),
            ))
        }
        Miss::Ambiguous { count, places, .. } => {
            let lines: Vec<String> = places
                .iter()
                .map(|place| format!("{:>6}\t{}", place.line, text.shown(&place.text)))
                .collect();
            let more = if *count > places.len() {
                format!("\n… {} more", count - places.len())
            } else {
                String::new()
            };
            Failure::new(Kind::Ambiguous, format!("The text to replace was found {count} times in {name}."))
                .found(format!("It begins on these lines:\n{}{more}", lines.join("\n")))
                .hint(Hint::GiveMoreContext)
                .hint(Hint::ReplaceAll)
        }
        Miss::TooMuch { .. } => {
            Failure::new(Kind::TooLarge, format!("{name}: {}", sentence(&miss.to_string())))
                .hint(Hint::GiveMoreContext)
        }
        Miss::Absent { closest, already_there } => absent(path, closest.as_ref(), *already_there, text),
    }
}

/// A file of at most this size is shown whole if nothing in it resembles the text to replace.
const SMALL_FILE_BYTES: usize = 1024;
const SMALL_FILE_LINES: usize = 20;

fn absent(
    path: &WorkspacePath,
    closest: Option<&toolpost_text::matching::Closest>,
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
    let why = if closest.whitespace_only { "only whitespace differs" } else { "it differs" };
    let shown = format!(
        "Closest match, lines {first}-{last} ({why}; → is a tab, · a space):\n{}\n\nThe difference, [-old text-] {{+file+}}:\n{}",
        text.shown(&closest.shown),
        text.shown(&closest.diff)
    );
    failure.found(shown).hint(Hint::ReadLines(path.clone(), first as u64, last as u64))
}

/// Turns a text into a sentence; an address or a path at its beginning stays unchanged.
pub(crate) fn opened(words: &str) -> String {
    let first = words.split_whitespace().next().unwrap_or_default();
    if first.contains(['/', ':', '.', '_']) {
        return sentence(words);
    }
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    sentence(&(first + letters.as_str()))
}

/// Adds a full stop if one is missing.
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
    fn an_address_at_the_beginning_of_a_sentence_stays_as_it_is() {
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
    fn a_commit_that_was_not_taken_back_does_not_say_that_nothing_was_changed() {
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
            (&[], "a: exists already. Nothing was changed.", 1),
            (
                &["b: somebody has changed it since"],
                "a: exists already. b: somebody has changed it since. Not all could be taken back.",
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
