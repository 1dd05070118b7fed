//! Detection of a file's type by its first bytes, then by its name.

/// The type of a file, as far as this crate distinguishes types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A PNG image.
    Png,
    /// A JPEG image.
    Jpeg,
    /// A GIF image.
    Gif,
    /// A WebP image.
    Webp,
    /// A PDF document.
    Pdf,
    /// A Jupyter notebook, recognised by its file name.
    Notebook,
    /// A file in another binary format whose name is known.
    Other {
        /// The name of the format, such as "Zip archive".
        what: &'static str,
    },
    /// A text file, or a binary file without a known signature.
    Unknown,
}

/// Returns the type of a file, by its first bytes (512 are enough) and its name.
///
/// The bytes take precedence over the name: a PNG named `notes.txt` is a PNG. The name decides only for notebooks,
/// which are JSON. SVG is text, so it is `Unknown`.
pub fn kind(head: &[u8], name: &str) -> Kind {
    if let Some(kind) = shown(head) {
        return kind;
    }
    if let Some(what) = other(head) {
        return Kind::Other { what };
    }
    if is_notebook(name) {
        return Kind::Notebook;
    }
    Kind::Unknown
}

/// A file signature: an offset, the bytes there, and the name of the format.
type Signature = (usize, &'static [u8], &'static str);

/// The known file signatures. The first match counts, so a signature comes before all shorter ones with which it
/// begins.
const SIGNATURES: &[Signature] = &[
    (0, b"PK\x03\x04", "Zip archive"),
    (0, b"PK\x05\x06", "Zip archive"),
    (0, b"PK\x07\x08", "Zip archive"),
    (0, b"\x7fELF", "ELF executable"),
    (0, b"SQLite format 3\0", "SQLite database"),
    (0, b"\x1f\x8b", "gzip data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"\xfd7zXZ\0", "xz data"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (0, b"\x04\x22\x4d\x18", "LZ4 data"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (257, b"ustar", "tar archive"),
    (0, b"!<arch>\n", "ar archive (static library or Debian package)"),
    (0, b"\xed\xab\xee\xdb", "RPM package"),
    (0, b"MSCF\0\0\0\0", "Cabinet archive"),
    (0, b"\0asm", "WebAssembly module"),
    (0, b"\xfe\xed\xfa\xce", "Mach-O executable"),
    (0, b"\xfe\xed\xfa\xcf", "Mach-O executable"),
    (0, b"\xce\xfa\xed\xfe", "Mach-O executable"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O executable"),
    (0, b"dex\n035\0", "Android DEX bytecode"),
    (0, b"BC\xc0\xde", "LLVM bitcode"),
    (0, b"\x1bLua", "Lua bytecode"),
    (0, b"II*\0", "TIFF image"),
    (0, b"MM\0*", "TIFF image"),
    (0, b"8BPS", "Photoshop image"),
    (0, b"\0\0\x01\0", "Windows icon"),
    (0, b"\xff\x0a", "JPEG XL image"),
    (0, b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL image"),
    (0, b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000 image"),
    (0, b"qoif", "QOI image"),
    (0, b"v/1\x01", "OpenEXR image"),
    (0, b"gimp xcf ", "GIMP image"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"OTTO", "OpenType font"),
    (0, b"ttcf", "TrueType font collection"),
    (0, b"\0\x01\0\0\0", "TrueType font"),
    (0, b"ID3", "MP3 audio"),
    (0, b"fLaC", "FLAC audio"),
    (0, b"OggS", "Ogg audio or video"),
    (0, b"MThd\0\0\0\x06", "MIDI music"),
    (0, b"\x1a\x45\xdf\xa3", "Matroska or WebM video"),
    (0, b"FLV\x01", "Flash video"),
    (0, b"\0\0\x01\xba", "MPEG video"),
    (0, b"\0\0\x01\xb3", "MPEG video"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OLE compound file, such as an old Microsoft Office document"),
    (0, b"{\\rtf", "RTF document"),
    (0, b"PAR1", "Parquet data"),
    (0, b"ARROW1\0\0", "Arrow data"),
    (0, b"Obj\x01", "Avro data"),
    (0, b"\x89HDF\r\n\x1a\n", "HDF5 data"),
    (0, b"\x93NUMPY", "NumPy array"),
    (0, b"GGUF", "GGUF model weights"),
    (0, b"\xac\xed\0\x05", "Java serialized object"),
    (0, b"DIRC\0\0\0", "Git index"),
    (0, b"PACK\0\0\0", "Git pack"),
    (0, b"\xfftOc", "Git pack index"),
];

fn shown(head: &[u8]) -> Option<Kind> {
    if head.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(Kind::Png);
    }
    if head.starts_with(b"\xff\xd8\xff") {
        return Some(Kind::Jpeg);
    }
    if head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a") {
        return Some(Kind::Gif);
    }
    if riff_form(head) == Some(b"WEBP") {
        return Some(Kind::Webp);
    }
    starts_as_pdf(head).then_some(Kind::Pdf)
}

/// Returns whether a file starts with a PDF header, after an optional byte order mark and white space.
fn starts_as_pdf(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    head.trim_ascii_start().starts_with(b"%PDF-")
}

fn other(head: &[u8]) -> Option<&'static str> {
    let by_signature =
        SIGNATURES.iter().find(|(at, bytes, _)| head.get(*at..).is_some_and(|rest| rest.starts_with(bytes)));
    if let Some((_, _, what)) = by_signature {
        return Some(what);
    }
    if let Some(form) = riff_form(head) {
        return Some(match form {
            b"WAVE" => "WAV audio",
            b"AVI " => "AVI video",
            _ => "RIFF data",
        });
    }
    structured(head)
}

/// Returns the name of a format whose signature is so short that further bytes must confirm it.
fn structured(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xca, 0xfe, 0xba, 0xbe, 0, 0, major_high, major, ..]
            if u16::from_be_bytes([*major_high, *major]) >= 45 =>
        {
            Some("Java class")
        }
        [0xca, 0xfe, 0xba, 0xbe, ..] => Some("Mach-O universal executable"),
        [_, _, _, _, b'f', b't', b'y', b'p', a, b, c, d, ..] => Some(media_brand([*a, *b, *c, *d])),
        [b'M', b'Z', rest @ ..] if rest.contains(&0) => Some("Windows executable"),
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Some("BMP image"),
        [0xff, 0xfb | 0xf3 | 0xf2 | 0xfa, ..] => Some("MP3 audio"),
        [0xff, 0xf1 | 0xf9, ..] => Some("AAC audio"),
        [_, _, 0x0d, 0x0a, _, 0, 0, 0, ..] => Some("Python bytecode"),
        _ => None,
    }
}

fn media_brand(brand: [u8; 4]) -> &'static str {
    match &brand {
        b"heic" | b"heix" | b"hevc" | b"mif1" | b"msf1" => "HEIC image",
        b"avif" | b"avis" => "AVIF image",
        b"M4A " | b"M4B " => "MPEG-4 audio",
        b"qt  " => "QuickTime video",
        _ => "MPEG-4 video",
    }
}

fn riff_form(head: &[u8]) -> Option<&[u8; 4]> {
    if !head.starts_with(b"RIFF") {
        return None;
    }
    head.get(8..12)?.try_into().ok()
}

fn is_notebook(name: &str) -> bool {
    name.len() > ".ipynb".len()
        && name.as_bytes()[name.len() - ".ipynb".len()..].eq_ignore_ascii_case(b".ipynb")
}
