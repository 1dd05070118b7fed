//! `delete_file`: deletes a file or, if `recursive` is set, a directory.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::{
        delete::{self, Directories, Output, Request, Target},
        stat::FileKind,
    },
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct DeleteFile;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["file_path", "filepath", "filename", "target_file"], "examples" = ["src/old.rs"]))]
    path: String,
    recursive: Option<bool>,
}

impl Tool for DeleteFile {
    const NAME: &'static str = "delete_file";
    type Op = delete::Delete;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let target = Target { path: at.entry(&args.path)?, raw_path: args.path };
        let directories = match args.recursive {
            Some(true) => Directories::WithAllInside,
            _ => Directories::Refused("recursive flag required to delete directories"),
        };
        Ok(Request { targets: vec![target], directories })
    }

    fn render(output: &Output, page: &mut Page) {
        for deleted in &output.deleted {
            let path = &deleted.path;
            page.line(&match deleted.kind {
                FileKind::Directory => {
                    format!("Deleted directory: {path} ({})", counted(deleted.entries, "entry"))
                }
                _ => format!("Deleted file: {path}"),
            });
        }
        output.notes.iter().for_each(|note| page.note(note.clone()));
    }
}
