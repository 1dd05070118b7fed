mod arg;
pub use arg::Arg;

pub fn takes(arg: &crate::Arg, other: &crate::arg::Arg) {
    arg.run(); //-> src/arg.rs:Arg.run
    other.run(); //-> src/arg.rs:Arg.run
}

fn all() -> impl Iterator<Item = Arg> {
    Vec::new().into_iter() //-> external, external
}

pub fn each() {
    for one in all() { //-> src/lib.rs:all
        one.run(); //-> src/arg.rs:Arg.run
    }
    for one in [Arg { count: 1 }, Arg { count: 2 }] {
        one.run(); //-> src/arg.rs:Arg.run
    }
}
