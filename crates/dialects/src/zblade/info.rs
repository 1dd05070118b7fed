//! `get_file_info`: metadata of a file.

use super::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_engine::{
    Failure,
    operations::stat::{self, FileKind, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct GetFileInfo;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["file_path", "filepath", "filename", "target_file"], "examples" = ["src/main.rs"]))]
    path: String,
}

#[derive(Serialize)]
struct Info<'a> {
    path: &'a str,
    size: u64,
    is_directory: bool,
    is_file: bool,
    /// Seconds since 1970.
    modified: i64,
    readonly: bool,
}

impl Tool for GetFileInfo {
    const NAME: &'static str = "get_file_info";
    type Op = stat::Stat;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        Ok(Request { path: at.source(&args.path)? })
    }

    fn render(output: &Output, page: &mut Page) {
        let info = Info {
            path: &output.path,
            size: output.bytes,
            is_directory: output.kind == FileKind::Directory,
            is_file: output.kind == FileKind::File,
            modified: output.modified,
            readonly: output.read_only,
        };
        json::write(&info, page);
    }
}
