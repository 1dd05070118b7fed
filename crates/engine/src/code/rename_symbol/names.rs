//! Check of a rename: the new name must be valid, and the symbol must be one that can be renamed.

use crate::failure::{Failure, Hint, Kind};
use toolpost_syntax::Kind as SymbolKind;

/// Refuses a new name that is not valid in the language, and a symbol that cannot be renamed.
pub(super) fn check(language: &str, kind: SymbolKind, old: &str, new: &str) -> Result<(), Failure> {
    let refused = |what: String| Err(Failure::new(Kind::Invalid, what));
    if new == old {
        return refused(format!("The symbol already has the name {old}."));
    }
    if !is_name(language, new) {
        return refused(format!("{new:?} is not a valid name in {language}.")).map_err(|failure| {
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
        return refused(format!("This call cannot rename a symbol of the kind `{}`.", kind.name()));
    }
    if is_special(language, old) || !is_name(language, old) {
        return refused(format!("The name {old} has a special meaning in the language, so it must stay."));
    }
    // In Go, a name is exported if its first letter is upper case.
    let exported = |name: &str| name.starts_with(char::is_uppercase);
    if language == "go" && exported(old) != exported(new) {
        return refused(format!(
            "In Go, {new} would change the visibility of the symbol; keep the case of its first letter."
        ));
    }
    Ok(())
}

/// Returns true if a name has a special meaning in a language, such as `main` or `__init__`.
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
