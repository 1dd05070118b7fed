//! Names of dependencies, such as `rust:serde@1.0.228/src/lib.rs`.

/// A package ecosystem: a language with its package manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ecosystem {
    /// Rust crates, named like `rust:serde`.
    Rust,
    /// npm packages, named like `js:express`.
    JavaScript,
    /// Python distributions, named like `py:requests`.
    Python,
    /// Go modules, named like `go:golang.org/x/text`.
    Go,
    /// Maven artifacts, named like `java:group:artifact`.
    Java,
}

impl Ecosystem {
    /// All supported ecosystems.
    pub const ALL: [Self; 5] = [Self::Rust, Self::JavaScript, Self::Python, Self::Go, Self::Java];

    /// Returns the prefix of the ecosystem's dependency names, such as `rust`, without the colon.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::JavaScript => "js",
            Self::Python => "py",
            Self::Go => "go",
            Self::Java => "java",
        }
    }

    /// Returns an example of a dependency name in the ecosystem.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Rust => "rust:serde or rust:serde@1.0.228/src/lib.rs",
            Self::JavaScript => "js:express or js:@ai-sdk/anthropic/dist",
            Self::Python => "py:requests or py:requests/sessions.py",
            Self::Go => "go:github.com/gin-gonic/gin or go:github.com/gin-gonic/gin/binding",
            Self::Java => "java:com.google.guava:guava or java:guava",
        }
    }

    /// Returns whether two package names mean the same package, by the rules of the ecosystem.
    pub(crate) fn same(self, one: &str, other: &str) -> bool {
        match self {
            Self::Rust => one.replace('-', "_") == other.replace('-', "_"),
            Self::Python => python(one) == python(other),
            Self::Java => one == other || one.rsplit(':').next() == Some(other),
            Self::JavaScript | Self::Go => one == other,
        }
    }
}

/// Normalises the name of a Python distribution (PEP 503).
pub(crate) fn python(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for letter in name.chars() {
        let letter = if matches!(letter, '-' | '_' | '.') { '-' } else { letter.to_ascii_lowercase() };
        if letter != '-' || !out.ends_with('-') {
            out.push(letter);
        }
    }
    out
}

/// A parsed dependency name, such as `rust:serde@1.0.228/src/lib.rs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) ecosystem: Ecosystem,
    /// Name of the package. For Go it may include the path in the module, because only `go.mod` shows where the module
    /// name ends.
    pub(crate) package: String,
    pub(crate) version: Option<String>,
    /// Path in the package; empty for the whole package.
    pub(crate) below: String,
}

/// Returns whether a text is a dependency name, such as `rust:serde`, and not a path. A leading `./` makes it a path.
#[must_use]
pub fn is_dependency(text: &str) -> bool {
    prefix(text).is_some()
}

/// Parses a dependency name. Returns `None` for a path, and a message for an invalid name.
pub(crate) fn read(text: &str) -> Option<Result<Name, String>> {
    let (ecosystem, rest) = prefix(text)?;
    let rest = rest.trim_end_matches('/');
    let fault = |why: &str| {
        let shown = toolpost_text::escape::text(toolpost_text::cut::line(text.trim(), 200).0).into_owned();
        Some(Err(format!("{shown} {why}; a valid name is, for example, {}.", ecosystem.example())))
    };
    if rest.is_empty() {
        return fault("has no package name");
    }
    let parts: Vec<&str> = rest.split('/').collect();
    if parts.iter().any(|part| part.is_empty() || *part == "." || *part == "..") {
        return fault("leads out of the package");
    }
    if rest.len() > 1_000 {
        return fault("is longer than 1000 bytes");
    }
    if rest.chars().any(|letter| letter.is_control() || letter == '\\') {
        return fault("contains characters that are not valid in a package name");
    }
    let scoped = ecosystem == Ecosystem::JavaScript && rest.starts_with('@');
    if scoped && parts.len() < 2 {
        return fault("has a scope without a package");
    }
    let first = match ecosystem {
        Ecosystem::Go => parts.iter().position(|part| part.contains('@')).map_or(parts.len(), |at| at + 1),
        _ if scoped => 2,
        _ => 1,
    };
    let (name, below) = parts.split_at(first);
    let name = name.join("/");
    let (package, version) = match name.char_indices().skip(1).find(|(_, letter)| *letter == '@') {
        Some((at, _)) => (&name[..at], Some(name[at + 1..].to_owned())),
        None => (name.as_str(), None),
    };
    if package.is_empty() || package == "@" {
        return fault("has no package name");
    }
    if version.as_deref() == Some("") {
        return fault("has an @ without a version");
    }
    Some(Ok(Name { ecosystem, package: package.to_owned(), version, below: below.join("/") }))
}

fn prefix(text: &str) -> Option<(Ecosystem, &str)> {
    let text = text.trim();
    Ecosystem::ALL.into_iter().find_map(|ecosystem| {
        let alias = text.strip_prefix("/dep/").and_then(|rest| {
            let rest = rest.strip_prefix(ecosystem.prefix())?;
            rest.strip_prefix('/').or_else(|| rest.is_empty().then_some(rest))
        });
        let own = || text.strip_prefix(ecosystem.prefix())?.strip_prefix(':');
        Some((ecosystem, alias.or_else(own)?))
    })
}

#[cfg(test)]
mod tests {
    use super::{Ecosystem, Name, read};
    use toolpost_test_rows::each;

    #[test]
    fn dependency_names_are_parsed() {
        use Ecosystem::{Go, Java, JavaScript, Python, Rust};
        let rows = [
            ("rust:serde", Rust, "serde", None, ""),
            (" rust:serde/ ", Rust, "serde", None, ""),
            ("rust:serde@1.0.228/src/de/mod.rs", Rust, "serde", Some("1.0.228"), "src/de/mod.rs"),
            ("/dep/rust/tokio/src/sync", Rust, "tokio", None, "src/sync"),
            ("js:express", JavaScript, "express", None, ""),
            ("js:@ai-sdk/anthropic", JavaScript, "@ai-sdk/anthropic", None, ""),
            (
                "js:@ai-sdk/anthropic@1.2.0/dist/index.d.ts",
                JavaScript,
                "@ai-sdk/anthropic",
                Some("1.2.0"),
                "dist/index.d.ts",
            ),
            ("/dep/js/@a/b/c", JavaScript, "@a/b", None, "c"),
            ("go:github.com/gin-gonic/gin/binding", Go, "github.com/gin-gonic/gin/binding", None, ""),
            (
                "go:github.com/gin-gonic/gin@v1.9.1/binding",
                Go,
                "github.com/gin-gonic/gin",
                Some("v1.9.1"),
                "binding",
            ),
            ("/dep/go/golang.org/x/net", Go, "golang.org/x/net", None, ""),
            ("py:requests/sessions.py", Python, "requests", None, "sessions.py"),
            ("java:com.google.guava:guava@33.0/com", Java, "com.google.guava:guava", Some("33.0"), "com"),
        ];
        each(rows, |(text, ecosystem, package, version, below)| {
            let name = Name {
                ecosystem,
                package: package.to_owned(),
                version: version.map(str::to_owned),
                below: below.to_owned(),
            };
            assert_eq!(read(text), Some(Ok(name)), "{text}");
        });
    }

    #[test]
    fn escaping_or_invalid_names_are_refused() {
        let long = format!("rust:{}", "a".repeat(1_001));
        let rows = [
            ("js:/../..", "leads out of the package"),
            ("js:..", "leads out of the package"),
            ("js:a/../b", "leads out of the package"),
            ("rust:/etc/passwd", "leads out of the package"),
            ("go:./x", "leads out of the package"),
            ("/dep/js/../../etc", "leads out of the package"),
            ("js:a\\..\\b", "contains characters that are not valid"),
            ("js:a\u{0}b", "contains characters that are not valid"),
            ("rust:", "has no package name"),
            ("/dep/rust", "has no package name"),
            ("rust:serde@", "has an @ without a version"),
            ("rust:@", "has no package name"),
            (long.as_str(), "is longer than 1000 bytes"),
            ("js:@scope", "has a scope without a package"),
        ];
        each(rows, |(text, why)| {
            let read = read(text);
            assert!(matches!(&read, Some(Err(words)) if words.contains(why)), "{text}: {read:?}");
        });
        each(["src/a.rs", "rust", "./rust:serde", "javascript:x", "C:\\x", "/dep/x/y", "rusty:x"], |text| {
            assert_eq!(read(text), None, "{text}");
        });
    }
}
