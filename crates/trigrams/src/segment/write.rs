//! Construction of a segment from the contents of files.

use toolpost_workspace::Hasher;
use toolpost_workspace::walk::FileStat;

use super::lists::{EMPTY, List, Lists};
use super::{FileRecord, STAMP};
use crate::gram::{GRAMS, Gram, grams};
use crate::source::Form;

/// The minimum size of a block in bytes. The block ends at the next end of a line.
const BLOCK: usize = 32 * 1024;

/// The maximum length of a line in bytes. Files with longer lines are read in each search, because a search
/// has its own limit on the length of a line.
const LONGEST_LINE: usize = 1024 * 1024;

/// Files above this length, in bytes, are searched in parts, so a search may report matches before it finds a
/// NUL byte. Above this length, a file with NUL bytes is therefore [`Form::Odd`].
const IN_PARTS: u64 = 1024 * 1024;

/// Builds a segment from files, which must be added in the order of their keys.
pub(crate) struct Writer {
    files: Vec<FileRecord>,
    blocks: u32,
    text: u64,
    /// For each trigram, the last block that contains it.
    last: Vec<u32>,
    /// For each trigram, the encoded distances between the blocks that contain it.
    postings: Vec<List>,
    lists: Lists,
    /// The trigrams of the current block.
    seen: GramSet,
    /// The trigrams of all blocks.
    known: GramSet,
    /// The trigrams of the current block, each with the distance from the previous block that contains it.
    distances: Vec<(Gram, u32)>,
}

impl Default for Writer {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            blocks: 0,
            text: 0,
            last: vec![0; GRAMS],
            postings: vec![EMPTY; GRAMS],
            lists: Lists::default(),
            seen: GramSet::default(),
            known: GramSet::default(),
            distances: Vec::new(),
        }
    }
}

impl Writer {
    /// Returns the number of bytes of text added so far.
    pub(crate) fn text(&self) -> u64 {
        self.text
    }

    /// Returns whether nothing has been added.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Adds a file with its whole content.
    pub(crate) fn add(&mut self, key: &[u8], stat: FileStat, bytes: &[u8]) {
        let form = form(bytes);
        let mut blocks = Vec::new();
        if form == Form::Text {
            let mut rest = bytes;
            while !rest.is_empty() {
                let (block, behind) = rest.split_at(block_end(rest));
                self.block(block);
                let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
                let lines = memchr::memchr_iter(b'\n', block).count();
                blocks.push((number(block.len()), number(lines)));
                rest = behind;
            }
        }
        self.put(key, stat, form, blocks);
        self.text += bytes.len() as u64;
    }

    /// Adds a file that must be read in each search.
    pub(crate) fn add_odd(&mut self, key: &[u8], stat: FileStat) {
        self.put(key, stat, Form::Odd, Vec::new());
    }

    fn put(&mut self, key: &[u8], stat: FileStat, form: Form, blocks: Vec<(u32, u32)>) {
        let FileStat { len, modified, touched, inode, .. } = stat;
        self.files.push(FileRecord { key: key.to_vec(), len, modified, touched, inode, form, blocks });
    }

    fn block(&mut self, bytes: &[u8]) {
        grams(bytes).for_each(|gram| self.seen.add(gram));
        // All distances are computed before they are written, to avoid data dependencies in the first loop.
        let (distances, block) = (&mut self.distances, self.blocks);
        self.seen.take(|gram| {
            let last = &mut self.last[gram as usize];
            distances.push((gram, block - std::mem::replace(last, block)));
        });
        for (gram, mut distance) in distances.drain(..) {
            let postings = &mut self.postings[gram as usize];
            if *postings == EMPTY {
                self.known.add(gram);
            }
            while distance >= 0x80 {
                self.lists.push(postings, distance as u8 | 0x80);
                distance >>= 7;
            }
            self.lists.push(postings, distance as u8);
        }
        self.blocks += 1;
    }

    /// Returns the bytes of the segment.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let mut bytes = STAMP.to_vec();
        let mut table = Vec::new();
        self.known.take(|gram| {
            let begins = u32::try_from(bytes.len() - STAMP.len()).unwrap_or(u32::MAX);
            table.extend_from_slice(&gram.to_le_bytes());
            table.extend_from_slice(&begins.to_le_bytes());
            self.lists.write(self.postings[gram as usize], &mut bytes);
        });
        let postings = bytes.len() - STAMP.len();
        bytes.extend_from_slice(&table);
        let files = postcard::to_stdvec(&self.files).unwrap_or_default();
        bytes.extend_from_slice(&files);
        for len in [postings, table.len(), files.len()] {
            bytes.extend_from_slice(&(len as u64).to_le_bytes());
        }
        let mut hasher = Hasher::default();
        hasher.update(&bytes);
        bytes.extend_from_slice(hasher.finish().as_bytes());
        bytes
    }
}

/// A set of trigrams, with one bit for each, and one bit for each 64-bit word that is not zero.
struct GramSet {
    words: Vec<u64>,
    held: Vec<u64>,
}

impl Default for GramSet {
    fn default() -> Self {
        Self { words: vec![0; GRAMS / 64], held: vec![0; GRAMS / 64 / 64] }
    }
}

impl GramSet {
    fn add(&mut self, gram: Gram) {
        let word = gram as usize / 64;
        self.words[word] |= 1 << (gram % 64);
        self.held[word / 64] |= 1 << (word % 64);
    }

    /// Removes all trigrams and visits them in order. The order keeps memory accesses local.
    fn take(&mut self, mut see: impl FnMut(Gram)) {
        for (part, held) in self.held.iter_mut().enumerate() {
            each_bit(std::mem::take(held), |bit| {
                let word = part * 64 + bit as usize;
                each_bit(std::mem::take(&mut self.words[word]), |bit| see(word as Gram * 64 + bit));
            });
        }
    }
}

fn each_bit(mut bits: u64, mut see: impl FnMut(u32)) {
    while bits != 0 {
        see(bits.trailing_zeros());
        bits &= bits - 1;
    }
}

/// Returns the end of the first block of a text, in bytes: the first end of a line after 32 KiB, or the end of the text.
#[must_use]
pub fn block_end(text: &[u8]) -> usize {
    let rest = text.get(BLOCK..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| BLOCK + end + 1)
}

/// Returns the kind of a file's content, which determines how a search treats the file.
#[must_use]
pub fn form(bytes: &[u8]) -> Form {
    let marked = [&b"\xFF\xFE"[..], b"\xFE\xFF", b"\xEF\xBB\xBF"].iter().any(|mark| bytes.starts_with(mark));
    if marked {
        return Form::Odd;
    }
    if bytes.contains(&0) {
        return if bytes.len() as u64 > IN_PARTS { Form::Odd } else { Form::Binary };
    }
    let long = bytes.len() > LONGEST_LINE
        && bytes.split(|byte| *byte == b'\n').any(|line| line.len() > LONGEST_LINE);
    if long || std::str::from_utf8(bytes).is_err() { Form::Odd } else { Form::Text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::Segment;
    use crate::source::Answers;
    use crate::{Letters, Pattern, Reach};
    use toolpost_test_rows::each;
    use toolpost_workspace::walk::Kind;

    fn stat(len: usize) -> FileStat {
        FileStat { kind: Kind::File, len: len as u64, modified: 1, touched: 2, inode: 3, links: 1 }
    }

    fn segment(files: &[&[u8]]) -> Segment {
        let mut writer = Writer::default();
        for (number, content) in files.iter().enumerate() {
            writer.add(format!("f{number:03}").as_bytes(), stat(content.len()), content);
        }
        Segment::in_memory(writer.finish()).expect("the segment is valid")
    }

    fn found(segment: &Segment, pattern: &str, reach: Reach) -> Vec<u32> {
        let pattern = Pattern::read(pattern, Letters::AsWritten, reach).unwrap();
        segment.find(&pattern).unwrap().iter().map(|found| found.doc).collect()
    }

    #[test]
    fn files_are_found_by_content() {
        let wide = "wide\n".repeat(40_000);
        let apart = format!("first\n{wide}second\n");
        let files: &[&[u8]] =
            &[b"one two", b"", b"two three\n", b"\0two", b"\xFFtwo", b"\xEF\xBB\xBFtwo", apart.as_bytes()];
        let segment = segment(files);
        let forms: Vec<Form> = segment.docs().iter().map(|doc| doc.form).collect();
        use Form::{Binary, Odd, Text};
        assert_eq!(forms, [Text, Text, Text, Binary, Odd, Odd, Text]);
        assert_eq!(segment.odd(), [4, 5]);
        assert_eq!(found(&segment, "two", Reach::Line), [0, 2]);
        assert_eq!(found(&segment, "two|first", Reach::Line), [0, 2, 6]);
        assert_eq!(found(&segment, "two|nowhere", Reach::Line), [0, 2]);
        assert_eq!(found(&segment, "nowhere", Reach::Line), [] as [u32; 0]);
        assert_eq!(found(&segment, "first.*second", Reach::Line), [] as [u32; 0]);
        assert_eq!(found(&segment, "(?s)first.*second", Reach::Lines), [6]);
        // For a file with several blocks, the result includes the parts in which a match is possible.
        let second = Pattern::read("second", Letters::AsWritten, Reach::Line).unwrap();
        let found = segment.find(&second).unwrap();
        let [part] = found[0].parts.as_slice() else { panic!("{found:?}") };
        let (start, end) = (part.bytes.start as usize, part.bytes.end as usize);
        assert!(apart[start..end].contains("second\n") && end == apart.len());
        assert!(end - start < 40_000 && apart.as_bytes()[start - 1] == b'\n');
        assert_eq!(part.before, Some(u32::try_from(apart[..start].lines().count()).unwrap()));
        // For a pattern that refers to the start of the text, the result omits the number of preceding lines.
        let second = Pattern::read(r"\Asecond", Letters::AsWritten, Reach::Line).unwrap();
        assert_eq!(segment.find(&second).unwrap()[0].parts[0].before, None);
    }

    #[test]
    fn damaged_bytes_are_not_a_segment() {
        let mut writer = Writer::default();
        writer.add(b"a", stat(7), b"one two");
        let whole = writer.finish();
        assert!(Segment::in_memory(whole.clone()).is_some());
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            assert!(Segment::in_memory(bytes).is_none(), "byte {at}");
            assert!(Segment::in_memory(whole[..at].to_vec()).is_none(), "{at} bytes");
        }
    }

    #[test]
    fn a_search_narrows_many_blocks_to_a_few() {
        let contents: Vec<String> = (0..700).map(|number| format!("content {number:04} of many\n")).collect();
        let files: Vec<&[u8]> = contents.iter().map(String::as_bytes).collect();
        let segment = segment(&files);
        each([0_u32, 1, 127, 128, 129, 255, 256, 699], |number| {
            let pattern = format!("content {number:04} of");
            let found = found(&segment, &pattern, Reach::Line);
            assert!(found.contains(&number), "{number}");
            assert!(found.len() < 10, "{number}: {found:?}");
        });
        assert_eq!(found(&segment, "of many", Reach::Line).len(), 700);
    }
}
