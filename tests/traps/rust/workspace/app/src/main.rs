use core_lib::tools::make;

mod tools;

fn main() {
    core_lib::helper(); //-> core-lib/src/lib.rs:helper
    make(); //-> core-lib/src/tools.rs:make
    tools::make(); //-> app/src/tools.rs:make
    helper(); //-> app/src/main.rs:helper
}

fn helper() {}
