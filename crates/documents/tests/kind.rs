//! Tests of detecting the type of a file by its first bytes and its name.
#![cfg(test)]

use toolpost_documents::{Kind, kind};
use toolpost_test_rows::each;

#[test]
fn detects_file_types_by_content_and_name() {
    let other = |what| Kind::Other { what };
    let tar = [vec![b'a'; 257], b"ustar\x0000".to_vec()].concat();
    let rows: &[(&[u8], &str, Kind)] = &[
        (b"\x89PNG\r\n\x1a\n....", "a.txt", Kind::Png),
        (b"\x89PNG\r\n", "a.png", Kind::Unknown),
        (b"\xff\xd8\xff\xe0....", "a.png", Kind::Jpeg),
        (b"GIF87a....", "", Kind::Gif),
        (b"GIF89a....", "", Kind::Gif),
        (b"GIF90a....", "", Kind::Unknown),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "", Kind::Webp),
        (b"RIFF\x10\0\0\0WAVEfmt ", "", other("WAV audio")),
        (b"RIFF\x10\0\0\0ABCD", "", other("RIFF data")),
        (b"%PDF-1.7\n", "a.ipynb", Kind::Pdf),
        (b"\xef\xbb\xbf\n%PDF-1.7\n", "", Kind::Pdf),
        (b"see %PDF-1.7\n", "", Kind::Unknown),
        (b"{\"cells\": []}", "a.ipynb", Kind::Notebook),
        (b"{\"cells\": []}", "A.IPYNB", Kind::Notebook),
        (b"{\"cells\": []}", "a.json", Kind::Unknown),
        (b"{}", ".ipynb", Kind::Unknown),
        (b"<svg xmlns=\"http://www.w3.org/2000/svg\">", "a.svg", Kind::Unknown),
        (b"<?xml version=\"1.0\"?><svg>", "a.svg", Kind::Unknown),
        (b"", "", Kind::Unknown),
        (b"plain words", "a.png", Kind::Unknown),
        (b"PK\x03\x04\x14\0", "b.zip", other("Zip archive")),
        (b"\x7fELF\x02\x01", "", other("ELF executable")),
        (b"SQLite format 3\0\x10\0", "", other("SQLite database")),
        (b"\x1f\x8b\x08\0", "", other("gzip data")),
        (b"\x28\xb5\x2f\xfd", "", other("Zstandard data")),
        (b"\0asm\x01\0\0\0", "", other("WebAssembly module")),
        (b"\xca\xfe\xba\xbe\0\0\0\x41", "", other("Java class")),
        (b"\xca\xfe\xba\xbe\0\0\0\x02", "", other("Mach-O universal executable")),
        (b"ID3\x04\0", "", other("MP3 audio")),
        (b"\xff\xfb\x90\x64", "", other("MP3 audio")),
        (b"II*\0\x08\0\0\0", "", other("TIFF image")),
        (b"\0\0\0\x18ftypheic\0\0\0\0", "", other("HEIC image")),
        (b"\0\0\0\x1cftypavif\0\0\0\0", "", other("AVIF image")),
        (b"\0\0\0\x18ftypisom\0\0\0\0", "", other("MPEG-4 video")),
        (b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0", "", other("BMP image")),
        (b"BMW drivers", "", Kind::Unknown),
        (b"MZ\x90\0\x03\0", "", other("Windows executable")),
        (b"MZ is a prefix", "", Kind::Unknown),
        (b"wOF2\0\x01\0\0", "", other("WOFF2 font")),
        (b"\0\x01\0\0\0\x0f", "", other("TrueType font")),
        (b"OTTO\0\x0b", "", other("OpenType font")),
        (b"\xcb\x0d\x0d\x0a\0\0\0\0", "", other("Python bytecode")),
        (&tar, "", other("tar archive")),
    ];
    each(rows, |(head, name, expected)| {
        assert_eq!(kind(head, name), *expected, "{name} {:?}", head.escape_ascii().to_string());
    });
}
