//! Reports of files that a search did not read, so that an empty result can be trusted.

use crate::{
    call::CallCtx,
    code::symbol_index::{DirectLook, ready},
    files::Files,
    find::walk::{Complete, WalkReport},
};
use toolpost_ranked::IndexGuard;
use toolpost_search::Unreadable;
use toolpost_text::plural::counted;
use toolpost_workspace::{WorkspacePath, walk::found_below};

/// The next step in the report of an incomplete index ([`WalkReport::unfinished`]). A caller that needs a complete
/// answer repeats the call while the reply contains it.
pub const REPEAT: &str = "the same call will later return all results";

/// The maximum number of files to name for each reason why files were not searched.
const NAMED: usize = 3;

/// Creates the report of the files that a search in `base` did not read, without those that the rules withheld.
pub(in crate::search) fn describe(
    guard: &IndexGuard<'_>,
    (base, look): (&WorkspacePath, Option<DirectLook>),
    sources: &Files,
    cx: &CallCtx,
) -> WalkReport {
    let left = guard.left_out();
    let (root, mut top) = (base.root(), base.clone());
    while let Some(above) = top.parent() {
        top = above;
    }
    let shown_base = base.display();
    let here = |shown: &str| {
        // Absolute paths are in other roots, so they are not below the first root (`.`).
        (shown_base == "." && !shown.starts_with('/'))
            || shown
                .strip_prefix(shown_base.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let label = root.label();
    let may = |shown: &str| match label.map(|label| shown.strip_prefix(label)) {
        Some(Some("")) => true,
        Some(inside) => {
            let inside =
                inside.and_then(|inside| found_below(&top, inside.trim_start_matches('/').as_bytes()));
            inside.is_some_and(|path| cx.may_read(&path))
        }
        None => sources.resolve_entry(shown).is_ok_and(|path| cx.may_read(&path)),
    };
    let mut unreadable = Unreadable::default();
    for line in &left.unreadable {
        let place = line.split(": ").next().unwrap_or(line);
        if here(place) && may(place) {
            unreadable.note(line.clone());
        }
    }
    let mut walked = WalkReport::of(&left.skipped, unreadable, toolpost_search::Complete::Yes);
    let is_whole = shown_base == "." && sources.roots().len() == 1;
    if !is_whole && label.is_none() && !walked.skipped.is_empty() {
        // The index counts ignored files for the whole workspace, not for each directory, so the report states this.
        walked.skipped =
            vec![format!("ignored and hidden files ({} in the whole workspace)", walked.skipped.join(", "))];
    }
    let mut name = |files: Vec<&String>, why: &str| {
        if files.is_empty() {
            return;
        }
        let more = if files.len() > NAMED { ", …" } else { "" };
        let named: Vec<&str> = files.iter().take(NAMED).map(|file| file.as_str()).collect();
        walked.skipped.push(format!(
            "{} {why} ({}{more})",
            counted(files.len() as u64, "file"),
            named.join(", ")
        ));
    };
    name(left.large.iter().filter(|file| here(file) && may(file)).collect(), "larger than 4 MiB");
    name(left.binary.iter().filter(|file| here(file) && may(file)).collect(), "without text");
    walked.complete = Complete::Yes;
    if let Some(unfinished) = unfinished(guard, base, look, cx) {
        walked.unfinished = Some(unfinished);
        walked.complete = Complete::NotReady;
    }
    walked.of_one_root(sources, base)
}

/// Adds the number of files that the rules withheld from a search, in all directories together, to its report.
pub(in crate::search) fn add_withheld(walked: &mut WalkReport, withheld: usize) {
    if withheld > 0 {
        walked.skipped.push(format!("{} withheld by the rules", counted(withheld as u64, "file")));
    }
}

/// Describes the progress of an incomplete index; `None` if all files below `base` are indexed.
fn unfinished(
    guard: &IndexGuard<'_>,
    base: &WorkspacePath,
    look: Option<DirectLook>,
    cx: &CallCtx,
) -> Option<String> {
    let waiting = guard.waiting().iter().filter(|path| base.contains(path) && cx.may_read(path)).count();
    if waiting == 0 {
        return None;
    }
    let all = waiting + guard.files_at(base);
    let unfinished = ready::unfinished(waiting, all, look, "the words");
    Some(format!("{unfinished}; {REPEAT}"))
}
