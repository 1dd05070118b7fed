//! Benchmark tables: times and memory.

use super::measure::{Row, median, milliseconds, ratio};
use std::fmt::Write;

/// Label in the tables for Toolpost's running server, the first program of a row.
pub const SERVER: &str = "toolpost serve";
/// Label in the tables for Toolpost as a new process for each call.
pub const PROCESS: &str = "toolpost call";

/// Formats the table of times: median and minimum of each program, and the ratio of Toolpost's time to the
/// others.
#[must_use]
pub fn times(rows: &[Row]) -> String {
    let mut text = String::from(
        "| what | contestant | median, ms | minimum, ms | `toolpost serve` to it | `toolpost call` to it |\n\
         |---|---|---|---|---|---|\n",
    );
    for row in rows {
        let of = |wanted: &str| {
            row.times.iter().find(|(name, _)| name.starts_with(wanted)).map(|(_, times)| times)
        };
        for (at, (name, times)) in row.times.iter().enumerate() {
            let numbers = milliseconds(times);
            let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            let is_ours = name.starts_with("toolpost");
            let to = |ours: &str| match of(ours).filter(|_| !is_ours) {
                Some(ours) => format!("{:.2}", ratio(ours, times)),
                None => String::new(),
            };
            let what = if at == 0 { row.what.as_str() } else { "" };
            let _ = writeln!(
                text,
                "| {what} | {name} | {} | {} | {} | {} |",
                shown(median(&numbers)),
                shown(least),
                to(SERVER),
                to(PROCESS)
            );
        }
    }
    text
}

/// Formats the table of resident memory.
#[must_use]
pub fn memory(rows: &[(String, u64)]) -> String {
    let mut text = String::from("\n| idle server | resident, MB |\n|---|---|\n");
    for (name, kilobytes) in rows {
        let _ = writeln!(text, "| {name} | {}.{} |", kilobytes / 1024, kilobytes % 1024 * 10 / 1024);
    }
    text
}

fn shown(milliseconds: f64) -> String {
    match milliseconds {
        small if small < 10.0 => format!("{small:.2}"),
        other => format!("{other:.1}"),
    }
}
