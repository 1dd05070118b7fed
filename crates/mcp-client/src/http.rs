//! HTTP transport of upstream servers.

use reqwest::{
    Client,
    header::{HeaderName, HeaderValue},
};
use rmcp::transport::{
    StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
};
use std::collections::{BTreeMap, HashMap};

/// Maximum size of a message, in bytes.
const LARGEST: usize = 16 * 1024 * 1024;

/// Creates the transport for a URL, with headers for each request.
///
/// # Errors
/// If the URL or a header is invalid; the message contains no header value.
pub(super) fn transport(
    url: &str,
    headers: &BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransport<Client>, String> {
    let parsed =
        reqwest::Url::parse(url).map_err(|error| format!("the server's URL cannot be used: {error}"))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err("the server's URL must begin with http:// or https://".to_owned());
    }
    let mut carried = HashMap::new();
    for (name, value) in headers {
        let wrong = || format!("the header `{name}` cannot be sent");
        let header = HeaderName::try_from(name.as_str()).map_err(|_| wrong())?;
        carried.insert(header, HeaderValue::try_from(value.as_str()).map_err(|_| wrong())?);
    }
    let client = toolpost_net::client().map_err(|error| error.to_string())?;
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(carried)
        .max_sse_event_size(LARGEST);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
