//! Fuzz targets for documents: images, PDFs, notebooks, archives and the XML in them.

use std::time::Duration;
use toolpost_documents::{
    image::{self, ImageLimits},
    notebook::{self, NotebookLimits, Output},
    office::{self, Format, Limits},
    pdf::{self, PdfLimits},
};

/// Limits so low that one input cannot take long.
const IMAGE: ImageLimits =
    ImageLimits { max_side: 64, max_bytes: 100_000, max_pixels: 100_000, max_memory: 4_000_000 };
const ARCHIVE: Limits =
    Limits { unpacked: 1 << 20, text: 64 << 10, entries: 100, time: Duration::from_secs(5) };

/// Pieces of a PDF.
pub(crate) const OBJECTS: &[&str] = &[
    "1 0 obj",
    "endobj",
    "stream\n",
    "endstream",
    "xref",
    "trailer",
    "<<",
    ">>",
    "/Type",
    "/Page",
    "/Pages",
    "/Kids",
    "/Count",
    "/Contents",
    "/Length",
    "/Filter",
    "/FlateDecode",
    "/Encrypt",
    "/Font",
    "/ToUnicode",
    "2 0 R",
    "BT",
    "ET",
    "Tj",
    "TJ",
    "Tf",
    "beginbfrange",
    "endbfrange",
    "/Form",
    "Do",
    "-1",
    "99999999999",
];
/// Pieces of a notebook.
pub(crate) const KEYS: &[&str] = &[
    "\"cells\"",
    "\"outputs\"",
    "\"source\"",
    "\"data\"",
    "\"image/png\"",
    "\"text/plain\"",
    "\"stream\"",
    "\"error\"",
    "\"traceback\"",
    "\"nbformat\":4",
    "\"execution_count\"",
    "null",
    "[]",
    "{}",
    "\\u001b[31m",
];
/// Pieces of the XML in office documents.
pub(crate) const ELEMENTS: &[&str] = &[
    "<w:p>",
    "</w:p>",
    "<w:t>",
    "</w:t>",
    "<w:tbl>",
    "<w:tr>",
    "<w:tc>",
    "<row r=\"1\">",
    "<c r=\"A1\" t=\"s\">",
    "<v>0</v>",
    "</c>",
    "<a:t>",
    "</a:t>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    "&b;",
    "&#x110000;",
    "&lt;",
    "<?xml version=\"1.0\"?>",
    "r=\"XFD1048576\"",
    "xml:space=\"preserve\"",
    "/>",
];

/// Checks that a shown image is within all limits.
pub(crate) fn image(data: &[u8]) {
    if let Ok(shown) = image::show(data, IMAGE) {
        assert!(shown.data.len() <= IMAGE.max_bytes, "{} bytes", shown.data.len());
        assert!(shown.width.max(shown.height) <= IMAGE.max_side, "{} x {}", shown.width, shown.height);
        assert!(shown.width > 0 && shown.height > 0);
    }
}

/// Checks that the pages of a PDF are numbered, in order, and within the limits.
pub(crate) fn pdf(data: &[u8]) {
    let limits =
        PdfLimits { max_unasked: 3, max_pages: 3, max_page_bytes: 10_000, deadline: Duration::from_secs(5) };
    if let Ok(read) = pdf::read(data.to_vec(), None, limits) {
        assert!(read.pages.len() <= 3 && read.pages.iter().all(|page| page.number <= read.total_pages));
        assert!(read.pages.is_sorted_by(|one, other| one.number < other.number));
        assert!(read.pages.iter().all(|page| page.text.len() <= limits.max_page_bytes + 1_000));
    }
}

/// Checks that outputs are within the limits and contain no terminal escape sequences.
pub(crate) fn notebook(data: &[u8]) {
    let limits = NotebookLimits { max_output_bytes: 200, max_images: 2, image: IMAGE };
    let Ok(read) = notebook::read(data, limits) else { return };
    for output in read.cells.iter().flat_map(|cell| &cell.outputs) {
        if let Output::Text { text, .. } = output {
            assert!(text.len() <= limits.max_output_bytes + 200, "{} bytes", text.len());
        }
    }
}

/// Checks that an archive or a document is shown within the limits, whatever its name claims as the format.
pub(crate) fn zip(data: &[u8]) {
    for format in [Format::Word, Format::Sheets, Format::Slides, Format::Zip, Format::Tar, Format::TarGz] {
        shown(data, format);
    }
}

/// As [`zip`], with the input as the XML of each document.
pub(crate) fn xml(data: &[u8]) {
    let rels = b"<Relationships><Relationship Id=\"rId1\" Target=\"worksheets/sheet1.xml\"/></Relationships>";
    let books = b"<workbook><sheets><sheet name=\"a\" r:id=\"rId1\"/></sheets></workbook>";
    shown(&stored(&[("word/document.xml", data), ("word/comments.xml", data)]), Format::Word);
    shown(
        &stored(&[
            ("xl/workbook.xml", books),
            ("xl/_rels/workbook.xml.rels", rels),
            ("xl/sharedStrings.xml", data),
            ("xl/worksheets/sheet1.xml", data),
        ]),
        Format::Sheets,
    );
    shown(&stored(&[("xl/workbook.xml", data), ("xl/_rels/workbook.xml.rels", data)]), Format::Sheets);
    shown(
        &stored(&[("ppt/slides/slide1.xml", data), ("ppt/notesSlides/notesSlide1.xml", data)]),
        Format::Slides,
    );
}

fn shown(data: &[u8], format: Format) {
    if let Ok(document) = office::read(data, format, ARCHIVE) {
        let bytes: usize = document.parts.iter().map(|part| part.text.len()).sum();
        assert!(bytes <= ARCHIVE.text + 4_096, "{bytes} bytes of text");
    }
}

/// Builds a Zip archive with uncompressed members.
fn stored(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let at = u32::try_from(bytes.len()).unwrap();
        let length = u32::try_from(content.len()).unwrap().to_le_bytes();
        let mut head = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        head.extend(crc(content).to_le_bytes());
        head.extend([length, length].concat());
        head.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        head.extend([0, 0]);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&head);
        bytes.extend(name.as_bytes());
        bytes.extend(*content);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&head);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let count = u16::try_from(members.len()).unwrap().to_le_bytes();
    let start = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let size = u32::try_from(directory.len()).unwrap().to_le_bytes();
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].concat());
    bytes.extend([size, start].concat());
    bytes.extend([0, 0]);
    bytes
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(crc & 1)))
    };
    !bytes.iter().fold(u32::MAX, step)
}
