//! Fields or variants of a type with their doc comments, read from the source line by line.

/// A field of a struct, or a variant of an enum.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TypeMember {
    pub(super) name: String,
    /// Type of a field, or payload of a variant.
    pub(super) kind: String,
    /// First line of the doc comment of the field or variant.
    pub(super) says: String,
}

/// Returns the public fields of a struct.
pub(super) fn fields(source: &str, name: &str) -> Vec<TypeMember> {
    let parts = body(source, &format!("pub struct {name} {{"));
    let field = |(line, says): (&str, String)| {
        let (name, kind) = line.strip_prefix("pub ")?.trim_end_matches(',').split_once(": ")?;
        Some(TypeMember { name: name.to_owned(), kind: kind.to_owned(), says })
    };
    parts.into_iter().filter_map(field).collect()
}

/// Returns the variants of an enum.
pub(super) fn variants(source: &str, name: &str) -> Vec<TypeMember> {
    let parts = body(source, &format!("pub enum {name} {{"));
    let variant = |(line, says): (&str, String)| {
        let line = line.trim_end_matches(',');
        let end = line.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(line.len());
        TypeMember { name: line[..end].to_owned(), kind: line[end..].trim().to_owned(), says }
    };
    parts.into_iter().map(variant).collect()
}

/// Returns the name of the type that implements the trait `Operation` in a file.
pub(super) fn operation(source: &str) -> Option<&str> {
    let (_, rest) = source.split_once("impl Operation for ")?;
    rest.split_whitespace().next()
}

/// Returns the fields or variants of a type, each with the first line of its doc comment.
fn body<'a>(source: &'a str, open: &str) -> Vec<(&'a str, String)> {
    let mut parts = Vec::new();
    let mut says = String::new();
    for line in source.lines().skip_while(|line| line.trim() != open).skip(1).take_while(|line| *line != "}")
    {
        let indent = line.len() - line.trim_start().len();
        match line.trim() {
            doc if doc.starts_with("/// ") => {
                if says.is_empty() {
                    says = doc[4..].to_owned();
                }
            }
            item if indent == 4 && !item.starts_with('#') && !item.starts_with('}') => {
                parts.push((item, std::mem::take(&mut says)));
            }
            _ => says.clear(),
        }
    }
    parts
}
