//! Construction of the record of a file.

use std::collections::HashMap;
use std::ops::Range;

use toolpost_syntax::{self as syntax, Chain, Facts, Kind, Language, ParseError, Tree};
use toolpost_text::lines::LineIndex;
use toolpost_workspace::hash;

use super::{
    Base, Expression, Hint, ImportRecord, ImportTarget, KindCode, Local, Record, ReferenceRecord, Span, Step,
    SymbolRecord,
};
use crate::{Word, Words};

/// The kinds of symbols; records store the index in this list. Add new kinds at the end.
pub(super) const KINDS: &[Kind] = &[
    Kind::Module,
    Kind::Class,
    Kind::Struct,
    Kind::Union,
    Kind::Enum,
    Kind::Variant,
    Kind::Interface,
    Kind::Trait,
    Kind::Impl,
    Kind::Function,
    Kind::Constant,
    Kind::Variable,
    Kind::Field,
    Kind::Type,
    Kind::Macro,
    Kind::Section,
    Kind::Element,
    Kind::Rule,
    Kind::Key,
];

/// Parses the text of a file and returns its record, with the table of the names to which the record refers by
/// number.
///
/// # Errors
///
/// If the text is too large or too complex to parse.
pub fn make(language: Language, text: &str) -> Result<(Words, Record), ParseError> {
    let tree = language.parse(text)?;
    let facts = tree.facts();
    let mut maker = RecordBuilder { text, tree: &tree, words: Words::default() };
    let record = maker.record(language, &facts);
    Ok((maker.words, record))
}

struct RecordBuilder<'a> {
    text: &'a str,
    tree: &'a Tree<'a>,
    words: Words,
}

impl RecordBuilder<'_> {
    fn record(&mut self, language: Language, facts: &Facts) -> Record {
        let index = LineIndex::new(self.text);
        let bound = bound(self.text, facts);
        let uses = facts.references.iter().filter(|used| !local(self.text, facts, &bound, used));
        // The blank identifier of Go names nothing, although `var _ I = T{}` has the form of a definition.
        let uses = uses.filter(|used| language.name() != "go" || &self.text[used.at.clone()] != "_");
        let mut symbols: Vec<SymbolRecord> =
            facts.symbols.iter().map(|symbol| self.symbol(symbol, &index)).collect();
        self.values_of_parts(&mut symbols, facts);
        Record {
            language: language.name().to_owned(),
            package: facts.package.as_ref().map(|package| self.words.add(package)),
            symbols,
            uses: uses.map(|used| self.used(used)).collect(),
            imports: facts.imports.iter().map(|import| self.import(import, &facts.symbols)).collect(),
            scopes: facts.scopes.iter().map(|scope| (span(&scope.span), scope.parent.map(number))).collect(),
            locals: facts.bindings.iter().map(|binding| self.binding(binding)).collect(),
            errors: number(facts.errors.len()),
            lines: number(index.count()),
        }
    }

    fn symbol(&mut self, symbol: &syntax::Symbol, index: &LineIndex) -> SymbolRecord {
        let last = symbol.span.end.saturating_sub(1).max(symbol.span.start);
        let head = symbol.signature.start..symbol.signature.start;
        let code = self.part(symbol.body.as_ref().unwrap_or(&symbol.span));
        let code: String = code.split_whitespace().flat_map(|word| [word, " "]).collect();
        let content =
            hash(code.as_bytes()).as_bytes()[..8].iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
        let value = symbol.value.as_ref().and_then(|value| self.tree.chain(value));
        let hint = symbol.hint.as_ref().map(|hint| self.part(hint).to_owned());
        // In Python, a type alias may be written as a variable: `Name: TypeAlias = Other`.
        let alias =
            symbol.kind == Kind::Type || hint.as_ref().is_some_and(|hint| hint.ends_with("TypeAlias"));
        let hint = hint.filter(|_| !alias || symbol.kind == Kind::Type).or_else(|| {
            // A type alias has its type after the equals sign.
            let sides = alias.then(|| self.part(&symbol.span).split_once('='))??;
            Some(sides.1.trim().trim_end_matches(';').to_owned())
        });
        SymbolRecord {
            kind: KindCode(KINDS.iter().position(|kind| *kind == symbol.kind).unwrap_or(0) as u8),
            name: self.words.add(&symbol.name),
            qualified: self.words.add(&symbol.qualified),
            parent: symbol.parent.map(number),
            span: span(&symbol.span),
            lines: (number(index.line(symbol.span.start)), number(index.line(last))),
            at: span(symbol.at.as_ref().unwrap_or(&head)),
            body: symbol.body.as_ref().map(span),
            signature: span(&symbol.signature),
            hint: hint.and_then(|hint| Hint::read(&hint, &mut self.words)),
            value: value.map(|value| self.expression(&value)),
            modifiers: self.modifiers(symbol),
            content,
        }
    }

    /// Sets the values of symbols that a pattern binds, as in `const { a } = b`, to parts of the whole value.
    fn values_of_parts(&mut self, symbols: &mut [SymbolRecord], facts: &Facts) {
        let parts: HashMap<usize, &Chain> = facts
            .bindings
            .iter()
            .filter_map(|binding| Some((binding.at.start, binding.value.as_ref()?)))
            .collect();
        for (symbol, of) in symbols.iter_mut().zip(&facts.symbols).filter(|(_, of)| of.value.is_none()) {
            let value = of.at.as_ref().and_then(|at| parts.get(&at.start));
            symbol.value = value.map(|value| self.expression(value));
        }
    }

    /// Returns the modifiers of a symbol, and the names of its decorators with `@`.
    fn modifiers(&mut self, symbol: &syntax::Symbol) -> Vec<Word> {
        let mut out: Vec<Word> = symbol.modifiers.iter().map(|word| self.words.add(word)).collect();
        let decorators =
            symbol.decorators.as_ref().map(|range| self.part(range).to_owned()).unwrap_or_default();
        for line in decorators.lines().map(str::trim).filter(|line| line.starts_with('@')) {
            let end = line[1..].find(|letter: char| !(letter.is_alphanumeric() || "_.".contains(letter)));
            out.push(self.words.add(&line[..end.map_or(line.len(), |end| end + 1)]));
        }
        out
    }

    fn used(&mut self, used: &syntax::Reference) -> ReferenceRecord {
        ReferenceRecord {
            usage: used.usage,
            name: self.word(&used.at),
            at: number(used.at.start),
            receiver: used
                .receiver
                .as_ref()
                .map(|chain| self.expression(chain))
                .or_else(|| self.around(used)),
            within: used.within.map(number),
        }
    }

    /// Returns the namespace that the punctuation around a plain name implies: macros, or the global namespace.
    fn around(&self, used: &syntax::Reference) -> Option<Expression> {
        let language = self.tree.language().name();
        let behind = self.text.get(used.at.end..).unwrap_or_default();
        let before = self.text.get(..used.at.start).unwrap_or_default();
        let call = used.usage == syntax::Usage::Call;
        let base = match language {
            "rust" if call && behind.starts_with('!') && !behind.starts_with("!=") => Base::Macros,
            "cpp" if before.ends_with("::") => Base::Global,
            "php" if is_global(before) => Base::Global,
            _ => return None,
        };
        Some(Expression { base, steps: Vec::new() })
    }

    fn import(&mut self, import: &syntax::Import, symbols: &[syntax::Symbol]) -> ImportRecord {
        // `mod a;` in Rust is both a symbol and an import. The import does not belong to that symbol.
        let within = import.within.and_then(|within| match &symbols[within] {
            symbol if symbol.kind == Kind::Module && symbol.body.is_none() => symbol.parent,
            _ => Some(within),
        });
        ImportRecord {
            module: self.words.add(&import.module),
            what: match &import.what {
                syntax::ImportTarget::Module => ImportTarget::Module,
                syntax::ImportTarget::Name(name) => ImportTarget::Name(self.words.add(name)),
                syntax::ImportTarget::All => ImportTarget::All,
                syntax::ImportTarget::Default(name) => ImportTarget::Default(self.words.add(name)),
            },
            alias: import.alias.as_ref().map(|alias| self.words.add(alias)),
            exported: import.reach == syntax::ImportVisibility::Exported,
            at: number(import.at.start),
            within: within.map(number),
        }
    }

    fn binding(&mut self, binding: &syntax::Binding) -> Local {
        let hint = binding.hint.as_ref().map(|hint| self.part(hint).to_owned());
        Local {
            sort: binding.sort,
            name: self.word(&binding.at),
            at: number(binding.at.start),
            scope: binding.scope.map(number),
            hint: hint.and_then(|hint| Hint::read(&hint, &mut self.words)),
            value: binding.value.as_ref().map(|value| self.expression(value)),
            place: binding.place.and_then(|place| u16::try_from(place).ok()),
        }
    }

    fn expression(&mut self, chain: &Chain) -> Expression {
        Expression {
            base: match &chain.base {
                syntax::Base::Name(at) => Base::Name(self.word(at), number(at.start)),
                syntax::Base::Own => Base::Own,
                syntax::Base::Above => Base::Above,
                syntax::Base::New(at) => Base::New(self.word(at), number(at.start)),
                syntax::Base::Literal(name) => Base::Literal(self.words.add(name)),
                syntax::Base::Other => Base::Other,
            },
            steps: chain
                .steps
                .iter()
                .map(|step| match step {
                    syntax::Step::Member(at) => Step::Member(self.word(at)),
                    syntax::Step::Call => Step::Call,
                    syntax::Step::Index => Step::Index,
                    syntax::Step::Handed { argument, parameter } => {
                        let number = |at: &usize| u16::try_from(*at).unwrap_or(u16::MAX);
                        Step::Handed(number(argument), number(parameter))
                    }
                })
                .collect(),
        }
    }

    fn part(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn word(&mut self, range: &Range<usize>) -> Word {
        let name = self.text.get(range.clone()).unwrap_or_default();
        self.words.add(name)
    }
}

/// Checks whether a PHP name is fully qualified and global: it follows a `\` that follows no other name.
fn is_global(before: &str) -> bool {
    let outer = before.strip_suffix('\\');
    outer.is_some_and(|outer| !outer.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
}

/// Returns the scopes that bind each local name.
fn bound<'t>(text: &'t str, facts: &Facts) -> HashMap<&'t str, Vec<usize>> {
    let mut out: HashMap<&str, Vec<usize>> = HashMap::new();
    for binding in &facts.bindings {
        let (Some(scope), Some(name)) = (binding.scope, text.get(binding.at.clone())) else { continue };
        if binding.sort != syntax::BindingKind::Field {
            out.entry(name).or_default().push(scope);
        }
    }
    out
}

/// Returns whether a use only reads or writes a local name: it has no receiver, and a scope around it binds the name.
fn local(text: &str, facts: &Facts, bound: &HashMap<&str, Vec<usize>>, used: &syntax::Reference) -> bool {
    let plain = matches!(used.usage, syntax::Usage::Read | syntax::Usage::Write) && used.receiver.is_none();
    let holds = |scope: &usize| {
        let span = &facts.scopes[*scope].span;
        span.start <= used.at.start && used.at.end <= span.end
    };
    let name = text.get(used.at.clone()).unwrap_or_default();
    plain && bound.get(name).is_some_and(|scopes| scopes.iter().any(holds))
}

fn span(range: &Range<usize>) -> Span {
    (number(range.start), number(range.end))
}

/// Converts a position to the type that records store; parsed files are short enough.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
