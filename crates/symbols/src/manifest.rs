//! Files that name packages or locate modules: `go.mod`, `Cargo.toml`, `package.json`, `tsconfig.json`.

use serde_json::Value as Json;

use crate::path::split;

/// The parts of a manifest that module resolution needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Manifest {
    /// A Go module.
    Go { module: String },
    /// A Rust package: its name in code, and the path of its library if it is given.
    Cargo { name: String, library: Option<String> },
    /// A JavaScript package: its name, and its entry points, the most important first.
    Npm { name: String, entries: Vec<String> },
    /// The `baseUrl` and `paths` of a `tsconfig.json`: the directories and files of modules with non-relative names.
    Script { base: Option<String>, paths: Vec<(String, Vec<String>)> },
    /// A manifest without a relevant entry.
    Nothing,
}

/// The maximum size of a manifest in bytes.
pub(crate) const LIMIT: u64 = 1 << 20;

/// Returns whether a file is a manifest.
#[must_use]
pub fn is_manifest(path: &str) -> bool {
    let name = split(path).1;
    let script = name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig"));
    matches!(name, "go.mod" | "Cargo.toml" | "package.json") || script
}

impl Manifest {
    /// Parses a manifest; an invalid one counts as one without entries.
    pub(crate) fn read(path: &str, text: &str) -> Self {
        match split(path).1 {
            "go.mod" => go(text),
            "Cargo.toml" => cargo(text),
            "package.json" => npm(text),
            _ => script(text),
        }
        .unwrap_or(Self::Nothing)
    }
}

fn go(text: &str) -> Option<Manifest> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    let module = line.split("//").next().unwrap_or(line).trim().trim_matches('"');
    Some(Manifest::Go { module: module.to_owned() })
}

fn cargo(text: &str) -> Option<Manifest> {
    let table: toml::Table = toml::from_str(text).ok()?;
    let name = table.get("package")?.get("name")?.as_str()?;
    let library = table.get("lib");
    let word = |key: &str| library.and_then(|library| library.get(key)).and_then(toml::Value::as_str);
    Some(Manifest::Cargo {
        name: word("name").unwrap_or(name).replace('-', "_"),
        library: word("path").map(str::to_owned),
    })
}

fn npm(text: &str) -> Option<Manifest> {
    let json: Json = serde_json::from_str(text).ok()?;
    let name = json.get("name")?.as_str()?.to_owned();
    let mut entries: Vec<String> = ["source", "types", "typings", "module", "main"]
        .iter()
        .filter_map(|key| json.get(*key)?.as_str().map(str::to_owned))
        .collect();
    if let Some(exports) = json.get("exports") {
        let root = exports.get(".").unwrap_or(exports);
        files(root, &mut entries, 0);
    }
    Some(Manifest::Npm { name, entries })
}

/// Lists the files that an entry of `exports` leads to.
fn files(json: &Json, out: &mut Vec<String>, depth: usize) {
    match json {
        Json::String(path) => out.push(path.clone()),
        Json::Object(all) if depth < 4 => all
            .iter()
            .filter(|(key, _)| depth > 0 || !key.starts_with('.') || *key == ".")
            .for_each(|(_, inner)| files(inner, out, depth + 1)),
        _ => {}
    }
}

fn script(text: &str) -> Option<Manifest> {
    let json: Json = serde_json::from_str(&plain(text)).ok()?;
    let options = json.get("compilerOptions")?;
    let base = options.get("baseUrl").and_then(Json::as_str).map(str::to_owned);
    let paths = options.get("paths").and_then(Json::as_object);
    let paths = paths.into_iter().flatten().map(|(pattern, targets)| {
        let targets = targets.as_array().into_iter().flatten().filter_map(Json::as_str);
        (pattern.clone(), targets.map(str::to_owned).collect())
    });
    let paths: Vec<(String, Vec<String>)> = paths.collect();
    (base.is_some() || !paths.is_empty()).then_some(Manifest::Script { base, paths })
}

/// Removes comments and trailing commas from JSON.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if quoted => {
                out.push(letter);
                out.extend(letters.next());
                continue;
            }
            '"' => quoted = !quoted,
            '/' if !quoted && letters.peek() == Some(&'/') => {
                for letter in letters.by_ref() {
                    if letter == '\n' {
                        break;
                    }
                }
                continue;
            }
            '/' if !quoted && letters.peek() == Some(&'*') => {
                let mut last = ' ';
                for letter in letters.by_ref().skip(1) {
                    if last == '*' && letter == '/' {
                        break;
                    }
                    last = letter;
                }
                continue;
            }
            ']' | '}' if !quoted => {
                let kept = out.trim_end();
                if let Some(kept) = kept.strip_suffix(',') {
                    out.truncate(kept.len());
                }
            }
            _ => {}
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Manifest;
    use toolpost_test_rows::each;

    #[test]
    fn manifests_yield_package_names_and_module_locations() {
        let named = |name: &str, entries: &[&str]| Manifest::Npm {
            name: name.into(),
            entries: entries.iter().map(|entry| (*entry).to_owned()).collect(),
        };
        let rows = [
            (
                "go.mod",
                "// x\nmodule example.com/a // b\n\ngo 1.22\n",
                Manifest::Go { module: "example.com/a".into() },
            ),
            (
                "a/Cargo.toml",
                "[package]\nname = \"a-b\"\n[lib]\npath = \"l.rs\"\n",
                Manifest::Cargo { name: "a_b".into(), library: Some("l.rs".into()) },
            ),
            ("Cargo.toml", "[workspace]\n", Manifest::Nothing),
            (
                "package.json",
                r#"{"name": "@a/b", "main": "d.js", "exports": {".": {"types": "t.d.ts"}, "./x": "y"}}"#,
                named("@a/b", &["d.js", "t.d.ts"]),
            ),
            ("package.json", "{", Manifest::Nothing),
            (
                "tsconfig.base.json",
                "{ // why\n \"compilerOptions\": { /* * */ \"baseUrl\": \".\", \"paths\": {\"@/*\": [\"src/*\",],}, } }",
                Manifest::Script {
                    base: Some(".".into()),
                    paths: vec![("@/*".into(), vec!["src/*".into()])],
                },
            ),
        ];
        each(rows, |(path, text, wanted)| {
            assert_eq!(Manifest::read(path, text), wanted, "{path}: {text}");
        });
    }
}
