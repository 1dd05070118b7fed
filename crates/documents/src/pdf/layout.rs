//! Assembly of a page's pieces of text, which have positions, into lines.

/// A piece of text at a position on a page; positions and lengths are in the units of the page.
#[derive(Debug, Clone)]
pub(super) struct TextRun {
    pub(super) text: String,
    /// The point at which the text starts.
    pub(super) x: f64,
    pub(super) y: f64,
    /// The writing direction, as a vector of length 1.
    pub(super) direction: (f64, f64),
    /// The length of the text in its writing direction.
    pub(super) length: f64,
    /// The font size.
    pub(super) size: f64,
}

/// Assembles the text of a page from pieces in drawing order.
///
/// Drawing order keeps columns apart; sorting by position would mix them.
#[derive(Debug)]
pub(super) struct Layout {
    text: String,
    last: Option<TextRun>,
    most: usize,
    left_out: usize,
    letters: usize,
    unknown: usize,
}

/// The assembled text of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageText {
    pub(super) text: String,
    /// Number of bytes that were omitted because of the limit.
    pub(super) left_out: usize,
    /// Number of characters other than white space.
    pub(super) letters: usize,
    /// Number of the characters counted in `letters` that were replaced, because the file's fonts do not define their text.
    pub(super) unknown: usize,
}

/// Minimum distances between two pieces of text, relative to the font size: for a space between words, a tab between
/// table cells, a new line, and an empty line.
const WORD_GAP: f64 = 0.15;
const CELL_GAP: f64 = 1.8;
const LINE_STEP: f64 = 0.5;
const PARAGRAPH_STEP: f64 = 1.75;

impl Layout {
    pub(super) fn new(most: usize) -> Self {
        Self { text: String::new(), last: None, most, left_out: 0, letters: 0, unknown: 0 }
    }

    /// Appends a piece of text, with the space or line break that its distance from the last piece requires.
    pub(super) fn add(&mut self, piece: TextRun) {
        if piece.text.is_empty() {
            return;
        }
        if let Some(last) = &self.last {
            if is_same_again(last, &piece) {
                return;
            }
            let between = between(last, &piece);
            self.put_between(between);
        }
        self.put(&piece.text);
        self.last = Some(piece);
    }

    /// Starts a new line, regardless of the position of the next piece.
    pub(super) fn break_line(&mut self) {
        self.last = None;
        self.put_between("\n");
    }

    pub(super) fn finish(self) -> PageText {
        let lines: Vec<&str> = self.text.lines().map(str::trim_end).collect();
        let text = lines.join("\n").trim_matches('\n').to_owned();
        PageText { text, left_out: self.left_out, letters: self.letters, unknown: self.unknown }
    }

    fn put_between(&mut self, between: &str) {
        let is_blank = |letter: char| letter == ' ' || letter == '\t';
        if self.text.is_empty() || between == " " && self.text.ends_with(is_blank) {
            return;
        }
        if between.starts_with('\n') {
            let kept = self.text.trim_end_matches(is_blank).len();
            self.text.truncate(kept);
        }
        self.push(between);
    }

    fn put(&mut self, text: &str) {
        for letter in text.chars() {
            let mut buffer = [0; 4];
            let shown = match letter {
                '\u{a0}' | '\t' | '\n' | '\r' => " ",
                '\u{ad}' => "-",
                '\u{f0b7}' => "•",
                '\u{e000}'..='\u{f8ff}' => super::font::UNKNOWN,
                '\u{fb00}' => "ff",
                '\u{fb01}' => "fi",
                '\u{fb02}' => "fl",
                '\u{fb03}' => "ffi",
                '\u{fb04}' => "ffl",
                '\u{fb05}' | '\u{fb06}' => "st",
                control if control.is_control() => continue,
                other => other.encode_utf8(&mut buffer),
            };
            if shown == " " && self.text.ends_with([' ', '\t', '\n']) {
                continue;
            }
            self.letters += usize::from(shown != " ");
            self.unknown += usize::from(shown == super::font::UNKNOWN);
            self.push(shown);
        }
    }

    fn push(&mut self, text: &str) {
        if self.left_out == 0 && self.text.len() + text.len() <= self.most {
            self.text.push_str(text);
        } else {
            self.left_out += text.len();
        }
    }
}

/// Returns whether a piece repeats the last one at nearly the same position. Some PDF writers do that for bold text.
fn is_same_again(last: &TextRun, piece: &TextRun) -> bool {
    let near = 0.1 * last.size;
    last.text == piece.text && (last.x - piece.x).abs() < near && (last.y - piece.y).abs() < near
}

fn between(last: &TextRun, piece: &TextRun) -> &'static str {
    let (dx, dy) = last.direction;
    let size = last.size.max(piece.size);
    if dx * piece.direction.0 + dy * piece.direction.1 < 0.9 {
        return "\n\n";
    }
    let along = |x: f64, y: f64| x * dx + y * dy;
    let across = |x: f64, y: f64| y * dx - x * dy;
    let step = across(last.x, last.y) - across(piece.x, piece.y);
    if step > PARAGRAPH_STEP * size {
        return "\n\n";
    }
    if step.abs() > LINE_STEP * size {
        return "\n";
    }
    let gap = along(piece.x, piece.y) - along(last.x, last.y) - last.length;
    if gap < -3.0 * size - last.length {
        "\n"
    } else if gap > CELL_GAP * size {
        "\t"
    } else if gap > WORD_GAP * size {
        " "
    } else {
        ""
    }
}
