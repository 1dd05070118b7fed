//! Evaluates a Seatbelt profile as the macOS kernel does, so that tests check its permissions and not its
//! text.

use std::ffi::OsString;

use regex::Regex;

/// A parsed Seatbelt profile, with the values of its parameters.
pub(super) struct Judge {
    rules: Vec<Rule>,
}

struct Rule {
    allows: bool,
    operations: Vec<String>,
    filters: Vec<Filter>,
}

enum Filter {
    Subpath(String),
    Literal(String),
    Matches(Regex),
    /// A filter about something other than a path, such as a network address.
    Other,
}

/// An expression of a Seatbelt profile.
enum ProfileExpression {
    Word(String),
    Text(String),
    List(Vec<ProfileExpression>),
}

impl Judge {
    pub(super) fn new(words: &[OsString]) -> Self {
        let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap()).collect();
        let value = |name: &str| {
            let named = words.iter().find_map(|word| word.strip_prefix(&format!("{name}=")));
            named.unwrap_or_else(|| panic!("no value for {name}")).to_owned()
        };
        let at = words.iter().position(|word| *word == "-p").unwrap();
        let mut letters = words[at + 1].chars().peekable();
        let mut rules = Vec::new();
        while let Some(part) = read(&mut letters) {
            rules.extend(rule(&part, &value));
        }
        Self { rules }
    }

    /// Returns whether an operation on a path or name is allowed: the last matching rule decides.
    pub(super) fn allows(&self, operation: &str, what: &str) -> bool {
        let about = |rule: &&Rule| {
            let names = rule.operations.iter().any(|name| match name.strip_suffix('*') {
                Some(start) => operation.starts_with(start),
                None => name == operation || name == "default",
            });
            names && (rule.filters.is_empty() || rule.filters.iter().any(|filter| filter.matches(what)))
        };
        self.rules.iter().rev().find(about).is_some_and(|rule| rule.allows)
    }
}

impl Filter {
    fn matches(&self, what: &str) -> bool {
        match self {
            Self::Subpath(path) => {
                what.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Self::Literal(text) => what == text,
            Self::Matches(pattern) => pattern.is_match(what),
            Self::Other => false,
        }
    }
}

fn rule(part: &ProfileExpression, value: &dyn Fn(&str) -> String) -> Option<Rule> {
    let ProfileExpression::List(parts) = part else { panic!("a profile is made of lists") };
    let [ProfileExpression::Word(what), rest @ ..] = parts.as_slice() else {
        panic!("a rule begins with a word")
    };
    if what == "version" {
        return None;
    }
    assert!(what == "allow" || what == "deny", "{what}");
    let (mut operations, mut filters) = (Vec::new(), Vec::new());
    for part in rest {
        match part {
            ProfileExpression::Word(name) => operations.push(name.clone()),
            ProfileExpression::List(list) => filters.push(filter(list, value)),
            ProfileExpression::Text(text) => panic!("a rule contains a string outside a filter: {text}"),
        }
    }
    Some(Rule { allows: what == "allow", operations, filters })
}

fn filter(list: &[ProfileExpression], value: &dyn Fn(&str) -> String) -> Filter {
    let text = |part: &ProfileExpression| match part {
        ProfileExpression::Text(text) => text.clone(),
        ProfileExpression::List(list) => match list.as_slice() {
            [ProfileExpression::Word(word), ProfileExpression::Text(name)] if word == "param" => value(name),
            _ => panic!("not a parameter"),
        },
        ProfileExpression::Word(word) => panic!("not a text: {word}"),
    };
    match list {
        [ProfileExpression::Word(kind), part] => match kind.as_str() {
            "subpath" => Filter::Subpath(text(part)),
            "literal" | "global-name" => Filter::Literal(text(part)),
            "regex" => Filter::Matches(Regex::new(&text(part)).unwrap()),
            "target" => Filter::Other,
            other => panic!("{other}"),
        },
        [ProfileExpression::Word(remote), ProfileExpression::Word(_), address] if remote == "remote" => {
            Filter::Literal(text(address))
        }
        _ => panic!("not a filter"),
    }
}

/// Parses the next expression of a profile; `None` at the end of a list or of the profile.
fn read(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<ProfileExpression> {
    while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
    match letters.next()? {
        '(' => Some(ProfileExpression::List(std::iter::from_fn(|| read(letters)).collect())),
        ')' => None,
        '"' => Some(ProfileExpression::Text(letters.by_ref().take_while(|letter| *letter != '"').collect())),
        '#' => {
            assert_eq!(letters.next(), Some('"'));
            Some(ProfileExpression::Text(letters.by_ref().take_while(|letter| *letter != '"').collect()))
        }
        first => {
            let mut word = String::from(first);
            while let Some(letter) = letters.next_if(|letter| !letter.is_whitespace() && *letter != ')') {
                word.push(letter);
            }
            Some(ProfileExpression::Word(word))
        }
    }
}
