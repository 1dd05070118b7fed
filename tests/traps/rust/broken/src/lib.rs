pub fn before() -> i32 {
    helper() //-> src/lib.rs:helper
}

fn middle() {
    let x = (1 + ;
}

fn helper() -> i32 {
    1
}

pub fn after() -> i32 {
    helper() //-> src/lib.rs:helper
}
