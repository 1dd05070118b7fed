//! Opening of a document within limits of time and memory.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use lopdf::{Document, Error, LoadOptions, Object, ObjectId};

use super::PdfError;
use super::worker::Clock;

/// Bytes that one stream of the document's structure may unpack to; real ones hold a few hundred objects.
const LARGEST_STREAM: usize = 4 << 20;
/// Bytes that the objects of a small file may take in memory, and how many times its size those of a large one.
const MOST_MEMORY: usize = 128 << 20;
const MOST_TIMES: usize = 8;

/// Opens a document that needs no password.
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
    // The table of objects may be readable and wrong; the objects may still be there.
    match load(bytes, clock, Structure::Rebuilt) {
        Ok(rebuilt) if rebuilt.page_iter().next().is_some() => Ok(rebuilt),
        Err(error @ PdfError::TimedOut { .. }) => Err(error),
        _ => Err(PdfError::Garbled { why: "no page can be found in it".to_owned() }),
    }
}

/// Formats an error with its causes.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    words
}

/// The source of the objects' positions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Structure {
    AsWritten,
    Rebuilt,
}

/// The remaining budget of loading.
struct Meter {
    memory_left: usize,
    clock: Clock,
}

thread_local! {
    /// The library calls a plain function for each object, which finds its budget here.
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

/// Accepts objects until time or memory is used up.
///
/// The library has no other way to be stopped, so it is unwound; `load` catches that.
fn weigh(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let stopped =
        METER.with_borrow_mut(|meter| meter.as_mut().and_then(|meter| meter.take(weight(object)).err()));
    if let Some(stopped) = stopped {
        resume_unwind(Box::new(stopped));
    }
    // The library keeps now the object, now the answer.
    Some((id, object.clone()))
}

impl Meter {
    fn take(&mut self, weight: usize) -> Result<(), PdfError> {
        self.clock.check()?;
        let Some(left) = self.memory_left.checked_sub(weight) else {
            return Err(PdfError::Garbled {
                why: "its objects take too much memory when they are unpacked".to_owned(),
            });
        };
        self.memory_left = left;
        Ok(())
    }
}

/// About how many bytes an object takes; the parser bounds how deep it nests.
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
