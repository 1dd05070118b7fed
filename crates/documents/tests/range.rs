//! Tests of parsing page ranges.
#![cfg(test)]

use toolpost_documents::pdf::{PageRange, PageRangeError};
use toolpost_test_rows::each;

#[test]
fn parses_page_ranges() {
    let same = [("1-5", "1 - 5"), ("3", " 3 "), ("10-", "10 -"), ("1,3,5-7", "1, 3, 5–7"), ("7", "007")];
    each(same, |(plain, written)| {
        assert_eq!(PageRange::parse(plain), PageRange::parse(written), "{written}");
        assert!(PageRange::parse(plain).is_ok());
    });
    assert_ne!(PageRange::parse("1-5"), PageRange::parse("1-6"));
}

#[test]
fn reports_why_a_page_range_is_invalid() {
    let shape = "write pages such as \"3\", \"1-5\", \"10-\" or \"1,3,5-7\"";
    let unclear = |part: &str| format!("\"{part}\" is not a page or a range: {shape}");
    let rows = [
        ("", format!("the page range is empty: {shape}")),
        ("  ", format!("the page range is empty: {shape}")),
        ("all", unclear("all")),
        ("1,,3", unclear("")),
        ("-5", unclear("-5")),
        ("1-2-3", unclear("1-2-3")),
        ("+3", unclear("+3")),
        ("99999999999", unclear("99999999999")),
        ("0", "\"0\" asks for page 0: pages are counted from 1".to_owned()),
        ("1,0-3", "\"0-3\" asks for page 0: pages are counted from 1".to_owned()),
        ("5-2", "\"5-2\" ends before it begins: write \"2-5\"".to_owned()),
    ];
    each(rows, |(written, expected)| {
        let message = PageRange::parse(written).map_err(|error: PageRangeError| error.to_string());
        assert_eq!(message, Err(expected), "{written}");
    });
}
