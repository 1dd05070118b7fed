//! The house's own tasks.
fn main() {}
