//! Content pins: a call is refused if a file that it writes does not have the content hash that the user
//! pinned.

use super::LIMIT;
use crate::{
    access::Touch,
    call::CallCtx,
    failure::{Failure, Hint, Kind, convert},
    files::Files,
    seen_content::{SeenContent, SeenRange},
};
use toolpost_text::duplicates::remove_duplicates;
use toolpost_workspace::{AccessKind, WorkspacePath, hash};

/// Compares the files that a call writes with the pinned hashes, and records matching files as seen.
pub(super) fn check(files: &Files, cx: &CallCtx, touches: &[Touch]) -> Result<(), Failure> {
    let mut written: Vec<&WorkspacePath> = touches.iter().filter_map(written).collect();
    remove_duplicates(&mut written);
    for pinned in cx.session.pinned() {
        let path = match &pinned.path {
            Some(path) if written.contains(&path) => path,
            Some(path) => return Err(not_written(&path.display(), &written)),
            None => match written.as_slice() {
                [only] => only,
                several => return Err(not_one(several)),
            },
        };
        compare(files, cx, path, &pinned.hex)?;
    }
    Ok(())
}

fn written(touch: &Touch) -> Option<&WorkspacePath> {
    match touch {
        Touch::Write(path, _) => Some(path),
        _ => None,
    }
}

fn compare(files: &Files, cx: &CallCtx, path: &WorkspacePath, hex: &str) -> Result<(), Failure> {
    let present = match files.workspace().read(path, LIMIT) {
        Ok(present) => present.bytes,
        Err(error) if error.why == AccessKind::Missing => {
            let what = format!(
                "{} does not exist, but content with the hash {hex} was expected. Nothing was changed.",
                path.display()
            );
            return Err(Failure::new(Kind::Stale, what));
        }
        Err(error) => return Err(convert::access(path, error)),
    };
    let found = hash(&present);
    if !found.to_hex().starts_with(hex) {
        let what = format!(
            "{} has changed: the hash of its content is {found}, not {hex}. Nothing was changed.",
            path.display()
        );
        return Err(Failure::new(Kind::Stale, what).hint(Hint::ReadAgain(path.clone())));
    }
    cx.session.record(SeenContent {
        path: path.clone(),
        hash: Some(found),
        part: SeenRange::Whole,
        bytes: None,
    });
    Ok(())
}

fn not_written(path: &str, written: &[&WorkspacePath]) -> Failure {
    Failure::invalid(format!("A content hash was given for {path}, but this call {}.", writes(written)))
}

fn not_one(written: &[&WorkspacePath]) -> Failure {
    let what = format!(
        "A content hash without a path requires a call that writes exactly one file, but this call {}.",
        writes(written)
    );
    Failure::invalid(what).hint(Hint::Advice("Give the hash of each file as PATH=HASH.".to_owned()))
}

fn writes(written: &[&WorkspacePath]) -> String {
    match written {
        [] => "names no file that it writes".to_owned(),
        some => {
            let names: Vec<String> = some.iter().map(|path| path.display()).collect();
            format!("writes {}", names.join(", "))
        }
    }
}
