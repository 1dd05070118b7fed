//! Cache of compiled ignore rules, keyed by the text of the ignore file.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::hash::{ContentHash, hash};

/// Limits of the cache: the number of ignore files, and the total size of their texts in bytes. The longest
/// supported ignore file fits.
const MOST: (usize, usize) = (512, 8 << 20);

/// Compiled rules of an ignore file; `None` if it contains no valid rules. While one thread compiles the
/// rules, others wait.
type Rules = Arc<OnceLock<Option<Arc<Gitignore>>>>;

/// The compiled rules of one ignore file.
struct CachedRules {
    hash: ContentHash,
    len: usize,
    rules: Rules,
}

/// Compiled ignore files, the most recently used last.
static CACHE: Mutex<Vec<CachedRules>> = Mutex::new(Vec::new());

/// Returns the compiled rules of an ignore file with this text; `None` if it contains no valid rules.
pub(super) fn of(text: &[u8]) -> Option<Arc<Gitignore>> {
    cached(text).get_or_init(|| compile(text).map(Arc::new)).clone()
}

fn cached(text: &[u8]) -> Rules {
    let hash = hash(text);
    let mut all = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let found = all.iter().rposition(|kept| kept.hash == hash && kept.len == text.len());
    let latest = match found {
        Some(place) => all.remove(place),
        None => CachedRules { hash, len: text.len(), rules: Rules::default() },
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

/// Compiles the rules of an ignore file, without invalid globs, which Git ignores too. `None` if no rules are left.
fn compile(text: &[u8]) -> Option<Gitignore> {
    let text = String::from_utf8_lossy(text);
    // The rules are built for `.`, so that they match paths relative to the directory of the ignore file.
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
    fn ignore_rules_are_compiled_once_and_the_cache_is_limited() {
        let first = of(b"*.first-of-all\n").unwrap();
        assert!(Arc::ptr_eq(&first, &of(b"*.first-of-all\n").unwrap()));
        assert!(of(b"# nothing\n").is_none());
        for number in 0..MOST.0 {
            of(format!("*.{number}\n").as_bytes()).unwrap();
        }
        assert!(!Arc::ptr_eq(&first, &of(b"*.first-of-all\n").unwrap()));
        // A single ignore file may exceed the size limit of the cache.
        let long = format!("a\n{}", "#".repeat(MOST.1));
        let long = (long.as_bytes(), of(long.as_bytes()).unwrap());
        assert!(Arc::ptr_eq(&long.1, &of(long.0).unwrap()));
        assert!(CACHE.lock().unwrap().len() <= MOST.0);
    }
}
