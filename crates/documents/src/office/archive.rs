//! Access to the members (files) of a Zip archive, which are unpacked within a budget of bytes and time.

use std::collections::HashMap;
use std::io::Read;

use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};

use super::{Error, UnpackLimit};

/// A Zip archive in memory.
pub(super) struct Archive<'a> {
    zip: ZipSliceArchive<&'a [u8]>,
    members: HashMap<String, Member>,
}

#[derive(Clone, Copy)]
struct Member {
    way: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

/// The maximum number of members (files) of a Zip archive.
const MEMBERS: usize = 20_000;

/// Number of bytes that are unpacked between two checks of the time limit.
const PIECE: u64 = 256 * 1024;

/// Converts an error of the Zip library.
pub(super) fn damaged(error: &dyn std::fmt::Display) -> Error {
    Error::Damaged(error.to_string())
}

impl<'a> Archive<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        let zip = ZipArchive::from_slice(bytes).map_err(|error| damaged(&error))?;
        let mut members = HashMap::new();
        let mut entries = zip.entries();
        while let Some(entry) = entries.next_entry().map_err(|error| damaged(&error))? {
            if members.len() == MEMBERS {
                return Err(Error::Damaged(format!("the archive has more than {MEMBERS} members")));
            }
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
            members.insert(name, Member { way: entry.wayfinder(), method: entry.compression_method() });
        }
        Ok(Self { zip, members })
    }

    /// Unpacks a member of the archive as text; `None` if the archive has no such member.
    pub(super) fn text(&self, name: &str, budget: &mut UnpackLimit) -> Result<Option<String>, Error> {
        let Some(member) = self.members.get(name.trim_start_matches('/')) else { return Ok(None) };
        let entry = self.zip.get_entry(member.way).map_err(|error| damaged(&error))?;
        let bytes = match member.method {
            CompressionMethod::STORE => unpacked(&mut entry.verifying_reader(entry.data()), budget)?,
            CompressionMethod::DEFLATE => {
                let inflated = flate2::bufread::DeflateDecoder::new(entry.data());
                unpacked(&mut entry.verifying_reader(inflated), budget)?
            }
            _ => return Err(Error::Damaged(format!("{name} has an unsupported compression method"))),
        };
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Unpacks a member of the archive as text; fails if the archive has no such member.
    pub(super) fn needed(&self, name: &str, budget: &mut UnpackLimit) -> Result<String, Error> {
        self.text(name, budget)?.ok_or_else(|| Error::Missing(name.to_owned()))
    }
}

/// Reads a stream to its end, in pieces, and checks the budget after each piece.
fn unpacked(reader: &mut dyn Read, budget: &mut UnpackLimit) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    loop {
        let count = reader.take(PIECE).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
        if count == 0 {
            return Ok(bytes);
        }
        budget.take(count as u64)?;
    }
}
