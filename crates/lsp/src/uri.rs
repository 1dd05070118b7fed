//! Conversion between file paths and `file://` URIs.

use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Returns the URI of an absolute path.
pub(crate) fn of_path(path: &Path) -> String {
    let mut address = "file://".to_owned();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            address.push(char::from(*byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// Parses a URI; `None` if it is not a file on this machine.
pub(crate) fn path_of(address: &str) -> Option<PathBuf> {
    let rest = address.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let rest = rest.split(['?', '#']).next().filter(|rest| rest.starts_with('/'))?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let [first, others @ ..] = left {
        left = others;
        let code = if *first == b'%' { others.get(..2) } else { None };
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        match code {
            Some(byte) => {
                bytes.push(byte);
                left = &others[2..];
            }
            None => bytes.push(*first),
        }
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn file_uris_are_converted_to_paths_and_back() {
        let rows = [
            ("/a/b.py", "file:///a/b.py"),
            ("/a b/ä#?.py", "file:///a%20b/%C3%A4%23%3F.py"),
            ("/100%/[x]", "file:///100%25/%5Bx%5D"),
        ];
        for (path, address) in rows {
            assert_eq!(of_path(Path::new(path)), address);
            assert_eq!(path_of(address), Some(PathBuf::from(path)));
        }
        let read = [
            ("file:///a/b@c+d.py", Some("/a/b@c+d.py")),
            ("file://localhost/a", Some("/a")),
            ("file:///a%2fb%zz", Some("/a/b%zz")),
            ("file:///a#L3", Some("/a")),
            ("file://host/a", None),
            ("jdt://contents/a", None),
            ("/a", None),
        ];
        each(read, |(address, path)| {
            assert_eq!(path_of(address), path.map(PathBuf::from), "{address}");
        });
        let odd = PathBuf::from(OsString::from_vec(vec![b'/', 0xff]));
        assert_eq!(path_of(&of_path(&odd)), Some(odd));
    }
}
