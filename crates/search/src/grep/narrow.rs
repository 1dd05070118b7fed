//! Asks the index which files can hold a match.

use std::sync::Arc;

use toolpost_grams::{Grams, Letters, Pattern, Reach, Shortlist, Sieve};

use super::filter::Filter;
use super::{Case, GrepRequest, Span, matcher};
use crate::Control;

/// Finds the files that can hold a match; none if all have to be searched.
pub(super) fn shortlist(
    index: &Grams,
    request: &GrepRequest,
    control: &Control,
    filter: &Arc<Filter>,
) -> Option<Shortlist> {
    // Such files are read in another way than they are indexed.
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
        // It will be of use to the next one.
        index.begin(&options);
        return None;
    };
    let filter = Arc::clone(filter);
    let sieve = Sieve {
        base: request.base.clone(),
        name: format!("{:?} {:?}", request.globs, request.types),
        may_read: request.may_read.clone(),
        judge: (!filter.wants_all()).then(|| -> toolpost_grams::Judge {
            Arc::new(move |relative, what| filter.claim(relative, what))
        }),
    };
    index.shortlist(&pattern, &options, sieve, &|| control.stops()).ok()
}
