//! `move_file`, `copy_file` and `create_directory`.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{copy, make_directory, rename, stat::FileKind},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct MoveFile;
pub(super) struct CopyFile;
pub(super) struct CreateDirectory;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["from", "src", "source_path", "old_path", "path"], "examples" = ["src/a.rs"]))]
    source: String,
    #[schemars(extend("x-aliases" = ["to", "dest", "dst", "destination_path", "new_path", "target"], "examples" = ["src/b.rs"]))]
    destination: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct DirectoryArgs {
    #[schemars(extend("x-aliases" = ["dir", "directory", "dir_path", "directory_path"], "examples" = ["src/new"]))]
    path: String,
}

impl Tool for MoveFile {
    const NAME: &'static str = "move_file";
    type Op = rename::Rename;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<rename::Request, Failure> {
        let (from, to) = (at.entry(&args.source)?, at.destination(&args.destination, &args.source)?);
        Ok(rename::Request { from, to, raw_path: args.source })
    }

    fn render(output: &rename::Output, page: &mut Page) {
        page.line(&format!("Moved {} to {}", output.from, output.to));
        output.notes.iter().for_each(|note| page.note(note.clone()));
    }
}

impl Tool for CopyFile {
    const NAME: &'static str = "copy_file";
    type Op = copy::Copy;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<copy::Request, Failure> {
        let (from, to) = (at.entry(&args.source)?, at.destination(&args.destination, &args.source)?);
        Ok(copy::Request { from, to, raw_path: args.source })
    }

    fn render(output: &copy::Output, page: &mut Page) {
        let what = if output.kind == FileKind::Directory { "directory " } else { "" };
        page.line(&format!("Copied {what}{} to {}", output.from, output.to));
        output.notes.iter().for_each(|note| page.note(note.clone()));
    }
}

impl Tool for CreateDirectory {
    const NAME: &'static str = "create_directory";
    type Op = make_directory::MakeDirectory;
    type Args = DirectoryArgs;

    fn lower(args: DirectoryArgs, at: &Lowering) -> Result<make_directory::Request, Failure> {
        Ok(make_directory::Request { path: at.path(&args.path)? })
    }

    fn render(output: &make_directory::Output, page: &mut Page) {
        let path = &output.path;
        page.line(&if output.existed {
            format!("Directory already exists: {path}")
        } else {
            format!("Created directory: {path}")
        });
        output.notes.iter().for_each(|note| page.note(note.clone()));
    }
}
