//! URLs in a build without the feature `web`: none can be fetched.

use std::convert::Infallible;
use std::fmt;
use std::net::IpAddr;

use crate::address::AddressError;

/// A URL that can be fetched. This build cannot fetch, so no value of this type exists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WebAddress(Infallible);

impl WebAddress {
    /// Refuses every URL.
    ///
    /// # Errors
    /// Always [`AddressError::NotBuilt`].
    pub fn parse(_text: &str) -> Result<Self, AddressError> {
        Err(AddressError::NotBuilt)
    }

    /// Returns the host of the URL.
    #[must_use]
    pub fn host(&self) -> String {
        self.never()
    }

    /// Returns the port of the URL.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.never()
    }

    /// Returns the host if it is an IP address.
    #[must_use]
    pub fn literal(&self) -> Option<IpAddr> {
        self.never()
    }

    /// Returns whether connections to the URL are encrypted (HTTPS).
    #[must_use]
    pub fn is_secured(&self) -> bool {
        self.never()
    }

    /// Returns the path of the URL.
    #[must_use]
    pub fn path(&self) -> &str {
        self.never()
    }

    /// Returns the last segment of the URL's path.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.never()
    }

    /// Returns the whole URL as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.never()
    }

    /// Marks code that never runs, because it has a value of this type.
    pub(crate) fn never(&self) -> ! {
        match self.0 {}
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, _out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.never()
    }
}
