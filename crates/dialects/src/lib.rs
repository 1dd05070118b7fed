//! Who says it how: one folder each.
