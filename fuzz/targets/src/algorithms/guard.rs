//! Checks for the check for placeholders in new text, and for the escaping of file names.

use toolpost_text::{escape, guard, names};

pub(crate) fn check(input: (String, String, Vec<u8>)) {
    let (new, old, name) = input;
    assert_eq!(guard::check(&new, &new), Ok(()));
    if let Err(found) = guard::check(&new, &old) {
        assert!(found.line >= 1 && found.line <= new.split('\n').count());
    }
    let shown = escape::name(&name);
    assert_eq!(escape::unescape(&shown), Some(name.clone()));
    assert!(names::same_key(&new, &new).is_some());
    let _ = names::suggest(&new, &[&old, &shown], 3);
}
