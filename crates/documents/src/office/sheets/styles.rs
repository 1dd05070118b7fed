//! Numbers that are dates or times, and their text.

use std::collections::HashMap;

use super::super::{
    Budget, Error,
    archive::Archive,
    xml::{self, Node, attribute},
};

/// The meaning of a cell's number, by the number of its style.
#[derive(Default)]
pub(super) struct Styles {
    dates: Vec<bool>,
    from_1904: bool,
}

/// Seconds of a day.
const DAY: i64 = 86_400;
/// The last day that dates reach, 31 December 9999.
const LAST: f64 = 2_958_465.0;

impl Styles {
    pub(super) fn read(
        archive: &Archive<'_>,
        member: &str,
        from_1904: bool,
        budget: &mut Budget,
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

    /// Writes a number: as a date if its style is one for dates, else verbatim.
    pub(super) fn shown(&self, value: &str, style: usize) -> String {
        let number = value.trim().parse::<f64>().ok().filter(|number| (0.0..=LAST).contains(number));
        match number {
            Some(number) if self.dates.get(style).copied().unwrap_or(false) => self.date(number),
            _ => value.trim().to_owned(),
        }
    }

    fn date(&self, serial: f64) -> String {
        #[expect(clippy::cast_possible_truncation, reason = "the number is checked to lie within the dates")]
        let seconds = (serial * 86_400.0).round() as i64;
        let (day, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let time = format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60);
        if day == 0 && !self.from_1904 {
            return time;
        }
        // 1900 counts a 29 February that there was not.
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

/// Checks whether a format shows a date or a time: it has such a letter outside quotes and brackets.
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

/// The date of a day that is counted from 1 January 1970.
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

    #[test]
    fn numbers_are_written_as_dates_if_their_format_is_one() {
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
        for (value, style, wanted) in rows {
            assert_eq!(styles.shown(value, style), wanted, "{value}");
        }
        let styles = Styles { dates: vec![true], from_1904: true };
        assert_eq!(styles.shown("0", 0), "1904-01-01");
    }

    #[test]
    fn formats_of_dates_are_known_by_their_letters() {
        let rows = [
            ("yyyy-mm-dd", true),
            ("[h]:mm:ss", true),
            ("0.00", false),
            ("\"days\" 0", false),
            ("#,##0 [Red]", false),
        ];
        for (code, wanted) in rows {
            assert_eq!(is_date(code), wanted, "{code}");
        }
    }
}
