//! Tests that the corpus of traps (small programs that are hard to resolve) states the target of every call.

use crate::expected;

use std::collections::HashSet;
use std::path::Path;

use expected::{Outside, Trap, traps};

/// A language with its counts.
type Counts = (&'static str, [usize; 5]);

/// The numbers of traps, of calls, of calls with a proved definition in the directory, of calls with possible
/// definitions, and of calls whose definition may be outside the directory.
const ROWS: [Counts; 11] = [
    ("python", [29, 241, 189, 5, 55]),
    ("typescript", [27, 215, 180, 5, 35]),
    ("javascript", [15, 69, 52, 1, 17]),
    ("rust", [23, 243, 156, 4, 89]),
    ("go", [21, 146, 113, 11, 34]),
    ("c", [22, 60, 49, 0, 13]),
    ("cpp", [22, 95, 84, 3, 12]),
    ("java", [23, 146, 124, 11, 24]),
    ("php", [1, 4, 1, 0, 3]),
    ("ruby", [1, 2, 1, 1, 1]),
    ("csharp", [1, 4, 4, 0, 0]),
];

#[test]
fn every_call_in_the_traps_has_an_expected_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traps");
    let found = ROWS.map(|(language, _)| {
        let traps = traps(&corpus, language);
        let faults: Vec<&String> = traps.iter().flat_map(|trap| &trap.faults).collect();
        let labels = traps.iter().flat_map(|trap| trap.calls.values().map(|call| (&trap.name, &call.label)));
        let labels: Vec<_> = labels.collect();
        assert_eq!(
            labels.iter().collect::<HashSet<_>>().len(),
            labels.len(),
            "two calls have the same label"
        );
        assert!(faults.is_empty(), "{faults:#?}");
        (language, counts(&traps))
    });
    assert_eq!(found, ROWS);
}

fn counts(traps: &[Trap]) -> [usize; 5] {
    let calls: Vec<_> = traps.iter().flat_map(|trap| trap.calls.values()).collect();
    [
        traps.len(),
        calls.len(),
        calls.iter().filter(|call| !call.right.is_empty()).count(),
        calls.iter().filter(|call| !call.possible.is_empty()).count(),
        calls.iter().filter(|call| call.outside == Outside::Yes).count(),
    ]
}
