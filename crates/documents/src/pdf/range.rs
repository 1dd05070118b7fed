//! Page ranges, as users write them.

/// The pages that a user requests, such as `1-5`, `3`, `10-` or `1,3,5-7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRange {
    spans: Vec<Span>,
}

/// The reason why a page range cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageRangeError {
    /// The range is empty.
    #[error("the page range is empty: write pages such as \"3\", \"1-5\", \"10-\" or \"1,3,5-7\"")]
    Empty,
    /// A part between commas is not a page or a range.
    #[error(
        "\"{part}\" is not a page or a range: write pages such as \"3\", \"1-5\", \"10-\" or \"1,3,5-7\""
    )]
    Unclear {
        /// The part as the user wrote it.
        part: String,
    },
    /// Page 0 was requested.
    #[error("\"{part}\" asks for page 0: pages are counted from 1")]
    Zero {
        /// The part of the range that contains 0, as the user wrote it.
        part: String,
    },
    /// A range ends before it begins.
    #[error("\"{part}\" ends before it begins: write \"{last}-{first}\"")]
    Backwards {
        /// The part of the range as the user wrote it.
        part: String,
        /// The page before the hyphen.
        first: u32,
        /// The page after the hyphen.
        last: u32,
    },
}

impl PageRange {
    /// Parses a page (`3`), a range (`1-5`, or `10-` to the last page), or a comma-separated list of pages and ranges.
    ///
    /// # Errors
    ///
    /// If a part is not a page or range, contains page 0, or ends before it begins.
    pub fn parse(written: &str) -> Result<Self, PageRangeError> {
        if written.trim().is_empty() {
            return Err(PageRangeError::Empty);
        }
        let spans = written.split(',').map(|part| Span::parse(part.trim())).collect::<Result<_, _>>()?;
        Ok(Self { spans })
    }

    /// Lists the pages of the range in a document of `total` pages, ascending, each once.
    ///
    /// Pages after the last one are omitted.
    ///
    /// # Errors
    ///
    /// If a part of the range starts after the last page: the first page of that part.
    pub fn within(&self, total: u32) -> Result<Vec<u32>, u32> {
        let mut spans = self.spans.clone();
        spans.sort_unstable_by_key(|span| span.first);
        let mut pages: Vec<u32> = Vec::new();
        for span in spans {
            if span.first > total {
                return Err(span.first);
            }
            let next = pages.last().map_or(1, |last| last + 1);
            pages.extend(span.first.max(next)..=span.last.unwrap_or(total).min(total));
        }
        Ok(pages)
    }
}

/// Formats ascending page numbers as ranges, such as `1-3, 7`.
pub(super) fn spans_text(pages: &[u32]) -> String {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for &page in pages {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == page => *last = page,
            _ => spans.push((page, page)),
        }
    }
    let words = spans
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
    words.collect::<Vec<_>>().join(", ")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    first: u32,
    last: Option<u32>,
}

impl Span {
    fn parse(part: &str) -> Result<Self, PageRangeError> {
        let (first, last) = match part.split_once(['-', '–']) {
            None => {
                let page = page_number(part, part)?;
                (page, Some(page))
            }
            Some((first, "")) => (page_number(first, part)?, None),
            Some((first, last)) => (page_number(first, part)?, Some(page_number(last, part)?)),
        };
        match last {
            Some(last) if last < first => {
                Err(PageRangeError::Backwards { part: part.to_owned(), first, last })
            }
            _ => Ok(Self { first, last }),
        }
    }
}

fn page_number(digits: &str, part: &str) -> Result<u32, PageRangeError> {
    let digits = digits.trim();
    let unclear = || PageRangeError::Unclear { part: part.to_owned() };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(unclear());
    }
    match digits.parse::<u32>() {
        Ok(0) => Err(PageRangeError::Zero { part: part.to_owned() }),
        Ok(page) => Ok(page),
        Err(_) => Err(unclear()),
    }
}
