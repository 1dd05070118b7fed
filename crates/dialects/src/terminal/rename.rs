//! `plan_rename` and `rename_in_files`: previews the rename of a symbol, and applies the edits.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        change::{self, ChangeFiles},
        rename_symbol::{self, FileEdits, RenameSymbol, SymbolRef},
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct RenamePlan;
pub(super) struct RenameFiles;

#[derive(Deserialize, JsonSchema)]
pub(super) struct PlanArgs {
    /// Id of the symbol.
    #[schemars(extend("examples" = ["python:cart.py#Cart.total(function)"]))]
    symbol_id: String,
    /// The new name.
    #[schemars(extend("examples" = ["amount"]))]
    new_name: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct FilesArgs {
    /// Edits by file, as plan_rename returns them.
    files: Vec<FileEdits>,
}

impl Tool for RenamePlan {
    const NAME: &'static str = "plan_rename";
    type Op = RenameSymbol;
    type Args = PlanArgs;

    fn lower(args: PlanArgs, _at: &Lowering) -> Result<rename_symbol::Request, Failure> {
        Ok(rename_symbol::Request { which: SymbolRef::Id(args.symbol_id), new_name: args.new_name })
    }

    fn render(output: &rename_symbol::Output, page: &mut Page) {
        for file in &output.files {
            for edit in file.edits.iter().rev() {
                page.line(&format!("{}:{}: {}", file.path, edit.line, edit.code));
            }
        }
        for one in output.possible.iter().chain(&output.text) {
            page.note(format!("{}:{} keeps the name: {}", one.path, one.line, one.why));
        }
        output.conflicts.iter().for_each(|conflict| page.note(conflict.clone()));
    }
}

impl Tool for RenameFiles {
    const NAME: &'static str = "rename_in_files";
    type Op = ChangeFiles;
    type Args = FilesArgs;

    fn lower(args: FilesArgs, at: &Lowering) -> Result<change::Request, Failure> {
        let mut changes = Vec::new();
        for file in &args.files {
            let invalid = || {
                Failure::invalid(format!(
                    "Invalid content hash `{}` of {}; pass the hash that plan_rename returned.",
                    file.hash, file.path
                ))
            };
            changes.extend(file.changes(&at.path(&file.path)?).ok_or_else(invalid)?);
        }
        Ok(change::Request { changes })
    }

    fn render(output: &change::Output, page: &mut Page) {
        output.files.iter().for_each(|file| page.line(&format!("Renamed in {}.", file.path)));
    }
}
