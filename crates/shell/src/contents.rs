//! Contents that git has stored and that a command prints without naming each file, such as `git diff` and `git log -p`.

use crate::{Contents, Effect, Options, Segment, Word};

/// Options that make a command print patches.
const PATCH: &str = "-p -u --patch -U --unified --patch-with-stat --patch-with-raw -c --cc --dd --binary -W --function-context \
                     --word-diff --word-diff-regex --color-words --remerge-diff --diff-merges --combined-all-paths --check";
/// Options that make a command print something else instead of patches.
const NO_PATCH: &str = "-s --no-patch --stat --numstat --shortstat --dirstat --cumulative --compact-summary --summary --name-only \
                        --name-status --raw --quiet";
/// Options of `git cat-file` that print contents.
const PRINTED: &str = "-p --batch --batch-command --textconv --filters";

/// The condition under which a command prints contents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Printing {
    /// Unless an option requests something else.
    ByDefault,
    /// Only if an option requests patches.
    OnRequest,
    /// With any options.
    Always,
}

/// Records that a git command prints contents that git has stored. `first` is the position of its subcommand.
pub(crate) fn note(segment: &mut Segment, first: usize, sorted: &Options) {
    let word = |at: usize| segment.words.get(at).and_then(Word::known).unwrap_or_default();
    let given = |names: &str| sorted.has(names);
    let (name, second) = (word(first).to_owned(), word(first + 1));
    let printing = match (name.as_str(), second) {
        ("diff" | "show" | "range-diff", _) => Printing::ByDefault,
        ("archive" | "format-patch" | "fast-export", _) => Printing::Always,
        ("log" | "whatchanged" | "reflog" | "diff-tree" | "diff-index" | "diff-files", _)
        | ("stash", "show" | "list") => Printing::OnRequest,
        ("cat-file", _) => {
            let is_blob = sorted.operands.first().is_some_and(|word| word.known() == Some("blob"));
            if !is_blob && !given(PRINTED) {
                return;
            }
            Printing::Always
        }
        _ => return,
    };
    let prints = match printing {
        Printing::ByDefault => given(PATCH) || !given(NO_PATCH),
        Printing::OnRequest => given(PATCH),
        Printing::Always => true,
    };
    // `REVISION:PATH` names its file, which is judged by its path.
    let names_its_file = |word: &Word| {
        let is_other = |word: &str| [":/", ":(", ":!", ":^"].iter().any(|begin| word.starts_with(begin));
        word.known().is_some_and(|word| word.contains(':') && !is_other(word))
    };
    let is_kind = |word: &&Word| name != "cat-file" || word.known() != Some("blob");
    let mut operands = sorted.operands.iter().filter(is_kind).peekable();
    let named = operands.peek().is_some() && operands.all(names_its_file);
    if !prints || (named && matches!(name.as_str(), "show" | "cat-file" | "diff")) {
        return;
    }
    let end = sorted.separator.unwrap_or(sorted.operands.len());
    let (either, paths) = sorted.operands.split_at(end.min(sorted.operands.len()));
    segment.effects.push(Effect::Prints(Contents {
        either: either.to_vec(),
        paths: paths.to_vec(),
        is_of_worktree: matches!(name.as_str(), "diff" | "diff-files")
            && !given("--cached --staged --merge-base --no-index"),
        takes_paths: name != "cat-file",
    }));
}

/// Returns the options of a git command without the pathspecs that exclude files: the command does not read these files.
pub(crate) fn without_excluded(sorted: &Options) -> Options {
    let is_kept = |word: &Word| !word.known().is_some_and(excludes);
    let kept = |words: &[Word]| words.iter().filter(|word| is_kept(word)).cloned().collect::<Vec<_>>();
    let separator =
        sorted.separator.map(|before| kept(&sorted.operands[..before.min(sorted.operands.len())]).len());
    Options { operands: kept(&sorted.operands), separator, ..sorted.clone() }
}

/// Returns true for a pathspec that excludes files, such as `:!a` and `:(top,exclude)a`.
fn excludes(text: &str) -> bool {
    let Some(signs) = text.strip_prefix(':') else { return false };
    match signs.strip_prefix('(').and_then(|signs| signs.split_once(')')) {
        Some((words, _)) => words.split(',').any(|word| word == "exclude"),
        None => signs.trim_start_matches('/').starts_with(['!', '^']),
    }
}
