//! Nesting rules of HTML elements by name.

/// The treatment of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// The frame of the page, which is implied.
    Frame,
    /// An element without content.
    Empty,
    /// An element whose content is not visible.
    Unseen,
    /// Any other element.
    Plain,
}

/// The parts of a table.
pub(super) const TABLE: &[&str] = &["table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"];
/// Boundaries that the end of an inner element does not cross.
pub(super) const CELLS: &[&str] = &["table", "td", "th", "caption"];

const EMPTY: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
const UNSEEN: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "canvas", "video", "audio",
    "title", "select", "datalist", "button", "textarea", "noembed", "noframes", "dialog",
];
/// Elements that end a paragraph, and begin on a new line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "ul",
];
const LISTS: &[&str] = &["ul", "ol", "menu", "dl", "table", "td", "th"];

/// Returns the treatment of an element.
pub(super) fn sort(name: &str) -> Sort {
    match name {
        "html" | "head" | "body" => Sort::Frame,
        _ if EMPTY.contains(&name) => Sort::Empty,
        _ if UNSEEN.contains(&name) => Sort::Unseen,
        _ => Sort::Plain,
    }
}

/// Returns whether an element without content is visible.
pub(super) fn is_shown_empty(name: &str) -> bool {
    matches!(name, "br" | "hr" | "img")
}

/// Returns whether an element begins on a new line.
pub(super) fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name) || TABLE.contains(&name) || matches!(name, "li" | "dt" | "dd" | "option")
}

/// Elements that end where another begins, and the boundaries that this does not cross.
type Implied = (&'static [&'static str], &'static [&'static str]);

/// Returns the elements that a start tag ends.
pub(super) fn implied(name: &str) -> &'static [Implied] {
    match name {
        "li" => &[(&["li"], LISTS)],
        "dt" | "dd" => &[(&["dt", "dd"], LISTS)],
        "td" | "th" => &[(&["td", "th"], &["tr", "table"])],
        "tr" => &[(&["tr"], &["table"])],
        "thead" | "tbody" | "tfoot" => &[(&["thead", "tbody", "tfoot", "caption"], &["table"])],
        "a" => &[(&["a"], CELLS)],
        "option" | "optgroup" => &[(&["option"], &["select"])],
        _ if BLOCKS.contains(&name) => &[(&["p"], CELLS)],
        _ => &[],
    }
}
