//! Checks any text for placeholders, and writes any name.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolpost_text::{escape, guard, names};

fuzz_target!(|input: (String, String, Vec<u8>)| {
    let (new, old, name) = input;
    assert_eq!(guard::check(&new, &new), Ok(()));
    if let Err(found) = guard::check(&new, &old) {
        assert!(found.line >= 1 && found.line <= new.split('\n').count());
    }
    let shown = escape::name(&name);
    assert_eq!(escape::unescape(&shown), Some(name.clone()));
    assert!(names::same_key(&new, &new).is_some());
    let _ = names::suggest(&new, &[&old, &shown], 3);
});
