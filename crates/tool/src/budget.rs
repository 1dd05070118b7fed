//! Size limits of a dialect's replies.

use toolpost_text::cut;

/// The maximum size of a reply, and the part that is kept of a longer one.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Maximum number of bytes in a reply.
    pub bytes: usize,
    /// Maximum number of lines in a reply.
    pub lines: usize,
    /// The part of a longer reply that is kept.
    pub cut: TruncationPolicy,
}

/// The part of an oversized reply that is kept.
#[derive(Debug, Clone, Copy)]
pub enum TruncationPolicy {
    /// The beginning of the reply.
    Head,
    /// Some lines at the beginning and at the end of the reply.
    HeadAndTail {
        /// Maximum number of kept lines at the beginning of the reply.
        head: usize,
        /// Maximum number of kept lines at the end of the reply.
        tail: usize,
    },
    /// The same lines as with `HeadAndTail`; the notice about the omitted lines has the dialect's own wording.
    Worded {
        /// Maximum number of kept lines at the beginning of the reply.
        head: usize,
        /// Maximum number of kept lines at the end of the reply.
        tail: usize,
        /// Formats the notice about the omitted part. The guard that keeps notices out of
        /// written files must recognize this wording.
        notice: fn(&cut::TruncatedText<'_>) -> String,
    },
}

impl Budget {
    /// Returns the maximum size of a reply, without the rule for the part that is kept.
    #[must_use]
    pub fn limit(&self) -> cut::Limit {
        cut::Limit { bytes: self.bytes, lines: self.lines }
    }

    /// Truncates a text that is too long; `None` if it fits.
    #[must_use]
    pub fn apply(&self, text: &str) -> Option<String> {
        let limit = self.limit();
        match self.cut {
            TruncationPolicy::Head => cut::head(text, limit).map(|kept| kept.to_string()),
            TruncationPolicy::HeadAndTail { head, tail } => {
                cut::head_and_tail(text, limit, head, tail).map(|kept| kept.to_string())
            }
            TruncationPolicy::Worded { head, tail, notice } => {
                let kept = cut::head_and_tail(text, limit, head, tail)?;
                Some(format!("{}{}{}", kept.head.trim_end_matches('\n'), notice(&kept), kept.tail))
            }
        }
    }
}
