//! Tests of the text of PDF files, page by page, and of the errors for those that cannot be read.
#![cfg(test)]

use crate::papers;
use toolpost_test_rows::each;

use std::time::Duration;

use papers::Paper;
use toolpost_documents::pdf::{Page, PageNote, PageRange, Pdf, PdfError, PdfLimits, read};

/// Reads a range of pages of a file.
fn read_range(bytes: &[u8], range: &str) -> Result<Pdf, PdfError> {
    read(bytes.to_vec(), Some(&PageRange::parse(range).unwrap()), PdfLimits::default())
}

/// The expected result of a file: its pages, or the error.
type Pages = Result<Vec<Page>, PdfError>;

fn page(number: u32, text: &str) -> Page {
    Page { number, text: text.to_owned(), note: None }
}

fn noted(number: u32, text: &str, note: PageNote) -> Page {
    Page { note: Some(note), ..page(number, text) }
}

fn garbled(why: &str) -> PdfError {
    PdfError::Garbled { why: why.to_owned() }
}

fn check(name: &str, bytes: &[u8], expected: Pages) {
    assert_eq!(read(bytes.to_vec(), None, PdfLimits::default()).map(|pdf| pdf.pages), expected, "{name}");
}

fn basic() -> Vec<Page> {
    let text = "\n\nThe quick brown fox jumps\nover the lazy dog.\n\nSecond paragraph here: 42 % done.";
    (1..=3).map(|number| page(number, &format!("Page {number} of the basic file{text}"))).collect()
}

#[test]
fn reads_files_of_common_pdf_writers() {
    let unicode = "Ελληνικά Русский ∑∞ ≠\nligatures: fine flow ffi ffl\n\nCafé naïve straße – “quoted” … €5";
    let wrapped = "Ünïcödé Ђђ and plain words\n\nA paragraph of many words that is set over more than one line, \
                   for it is\nlong.";
    let image = || noted(1, "", PageNote::Image);
    let mixed = vec![image(), page(2, "This second page has a text layer."), noted(3, "", PageNote::Blank)];
    let rows: Vec<(&str, &[u8], Pages)> = vec![
        ("basic", include_bytes!("pdf/basic.pdf"), Ok(basic())),
        ("object streams", include_bytes!("pdf/object_streams.pdf"), Ok(basic())),
        ("linear", include_bytes!("pdf/linear.pdf"), Ok(basic())),
        ("unicode", include_bytes!("pdf/unicode.pdf"), Ok(vec![page(1, unicode)])),
        (
            "East Asian",
            include_bytes!("pdf/east_asian.pdf"),
            Ok(vec![page(1, "日本語のテキスト\n\n中文文本\n\n한국어 문서")]),
        ),
        ("wrapped", include_bytes!("pdf/wrapped.pdf"), Ok(vec![page(1, wrapped)])),
        ("form", include_bytes!("pdf/form.pdf"), Ok(vec![page(1, "Name:\nAda Lovelace")])),
        ("own encoding", include_bytes!("pdf/own_encoding.pdf"), Ok(vec![page(1, "αfi")])),
        ("mixed", include_bytes!("pdf/mixed.pdf"), Ok(mixed)),
        ("password, RC4 40", include_bytes!("pdf/user_2.pdf"), Err(PdfError::Encrypted)),
        ("password, RC4 128", include_bytes!("pdf/user_3.pdf"), Err(PdfError::Encrypted)),
        ("password, AES 128", include_bytes!("pdf/user_4.pdf"), Err(PdfError::Encrypted)),
        ("password, AES 256", include_bytes!("pdf/user_6.pdf"), Err(PdfError::Encrypted)),
        ("no password, RC4 40", include_bytes!("pdf/owner_2.pdf"), Ok(basic())),
        ("no password, RC4 128", include_bytes!("pdf/owner_3.pdf"), Ok(basic())),
        ("no password, AES 128", include_bytes!("pdf/owner_4.pdf"), Ok(basic())),
        ("no password, AES 256", include_bytes!("pdf/owner_6.pdf"), Ok(basic())),
    ];
    each(rows, |(name, bytes, expected)| {
        check(name, bytes, expected);
    });
}

#[test]
fn lays_text_out_by_its_position_on_the_page() {
    let rows = [
        ("BT /F1 12 Tf 72 700 Td [(Ke)-20(rned)-300(wo)15(rds)]TJ ET", "Kerned words"),
        ("BT /F1 12 Tf 72 700 Td (one) Tj 40 0 Td (two) Tj 200 0 Td (cell) Tj ET", "one two\tcell"),
        (
            "BT /F1 12 Tf 14 TL 72 700 Td (first) Tj (second) ' 0 0 (third) \" T* (fourth) Tj ET",
            "first\nsecond\nthird\nfourth",
        ),
        ("BT /F1 12 Tf 72 700 TD (one) Tj 0 -14 TD (two) Tj T* (three) Tj ET", "one\ntwo\nthree"),
        ("BT /F1 12 Tf 72 700 Td (above) Tj 0 -40 Td (below) Tj ET", "above\n\nbelow"),
        ("q .1 0 0 .1 0 0 cm BT /F1 120 Tf 720 7000 Td (scaled) Tj 400 0 Td (text) Tj ET Q", "scaled text"),
        (
            "BT /F1 12 Tf 1 0 0 1 72 700 Tm (H) Tj 1 0 0 1 80.7 700 Tm (i) Tj 1 0 0 1 90 700 Tm (x) Tj ET",
            "Hi x",
        ),
        ("BT /F1 12 Tf 72 700 Td (bold) Tj ET BT /F1 12 Tf 72.3 700 Td (bold) Tj ET", "bold"),
        ("BT /F1 12 Tf 0 1 -1 0 100 100 Tm (up) Tj ET BT /F1 12 Tf 200 700 Td (flat) Tj ET", "up\n\nflat"),
        ("BT /F1 12 Tf 72 700 Td (E=mc) Tj 4 Ts (2) Tj 0 Ts ( yes) Tj ET", "E=mc2 yes"),
        ("BT /F1 12 Tf 5 Tc 72 700 Td (wide) Tj (ly) Tj ET", "widely"),
        ("BT /F1 12 Tf 72 700 Td (a\\050b\\) \\\\ \\101 (c)\\\nd) Tj ET", "a(b) \\ A (c)d"),
        ("BT /F1 12 Tf 72 700 Td <48 65 6C6C6F2> Tj ET", "Hello"),
        (
            "BT /F1 12 Tf 72 700 Td (before) Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID \u{1} EI\u{2}x EI BT /F1 12 Tf 72 600 Td (after the inline image) Tj ET",
            "before\n\nafter the inline image",
        ),
        (
            "BT /Nope 12 Tf 72 700 Td (text in a font that is not there) Tj ET",
            "text in a font that is not there",
        ),
        ("BT 72 700 Td (text without a font) Tj ET", "text without a font"),
        (") ] >> } 1 2 junk /x BT /F1 12 Tf 72 700 Td (behind the junk) Tj ET (open", "behind the junk"),
        ("Q Q Q BT /F1 12 Tf 72 700 Td (more restored than saved) Tj ET", "more restored than saved"),
    ];
    each(rows, |(content, expected)| {
        check(content, &Paper::page(content, "", "").bytes(), Ok(vec![page(1, expected)]));
    });
}

/// Checks the text of one string in a font (object 6), which can have a descendant (7) and a stream (8).
fn check_font(name: &str, font: &str, text: &str, stream: &[u8], expected: Page) {
    let paper = Paper::page(&format!("BT /F2 12 Tf 72 700 Td {text} Tj ET"), "/F2 6 0 R", "")
        .object(6, font)
        .object(7, "<</Type/Font/Subtype/CIDFontType2/BaseFont/X/DW 1000/W[65[500 500]66 67 500]>>")
        .stream(8, "", stream);
    check(name, &paper.bytes(), Ok(vec![expected]));
}

fn char_map(lengths: &str, entries: &str) -> Vec<u8> {
    format!("begincmap 1 begincodespacerange {lengths} endcodespacerange {entries} endcmap").into_bytes()
}

#[test]
fn understands_simple_fonts() {
    let names = "/Encoding<</Differences[65/alpha/fi/uni20AC 70/f_f_i/a.alt/u1F600]>>";
    let map = char_map("<00> <ff>", "1 beginbfchar <41> <0058> endbfchar");
    let own = b"%!PS-AdobeFont-1.0: Own\n/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for\n\
        dup 65 /fi put\ndup 66 /similarequal put\ndup 68 /mapsto put\ndup 69 /parenleftbigg put\ndup 70 /g12 put\nreadonly def\ncurrentfile eexec dup 67 /x put";
    let rows: [(&str, &str, &str, &[u8], &str); 5] = [
        ("names", names, "(ABCFGH)", b"", "αfi€ffia😀"),
        ("Mac", "/Encoding/MacRomanEncoding", "(caf\\216)", b"", "café"),
        ("Windows", "/Encoding/WinAnsiEncoding", "(\\223caf\\351\\224 \\200)", b"", "“café” €"),
        ("map over encoding", "/Encoding/WinAnsiEncoding/ToUnicode 8 0 R", "(ABC)", &map, "XBC"),
        ("the font's own encoding", "/FontDescriptor<</FontFile 8 0 R>>", "(ABCDEF)", own, "fi≃C↦(\u{fffd}"),
    ];
    each(rows, |(name, entries, text, stream, expected)| {
        let font = format!("<</Type/Font/Subtype/Type1/BaseFont/X{entries}>>");
        check_font(name, &font, text, stream, page(1, expected));
    });
}

#[test]
fn understands_composite_fonts() {
    let font = |encoding: &str| {
        format!(
            "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/{encoding}/DescendantFonts[7 0 R]/ToUnicode 8 0 R>>"
        )
    };
    let pairs = "1 beginbfchar <0041> <00660066> endbfchar 1 beginbfrange <0042> <0044> <0062> endbfrange";
    let list = "1 beginbfrange <0041> <0042> [<D83DDE00> <0079>] endbfrange";
    let rows = [
        ("map of pairs", "Identity-H", "<0041004200430044>", pairs, "ffbcd"),
        ("map of a list", "Identity-H", "<00410042>", list, "😀y"),
        ("UTF-16", "UniGB-UTF16-H", "<4E2D6587D83DDE00>", "", "中文😀"),
        ("Shift JIS", "90ms-RKSJ-H", "<93FA967B41B1>", "", "日本Aｱ"),
        ("GBK", "GBK-EUC-H", "<D6D0CEC441>", "", "中文A"),
        ("Big5", "ETen-B5-H", "<A4A4A4E5>", "", "中文"),
        ("Korean", "KSCms-UHC-H", "<C7D1B1DB>", "", "한글"),
        ("down the page", "UniJIS-UCS2-V", "<65E5672C> Tj <8A9E>", "", "日本語"),
    ];
    each(rows, |(name, encoding, text, entries, expected)| {
        let map = if entries.is_empty() { Vec::new() } else { char_map("<0000> <ffff>", entries) };
        check_font(name, &font(encoding), text, &map, page(1, expected));
    });
    let why = "2 of 2 characters have fonts without a character map".to_owned();
    let unknown = noted(1, "\u{fffd}\u{fffd}", PageNote::Garbled { why });
    check_font("no map", &font("Identity-H"), "<00410042>", b"", unknown);
}

#[test]
fn reads_text_of_nested_forms() {
    let form = "/Type/XObject/Subtype/Form/Resources<</Font<</F1 5 0 R>>/XObject<</X1 6 0 R/X2 7 0 R>>>>";
    let inner = b"BT /F1 12 Tf 72 700 Td (inside a form) Tj ET";
    let rows: [(&str, &[u8], Pages); 3] = [
        ("form", inner, Ok(vec![page(1, "inside a form\n\nafter the form")])),
        ("form in form", b"/X2 Do", Ok(vec![page(1, "deep inside\n\nafter the form")])),
        ("form in itself", b"/X1 Do /X1 Do /X1 Do", Ok(vec![page(1, "after the form")])),
    ];
    for (name, content, expected) in rows {
        let paper =
            Paper::page("/X1 Do BT /F1 12 Tf 72 600 Td (after the form) Tj ET", "", "/XObject<</X1 6 0 R>>")
                .stream(6, form, content)
                .stream(7, form, b"BT /F1 12 Tf 72 700 Td (deep inside) Tj ET");
        check(name, &paper.bytes(), expected);
    }
}

#[test]
fn reads_only_the_requested_pages() {
    let bytes = Paper::of_pages(300).bytes();
    let pages = |numbers: &[u32]| {
        Ok(numbers
            .iter()
            .map(|number| page(*number, &format!("This is page number {number}")))
            .collect::<Vec<_>>())
    };
    let rows = [
        ("1", pages(&[1])),
        ("300", pages(&[300])),
        ("299-", pages(&[299, 300])),
        ("298-400", pages(&[298, 299, 300])),
        ("3,1,2-3,250", pages(&[1, 2, 3, 250])),
        ("1-20", pages(&(1..=20).collect::<Vec<_>>())),
        ("1-21", Err(PdfError::TooManyPages { asked: 21, max: 20 })),
        ("2-", Err(PdfError::TooManyPages { asked: 299, max: 20 })),
        ("301", Err(PdfError::OutOfRange { page: 301, total: 300 })),
        ("1,400-", Err(PdfError::OutOfRange { page: 400, total: 300 })),
    ];
    each(rows, |(range, expected)| {
        let got = read_range(&bytes, range);
        assert!(got.as_ref().map_or(true, |pdf| pdf.total_pages == 300));
        assert_eq!(got.map(|pdf| pdf.pages), expected, "{range}");
    });
    check("no range, too long", &bytes, Err(PdfError::PagesNeeded { total: 300, unasked: 10, max: 20 }));
    let eleven = Err(PdfError::PagesNeeded { total: 11, unasked: 10, max: 20 });
    check("no range, 11 pages", &Paper::of_pages(11).bytes(), eleven);
    check("no range, 10 pages", &Paper::of_pages(10).bytes(), pages(&(1..=10).collect::<Vec<_>>()));
}

#[test]
fn pages_without_text_are_errors_or_noted() {
    let picture = "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray";
    let with_picture =
        |content: &str| Paper::page(content, "", "/XObject<</I1 6 0 R>>").stream(6, picture, b"\0").bytes();
    let no_text = || Err(PdfError::NoText { pages: vec![1], total: 1 });
    check("scan", &with_picture("q 600 0 0 700 0 0 cm /I1 Do Q"), no_text());
    check("blank", &Paper::page("", "", "").bytes(), no_text());
    check("spaces", &Paper::page("BT /F1 12 Tf (   ) Tj ET", "", "").bytes(), no_text());
    let stamp = vec![noted(1, "Page 1", PageNote::Image)];
    check("stamped scan", &with_picture("/I1 Do BT /F1 12 Tf 72 20 Td (Page 1) Tj ET"), Ok(stamp));
    let title = vec![page(1, "Chapter 1")];
    check("short title", &Paper::page("BT /F1 12 Tf 72 20 Td (Chapter 1) Tj ET", "", "").bytes(), Ok(title));
    let message = "no text on pages 1-3, 7 of 9: without a text layer the page is a scan, a drawing or blank";
    assert_eq!(PdfError::NoText { pages: vec![1, 2, 3, 7], total: 9 }.to_string(), message);
}

#[test]
fn rescues_or_refuses_broken_files() {
    let whole = include_bytes!("pdf/basic.pdf");
    let end = whole.windows(9).rposition(|window| window == b"startxref").unwrap();
    let table = whole.windows(5).rposition(|window| window == b"\nxref").unwrap();
    let missing = || Err(garbled("the page's content is missing from the file"));
    let no_page = || Err(garbled("no page can be found"));
    let kids = |kids: &str| {
        Paper::new()
            .object(1, "<</Type/Catalog/Pages 2 0 R>>")
            .object(2, &format!("<</Type/Pages/Kids[{kids}]/Count 9>>"))
            .bytes()
    };
    let no_start = || Err(garbled("failed parsing cross reference table: invalid start value"));
    let rows: Vec<(&str, Vec<u8>, Pages)> = vec![
        ("no end", whole[..end].to_vec(), Ok(basic())),
        ("wrong start", [&whole[..end], b"startxref\n99999999\n%%EOF\n"].concat(), Ok(basic())),
        ("no table", [&whole[..table], b"\nxref\n0 99\nzzzz\n", &whole[end..]].concat(), Ok(basic())),
        ("junk before", [b"junk\n".repeat(9), whole.to_vec()].concat(), Ok(basic())),
        (
            "misplaced table",
            Paper::of_pages(1).misplaced(7).bytes(),
            Ok(vec![page(1, "This is page number 1")]),
        ),
        ("cut in half", whole[..whole.len() / 2].to_vec(), missing()),
        ("header only", b"%PDF-1.7\n".to_vec(), no_start()),
        ("noise", [b"%PDF-1.7\n".to_vec(), (0..=255).cycle().take(9000).collect()].concat(), no_start()),
        ("no pages", kids(""), no_page()),
        ("pages that hold themselves", kids("2 0 R 2 0 R"), no_page()),
        ("words", b"not at all".to_vec(), Err(PdfError::NotAPdf)),
        ("nothing", Vec::new(), Err(PdfError::NotAPdf)),
    ];
    each(rows, |(name, bytes, expected)| {
        check(name, &bytes, expected);
    });
}

#[test]
fn withstands_hostile_files() {
    let draw = "BT /F1 12 Tf 72 700 Td (still read to its end) Tj ET";
    let still = || Ok(vec![page(1, "still read to its end")]);
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let catalog = format!("<</Type/Catalog/Pages 2 0 R/Deep {deep}>>");
    let deep_object = Paper::new().object(1, &catalog).object(2, "<</Type/Pages/Kids[]/Count 0>>").bytes();
    let endless = Paper::page(&draw.replace("F1", "F2"), "/F2 6 0 R", "")
        .object(6, &format!("<</Type/Font/Encoding<</Differences[1/a{}]>>>>", "big".repeat(500_000)))
        .bytes();
    let bomb = "couldn't decompress stream: decompressed output exceeded the 67108864-byte limit (possible decompression bomb)";
    let rows: Vec<(&str, Vec<u8>, Pages)> = vec![
        ("deep array in the content", Paper::page(&format!("{deep} TJ {draw}"), "", "").bytes(), still()),
        (
            "states without end",
            Paper::page(&format!("{}{draw}", "q ".repeat(100_000)), "", "").bytes(),
            still(),
        ),
        ("endless glyph name", endless, still()),
        ("deep object", deep_object, Err(garbled("no page can be found"))),
        ("bomb", include_bytes!("pdf/bomb.pdf").to_vec(), Err(garbled(bomb))),
    ];
    each(rows, |(name, bytes, expected)| {
        check(name, &bytes, expected);
    });
    // An array of 4 MB in the file that would need many times as much memory.
    let wide = format!("<</Type/Catalog/Pages 2 0 R/Wide [{}]>>", "0 ".repeat(2_000_000));
    let wide = Paper::new().object(1, &wide).object(2, "<</Type/Pages/Kids[]/Count 0>>").bytes();
    check(
        "wide object",
        &wide,
        Err(garbled("the PDF's objects take too much memory when they are unpacked")),
    );
}

#[test]
fn stops_at_the_deadline() {
    let content = "BT /F1 12 Tf 72 700 Td (again and again) Tj ET ".repeat(100_000);
    let bytes = Paper::page(&content, "", "").bytes();
    for (deadline, seconds) in [(Duration::ZERO, 0), (Duration::from_millis(1), 0)] {
        let limits = PdfLimits { deadline, ..PdfLimits::default() };
        assert_eq!(read(bytes.clone(), None, limits), Err(PdfError::TimedOut { seconds }));
    }
}

#[test]
fn cuts_a_page_that_is_too_long() {
    let content = "BT /F1 12 Tf 14 TL 72 700 Td (0123456789) Tj (éééé\\351) ' (more) ' ET";
    let bytes = Paper::page(content, "", "").bytes();
    let limits = PdfLimits { max_page_bytes: 14, ..PdfLimits::default() };
    let pages = read(bytes, None, limits).unwrap().pages;
    let whole = read(Paper::page(content, "", "").bytes(), None, PdfLimits::default()).unwrap().pages;
    assert_eq!(pages[0].text.as_bytes(), &whole[0].text.as_bytes()[..pages[0].text.len()]);
    let left_out = whole[0].text.len() - pages[0].text.len();
    assert!((10..=14).contains(&pages[0].text.len()));
    assert_eq!(pages[0].note, Some(PageNote::Cut { left_out }));
}

#[test]
fn damaged_files_give_a_document_or_an_error() {
    // Set bytes of a small file to a few values: the result must be a document or an error with a cause.
    let file = include_bytes!("pdf/object_streams.pdf");
    let mut read_well = 0;
    for place in (0..file.len()).step_by(11) {
        each([0, b'9', b'<', 0xff], |value| {
            let mut bytes = file.to_vec();
            bytes[place] = value;
            match read(bytes, None, PdfLimits::default()) {
                Ok(pdf) => {
                    assert!(pdf.pages.iter().all(|page| !page.text.is_empty() || page.note.is_some()));
                    read_well += 1;
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        });
    }
    assert!(read_well > 0);
}
