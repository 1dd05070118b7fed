//! Stored output of bounded size: a fixed beginning, a moving end, and a gap between them if the output is
//! too long.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;

use super::spool::Spool;

/// Size limits of the stored beginning and of the stored end of an output, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputLimits {
    pub(crate) head: u64,
    pub(crate) tail: u64,
}

/// Maximum size of a job's output in memory, in bytes; beyond it, the output moves to a file.
pub(crate) const MEMORY: OutputLimits = OutputLimits { head: 64 * 1024, tail: 192 * 1024 };
/// Maximum size of a job's output on disk, in bytes; beyond it, the middle is dropped.
pub(crate) const DISK: OutputLimits = OutputLimits { head: 1024 * 1024, tail: 63 * 1024 * 1024 };

/// The stored output text of one job.
#[derive(Debug)]
pub(crate) struct OutputBuffer {
    place: Storage,
    /// Number of bytes of the whole output, including those that were dropped.
    total: u64,
    /// Number of characters of the whole output, including those that were dropped.
    characters: u64,
    /// Number of line breaks in the whole output.
    breaks: u64,
    memory: OutputLimits,
    disk: OutputLimits,
    directory: PathBuf,
    /// The reason why the text is not stored in a file, if it is too long for memory.
    fault: Option<String>,
}

#[derive(Debug)]
enum Storage {
    Memory { head: Vec<u8>, tail: VecDeque<u8> },
    Disk(Spool),
}

impl OutputBuffer {
    /// Creates an empty buffer. Text that is too long for memory goes to a file in `directory`.
    pub(crate) fn new(directory: PathBuf, memory: OutputLimits, disk: OutputLimits) -> Self {
        let place = Storage::Memory { head: Vec::new(), tail: VecDeque::new() };
        Self { place, total: 0, characters: 0, breaks: 0, memory, disk, directory, fault: None }
    }

    /// Appends text to the output.
    pub(crate) fn push(&mut self, text: &str) {
        self.characters += text.chars().count() as u64;
        self.breaks += line_breaks(text);
        if let Storage::Memory { .. } = self.place
            && self.fault.is_none()
            && self.total + text.len() as u64 > self.memory.head + self.memory.tail
        {
            self.spool();
        }
        let bytes = text.as_bytes();
        match &mut self.place {
            Storage::Memory { head, tail } => push_to_memory(self.memory, head, tail, bytes),
            Storage::Disk(spool) => {
                if let Err(error) = spool.push(bytes) {
                    self.shrink(&format!("the output could not be written to disk: {error}"));
                    if let Storage::Memory { head, tail } = &mut self.place {
                        push_to_memory(self.memory, head, tail, bytes);
                    }
                }
            }
        }
        self.total += bytes.len() as u64;
    }

    /// Returns the number of bytes of the whole output, including those that were dropped.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of characters of the whole output, including those that were dropped.
    pub(crate) fn characters(&self) -> u64 {
        self.characters
    }

    /// Returns the number of line breaks in the whole output, including those that were dropped.
    pub(crate) fn breaks(&self) -> u64 {
        self.breaks
    }

    /// Returns the number of bytes that the output occupies on disk.
    pub(crate) fn spooled(&self) -> u64 {
        match &self.place {
            Storage::Memory { .. } => 0,
            Storage::Disk(_) => self.total.min(self.disk.head + self.disk.tail),
        }
    }

    /// Returns the start and the end of the gap (the dropped middle of the output), in bytes; `None` if
    /// everything is kept.
    ///
    /// Both ends may be inside a character.
    pub(crate) fn gap(&self) -> Option<(u64, u64)> {
        let (head, tail) = match &self.place {
            Storage::Memory { head, tail } => (head.len() as u64, tail.len() as u64),
            Storage::Disk(_) => {
                (self.disk.head, self.disk.tail.min(self.total.saturating_sub(self.disk.head)))
            }
        };
        (head + tail < self.total).then(|| (head, self.total - tail))
    }

    /// Returns the message about the dropped middle of the output; `None` if everything is kept.
    pub(crate) fn lost(&self) -> Option<String> {
        let (from, to) = self.gap()?;
        let why = self.fault.as_deref().unwrap_or("at most 64 MiB of a command's output are kept");
        Some(format!("{} bytes in the middle of the output are gone: {why}", to - from))
    }

    /// Reads bytes of the output that are kept, from one side of the gap (the dropped middle).
    pub(crate) fn read(&self, from: u64, length: usize) -> io::Result<Vec<u8>> {
        let end = (from + length as u64).min(self.total);
        match &self.place {
            Storage::Disk(spool) => spool.read(from, end),
            Storage::Memory { head, tail } => {
                let tail_from = self.total - tail.len() as u64;
                let in_head = usize::try_from(from).unwrap_or(usize::MAX).min(head.len());
                let head_end = usize::try_from(end).unwrap_or(usize::MAX).min(head.len());
                let mut bytes = head[in_head..head_end].to_vec();
                let of_tail = |at: u64| usize::try_from(at.saturating_sub(tail_from)).unwrap_or(tail.len());
                bytes.extend(tail.range(of_tail(from)..of_tail(end)));
                Ok(bytes)
            }
        }
    }

    /// Moves the beginning and the end of the output from the file to memory, up to the memory limit. `why` is
    /// the reason that replies give for the dropped middle. Does nothing if there is no file.
    pub(crate) fn shrink(&mut self, why: &str) {
        let Storage::Disk(spool) = &self.place else { return };
        self.fault = Some(why.to_owned());
        let head = spool.read(0, self.memory.head).unwrap_or_default();
        let tail = spool.read(self.total.saturating_sub(self.memory.tail), self.total).unwrap_or_default();
        self.place = Storage::Memory { head, tail: tail.into() };
    }

    /// Moves the buffered output to a file, before any of it is dropped.
    fn spool(&mut self) {
        let Storage::Memory { head, tail } = &mut self.place else { return };
        let all = [head.as_slice(), tail.make_contiguous()].concat();
        let spool = Spool::new(&self.directory, self.disk.head, self.disk.tail).and_then(|mut spool| {
            spool.push(&all)?;
            Ok(spool)
        });
        match spool {
            Ok(spool) => self.place = Storage::Disk(spool),
            Err(error) => {
                let directory = self.directory.display();
                self.fault = Some(format!("no file for the output can be created in {directory}: {error}"));
            }
        }
    }
}

/// Counts the line breaks of a text.
pub(crate) fn line_breaks(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

fn push_to_memory(room: OutputLimits, head: &mut Vec<u8>, tail: &mut VecDeque<u8>, bytes: &[u8]) {
    let left = |room: u64, used: usize| usize::try_from(room).unwrap_or(usize::MAX).saturating_sub(used);
    let of_head = if tail.is_empty() { left(room.head, head.len()).min(bytes.len()) } else { 0 };
    let (first, rest) = bytes.split_at(of_head);
    head.extend_from_slice(first);
    let rest = &rest[rest.len().saturating_sub(left(room.tail, 0))..];
    let over = rest.len().saturating_sub(left(room.tail, tail.len()));
    tail.drain(..over);
    tail.extend(rest);
}
