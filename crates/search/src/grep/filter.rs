//! Selection of the files to search, by globs and file types.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ignore::Match;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use toolpost_text::names::suggest;
use toolpost_workspace::Workspace;
use toolpost_workspace::walk::{Claim, EntryType};

use super::{GrepRequest, anchor};
use crate::SearchError;
use crate::error::LONGEST_GLOB;

/// The globs and file types of a request, which select the files to search.
pub(super) struct Filter {
    globs: Override,
    types: Types,
}

impl Filter {
    pub(super) fn new(workspace: &Workspace, request: &GrepRequest) -> Result<Self, SearchError> {
        Ok(Self { globs: globs(workspace, request)?, types: types(&request.types)? })
    }

    /// Returns whether a file is wanted, or a directory may contain wanted files.
    pub(super) fn claim(&self, relative: &[u8], what: EntryType) -> Claim {
        let (path, directory) = (Path::new(OsStr::from_bytes(relative)), what == EntryType::Directory);
        if !self.globs.is_empty() {
            match self.globs.matched(path, directory) {
                Match::Ignore(_) => return Claim::Pass,
                Match::Whitelist(_) => return Claim::Named,
                Match::None => {}
            }
        }
        let name = path.file_name().unwrap_or_default();
        if !directory && !self.types.is_empty() && self.types.matched(name, false).is_ignore() {
            return Claim::Pass;
        }
        Claim::Wanted
    }

    /// Returns whether the request selects every file.
    pub(super) fn wants_all(&self) -> bool {
        self.globs.is_empty() && self.types.is_empty()
    }
}

fn globs(workspace: &Workspace, request: &GrepRequest) -> Result<Override, SearchError> {
    let said = &request.globs;
    // Paths are relative to the start of the walk, and `.` leaves them unchanged.
    let mut builder = OverrideBuilder::new(".");
    for glob in said {
        let wrong = |why: String| SearchError::Glob { pattern: glob.clone(), why };
        if glob.contains('\0') {
            return Err(wrong("it has a NUL byte, which no name contains".to_owned()));
        }
        if glob.len() > LONGEST_GLOB {
            return Err(SearchError::long_glob(glob));
        }
        let plain = glob.strip_prefix("./").unwrap_or(glob);
        let plain = anchor::from_base(workspace, &request.base, plain)?;
        builder.add(&plain).map_err(|error| wrong(error.to_string()))?;
    }
    builder.build().map_err(|error| SearchError::Glob { pattern: said.join(" "), why: error.to_string() })
}

/// The maximum length of the name of a file type, in bytes.
const LONGEST_TYPE: usize = 64;

/// The maximum number of file types that are suggested for an unknown name.
const NEAR: usize = 3;

fn types(said: &[String]) -> Result<Types, SearchError> {
    if said.is_empty() {
        return Ok(Types::empty());
    }
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let known: Vec<String> = builder.definitions().iter().map(|known| known.name().to_owned()).collect();
    for name in said {
        if name.len() > LONGEST_TYPE {
            let start: String = name.chars().take(20).collect();
            return Err(SearchError::UnknownType { name: format!("{start}…"), near: Vec::new() });
        }
        if name != "all" && !known.contains(name) {
            return Err(SearchError::UnknownType { name: name.clone(), near: near(name, &known) });
        }
        builder.select(name);
    }
    builder.build().map_err(|error| SearchError::UnknownType { name: error.to_string(), near: Vec::new() })
}

/// Common words that are not names of file types, each with the file type that users mean by it.
const OTHER_NAMES: [(&str, &str); 15] = [
    ("javascript", "js"),
    ("node", "js"),
    ("typescript", "ts"),
    ("golang", "go"),
    ("shell", "sh"),
    ("bash", "sh"),
    ("c++", "cpp"),
    ("c#", "csharp"),
    ("cs", "csharp"),
    ("objective-c", "objc"),
    ("visual basic", "vb"),
    ("terraform", "tf"),
    ("text", "txt"),
    ("plaintext", "txt"),
    ("protocol buffers", "protobuf"),
];

/// Suggests known file types for an unknown name: by alias or file extension, or else by similar spelling.
fn near(name: &str, known: &[String]) -> Vec<String> {
    let bare = name.trim_start_matches(['.', '*']).to_lowercase();
    if let Some((_, meant)) = OTHER_NAMES.iter().find(|(other, _)| *other == bare) {
        return known.iter().filter(|known| known == meant).cloned().collect();
    }
    let mut ranked: Vec<&String> = Vec::new();
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let ending = format!("*.{bare}");
    for definition in builder.definitions() {
        if definition.globs().contains(&ending)
            && let Some(name) = known.iter().find(|name| *name == definition.name())
        {
            ranked.push(name);
        }
    }
    if ranked.is_empty() {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return suggest(&bare, &known, NEAR).into_iter().map(str::to_owned).collect();
    }
    ranked.sort();
    ranked.into_iter().take(NEAR).cloned().collect()
}
