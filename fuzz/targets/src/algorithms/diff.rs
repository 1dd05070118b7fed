//! Checks for diffs of two texts.

use toolpost_text::{diff, lines};

pub(crate) fn check(input: (String, String, u8)) {
    let (old, new, context) = input;
    let found = diff::unified(&old, &new, usize::from(context));
    assert_eq!(found.text.is_empty(), old == new);
    assert_eq!(lines::count(&old) + found.added, lines::count(&new) + found.removed);
    assert!(found.first_line <= found.last_line && found.last_line <= lines::count(&new).max(1));
}
