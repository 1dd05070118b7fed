//! Opening of a PDF document within limits on time and memory.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use lopdf::{Document, Error, LoadOptions, Object, ObjectId};

use super::PdfError;
use super::worker::Clock;

/// Maximum unpacked size of an object stream or a cross-reference stream, in bytes. In ordinary files, such a stream
/// has a few hundred objects.
const LARGEST_STREAM: usize = 4 << 20;
/// Maximum memory of a document's objects: in bytes for a small file, and as a multiple of the file size for a large
/// one.
const MOST_MEMORY: usize = 128 << 20;
const MOST_TIMES: usize = 8;

/// Opens a PDF document. Fails if it needs a password.
pub(super) fn open(bytes: &[u8], clock: &Clock) -> Result<Document, PdfError> {
    let head = &bytes[..bytes.len().min(1024)];
    if !head.windows(5).any(|window| window == b"%PDF-") {
        return Err(PdfError::NotAPdf);
    }
    let document = load(bytes, clock, Structure::AsWritten)?;
    if document.is_encrypted() {
        return Err(PdfError::Encrypted);
    }
    if document.page_iter().next().is_some() {
        return Ok(document);
    }
    // The cross-reference table may be readable but wrong, so the objects are searched for in the file.
    match load(bytes, clock, Structure::Rebuilt) {
        Ok(rebuilt) if rebuilt.page_iter().next().is_some() => Ok(rebuilt),
        Err(error @ PdfError::TimedOut { .. }) => Err(error),
        _ => Err(PdfError::Garbled { why: "no page can be found".to_owned() }),
    }
}

/// Formats an error followed by its causes.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    words
}

/// The source of the positions of a document's objects: the cross-reference table, or a search in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Structure {
    AsWritten,
    Rebuilt,
}

/// The memory and time that remain for opening a document.
struct Meter {
    memory_left: usize,
    clock: Clock,
}

thread_local! {
    /// The budget of the document that is being opened. The library calls a function without context for each object,
    /// which finds the budget here.
    static METER: RefCell<Option<Meter>> = const { RefCell::new(None) };
}

fn load(bytes: &[u8], clock: &Clock, structure: Structure) -> Result<Document, PdfError> {
    let options = LoadOptions {
        filter: Some(weigh),
        max_decompressed_size: Some(LARGEST_STREAM),
        force_reconstruct: structure == Structure::Rebuilt,
        ..LoadOptions::default()
    };
    let memory_left = MOST_MEMORY.max(bytes.len().saturating_mul(MOST_TIMES));
    METER.set(Some(Meter { memory_left, clock: clock.clone() }));
    let loaded = catch_unwind(AssertUnwindSafe(|| Document::load_mem_with_options(bytes, options)));
    METER.set(None);
    match loaded {
        Ok(Ok(document)) => Ok(document),
        Ok(Err(Error::InvalidPassword | Error::Decryption(_) | Error::UnsupportedSecurityHandler(_))) => {
            Err(PdfError::Encrypted)
        }
        Ok(Err(error)) => Err(PdfError::Garbled { why: chain(&error) }),
        Err(panic) => match panic.downcast::<PdfError>() {
            Ok(stopped) => Err(*stopped),
            Err(panic) => resume_unwind(panic),
        },
    }
}

/// Accepts an object of the document, unless the time or memory limit is reached.
///
/// To stop the library at a limit, this function must unwind the stack, and `load` catches that. The library can be
/// stopped in no other way.
fn weigh(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let stopped =
        METER.with_borrow_mut(|meter| meter.as_mut().and_then(|meter| meter.take(weight(object)).err()));
    if let Some(stopped) = stopped {
        resume_unwind(Box::new(stopped));
    }
    // The library's interface requires an owned object, so the object is cloned.
    Some((id, object.clone()))
}

impl Meter {
    fn take(&mut self, weight: usize) -> Result<(), PdfError> {
        self.clock.check()?;
        let Some(left) = self.memory_left.checked_sub(weight) else {
            return Err(PdfError::Garbled {
                why: "the PDF's objects take too much memory when they are unpacked".to_owned(),
            });
        };
        self.memory_left = left;
        Ok(())
    }
}

/// Returns the approximate memory of an object, in bytes. Recursion is safe, because the parser limits the nesting of
/// objects.
fn weight(object: &Object) -> usize {
    let inner = match object {
        Object::Array(items) => items.iter().map(weight).sum(),
        Object::Dictionary(entries) => entries.iter().map(|(key, value)| key.len() + weight(value)).sum(),
        Object::Stream(stream) => stream.content.len(),
        Object::Name(bytes) | Object::String(bytes, _) => bytes.len(),
        _ => 0,
    };
    size_of::<Object>() + inner
}
