//! The way to a server that listens.

use reqwest::{
    Client,
    header::{HeaderName, HeaderValue},
};
use rmcp::transport::{
    StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
};
use std::collections::{BTreeMap, HashMap};

/// The largest message that is taken, in bytes.
const LARGEST: usize = 16 * 1024 * 1024;

/// Makes the way to an address, with headers that each request carries.
///
/// # Errors
/// When the address or a header cannot be used, in words that show no header's value.
pub(super) fn transport(
    url: &str,
    headers: &BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransport<Client>, String> {
    let parsed = reqwest::Url::parse(url).map_err(|error| format!("its address cannot be used: {error}"))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err("its address must begin with http:// or https://".to_owned());
    }
    let mut carried = HashMap::new();
    for (name, value) in headers {
        let wrong = || format!("its header `{name}` cannot be sent");
        let header = HeaderName::try_from(name.as_str()).map_err(|_| wrong())?;
        carried.insert(header, HeaderValue::try_from(value.as_str()).map_err(|_| wrong())?);
    }
    let client = toolpost_net::client().map_err(|error| error.to_string())?;
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(carried)
        .max_sse_event_size(LARGEST);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
