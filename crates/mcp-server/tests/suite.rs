//! The integration tests of this crate, in one binary, because linking each file separately takes longer than running
//! it.

mod asking;
mod calls;
mod common;
mod endings;
mod eras;
mod wire;
