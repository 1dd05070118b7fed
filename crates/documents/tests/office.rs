//! Tests of office documents and archives as text, and of the limits for hostile ones.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use std::{io::Write as _, time::Duration};
use toolpost_documents::office::{self, Document, Error, Format, Limits};
use toolpost_test_rows::each;

/// Creates a Zip archive of compressed members.
fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (name, content) in members {
        let file = archive.new_file(*name).compression_method(rawzip::CompressionMethod::DEFLATE);
        let (mut entry, config) = file.start().unwrap();
        let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
        let mut writer = config.wrap(encoder);
        writer.write_all(content).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// Creates a tar archive; a name that is too long for a header gets a separate entry.
fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut entry = |name: &str, kind: u8, content: &[u8]| {
        let mut header = [0_u8; 512];
        let short = &name.as_bytes()[..name.len().min(100)];
        header[..short.len()].copy_from_slice(short);
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[156] = kind;
        header[257..262].copy_from_slice(b"ustar");
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    };
    for (name, content) in entries {
        if name.len() > 100 {
            entry("././@LongLink", b'L', format!("{name}\0").as_bytes());
        }
        entry(name, b'0', content);
    }
    bytes.resize(bytes.len() + 1_024, 0);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn word(body: &str) -> Vec<u8> {
    let text = format!("<w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>");
    zip(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", text.as_bytes())])
}

const WORKBOOK: &[u8] =
    b"<workbook xmlns:r=\"r\"><sheets><sheet name=\"Prices\" sheetId=\"1\" r:id=\"rId2\"/>\
    <sheet name=\"Empty\" sheetId=\"2\" r:id=\"rId1\"/></sheets></workbook>";
const RELATIONS: &[u8] =
    b"<Relationships><Relationship Id=\"rId1\" Type=\"x/worksheet\" Target=\"worksheets/sheet2.xml\"/>\
    <Relationship Id=\"rId2\" Type=\"x/worksheet\" Target=\"/xl/worksheets/sheet1.xml\"/>\
    <Relationship Id=\"rId3\" Type=\"x/sharedStrings\" Target=\"sharedStrings.xml\"/>\
    <Relationship Id=\"rId4\" Type=\"x/styles\" Target=\"styles.xml\"/></Relationships>";

fn sheets(rows: &str) -> Vec<u8> {
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    zip(&[
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", RELATIONS),
        (
            "xl/sharedStrings.xml",
            b"<sst><si><t>name</t></si><si><r><t>Caf</t></r><r><t>&#233; &amp; co</t></r></si></sst>",
        ),
        (
            "xl/styles.xml",
            b"<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/></numFmts>\
              <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>",
        ),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/worksheets/sheet2.xml", b"<worksheet><sheetData/></worksheet>"),
    ])
}

fn read(bytes: &[u8], format: Format) -> Document {
    office::read(bytes, format, Limits::default()).unwrap()
}

fn parts(document: &Document) -> Vec<(&str, &str)> {
    document.parts.iter().map(|part| (part.title.as_str(), part.text.as_str())).collect()
}

#[test]
fn a_word_document_is_read_page_by_page() {
    let body = "<w:p><w:pPr><w:pStyle w:val=\"Heading2\"/><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>Report</w:t></w:r></w:p>\
        <w:p><w:r><w:t xml:space=\"preserve\">One &lt;two&gt; </w:t></w:r><w:r><w:tab/><w:t>three</w:t><w:br/><w:t>four</w:t></w:r>\
        <w:r><w:instrText>PAGE</w:instrText></w:r></w:p>\
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc>\
        <w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
        <w:p><w:r><w:t>last</w:t><w:br w:type=\"page\"/></w:r></w:p>\
        <w:p><w:r><w:lastRenderedPageBreak/><w:t>second</w:t></w:r></w:p>\
        <mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice>\
        <mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>";
    let document = read(&word(body), Format::Word);
    assert_eq!(
        parts(&document),
        [("page 1", "## Report\nOne <two> \tthree\nfour\n| a b | c |\nlast\n"), ("page 2", "second\nbox\n"),]
    );
}

#[test]
fn a_spreadsheet_is_read_as_numbered_rows() {
    let rows = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"s\"><v>1</v></c></row>\
        <row r=\"4\"><c r=\"A4\"><f>1+1</f><v>2</v></c><c r=\"B4\" s=\"1\"><v>45292</v></c><c r=\"C4\" t=\"b\"><v>1</v></c>\
        <c r=\"D4\" t=\"inlineStr\"><is><t>in\nline</t></is></c><c r=\"E4\" t=\"e\"><v>#DIV/0!</v></c></row>";
    let document = read(&sheets(rows), Format::Sheets);
    assert_eq!(
        parts(&document),
        [
            ("sheet Prices, from row 1", "1\tname\t\tCafé & co\n4\t2\t2024-01-01\tTRUE\tin line\t#DIV/0!\n"),
            ("sheet Empty", "(empty)\n"),
        ]
    );
    // A formula without a stored value is shown itself.
    let formulas = "<row r=\"1\"><c r=\"A1\"><f>SUM(B1:B2)&amp;\"x\"</f></c><c r=\"B1\" t=\"str\"><f>A1</f><v></v></c>\
        <c r=\"C1\"><f t=\"shared\" si=\"0\"/></c><c r=\"D1\"><f>1+2</f><v>3</v></c><c r=\"E1\"/></row>";
    assert_eq!(
        parts(&read(&sheets(formulas), Format::Sheets))[0],
        ("sheet Prices, from row 1", "1\t=SUM(B1:B2)&\"x\"\t=A1\t=…\t3\n")
    );
    let many: String =
        (1..=450).map(|row| format!("<row r=\"{row}\"><c r=\"A{row}\"><v>{row}</v></c></row>")).collect();
    let document = read(&sheets(&many), Format::Sheets);
    let titles: Vec<&str> = document.parts.iter().map(|part| part.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "sheet Prices, from row 1",
            "sheet Prices, from row 201",
            "sheet Prices, from row 401",
            "sheet Empty"
        ]
    );
}

#[test]
fn slides_are_read_in_display_order_with_their_notes() {
    let slide = |text: &str| {
        format!("<p:sld xmlns:p=\"p\" xmlns:a=\"a\"><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>")
    };
    let (first, second, notes) = (slide("first"), slide("second"), slide("say hello"));
    let bytes = zip(&[
        (
            "ppt/presentation.xml",
            b"<p:presentation xmlns:p=\"p\" xmlns:r=\"r\"><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId9\"/>\
              <p:sldId id=\"257\" r:id=\"rId1\"/></p:sldIdLst></p:presentation>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            b"<Relationships><Relationship Id=\"rId1\" Type=\"x/slide\" Target=\"slides/slide1.xml\"/>\
              <Relationship Id=\"rId9\" Type=\"x/slide\" Target=\"slides/slide2.xml\"/></Relationships>",
        ),
        ("ppt/slides/slide1.xml", second.as_bytes()),
        ("ppt/slides/slide2.xml", first.as_bytes()),
        (
            "ppt/slides/_rels/slide2.xml.rels",
            b"<Relationships><Relationship Id=\"rId1\" Type=\"x/notesSlide\" Target=\"../notesSlides/notesSlide1.xml\"/></Relationships>",
        ),
        ("ppt/notesSlides/notesSlide1.xml", notes.as_bytes()),
    ]);
    let document = read(&bytes, Format::Slides);
    assert_eq!(parts(&document), [("slide 1", "first\nNotes:\nsay hello\n"), ("slide 2", "second\n")]);
}

#[test]
fn archives_are_read_as_lists_of_entries() {
    let long = format!("{}/end.txt", "d".repeat(150));
    let entries: [(&str, &[u8]); 3] = [("a.txt", b"one"), (&long, &[7; 700]), ("b\n[x]", b"")];
    let wanted = format!("{:>12}  a.txt\n{:>12}  {long}\n{:>12}  b\\n[x]\n", 3, 700, 0);
    let zipped = zip(&entries);
    let tarred = tar(&entries);
    for (bytes, format) in
        [(zipped, Format::Zip), (tarred.clone(), Format::Tar), (gzip(&tarred), Format::TarGz)]
    {
        let document = read(&bytes, format);
        assert_eq!(parts(&document), [("entries 1-3", wanted.as_str())], "{format:?}");
        assert!(
            document.notes[0].starts_with("an archive of 3 entries, 703 bytes when unpacked"),
            "{document:?}"
        );
    }
}

/// The end of a long tar archive is not read, so its totals are unknown.
#[test]
fn totals_of_long_archives_are_given_only_if_they_were_read() {
    let entries: [(&str, &[u8]); 3] = [("a", b"one"), ("b", b"three"), ("c", &[7; 700])];
    let (whole, first) =
        ("an archive of 3 entries, 708 bytes when unpacked", "only the first 2 entries are listed");
    let beginning = "an archive of more than 2 entries; the first 2 have 8 bytes when unpacked";
    let rows = [
        (Format::Zip, zip(&entries), 2, whole, Some(first)),
        (Format::Zip, zip(&entries), 3, whole, None),
        (Format::Tar, tar(&entries), 2, beginning, Some(first)),
        (Format::TarGz, gzip(&tar(&entries)), 2, beginning, Some(first)),
        (Format::Tar, tar(&entries), 3, whole, None),
    ];
    each(rows, |(format, bytes, entries, total, cut)| {
        let document = office::read(&bytes, format, Limits { entries, ..Limits::default() }).unwrap();
        assert_eq!(document.parts.len(), 1);
        assert_eq!(document.parts[0].text.lines().count(), entries);
        assert_eq!(document.notes[0], format!("{total}; only names and sizes are listed"));
        assert_eq!(document.notes.get(1).map(String::as_str), cut);
    });
}

#[test]
fn files_that_unpack_to_too_much_are_refused() {
    let limits = Limits { unpacked: 1 << 20, time: Duration::from_secs(5), ..Limits::default() };
    let zeros = vec![b' '; 64 << 20];
    let bomb = zip(&[("word/document.xml", &zeros)]);
    assert_eq!(office::read(&bomb, Format::Word, limits), Err(Error::TooLarge(1 << 20)));
    let bomb = gzip(&tar(&[("a", &zeros)]));
    assert_eq!(office::read(&bomb, Format::TarGz, limits), Err(Error::TooLarge(1 << 20)));
    let entities = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><d><p><r><t>&b;&b;x</t></r></p></d>";
    let document = read(&zip(&[("word/document.xml", entities.as_bytes())]), Format::Word);
    assert_eq!(parts(&document), [("page 1", "x\n")]);
    let deep = "<d>".repeat(200_000);
    let none = office::read(&zip(&[("word/document.xml", deep.as_bytes())]), Format::Word, limits);
    assert!(none.is_ok_and(|document| document.parts.is_empty()));
    let hasty = Limits { time: Duration::ZERO, ..Limits::default() };
    let timed_out = office::read(&word("<w:p/>"), Format::Word, hasty);
    assert!(matches!(timed_out, Err(Error::TimedOut(_))), "{timed_out:?}");
}

#[test]
fn damaged_and_mismatched_files_report_the_cause() {
    let whole = word("<w:p><w:r><w:t>text</w:t></w:r></w:p>");
    let cut = office::read(&whole[..whole.len() / 2], Format::Word, Limits::default());
    assert!(matches!(cut, Err(Error::Damaged(_))), "{cut:?}");
    let other = office::read(&whole, Format::Sheets, Limits::default());
    assert_eq!(other, Err(Error::Missing("xl/workbook.xml".to_owned())));
    let broken = zip(&[("word/document.xml", b"<a><b></a>")]);
    let broken = office::read(&broken, Format::Word, Limits::default());
    assert!(matches!(broken, Err(Error::Xml(..))), "{broken:?}");
    let cut = tar(&[("a", &[1; 2_000])]);
    let cut = office::read(&cut[..1_000], Format::Tar, Limits::default());
    assert!(matches!(cut, Err(Error::Damaged(_))), "{cut:?}");
}

const FORMATS: [Format; 6] =
    [Format::Word, Format::Sheets, Format::Slides, Format::Zip, Format::Tar, Format::TarGz];

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/office.txt"))),
        ..ProptestConfig::default()
    })]

    /// A changed byte, a truncated file, or random bytes result in a document or an error, never in a panic.
    #[test]
    fn arbitrary_bytes_never_panic_a_reader(
        at in 0.0_f64..1.0,
        byte in any::<u8>(),
        cut in 0.0_f64..1.0,
        noise in proptest::collection::vec(any::<u8>(), 0..600),
    ) {
        let word = word("<w:p><w:r><w:t>text</w:t></w:r></w:p>");
        let sheets = sheets("<row r=\"1\"><c r=\"ZZZZ1\"><v>1</v></c><c r=\"A1\" s=\"99\"><v>45292</v></c></row>");
        let tar = tar(&[("a", b"text")]);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "the numbers are small")]
        let share = |of: f64, len: usize| (of * len as f64) as usize;
        for original in [word, sheets, tar.clone(), gzip(&tar), noise] {
            let mut changed = original;
            if !changed.is_empty() {
                let place = share(at, changed.len());
                changed[place] ^= byte;
                changed.truncate(share(cut, changed.len()).max(changed.len() / 2));
            }
            let limits = Limits { unpacked: 1 << 20, ..Limits::default() };
            for format in FORMATS {
                let _ = office::read(&changed, format, limits);
            }
        }
    }
}
