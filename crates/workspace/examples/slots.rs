//! Process for the test of concurrent changes: `slots ROOT STATE NUMBER` changes every third slot of the file
//! `f`, from slot `NUMBER` on.
#![expect(clippy::unwrap_used, reason = "the example is part of the tests")]

#[path = "../tests/common/slots.rs"]
#[expect(dead_code, reason = "only the tests create the file")]
mod slots;

use toolpost_workspace::{Options, Workspace};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, state, number] = arguments.as_slice() else {
        panic!("{arguments:?}: use `slots ROOT STATE NUMBER`")
    };
    let number: usize = number.parse().unwrap();
    let options = Options { roots: vec![root.into()], state: Some(state.into()), ..Options::default() };
    let (workspace, _) = Workspace::open(options).unwrap();
    slots::set_all(&workspace, |slot| slot % 3 == number);
}
