//! Limits and SQL fragments that all uploads share.

use std::time::Duration;

use toolpost_workspace::ContentHash;

/// The number of contents or files per statement.
pub(crate) const AT_ONCE: usize = 8_192;

/// Time limit of a statement: a batch of contents, or the whole commit.
pub(crate) const PART: Duration = Duration::from_secs(180);
pub(crate) const WHOLE: Duration = Duration::from_secs(900);

/// Maximum number of attempts after conflicts with others.
pub(crate) const TRIES: usize = 4;

/// Condition for a complete content: all pieces are there, with all their bytes.
pub(crate) const SOUND: &str = "b.pieces = s.pieces and (b.form <> 0 or b.size = s.size)";

/// The stored state of a content `b`.
pub(crate) const STANDS: &str = "cross join lateral (select count(*) as pieces, coalesce(sum(octet_length(p.body)), 0) as size \
     from toolpost.pieces p where p.repository = b.repository and p.hash = b.hash) s";

/// Parses a hash; `None` if it is not valid.
pub(crate) fn hash_of(bytes: &[u8]) -> Option<ContentHash> {
    Some(ContentHash::from_bytes(bytes.try_into().ok()?))
}
