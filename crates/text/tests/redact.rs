//! What is a secret by its form does not stay in a line, and all else does.

use proptest::prelude::*;
use toolpost_text::redact::redact;

/// A line, and what is left of it; nothing where it stays as it is.
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
    // Addresses.
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
    // Behind the escape of a line's end.
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
    // What is none.
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

#[test]
fn secrets_of_a_known_form_go_and_all_else_stays() {
    for (line, wanted) in ROWS {
        let wanted = wanted.unwrap_or(line);
        assert_eq!(redact(line), wanted, "{line}");
        assert_eq!(redact(wanted), wanted, "{line}, again");
    }
}

#[test]
fn long_lines_of_beginnings_are_read_to_their_end() {
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
    for (piece, wanted) in rows {
        let line = piece.repeat(200_000);
        assert_eq!(redact(&line), wanted.unwrap_or(&line), "{piece}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn a_value_never_stays(
        before in "[a-z \"'\\\\é:=@/-]{0,12}", value in "[a-zA-Z0-9+/.]{6,20}", after in "[ \"'&;\n][a-z \"'\\\\é:=@/-]{0,12}",
        name in prop::sample::select(vec!["password=", "TOKEN=", "\"api_key\": \"", "secret: ", "Authorization: Basic ", "://u:"]),
    ) {
        // In an address, a slash ends what may hold a password.
        let (value, at) = if name == "://u:" { (value.replace('/', "."), "@h") } else { (value, "") };
        let line = format!("{before} {name}Q7{value}{at}{after}");
        let redacted = redact(&line);
        prop_assert!(!redacted.contains(&format!("Q7{value}")), "{line} became {redacted}");
    }
}
