//! Reasons why a URL cannot be fetched.

/// Maximum length of a URL, in bytes.
pub(crate) const LONGEST: usize = 8 * 1024;

/// Reason why a URL cannot be fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The text is not a full URL; the reason is included.
    #[error("invalid URL ({0}); use a full URL such as https://example.com/docs")]
    NotUrl(String),
    /// The scheme of the URL, which is included, is neither HTTP nor HTTPS.
    #[error("`{0}:` URLs are not fetched, only `http:` and `https:`")]
    Scheme(String),
    /// The URL contains a user name or a password.
    #[error("the URL contains a user name or password before an `@`, which is never sent; remove it")]
    Credentials,
    /// The URL exceeds the maximum length.
    #[error("the URL is longer than {LONGEST} bytes")]
    TooLong,
    /// This build cannot fetch any URL.
    #[error("this program was built without the feature `web`: rebuild it with that feature")]
    NotBuilt,
}
