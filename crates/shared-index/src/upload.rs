//! Limits and SQL fragments that all uploads to the index share.

use std::time::Duration;

use toolpost_workspace::ContentHash;

/// The maximum number of file contents or files in one SQL statement.
pub(crate) const AT_ONCE: usize = 8_192;

/// Time limit for the SQL statements of a batch of contents.
pub(crate) const PART: Duration = Duration::from_secs(180);
/// Time limit for the SQL statements of a whole commit.
pub(crate) const WHOLE: Duration = Duration::from_secs(900);

/// Maximum number of attempts of a transaction, if other clients cause conflicts.
pub(crate) const TRIES: usize = 4;

/// SQL condition for a file content that is stored completely: all pieces, with all their bytes.
pub(crate) const SOUND: &str = "b.pieces = s.pieces and (b.form <> 0 or b.size = s.size)";

/// SQL that counts the stored pieces of a file content (row `b` of the table `blobs`) and their bytes.
pub(crate) const STANDS: &str = "cross join lateral (select count(*) as pieces, coalesce(sum(octet_length(p.body)), 0) as size \
     from toolpost.pieces p where p.repository = b.repository and p.hash = b.hash) s";

/// Converts the stored bytes of a content hash; `None` if their number is wrong.
pub(crate) fn hash_of(bytes: &[u8]) -> Option<ContentHash> {
    Some(ContentHash::from_bytes(bytes.try_into().ok()?))
}
