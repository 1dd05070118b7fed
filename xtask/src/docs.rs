//! `cargo xtask docs`: reference pages generated from the code.

mod cli;
pub mod differences;
pub mod generated_parts;
pub mod picture;
pub mod readme;
pub mod tools;

use crate::{Repository, Verdict, output, parity::ParityInputs, published_dialect::PublishedDialect};
use anyhow::{Result, bail};
use toolpost::settings::reference::markdown;

/// Writes the generated files, or with `--check` reports those that are out of date.
///
/// # Errors
/// If the content cannot be generated, or a file cannot be written.
pub fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    let check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("docs accepts only --check"),
    };
    let mut verdict = Verdict::Good;
    for (path, text) in generated(house)? {
        let old = house.read(&path).unwrap_or_default();
        match (old == text, check) {
            (true, _) => output::line(&format!("{path}: current")),
            (false, false) => {
                house.write(&path, &text)?;
                output::line(&format!("{path}: written"));
            }
            (false, true) => {
                let line = first_difference(&old, &text);
                output::line(&format!(
                    "{path}:{line}: out of date; run `cargo xtask docs` and commit the file"
                ));
                verdict = Verdict::Bad;
            }
        }
    }
    Ok(verdict)
}

/// Generates all files: path and content.
fn generated(house: &Repository) -> Result<Vec<(String, String)>> {
    let said = PublishedDialect::all();
    let against = ParityInputs::read(house)?;
    Ok(vec![
        (
            "docs/reference/tools.md".to_owned(),
            tools::reference(&[PublishedDialect::all(), PublishedDialect::beside()].concat()),
        ),
        ("docs/reference/differences.md".to_owned(), differences::reference(&against)),
        ("docs/reference/cli.md".to_owned(), cli::reference(house)?),
        ("docs/tutorial.svg".to_owned(), picture::svg(&house.read("docs/tutorial.md")?)),
        (
            "docs/configuration.md".to_owned(),
            generated_parts::put(&house.read("docs/configuration.md")?, "settings", &markdown())?,
        ),
        (
            "README.md".to_owned(),
            generated_parts::put(&house.read("README.md")?, "dialects", &readme::table(&said, &against))?,
        ),
    ])
}

/// Returns the number of the first line in which two texts differ, counted from 1.
#[must_use]
pub fn first_difference(old: &str, new: &str) -> usize {
    let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new);
    same.count() + 1
}
