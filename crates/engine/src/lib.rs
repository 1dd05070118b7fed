//! Every operation, one file each, and the session.
