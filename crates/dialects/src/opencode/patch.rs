//! `patch`: adds, changes, moves and deletes files, all or nothing.

use crate::common::edits;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    ChangeProblem, Failure, Hint, Kind,
    operations::change::{self, ChangedFile, EditKind, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Patch;

/// Prefix of the failure of a patch that does not apply.
const PREFIX: &str = "patch verification failed: ";

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// From "*** Begin Patch" to "*** End Patch".
    #[schemars(extend(
        "x-aliases" = ["patchText", "patch", "input", "diff", "patch_content"],
        "x-required" = true,
        "examples" = ["*** Begin Patch\n*** Update File: src/main.rs\n@@\n-let a = 1;\n+let a = 2;\n*** End Patch"]
    ))]
    patch_text: Option<String>,
    #[schemars(extend("x-aliases" = ["file_path", "path", "file"], "x-unlisted" = true))]
    #[serde(rename = "filePath")]
    file_path: Option<String>,
    #[schemars(extend("x-aliases" = ["cmd"], "x-unlisted" = true))]
    command: Option<Vec<String>>,
}

/// The beginning of the failure for a call without a patch.
const MISSING: &str = "patch_text is missing";

impl Tool for Patch {
    const NAME: &'static str = "patch";
    const ALIASES: &'static [&'static str] = &["apply_patch"];
    type Op = change::ChangeFiles;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let said = match (args.patch_text, args.command) {
            (Some(text), _) => text,
            (None, Some(command)) => match command.as_slice() {
                [script] => script.clone(),
                arguments => serde_json::json!(arguments).to_string(),
            },
            (None, None) => {
                let example = toolpost_tool::example(&[("patch_text", "*** Begin Patch\n…\n*** End Patch")]);
                return Err(Failure::invalid(format!(
                    "{MISSING}; give the whole patch, for example {example}."
                )));
            }
        };
        let changes = at.patch(&said, args.file_path.as_deref())?;
        Ok(Request { changes })
    }

    fn render(output: &Output, page: &mut Page) {
        page.line(&total(&output.files));
        edits::render(output, page, summary);
    }

    fn reword(mut failure: Failure) -> Failure {
        // opencode's own tool does not verify a missing patch, so its failure gets no prefix.
        if failure.what.starts_with(MISSING) {
            return failure;
        }
        let failed = match failure.facts.trouble {
            Some(ChangeProblem::Unreadable) => Some("Failed to read file to update"),
            Some(ChangeProblem::NotDeleted) => Some("Failed to delete file"),
            Some(ChangeProblem::NotMoved) => Some("Failed to move file"),
            _ => None,
        };
        if let Some(failed) = failed {
            failure.what = format!("{failed} {}: {}", failure.facts.path, failure.what);
        }
        if failure.kind == Kind::Unread {
            let advice = "To change a part of an existing file, use `*** Update File`.";
            failure.hints.push(Hint::Advice(advice.to_owned()));
        }
        // A patch has no numbered edits, so remove the number of the edit that failed.
        if failure.facts.change.take().is_some() {
            failure.what.push_str(" Nothing was changed.");
        }
        let unfit = matches!(
            failure.kind,
            Kind::Invalid
                | Kind::NotFound
                | Kind::NoMatch
                | Kind::Ambiguous
                | Kind::WrongKind
                | Kind::Outside
        );
        if unfit {
            failure.what.insert_str(0, PREFIX);
        }
        failure
    }
}

/// Summarizes the changes of all files.
fn total(files: &[ChangedFile]) -> String {
    let count = |is: fn(&EditKind) -> bool| files.iter().filter(|file| is(&file.what)).count();
    let modified = count(|what| {
        matches!(what, EditKind::Overwritten { .. } | EditKind::Replaced { .. } | EditKind::Moved { .. })
    });
    let added = count(|what| matches!(what, EditKind::Created));
    let deleted = count(|what| matches!(what, EditKind::Deleted { .. }));
    let (plus, minus) = files.iter().map(lines).fold((0, 0), |sum, file| (sum.0 + file.0, sum.1 + file.1));
    format!("{modified} file(s) modified, {added} added, {deleted} deleted (+{plus} -{minus})")
}

fn summary(file: &ChangedFile) -> String {
    let path = &file.path;
    let (plus, minus) = lines(file);
    let count = format!("(+{plus} -{minus} lines)");
    match &file.what {
        EditKind::Created => format!("Added: {path} {count}"),
        EditKind::Deleted { .. } => format!("Deleted: {path} {count}"),
        EditKind::Moved { from } => format!("Moved: {from} -> {path} {count}"),
        EditKind::Overwritten { .. } => format!("Overwrote: {path} {count}"),
        EditKind::Replaced { .. } => format!("Updated: {path} {count}"),
        EditKind::Unchanged => format!("Unchanged: {path}"),
    }
}

/// Returns the numbers of added and removed lines; every line of a new file is added.
fn lines(file: &ChangedFile) -> (u64, u64) {
    match file.what {
        EditKind::Created => (file.lines, 0),
        _ => (file.added as u64, file.removed as u64),
    }
}
