//! The `initialize` request, and the capabilities in its answer.

use serde_json::{Map, Value, json};

use crate::Encoding;

/// Builds the `initialize` parameters for a folder, given as a URI.
pub(crate) fn greeting(folder: &Value) -> Value {
    json!({
        // A sandboxed server cannot see this process, and some servers exit if the process with this id does
        // not exist.
        "processId": null,
        "clientInfo": { "name": "toolpost", "version": env!("CARGO_PKG_VERSION") },
        "rootUri": folder.get("uri"),
        "workspaceFolders": [folder],
        "capabilities": {
            "general": { "positionEncodings": ["utf-8", "utf-16", "utf-32"] },
            "window": { "workDoneProgress": true },
            "workspace": {
                "configuration": true,
                "workspaceFolders": true,
                "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
            },
            "textDocument": {
                "synchronization": { "didSave": true },
                "definition": { "linkSupport": true },
                "implementation": { "linkSupport": true },
                "references": {},
                // With this capability, a server computes diagnostics only on request, and this client requests
                // none.
                "diagnostic": {},
                "hover": { "contentFormat": ["markdown", "plaintext"] },
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            },
            "experimental": { "serverStatusNotification": true },
        },
    })
}

/// The capabilities in a server's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// The unit in which the server counts positions in a line.
    pub(crate) encoding: Encoding,
    /// The supported requests and their options, by the protocol's capability names.
    pub(crate) answers: Map<String, Value>,
}

impl Capabilities {
    /// Parses the answer to `initialize`; returns a description of the problem if it is not usable.
    pub(crate) fn read(answer: &Value) -> Result<Self, String> {
        let Some(capabilities) = answer.get("capabilities").and_then(Value::as_object) else {
            return Err("the server's answer to `initialize` has no capabilities".to_owned());
        };
        let encoding = match capabilities.get("positionEncoding").and_then(Value::as_str) {
            None => Encoding::default(),
            Some(name) => Encoding::of_name(name).ok_or_else(|| {
                format!("the server chose the position encoding `{name}`, which was not offered")
            })?,
        };
        let promised = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
        let answers = capabilities.iter().filter(|(_, value)| promised(value));
        Ok(Self { encoding, answers: answers.map(|(name, value)| (name.clone(), value.clone())).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn server_capabilities_are_parsed() {
        let promises = |encoding, name: &str, value: Value| {
            Ok(Capabilities { encoding, answers: Map::from_iter([(name.to_owned(), value)]) })
        };
        let rows = [
            (
                json!({ "capabilities": { "hoverProvider": {}, "renameProvider": false } }),
                promises(Encoding::Utf16, "hoverProvider", json!({})),
            ),
            (
                json!({ "capabilities": { "positionEncoding": "utf-8" } }),
                promises(Encoding::Utf8, "positionEncoding", json!("utf-8")),
            ),
            (
                json!({ "capabilities": { "positionEncoding": "latin-1" } }),
                Err("the server chose the position encoding `latin-1`, which was not offered".to_owned()),
            ),
            (Value::Null, Err("the server's answer to `initialize` has no capabilities".to_owned())),
        ];
        each(rows, |(answer, wanted)| {
            assert_eq!(Capabilities::read(&answer), wanted, "{answer}");
        });
    }
}
