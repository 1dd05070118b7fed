//! Reference of all settings, as a table in Markdown.

use super::{
    form::Shape,
    table::{SettingDescription, ValueCount, described},
};

/// Returns the table of all settings for the documentation.
#[must_use]
pub fn markdown() -> String {
    let head = "| flag | variable | key in the file | default | meaning |\n|---|---|---|---|---|\n";
    head.to_owned() + &described().iter().map(line).collect::<String>()
}

/// Returns the table row of a setting, in Markdown.
#[must_use]
pub fn line(setting: &SettingDescription) -> String {
    let row = setting.row;
    let list = match setting.shape {
        Shape::Commas => (" (commas)", " (list)"),
        Shape::Colons => (" (colons)", " (list)"),
        Shape::Words => (" (words)", " (list)"),
        Shape::Text | Shape::Number => ("", ""),
    };
    let key = match row.key.split_once('.') {
        Some((table, key)) => format!("`{key}` in `[{table}]`"),
        None => format!("`{}`", row.key),
    };
    let more = if row.more.is_empty() { String::new() } else { format!(". {}", row.more) };
    format!(
        "| {} | `{}`{} | {key}{} | {} | {}{more} |\n",
        flag(setting),
        row.variable,
        list.0,
        list.1,
        row.default,
        row.help
    )
}

fn flag(setting: &SettingDescription) -> String {
    let Some(flag) = setting.row.flag else { return "–".to_owned() };
    let value = if setting.choices.is_empty() { flag.value.to_owned() } else { setting.choices.join("\\|") };
    match flag.takes {
        ValueCount::Nothing => format!("`--{}`", flag.name),
        ValueCount::One => format!("`--{} {value}`", flag.name),
        ValueCount::Many => format!("`--{} {value}` (repeats)", flag.name),
        ValueCount::ManyByComma => format!("`--{} {value}` (repeats, commas)", flag.name),
    }
}
