pub fn helper() {}

pub fn total() -> i32 {
    2
}

pub struct Thing;

impl Thing {
    pub fn go(&self) {}
}
