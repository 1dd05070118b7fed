//! Entry point for the fuzz target of the sandbox's proxy.

/// Parses the request line and the headers of a request to the proxy, and checks the headers that would be forwarded.
///
/// # Panics
/// If the forwarded headers do not name exactly one host, or contain an invalid line.
pub fn request(bytes: &[u8]) {
    crate::proxy::fuzz(bytes);
}
