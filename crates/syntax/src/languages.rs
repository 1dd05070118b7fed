//! The tables of all languages, as the build script makes them from the folders in `languages/`.

use crate::Kind;
use crate::grammar::{Called, Grammar, Headings, Merges, Name, Overloads, Rule, Shapes, Sort};

include!(concat!(env!("OUT_DIR"), "/languages.rs"));
