//! Tests of both eras of the protocol: how they open, what they list, what they refuse.

use crate::common;
use toolpost_test_rows::each_async;

use common::{Client, LEGACY, MODERN, meta};
use serde_json::{Value, json};
use toolpost_runtime::{StructuredOutput, Verdict};

const VERSIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY, MODERN];

#[tokio::test]
async fn discover_returns_versions_capabilities_and_instructions() {
    let mut client = Client::modern();
    let got = client.request("server/discover", meta(json!({}), json!({}))).await;
    let expected = json!({
        "resultType": "complete",
        "supportedVersions": VERSIONS,
        "capabilities": {"tools": {"listChanged": true}},
        "instructions": "Say something.",
        "ttlMs": 60_000,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "toolpost", "version": "1.2.3"}},
    });
    assert_eq!(got["result"], expected);
}

#[tokio::test]
async fn initialize_negotiates_a_legacy_version() {
    let rows = [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        (LEGACY, LEGACY),
        (MODERN, LEGACY),
        ("2099-01-01", LEGACY),
        ("nonsense", LEGACY),
    ];
    each_async(rows, async |(wished, agreed)| {
        let mut client = Client::modern();
        let info = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": wished, "capabilities": {}, "clientInfo": info});
        let got = client.request("initialize", params).await;
        let expected = json!({
            "protocolVersion": agreed,
            "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "toolpost", "version": "1.2.3"},
            "instructions": "Say something.",
        });
        assert_eq!(got["result"], expected, "{wished}");
        let listed = client.request("tools/list", json!({})).await;
        let mut fields: Vec<&String> = listed["result"].as_object().unwrap().keys().collect();
        fields.sort();
        assert_eq!(fields, ["tools"], "{wished}: nothing of the modern era");
    })
    .await;
}

fn tool(name: &str, description: &str, core: bool, writes: bool) -> Value {
    let mut meta = json!({"anthropic/maxResultSizeChars": 500_000});
    if core {
        meta["anthropic/alwaysLoad"] = json!(true);
    }
    json!({
        "name": name,
        "description": description,
        "annotations":
            {"readOnlyHint": !writes, "destructiveHint": writes, "idempotentHint": !writes, "openWorldHint": false},
        "_meta": meta,
    })
}

#[tokio::test]
async fn tools_are_listed_in_order_with_derived_hints() {
    let mut client = Client::modern();
    let first = client.request("tools/list", meta(json!({}), json!({}))).await;
    let again = client.request("tools/list", meta(json!({}), json!({}))).await;
    assert_eq!(first["result"], again["result"]);
    let mut result = first["result"].clone();
    let mut schemas = Vec::new();
    for tool in result["tools"].as_array_mut().unwrap() {
        schemas.push(tool.as_object_mut().unwrap().remove("inputSchema").unwrap());
    }
    let expected = json!({
        "resultType": "complete",
        "ttlMs": 60_000,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "toolpost", "version": "1.2.3"}},
        "tools": [
            tool("Echo", "Says it again.", true, false),
            tool("Picture", "Shows a picture.", false, false),
            tool("Wait", "Waits.", false, false),
            tool("Write", "Writes.", true, true),
        ],
    });
    assert_eq!(result, expected);
    assert_eq!(schemas[0]["type"], "object");
    assert_eq!(
        schemas[0]["properties"]["text"],
        json!({"type": "string", "description": "The text to return."})
    );
    assert_eq!(schemas[0]["required"], json!(["text"]));
}

#[tokio::test]
async fn output_schema_is_listed_with_structured_output() {
    let mut client = Client::new(StructuredOutput::On, Verdict::Later);
    let listed = client.request("tools/list", meta(json!({}), json!({}))).await;
    assert_eq!(listed["result"]["tools"][0]["outputSchema"]["properties"]["text"]["type"], "string");
    let called =
        client.request("tools/call", meta(common::call("Echo", json!({"text": "hi"})), json!({}))).await;
    assert_eq!(called["result"]["structuredContent"], json!({"text": "hi"}));
    assert_eq!(called["result"]["content"], json!([{"type": "text", "text": "hi"}]));
}

#[tokio::test]
async fn requests_without_a_supported_version_are_refused() {
    let whole = meta(json!({}), json!({}));
    let mut unknown = whole.clone();
    unknown["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
    let mut bare = whole.clone();
    bare["_meta"].as_object_mut().unwrap().remove("io.modelcontextprotocol/clientCapabilities");
    let rows = [
        ("tools/list", json!({}), -32602, Value::Null),
        ("tools/list", bare.clone(), -32602, Value::Null),
        ("server/discover", json!({}), -32602, Value::Null),
        ("no/such", json!({}), -32602, Value::Null),
        ("no/such", whole.clone(), -32601, Value::Null),
        ("ping", whole.clone(), -32601, Value::Null),
        ("tools/list", unknown.clone(), -32022, json!({"supported": VERSIONS, "requested": "1999-01-01"})),
        ("server/discover", unknown, -32022, json!({"supported": VERSIONS, "requested": "1999-01-01"})),
        ("tools/list", meta(json!({"cursor": "x"}), json!({})), -32602, Value::Null),
    ];
    let mut client = Client::modern();
    each_async(rows, async |(method, params, code, data)| {
        let got = client.request(method, params.clone()).await;
        assert_eq!(
            (&got["error"]["code"], &got["error"]["data"]),
            (&json!(code), &data),
            "{method} {params}"
        );
    })
    .await;
    // The server still serves.
    let listed = client.request("tools/list", whole).await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn methods_of_another_era_or_capability_are_not_found() {
    let info = json!({"name": "test", "version": "1"});
    let opening = json!({"protocolVersion": MODERN, "capabilities": {}, "clientInfo": info});
    let removed = [
        ("initialize", opening),
        ("initialize", json!({})),
        ("logging/setLevel", json!({"level": "info"})),
        ("logging/setLevel", json!({})),
        ("ping", json!({})),
    ];
    let undeclared = [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "file:///a"})),
        ("resources/subscribe", json!({"uri": "file:///a"})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "a"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "b", "value": "c"}}),
        ),
        ("tasks/get", json!({"taskId": "a"})),
        ("tasks/list", json!({})),
        ("no/such", json!({})),
    ];
    let mut legacy = Client::legacy(json!({})).await;
    let mut modern = Client::modern();
    each_async(removed.iter().chain(&undeclared), async |(method, params)| {
        let got = modern.request(method, meta(params.clone(), json!({}))).await;
        assert_eq!(got["error"]["code"], -32601, "modern {method} {params}: {got}");
    })
    .await;
    each_async(&undeclared, async |(method, params)| {
        let got = legacy.request(method, params.clone()).await;
        assert_eq!(got["error"]["code"], -32601, "legacy {method} {params}: {got}");
    })
    .await;
}

#[tokio::test]
async fn clients_may_use_both_eras_on_one_connection() {
    let mut client = Client::modern();
    client.request("server/discover", meta(json!({}), json!({}))).await;
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    let info = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": info});
    assert_eq!(client.request("initialize", params).await["result"]["protocolVersion"], LEGACY);
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    assert_eq!(client.request("logging/setLevel", json!({"level": "info"})).await["result"], json!({}));
    let modern = client.request("tools/list", meta(json!({}), json!({}))).await;
    assert_eq!(modern["result"]["resultType"], "complete");
}

#[tokio::test]
async fn subscriptions_are_acknowledged_and_closed_on_shutdown() {
    let mut client = Client::modern();
    let wanted = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}});
    let id = client.ask("subscriptions/listen", meta(wanted, json!({}))).await;
    let acknowledged = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {
            "_meta": {"io.modelcontextprotocol/subscriptionId": id},
            "notifications": {"toolsListChanged": true},
        },
    });
    assert_eq!(client.next().await, Some(acknowledged));
    let (served, rest) = client.end().await;
    assert!(served.is_ok());
    let closed: Vec<&Value> = rest.iter().map(|message| &message["id"]).collect();
    assert_eq!(closed, [&json!(id)]);
    assert_eq!(rest[0]["result"]["resultType"], "complete");
}

#[tokio::test]
async fn subscriptions_are_limited_and_do_not_block_requests() {
    let mut client = Client::modern();
    let wanted = meta(json!({"notifications": {"toolsListChanged": true}}), json!({}));
    let mut refused = 0;
    for _ in 0..20 {
        client.ask("subscriptions/listen", wanted.clone()).await;
    }
    while refused < 4 {
        let message = client.next().await.unwrap();
        refused += usize::from(message["error"]["code"] == -32600);
    }
    assert_eq!(client.request("tools/list", wanted).await["result"]["resultType"], "complete");
}
