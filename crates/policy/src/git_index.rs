//! The files that git tracks, as its index lists them.

/// A file in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrackedFile {
    /// The path below the top of the repository.
    pub(crate) path: String,
    /// The modification time of the file when git last read it, in seconds and nanoseconds; the nanoseconds are 0 if git
    /// does not record them.
    pub(crate) modified: (u32, u32),
    /// The length of the content in bytes, modulo 2³².
    pub(crate) len: u32,
    /// True if a merge has left several versions of the file.
    pub(crate) is_unmerged: bool,
}

/// Length of an entry up to the hash, and lengths of the hash: that of SHA-1, and that of SHA-256.
const FIXED: usize = 40;
const HASHES: [usize; 2] = [20, 32];

/// Parses an index; `None` if its format is unknown or it is only a part of a split index.
pub(crate) fn parse(bytes: &[u8]) -> Option<Vec<TrackedFile>> {
    HASHES.iter().find_map(|hash| parse_with(bytes, *hash))
}

fn parse_with(bytes: &[u8], hash: usize) -> Option<Vec<TrackedFile>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let version = number(4).filter(|version| bytes.starts_with(b"DIRC") && (2..=4).contains(version))?;
    let count = usize::try_from(number(8)?).ok()?;
    let (mut at, mut out) = (12, Vec::new());
    let mut previous: Vec<u8> = Vec::new();
    for _ in 0..count {
        let begin = at;
        let flags = u16::from_be_bytes(bytes.get(at + FIXED + hash..at + FIXED + hash + 2)?.try_into().ok()?);
        at += FIXED + hash + 2;
        if flags & 0x4000 != 0 {
            if version == 2 {
                return None;
            }
            at += 2;
        }
        if version == 4 {
            let (removed, next) = offset(bytes, at)?;
            previous.truncate(previous.len().checked_sub(removed)?);
            at = next;
        } else {
            previous.clear();
        }
        let rest = bytes.get(at..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        previous.extend_from_slice(&rest[..end]);
        at += end + 1;
        // Before version 4, an entry is padded to a multiple of eight bytes.
        at = if version == 4 { at } else { begin + (at - begin).div_ceil(8) * 8 };
        let length = usize::from(flags & 0xfff);
        if previous.is_empty() || (length < 0xfff && length != previous.len()) {
            return None;
        }
        out.push(TrackedFile {
            path: String::from_utf8_lossy(&previous).into_owned(),
            modified: (number(begin + 8)?, number(begin + 12)?),
            len: number(begin + 36)?,
            is_unmerged: flags & 0x3000 != 0,
        });
    }
    is_complete(bytes, at, hash).then_some(out)
}

/// Reads the number of bytes that an entry of version 4 removes from the previous path. Returns the position after it.
fn offset(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
    }
    Some((value, at + 1))
}

/// Returns true if the extensions after the entries fill the file up to the checksum, and none of them refers to another
/// file with further entries.
fn is_complete(bytes: &[u8], mut at: usize, hash: usize) -> bool {
    while at.saturating_add(hash) < bytes.len() {
        let Some(header) = bytes.get(at..at + 8) else { return false };
        let Ok(length) = header[4..].try_into().map(u32::from_be_bytes) else { return false };
        if &header[..4] == b"link" {
            return false;
        }
        at = at.saturating_add(8).saturating_add(length as usize);
    }
    at.saturating_add(hash) == bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{TrackedFile, parse};
    use proptest::prelude::*;

    /// Writes an index as git does.
    fn written(files: &[TrackedFile], version: u32, hash: usize) -> Vec<u8> {
        let mut out = b"DIRC".to_vec();
        out.extend(version.to_be_bytes());
        out.extend(u32::try_from(files.len()).unwrap().to_be_bytes());
        let mut previous = String::new();
        for file in files {
            let begin = out.len();
            let numbers = [0, 0, file.modified.0, file.modified.1, 0, 0, 0o100_644, 0, 0, file.len];
            numbers.iter().for_each(|number: &u32| out.extend(number.to_be_bytes()));
            out.extend(vec![7; hash]);
            let length = u16::try_from(file.path.len().min(0xfff)).unwrap();
            out.extend((length | if file.is_unmerged { 0x1000 } else { 0 }).to_be_bytes());
            if version == 4 {
                let same =
                    previous.bytes().zip(file.path.bytes()).take_while(|(one, other)| one == other).count();
                let removed = previous.len() - same;
                // Larger numbers take two bytes.
                if removed >= 128 {
                    let rest = removed - 128;
                    out.extend([0x80 | u8::try_from(rest >> 7).unwrap(), u8::try_from(rest & 0x7f).unwrap()]);
                } else {
                    out.push(u8::try_from(removed).unwrap());
                }
                out.extend(file.path.as_bytes()[same..].iter());
                out.push(0);
                previous.clone_from(&file.path);
            } else {
                out.extend(file.path.as_bytes());
                out.push(0);
                while !(out.len() - begin).is_multiple_of(8) {
                    out.push(0);
                }
            }
        }
        out.extend(b"TREE\0\0\0\x02xy");
        out.extend(vec![9; hash]);
        out
    }

    fn file() -> impl Strategy<Value = TrackedFile> {
        let path = prop_oneof![8 => "[a-c]{1,3}(/[a-c]{1,20}){0,3}", 1 => "[a-c]{120,300}"];
        (path, any::<(u32, u32)>(), any::<u32>(), any::<bool>())
            .prop_map(|(path, modified, len, is_unmerged)| TrackedFile { path, modified, len, is_unmerged })
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: Some(Box::new(proptest::test_runner::FileFailurePersistence::Direct("proptest-regressions/git_index.txt"))),
            ..ProptestConfig::default()
        })]

        #[test]
        fn a_written_index_is_parsed(files in prop::collection::vec(file(), 0..20), version in 2_u32..=4, long in any::<bool>()) {
            let bytes = written(&files, version, if long { 32 } else { 20 });
            prop_assert_eq!(parse(&bytes), Some(files));
        }

        #[test]
        fn any_bytes_are_parsed_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), files in prop::collection::vec(file(), 1..4), at in 0_usize..200) {
            let _ = parse(&bytes);
            let mut broken = written(&files, 2, 20);
            let at = at.min(broken.len() - 1);
            broken[at] ^= 0xff;
            let _ = parse(&broken);
            broken.truncate(at);
            let _ = parse(&broken);
        }
    }

    #[test]
    fn a_split_index_is_refused() {
        let mut bytes = written(&[], 2, 20);
        let at = bytes.len() - 30;
        bytes[at..at + 4].copy_from_slice(b"link");
        assert_eq!(parse(&bytes), None);
    }
}
