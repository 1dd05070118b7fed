//! The text of a page, with the part and the completeness of the conversion.

/// A page that was converted to Markdown or plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedPage {
    /// The title of the page.
    pub title: Option<String>,
    /// The Markdown or plain text.
    pub text: String,
    /// The part of the page that was converted: all, or its main part.
    pub part: PageSection,
    /// The completeness of the converted text.
    pub whole: PageCompleteness,
}

/// The completeness of a converted page's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageCompleteness {
    /// The text is complete.
    All,
    /// The text ends early, because the page is too long.
    Beginning,
}

/// The part of a page that was selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageSection {
    /// All visible text.
    All,
    /// The element that is marked as the main one, or the only `article` element.
    Main,
    /// The article that readability rules extracted.
    Article,
}
