//! Names that a symbol can have, and symbols that can be renamed.

use crate::failure::{Failure, Hint, Kind};
use toolpost_syntax::Kind as SymbolKind;

/// Refuses a rename that the code cannot express.
pub(super) fn check(language: &str, kind: SymbolKind, old: &str, new: &str) -> Result<(), Failure> {
    let refused = |what: String| Err(Failure::new(Kind::Invalid, what));
    if new == old {
        return refused(format!("The symbol is called {old} already."));
    }
    if !is_name(language, new) {
        return refused(format!("{new:?} is not a name in {language}.")).map_err(|failure| {
            failure.hint(Hint::Advice("Give the new name alone, without qualifiers.".to_owned()))
        });
    }
    let renamable = matches!(
        kind,
        SymbolKind::Class
            | SymbolKind::Struct
            | SymbolKind::Union
            | SymbolKind::Enum
            | SymbolKind::Variant
            | SymbolKind::Interface
            | SymbolKind::Trait
            | SymbolKind::Impl
            | SymbolKind::Function
            | SymbolKind::Constant
            | SymbolKind::Variable
            | SymbolKind::Field
            | SymbolKind::Type
            | SymbolKind::Macro
    );
    if !renamable {
        return refused(format!("A {} cannot be renamed this way.", kind.name()));
    }
    if is_special(language, old) || !is_name(language, old) {
        return refused(format!("The language gives the name {old} a meaning, so it must stay."));
    }
    // Go exports names by their first letter.
    let exported = |name: &str| name.starts_with(char::is_uppercase);
    if language == "go" && exported(old) != exported(new) {
        return refused(format!(
            "In Go, {new} would change who can use the symbol; keep the case of its first letter."
        ));
    }
    Ok(())
}

/// Checks whether a language gives a name a meaning.
fn is_special(language: &str, name: &str) -> bool {
    let script = matches!(language, "python" | "javascript" | "typescript" | "tsx" | "ruby" | "php");
    match name {
        "main" => !script,
        "init" => matches!(language, "go" | "swift"),
        "constructor" => matches!(language, "javascript" | "typescript" | "tsx"),
        "initialize" => language == "ruby",
        _ => name.starts_with("__") && (name.ends_with("__") || language == "php"),
    }
}

fn is_name(language: &str, name: &str) -> bool {
    let dollar = matches!(language, "javascript" | "typescript" | "tsx" | "java" | "php");
    let goes_on = |letter: char| letter.is_alphanumeric() || letter == '_' || (dollar && letter == '$');
    let begins = name.starts_with(|letter: char| goes_on(letter) && !letter.is_numeric());
    let end = if language == "ruby" { name.trim_end_matches(['?', '!']) } else { name };
    begins && end.chars().all(goes_on)
}
