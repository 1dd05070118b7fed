//! Names of dependencies, such as `rust:serde@1.0.228/src/lib.rs`.

/// A package ecosystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ecosystem {
    /// Rust crates.
    Rust,
    /// npm packages.
    JavaScript,
    /// Python distributions.
    Python,
    /// Go modules.
    Go,
    /// Maven artifacts.
    Java,
}

impl Ecosystem {
    /// All ecosystems.
    pub const ALL: [Self; 5] = [Self::Rust, Self::JavaScript, Self::Python, Self::Go, Self::Java];

    /// Returns the prefix of package names, without the colon.
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

    /// Returns an example of a dependency name.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Rust => "rust:serde or rust:serde@1.0.228/src/lib.rs",
            Self::JavaScript => "js:express or js:@ai-sdk/anthropic/dist",
            Self::Python => "py:requests or py:requests/sessions.py",
            Self::Go => "go:github.com/gin-gonic/gin or go:github.com/gin-gonic/gin/binding",
            Self::Java => "java:com.google.guava:guava or java:guava",
        }
    }

    /// Returns whether two names mean the same package.
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

/// A parsed dependency name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) ecosystem: Ecosystem,
    /// Package name. For Go it may include the path inside the module, since only the lock file shows where
    /// the module name ends.
    pub(crate) package: String,
    pub(crate) version: Option<String>,
    /// Path inside the package; empty for the whole package.
    pub(crate) below: String,
}

/// Returns whether a text is a dependency name rather than a path. A leading `./` makes it a path.
#[must_use]
pub fn is_dependency(said: &str) -> bool {
    prefix(said).is_some()
}

/// Parses a dependency name. Returns `None` for a path, and an error message for an invalid name.
pub(crate) fn read(said: &str) -> Option<Result<Name, String>> {
    let (ecosystem, rest) = prefix(said)?;
    let rest = rest.trim_end_matches('/');
    let fault = |why: &str| {
        let shown = toolpost_text::escape::text(toolpost_text::cut::line(said.trim(), 200).0).into_owned();
        Some(Err(format!("{shown} {why}: write it as {}.", ecosystem.example())))
    };
    if rest.is_empty() {
        return fault("names no package");
    }
    let parts: Vec<&str> = rest.split('/').collect();
    if parts.iter().any(|part| part.is_empty() || *part == "." || *part == "..") {
        return fault("leads out of the package");
    }
    if rest.chars().any(|letter| letter.is_control() || letter == '\\') || rest.len() > 1_000 {
        return fault("contains characters that are not valid in a package name");
    }
    let scoped = ecosystem == Ecosystem::JavaScript && rest.starts_with('@');
    if scoped && parts.len() < 2 {
        return fault("names a scope without a package");
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
    if package.is_empty() || package == "@" || version.as_deref() == Some("") {
        return fault("names no package");
    }
    Some(Ok(Name { ecosystem, package: package.to_owned(), version, below: below.join("/") }))
}

fn prefix(said: &str) -> Option<(Ecosystem, &str)> {
    let said = said.trim();
    Ecosystem::ALL.into_iter().find_map(|ecosystem| {
        let alias = said.strip_prefix("/dep/").and_then(|rest| {
            let rest = rest.strip_prefix(ecosystem.prefix())?;
            rest.strip_prefix('/').or_else(|| rest.is_empty().then_some(rest))
        });
        let own = || said.strip_prefix(ecosystem.prefix())?.strip_prefix(':');
        Some((ecosystem, alias.or_else(own)?))
    })
}

#[cfg(test)]
mod tests {
    use super::{Ecosystem, Name, read};

    #[test]
    fn names_are_read_as_they_are_written() {
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
        for (said, ecosystem, package, version, below) in rows {
            let name = Name {
                ecosystem,
                package: package.to_owned(),
                version: version.map(str::to_owned),
                below: below.to_owned(),
            };
            assert_eq!(read(said), Some(Ok(name)), "{said}");
        }
    }

    #[test]
    fn what_leads_elsewhere_is_no_name() {
        let rows = [
            ("js:/../..", "leads out of the package"),
            ("js:..", "leads out of the package"),
            ("js:a/../b", "leads out of the package"),
            ("rust:/etc/passwd", "leads out of the package"),
            ("go:./x", "leads out of the package"),
            ("/dep/js/../../etc", "leads out of the package"),
            ("js:a\\..\\b", "contains characters that are not valid"),
            ("js:a\u{0}b", "contains characters that are not valid"),
            ("rust:", "names no package"),
            ("/dep/rust", "names no package"),
            ("rust:serde@", "names no package"),
            ("js:@scope", "names a scope"),
        ];
        for (said, why) in rows {
            let read = read(said);
            assert!(matches!(&read, Some(Err(words)) if words.contains(why)), "{said}: {read:?}");
        }
        for said in ["src/a.rs", "rust", "./rust:serde", "javascript:x", "C:\\x", "/dep/x/y", "rusty:x"] {
            assert_eq!(read(said), None, "{said}");
        }
    }
}
