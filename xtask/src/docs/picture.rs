//! SVG image of a terminal session, drawn from the commands and the output of the tutorial, which `tests/docs`
//! runs.

use std::fmt::Write;

/// Sections of the tutorial that the image shows.
const SECTIONS: [&str; 2] = ["## Search and read", "## Edit and undo"];

/// Maximum length of a line, in columns; a longer one is wrapped.
const COLUMNS: usize = 120;

const LINE_HEIGHT: usize = 18;
const COLUMN_WIDTH: usize = 8;
const MARGIN: usize = 16;

/// Draws the `SECTIONS` of the tutorial as an SVG image.
#[must_use]
pub fn svg(tutorial: &str) -> String {
    let lines = terminal(tutorial);
    let (width, height) = (COLUMNS * COLUMN_WIDTH + 2 * MARGIN, lines.len() * LINE_HEIGHT + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\" xml:space=\"preserve\">\n\
         <title>A search, an edit and an undo in a terminal</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#14181f\"/>\n"
    );
    for (number, line) in lines.iter().enumerate() {
        let y = MARGIN + (number + 1) * LINE_HEIGHT - 5;
        let text = line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y}\" fill=\"{}\">{text}</text>", colour(line));
    }
    svg + "</svg>\n"
}

/// Returns the lines of the `sh` and `text` blocks in the shown sections: commands, each after a prompt, and output.
fn terminal(tutorial: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut is_shown, mut fence) = (false, None);
    for line in tutorial.lines() {
        match (fence, line) {
            (Some(_), "```") => fence = None,
            (Some("sh"), line) => lines.extend(wrapped(&format!("$ {line}"))),
            (Some("text"), line) => lines.extend(wrapped(line)),
            (None, line) if line.starts_with("## ") => is_shown = SECTIONS.contains(&line),
            (None, line) if is_shown => fence = line.strip_prefix("```"),
            _ => {}
        }
    }
    lines
}

/// Breaks a line at the last column.
fn wrapped(line: &str) -> Vec<String> {
    let characters: Vec<char> = line.chars().collect();
    if characters.is_empty() {
        return vec![String::new()];
    }
    characters.chunks(COLUMNS).map(|part| part.iter().collect()).collect()
}

/// Returns the colour of a line: prompts bright, and a diff in red and green.
fn colour(line: &str) -> &'static str {
    match line.as_bytes().first() {
        Some(b'$') => "#ffffff",
        Some(b'+') => "#7ee787",
        Some(b'-') => "#ff7b72",
        Some(b'@') => "#79c0ff",
        _ => "#b6c2cf",
    }
}
