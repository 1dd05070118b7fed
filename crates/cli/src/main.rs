//! The binary: the only place that wires all.
fn main() {}
