//! Redaction removes secrets that have a known form and keeps everything else.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use toolpost_test_rows::{each, table::Table};
use toolpost_text::redact::{redact, secrets, url};

/// Each row: a line and its redacted form; `None` if the line is unchanged.
const ROWS: &[(&str, Option<&str>)] = &[
    // Names and values, as shells, files, queries and programs write them.
    ("TOKEN=abc make", Some("TOKEN=[redacted] make")),
    ("export GITHUB_TOKEN='a b' && ls", Some("export GITHUB_TOKEN='[redacted]' && ls")),
    ("API_KEY=\"a\\\"b\" x", Some("API_KEY=\"[redacted]\" x")),
    ("api-key: abc, next", Some("api-key: [redacted], next")),
    ("DB_PASSWORD = hunter2\nnext", Some("DB_PASSWORD = [redacted]\nnext")),
    ("AWS_SECRET_ACCESS_KEY=a/b+c cmd", Some("AWS_SECRET_ACCESS_KEY=[redacted] cmd")),
    ("client_secret=x&scope=y", Some("client_secret=[redacted]&scope=y")),
    ("GET /?access_token=x&page=2", Some("GET /?access_token=[redacted]&page=2")),
    ("{\"token\": \"a,b c\", \"n\": 1}", Some("{\"token\": \"[redacted]\", \"n\": 1}")),
    (r#"{\"password\":\"a\\\"b\",\"n\":1}"#, Some(r#"{\"password\":\"[redacted]\",\"n\":1}"#)),
    ("Login { user: \"a\", passphrase: \"b\" }", Some("Login { user: \"a\", passphrase: \"[redacted]\" }")),
    ("mysql --password=x -u me", Some("mysql --password=[redacted] -u me")),
    ("tool --api-key x --list", Some("tool --api-key [redacted] --list")),
    ("tool --token 'a b' c", Some("tool --token '[redacted]' c")),
    ("password='never closed", Some("password='[redacted]")),
    ("pwd=é.", Some("pwd=[redacted]")),
    ("a=1;secret=2;b=3", Some("a=1;secret=[redacted];b=3")),
    // Headers.
    ("curl -H 'Authorization: Bearer abc' http://x", Some("curl -H 'Authorization: [redacted]' http://x")),
    ("Authorization: Basic dXNlcjpwYXNz\nHost: x", Some("Authorization: [redacted]\nHost: x")),
    ("\"authorization\": \"Basic dXNl\", x", Some("\"authorization\": \"[redacted]\", x")),
    ("Proxy-Authorization: Digest a=\"b\"", Some("Proxy-Authorization: [redacted]\"b\"")),
    ("Cookie: a=1; b=2\\nHost: x", Some("Cookie: [redacted]\\nHost: x")),
    ("X-Api-Key: abc", Some("X-Api-Key: [redacted]")),
    ("sent bearer abc.def-123/4= on", Some("sent bearer [redacted] on")),
    // URLs.
    (
        "git clone https://me:pa:ss@example.com/x.git",
        Some("git clone https://me:[redacted]@example.com/x.git"),
    ),
    ("postgres://u:p@[::1]:5432/d?x=1", Some("postgres://u:[redacted]@[::1]:5432/d?x=1")),
    ("redis://:p@h", Some("redis://:[redacted]@h")),
    ("ftp://u:p@q@h", Some("ftp://u:[redacted]@h")),
    // Private keys.
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx",
        Some("-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nx"),
    ),
    ("x -----BEGIN PRIVATE KEY-----\\nMII", Some("x -----BEGIN PRIVATE KEY-----[redacted]")),
    (r"a\n-----BEGIN PRIVATE KEY-----\nMII", Some(r"a\n-----BEGIN PRIVATE KEY-----[redacted]")),
    ("key-----BEGIN PRIVATE KEY-----M", Some("key-----BEGIN PRIVATE KEY-----[redacted]")),
    // The secret follows an escape such as `\n` or `\t`.
    (r"a\nAuthorization: Basic dXNl\nb", Some(r"a\nAuthorization: [redacted]\nb")),
    (r"a\tghp_0123456789abcdefABCDEF", Some(r"a\tghp_[redacted]")),
    (r"a\token=abc", Some(r"a\token=[redacted]")),
    // Keys of services.
    ("ghp_0123456789abcdefABCDEF", Some("ghp_[redacted]")),
    ("(github_pat_11ABCDEFG0123456789_x)", Some("(github_pat_[redacted])")),
    ("glpat-0123456789abcdefghij.", Some("glpat-[redacted]")),
    ("use sk-proj-0123456789abcdef now", Some("use sk-[redacted] now")),
    ("AKIAIOSFODNN7EXAMPLE", Some("AKIA[redacted]")),
    ("xoxb-012345678901-abcdefghij", Some("xoxb-[redacted]")),
    ("npm_0123456789abcdefghijkl", Some("npm_[redacted]")),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", Some("eyJ[redacted]")),
    // Text without secrets.
    ("", None),
    ("cat tokens.txt | wc -w", None),
    ("max_tokens=100 and a tokenizer: fast", None),
    ("token == other && secret::new()", None),
    ("the password is asked for, the secret kept", None),
    ("--token --list", None),
    ("TOKEN= cmd", None),
    ("bearer of news", None),
    ("https://example.com:80/a:b@c", None),
    ("https://me@example.com", None),
    ("ssh://git@example.com:22/x", None),
    ("sk-learn-is-a-library-of-words", None),
    ("AKIA and ghp_short", None),
    ("my_ghp_0123456789abcdefABCDEF", None),
    ("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", None),
    ("-----BEGIN ", None),
];

pub(crate) fn secrets_of_known_forms_are_redacted_and_other_text_is_kept() -> Table {
    let name = "redact::secrets_of_known_forms_are_redacted_and_other_text_is_kept";
    Table::new(
        name,
        ROWS,
        |(line, _)| (*line).to_owned(),
        |(line, wanted)| {
            let wanted = wanted.unwrap_or(line);
            assert_eq!(redact(line), wanted, "{line}");
            assert_eq!(redact(wanted), wanted, "{line}, again");
            assert_eq!(secrets(line).join("").is_empty(), wanted == *line, "{line}");
        },
    )
}

#[test]
fn long_lines_of_secret_prefixes_are_redacted() {
    let rows = [
        ("://", None),
        ("-----BEGIN ", None),
        ("bearer ", None),
        ("token ", None),
        ("eyJ", None),
        ("\\\"", None),
        ("é", None),
        ("token=", Some("token=[redacted]")),
        ("-----BEGIN PRIVATE KEY-----", Some("-----BEGIN PRIVATE KEY-----[redacted]")),
    ];
    each(rows, |(piece, wanted)| {
        let line = piece.repeat(200_000);
        assert_eq!(redact(&line), wanted.unwrap_or(&line), "{piece}");
    });
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/redact.txt"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn value_after_a_secret_name_is_always_redacted(
        before in "[a-z \"'\\\\é:=@/-]{0,12}", value in "[a-zA-Z0-9+/.]{6,20}", after in "[ \"'&;\n][a-z \"'\\\\é:=@/-]{0,12}",
        name in prop::sample::select(vec!["password=", "TOKEN=", "\"api_key\": \"", "secret: ", "Authorization: Basic ", "://u:"]),
    ) {
        // In a URL, the part that may contain a password ends at the first slash.
        let (value, at) = if name == "://u:" { (value.replace('/', "."), "@h") } else { (value, "") };
        let line = format!("{before} {name}Q7{value}{at}{after}");
        let redacted = redact(&line);
        prop_assert!(!redacted.contains(&format!("Q7{value}")), "{line} became {redacted}");
    }
}

#[test]
fn urls_lose_users_passwords_queries_and_fragments() {
    let rows = [
        ("https://h.example/v1", "https://h.example/v1"),
        ("https://h.example:8/@scope/x", "https://[redacted]@scope/x"),
        ("https://h.example/@scope/x", "https://h.example/@scope/x"),
        ("https://me:canary@h.example/v1?key=canary", "https://[redacted]@h.example/v1?[redacted]"),
        ("https://canary@h.example", "https://[redacted]@h.example"),
        ("https://me:can/a@ry@h.example/x#canary", "https://[redacted]@h.example/x#[redacted]"),
        ("postgres://me:canary@h/base?password=canary", "postgres://[redacted]@h/base?[redacted]"),
        ("me:canary@h/v1", "[redacted]@h/v1"),
        ("h/v1?key=canary", "h/v1?[redacted]"),
        ("/models/a@b?c", "/models/a@b?c"),
        ("", ""),
    ];
    each(rows, |(text, wanted)| {
        assert_eq!(url(text), wanted, "{text}");
    });
}
