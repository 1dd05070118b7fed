//! The large tables of this crate, with a test for each row.

#[path = "../common/mod.rs"]
mod common;
mod escapes;

fn main() -> std::process::ExitCode {
    let escapes = escapes::sandboxed_commands_cannot_escape().into_iter();
    let guarded = escapes::guarded_names_cannot_be_created();
    let nobody = escapes::unprivileged_commands_cannot_escape();
    toolpost_test_rows::table::main(escapes.chain(guarded).chain([nobody]))
}
