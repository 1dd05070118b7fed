//! Reader of ZIP archives in memory, which verifies the content of each file.

use flate2::{Crc, Decompress, FlushDecompress, Status};

/// Signatures of the records of a ZIP archive: end of central directory, central directory entry, local header.
const END: [u8; 4] = *b"PK\x05\x06";
const LISTED: [u8; 4] = *b"PK\x01\x02";
const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// Lengths in bytes of an end of central directory, a central directory entry and a local header, without the names and
/// comments in them.
const LENGTHS: (usize, usize, usize) = (22, 46, 30);
/// Maximum length of the comment at the end of an archive, in bytes.
const COMMENT: usize = 0xffff;
/// Mask of the Unix file type in a file mode, and the value of the type for symbolic links.
const SORTS: (u32, u32) = (0o170_000, 0o120_000);
/// Supported compression methods: none, and DEFLATE.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// Maximum initial allocation for a file's content, in bytes, because the stated size may be wrong.
const FIRST: usize = 64 << 10;

/// A ZIP archive in memory.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    pub(super) members: Vec<Member>,
}

/// A file in the archive, as the central directory describes it.
pub(super) struct Member {
    pub(super) name: Vec<u8>,
    /// Unpacked size that the archive states for the file, in bytes.
    pub(super) size: u64,
    packed: usize,
    method: u16,
    encrypted: bool,
    sum: u32,
    at: usize,
    system: u8,
    attributes: u32,
}

impl Member {
    /// Returns whether the file in the archive is a symbolic link.
    pub(super) fn is_link(&self) -> bool {
        const UNIX: u8 = 3;
        self.system == UNIX && (self.attributes >> 16) & SORTS.0 == SORTS.1
    }
}

impl<'a> Archive<'a> {
    /// Reads the central directory of an archive, which lists its files.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let torn = || "the file is truncated, or is not an archive".to_owned();
        let from = bytes.len().saturating_sub(LENGTHS.0 + COMMENT);
        let last = bytes.len().checked_sub(LENGTHS.0).ok_or_else(torn)?;
        let end = (from..=last).rev().find(|at| bytes[*at..].starts_with(&END)).ok_or_else(torn)?;
        let (count, mut at) =
            (short(bytes, end + 10).ok_or_else(torn)?, long(bytes, end + 16).ok_or_else(torn)?);
        if count == u16::MAX || at == u32::MAX as usize {
            return Err("the archive uses ZIP64, which is not supported".to_owned());
        }
        let mut members = Vec::new();
        for _ in 0..count {
            let (member, next) = listed(bytes, at).ok_or_else(torn)?;
            members.push(member);
            at = next;
        }
        Ok(Self { bytes, members })
    }

    /// Unpacks a file in the archive. Fails if the file is encrypted, or if its content does not have the stated size and
    /// checksum.
    pub(super) fn content(&self, member: &Member) -> Result<Vec<u8>, String> {
        let torn = || "it is truncated".to_owned();
        if member.encrypted {
            return Err("it is encrypted".to_owned());
        }
        let local = self.bytes.get(member.at..).filter(|local| local.starts_with(&LOCAL)).ok_or_else(torn)?;
        let (name, extra) = (short(local, 26).ok_or_else(torn)?, short(local, 28).ok_or_else(torn)?);
        let begins = LENGTHS.2 + usize::from(name) + usize::from(extra);
        let packed = local.get(begins..).and_then(|rest| rest.get(..member.packed)).ok_or_else(torn)?;
        let size = usize::try_from(member.size).map_err(|_| torn())?;
        let content = match member.method {
            STORED => packed.to_vec(),
            DEFLATED => inflated(packed, size)?,
            other => return Err(format!("the compression method is not supported ({other})")),
        };
        let mut sum = Crc::new();
        sum.update(&content);
        if content.len() != size || sum.sum() != member.sum {
            return Err("the content does not match the archive's central directory".to_owned());
        }
        Ok(content)
    }
}

fn listed(bytes: &[u8], at: usize) -> Option<(Member, usize)> {
    let part = bytes.get(at..)?;
    if !part.starts_with(&LISTED) {
        return None;
    }
    let [name, extra, comment] = [short(part, 28)?, short(part, 30)?, short(part, 32)?].map(usize::from);
    let member = Member {
        name: part.get(LENGTHS.1..LENGTHS.1 + name)?.to_vec(),
        size: long(part, 24)? as u64,
        packed: long(part, 20)?,
        method: short(part, 10)?,
        encrypted: short(part, 8)? & 1 == 1,
        sum: u32::try_from(long(part, 16)?).ok()?,
        at: long(part, 42)?,
        system: *part.get(5)?,
        attributes: u32::try_from(long(part, 38)?).ok()?,
    };
    Some((member, at + LENGTHS.1 + name + extra + comment))
}

/// Inflates DEFLATE data; fails if it has more than `size` bytes.
fn inflated(packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let mut reader = Decompress::new(false);
    let mut out = Vec::with_capacity(size.min(FIRST));
    loop {
        let (read, had) = (usize::try_from(reader.total_in()).unwrap_or(usize::MAX), out.len());
        let rest = packed.get(read..).unwrap_or_default();
        let status = reader
            .decompress_vec(rest, &mut out, FlushDecompress::None)
            .map_err(|error| error.to_string())?;
        if out.len() > size {
            return Err("the file is longer than the archive's central directory states".to_owned());
        }
        match status {
            Status::StreamEnd => return Ok(out),
            _ if out.len() < out.capacity() && out.len() == had => return Err("it is truncated".to_owned()),
            _ => out.reserve(out.len().max(FIRST).min(size + 1 - out.len())),
        }
    }
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?)).ok()
}
