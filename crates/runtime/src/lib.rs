//! The one way a call goes, and its layers.
