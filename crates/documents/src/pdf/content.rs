//! Interpretation of a page's content stream for the text that it draws.

use std::collections::HashMap;
use std::rc::Rc;

use lopdf::{Dictionary, Document, Object, Stream};

use super::font::{Font, WritingMode};
use super::layout::{Layout, TextRun};
use super::lexer::{Lexer, Token};
use super::matrix::Matrix;
use super::worker::Clock;
use super::{PdfError, font};

/// Maximum size of the unpacked content of a page, including form XObjects, in bytes.
const MOST_CONTENT: usize = 64 << 20;
/// Maximum nesting of form XObjects, and maximum number of them that are interpreted.
const DEEPEST_FORM: usize = 12;
const MOST_FORMS: usize = 2_000;
/// Maximum number of saved graphics states, and of operands of an operator; further ones are dropped.
const MOST_STATES: usize = 512;
const MOST_OPERANDS: usize = 100_000;

/// Interprets the content of one page, and collects its text.
pub(super) struct ContentInterpreter<'a> {
    document: &'a Document,
    clock: &'a Clock,
    fonts: HashMap<*const Dictionary, Rc<Font>>,
    missing: Rc<Font>,
    /// The text of the page so far.
    pub(super) layout: Layout,
    /// The number of images that the page has drawn so far.
    pub(super) images: usize,
    content_left: usize,
    forms_left: usize,
    steps: u32,
}

#[derive(Clone)]
struct State {
    matrix: Matrix,
    font: Rc<Font>,
    size: f64,
    letter_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// The interpretation of one content stream: the current graphics state, the saved ones, and the text position.
struct Run<'r> {
    resources: &'r [&'r Dictionary],
    state: State,
    saved: Vec<State>,
    unsaved: usize,
    line: Matrix,
    text: Matrix,
    depth: usize,
}

impl<'a> ContentInterpreter<'a> {
    pub(super) fn new(document: &'a Document, clock: &'a Clock, most_text: usize) -> Self {
        Self {
            document,
            clock,
            fonts: HashMap::new(),
            missing: Rc::new(Font::missing(document)),
            layout: Layout::new(most_text),
            images: 0,
            content_left: MOST_CONTENT,
            forms_left: MOST_FORMS,
            steps: 0,
        }
    }

    /// Interprets the streams of a page as one content stream.
    pub(super) fn page(&mut self, streams: &[&Stream], resources: &Dictionary) -> Result<(), PdfError> {
        let mut content = Vec::new();
        for stream in streams {
            content.extend(self.unpack(stream)?);
            content.push(b'\n');
        }
        self.run(&content, &[resources], Matrix::IDENTITY, 0)
    }

    /// Interprets a form XObject, such as the appearance of an annotation, moved by `x` and `y`.
    pub(super) fn form_at(&mut self, form: &Stream, x: f64, y: f64) -> Result<(), PdfError> {
        self.layout.break_line();
        self.form(form, &[], Matrix([1.0, 0.0, 0.0, 1.0, x, y]), 0)
    }

    fn unpack(&mut self, stream: &Stream) -> Result<Vec<u8>, PdfError> {
        let unpacked = stream.get_plain_content_with_limit(self.content_left);
        let content = unpacked.map_err(|error| PdfError::Garbled { why: super::load::chain(&error) })?;
        self.content_left = self.content_left.saturating_sub(content.len());
        Ok(content)
    }

    fn run(
        &mut self,
        content: &[u8],
        resources: &[&Dictionary],
        matrix: Matrix,
        depth: usize,
    ) -> Result<(), PdfError> {
        let state = State {
            matrix,
            font: Rc::clone(&self.missing),
            size: 1.0,
            letter_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let (line, text) = (Matrix::IDENTITY, Matrix::IDENTITY);
        let mut run = Run { resources, state, saved: Vec::new(), unsaved: 0, line, text, depth };
        let mut lexer = Lexer::new(content);
        let mut operands: Vec<Token> = Vec::new();
        while let Some(token) = lexer.next() {
            self.steps = self.steps.wrapping_add(1);
            if self.steps.is_multiple_of(1024) {
                self.clock.check()?;
            }
            match token {
                Token::Word(word) if word == b"BI" => {
                    lexer.skip_inline_image();
                    self.images += 1;
                    operands.clear();
                }
                Token::Word(word) => {
                    self.operator(&mut run, &word, &operands)?;
                    operands.clear();
                }
                other if operands.len() < MOST_OPERANDS => operands.push(other),
                _ => {}
            }
        }
        Ok(())
    }

    fn operator(&mut self, run: &mut Run<'_>, word: &[u8], operands: &[Token]) -> Result<(), PdfError> {
        let number = |place: usize| match operands.get(place) {
            Some(Token::Number(number)) => *number,
            _ => 0.0,
        };
        match word {
            b"q" => run.save(),
            b"Q" => run.restore(),
            b"cm" => run.state.matrix = matrix_of(operands).then(&run.state.matrix),
            b"BT" => (run.line, run.text) = (Matrix::IDENTITY, Matrix::IDENTITY),
            b"Tf" => self.choose_font(run, operands),
            b"Tc" => run.state.letter_space = number(0),
            b"Tw" => run.state.word_space = number(0),
            b"Tz" => run.state.stretch = number(0) / 100.0,
            b"TL" => run.state.leading = number(0),
            b"Ts" => run.state.rise = number(0),
            b"Td" => run.next_line(number(0), number(1)),
            b"TD" => {
                run.state.leading = -number(1);
                run.next_line(number(0), number(1));
            }
            b"Tm" => {
                run.line = matrix_of(operands);
                run.text = run.line;
            }
            b"T*" => run.next_line(0.0, -run.state.leading),
            b"Tj" | b"TJ" => self.show(run, operands),
            b"'" => {
                run.next_line(0.0, -run.state.leading);
                self.show(run, operands);
            }
            b"\"" => {
                (run.state.word_space, run.state.letter_space) = (number(0), number(1));
                run.next_line(0.0, -run.state.leading);
                self.show(run, operands.get(2..).unwrap_or_default());
            }
            b"Do" => return self.draw_object(run, operands),
            b"gs" => self.choose_state(run, operands),
            _ => {}
        }
        Ok(())
    }

    fn choose_font(&mut self, run: &mut Run<'_>, operands: &[Token]) {
        if let [Token::Name(name), Token::Number(size), ..] = operands {
            run.state.size = *size;
            let found = run.resource(b"Font", name, self.document).and_then(|font| font.as_dict().ok());
            run.state.font = match found {
                Some(found) => self.font(found),
                None => Rc::clone(&self.missing),
            };
        }
    }

    /// Applies the font of a graphics state that the content selects, if that state names a font.
    fn choose_state(&mut self, run: &mut Run<'_>, operands: &[Token]) {
        let Some(Token::Name(name)) = operands.first() else { return };
        let state = run.resource(b"ExtGState", name, self.document).and_then(|state| state.as_dict().ok());
        let chosen = state.and_then(|state| state.get_deref(b"Font", self.document).ok());
        let Some([font, size]) = chosen.and_then(|chosen| chosen.as_array().ok()).map(Vec::as_slice) else {
            return;
        };
        let font = self.document.dereference(font).ok().and_then(|(_, font)| font.as_dict().ok());
        if let (Some(font), Some(size)) = (font, font::float(size)) {
            run.state.font = self.font(font);
            run.state.size = size;
        }
    }

    /// Returns the font that a dictionary describes, from a cache by the dictionary's memory address. The document does
    /// not change, so the address identifies the dictionary.
    fn font(&mut self, dictionary: &Dictionary) -> Rc<Font> {
        let document = self.document;
        Rc::clone(
            self.fonts
                .entry(std::ptr::from_ref(dictionary))
                .or_insert_with(|| Rc::new(Font::read(dictionary, document))),
        )
    }

    fn show(&mut self, run: &mut Run<'_>, operands: &[Token]) {
        for operand in operands {
            match operand {
                Token::Text(bytes) => {
                    let piece = run.piece(bytes);
                    self.layout.add(piece);
                }
                Token::Number(back) => {
                    let state = &run.state;
                    let distance = -back / 1000.0 * state.size;
                    run.advance(
                        distance
                            * if state.font.writing == WritingMode::Across { state.stretch } else { 1.0 },
                    );
                }
                _ => {}
            }
        }
    }

    fn draw_object(&mut self, run: &Run<'_>, operands: &[Token]) -> Result<(), PdfError> {
        let Some(Token::Name(name)) = operands.first() else { return Ok(()) };
        let drawn = run.resource(b"XObject", name, self.document).and_then(|object| object.as_stream().ok());
        let Some(stream) = drawn else { return Ok(()) };
        match stream.dict.get_deref(b"Subtype", self.document).and_then(Object::as_name) {
            Ok(b"Form") => self.form(stream, run.resources, run.state.matrix, run.depth + 1),
            Ok(b"Image") => {
                self.images += 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn form(
        &mut self,
        form: &Stream,
        outer: &[&Dictionary],
        matrix: Matrix,
        depth: usize,
    ) -> Result<(), PdfError> {
        if depth > DEEPEST_FORM || self.forms_left == 0 {
            return Ok(());
        }
        self.forms_left -= 1;
        self.clock.check()?;
        let content = self.unpack(form)?;
        let placed = form.dict.get_deref(b"Matrix", self.document).and_then(Object::as_array);
        let matrix =
            placed.ok().and_then(|placed| Matrix::of(placed)).map_or(matrix, |own| own.then(&matrix));
        let own = form.dict.get_deref(b"Resources", self.document).and_then(Object::as_dict).ok();
        let resources: Vec<&Dictionary> = own.into_iter().chain(outer.iter().copied()).collect();
        self.run(&content, &resources, matrix, depth)
    }
}

impl<'r> Run<'r> {
    fn save(&mut self) {
        if self.saved.len() < MOST_STATES {
            self.saved.push(self.state.clone());
        } else {
            self.unsaved += 1;
        }
    }

    fn restore(&mut self) {
        if self.unsaved > 0 {
            self.unsaved -= 1;
        } else if let Some(state) = self.saved.pop() {
            self.state = state;
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(&self.line);
        self.text = self.line;
    }

    fn advance(&mut self, distance: f64) {
        let (x, y) = match self.state.font.writing {
            WritingMode::Across => (distance, 0.0),
            WritingMode::Down => (0.0, -distance),
        };
        self.text = Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(&self.text);
    }

    /// Returns the text of a string with its position on the page, and advances the text position.
    fn piece(&mut self, bytes: &[u8]) -> TextRun {
        let state = &self.state;
        let stretch = if state.font.writing == WritingMode::Across { state.stretch } else { 1.0 };
        let mut text = String::new();
        let mut distance = 0.0;
        state.font.decode(bytes, |glyph| {
            text.push_str(glyph.text);
            let word_space = if glyph.is_space { state.word_space } else { 0.0 };
            distance += (glyph.advance * state.size + state.letter_space + word_space) * stretch;
        });
        let place = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, state.rise]).then(&self.text).then(&state.matrix);
        let (across, down) = (place.vector(1.0, 0.0), place.vector(0.0, -1.0));
        let along = if state.font.writing == WritingMode::Across { across } else { down };
        let scale = along.0.hypot(along.1);
        let direction = if scale > 0.0 { (along.0 / scale, along.1 / scale) } else { (1.0, 0.0) };
        let size = (state.size * place.vector(0.0, 1.0).0.hypot(place.vector(0.0, 1.0).1)).abs();
        let (x, y) = place.point(0.0, 0.0);
        let piece = TextRun { text, x, y, direction, length: distance * scale, size };
        self.advance(distance);
        piece
    }

    /// Looks up a resource, first in the resources of the current form XObject, then in those around it.
    fn resource<'d: 'f, 'f>(&self, kind: &[u8], name: &[u8], document: &'d Document) -> Option<&'f Object>
    where
        'r: 'f,
    {
        self.resources.iter().find_map(|resources| {
            let group = resources.get_deref(kind, document).ok()?.as_dict().ok()?;
            group.get_deref(name, document).ok()
        })
    }
}

fn matrix_of(operands: &[Token]) -> Matrix {
    let mut matrix = Matrix::IDENTITY;
    for (slot, operand) in matrix.0.iter_mut().zip(operands) {
        if let Token::Number(number) = operand {
            *slot = *number;
        }
    }
    matrix
}
