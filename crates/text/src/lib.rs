//! Lines, encodings, matching, diffs, cutting: bytes in, bytes out.
