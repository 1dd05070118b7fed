//! Parser for terminal escape sequences (ECMA-48 and extensions), one character at a time.

/// Maximum length, in characters, of a string or of the parameters in an escape sequence. If the sequence is
/// longer, the rest counts as text.
const LONGEST: usize = 64 * 1024;

/// Maximum number of characters of an escape sequence's parameters that are stored.
const PARAMETERS: usize = 16;

/// The effect of a character on the line that the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Nothing,
    /// The character is a control character that is left out of the text.
    Drop,
    Write,
    LineBreak,
    /// The cursor returns to the first column of the line.
    Return,
    /// The content of the line is erased.
    Erase,
    /// The cursor moves back by one character.
    Back,
}

/// State of the parser: its position in an escape sequence, or outside all sequences.
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
    /// After `ESC (` and similar sequences: one more character follows.
    Charset,
    /// After `ESC [`: parameters and one letter follow.
    Control,
    /// After `ESC ]`: a string up to a bell, a string terminator or the end of the line.
    Command,
    /// After `ESC P`, `X`, `^` or `_`: a string up to a string terminator.
    String,
    /// After an escape in a string: a backslash ends the string.
    StringEscape,
}

impl Escapes {
    /// Returns the number of bytes at the beginning of the text that contain no control characters or escape
    /// sequences; 0 inside a sequence.
    pub(super) fn plain(&self, text: &str) -> usize {
        if self.state != State::Text {
            return 0;
        }
        // The byte 0xc2 begins the characters U+0080 to U+00BF, some of which are C1 control characters.
        // These few are checked one by one.
        let is_plain = |byte: u8| (byte >= 0x20 && byte != 0x7f && byte != 0xc2) || byte == b'\t';
        text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len())
    }

    /// Processes one character, and returns its effect on the line.
    pub(super) fn step(&mut self, character: char) -> Step {
        // The control characters CAN and SUB end every sequence.
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
            // A character that cannot follow an escape is text.
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
            // The escape sequence is incomplete: it ends here, and the character is processed as text.
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
