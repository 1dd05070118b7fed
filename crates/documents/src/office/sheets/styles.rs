//! Formatting of the spreadsheet numbers that are dates or times.

use std::collections::HashMap;

use super::super::{
    Error, UnpackLimit,
    archive::Archive,
    xml::{self, Node, attribute},
};

/// The cell styles of a workbook: for each style index, true if numbers with that style are dates.
#[derive(Default)]
pub(super) struct Styles {
    dates: Vec<bool>,
    from_1904: bool,
}

/// Seconds per day.
const DAY: i64 = 86_400;
/// The last date of spreadsheets, 31 December 9999, as a day number.
const LAST: f64 = 2_958_465.0;

impl Styles {
    pub(super) fn read(
        archive: &Archive<'_>,
        member: &str,
        from_1904: bool,
        budget: &mut UnpackLimit,
    ) -> Result<Self, Error> {
        let Some(text) = archive.text(member, budget)? else {
            return Ok(Self { from_1904, ..Self::default() });
        };
        let (mut own, mut formats, mut inside) = (HashMap::new(), Vec::new(), false);
        xml::walk(member, &text, budget, |node| match node {
            Node::Open("numFmt", start) => {
                let id = attribute(start, "numFmtId").and_then(|id| id.parse::<u32>().ok());
                own.extend(id.zip(attribute(start, "formatCode").map(|code| is_date(&code))));
            }
            Node::Open("cellXfs", _) => inside = true,
            Node::Close("cellXfs") => inside = false,
            Node::Open("xf", start) if inside => {
                formats.push(attribute(start, "numFmtId").and_then(|id| id.parse::<u32>().ok()).unwrap_or(0));
            }
            _ => {}
        })?;
        let of_date = |id: u32| own.get(&id).copied().unwrap_or(matches!(id, 14..=22 | 45..=47));
        Ok(Self { dates: formats.into_iter().map(of_date).collect(), from_1904 })
    }

    /// Formats a number: as a date if the cell's style is one for dates, otherwise unchanged.
    pub(super) fn shown(&self, value: &str, style: usize) -> String {
        let number = value.trim().parse::<f64>().ok().filter(|number| (0.0..=LAST).contains(number));
        match number {
            Some(number) if self.dates.get(style).copied().unwrap_or(false) => self.date(number),
            _ => value.trim().to_owned(),
        }
    }

    fn date(&self, serial: f64) -> String {
        #[expect(clippy::cast_possible_truncation, reason = "the number is in the range of dates")]
        let seconds = (serial * 86_400.0).round() as i64;
        let (day, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let time = format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60);
        if day == 0 && !self.from_1904 {
            return time;
        }
        // Spreadsheets treat 1900 as a leap year: day 60 is 29 February 1900, which did not exist.
        let since_1970 = match (self.from_1904, day) {
            (true, day) => day - 24_107,
            (false, day) if day < 60 => day - 25_568,
            (false, day) => day - 25_569,
        };
        let (year, month, of_month) = civil(since_1970);
        let date = format!("{year:04}-{month:02}-{of_month:02}");
        if second == 0 { date } else { format!("{date} {time}") }
    }
}

/// Returns whether a number format is for dates or times: one of the letters y, d, h, s is in its first section,
/// outside quotes and brackets and not escaped.
fn is_date(code: &str) -> bool {
    let (mut quoted, mut bracket, mut escaped) = (false, false, false);
    let first = code.split(';').next().unwrap_or(code);
    first.chars().any(|letter| {
        let skip = std::mem::take(&mut escaped) || quoted || bracket;
        match letter {
            '"' => quoted = !quoted,
            '[' if !quoted => bracket = true,
            ']' if !quoted => bracket = false,
            '\\' | '_' | '*' if !quoted => escaped = true,
            _ => return !skip && matches!(letter.to_ascii_lowercase(), 'y' | 'd' | 'h' | 's'),
        }
        false
    })
}

/// Converts days since 1 January 1970 to year, month and day.
fn civil(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, of_year - (153 * shifted_month + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::{Styles, is_date};
    use toolpost_test_rows::each;

    #[test]
    fn numbers_with_a_date_format_are_shown_as_dates() {
        let styles = Styles { dates: vec![false, true], from_1904: false };
        let rows = [
            ("45292", 1, "2024-01-01"),
            ("45292.75", 1, "2024-01-01 18:00:00"),
            ("0.5", 1, "12:00:00"),
            ("59", 1, "1900-02-28"),
            ("61", 1, "1900-03-01"),
            ("45292", 0, "45292"),
            ("3e9", 1, "3e9"),
            ("x", 1, "x"),
        ];
        each(rows, |(value, style, wanted)| {
            assert_eq!(styles.shown(value, style), wanted, "{value}");
        });
        let styles = Styles { dates: vec![true], from_1904: true };
        assert_eq!(styles.shown("0", 0), "1904-01-01");
    }

    #[test]
    fn date_formats_are_detected_by_their_letters() {
        let rows = [
            ("yyyy-mm-dd", true),
            ("[h]:mm:ss", true),
            ("0.00", false),
            ("\"days\" 0", false),
            ("#,##0 [Red]", false),
        ];
        each(rows, |(code, wanted)| {
            assert_eq!(is_date(code), wanted, "{code}");
        });
    }
}
