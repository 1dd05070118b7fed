//! Selection of the files that can contain a match, with the trigram index.

use std::sync::Arc;

use toolpost_trigrams::{Letters, Pattern, Reach, Shortlist, Sieve, TrigramIndex};

use super::filter::Filter;
use super::{Case, GrepRequest, Span, matcher};
use crate::Control;

/// Starts to load the index that an earlier process has stored. Returns false if there is none, or if it is already
/// loaded.
pub(super) fn begin_loading(index: &TrigramIndex, request: &GrepRequest, control: &Control) -> bool {
    let options = control.options(request.rules, request.hidden, request.prune);
    index.begin_loading(&options)
}

/// Finds the files that can contain a match; `None` if all files must be searched.
pub(super) fn shortlist(
    index: &TrigramIndex,
    request: &GrepRequest,
    control: &Control,
    filter: &Arc<Filter>,
) -> Option<Shortlist> {
    // The search decodes files with the requested encoding, but the index has the trigrams of their raw bytes. In an
    // encoding that is not compatible with ASCII, these differ even for ASCII text, so all files must be searched.
    if request.encoding.is_some_and(|charset| !charset.is_ascii_compatible()) {
        return None;
    }
    let letters = match request.case {
        Case::Sensitive => Letters::AsWritten,
        Case::Insensitive | Case::Smart => Letters::AnyCase,
    };
    let reach = match request.span {
        Span::Line => Reach::Line,
        Span::Lines => Reach::Lines,
    };
    let options = control.options(request.rules, request.hidden, request.prune);
    let Some(pattern) = Pattern::read(&matcher::meant(request), letters, reach) else {
        // The index cannot help with this pattern, but it may with the next one, so its build starts now.
        index.begin(&options);
        return None;
    };
    let filter = Arc::clone(filter);
    let sieve = Sieve {
        base: request.base.clone(),
        name: format!("{:?} {:?}", request.globs, request.types),
        may_read: request.may_read.clone(),
        judge: (!filter.wants_all()).then(|| -> toolpost_trigrams::Judge {
            Arc::new(move |relative, what| filter.claim(relative, what))
        }),
    };
    index.shortlist(&pattern, &options, sieve, &|| control.stops()).ok()
}
