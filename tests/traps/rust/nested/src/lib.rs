pub fn outer() -> i32 {
    fn helper() -> i32 {
        1
    }
    helper() //-> src/lib.rs:outer.helper
}

pub fn other() -> i32 {
    helper() //-> src/lib.rs:helper
}

fn helper() -> i32 {
    2
}

pub struct Own;

impl Own {
    pub fn helper(&self) -> i32 {
        helper() //-> src/lib.rs:helper
    }

    pub fn both(&self) -> i32 {
        use crate::tools::helper;
        helper() + self.helper() //-> src/lib.rs:tools.helper, src/lib.rs:Own.helper
    }
}

mod tools {
    pub fn helper() -> i32 {
        3
    }
}
