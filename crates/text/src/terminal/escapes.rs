//! Escape sequences (ECMA-48 and terminal extensions), parsed one character at a time.

/// After how many characters a string that nothing ends is taken for text again.
const LONGEST: usize = 64 * 1024;

/// Number of stored characters of a sequence's parameters.
const PARAMETERS: usize = 16;

/// The effect of a character on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Nothing,
    /// A control character that is left out.
    Drop,
    Write,
    LineBreak,
    /// Back to the first column.
    Return,
    /// The line is emptied.
    Erase,
    /// A backspace.
    Back,
}

/// The parser's position in a sequence.
#[derive(Debug, Default)]
pub(super) struct Escapes {
    state: State,
    parameters: String,
    length: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Escape,
    /// `ESC (` and its like: one more character belongs to it.
    Charset,
    /// `ESC [`: parameters, then one letter.
    Control,
    /// `ESC ]`: to the bell, the string terminator or the line's end.
    Command,
    /// `ESC P`, `X`, `^` and `_`: to the string terminator.
    String,
    /// An escape in a string: a backslash ends it.
    StringEscape,
}

impl Escapes {
    /// Returns the number of leading bytes that are plain text.
    pub(super) fn plain(&self, text: &str) -> usize {
        if self.state != State::Text {
            return 0;
        }
        // 0xc2 begins the characters from U+0080, among them the C1 controls; those few are looked at one by one.
        let is_plain = |byte: u8| (byte >= 0x20 && byte != 0x7f && byte != 0xc2) || byte == b'\t';
        text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len())
    }

    /// Takes one character.
    pub(super) fn step(&mut self, character: char) -> Step {
        // Cancel and substitute end every sequence.
        if matches!(character, '\u{18}' | '\u{1a}') {
            let inside = self.state != State::Text;
            self.to(State::Text);
            return if inside { Step::Nothing } else { Step::Drop };
        }
        match self.state {
            State::Text => self.text(character),
            State::Escape => self.escape(character),
            State::Charset => self.to(State::Text),
            State::Control => self.control(character),
            State::Command | State::String => self.string(character),
            State::StringEscape => match character {
                '\\' => self.to(State::Text),
                _ => self.escape(character),
            },
        }
    }

    fn to(&mut self, state: State) -> Step {
        self.state = state;
        self.parameters.clear();
        self.length = 0;
        Step::Nothing
    }

    fn text(&mut self, character: char) -> Step {
        match character {
            '\n' => Step::LineBreak,
            '\r' => Step::Return,
            '\u{8}' => Step::Back,
            '\t' => Step::Write,
            '\u{1b}' => self.to(State::Escape),
            '\u{9b}' => self.to(State::Control),
            '\u{9d}' => self.to(State::Command),
            '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => self.to(State::String),
            // The bell is a signal and not text.
            '\u{7}' => Step::Nothing,
            _ if character.is_control() => Step::Drop,
            _ => Step::Write,
        }
    }

    fn escape(&mut self, character: char) -> Step {
        match character {
            '[' => self.to(State::Control),
            ']' => self.to(State::Command),
            'P' | 'X' | '^' | '_' => self.to(State::String),
            '\u{1b}' => self.to(State::Escape),
            ' '..='/' => self.to(State::Charset),
            '0'..='~' => self.to(State::Text),
            // A byte that cannot follow an escape is text.
            _ => {
                self.to(State::Text);
                self.text(character)
            }
        }
    }

    fn control(&mut self, character: char) -> Step {
        match character {
            ' '..='?' if self.length < LONGEST => {
                self.length += 1;
                if self.parameters.len() < PARAMETERS {
                    self.parameters.push(character);
                }
                Step::Nothing
            }
            '@'..='~' => {
                let does = match (character, self.parameters.as_str()) {
                    ('K', "2") => Step::Erase,
                    ('G', "" | "0" | "1") => Step::Return,
                    _ => Step::Nothing,
                };
                self.to(State::Text);
                does
            }
            '\u{1b}' => self.to(State::Escape),
            // A sequence that is broken off ends; the character counts.
            _ => {
                self.to(State::Text);
                self.text(character)
            }
        }
    }

    fn string(&mut self, character: char) -> Step {
        self.length += 1;
        match character {
            '\u{7}' if self.state == State::Command => self.to(State::Text),
            '\u{9c}' => self.to(State::Text),
            '\u{1b}' => self.to(State::StringEscape),
            '\n' if self.state == State::Command => {
                self.to(State::Text);
                Step::LineBreak
            }
            _ if self.length > LONGEST => self.to(State::Text),
            _ => Step::Nothing,
        }
    }
}
