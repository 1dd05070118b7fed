//! `delete_file`: deletes files, all or none.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        delete::{self, DeletedEntry, Directories, Output, Request, Target},
        stat::FileKind,
    },
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct DeleteFile;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["file_path", "paths", "path", "files"], "examples" = [["src/old.rs"]]))]
    file_paths: Vec<String>,
}

impl Tool for DeleteFile {
    const NAME: &'static str = "delete_file";
    const ALIASES: &'static [&'static str] = &["delete_files"];
    type Op = delete::Delete;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        if args.file_paths.is_empty() {
            return Err(Failure::invalid("file_paths is empty; pass at least one file."));
        }
        let target = |raw_path: String| Ok(Target { path: at.entry(&raw_path)?, raw_path });
        Ok(Request {
            targets: args.file_paths.into_iter().map(target).collect::<Result<_, Failure>>()?,
            directories: Directories::Refused(
                "delete_file deletes only files; pass the files in the directory.",
            ),
        })
    }

    fn render(output: &Output, page: &mut Page) {
        output.deleted.iter().for_each(|deleted| page.line(&line(deleted)));
        output.notes.iter().for_each(|note| page.note(note.clone()));
    }
}

fn line(deleted: &DeletedEntry) -> String {
    let path = &deleted.path;
    match deleted.kind {
        FileKind::Link => format!("Deleted the link {path}; its target still exists."),
        FileKind::File => format!("Deleted {path} ({}).", counted(deleted.bytes, "byte")),
        FileKind::Directory | FileKind::Other => format!("Deleted {path}."),
    }
}
