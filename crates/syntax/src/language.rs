//! Languages for which there is a parser.

use std::path::Path;

use crate::grammar::{ALL, Grammar, LanguageKind};

/// A language for which there is a parser.
#[derive(Clone, Copy)]
pub struct Language(pub(crate) &'static Grammar);

impl Language {
    /// Finds the language of a file by its name, or by the extension of its name.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        if let Some(known) = ALL.iter().find(|known| known.files.contains(&name)) {
            return Some(Self(known));
        }
        let extension = path.extension()?.to_str()?.to_lowercase();
        ALL.iter().find(|known| known.extensions.contains(&extension.as_str())).map(|known| Self(known))
    }

    /// Finds the language of a file by its name, and by its text if that decides: a header may be C or C++.
    #[must_use]
    pub fn of_text(path: &Path, text: &str) -> Option<Self> {
        let found = Self::of_path(path)?;
        let header = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("h"));
        if header && found.name() == "c" && code_lines(text).any(is_cpp) {
            return Self::of_name("cpp");
        }
        Some(found)
    }

    /// Finds a language by its name, as written after the fence of a code block.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.trim().trim_start_matches('.').to_lowercase();
        let called = |known: &&&Grammar| {
            known.name == name
                || known.aliases.contains(&name.as_str())
                || known.extensions.contains(&name.as_str())
        };
        ALL.iter().find(called).map(|known| Self(known))
    }

    /// Finds the language of a file for which the caller may name one. The file name decides: the named language
    /// counts only if it also uses the extension of the file, or if the file has no extension and no well-known name.
    #[must_use]
    pub fn meant(path: &Path, name: Option<&str>) -> Option<Self> {
        let named = name.and_then(Self::of_name);
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
        let fits =
            named.filter(|named| extension.as_deref().is_some_and(|own| named.0.extensions.contains(&own)));
        match (fits, Self::of_path(path)) {
            (Some(fits), _) => Some(fits),
            (None, Some(own)) => Some(own),
            // A file with an unknown extension is not parsed, even if the caller names a language.
            (None, None) => named.filter(|_| extension.is_none() && !is_plain(path)),
        }
    }

    /// Returns the name of the language, such as `rust`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns whether this is a programming language, not a markup or data format.
    #[must_use]
    pub fn is_code(self) -> bool {
        self.0.sort == LanguageKind::Code
    }

    /// Returns whether this language is a superset of another one, so that a request for the other one
    /// includes it.
    #[must_use]
    pub fn widens(self, other: Self) -> bool {
        matches!((self.name(), other.name()), ("tsx", "typescript"))
    }

    /// Returns the replacement for `$` in a pattern, which makes `$NAME` parse as a name.
    #[must_use]
    pub fn meta(self) -> char {
        self.0.meta
    }

    /// Lists all languages for which there is a parser.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().map(|known| Self(known))
    }

    /// Returns the name of the language, and the names and texts of its queries. If one of these strings changes,
    /// facts that were stored earlier are out of date.
    pub fn print(self) -> impl Iterator<Item = &'static str> {
        let queries = self.0.queries.iter().flat_map(|(name, text)| [*name, *text]);
        std::iter::once(self.0.name).chain(queries)
    }
}

/// Names, in lower case, of files that have no extension and contain no code in the usual languages: a language that
/// a caller names is ignored for them.
const PLAIN: [&str; 16] = [
    "makefile",
    "gnumakefile",
    "dockerfile",
    "containerfile",
    "jenkinsfile",
    "procfile",
    "vagrantfile",
    "justfile",
    "license",
    "copying",
    "notice",
    "readme",
    "changelog",
    "authors",
    "codeowners",
    "kconfig",
];

fn is_plain(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    name.is_some_and(|name| PLAIN.contains(&name.as_str()))
}

/// Returns the lines of a C or C++ header that begin in code, not in a comment, whose text may begin with any word.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut part = CodePart::Code;
    text.lines().filter(move |line| {
        let start = part;
        part = start.after(line);
        start == CodePart::Code
    })
}

/// A part of the text of a C or C++ header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CodePart {
    Code,
    String,
    Character,
    LineComment,
    BlockComment,
}

impl CodePart {
    /// Returns the part in which the next line begins, if this line begins in `self`.
    fn after(self, line: &str) -> Self {
        let mut part = self;
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            let next = letters.as_str().chars().next();
            match (part, letter, next) {
                (Self::Code, '/', Some('/')) => part = Self::LineComment,
                (Self::Code, '/', Some('*')) => {
                    letters.next();
                    part = Self::BlockComment;
                }
                (Self::Code, '"', _) => part = Self::String,
                (Self::Code, '\'', _) => part = Self::Character,
                (Self::BlockComment, '*', Some('/')) => {
                    letters.next();
                    part = Self::Code;
                }
                (Self::String, '"', _) | (Self::Character, '\'', _) => part = Self::Code,
                (Self::String | Self::Character, '\\', _) => {
                    letters.next();
                }
                _ => {}
            }
        }
        // A backslash at the end of the line continues also a string or a line comment.
        if part == Self::BlockComment || line.ends_with('\\') { part } else { Self::Code }
    }
}

/// Returns whether a line is probably C++ and not C.
fn is_cpp(line: &str) -> bool {
    let line = line.trim();
    // C allows C++ keywords as names: `int class;` has another word first, and an assignment, a call or a member access
    // such as `class = 1;` continues with an operator.
    let begins = |word: &str, nexts: &[char]| {
        let Some(rest) = line.strip_prefix(word) else { return false };
        let next = rest.trim_start();
        // C has no `::`, and no attribute in this position.
        next.starts_with("::")
            || next.starts_with("[[")
            || rest.starts_with([' ', '<', '\t', '{'])
                && next.starts_with(|next: char| next.is_alphabetic() || next == '_' || nexts.contains(&next))
    };
    let access = ["public:", "private:", "protected:"].contains(&line);
    let rest = ["using", "constexpr"].into_iter().any(|word| begins(word, &[]));
    access || rest || begins("class", &[]) || begins("namespace", &['{']) || begins("template", &['<'])
}

impl std::fmt::Debug for Language {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.0.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Language {}

#[cfg(test)]
mod tests {
    use super::Language;
    use std::path::Path;
    use toolpost_test_rows::each;

    #[test]
    fn a_named_language_does_not_apply_to_makefiles() {
        let rows = [("tool", Some("go")), ("Makefile", None), ("GNUmakefile", None), ("a.rs", Some("rust"))];
        each(rows, |(path, wanted)| {
            let found = Language::meant(Path::new(path), Some("go")).map(Language::name);
            assert_eq!(found, wanted, "{path}");
        });
    }

    #[test]
    fn the_language_of_a_header_is_detected_from_its_text() {
        let rows = [
            ("a.h", "int f(void);\n", "c"),
            ("a.h", "struct class_of { int class; };\n", "c"),
            ("a.h", "#pragma once\nnamespace a {\n}\n", "cpp"),
            ("a.h", "  class A;\n", "cpp"),
            ("a.H", "struct A {\n  private:\n  int x;\n};\n", "cpp"),
            ("a.h", "template<class T> T f();\n", "cpp"),
            ("a.h", "namespace {\n}\n", "cpp"),
            ("a.h", "namespace\n", "c"),
            ("a.h", "template <typename T>\n", "cpp"),
            ("a.h", "static inline void f(int class) {\n    class = 1;\n}\n", "c"),
            ("a.h", "    using += 1;\n    template = using ? class : 0;\n    class (1);\n", "c"),
            ("a.h", "/* Devices have a\n   class and a\n   namespace of names. */\nint f(void);\n", "c"),
            ("a.h", "/* One. */ int a; /* Two:\n   using it */\nclass A;\n", "cpp"),
            ("a.h", "int a; // a /* in a line comment\nclass A;\n", "cpp"),
            ("a.h", "#define ALL \"/*\"\nclass A;\n", "cpp"),
            ("a.h", "//****\n// x\n//****\nclass A;\n", "cpp"),
            ("a.h", "/* a *//* b\n class c */\nint x;\n", "c"),
            ("a.h", "#define QUOTE '\"' /* One\n class of quotes. */\nint x;\n", "c"),
            ("a.h", "#define PAGE \"http://x\" /* One\n class of pages. */\nint x;\n", "c"),
            ("a.h", "#define ALL \"\\\"/*\"\nclass A;\n", "cpp"),
            ("a.h", "// One \\\n class of things\nint x;\n", "c"),
            ("a.h", "using ::testing::Test;\n", "cpp"),
            ("a.h", "class [[nodiscard]] A {\n};\n", "cpp"),
            ("a.h", "namespace [[deprecated]] x {\n}\n", "cpp"),
            ("a.c", "class A;\n", "c"),
        ];
        each(rows, |(path, text, wanted)| {
            let found = Language::of_text(Path::new(path), text).map(Language::name);
            assert_eq!(found, Some(wanted), "{path}: {text}");
        });
    }
}
