//! Fuzz targets for texts and protocols: HTML, shell commands, MCP messages, LSP frames, and requests to the
//! proxy of the sandbox.

use toolpost_net::{WebAddress, html};

/// Pieces of HTML.
pub(crate) const TAGS: &[&str] = &[
    "<p>",
    "</p>",
    "<a href=\"javascript:x\">",
    "<a href=\"java\nscript:x\">",
    "</a>",
    "<script>",
    "</script>",
    "<style>",
    "<table>",
    "<tr><td colspan=9999>",
    "<ul><li>",
    "<pre><code>",
    "<!--",
    "-->",
    "<base href=\"//x\">",
    "<svg><title>",
    "<template>",
    "<noscript>",
    "<img src=x alt=\"",
    "&lt;",
    "&#x0;",
    "&#xD800;",
    "```",
    "\u{1b}[31m",
    "<h1>",
    "<article>",
    "<meta charset=utf-7>",
    "\u{202e}",
    "<main hidden>",
    "](javascript:",
];
/// Pieces of a shell command.
pub(crate) const SIGNS: &[&str] = &[
    "$(",
    ")",
    "`",
    "${a:-",
    "}",
    "<<EOF\n",
    "EOF\n",
    "<(",
    ">|",
    "2>&1",
    "&&",
    "||",
    ";",
    "|",
    "\n",
    "\\\n",
    "'",
    "\"",
    "$'\\x41'",
    "case x in",
    "esac",
    "for a in",
    "do",
    "done",
    "if",
    "then",
    "fi",
    "function f {",
    "[[ ",
    " ]]",
    "((",
    "))",
    "sudo ",
    "env -S ",
    "xargs ",
    "bash -c ",
    "eval ",
    "find . -exec ",
    "\\;",
    "{a,b}",
    "*",
    "~",
    "=",
    "# ",
];
/// Pieces of messages.
pub(crate) const MESSAGES: &[&str] = &[
    "{\"jsonrpc\":\"2.0\",",
    "\"id\":1",
    "\"id\":\"a\"",
    "\"id\":null",
    "\"id\":1.5",
    "\"method\":\"tools/call\"",
    "\"method\":\"initialize\"",
    "\"method\":\"notifications/cancelled\"",
    "\"params\":{",
    "\"requestId\":1",
    "\"arguments\":{}",
    "\"name\":\"Read\"",
    "\"result\":{}",
    "\"error\":{\"code\":1,\"message\":\"a\"}",
    "}",
    "\n",
    "\r\n",
    "\u{feff}",
    "[",
    "]",
    "\\ud800",
    "99999999999999999999",
    "\"_meta\":{}",
];
/// Pieces of frames.
pub(crate) const FRAMES: &[&str] = &[
    "Content-Length: ",
    "content-length:",
    "Content-Type: x\r\n",
    "\r\n\r\n",
    "\r\n",
    "\n\n",
    "{\"id\":1,\"result\":null}",
    "{\"method\":\"a\"}",
    "0",
    "18446744073709551616",
    "-1",
    ": ",
    "23",
];
/// Pieces of requests.
pub(crate) const HEADS: &[&str] = &[
    "CONNECT ",
    "GET ",
    "http://",
    "HTTP://",
    " HTTP/1.1\r\n",
    "Host: evil.org\r\n",
    "hOsT:evil.org\r\n",
    "\r\n\r\n",
    "\r\n",
    "\n",
    "[::1]:443",
    "crates.io",
    ":443",
    "@",
    "?",
    "#",
    "/",
    " ",
    "\t",
    "\r",
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close, host\r\n",
    "Proxy-Authorization: x\r\n",
    "::",
    "%0d%0a",
    "\u{e9}",
];

/// Checks that a page becomes text without links that run scripts, and that the length is in proportion to
/// the page.
pub(crate) fn html(data: &[u8]) {
    let page = String::from_utf8_lossy(data);
    let address = WebAddress::parse("https://example.com/a/b").unwrap();
    for made in [html::markdown(&page, &address), html::text(&page, &address)] {
        assert!(made.text.len() <= 64 * (page.len() + 16), "{} of {}", made.text.len(), page.len());
    }
    // In code, text that looks like a link is not one.
    if ["<code", "<pre", "<kbd", "<samp", "<tt", "`"].iter().any(|code| page.to_lowercase().contains(code)) {
        return;
    }
    let made = html::markdown(&page, &address).text;
    let links = made.match_indices("](javascript:").filter(|(at, _)| !made[..*at].ends_with('\\'));
    // Text that looks like a Markdown link is escaped, so anything left is a link.
    assert_eq!(links.count(), 0, "{made}");
}

/// Checks that any line can be parsed, and that a quoted word is parsed as one word.
pub(crate) fn shell(data: &[u8]) {
    let line = String::from_utf8_lossy(data);
    let script = toolpost_shell::read(&line);
    let again = toolpost_shell::read(&line);
    assert_eq!(script, again, "the same line is read in two ways");
    let word: String = line.chars().filter(|letter| !letter.is_control()).take(40).collect();
    let quoted = toolpost_shell::read(&format!("printf {}", toolpost_shell::quoted(&word)));
    let words: Vec<_> = quoted.segments.iter().flat_map(|segment| &segment.words).collect();
    let known: Vec<_> = words.iter().filter_map(|word| word.known()).collect();
    assert_eq!(known, ["printf", word.as_str()], "{line:?}");
}

/// Checks that lines do not depend on the pieces in which they arrive, and that each is a message or an
/// error.
pub(crate) fn wire(data: &[u8]) {
    toolpost_mcp_server::fuzzing::lines(data);
}

/// Reads frames until the first error, and checks that each message is read back after it is written.
pub(crate) fn framing(data: &[u8]) {
    toolpost_lsp::fuzzing::frames(data);
}

/// Checks that a forwarded request names one host, and that its lines cannot be parsed as two requests.
pub(crate) fn proxy(data: &[u8]) {
    toolpost_net::fuzzing::request(data);
}
