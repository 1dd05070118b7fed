fn helper() -> i32 {
    1
}

pub struct A;
pub struct B;

impl A {
    pub fn run(&self) -> B {
        B
    }
}

impl B {
    pub fn run(&self) -> A {
        A
    }
}

pub fn parameter(helper: fn() -> i32) -> i32 {
    helper() //-> ?
}

pub fn local() -> i32 {
    let helper = || 2;
    helper() //-> ?
}

pub fn block() -> i32 {
    {
        let helper = || 3;
        helper(); //-> ?
    }
    helper() //-> src/lib.rs:helper
}

pub fn again(x: A) {
    let x = x.run(); //-> src/lib.rs:A.run
    let x = x.run(); //-> src/lib.rs:B.run
    x.run(); //-> src/lib.rs:A.run
}

pub fn matched(x: Option<A>, y: B) {
    if let Some(y) = x {
        y.run(); //-> src/lib.rs:A.run
    }
    y.run(); //-> src/lib.rs:B.run
}
