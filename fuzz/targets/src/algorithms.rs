//! Targets for the algorithms on text, whose inputs are values and not bytes.

mod cut;
mod diff;
mod guard;
mod hashline;
mod matching;
mod merge;
mod patch;
mod text_open_splice;
mod window;

use crate::{Kind, Target};
use arbitrary::{Arbitrary, Unstructured};

/// Lines of code, patches and references, because random bytes rarely form them.
const WORDS: &[&str] = &[
    "*** Begin Patch\n",
    "*** End Patch\n",
    "*** Update File: f\n",
    "@@ -1 +1 @@\n",
    "--- a/f\n",
    "+++ b/f\n",
    "// ... existing code ...\n",
    "fn one() {\n    1\n}\n",
    "    return 1;\n",
    "\r\n",
    "\u{feff}",
    "\u{201c}a\u{201d}",
    "1#ab",
];

pub(crate) const CUT: Target = target("cut", |bytes| with(bytes, cut::check));
pub(crate) const DIFF: Target = target("diff", |bytes| with(bytes, diff::check));
pub(crate) const GUARD: Target = target("guard", |bytes| with(bytes, guard::check));
pub(crate) const HASHLINE: Target = target("hashline", |bytes| with(bytes, hashline::check));
pub(crate) const MATCHING: Target = target("matching", |bytes| with(bytes, matching::check));
pub(crate) const MERGE: Target = target("merge", |bytes| with(bytes, merge::check));
pub(crate) const PATCH: Target = target("patch", |bytes| with(bytes, patch::check));
pub(crate) const TEXT_OPEN_SPLICE: Target =
    target("text_open_splice", |bytes| with(bytes, text_open_splice::check));
pub(crate) const WINDOW: Target = target("window", |bytes| with(bytes, window::check));

const fn target(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, kind: Kind::Algorithm, run, words: WORDS }
}

/// Builds a value from the bytes as libFuzzer does, and checks it; bytes from which no value can be built are skipped.
fn with<'a, T: Arbitrary<'a>>(bytes: &'a [u8], check: impl FnOnce(T)) {
    if let Ok(input) = T::arbitrary_take_rest(Unstructured::new(bytes)) {
        check(input);
    }
}
