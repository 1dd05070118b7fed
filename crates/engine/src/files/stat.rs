//! The `stat` operation: returns the metadata of a file without reading its content.

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, convert},
    files::Files,
    operation::Operation,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::{Kind, OwnerWritable, WorkspacePath};

/// The `stat` operation, which returns the metadata of a file.
pub struct Stat;

/// A request for the metadata of a file.
#[derive(Debug, Clone)]
pub struct Request {
    /// The path of the file, resolved inside a root.
    pub path: WorkspacePath,
}

/// Metadata of a file.
#[derive(Debug, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Output {
    /// The path, relative to its root.
    pub path: String,
    /// The type of the file.
    pub kind: FileKind,
    /// File size in bytes.
    pub bytes: u64,
    /// The time of the last change of the content, in whole seconds since the Unix epoch.
    pub modified: i64,
    /// The permission bits in octal, for example `644`.
    pub mode: String,
    /// True if the owner has no write permission.
    pub read_only: bool,
}

/// The type of a directory entry.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A FIFO, a socket or a device.
    Other,
}

impl Operation for Stat {
    const NAME: &'static str = "stat";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Files;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.path)
    }

    async fn run(files: &Files, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let files = files.clone();
        blocking(move || stat(&files, &request.path)).await
    }
}

fn stat(files: &Files, path: &WorkspacePath) -> Result<Output, Failure> {
    let stat = files.workspace().stat(path).map_err(|error| convert::access(path, error))?;
    Ok(Output {
        path: path.display(),
        kind: FileKind::from(stat.kind),
        bytes: stat.len,
        modified: i64::try_from(stat.modified.div_euclid(1_000_000_000)).unwrap_or(i64::MAX),
        mode: format!("{:o}", stat.mode & 0o7777),
        read_only: stat.owner_writable == OwnerWritable::No,
    })
}

impl From<Kind> for FileKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::File => Self::File,
            Kind::Directory => Self::Directory,
            Kind::Link => Self::Link,
            Kind::Fifo | Kind::Socket | Kind::Device | Kind::Other => Self::Other,
        }
    }
}
