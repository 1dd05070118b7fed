use serde_json::{from_str, Value};

pub fn from_slice() {}

pub struct Parser;

impl Parser {
    pub fn as_str(&self) {}
}

pub fn run(value: &Value) {
    from_str::<Value>("x"); //-> external
    serde_json::from_slice(b"x"); //-> external
    value.as_str(); //-> external
    value["x"].as_str(); //-> external
    from_slice(); //-> src/lib.rs:from_slice
}
