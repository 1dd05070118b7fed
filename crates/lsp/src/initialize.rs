//! The `initialize` request, and the capabilities in its answer.

use serde_json::{Map, Value, json};

use crate::Encoding;

/// Builds the `initialize` parameters for a folder, given as a URI.
pub(crate) fn greeting(folder: &Value) -> Value {
    json!({
        // A server in its sandbox does not see this process, and some servers exit if they do not see it.
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
                "workspaceEdit": {
                    "documentChanges": true,
                    "resourceOperations": ["create", "rename", "delete"],
                    "failureHandling": "abort",
                },
                "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
            },
            "textDocument": {
                "synchronization": { "didSave": true },
                "definition": { "linkSupport": true },
                "implementation": { "linkSupport": true },
                "references": {},
                "callHierarchy": {},
                "diagnostic": {},
                "publishDiagnostics": { "relatedInformation": true, "versionSupport": true },
                "rename": { "prepareSupport": true, "prepareSupportDefaultBehavior": 1 },
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
    /// The position encoding.
    pub(crate) encoding: Encoding,
    /// The supported requests and their options, by the protocol's capability names.
    pub(crate) answers: Map<String, Value>,
}

impl Capabilities {
    /// Parses the capabilities; returns the problem if they are not usable.
    pub(crate) fn read(answer: &Value) -> Result<Self, String> {
        let Some(capabilities) = answer.get("capabilities").and_then(Value::as_object) else {
            return Err("its answer to the greeting promises nothing".to_owned());
        };
        let encoding = match capabilities.get("positionEncoding").and_then(Value::as_str) {
            None => Encoding::default(),
            Some(name) => Encoding::of_name(name)
                .ok_or_else(|| format!("it counts characters in `{name}`, which it was not offered"))?,
        };
        let promised = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
        let answers = capabilities.iter().filter(|(_, value)| promised(value));
        Ok(Self { encoding, answers: answers.map(|(name, value)| (name.clone(), value.clone())).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_are_read() {
        let promises = |encoding, name: &str, told: Value| {
            Ok(Capabilities { encoding, answers: Map::from_iter([(name.to_owned(), told)]) })
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
                Err("it counts characters in `latin-1`, which it was not offered".to_owned()),
            ),
            (Value::Null, Err("its answer to the greeting promises nothing".to_owned())),
        ];
        for (answer, wanted) in rows {
            assert_eq!(Capabilities::read(&answer), wanted, "{answer}");
        }
    }
}
