//! Lists of the entries of archives: the name and size of each, in the order of the archive.

use std::io::Read;

use rawzip::ZipArchive;

use super::{Document, DocumentPart, Error, UnpackLimit, archive::damaged};

/// Number of entries in one part of the listing.
const ENTRIES: usize = 500;
/// Size of a block of a tar archive, in bytes.
const BLOCK: usize = 512;
/// Maximum length, in bytes, of an entry name that a tar archive stores in a separate entry.
const NAME: u64 = 64 * 1024;

pub(super) fn zip(bytes: &[u8], budget: &UnpackLimit) -> Result<Document, Error> {
    let zip = ZipArchive::from_slice(bytes).map_err(|error| damaged(&error))?;
    let mut list = List::new(budget);
    let mut entries = zip.entries();
    while let Some(entry) = entries.next_entry().map_err(|error| damaged(&error))? {
        let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        list.add(&name, entry.uncompressed_size_hint())?;
    }
    Ok(list.finish(Extent::Whole))
}

/// Lists a tar archive in the formats ustar, GNU and pax. GNU and pax store long names in separate entries.
pub(super) fn tar(mut archive: impl Read, budget: &mut UnpackLimit) -> Result<Document, Error> {
    let (mut names, mut long, mut extent) = (Vec::new(), None::<String>, Extent::Whole);
    let mut block = [0; BLOCK];
    while filled(&mut archive, &mut block, budget)? && block.iter().any(|byte| *byte != 0) {
        let size = number(&block[124..136]);
        match block[156] {
            kind @ (b'L' | b'x') => {
                let text = body(&mut archive, size, budget)?;
                long = if kind == b'L' { Some(until_zero(&text)) } else { pax(&text).or(long) };
            }
            b'g' | b'K' => skip(&mut archive, size, budget)?,
            _ => {
                if names.len() == budget.limits.entries {
                    extent = Extent::Beginning;
                    break;
                }
                let name = long.take().unwrap_or_else(|| name(&block));
                names.push((name, size));
                skip(&mut archive, size, budget)?;
            }
        }
    }
    let mut list = List::new(budget);
    for (name, size) in names {
        list.add(&name, size)?;
    }
    Ok(list.finish(extent))
}

/// Reads a whole block of a tar archive; returns false at the end of the archive.
fn filled(archive: &mut impl Read, block: &mut [u8; BLOCK], budget: &mut UnpackLimit) -> Result<bool, Error> {
    let mut count = 0;
    while count < BLOCK {
        match archive.read(&mut block[count..]).map_err(|error| damaged(&error))? {
            0 if count == 0 => return Ok(false),
            0 => return Err(Error::Damaged("the archive ends in the middle of an entry".to_owned())),
            more => count += more,
        }
    }
    budget.take(BLOCK as u64)?;
    Ok(true)
}

/// Skips the content of an entry of `size` bytes, which occupies whole blocks.
fn skip(archive: &mut impl Read, size: u64, budget: &mut UnpackLimit) -> Result<(), Error> {
    let mut left = size.div_ceil(BLOCK as u64).saturating_mul(BLOCK as u64);
    let mut piece = [0; 16 * 1024];
    while left > 0 {
        let want = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
        match archive.read(&mut piece[..want]).map_err(|error| damaged(&error))? {
            0 => return Err(Error::Damaged("the archive ends in the middle of an entry".to_owned())),
            count => {
                budget.take(count as u64)?;
                left -= count as u64;
            }
        }
    }
    Ok(())
}

/// Reads the content of an entry that holds the name of the entry after it.
fn body(archive: &mut impl Read, size: u64, budget: &mut UnpackLimit) -> Result<Vec<u8>, Error> {
    if size > NAME {
        return Err(Error::Damaged("an entry name is too long".to_owned()));
    }
    let mut text = Vec::new();
    let mut block = [0; BLOCK];
    for _ in 0..size.div_ceil(BLOCK as u64) {
        if !filled(archive, &mut block, budget)? {
            return Err(Error::Damaged("the archive ends in the middle of an entry".to_owned()));
        }
        text.extend_from_slice(&block);
    }
    text.truncate(usize::try_from(size).unwrap_or(usize::MAX));
    Ok(text)
}

/// Returns the path in a pax entry, which gives the name of the entry after it.
fn pax(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    text.lines().find_map(|line| Some(line.split_once(' ')?.1.strip_prefix("path=")?.to_owned()))
}

fn name(block: &[u8; BLOCK]) -> String {
    let (name, prefix) = (until_zero(&block[..100]), until_zero(&block[345..500]));
    let is_ustar = &block[257..262] == b"ustar";
    if is_ustar && !prefix.is_empty() { format!("{prefix}/{name}") } else { name }
}

fn until_zero(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Parses a number in a tar header: octal digits, or a big-endian number if the first bit is set.
fn number(field: &[u8]) -> u64 {
    if field.first().is_some_and(|first| first & 0x80 != 0) {
        let bytes = field.iter().skip(1).map(|byte| u64::from(*byte));
        return bytes.fold(0, |number, byte| number.wrapping_shl(8) | byte);
    }
    let digits = field.iter().filter(|byte| (b'0'..=b'7').contains(*byte));
    digits.fold(0, |number: u64, digit| number.wrapping_mul(8) | u64::from(digit - b'0'))
}

/// The part of an archive that was read.
#[derive(Clone, Copy)]
enum Extent {
    Whole,
    /// Only the first entries were read, so the totals of the archive are unknown.
    Beginning,
}

/// The listing of an archive while it is being built.
struct List {
    parts: Vec<String>,
    count: usize,
    bytes: u64,
    most: usize,
    end: Option<std::time::Instant>,
    time: u64,
}

impl List {
    fn new(budget: &UnpackLimit) -> Self {
        let limits = budget.limits;
        Self {
            parts: Vec::new(),
            count: 0,
            bytes: 0,
            most: limits.entries,
            end: budget.end,
            time: limits.time.as_secs(),
        }
    }

    fn add(&mut self, name: &str, size: u64) -> Result<(), Error> {
        if self.count.is_multiple_of(1_024) && self.end.is_some_and(|end| std::time::Instant::now() >= end) {
            return Err(Error::TimedOut(self.time));
        }
        if self.count.is_multiple_of(ENTRIES) && self.count < self.most {
            self.parts.push(String::new());
        }
        self.count += 1;
        self.bytes = self.bytes.saturating_add(size);
        if self.count <= self.most
            && let Some(part) = self.parts.last_mut()
        {
            // Entry names are untrusted, so characters that would end the line or control a terminal are escaped.
            let name: String = name.chars().flat_map(printed).collect();
            part.push_str(&format!("{size:>12}  {name}\n"));
        }
        Ok(())
    }

    fn finish(self, extent: Extent) -> Document {
        let Self { parts, count, bytes, most, .. } = self;
        let parts = parts.into_iter().enumerate().map(|(at, text)| DocumentPart {
            title: format!("entries {}-{}", at * ENTRIES + 1, ((at + 1) * ENTRIES).min(count.min(most))),
            text,
        });
        let entries = if count == 1 { "entry" } else { "entries" };
        let mut notes = vec![match extent {
            Extent::Whole => format!(
                "an archive of {count} {entries}, {bytes} bytes when unpacked; only names and sizes are listed"
            ),
            Extent::Beginning => format!(
                "an archive of more than {count} {entries}; the first {count} have {bytes} bytes when unpacked; only names \
                 and sizes are listed"
            ),
        }];
        if count > most || matches!(extent, Extent::Beginning) {
            notes.push(format!("only the first {most} entries are listed"));
        }
        Document { parts: parts.collect(), notes }
    }
}

fn printed(letter: char) -> Vec<char> {
    if letter.is_control() { letter.escape_default().collect() } else { vec![letter] }
}
