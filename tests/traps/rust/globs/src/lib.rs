mod all;
mod prelude;

use prelude::*;

fn total() -> i32 {
    1
}

pub fn run() {
    total(); //-> src/lib.rs:total
    assist(); //-> src/all.rs:helper
    Thing.go(); //-> src/all.rs:Thing.go
}
