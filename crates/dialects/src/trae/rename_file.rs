//! `rename_file`: moves or renames a file or a directory.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::rename::{self, Output, Request},
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct RenameFile;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Current path.
    #[schemars(extend("x-aliases" = ["path", "old_path", "source", "source_path", "from"], "examples" = ["src/old.rs"]))]
    file_path: String,
    /// New path. Missing directories are created.
    #[schemars(extend("x-aliases" = ["new_path", "new_file_path", "destination", "destination_path", "target_path", "to"], "examples" = ["src/new.rs"]))]
    rename_file_path: String,
}

impl Tool for RenameFile {
    const NAME: &'static str = "rename_file";
    type Op = rename::Rename;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let (from, to) =
            (at.entry(&args.file_path)?, at.destination(&args.rename_file_path, &args.file_path)?);
        Ok(Request { from, raw_path: args.file_path, to })
    }

    fn render(output: &Output, page: &mut Page) {
        let within = match output.entries {
            0 => String::new(),
            entries => format!(" with {} in it", counted(entries, "entry")),
        };
        page.line(&format!("Renamed {} to {}{within}.", output.from, output.to));
        output.notes.iter().for_each(|note| page.note(note.clone()));
    }
}
