//! The target `zip` of `toolpost-fuzz-targets`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    (toolpost_fuzz_targets::named("zip").expect("the target is in the table").run)(data);
});
