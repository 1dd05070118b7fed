//! Hundreds of thousands of growing byte lists, stored in chunks of a single allocation.

/// The number of data bytes in a chunk. The number of the next chunk takes four more bytes.
const ROOM: usize = 28;

/// Storage of all lists.
#[derive(Default)]
pub(super) struct Lists {
    chunks: Vec<Chunk>,
}

#[derive(Clone, Copy)]
struct Chunk {
    bytes: [u8; ROOM],
    /// The number of the next chunk, if this one is full.
    next: u32,
}

/// A list: the numbers of its first and last chunk, and its length in bytes. An empty list has no chunk. A
/// plain array of numbers allows a zeroed allocation of millions of lists, which takes no memory before the
/// first write.
pub(super) type List = [u32; 3];

/// The empty list.
pub(super) const EMPTY: List = [0; 3];

impl Lists {
    /// Adds a byte to a list.
    pub(super) fn push(&mut self, [first, last, len]: &mut List, byte: u8) {
        let used = *len as usize % ROOM;
        if used == 0 {
            let next = self.chunk();
            if *len == 0 {
                *first = next;
            } else {
                self.chunks[*last as usize].next = next;
            }
            *last = next;
        }
        self.chunks[*last as usize].bytes[used] = byte;
        *len += 1;
    }

    /// Appends the bytes of a list to `to`.
    pub(super) fn write(&self, [first, _, len]: List, to: &mut Vec<u8>) {
        let (mut chunk, mut left) = (first, len as usize);
        while left > 0 {
            let Chunk { bytes, next } = &self.chunks[chunk as usize];
            let part = left.min(ROOM);
            to.extend_from_slice(&bytes[..part]);
            (chunk, left) = (*next, left - part);
        }
    }

    fn chunk(&mut self) -> u32 {
        self.chunks.push(Chunk { bytes: [0; ROOM], next: 0 });
        u32::try_from(self.chunks.len() - 1).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_lists_stay_separate() {
        let mut lists = Lists::default();
        let mut own: Vec<(List, Vec<u8>)> = (0..5).map(|_| (EMPTY, Vec::new())).collect();
        for step in 0..500_usize {
            let byte = step as u8;
            let (list, wanted) = &mut own[step * step % 4];
            lists.push(list, byte);
            wanted.push(byte);
        }
        for (list, wanted) in own {
            let mut written = vec![7];
            lists.write(list, &mut written);
            assert_eq!(written[1..], wanted);
        }
    }
}
