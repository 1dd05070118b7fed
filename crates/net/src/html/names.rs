//! Nesting and visibility rules of HTML elements, by element name.

/// The kind of an element, which decides what remains of it when a page is reduced to its visible parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementKind {
    /// An element that encloses the page or its head (`html`, `head`, `body`), and whose tags are dropped.
    Frame,
    /// A void element, which has no content.
    Empty,
    /// An element whose content is not visible.
    Unseen,
    /// An element with visible content, which may be nested.
    Plain,
}

/// The elements that form a table.
pub(super) const TABLE: &[&str] = &["table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"];
/// Elements that are boundaries: an end tag in one of them closes no element outside it.
pub(super) const CELLS: &[&str] = &["table", "td", "th", "caption"];

const EMPTY: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
const UNSEEN: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "canvas", "video", "audio",
    "title", "select", "datalist", "button", "textarea", "noembed", "noframes", "dialog",
];
/// Elements that start on a new line, and whose start tag closes an open paragraph.
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

/// Returns the kind of an element by its name.
pub(super) fn sort(name: &str) -> ElementKind {
    match name {
        "html" | "head" | "body" => ElementKind::Frame,
        _ if EMPTY.contains(&name) => ElementKind::Empty,
        _ if UNSEEN.contains(&name) => ElementKind::Unseen,
        _ => ElementKind::Plain,
    }
}

/// Returns whether a void element, such as `img`, is visible.
pub(super) fn is_shown_empty(name: &str) -> bool {
    matches!(name, "br" | "hr" | "img")
}

/// Returns whether an element starts on a new line.
pub(super) fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name) || TABLE.contains(&name) || matches!(name, "li" | "dt" | "dd" | "option")
}

/// The names of elements that a start tag closes, and the names of elements outside which it closes nothing.
type ImpliedEnd = (&'static [&'static str], &'static [&'static str]);

/// Returns the elements that the start tag of an element closes implicitly.
pub(super) fn implied(name: &str) -> &'static [ImpliedEnd] {
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
