//! Parsers for the declared requirements of a Python project: `pyproject.toml` and requirements files.

use crate::name::python;
use toml::{Table, Value};

/// Returns the package names in a requirements file of `pip`.
pub(crate) fn listed(text: &str) -> Vec<String> {
    text.lines().filter_map(required).collect()
}

/// Returns the names of the packages that a `pyproject.toml` requires, and the name of the project.
pub(crate) fn project(text: &str) -> Result<(Vec<String>, Option<String>), String> {
    let table: Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let at = |path: &[&str]| {
        path.iter()
            .try_fold(None, |found: Option<&Value>, key| {
                let table = match found {
                    None => Some(&table),
                    Some(value) => value.as_table(),
                };
                table?.get(*key).map(Some)
            })
            .flatten()
    };
    let mut out = Vec::new();
    for path in [&["project", "dependencies"][..], &["tool", "uv", "dev-dependencies"]] {
        out.extend(at(path).into_iter().flat_map(strings));
    }
    for path in [&["project", "optional-dependencies"][..], &["dependency-groups"]] {
        let groups = at(path).and_then(Value::as_table).into_iter().flat_map(Table::values);
        out.extend(groups.flat_map(strings));
    }
    let mut names: Vec<String> = out.iter().filter_map(|requirement| required(requirement)).collect();
    let mut poetry: Vec<&Value> = Vec::new();
    poetry.extend(at(&["tool", "poetry", "dependencies"]));
    poetry.extend(at(&["tool", "poetry", "dev-dependencies"]));
    let groups =
        at(&["tool", "poetry", "group"]).and_then(Value::as_table).into_iter().flat_map(Table::values);
    poetry.extend(groups.filter_map(|group| group.get("dependencies")));
    let keys = poetry.into_iter().filter_map(Value::as_table).flat_map(Table::keys);
    names.extend(keys.filter(|key| *key != "python").map(|key| python(key)));
    let own = at(&["project", "name"]).or_else(|| at(&["tool", "poetry", "name"]));
    Ok((names, own.and_then(Value::as_str).map(python)))
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the package name at the start of a requirement such as `requests>=2`; `None` for paths, URLs, options and
/// comments.
fn required(requirement: &str) -> Option<String> {
    let requirement = requirement.trim();
    let end = requirement.find(|letter: char| !(letter.is_ascii_alphanumeric() || "-_.".contains(letter)));
    let name = &requirement[..end.unwrap_or(requirement.len())];
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    let is_path = requirement[name.len()..].starts_with(['/', '\\', ':']);
    (begins && !is_path).then(|| python(name))
}

#[cfg(test)]
mod tests {
    use super::{listed, project};

    #[test]
    fn names_of_required_packages_are_parsed() {
        let text = "# needed\nRequests>=2 ; python_version > '3'\n-r other.txt\nruamel_yaml[jinja2]==0.1\n./local\nhttps://x/y.whl\n\nsix\n";
        assert_eq!(listed(text), ["requests", "ruamel-yaml", "six"]);
        let text = "[project]\nname = \"Own_Name\"\ndependencies = [\"httpx>=1\"]\n[project.optional-dependencies]\nx = [\"rich\"]\n\
                    [dependency-groups]\ndev = [\"pytest>8\", {include-group = \"x\"}]\n[tool.poetry.dependencies]\npython = \"^3\"\n\
                    Flask = \"^3\"\n[tool.poetry.group.dev.dependencies]\nruff = \"*\"\n";
        let names = ["httpx", "rich", "pytest", "flask", "ruff"].map(str::to_owned).to_vec();
        assert_eq!(project(text), Ok((names, Some("own-name".to_owned()))));
        assert!(project("[").is_err());
    }
}
