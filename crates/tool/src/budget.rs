//! Size limits of a dialect's replies.

use toolpost_text::cut;

/// The maximum size of a reply, and the part that is kept of a longer one.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Maximum number of bytes.
    pub bytes: usize,
    /// Maximum number of lines.
    pub lines: usize,
    /// The part that is kept.
    pub cut: Cut,
}

/// The part that is kept of a reply that is too long.
#[derive(Debug, Clone, Copy)]
pub enum Cut {
    /// The beginning.
    Head,
    /// A number of lines at the beginning and at the end.
    HeadAndTail {
        /// Number of lines at the beginning.
        head: usize,
        /// Number of lines at the end.
        tail: usize,
    },
    /// The same as `HeadAndTail`, with a notice in the wording of the dialect's reference between them.
    Worded {
        /// Number of lines at the beginning.
        head: usize,
        /// Number of lines at the end.
        tail: usize,
        /// Formats the notice about the omitted part. The write guard must recognize this wording.
        notice: fn(&cut::Cut<'_>) -> String,
    },
}

impl Budget {
    /// Returns the size limit without the kept part.
    #[must_use]
    pub fn limit(&self) -> cut::Limit {
        cut::Limit { bytes: self.bytes, lines: self.lines }
    }

    /// Truncates a text that is too long; `None` if it fits.
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
