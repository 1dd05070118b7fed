use std::collections::HashMap;

#[derive(Clone)]
pub struct Store;

impl Store {
    pub fn get(&self, key: &str) -> Option<i32> {
        None
    }

    pub fn push(&mut self, x: i32) {}

    pub fn len(&self) -> usize {
        1
    }

    pub fn map(&self) {}

    pub fn unwrap(&self) {}
}

pub fn run(found: &HashMap<String, i32>, rows: &mut Vec<i32>, store: &Store) {
    found.get("x").unwrap(); //-> external, external
    rows.push(1); //-> external
    rows.iter().map(|x| x).len(); //-> external, external, external
    store.get("x"); //-> src/lib.rs:Store.get
    store.clone().len(); //-> external, src/lib.rs:Store.len
    "x".len(); //-> external
}
