//! Collection of facts with the queries of a language.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::{Node, QueryCursor, QueryMatch, StreamingIterator as _};

use super::nesting::NestedRanges;
use super::parts::LEVELS;
use super::{Binding, BindingKind, Facts, Import, ImportTarget, ImportVisibility, Reference, Scope, Usage};
use crate::captures::{Queries, Role};
use crate::shape::{self, chain};
use crate::{Base, Chain, Item, Kind, Step, Symbol, Tree};

/// The kinds of nodes for the receiver (`self`, `this`) in a parameter list. Callers pass no argument for it, so it
/// is not counted in the index of a parameter.
const OWN: [&str; 2] = ["this", "self_parameter"];

impl Tree<'_> {
    /// Returns the definitions, uses, imports and local names of the file.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let items = self.items();
        let symbols = self.symbols_in(&items);
        let package = items.iter().find(|item| item.kind == Kind::Package).map(|item| self.package(item));
        let mut facts = Facts { package, errors: self.errors(), ..Facts::default() };
        if let Some(queries) = Queries::of(self.language().0) {
            let mut collector = Collector { tree: self, objects: self.objects(), found: Captures::default() };
            for part in self.parts() {
                let mut cursor = QueryCursor::new();
                cursor.set_max_start_depth(Some(LEVELS));
                let mut matches = cursor.matches(&queries.query, part, self.text().as_bytes());
                while let Some(found) = matches.next() {
                    collector.take(found, &queries.roles);
                }
            }
            collector.finish(&symbols, headers(&items), &mut facts);
        }
        facts.symbols = symbols;
        facts
    }

    /// Finds the receivers of all member accesses, by the offset of the member's name.
    fn objects(&self) -> HashMap<usize, Node<'_>> {
        let mut out = HashMap::new();
        self.walk(|node| {
            out.extend(shape::taken(self.language().0, node));
            true
        });
        out
    }

    /// Returns the name of a package: the text after the keyword, without white space and comments.
    fn package(&self, item: &Item) -> String {
        let text = self.text().get(item.head..item.end).unwrap_or_default();
        let name = text.split_once(char::is_whitespace).map_or(text, |(_, name)| name);
        let name = name.split("//").next().unwrap_or(name).split(['{', ';', '\n']).next().unwrap_or(name);
        name.split_whitespace().collect()
    }

    /// Returns the expression at a range, such as the value of a symbol, as a base and steps.
    #[must_use]
    pub fn chain(&self, at: &Range<usize>) -> Option<Chain> {
        let node = self.root().descendant_for_byte_range(at.start, at.end)?;
        Some(chain(self.language().0, node, self.text()))
    }
}

/// The use of a name, the range of the name, and the receiver.
type NameUse = (Rank, Range<usize>, Option<Chain>);

/// The captures of the queries, before they are sorted.
#[derive(Default)]
struct Captures {
    /// The uses of names, by the start of the name.
    references: HashMap<usize, NameUse>,
    imports: Vec<Import>,
    scopes: Vec<Range<usize>>,
    /// The calls among the tokens of a macro, by the start of the name.
    tokens: HashSet<usize>,
    /// The ranges of all tokens between the brackets of macro calls.
    expanded: Vec<Range<usize>>,
    bindings: HashMap<LocalName, Binding>,
}

/// The offset of a local name, a flag for fields (a parameter may also be a field), and the scope if that is
/// not the enclosing one.
type LocalName = (usize, bool, Option<Range<usize>>);

/// The kind of a use, or the fact that a name is not a use. If several matches have the same name, the greatest value
/// counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Use(Usage),
    None,
}

struct Collector<'a, 't> {
    tree: &'a Tree<'t>,
    /// The receivers of member accesses, by the offset of the member's name.
    objects: HashMap<usize, Node<'a>>,
    found: Captures,
}

/// The nodes that one match of a query captured for an import or a local name.
#[derive(Default)]
struct Parts<'t> {
    statement: Option<(Node<'t>, ImportVisibility)>,
    module: Option<Node<'t>>,
    name: Option<Node<'t>>,
    alias: Option<Node<'t>>,
    default: Option<Node<'t>>,
    wildcard: Option<Node<'t>>,
    bound: Option<(Node<'t>, BindingKind)>,
    hint: Option<Node<'t>>,
    value: Option<Node<'t>>,
    parameters: Option<Node<'t>>,
    arguments: Option<Node<'t>>,
    taker: Option<Node<'t>>,
    part: Option<Node<'t>>,
    inside: Option<Node<'t>>,
}

impl Collector<'_, '_> {
    fn take<'t>(&mut self, found: &QueryMatch<'_, 't>, roles: &[Role]) {
        let mut parts = Parts::default();
        let role = |index: u32| usize::try_from(index).ok().and_then(|at| roles.get(at));
        let of = |wanted: Role| {
            let mut captures = found.captures().iter();
            captures.find(|capture| role(capture.index) == Some(&wanted)).map(|capture| capture.node)
        };
        if let (Some(tokens), Some(name), Some(beside)) = (of(Role::Tokens), of(Role::Call), of(Role::Beside))
        {
            self.token(tokens, name, beside);
            return;
        }
        for capture in found.captures() {
            let node: Node<'t> = capture.node;
            let Some(role) = role(capture.index) else { continue };
            match role {
                Role::Call => self.reference(node, Rank::Use(Usage::Call)),
                Role::Type => self.reference(node, Rank::Use(Usage::Type)),
                Role::Construct => self.reference(node, Rank::Use(Usage::Construct)),
                Role::Inherit => self.reference(node, Rank::Use(Usage::Inherit)),
                Role::Read => self.reference(node, Rank::Use(Usage::Read)),
                Role::Write => self.reference(node, Rank::Use(Usage::Write)),
                Role::Skip => self.reference(node, Rank::None),
                Role::Import => parts.statement = Some((node, ImportVisibility::Own)),
                Role::Export => parts.statement = Some((node, ImportVisibility::Exported)),
                Role::Module => parts.module = Some(node),
                Role::Name => parts.name = Some(node),
                Role::Alias => parts.alias = Some(node),
                Role::Wildcard => parts.wildcard = Some(node),
                Role::Default => parts.default = Some(node),
                Role::Scope => self.found.scopes.push(node.byte_range()),
                Role::Parameter => parts.bound = Some((node, BindingKind::Parameter)),
                Role::Local => parts.bound = Some((node, BindingKind::Local)),
                Role::Each => parts.bound = Some((node, BindingKind::Each)),
                Role::Context => parts.bound = Some((node, BindingKind::Context)),
                Role::Field => parts.bound = Some((node, BindingKind::Field)),
                Role::Hint => parts.hint = Some(node),
                Role::Value => parts.value = Some(node),
                Role::Parameters => parts.parameters = Some(node),
                Role::Arguments => parts.arguments = Some(node),
                Role::Taker => parts.taker = Some(node),
                Role::Part => parts.part = Some(node),
                Role::Inside => parts.inside = Some(node),
                Role::Expanded => self.found.expanded.push(node.byte_range()),
                Role::Help | Role::Beside | Role::Tokens => {}
            }
        }
        if let Some((statement, reach)) = parts.statement {
            self.import(statement, reach, &parts);
        } else if let Some((node, sort)) = parts.bound {
            self.binding(node, sort, &parts);
        }
    }

    fn reference(&mut self, node: Node<'_>, rank: Rank) {
        let at = node.byte_range();
        let known = self.found.references.get(&at.start);
        if known.is_some_and(|(other, ..)| *other >= rank) {
            return;
        }
        let (grammar, text) = (self.tree.language().0, self.tree.text());
        let receiver = self.objects.get(&at.start).map(|object| chain(grammar, *object, text));
        self.found.references.insert(at.start, (rank, at, receiver));
    }

    /// Adds a call among the tokens of a macro.
    fn token(&mut self, tokens: Node<'_>, name: Node<'_>, beside: Node<'_>) {
        let text = self.tree.text();
        let opens = text.get(beside.start_byte()..).is_some_and(|text| text.starts_with('('));
        if !opens || name.end_byte() != beside.start_byte() {
            return;
        }
        let receiver = shape::among_tokens(self.tree.language().0, tokens, name, text);
        let rank = Rank::Use(Usage::Call);
        self.found.references.insert(name.start_byte(), (rank, name.byte_range(), receiver));
        self.found.tokens.insert(name.start_byte());
    }

    fn import(&mut self, statement: Node<'_>, reach: ImportVisibility, parts: &Parts<'_>) {
        let text = |node: Node<'_>| self.tree.text().get(node.byte_range()).unwrap_or_default();
        let named = |node: Node<'_>| text(node).to_owned();
        let what = match (parts.name, parts.default, parts.wildcard) {
            (Some(name), ..) => ImportTarget::Name(named(name)),
            (None, Some(default), _) => ImportTarget::Default(named(default)),
            (None, None, Some(_)) => ImportTarget::All,
            (None, None, None) => ImportTarget::Module,
        };
        let own = parts.module.map(|node| unquoted(text(node))).unwrap_or_default();
        let inner = parts.name.or(parts.module).or(parts.wildcard).unwrap_or(statement);
        let module = match self.prefix(inner) {
            Some(prefix) if own.is_empty() => prefix,
            Some(prefix) => format!("{prefix}::{own}"),
            None => own.to_owned(),
        };
        let at = parts.name.or(parts.default).or(parts.module).unwrap_or(statement).byte_range();
        if matches!(what, ImportTarget::Name(_)) {
            self.found.references.insert(at.start, (Rank::Use(Usage::Import), at.clone(), None));
        }
        // The names in the path of a Rust module are uses too.
        let path = parts.module.filter(|node| !self.is_segment(&node.byte_range()));
        for node in [parts.alias, parts.default, path].into_iter().flatten() {
            self.found
                .references
                .entry(node.start_byte())
                .or_insert((Rank::None, node.byte_range(), None))
                .0 = Rank::None;
        }
        let whole = outermost(self.tree, inner).unwrap_or(statement);
        let public = text(whole).starts_with("pub ") || text(whole).starts_with("pub(");
        let reach = if public { ImportVisibility::Exported } else { reach };
        self.found.imports.push(Import {
            span: whole.byte_range(),
            module,
            what,
            alias: parts.alias.map(named),
            reach,
            at,
            within: None,
        });
    }

    /// Combines the nodes around an imported name into the path of its module.
    fn prefix(&self, node: Node<'_>) -> Option<String> {
        let prefixes = self.tree.language().0.shapes.prefixes;
        let mut found: Vec<&str> = Vec::new();
        let mut at = node;
        while let Some(parent) = at.parent() {
            let field = prefixes.iter().find(|(kind, _)| *kind == parent.kind()).map(|(_, field)| *field);
            let path = field.and_then(|field| prefix(parent, field, &node));
            found.extend(path.and_then(|path| self.tree.text().get(path)));
            at = parent;
        }
        found.reverse();
        (!found.is_empty()).then(|| found.join("::"))
    }

    /// Checks whether a name in an import is a part of the path before the imported name. Only Rust has such names in
    /// the facts: in `use a::When::{self, Always}`, the part `When` is an enum.
    fn is_segment(&self, at: &Range<usize>) -> bool {
        let behind = self.tree.text().get(at.end..).unwrap_or_default();
        self.tree.language().name() == "rust" && behind.trim_start().starts_with("::")
    }

    /// Returns the part of an import path before the name at `at`: `receiver`, after the paths before the braces
    /// around the name.
    fn path_before(&self, at: &Range<usize>, receiver: Option<Chain>) -> Option<Chain> {
        let (grammar, text) = (self.tree.language().0, self.tree.text());
        let mut out = receiver;
        let mut inner = self.tree.root().descendant_for_byte_range(at.start, at.end);
        while let Some(parent) = inner.and_then(|inner| inner.parent()) {
            let prefix = grammar.shapes.prefixes.iter().find(|(kind, _)| *kind == parent.kind());
            let path = prefix.and_then(|(_, field)| parent.child_by_field_name(field));
            if let Some(path) = path.filter(|path| path.end_byte() <= at.start) {
                out = Some(followed_by(chain(grammar, path, text), out));
            }
            inner = Some(parent);
        }
        out
    }

    fn binding(&mut self, node: Node<'_>, sort: BindingKind, parts: &Parts<'_>) {
        let (grammar, text) = (self.tree.language().0, self.tree.text());
        let binding = self
            .found
            .bindings
            .entry((
                node.start_byte(),
                sort == BindingKind::Field,
                parts.inside.map(|node| node.byte_range()),
            ))
            .or_insert_with(|| Binding { sort, at: node.byte_range(), ..Binding::default() });
        if sort != BindingKind::Local {
            binding.sort = sort;
        }
        binding.hint = binding.hint.take().or_else(|| parts.hint.map(|hint| hint.byte_range()));
        let listed = parts.value.filter(|value| sort == BindingKind::Each && LISTS.contains(&value.kind()));
        if let Some(value) = listed.and_then(|list| alike(grammar, list, text)) {
            // All elements of the iterated literal have the same form, so the loop variable is evaluated like the
            // first element.
            binding.sort = BindingKind::Local;
            binding.value = Some(value);
            return;
        }
        binding.value = binding.value.take().or_else(|| {
            if listed.is_some() {
                return Some(Chain { base: Base::Other, steps: Vec::new() });
            }
            let mut value = chain(grammar, parts.value?, text);
            value.steps.extend(parts.part.map(|part| Step::Member(part.byte_range())));
            Some(value)
        });
        binding.place = binding.place.or_else(|| place(parts.parameters?, node));
        if let (Some(taker), Some(arguments)) = (parts.taker, parts.arguments) {
            let taken = place(arguments, node).zip(binding.place);
            let handed = taken.map(|(argument, parameter)| {
                shape::handed(chain(grammar, taker, text), Step::Handed { argument, parameter })
            });
            binding.value = binding.value.take().or(handed);
        }
    }

    /// Adds as mentions the words that are neither a use, a definition nor a local name. Marks a word that looks like
    /// a call as an apparent call; in text that could not be parsed, also a name that counted as read.
    fn mention(
        &self,
        mut known: HashSet<usize>,
        within: &NestedRanges,
        imported: &NestedRanges,
        facts: &mut Facts,
    ) {
        let errors = NestedRanges::nested(facts.errors.iter().cloned().enumerate().collect());
        for one in &mut facts.references {
            if one.usage == Usage::Read && errors.of(&one.at).is_some() && self.tree.looks_called(&one.at) {
                one.usage = Usage::Apparent;
            }
        }
        let further = facts.symbols.iter().filter_map(|symbol| symbol.at.as_ref());
        known.extend(further.map(|at| at.start));
        let used = facts.references.iter().map(|one| one.at.clone());
        let used = NestedRanges::nested(used.enumerate().collect());
        for at in self.tree.words() {
            if known.contains(&at.start) || used.of(&at).is_some() || imported.of(&at).is_some() {
                continue;
            }
            let usage = if self.tree.looks_called(&at) { Usage::Apparent } else { Usage::Mention };
            facts.references.push(Reference { usage, within: within.of(&at), at, receiver: None });
        }
        facts.references.sort_by_key(|one| one.at.start);
    }

    /// Converts the captures to facts, sorted and with their enclosing definitions.
    fn finish(mut self, symbols: &[Symbol], headers: Vec<Range<usize>>, facts: &mut Facts) {
        let Captures { references, imports, mut scopes, tokens, expanded, bindings } =
            std::mem::take(&mut self.found);
        scopes.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        scopes.dedup();
        facts.scopes = nested(scopes);
        let within = NestedRanges::new(symbols);
        let defined: HashMap<usize, usize> =
            symbols.iter().filter_map(|symbol| symbol.at.clone()).map(|at| (at.start, at.end)).collect();
        let bound: HashSet<usize> = bindings.keys().map(|(start, ..)| *start).collect();
        let imported = NestedRanges::nested(
            imports.iter().map(|import| import.span.clone()).chain(headers).enumerate().collect(),
        );
        let expanded = NestedRanges::nested(expanded.into_iter().enumerate().collect());
        let mut found: Vec<(usize, NameUse)> = references.into_iter().collect();
        found.sort_by_key(|(start, _)| *start);
        for (start, (rank, at, receiver)) in found {
            let Rank::Use(usage) = rank else { continue };
            let binds = bound.contains(&start) && matches!(usage, Usage::Read | Usage::Type);
            // Among the tokens of a macro call, the name in `fn name()` looks like a call.
            let is_use = matches!(usage, Usage::Call | Usage::Inherit) && !tokens.contains(&start);
            let defines = defined.contains_key(&start) && !is_use;
            let names_module = matches!(usage, Usage::Read | Usage::Type) && imported.of(&at).is_some();
            // `expanded` holds the tokens of macro calls only. In a macro definition or an attribute, tokens that
            // look like a call are not recorded as a use.
            let template = tokens.contains(&start) && expanded.of(&at).is_none();
            if names_module && !defines && self.is_segment(&at) {
                let receiver = self.path_before(&at, receiver);
                let usage = Usage::Import;
                facts.references.push(Reference { usage, within: within.of(&at), at, receiver });
            } else if !binds && !defines && !names_module && !template {
                facts.references.push(Reference { usage, within: within.of(&at), at, receiver });
            }
        }
        if self.tree.language().is_code() {
            let known = bound.iter().chain(defined.keys()).copied();
            self.mention(known.collect(), &within, &imported, facts);
        }
        let scope_of = NestedRanges::of_scopes(&facts.scopes);
        let local = |((_, _, inside), binding): (LocalName, Binding)| {
            let scope = scope_of.of(inside.as_ref().unwrap_or(&binding.at));
            Binding { scope, ..binding }
        };
        facts.bindings = bindings.into_iter().map(local).collect();
        facts
            .bindings
            .sort_by_key(|binding| (binding.at.start, binding.sort != BindingKind::Field, binding.scope));
        facts.imports = imports;
        facts.imports.sort_by_key(|import| (import.at.start, import.at.end));
        facts.imports.dedup();
        // A wildcard import may also match as an import of the module itself; this second match is removed.
        let all: Vec<Range<usize>> = facts
            .imports
            .iter()
            .filter(|import| import.what == ImportTarget::All)
            .map(|import| import.span.clone())
            .collect();
        facts.imports.retain(|import| import.what != ImportTarget::Module || !all.contains(&import.span));
        drop_repeated(&mut facts.imports);
        for import in &mut facts.imports {
            import.within = around(symbols, within.of(&import.span), &import.span);
        }
    }
}

/// Joins two parts of a path.
fn followed_by(mut outer: Chain, inner: Option<Chain>) -> Chain {
    let Some(inner) = inner else { return outer };
    match inner.base {
        Base::Name(at) => outer.steps.push(Step::Member(at)),
        _ => outer.base = Base::Other,
    }
    outer.steps.extend(inner.steps);
    outer
}

/// Sets the parent of each scope: the smallest scope around it. The scopes are sorted by their start, the longer ones first.
fn nested(spans: Vec<Range<usize>>) -> Vec<Scope> {
    let (mut scopes, mut open): (Vec<Scope>, Vec<usize>) = (Vec::new(), Vec::new());
    for (at, span) in spans.into_iter().enumerate() {
        while open.last().is_some_and(|last| scopes[*last].span.end < span.end) {
            open.pop();
        }
        scopes.push(Scope { span, parent: open.last().copied() });
        open.push(at);
    }
    scopes
}

/// Removes bare imports of a module if an enclosing statement imports names from the same module.
fn drop_repeated(imports: &mut Vec<Import>) {
    let known = imports.clone();
    imports.retain(|import| {
        let bare = import.what == ImportTarget::Module && import.alias.is_none();
        let outer = |other: &Import| {
            let binds = other.what != ImportTarget::Module || other.alias.is_some();
            let holds = other.span.start <= import.span.start && import.span.end <= other.span.end;
            binds && holds && other.module == import.module
        };
        !bare || !known.iter().any(outer)
    });
}

/// Returns the definition that encloses an import, skipping the variables that the import itself defines, as
/// in `const { a } = require("b")`.
fn around(symbols: &[Symbol], within: Option<usize>, span: &Range<usize>) -> Option<usize> {
    let defines = |symbol: &Symbol| {
        let variable = matches!(symbol.kind, Kind::Variable | Kind::Constant);
        variable && symbol.at.as_ref().is_some_and(|at| span.start <= at.start && at.end <= span.end)
    };
    std::iter::successors(within, |at| symbols[*at].parent).find(|at| !defines(&symbols[*at]))
}

/// The node kinds of list literals.
const LISTS: [&str; 7] =
    ["list", "tuple", "set", "array", "array_expression", "expression_list", "array_creation_expression"];

/// Returns the first element of a list literal if all elements have the same form, such as `A()`, and begin with a name
/// or a literal; otherwise `None`.
fn alike(grammar: &crate::grammar::Grammar, list: Node<'_>, text: &str) -> Option<Chain> {
    let mut cursor = list.walk();
    let all: Vec<Chain> = list
        .named_children(&mut cursor)
        .filter(|part| !grammar.is_comment(part.kind()))
        .map(|part| chain(grammar, part, text))
        .collect();
    let said = |chain: &Chain| {
        let name = |at: &Range<usize>| text.get(at.clone()).unwrap_or_default().to_owned();
        let base = match &chain.base {
            Base::Name(at) | Base::New(at) => name(at),
            Base::Literal(name) => (*name).to_owned(),
            Base::Own | Base::Above | Base::Other => return None,
        };
        let steps = chain.steps.iter().map(|step| match step {
            Step::Member(at) => name(at),
            Step::Call => "()".to_owned(),
            Step::Index | Step::Handed { .. } => "[]".to_owned(),
        });
        Some(std::iter::once(base).chain(steps).collect::<Vec<_>>())
    };
    let first = said(all.first()?)?;
    let same = all.iter().all(|chain| said(chain).as_ref() == Some(&first));
    all.into_iter().next().filter(|_| same)
}

/// Returns the index of the list entry that contains a node. A receiver in a parameter list is not counted.
fn place(list: Node<'_>, node: Node<'_>) -> Option<usize> {
    // A lone parameter is its own list.
    if list.byte_range() == node.byte_range() {
        return Some(0);
    }
    let (mut count, mut own) = (0, false);
    for part in list.children(&mut list.walk()) {
        if part.start_byte() <= node.start_byte() && node.end_byte() <= part.end_byte() {
            return Some(count);
        }
        let named = part.child_by_field_name("pattern").unwrap_or(part);
        match part.kind() {
            "," if own => own = false,
            "," => count += 1,
            _ => own |= OWN.contains(&named.kind()),
        }
    }
    None
}

/// Lists the locations of package declarations and imports.
fn headers(items: &[Item]) -> Vec<Range<usize>> {
    let wanted = items.iter().filter(|item| matches!(item.kind, Kind::Package | Kind::Import));
    wanted.filter(|item| item.body.is_none()).map(|item| item.head..item.range.end).collect()
}

/// Finds the whole statement of an import whose query captured a part of it.
fn outermost<'t>(tree: &Tree<'_>, node: Node<'t>) -> Option<Node<'t>> {
    let imports =
        |node: &Node<'t>| tree.language().0.rule(node.kind()).is_some_and(|rule| rule.kind == Kind::Import);
    std::iter::successors(Some(node), Node::parent).find(imports)
}

/// Finds a part of a module path in a node, before the imported name. `field` is the name of a field, `*` and a name
/// for all fields of that name, or the number of a child.
fn prefix(parent: Node<'_>, field: &str, name: &Node<'_>) -> Option<Range<usize>> {
    let before = |node: Node<'_>| Some(node.byte_range()).filter(|range| range.end <= name.start_byte());
    if let Some(field) = field.strip_prefix('*') {
        let mut cursor = parent.walk();
        let mut all = parent
            .children_by_field_name(field, &mut cursor)
            .filter_map(|node| before(node).filter(|_| node.is_named()));
        let first = all.next()?;
        let last = all.last().unwrap_or_else(|| first.clone());
        return Some(first.start..last.end);
    }
    let found = match field.parse::<u32>() {
        Ok(number) => parent.named_child(number),
        Err(_) => parent.child_by_field_name(field),
    };
    before(found?)
}

/// Removes the quotes or brackets from the name of a module.
fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`', '<', '>'])
}
