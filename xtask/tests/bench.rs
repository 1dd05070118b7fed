//! The arithmetic and the tables of the benchmark; no test checks the measured figures.

use std::{cell::RefCell, time::Duration};
use xtask::bench::{
    measure::{Competitor, Row, median, ratio, take_turns},
    report,
};

fn ms(times: &[u64]) -> Vec<Duration> {
    times.iter().map(|time| Duration::from_millis(*time)).collect()
}

#[test]
fn medians_and_ratios_are_computed() {
    for (numbers, wanted) in [(vec![3.0], 3.0), (vec![9.0, 1.0, 5.0], 5.0), (vec![4.0, 1.0, 2.0, 9.0], 3.0)] {
        assert!((median(&numbers) - wanted).abs() < 1e-9, "{numbers:?}");
    }
    assert!(median(&[]).is_nan());
    // The ratio is taken round by round: a slow second round of both does not count.
    assert!((ratio(&ms(&[10, 100, 12]), &ms(&[20, 200, 24])) - 0.5).abs() < 1e-9);
}

#[test]
fn tools_take_turns_and_the_first_round_is_not_counted() {
    let order = RefCell::new(String::new());
    let contestant = |name: &'static str| -> Competitor<'_> {
        let order = &order;
        let go = move || {
            order.borrow_mut().push_str(name);
            // So slow that a turn ends after one run.
            Ok(Duration::from_millis(100 + order.borrow().len() as u64))
        };
        (name, Box::new(go))
    };
    let row = take_turns("letters", 2, vec![contestant("a"), contestant("b")]).unwrap();
    let wanted = vec![("a".to_owned(), ms(&[104, 105])), ("b".to_owned(), ms(&[103, 106]))];
    assert_eq!(row, Row { what: "letters".to_owned(), times: wanted });
    assert_eq!(*order.borrow(), "abbaab");
}

#[test]
fn a_turn_counts_the_median_of_its_burst() {
    let done = RefCell::new(0);
    let go = || {
        *done.borrow_mut() += 1;
        Ok(Duration::from_millis(if *done.borrow() % 5 == 1 { 40 } else { 2 }))
    };
    let row = take_turns("bursts", 1, vec![("a", Box::new(go))]).unwrap();
    assert_eq!((row.times, *done.borrow()), (vec![("a".to_owned(), ms(&[2]))], 10));
}

#[test]
fn report_tables_show_medians_ratios_and_memory() {
    let row = Row {
        what: "grep".to_owned(),
        times: vec![
            ("toolpost serve".to_owned(), ms(&[2, 4, 3])),
            ("toolpost call".to_owned(), ms(&[8, 8, 8])),
            ("rg".to_owned(), ms(&[10, 16, 12])),
        ],
    };
    let wanted = "\
| what | contestant | median, ms | minimum, ms | `toolpost serve` to it | `toolpost call` to it |
|---|---|---|---|---|---|
| grep | toolpost serve | 3.00 | 2.00 |  |  |
|  | toolpost call | 8.00 | 8.00 |  |  |
|  | rg | 12.0 | 10.0 | 0.25 | 0.67 |
";
    assert_eq!(report::times(&[row]), wanted);
    let wanted = "\n| idle server | resident, MB |\n|---|---|\n| toolpost serve | 7.5 |\n";
    assert_eq!(report::memory(&[("toolpost serve".to_owned(), 7 * 1024 + 512)]), wanted);
}
