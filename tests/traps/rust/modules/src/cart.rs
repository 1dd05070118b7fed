use crate::money;
use super::tools::helper as assist;

#[derive(Default)]
pub struct Cart {
    rows: Vec<i32>,
}

impl Cart {
    pub fn new() -> Self {
        Self::default() //-> external
    }

    pub fn add(&mut self, x: i32) {
        assist(); //-> src/tools.rs:helper
        money::round(x); //-> src/money/mod.rs:round
        self.rows.push(x); //-> external
        self.check(); //-> src/cart.rs:Cart.check
        Self::check(self); //-> src/cart.rs:Cart.check
    }

    fn check(&self) {}

    fn push(&self) {}
}
