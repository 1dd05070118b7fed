//! Compiled ignore rules, kept by their text: an unchanged file is compiled once.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::hash::{ContentHash, hash};

/// How many texts are kept, and how many bytes they have at most. The longest file of rules fits in.
const MOST: (usize, usize) = (512, 8 << 20);

/// The rules of a text; none if it has none. Whoever comes second waits until they are compiled.
type Rules = Arc<OnceLock<Option<Arc<Gitignore>>>>;

/// A text of rules.
struct Kept {
    hash: ContentHash,
    len: usize,
    rules: Rules,
}

/// The texts that were used last, the latest at the end.
static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// Gives the rules of a text; none if it has none.
pub(super) fn of(text: &[u8]) -> Option<Arc<Gitignore>> {
    kept(text).get_or_init(|| compile(text).map(Arc::new)).clone()
}

fn kept(text: &[u8]) -> Rules {
    let hash = hash(text);
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let found = all.iter().rposition(|kept| kept.hash == hash && kept.len == text.len());
    let latest = match found {
        Some(place) => all.remove(place),
        None => Kept { hash, len: text.len(), rules: Rules::default() },
    };
    let rules = Arc::clone(&latest.rules);
    all.push(latest);
    let mut bytes: usize = all.iter().map(|kept| kept.len).sum();
    let mut over = 0;
    while all.len() - over > MOST.0 || bytes > MOST.1 && over + 1 < all.len() {
        bytes -= all.get(over).map_or(0, |kept| kept.len);
        over += 1;
    }
    all.drain(..over);
    rules
}

/// Compiles the rules of a text; lines that are not valid globs are left out, as git leaves them out.
fn compile(text: &[u8]) -> Option<Gitignore> {
    let text = String::from_utf8_lossy(text);
    // Built for `.`, so that paths are taken as they are: relative to the directory of the file.
    let mut builder = GitignoreBuilder::new(".");
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_compiled_once_and_few_are_kept() {
        let first = of(b"*.first-of-all\n").unwrap();
        assert!(Arc::ptr_eq(&first, &of(b"*.first-of-all\n").unwrap()));
        assert!(of(b"# nothing\n").is_none());
        for number in 0..MOST.0 {
            of(format!("*.{number}\n").as_bytes()).unwrap();
        }
        assert!(!Arc::ptr_eq(&first, &of(b"*.first-of-all\n").unwrap()));
        // One text may be longer than all others together.
        let long = format!("a\n{}", "#".repeat(MOST.1));
        let long = (long.as_bytes(), of(long.as_bytes()).unwrap());
        assert!(Arc::ptr_eq(&long.1, &of(long.0).unwrap()));
        assert!(KEPT.lock().unwrap().len() <= MOST.0);
    }
}
