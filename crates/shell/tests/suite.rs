//! Every integration test of this crate, in one binary, because linking each file by itself takes longer than running it.

mod scripts;
