//! Size limit of a list in a reply, and division of such a limit among several texts.

/// Number of bytes that are left for the entries of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteBudget {
    left: usize,
}

impl ByteBudget {
    /// Creates a budget for `bytes` bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self { left: bytes }
    }

    /// Creates a budget for `bytes` bytes, of which `around` bytes are reserved for what surrounds the entries.
    #[must_use]
    pub fn reserving(bytes: usize, around: usize) -> Self {
        Self::new(bytes.saturating_sub(around))
    }

    /// Returns the number of bytes that are left for further entries.
    #[must_use]
    pub fn left(self) -> usize {
        self.left
    }

    /// Deducts the size of the next entry, and returns whether the entry fits. An entry that does not fit uses up
    /// the budget, so that a smaller one after it does not fit either, and the list has no gaps.
    pub fn takes(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// Deducts sizes with [`Self::takes`] until an entry does not fit, and returns the number of entries that fit.
    pub fn count(&mut self, sizes: impl IntoIterator<Item = usize>) -> usize {
        sizes.into_iter().take_while(|size| self.takes(*size)).count()
    }
}

/// Returns the largest size limit for each part with which all parts together fit into `room`; `usize::MAX`
/// if all parts fit unchanged.
#[must_use]
pub fn fair(mut sizes: Vec<usize>, room: usize) -> usize {
    sizes.sort_unstable();
    let mut left = room;
    for (at, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - at);
        if *size > share {
            return share;
        }
        left -= size;
    }
    usize::MAX
}
