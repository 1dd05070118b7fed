//! Parsers for the lock files of npm, pnpm and Yarn.

use serde_json::Value;

/// A package in a lock file: name, version, and directory relative to the lock file (empty if the file does not state
/// it).
pub(crate) type ListedPackage = (String, String, String);

/// Parses npm's `package-lock.json`. Packages that are nested in fewer other packages come first.
pub(crate) fn npm(text: &str) -> Result<Vec<ListedPackage>, String> {
    let lock: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    if let Some(packages) = lock.get("packages").and_then(Value::as_object) {
        for (place, package) in packages {
            let Some((_, name)) = place.rsplit_once("node_modules/") else { continue };
            let version = package.get("version").and_then(Value::as_str).unwrap_or_default();
            let linked = package.get("link").and_then(Value::as_bool) == Some(true);
            if !linked {
                out.push((name.to_owned(), version.to_owned(), place.clone()));
            }
        }
    } else if let Some(top) = lock.get("dependencies") {
        nested(top, "", &mut out);
    }
    out.sort_by_key(|(_, _, place)| place.matches("node_modules/").count());
    Ok(out)
}

/// Parses the nested packages of a `package-lock.json` in version 1; `above` is the directory that contains them.
fn nested(packages: &Value, above: &str, out: &mut Vec<ListedPackage>) {
    for (name, package) in packages.as_object().into_iter().flatten() {
        let version = package.get("version").and_then(Value::as_str).unwrap_or_default();
        let place = format!("{above}node_modules/{name}");
        if let Some(below) = package.get("dependencies") {
            nested(below, &format!("{place}/"), out);
        }
        out.push((name.clone(), version.to_owned(), place));
    }
}

/// Parses the keys of `packages` and `snapshots` in `pnpm-lock.yaml`: `/name/1.0.0`, `/name@1.0.0(peer)`,
/// `'@scope/name@1.0.0'`.
pub(crate) fn pnpm(text: &str) -> Vec<ListedPackage> {
    let mut inside = false;
    let mut out: Vec<ListedPackage> = Vec::new();
    for line in text.lines() {
        if !line.starts_with(' ') && !line.trim().is_empty() {
            inside = line.trim_end() == "packages:" || line.trim_end() == "snapshots:";
            continue;
        }
        let Some(key) = line.strip_prefix("  ").filter(|key| inside && !key.starts_with(' ')) else {
            continue;
        };
        let key = key.trim_end().trim_end_matches("{}").trim_end().trim_end_matches(':');
        let key = key.trim_matches(['\'', '"']).trim_start_matches('/');
        let key = key.split('(').next().unwrap_or(key);
        let slash = key.rfind('/').filter(|at| key[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
        let at = || key.char_indices().skip(1).filter(|(_, letter)| *letter == '@').last().map(|(at, _)| at);
        let Some(at) = slash.or_else(at) else { continue };
        let version = key[at + 1..].split('_').next().unwrap_or_default();
        let listed = (key[..at].to_owned(), version.to_owned(), String::new());
        if version.starts_with(|c: char| c.is_ascii_digit()) && !out.contains(&listed) {
            out.push(listed);
        }
    }
    out
}

/// Parses `yarn.lock`, in the format of Yarn 1 or of later versions.
pub(crate) fn yarn(text: &str) -> Vec<ListedPackage> {
    let mut out: Vec<ListedPackage> = Vec::new();
    let mut name: Option<String> = None;
    for line in text.lines() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        if !line.starts_with(' ') {
            let key = line.trim_end_matches(':').split(',').next().unwrap_or_default();
            let key = key.trim().trim_matches('"');
            let at = key.char_indices().skip(1).find(|(_, letter)| *letter == '@');
            name = at.map(|(at, _)| key[..at].to_owned());
            continue;
        }
        let version = line.trim().strip_prefix("version");
        let version = version.map(|rest| rest.trim_start_matches(':').trim().trim_matches('"'));
        if let (Some(version), Some(name)) = (version, name.take_if(|_| version.is_some())) {
            let local = version.starts_with("0.0.0-use.local");
            if !local {
                out.push((name, version.to_owned(), String::new()));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{npm, pnpm, yarn};

    fn described(listed: &[super::ListedPackage]) -> Vec<String> {
        listed
            .iter()
            .map(|(name, version, place)| format!("{name} {version} {place}").trim_end().to_owned())
            .collect()
    }

    #[test]
    fn lock_files_of_npm_pnpm_and_yarn_are_parsed() {
        let new = r#"{"packages": {"": {"name": "x"}, "node_modules/a/node_modules/b": {"version": "1.0.0"},
            "node_modules/b": {"version": "2.0.0"}, "node_modules/@s/c": {"version": "3.0.0"},
            "node_modules/own": {"link": true, "resolved": "own"}, "own": {"version": "0.1.0"}}}"#;
        let all = [
            "b 2.0.0 node_modules/b",
            "@s/c 3.0.0 node_modules/@s/c",
            "b 1.0.0 node_modules/a/node_modules/b",
        ];
        assert_eq!(npm(new).map(|listed| described(&listed)), Ok(all.map(str::to_owned).to_vec()));
        let old =
            r#"{"dependencies": {"a": {"version": "1.0.0", "dependencies": {"b": {"version": "1.5.0"}}}}}"#;
        let all = ["a 1.0.0 node_modules/a", "b 1.5.0 node_modules/a/node_modules/b"];
        assert_eq!(npm(old).map(|listed| described(&listed)), Ok(all.map(str::to_owned).to_vec()));
        assert!(npm("{").is_err());
        let nine = "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      a:\n        version: 1.0.0\n\npackages:\n\n  \
                    '@s/c@3.0.0':\n    resolution: {integrity: x}\n\n  b@2.0.0:\n    resolution: {}\n\nsnapshots:\n\n  b@2.0.0(c@1.0.0): {}\n";
        assert_eq!(described(&pnpm(nine)), ["@s/c 3.0.0", "b 2.0.0"]);
        let five = "packages:\n\n  /@s/c/3.0.0:\n    dev: true\n  /b/2.0.0_x@1.0.0:\n    dev: true\n  /d@4.0.0(e@5.0.0):\n    x: y\n";
        assert_eq!(described(&pnpm(five)), ["@s/c 3.0.0", "b 2.0.0", "d 4.0.0"]);
        let one = "# yarn lockfile v1\n\n\"@s/c@^3.0.0\", \"@s/c@^3.1.0\":\n  version \"3.1.0\"\n  resolved \"x\"\n\nb@~2:\n  version \"2.0.0\"\n  \
                   dependencies:\n    version \"9.9.9\"\n";
        assert_eq!(described(&yarn(one)), ["@s/c 3.1.0", "b 2.0.0"]);
        let four = "__metadata:\n  version: 8\n\n\"b@npm:^2.0.0\":\n  version: 2.0.0\n  resolution: \"b@npm:2.0.0\"\n\n\"own@workspace:.\":\n  \
                    version: 0.0.0-use.local\n";
        assert_eq!(described(&yarn(four)), ["b 2.0.0"]);
    }
}
