//! Looks for any text in any other, with every step.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use toolpost_text::lines::LineRange;
use toolpost_text::matching::{How, Step, Want, find};

#[derive(Arbitrary, Debug)]
struct Input {
    view: String,
    old: String,
    new: String,
    near: Option<(u8, u8)>,
    start: Option<u8>,
    every: bool,
    upto: u8,
}

fuzz_target!(|input: Input| {
    let how = How {
        upto: [Step::Exact, Step::Folded, Step::Reindented, Step::Unescaped, Step::Spaced][usize::from(input.upto % 5)],
        want: if input.every { Want::Every } else { Want::One },
        near: input.near.map(|(first, last)| LineRange { first: first.into(), last: last.into() }),
        start: input.start.map(usize::from),
    };
    match find(&input.view, &input.old, &input.new, &how) {
        Ok(found) => {
            let mut done = 0;
            for hit in &found.hits {
                assert!(done <= hit.range.start && input.view.get(hit.range.clone()).is_some());
                assert!(hit.range.start >= how.start.unwrap_or(0) || input.old.is_empty());
                done = hit.range.end;
            }
            assert!(found.step <= how.upto && !found.hits.is_empty());
            assert!(how.want == Want::Every || found.hits.len() == 1);
        }
        Err(miss) => assert!(!miss.to_string().is_empty()),
    }
});
