pub use crate::all::helper as assist;
pub use crate::all::*;
