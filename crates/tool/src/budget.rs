//! How long a dialect's replies may be.

use toolpost_text::cut;

/// How long a reply may be, and what is kept of a longer one.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// At most so many bytes.
    pub bytes: usize,
    /// At most so many lines.
    pub lines: usize,
    /// What is kept.
    pub cut: Cut,
}

/// What is kept of a reply that is too long.
#[derive(Debug, Clone, Copy)]
pub enum Cut {
    /// The beginning.
    Head,
    /// So many lines of the beginning and of the end.
    HeadAndTail {
        /// Lines of the beginning.
        head: usize,
        /// Lines of the end.
        tail: usize,
    },
    /// The same, with what stands between them in the words of the dialect's reference.
    Worded {
        /// Lines of the beginning.
        head: usize,
        /// Lines of the end.
        tail: usize,
        /// Words what was left out; the write guard has to know these words.
        notice: fn(&cut::Cut<'_>) -> String,
    },
}

impl Budget {
    /// Gives the limit without what is kept.
    #[must_use]
    pub fn limit(&self) -> cut::Limit {
        cut::Limit { bytes: self.bytes, lines: self.lines }
    }

    /// Cuts a text that is too long; gives none when it fits.
    #[must_use]
    pub fn apply(&self, text: &str) -> Option<String> {
        let limit = self.limit();
        match self.cut {
            Cut::Head => cut::head(text, limit).map(|kept| kept.to_string()),
            Cut::HeadAndTail { head, tail } => {
                cut::head_and_tail(text, limit, head, tail).map(|kept| kept.to_string())
            }
            Cut::Worded { head, tail, notice } => {
                let kept = cut::head_and_tail(text, limit, head, tail)?;
                Some(format!("{}{}{}", kept.head.trim_end_matches('\n'), notice(&kept), kept.tail))
            }
        }
    }
}
