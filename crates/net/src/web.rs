//! URLs that can be fetched: HTTP or HTTPS, with a host and without credentials.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

use crate::address::{AddressError, LONGEST};

/// A URL that can be fetched, in normalized form and without a fragment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WebAddress(Url);

impl WebAddress {
    /// Parses a URL and normalizes it.
    ///
    /// # Errors
    /// If the text is not a valid URL or is too long, or if the URL has a scheme other than HTTP or HTTPS, or contains
    /// credentials.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(AddressError::TooLong);
        }
        Self::of(Url::parse(text).map_err(|error| AddressError::NotUrl(error.to_string()))?)
    }

    /// Resolves the target of a redirect, which may be relative, against this URL.
    ///
    /// # Errors
    /// The same as for `parse`.
    pub fn join(&self, location: &str) -> Result<Self, AddressError> {
        if location.len() > LONGEST {
            return Err(AddressError::TooLong);
        }
        Self::of(self.0.join(location).map_err(|error| AddressError::NotUrl(error.to_string()))?)
    }

    fn of(mut url: Url) -> Result<Self, AddressError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressError::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Credentials);
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(AddressError::NotUrl("the URL has no host".to_owned()));
        }
        url.set_fragment(None);
        Ok(Self(url))
    }

    /// Returns the host of the URL: a name, or an IP address without brackets.
    #[must_use]
    pub fn host(&self) -> String {
        match self.literal() {
            Some(address) => address.to_string(),
            None => self.written_host().trim_end_matches('.').to_ascii_lowercase(),
        }
    }

    /// Returns the port of the URL, or the default port of its scheme.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(80)
    }

    /// Returns the host if it is an IP address; `None` if it is a name.
    #[must_use]
    pub fn literal(&self) -> Option<IpAddr> {
        self.written_host().trim_start_matches('[').trim_end_matches(']').parse().ok()
    }

    /// Returns whether connections to the URL are encrypted (HTTPS).
    #[must_use]
    pub fn is_secured(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Returns the path of the URL, with its leading slash.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.path()
    }

    /// Returns the last segment of the URL's path; empty if the path ends with a slash.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.path().rsplit('/').next().unwrap_or_default()
    }

    /// Returns the whole URL as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(crate) fn url(&self) -> &Url {
        &self.0
    }

    /// Returns the host as written in the URL, the form in which the HTTP client looks up its addresses.
    pub(crate) fn written_host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::is_own;
    use toolpost_test_rows::each;

    #[test]
    fn url_spellings_yield_one_host_and_invalid_urls_are_refused() {
        let rows = [
            ("http://0:81/", Ok(("0.0.0.0", 81, true))),
            ("http://2130706433/", Ok(("127.0.0.1", 80, true))),
            ("http://0x7f000001:8080/", Ok(("127.0.0.1", 8080, true))),
            ("http://0177.0.0.1", Ok(("127.0.0.1", 80, true))),
            ("http://127.1/", Ok(("127.0.0.1", 80, true))),
            ("http://①②⑦.0.0.1/", Ok(("127.0.0.1", 80, true))),
            ("http://127。0。0。1/", Ok(("127.0.0.1", 80, true))),
            ("http://%31%32%37.0.0.1/", Ok(("127.0.0.1", 80, true))),
            ("http://[::ffff:7f00:1]/", Ok(("::ffff:127.0.0.1", 80, true))),
            ("http://[::127.0.0.1]/", Ok(("::7f00:1", 80, true))),
            ("http://[64:ff9b::7f00:1]/", Ok(("64:ff9b::7f00:1", 80, true))),
            ("http://LOCALHOST./", Ok(("localhost", 80, true))),
            ("http://a.localhost/", Ok(("a.localhost", 80, true))),
            ("http://169.254.169.254/latest", Ok(("169.254.169.254", 80, true))),
            ("http://127.0.0.1:81\\@example.com/", Ok(("127.0.0.1", 81, true))),
            ("http://127.0.0.1:81#@example.com/", Ok(("127.0.0.1", 81, true))),
            ("https://Example.com./a", Ok(("example.com", 443, false))),
            ("https://bücher.example/", Ok(("xn--bcher-kva.example", 443, false))),
            ("http://example.com@127.0.0.1/", Err(AddressError::Credentials)),
            ("http://a:b@example.com/", Err(AddressError::Credentials)),
            ("file:///etc/passwd", Err(AddressError::Scheme("file".to_owned()))),
            ("unix:/var/run/docker.sock", Err(AddressError::Scheme("unix".to_owned()))),
            ("javascript:alert(1)", Err(AddressError::Scheme("javascript".to_owned()))),
            ("view-source:file:///etc/passwd", Err(AddressError::Scheme("view-source".to_owned()))),
        ];
        each(rows, |(text, wanted)| {
            let read = WebAddress::parse(text);
            let found = read.map(|read| (read.host(), read.port(), is_own(&read.host())));
            let wanted = wanted.map(|(host, port, own)| (host.to_owned(), port, own));
            assert_eq!(found, wanted, "{text}");
        });
        each(
            ["http://127.0.0.1%00.example.com/", "example.com", "http://", "http://a b/", "http://[::1", ""],
            |text| {
                assert!(matches!(WebAddress::parse(text), Err(AddressError::NotUrl(_))), "{text}");
            },
        );
        let long = format!("http://a/{}", "x".repeat(LONGEST));
        assert_eq!(WebAddress::parse(&long), Err(AddressError::TooLong));
    }
}
