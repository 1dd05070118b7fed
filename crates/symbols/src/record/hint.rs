//! Type annotations: a path of names, and the type arguments.

mod function;

use serde::{Deserialize, Serialize};

use crate::{Word, Words};

/// A type annotation.
///
/// A function type has the name `=>`; its arguments are the result, then the parameters, with `_` for an
/// unknown type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// The parts of the name; empty for a type without a name, such as a list or a tuple.
    pub path: Vec<Word>,
    /// The type arguments.
    pub inner: Vec<Hint>,
    /// The other members of a union or an intersection.
    pub or: Vec<Hint>,
}

/// The name of a function type.
pub(crate) const FUNCTION: &str = "=>";

/// The maximum nesting depth of types; deeper ones are ignored.
const DEEPEST: usize = 8;

/// Keywords before a type that do not affect its identity.
const BEFORE: &[&str] = &[
    "extends",
    "super",
    "mut",
    "const",
    "dyn",
    "impl",
    "struct",
    "enum",
    "union",
    "class",
    "typename",
    "readonly",
    "keyof",
    "unsafe",
    "volatile",
    "static",
    "final",
    "ref",
    "in",
    "out",
    "chan",
    "asserts",
    "infer",
    "unique",
    "extern",
    "register",
    "inline",
    "restrict",
    "async",
    "abstract",
    "virtual",
    "constexpr",
    "unsigned",
    "signed",
];

/// Empty types in a union: `Foo | None` is a `Foo`.
const NOTHING: &[&str] = &["None", "null", "undefined", "void", "nil", "NoneType", "never"];

impl Hint {
    /// Parses a type annotation; `None` if it names no type.
    pub(super) fn read(text: &str, words: &mut Words) -> Option<Self> {
        let text = text.trim().trim_start_matches(':').trim_start_matches("->").trim();
        let mut reader = Reader { rest: text, words, depth: 0 };
        reader.either()
    }
}

struct Reader<'t, 'w> {
    rest: &'t str,
    words: &'w mut Words,
    depth: usize,
}

impl Reader<'_, '_> {
    fn either(&mut self) -> Option<Hint> {
        self.depth += 1;
        let first = self.one();
        let mut all: Vec<Hint> = first.into_iter().collect();
        while self.sign("|") || self.sign("&") {
            all.extend(self.one());
        }
        self.depth -= 1;
        let nothing = |hint: &Hint, words: &Words| match hint.path.as_slice() {
            [only] => NOTHING.contains(&words.text(*only)),
            _ => false,
        };
        let something = all.iter().any(|hint| !nothing(hint, self.words));
        let mut kept = all.into_iter().filter(|hint| !something || !nothing(hint, self.words));
        let mut found = kept.next()?;
        found.or.extend(kept);
        Some(found)
    }

    fn one(&mut self) -> Option<Hint> {
        if self.depth > DEEPEST {
            return None;
        }
        self.before();
        if let Some(function) = self.function() {
            return Some(function);
        }
        let mut found = if self.sign("(") {
            // A pair of parentheses around one type is that type; around more, it is a tuple.
            let mut inner = self.list(")");
            match inner.len() {
                1 => inner.remove(0),
                _ => Hint { path: Vec::new(), inner, or: Vec::new() },
            }
        } else if self.sign("[") {
            self.bracketed()?
        } else {
            self.named()?
        };
        loop {
            self.spaces();
            if self.rest.starts_with("[]") {
                self.rest = &self.rest[2..];
                found = Hint { path: Vec::new(), inner: vec![found], or: Vec::new() };
            } else if self.rest.starts_with(['*', '?', '!']) || self.rest.starts_with("...") {
                let length = if self.rest.starts_with("...") { 3 } else { 1 };
                self.rest = &self.rest[length..];
            } else {
                return Some(found);
            }
        }
    }

    /// Parses the rest of an array or a slice after `[`: the element type is inside the brackets in Rust (`[T; 4]`),
    /// and follows them in Go (`[4]T`).
    fn bracketed(&mut self) -> Option<Hint> {
        let size = self.rest.find(']')?;
        let within = self.rest[..size].trim();
        let go = within.is_empty() || within.chars().all(|letter| letter.is_ascii_digit());
        let inner = if go {
            self.rest = &self.rest[size + 1..];
            self.one()?
        } else {
            let inner = self.either()?;
            self.skip_to("]");
            inner
        };
        Some(Hint { path: Vec::new(), inner: vec![inner], or: Vec::new() })
    }

    fn named(&mut self) -> Option<Hint> {
        let mut path = Vec::new();
        let mut apart = false;
        loop {
            self.spaces();
            let quoted = self.sign("\"") || self.sign("'");
            if quoted {
                continue;
            }
            let length = self
                .rest
                .find(|letter: char| !(letter.is_alphanumeric() || "_$@".contains(letter)))
                .unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at(length);
            if name.is_empty() {
                break;
            }
            self.rest = rest;
            path.push(self.words.add(name));
            apart = self.rest.starts_with(char::is_whitespace);
            if !(self.sign(".") || self.sign("::")) {
                break;
            }
        }
        while self.sign("\"") || self.sign("'") {}
        if path.is_empty() {
            return None;
        }
        let last = path[path.len() - 1];
        if let Some(function) = self.named_function(last) {
            return Some(function);
        }
        let inner = if self.sign("<") {
            self.list(">")
        } else if !self.rest.starts_with("[]") && self.sign("[") {
            self.list("]")
        } else {
            Vec::new()
        };
        // In Go, the value type of a map follows the brackets: `map[K]V`.
        let mut found = Hint { path, inner, or: Vec::new() };
        if found.path.len() == 1 && self.words.text(found.path[0]) == "map" {
            found.inner.extend(self.one());
        }
        // In Go, results may have names: `(n int, err error)`.
        let again = self.rest.trim_start();
        let named = apart && found.path.len() == 1 && found.inner.is_empty();
        if named && again.starts_with(|letter: char| letter.is_alphabetic() || "*[_".contains(letter)) {
            let word = again.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
            if !["is", "extends", "in", "as", "where", "for", "const", "on"].contains(&word) {
                return self.one().or(Some(found));
            }
        }
        Some(found)
    }

    fn list(&mut self, end: &str) -> Vec<Hint> {
        let mut out = Vec::new();
        loop {
            self.spaces();
            if self.rest.is_empty() || self.sign(end) {
                return out;
            }
            let before = self.rest.len();
            out.extend(self.either());
            self.spaces();
            if self.rest.starts_with('=') && !self.rest.starts_with("=>") && self.sign("=") {
                // In Rust, the name of an associated type precedes the type: `Iterator<Item = T>`. The name is
                // dropped.
                out.pop();
                out.extend(self.either());
            }
            if self.sign(",") || self.sign(";") {
                continue;
            }
            if self.rest.len() == before || !self.rest.starts_with(end) {
                // Literals, bounds and the like are not types and are skipped.
                self.skip_one(end);
            }
        }
    }

    /// Skips unused text up to the next comma or the end of the list.
    fn skip_one(&mut self, end: &str) {
        let mut depth = 0_usize;
        for (at, letter) in self.rest.char_indices() {
            match letter {
                '(' | '[' | '{' | '<' => depth += 1,
                ')' | ']' | '}' | '>' if depth > 0 => depth -= 1,
                ',' if depth == 0 => {
                    self.rest = &self.rest[at + 1..];
                    return;
                }
                _ if depth == 0 && self.rest[at..].starts_with(end) => {
                    self.rest = &self.rest[at..];
                    return;
                }
                _ => {}
            }
        }
        self.rest = "";
    }

    fn skip_to(&mut self, end: &str) {
        self.rest = self.rest.find(end).map_or("", |at| &self.rest[at + end.len()..]);
    }

    /// Skips the signs, lifetimes and keywords before a type.
    fn before(&mut self) {
        loop {
            self.spaces();
            let trimmed = self.rest.trim_start_matches(['&', '*', '^', '?', '!', '@', '\\']);
            if trimmed.len() != self.rest.len() {
                self.rest = trimmed;
                continue;
            }
            if let Some(rest) = self.rest.strip_prefix("...") {
                self.rest = rest;
                continue;
            }
            // A name after a quote is a lifetime of Rust. With a closing quote, it is a quoted type of Python.
            if let Some(rest) = self.rest.strip_prefix('\'') {
                let length = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
                let length = length.unwrap_or(rest.len());
                if length > 0 && !rest[length..].starts_with(['\'', '[', '.']) {
                    self.rest = &rest[length..];
                    continue;
                }
            }
            let word = |word: &&&str| {
                let rest = self.rest.strip_prefix(**word);
                rest.is_some_and(|rest| rest.starts_with([' ', '\t', '\n', '*', '&']))
            };
            match BEFORE.iter().find(word) {
                Some(word) => self.rest = &self.rest[word.len()..],
                None => return,
            }
        }
    }

    fn spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn sign(&mut self, sign: &str) -> bool {
        self.spaces();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hint;
    use crate::Words;
    use toolpost_test_rows::each;

    fn shown(hint: &Hint, words: &Words) -> String {
        let path: Vec<&str> = hint.path.iter().map(|word| words.text(*word)).collect();
        let mut out = path.join(".");
        if !hint.inner.is_empty() || hint.path.is_empty() {
            let inner: Vec<String> = hint.inner.iter().map(|inner| shown(inner, words)).collect();
            out += &format!("<{}>", inner.join(","));
        }
        for or in &hint.or {
            out += &format!("|{}", shown(or, words));
        }
        out
    }

    #[test]
    fn type_annotations_of_all_languages_are_parsed() {
        let rows = [
            ("Foo", "Foo"),
            (": Foo", "Foo"),
            ("a.b.Foo", "a.b.Foo"),
            ("\"Foo\"", "Foo"),
            ("'a.Foo'", "a.Foo"),
            ("Optional[Foo]", "Optional<Foo>"),
            ("Foo | None", "Foo"),
            ("None | Foo | Bar", "Foo|Bar"),
            ("dict[str, list[Foo]]", "dict<str,list<Foo>>"),
            ("Promise<Foo[]>", "Promise<<Foo>>"),
            ("readonly Foo[]", "<Foo>"),
            ("(Foo | undefined)[]", "<Foo>"),
            ("(a: Foo) => Bar", "=><Bar,Foo>"),
            ("((a: Foo, b?: (c: X) => Y) => void) | null", "=><void,Foo,=><Y,X>>"),
            ("Baz | ((...a: Foo[]) => Bar)", "Baz|=><Bar,_>"),
            ("<T>(this: A, a: Map<T, (b: B) => C>, d) => D", "=><D,Map<T,=><C,B>>,_>"),
            ("(a: { b: number, c: Foo }, d: Bar) => x is Foo", "=><x,_,Bar>"),
            ("impl Fn(&Foo, u8) -> Bar + Send", "=><Bar,Foo,u8>"),
            ("Box<dyn FnMut(Foo)>", "Box<=><_,Foo>>"),
            ("Callable[[int, a.Foo], Bar]", "=><Bar,int,a.Foo>"),
            ("Callable[..., Bar]", "=><Bar>"),
            ("Map<string, A.B>", "Map<string,A.B>"),
            ("&'a mut Foo<'b, T>", "Foo<T>"),
            ("Box<dyn Trait + Send>", "Box<Trait>"),
            ("Vec<(A, B)>", "Vec<<A,B>>"),
            ("impl Iterator<Item = Foo> + '_", "Iterator<Foo>"),
            ("&[Foo]", "<Foo>"),
            ("[Foo; 4]", "<Foo>"),
            ("crate::a::Foo", "crate.a.Foo"),
            ("Result<Foo, Error>", "Result<Foo,Error>"),
            ("*pkg.Foo", "pkg.Foo"),
            ("[]*Foo", "<Foo>"),
            ("[4]Foo", "<Foo>"),
            ("func(a int, b *Foo) Bar", "=><Bar,int,Foo>"),
            ("func()", "=><_>"),
            ("[]func(Foo) (Bar, error)", "<=><<Bar,error>,Foo>>"),
            ("map[string]*Foo", "map<string,Foo>"),
            ("const struct foo *", "foo"),
            ("std::vector<Foo*>", "std.vector<Foo>"),
            ("List<? extends Foo>", "List<Foo>"),
            ("Foo...", "Foo"),
            ("(n *Foo, err error)", "<Foo,error>"),
            ("(*Foo, error)", "<Foo,error>"),
            ("", "-"),
        ];
        each(rows, |(text, wanted)| {
            let mut words = Words::default();
            let hint = Hint::read(text, &mut words);
            assert_eq!(hint.map_or("-".to_owned(), |hint| shown(&hint, &words)), wanted, "{text}");
        });
    }
}
