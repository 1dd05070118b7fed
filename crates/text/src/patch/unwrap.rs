//! Extraction of a patch from the text around it, such as a code fence or a shell command.

use super::{ParseError, envelope, shell, unified};

/// Maximum number of nested layers of text around a patch that are removed.
const LAYERS: usize = 4;

/// A patch without the text around it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnwrappedPatch<'a> {
    pub(super) text: &'a str,
    /// The line number in the whole text on which the patch begins, counted from 1.
    pub(super) first_line: usize,
    /// The directory that a `cd` command before the patch enters.
    pub(super) directory: Option<String>,
}

/// Removes code fences and shell commands around a patch.
///
/// # Errors
///
/// If several code blocks contain a patch, because only one can be returned, and the others would be lost.
pub(super) fn unwrap(whole: &str) -> Result<UnwrappedPatch<'_>, ParseError> {
    let mut text = whole;
    let mut directory = None;
    for _ in 0..LAYERS {
        if envelope::is_envelope(text) {
            break;
        }
        if let Some(script) = shell::script(text) {
            directory = script.directory.map(str::to_owned).or(directory);
            text = script.patch;
        } else if let Some(script) = shell::quoted_script(text) {
            text = script;
        } else if let Some(block) = fenced(text)? {
            text = block;
        } else {
            break;
        }
    }
    let before = text.as_ptr() as usize - whole.as_ptr() as usize;
    let first_line = whole[..before].matches('\n').count() + 1;
    Ok(UnwrappedPatch { text, first_line, directory })
}

/// Returns the only code block of a text that contains a patch; `None` if no block contains one.
fn fenced(text: &str) -> Result<Option<&str>, ParseError> {
    let mut found = None;
    for block in blocks(text) {
        let is_patch = envelope::is_envelope(block)
            || shell::script(block).is_some()
            || shell::quoted_script(block).is_some()
            || unified::is_unified(block);
        if is_patch && found.replace(block).is_some() {
            let why = "several code blocks contain a patch; combine them into one patch";
            return Err(ParseError::Patch(why.to_owned()));
        }
    }
    Ok(found)
}

/// Returns the texts between code fences.
fn blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let marks = bare.len() - bare.trim_start_matches(['`', '~']).len();
        match open {
            None if marks >= 3 => open = Some((&bare[..marks], at + line.len())),
            Some((fence, start)) if marks == bare.len() && bare.starts_with(fence) => {
                blocks.push(&text[start..at]);
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    blocks
}
