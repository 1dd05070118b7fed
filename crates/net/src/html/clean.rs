//! Reduction of an HTML page to its visible parts.
//!
//! In the reduced page, every element is closed, and the nesting depth is limited.

use std::borrow::Cow;
use std::collections::HashMap;

use super::names::{self, ElementKind};
use super::scan::{HtmlToken, Scan, Tag, TagForm};

/// Maximum nesting depth of elements; only the text of deeper elements is kept.
const DEEPEST: usize = 100;

/// The visible parts of an HTML page.
#[derive(Debug, Default)]
pub(super) struct Clean<'h> {
    /// The visible tags and texts; every opened element is closed.
    pub(super) pieces: Vec<HtmlToken<'h>>,
    /// The title of the page.
    pub(super) title: Option<String>,
    /// The base URL for links, if the page sets one.
    pub(super) base: Option<String>,
    /// The completeness of `pieces`: the whole page or its beginning.
    pub(super) extent: ProcessedExtent,
}

/// The extent of the page that was processed: all, or only its beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ProcessedExtent {
    #[default]
    All,
    Beginning,
}

/// An element that is not closed yet.
struct OpenElement<'h> {
    name: Cow<'h, str>,
    sight: Visibility,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visibility {
    Visible,
    Hidden,
}

/// The state while a page is reduced: the open elements, and the output so far.
struct Work<'h> {
    clean: Clean<'h>,
    open: Vec<OpenElement<'h>>,
    hidden: usize,
    /// The number of open elements beyond the maximum depth, by name; their end tags must be ignored too.
    deeper: HashMap<Cow<'h, str>, usize>,
    room: usize,
}

/// Reduces a page to its visible parts. Keeps the beginning of the content, at most about `room` bytes.
pub(super) fn clean(html: &str, room: usize) -> Clean<'_> {
    let mut work =
        Work { clean: Clean::default(), open: Vec::new(), hidden: 0, deeper: HashMap::new(), room };
    for piece in Scan::new(html) {
        if work.room == 0 {
            work.clean.extent = ProcessedExtent::Beginning;
            break;
        }
        match piece {
            HtmlToken::Text(text) => work.text(text),
            HtmlToken::Open(tag) => work.begin(tag),
            HtmlToken::Close(name) => work.end(&name),
        }
    }
    work.close_to(0);
    work.clean
}

impl<'h> Work<'h> {
    fn text(&mut self, text: &'h str) {
        if self.open.last().is_some_and(|open| open.name == "title") && self.hidden == 1 {
            let title = html_escape::decode_html_entities(text.trim()).into_owned();
            if self.clean.title.is_none() && !title.is_empty() {
                self.clean.title = Some(title);
            }
            return;
        }
        if self.hidden == 0 {
            let kept = &text[..text.floor_char_boundary(self.room)];
            if kept.len() < text.len() {
                self.clean.extent = ProcessedExtent::Beginning;
            }
            self.room = self.room.saturating_sub(kept.len().max(1));
            self.clean.pieces.push(HtmlToken::Text(kept));
        }
    }

    fn begin(&mut self, tag: Tag<'h>) {
        let sort = names::sort(&tag.name);
        if tag.name == "base" && self.clean.base.is_none() {
            let href = tag.attribute("href").map(html_escape::decode_html_entities);
            self.clean.base = href.map(Cow::into_owned);
        }
        match sort {
            ElementKind::Frame => return,
            ElementKind::Empty => {
                if self.hidden == 0 && names::is_shown_empty(&tag.name) && !is_hidden(&tag) {
                    self.spend(&tag);
                    self.clean.pieces.push(HtmlToken::Open(tag));
                }
                return;
            }
            ElementKind::Unseen | ElementKind::Plain => {}
        }
        self.close_implied(&tag.name);
        // In SVG and MathML, any element may be self-closing.
        if tag.closed == TagForm::SelfClosing
            && self.open.iter().any(|open| open.name == "svg" || open.name == "math")
        {
            return;
        }
        if self.open.len() >= DEEPEST {
            *self.deeper.entry(tag.name).or_default() += 1;
            return;
        }
        let sight = if sort == ElementKind::Unseen || is_hidden(&tag) {
            Visibility::Hidden
        } else {
            Visibility::Visible
        };
        self.open.push(OpenElement { name: tag.name.clone(), sight });
        self.hidden += usize::from(sight == Visibility::Hidden);
        if self.hidden == 0 {
            self.spend(&tag);
            self.clean.pieces.push(HtmlToken::Open(tag));
        }
    }

    fn end(&mut self, name: &str) {
        if let Some(count) = self.deeper.get_mut(name)
            && *count > 0
        {
            *count -= 1;
            return;
        }
        let walls: &[&str] = if names::TABLE.contains(&name) { &[] } else { names::CELLS };
        self.close_nearest(&[name], walls);
    }

    /// Closes the open elements that a start tag closes implicitly, as `<li>` closes the list item before it.
    fn close_implied(&mut self, name: &str) {
        for (closed, walls) in names::implied(name) {
            self.close_nearest(closed, walls);
        }
    }

    /// Closes the innermost open element whose name is in `closed`, with its content, unless an element in
    /// `walls` is open inside it.
    fn close_nearest(&mut self, closed: &[&str], walls: &[&str]) {
        let found =
            self.open.iter().rposition(|open| closed.contains(&&*open.name) || walls.contains(&&*open.name));
        if let Some(at) = found.filter(|at| closed.contains(&&*self.open[*at].name)) {
            self.close_to(at);
        }
    }

    fn close_to(&mut self, at: usize) {
        while self.open.len() > at
            && let Some(open) = self.open.pop()
        {
            if self.hidden == 0 {
                self.clean.pieces.push(HtmlToken::Close(open.name));
            }
            self.hidden -= usize::from(open.sight == Visibility::Hidden);
        }
        self.deeper.clear();
    }

    fn spend(&mut self, tag: &Tag<'_>) {
        let attributes: usize = tag.attributes.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
        self.room = self.room.saturating_sub(2 * tag.name.len() + attributes + 5);
    }
}

/// Returns whether the attributes of an element hide it.
fn is_hidden(tag: &Tag<'_>) -> bool {
    let style = || {
        let style: String = tag.attribute("style").unwrap_or_default().split_whitespace().collect();
        let style = style.to_ascii_lowercase();
        style.contains("display:none") || style.contains("visibility:hidden")
    };
    tag.attribute("hidden").is_some_and(|how| !how.eq_ignore_ascii_case("until-found"))
        || tag.attribute("aria-hidden").is_some_and(|how| how.eq_ignore_ascii_case("true"))
        || style()
}
