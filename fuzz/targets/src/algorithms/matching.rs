//! Checks for the search for a text in another one, with every matching step.

use arbitrary::Arbitrary;
use toolpost_text::lines::LineRange;
use toolpost_text::matching::{MatchCount, MatchOptions, Step, find};

#[derive(Arbitrary, Debug)]
pub(crate) struct Input {
    view: String,
    old: String,
    new: String,
    near: Option<(u8, u8)>,
    start: Option<u8>,
    every: bool,
    upto: u8,
}

pub(crate) fn check(input: Input) {
    let how = MatchOptions {
        upto: [Step::Exact, Step::Folded, Step::Reindented, Step::Unescaped, Step::Spaced]
            [usize::from(input.upto % 5)],
        want: if input.every { MatchCount::Every } else { MatchCount::One },
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
            assert!(how.want == MatchCount::Every || found.hits.len() == 1);
        }
        Err(miss) => assert!(!miss.to_string().is_empty()),
    }
}
