pub mod tools;

pub fn helper() {
    tools::make(); //-> core-lib/src/tools.rs:make
}
