//! Simple edits of Rust files without a parser: module lines, table rows and names.

use anyhow::{Context, Result};

/// Inserts a `mod` line at its alphabetical position.
pub(super) fn with_module(text: &str, line: &str) -> Result<String> {
    let word = line.strip_suffix(';').and_then(|line| line.rsplit_once(' ')).map_or(line, |(word, _)| word);
    let modules = |other: &&str| other.starts_with(&format!("{word} ")) && other.ends_with(';');
    let others: Vec<&str> = text.lines().filter(modules).collect();
    let Some(last) = others.last() else {
        let head = text.find("\n\n").context("the file has no opening comment to insert the module after")?;
        return Ok(format!("{}\n\n{line}{}", &text[..head], &text[head..]));
    };
    match others.iter().find(|other| **other > line) {
        Some(next) => Ok(text.replacen(&format!("{next}\n"), &format!("{line}\n{next}\n"), 1)),
        None => Ok(text.replacen(&format!("{last}\n"), &format!("{last}\n{line}\n"), 1)),
    }
}

/// Adds a row to an array, and raises the length in its type, as in `const TOOLS: [ToolDef; 5] = […];`.
pub(super) fn with_row(text: &str, start: &str, row: &str) -> Result<String> {
    let wrong = || format!("no array begins with `{start}`; add the row `{row}` by hand");
    let from = text.find(start).with_context(wrong)? + start.len();
    let end = text[from..].find(']').with_context(wrong)? + from;
    let count: usize = text[from..end].trim().parse().ok().with_context(wrong)?;
    let open = text[end..].find('[').with_context(wrong)? + end + 1;
    let close = text[open..].find("];").with_context(wrong)? + open;
    let rows = text[open..close].trim().trim_end_matches(',');
    let list = match (rows.is_empty(), rows.contains('\n') || text[open..close].contains('\n')) {
        (true, _) => row.to_owned(),
        (false, true) => format!("\n    {rows},\n    {row},\n"),
        (false, false) => format!("{rows}, {row}"),
    };
    Ok(format!("{}{}{}{list}{}", &text[..from], count + 1, &text[end..open], &text[close..]))
}

/// Converts a name to snake case.
pub(super) fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut after_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && after_small {
            snake.push('_');
        }
        after_small = letter.is_lowercase() || letter.is_ascii_digit();
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// Converts a name to Pascal case.
pub(super) fn pascal(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words
        .map(|word| {
            word.chars()
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .chain(word.chars().skip(1))
                .collect::<String>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn names_convert_to_snake_and_pascal_case() {
        let rows = [
            ("Read", "read", "Read"),
            ("list_dir", "list_dir", "ListDir"),
            ("searchFiles", "search_files", "SearchFiles"),
            ("edit2Files", "edit2_files", "Edit2Files"),
        ];
        each(rows, |(name, small, large)| {
            assert_eq!((snake(name).as_str(), pascal(name).as_str()), (small, large));
        });
    }

    #[test]
    fn module_lines_are_inserted_in_order() {
        let rows = [
            (
                "//! A.\n\nmod b;\nmod d;\n\nuse x;\n",
                "mod c;",
                "//! A.\n\nmod b;\nmod c;\nmod d;\n\nuse x;\n",
            ),
            ("//! A.\n\nmod b;\n\nuse x;\n", "mod c;", "//! A.\n\nmod b;\nmod c;\n\nuse x;\n"),
            ("//! A.\n\npub mod b;\n", "pub mod a;", "//! A.\n\npub mod a;\npub mod b;\n"),
            ("//! A.\n\nuse x;\n", "mod a;", "//! A.\n\nmod a;\n\nuse x;\n"),
        ];
        each(rows, |(text, line, wanted)| {
            assert_eq!(with_module(text, line).unwrap(), wanted);
        });
    }

    #[test]
    fn array_rows_are_added_and_the_length_updated() {
        let rows = [
            ("const A: [&D; 1] = [&a];\n", "const A: [&D; ", "&b", "const A: [&D; 2] = [&a, &b];\n"),
            ("const A: [D; 0] = [];\n", "const A: [D; ", "b()", "const A: [D; 1] = [b()];\n"),
            (
                "const A: [D; 1] = [\n    a(),\n];\n",
                "const A: [D; ",
                "b()",
                "const A: [D; 2] = [\n    a(),\n    b(),\n];\n",
            ),
        ];
        for (text, start, row, wanted) in rows {
            assert_eq!(with_row(text, start, row).unwrap(), wanted);
        }
        assert!(with_row("const B: u8 = 1;", "const A: [D; ", "b").is_err());
    }
}
