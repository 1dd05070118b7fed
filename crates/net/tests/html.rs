//! Tests of pages as Markdown and as text: kept and omitted parts, and limits of time and memory for every
//! page.

use proptest::{collection::vec, prelude::*, sample::select, test_runner::FileFailurePersistence};
use toolpost_net::{
    WebAddress,
    html::{PageCompleteness, PageSection, markdown, text},
};
use toolpost_test_rows::each;

fn address() -> WebAddress {
    WebAddress::parse("https://example.com/docs/page").unwrap()
}

#[test]
fn pages_become_markdown() {
    let rows = [
        ("<h1>A</h1><p>b <b>c</b> <i>d</i></p>", "# A\n\nb **c** *d*"),
        ("<a href='../x?a=1&amp;b=2#c'>l</a>", "[l](https://example.com/x?a=1&b=2#c)"),
        ("<a href='javascript:alert(1)'>l</a><a href='mailto:a@b.c'>m</a>", "l[m](mailto:a@b.c)"),
        ("<base href='https://other.org/z/'><a href=y>l</a>", "[l](https://other.org/z/y)"),
        (
            "<img src='/i.png' alt='a picture'><img src='/j.png'><img alt=x src='data:image/png;base64,AAAA'>",
            "![a picture](https://example.com/i.png)",
        ),
        (
            "<pre><code class='language-rust'>fn a() {\n    b &lt; c\n}</code></pre>",
            "```rust\nfn a() {\n    b < c\n}\n```",
        ),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "| a | b |\n| - | - |\n| 1 | 2 |"),
        ("a<script>alert('<b>')</script><style>p{}</style><svg><text>s</text><path/><path></svg>b", "ab"),
        ("a<div hidden>b<p>c</div><div style='display: NONE'>d</div><div aria-hidden=true>e</div>f", "af"),
        ("<section><div hidden>a</section>b", "b"),
        (
            "a<noscript>b</noscript><template>c</template><button>Copy</button><select><option>d<option>e</select>",
            "a",
        ),
        ("<<!-- x -->b>c", "\\<b>c"),
        ("<p>a<p>b<blockquote>c</blockquote>", "a\n\nb\n\n> c"),
    ];
    each(rows, |(html, wanted)| {
        let converted = markdown(html, &address());
        assert_eq!(
            (converted.text.as_str(), converted.part, converted.whole),
            (wanted, PageSection::All, PageCompleteness::All),
            "{html}"
        );
    });
}

#[test]
fn pages_become_text() {
    let rows = [
        ("<h1>A</h1><p>b <b>c</b>\n  d&amp;e</p><p>f</p>", "A\n\nb c d&e\n\nf"),
        ("<ul><li>a</li><li>b <a href=x>c</a></li></ul>d", "- a\n- b c\n\nd"),
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "a\tb\n1\t2"),
        ("<pre>a\n  b</pre>c<br>d", "a\n  b\n\nc\nd"),
        ("a<script>x</script> b<hr>c", "a b\n\n---\nc"),
        ("a &lt;b&gt; c", "a <b> c"),
    ];
    each(rows, |(html, wanted)| {
        assert_eq!(text(html, &address()).text, wanted, "{html}");
    });
}

#[test]
fn the_main_content_of_a_page_is_extracted() {
    let menu = "<nav><ul><li><a href=/a>Home</a><li><a href=/b>Products and prices</a></ul></nav>";
    let words =
        "The committee has published its report on the state of the bridges, and its findings are plain. "
            .repeat(4);
    let paragraphs = format!("<p>{words}</p>").repeat(6);
    let code = "<pre><code>make all</code></pre>";
    let rows = [
        (format!("<title>T</title>{menu}<main><h1>M</h1>{paragraphs}{code}</main>"), PageSection::Main),
        (
            format!("{menu}<div role=main><h1>M</h1>{paragraphs}<table><tr><td>1</table></div>"),
            PageSection::Main,
        ),
        (
            format!("{menu}<div class=story><h1>M</h1>{paragraphs}</div><footer>imprint</footer>"),
            PageSection::Article,
        ),
        (format!("{menu}<main><p>short</p></main>"), PageSection::All),
        (menu.to_owned(), PageSection::All),
        (format!("{menu}<article>{code}{paragraphs}</article>"), PageSection::Main),
        (format!("{menu}<article>{code}</article><article>{code}</article>"), PageSection::All),
    ];
    each(rows, |(html, wanted)| {
        let converted = markdown(&html, &address());
        assert_eq!(converted.part, wanted, "{html}");
        assert_eq!(
            converted.text.contains("Products and prices"),
            wanted == PageSection::All,
            "{}",
            converted.text
        );
        assert_eq!(
            converted.text.matches("findings are plain").count(),
            html.matches("findings are plain").count()
        );
    });
    let converted = markdown("<title> A\n &amp; B </title><svg><title>no</title></svg>c", &address());
    assert_eq!((converted.title.as_deref(), converted.text.as_str()), (Some("A & B"), "c"));
}

#[test]
fn deep_and_long_pages_are_converted_within_limits() {
    let many = 100_000;
    let rows = [
        "<div>".repeat(many),
        "<b>".repeat(many),
        (0..many).map(|number| format!("<font size={number}>")).collect(),
        "<a href=x>".repeat(many),
        "<p><b>".repeat(many),
        "<table><tr><td>".repeat(many / 3),
        "<ul><li>".repeat(many),
        "<<!---->b>".repeat(many),
        format!("{}x{}", "<div>".repeat(many), "</div>".repeat(many)),
        format!("<b>{}", "<p></b>".repeat(many)),
        "<svg><path>".repeat(many),
        "<blockquote>".repeat(many),
        "</p>".repeat(many),
        "<".repeat(10 << 20),
        "<a ".repeat(many * 10),
        "<!--".repeat(many * 10),
        "<script>".repeat(many),
        "<a b='".repeat(many),
        "&lt;".repeat(many * 10),
        "*_`[".repeat(many * 5),
        "<br>".repeat(many * 5),
        "<td>x".repeat(many),
        "<option>x".repeat(many),
        "<p>word word word, word word.".repeat(many / 5),
        "x ".repeat(2 << 20),
    ];
    each(&rows, |page| {
        let begins = &page[..page.len().min(40)];
        let began = std::time::Instant::now();
        let page = format!("{page}THE END");
        let formatted = markdown(&page, &address());
        let plain = text(&page, &address());
        eprintln!("{:?} {begins} {} {}", began.elapsed(), formatted.text.len(), plain.text.len());
        // A result that is too long is truncated and marked. Nothing else is lost, except text that the page
        // itself hides.
        assert!(formatted.text.len() <= 4 << 20 && plain.text.len() <= 4 << 20, "{begins}");
        let hides =
            ["<a b='", "<a <a ", "<!--", "<script>", "<svg>"].iter().any(|hides| begins.starts_with(hides));
        for converted in [formatted, plain] {
            let kept = converted.text.contains("THE END");
            assert_eq!(
                kept,
                !hides && converted.whole == PageCompleteness::All,
                "{begins} {:?}",
                converted.whole
            );
        }
    });
}

/// Pieces of pages: elements that nest, hide, break lines or contain URLs, and text between them.
const PIECES: [&str; 40] = [
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<div hidden>",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<ul>",
    "<ol start=99999999999>",
    "<li>",
    "</ul>",
    "<pre>",
    "</pre>",
    "<code>",
    "</code>",
    "<a href='javascript:x'>",
    "<a href=../y>",
    "</a>",
    "<img src=x alt='",
    "'>",
    "<!--",
    "-->",
    "<svg>",
    "</svg>",
    "<noscript>",
    "<template>",
    "</template>",
    "<base href=//e>",
    "&amp;",
    "&#x0;",
    "&#xD800;",
    "```",
    "\u{202e}\u{1b}[31m",
    "word ",
];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/html.txt"))),
        ..ProptestConfig::default()
    })]

    /// Any sequence of pieces becomes text without links that run scripts, and of a length in proportion to
    /// the page.
    #[test]
    fn any_page_becomes_harmless_text(pieces in vec(select(&PIECES[..]), 0..60)) {
        let page = pieces.concat();
        for converted in [markdown(&page, &address()), text(&page, &address())] {
            prop_assert_eq!(converted.whole, PageCompleteness::All);
            prop_assert!(!converted.text.contains("](javascript:"), "{}", converted.text);
            prop_assert!(converted.text.len() <= 64 * (page.len() + 1), "{} of {}", converted.text.len(), page.len());
        }
    }
}
