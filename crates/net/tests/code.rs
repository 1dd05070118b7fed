//! Tests of code search services: the request to each, its responses, and its errors.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use toolpost_test_rows::{each, each_async};

use toolpost_net::code::{Question, Service, ServiceConfigError, ServiceError};
use toolpost_net::{AllowedAddresses, WebAddress};

const KEY: &str = "k-123-secret";
const EXA: &str = include_str!("code/exa.sse");
const CONTEXT7: &str = include_str!("code/context7.json");
const SOURCEGRAPH: &str = include_str!("code/sourcegraph.sse");
const GITHUB: &str = include_str!("code/github.json");

/// A service on the loopback interface, which records its requests.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(answer: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut head = String::new();
                while reader.read_line(&mut head).unwrap_or(0) > 2 {}
                let length =
                    head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
                let mut body = vec![0; length.unwrap_or(0)];
                reader.read_exact(&mut body).unwrap();
                recorded.lock().unwrap().push(head + &String::from_utf8(body).unwrap());
                answer(&mut stream);
            }
        });
        Self { port, requests }
    }

    fn saying(head: &str, body: &str) -> Self {
        let answer =
            format!("HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        Self::new(move |stream| drop(stream.write_all(answer.as_bytes())))
    }

    fn service(&self, name: &str, path: &str) -> Service {
        let base = format!("http://127.0.0.1:{}{path}", self.port);
        Service::new(name, Some(&base), Some(KEY.to_owned())).unwrap()
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn ask(service: &Service, words: &str) -> Result<String, String> {
    let libraries = ["serde".to_owned(), "serde_json".to_owned()];
    let question = Question { words, tokens: 3_000, libraries: &libraries };
    let gate = |_: &WebAddress| Ok(AllowedAddresses::Anywhere);
    match service.ask(&question, &gate, Duration::from_secs(2)).await {
        Ok(found) => {
            let findings = found.findings.iter().map(|finding| {
                let (title, url) = (finding.title.as_deref(), finding.url.as_deref());
                format!("{} <{}>\n{}", title.unwrap_or("-"), url.unwrap_or("-"), finding.text)
            });
            let notes = found.notes.iter().map(|note| format!("({note})"));
            let parts: Vec<String> = findings.chain(notes).chain([format!("“{}”", found.sent)]).collect();
            Ok(parts.join("\n"))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Replaces the host and port, which change with each run, by a placeholder.
fn described(server: &Server, result: Result<String, String>) -> String {
    let place = format!("127.0.0.1:{}", server.port);
    match result {
        Ok(result) => result,
        Err(result) => format!("failed: {result}"),
    }
    .replace(&place, "PLACE")
}

#[tokio::test]
async fn requests_and_responses_follow_each_service_format() {
    let rows = [
        (
            "exa",
            "/mcp",
            EXA,
            "POST /mcp HTTP/1.1",
            "x-api-key: k-123-secret",
            r#""params":{"name":"get_code_context_exa","arguments":{"query":"deserialize an enum with serde","tokensNum":3000}}"#,
            "Enum representations <https://serde.example/enum-representations>\n#[serde(tag = \"type\")]\nenum Message {}\n\n---\n\nTitle of a heading that is none\n\
             - <https://example.com/two>\nsecond\n“deserialize an enum with serde”",
        ),
        (
            "context7",
            "/api",
            CONTEXT7,
            "GET /api/v3/search?query=deserialize+an+enum+with+serde&type=json&library=serde&library=serde_json HTTP/1.1",
            "authorization: Bearer k-123-secret",
            "accept: application/json",
            "/serde-rs/serde: Tagged enums <https://serde.example/tagged.md>\nHow a tag is named.\n\n```rust\n#[serde(tag = \"t\")]\nenum E {}\n```\n\
             /serde-rs/serde: Guide > Enums <http://PLACE/serde-rs/serde>\nEnums have four forms.\n“deserialize an enum with serde”",
        ),
        (
            "sourcegraph",
            "",
            SOURCEGRAPH,
            "GET /.api/search/stream?q=deserialize+enum+serde+count%3A40&v=V3&t=keyword&display=40&cm=true&cl=4&max-line-len=300 HTTP/1.1",
            "authorization: token k-123-secret",
            "accept: text/event-stream",
            "github.com/serde-rs/serde/src/de.rs:11 <http://PLACE/github.com/serde-rs/serde@0abc/-/blob/src/de.rs?L11>\nfn one() {\n}\n…\nfn two() {}\n\
             github.com/serde-rs/json/src/lib.rs:3 <http://PLACE/github.com/serde-rs/json/-/blob/src/lib.rs?L3>\nuse serde;\n\
             (the service skipped some results: timed out)\n“deserialize enum serde count:40”",
        ),
        (
            "github",
            "",
            GITHUB,
            "GET /search/code?q=deserialize+enum+serde&per_page=20 HTTP/1.1",
            "authorization: Bearer k-123-secret",
            "accept: application/vnd.github.text-match+json",
            "serde-rs/serde/src/de.rs <https://github.com/serde-rs/serde/blob/0abc/src/de.rs>\nfn one() {}\n…\nfn two() {}\n\
             a/b/c.rs <https://github.com/a/b/blob/1/c.rs>\n\n\
             (the search of the service was incomplete)\n(the service has 41 matching files, of which these are the first 2)\n“deserialize enum serde”",
        ),
    ];
    each_async(rows, async |(name, path, answer, line, key, wording, wanted)| {
        let server = Server::saying("200 OK", answer);
        let service = server.service(name, path);
        let found = ask(&service, "deserialize an enum with serde").await;
        assert_eq!(described(&server, found), wanted, "{name}");
        let requests = server.requests().join("");
        for part in [line, key, wording] {
            assert!(requests.contains(part), "{name}: {part} is not in {requests}");
        }
        assert!(!format!("{service:?}").contains(KEY), "{service:?}");
    })
    .await;
}

/// Responses with which each service reports an empty result.
#[tokio::test]
async fn an_empty_result_is_an_answer_and_not_an_error() {
    let nothing = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"No code snippets or documentation found. Please try another query."}]}}"#;
    let rows = [
        ("exa", "200 OK", nothing),
        ("exa", "200 OK", r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#),
        ("context7", "200 OK", r#"{"codeSnippets":[],"infoSnippets":[]}"#),
        ("context7", "404 Not Found", r#"{"error":"no_documentation_found","message":"nothing"}"#),
        (
            "sourcegraph",
            "200 OK",
            "event: progress\ndata: {\"done\":true,\"matchCount\":0,\"skipped\":[]}\n\nevent: done\ndata: {}\n\n",
        ),
        ("github", "200 OK", r#"{"total_count":0,"incomplete_results":false,"items":[]}"#),
    ];
    each_async(rows, async |(name, head, body)| {
        let server = Server::saying(head, body);
        let found = ask(&server.service(name, ""), "serde").await.unwrap();
        assert!(found.starts_with('“'), "{name}: {found}");
    })
    .await;
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "the function is one table of cases")]
async fn failed_requests_report_their_cause() {
    let huge = format!("{{\"total_count\":0,\"items\":[],\"x\":\"{}\"}}", "x".repeat(3 << 20));
    let echo = format!("{{\"message\":\"Bad credentials: {KEY}\"}}");
    let rows: [(&str, &str, &str, &str); 24] = [
        (
            "exa",
            "200 OK",
            "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no such tool\"}}\n\n",
            "exa reports an error: no such tool",
        ),
        (
            "exa",
            "200 OK",
            r#"{"result":{"isError":true,"content":[{"type":"text","text":"quota"}]}}"#,
            "exa reports an error: quota",
        ),
        ("exa", "200 OK", "{}", "invalid response from exa: the response has neither a result nor an error"),
        (
            "exa",
            "200 OK",
            "",
            "invalid response from exa: the response is neither JSON nor a stream of events with a reply",
        ),
        (
            "exa",
            "200 OK",
            "event: message\ndata: {\"result\":",
            "invalid response from exa: the response is neither JSON nor a stream of events with a reply",
        ),
        (
            "context7",
            "200 OK",
            "<html>Welcome</html>",
            "invalid response from context7: expected value at line 1 column 1",
        ),
        (
            "context7",
            "200 OK",
            r#"{"error":"x"}"#,
            "invalid response from context7: the response has no list of snippets",
        ),
        (
            "context7",
            "404 Not Found",
            r#"{"error":"library_not_found","message":"no such library"}"#,
            "context7 answered 404: no such library; check the URL (`base_url`)",
        ),
        (
            "context7",
            "202 Accepted",
            "{}",
            "context7 answered 202; the service is not ready yet: try again later",
        ),
        (
            "context7",
            "503 Service Unavailable",
            r#"{"error":"search_failed"}"#,
            "context7 answered 503: search_failed; try again later",
        ),
        (
            "sourcegraph",
            "200 OK",
            "event: matches\ndata: [{\"type\":7}]\n\n",
            "invalid response from sourcegraph: invalid type: integer `7`, expected a string at line 1 \
             column 10",
        ),
        (
            "sourcegraph",
            "200 OK",
            "event: progress\ndata: {\"skipped\":[]}\n\n",
            "invalid response from sourcegraph: the stream of matches is incomplete",
        ),
        (
            "sourcegraph",
            "200 OK",
            "event: alert\ndata: {\"title\":\"Unable to process query\",\"description\":\"unbalanced\"}\n\nevent: done\ndata: {}\n\n",
            "sourcegraph reports an error: Unable to process query: unbalanced",
        ),
        (
            "sourcegraph",
            "302 Found\r\nLocation: https://elsewhere.example/?t=k-123-secret",
            "",
            "sourcegraph answered 302; the service redirects to https://elsewhere.example/?t=[redacted], \
             and redirects are not followed: set this URL as `base_url`",
        ),
        (
            "github",
            "401 Unauthorized",
            &echo,
            "github answered 401: Bad credentials: [redacted]; check the key and its permissions",
        ),
        (
            "github",
            "403 Forbidden",
            "<html>no</html>",
            "github answered 403; check the key and its permissions",
        ),
        (
            "github",
            "422 Unprocessable Entity",
            r#"{"message":"Validation Failed"}"#,
            "github answered 422: Validation Failed; rephrase the question",
        ),
        ("github", "500 Internal Server Error", "oh no", "github answered 500: oh no; try again later"),
        (
            "github",
            "200 OK",
            "{}",
            "invalid response from github: missing field `total_count` at line 1 column 2",
        ),
        ("github", "200 OK", &huge, "invalid response from github: the response is longer than 2 MiB"),
        (
            "github",
            "429 Too Many Requests\r\nRetry-After: 37",
            "{}",
            "github rate limit reached: retry after 37 s",
        ),
        ("github", "429 Too Many Requests", "{}", "github rate limit reached"),
        (
            "github",
            "403 Forbidden\r\nRetry-After: Wed, 21 Oct 2037 07:28:00 GMT",
            "{}",
            "github rate limit reached: retry after `Wed, 21 Oct 2037 07:28:00 GMT`",
        ),
        ("context7", "402 Payment Required", "{}", "context7 answered 402; the paid quota may be used up"),
    ];
    each_async(rows, async |(name, head, body, wanted)| {
        let server = Server::saying(head, body);
        let found = ask(&server.service(name, ""), "serde").await;
        assert_eq!(described(&server, found), format!("failed: {wanted}"), "{name} {head}");
    })
    .await;
}

#[tokio::test]
async fn truncated_and_late_responses_are_not_empty_results() {
    let first = SOURCEGRAPH.split("event: progress").next().unwrap().to_owned();
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
    let begun = first.clone();
    let torn = Server::new(move |stream| drop(stream.write_all(format!("{head}{begun}").as_bytes())));
    let found = ask(&torn.service("sourcegraph", ""), "serde").await.unwrap();
    assert!(
        found.contains("fn one() {")
            && found.contains("(there may be more results, because the response broke off: "),
        "{found}"
    );
    each_async(["exa", "context7", "sourcegraph", "github"], async |name| {
        let torn =
            Server::new(move |stream| drop(stream.write_all(format!("{head}{{\"items\": [").as_bytes())));
        let error = ask(&torn.service(name, ""), "serde").await.unwrap_err();
        assert!(
            error.starts_with(&format!("invalid response from {name}: the response broke off: ")),
            "{error}"
        );
    })
    .await;
    let slow = |name: &'static str| async move {
        let slow = Server::new(move |stream| {
            let _ = stream.write_all(head.as_bytes());
            // It reads until the client closes the connection.
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let error = ask(&slow.service(name, ""), "serde").await.unwrap_err();
        assert_eq!(error, format!("invalid response from {name}: the response timed out"));
    };
    let silent = async {
        let silent = Server::new(|stream| drop(stream.read_to_end(&mut Vec::new())));
        let error = ask(&silent.service("exa", ""), "serde").await;
        assert_eq!(described(&silent, error), "failed: http://PLACE/ timed out");
    };
    // Run at the same time, because each waits for its whole time limit.
    tokio::join!(slow("exa"), slow("context7"), slow("sourcegraph"), slow("github"), silent);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let gone = Service::new("exa", Some(&base), None).unwrap();
    let error = ask(&gone, "serde").await.unwrap_err();
    assert!(error.contains("no usable answer from ") && error.contains("refused"), "{error}");
}

#[tokio::test]
async fn a_rate_limited_service_is_not_requested_again() {
    let server = Server::saying("429 Too Many Requests\r\nRetry-After: 60", "{}");
    let service = server.service("github", "");
    for _ in 0..3 {
        let error = ask(&service, "serde").await.unwrap_err();
        assert!(error.starts_with("github rate limit reached: retry after "), "{error}");
    }
    assert_eq!(server.requests().len(), 1);
    let server = Server::saying("403 Forbidden\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 1", "{}");
    let error = ask(&server.service("github", ""), "serde").await.unwrap_err();
    assert_eq!(error, "github rate limit reached: retry after 1 s");
}

#[tokio::test]
async fn no_request_is_sent_without_permission_or_key() {
    let server = Server::saying("200 OK", GITHUB);
    let service = server.service("github", "");
    let question = Question { words: "serde", tokens: 1_000, libraries: &[] };
    let time = Duration::from_secs(2);
    let gate = |_: &WebAddress| Err("no rule allows it".to_owned());
    let error = service.ask(&question, &gate, time).await.unwrap_err();
    assert!(error.to_string().ends_with("/: no rule allows it"), "{error}");
    let gate = |_: &WebAddress| Ok(AllowedAddresses::Public);
    let error = service.ask(&question, &gate, time).await.unwrap_err();
    assert!(error.to_string().contains("which is a private address"), "{error}");
    let keyless = Service::new("github", Some(&format!("http://127.0.0.1:{}", server.port)), None).unwrap();
    let gate = |_: &WebAddress| Ok(AllowedAddresses::Anywhere);
    let error = keyless.ask(&question, &gate, time).await.unwrap_err();
    assert!(matches!(error, ServiceError::NoKey { .. }), "{error}");
    assert_eq!(
        keyless.missing(),
        Some("github needs a key; set GITHUB_TOKEN or GH_TOKEN in the environment".to_owned())
    );
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[test]
fn invalid_service_settings_are_refused() {
    let rows = [
        ("bing", None, None, "unknown service `bing`; the services are exa, context7, sourcegraph, github"),
        (
            "exa",
            Some("mcp.exa.ai"),
            None,
            "the URL of the service cannot be used: invalid URL (relative URL without a base); use a full URL such as https://example.com/docs",
        ),
        (
            "exa",
            Some("https://u:p@mcp.exa.ai"),
            None,
            "the URL of the service cannot be used: the URL contains a user name or password before an `@`, \
             which is never sent; remove it",
        ),
        (
            "exa",
            Some("https://mcp.exa.ai/mcp?exaApiKey=k-123"),
            None,
            "`https://mcp.exa.ai/mcp` has a query: set the URL without it, and put the key into an \
             environment variable",
        ),
        ("exa", None, Some("a b"), "the key for exa contains spaces or non-ASCII characters"),
        (
            "github",
            Some("http://github.example/api"),
            Some("k"),
            "the key for github is not sent to github.example unencrypted; use an https:// URL",
        ),
    ];
    each(rows, |(name, base, key, wanted)| {
        let service: Result<Service, ServiceConfigError> = Service::new(name, base, key.map(str::to_owned));
        assert_eq!(service.unwrap_err().to_string(), wanted);
    });
    each(["exa", "context7", "sourcegraph", "github"], |name| {
        assert!(Service::new(name, None, Some("k".to_owned())).is_ok(), "{name}");
    });
}
