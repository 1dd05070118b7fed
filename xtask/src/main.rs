//! `cargo xtask`: runs one task of the repository, such as `tidy` or `docs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match xtask::run(&arguments) {
        Ok(xtask::Verdict::Good) => ExitCode::SUCCESS,
        Ok(xtask::Verdict::Bad) => ExitCode::from(1),
        Err(error) => {
            xtask::complain(&format!("xtask: {error:#}"));
            ExitCode::from(2)
        }
    }
}
