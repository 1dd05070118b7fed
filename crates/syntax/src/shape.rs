//! The shape of an expression: a base, and the steps from it.

use std::ops::Range;

use tree_sitter::Node;

use crate::grammar::{Callee, Grammar};

/// Maximum number of steps of a chain. In a longer expression, everything before these steps is [`Base::Other`].
const MOST: usize = 64;

/// Maximum number of macro tokens that are searched for the receiver of a name.
const TOKENS: u32 = 4_096;

/// An expression such as `a.b().c`: a base, and the steps from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The first part of the expression, as `a` in `a.b().c`.
    pub base: Base,
    /// The member accesses and calls after the base, in order.
    pub steps: Vec<Step>,
}

/// The base of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// A name, by its range.
    Name(Range<usize>),
    /// The object itself: `self`, `this`.
    Own,
    /// The parent class: `super`.
    Above,
    /// A new value of a type, by the range of the type's name.
    New(Range<usize>),
    /// A literal, with the name of its built-in type.
    Literal(&'static str),
    /// Any other expression.
    Other,
}

/// One operation in an expression, on the value of the part before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A member, by the range of its name.
    Member(Range<usize>),
    /// A call.
    Call,
    /// An element access.
    Index,
    /// The value that a function passes to a parameter of its callback.
    Handed {
        /// Index of the callback among the arguments of the call, from 0.
        argument: usize,
        /// Index of the parameter of the callback, from 0.
        parameter: usize,
    },
}

/// Converts an expression to a chain.
pub(crate) fn chain(grammar: &Grammar, node: Node<'_>, text: &str) -> Chain {
    let mut steps = Vec::new();
    let mut node = node;
    let base = loop {
        if steps.len() >= MOST {
            break Base::Other;
        }
        match look(grammar, node, text, &mut steps) {
            Visit::At(next) => node = next,
            Visit::Found(base) => break base,
        }
    };
    steps.reverse();
    Chain { base, steps }
}

/// Converts the chain of a call to the chain of the value that the call passes to a callback. `step` selects the
/// callback and its parameter.
pub(crate) fn handed(mut call: Chain, step: Step) -> Chain {
    match call.base {
        Base::New(at) if call.steps.is_empty() => call.base = Base::Name(at),
        _ => {
            call.steps.pop();
        }
    }
    call.steps.push(step);
    call
}

/// Parses the receiver of a name among the tokens of a macro; `None` for a plain name.
pub(crate) fn among_tokens(grammar: &Grammar, tokens: Node<'_>, name: Node<'_>, text: &str) -> Option<Chain> {
    if tokens.child_count() > TOKENS {
        return Some(Chain { base: Base::Other, steps: Vec::new() });
    }
    let mut cursor = tokens.walk();
    let before: Vec<Node<'_>> =
        tokens.children(&mut cursor).take_while(|token| token.start_byte() < name.start_byte()).collect();
    let (dot, mut rest) = before.split_last()?;
    if !matches!(dot.kind(), "." | "::") {
        return None;
    }
    let mut steps = Vec::new();
    let base = loop {
        let Some((token, others)) = rest.split_last() else { break Base::Other };
        rest = others;
        let word = text.get(token.byte_range()).unwrap_or_default();
        match word.chars().next() {
            Some('?') => {}
            Some('(') => steps.push(Step::Call),
            Some('[') => steps.push(Step::Index),
            Some(first) if first.is_alphabetic() || first == '_' => {
                let linked = rest.split_last().filter(|(token, _)| matches!(token.kind(), "." | "::"));
                if let Some((_, others)) = linked {
                    rest = others;
                    steps.push(Step::Member(token.byte_range()));
                } else if grammar.shapes.own.contains(&word) {
                    break Base::Own;
                } else if grammar.shapes.above.contains(&word) {
                    break Base::Above;
                } else {
                    break Base::Name(token.byte_range());
                }
            }
            _ => break Base::Other,
        }
        if steps.len() >= MOST {
            break Base::Other;
        }
    };
    steps.reverse();
    Some(Chain { base, steps })
}

/// Finds the receiver of a member node, and the start of the member's name.
pub(crate) fn taken<'t>(grammar: &Grammar, node: Node<'t>) -> Option<(usize, Node<'t>)> {
    let kind = node.kind();
    let member = grammar.shapes.member.iter().find(|(of, ..)| *of == kind);
    let method = || {
        grammar.shapes.call.iter().find_map(|(of, called)| match called {
            Callee::Method(object, member) if *of == kind => Some((*object, *member)),
            _ => None,
        })
    };
    let (object, name) = member.map(|(_, object, name)| (*object, *name)).or_else(method)?;
    let (object, name) = (field(node, object)?, field(node, name)?);
    (object.id() != name.id()).then(|| (last_name(name).start_byte(), object))
}

/// The result of one step of the traversal of an expression: the next node, or the base.
enum Visit<'t> {
    At(Node<'t>),
    Found(Base),
}

fn look<'t>(grammar: &Grammar, node: Node<'t>, text: &str, steps: &mut Vec<Step>) -> Visit<'t> {
    let (shapes, kind) = (&grammar.shapes, node.kind());
    let word = text.get(node.byte_range()).unwrap_or_default();
    if shapes.own.contains(&word) {
        return Visit::Found(Base::Own);
    }
    if shapes.above.contains(&word) {
        return Visit::Found(Base::Above);
    }
    let of = |map: &'static [(&'static str, &'static str)]| map.iter().find(|(node, _)| *node == kind);
    if let Some((_, literal)) = of(shapes.literals) {
        return Visit::Found(Base::Literal(literal));
    }
    if let Some((_, made)) = of(shapes.new) {
        // In `new a.B()`, the path `a.B` becomes steps, and constructing an object is a call of the type at its end.
        let path = field(node, made).filter(|made| shapes.member.iter().any(|(of, ..)| *of == made.kind()));
        if let Some(path) = path {
            steps.push(Step::Call);
            return Visit::At(path);
        }
        return Visit::Found(
            field(node, made).map_or(Base::Other, |made| Base::New(last_name(made).byte_range())),
        );
    }
    if let Some((_, object, name)) = shapes.member.iter().find(|(node, ..)| *node == kind) {
        let Some(name) = field(node, name) else { return Visit::Found(Base::Other) };
        steps.push(Step::Member(last_name(name).byte_range()));
        return field(node, object).map_or(Visit::Found(Base::Other), Visit::At);
    }
    if let Some((_, called)) = shapes.call.iter().find(|(node, _)| *node == kind) {
        steps.push(Step::Call);
        if let Some(constructed) = constructed_type(grammar, node, text) {
            return Visit::At(constructed);
        }
        return match called {
            Callee::Function(function) => field(node, function).map_or(Visit::Found(Base::Other), Visit::At),
            Callee::Method(object, name) => {
                let Some(name) = field(node, name) else { return Visit::Found(Base::Other) };
                match field(node, object) {
                    None => Visit::Found(Base::Name(name.byte_range())),
                    Some(object) => {
                        steps.push(Step::Member(name.byte_range()));
                        Visit::At(object)
                    }
                }
            }
        };
    }
    if let Some((_, many)) = of(shapes.index) {
        steps.push(Step::Index);
        return field(node, many).map_or(Visit::Found(Base::Other), Visit::At);
    }
    if shapes.through.contains(&kind)
        && let Some(inner) = node.named_child(0)
    {
        return Visit::At(inner);
    }
    let is_name = node.named_child_count() <= 1
        && word.chars().next().is_some_and(|first| first.is_alphabetic() || "_$@".contains(first))
        && word.chars().all(|letter| letter.is_alphanumeric() || "_$@?!".contains(letter));
    Visit::Found(if is_name { Base::Name(node.byte_range()) } else { Base::Other })
}

/// Finds the type in a call of a constructing built-in, such as `new(T)` in Go.
fn constructed_type<'t>(grammar: &Grammar, node: Node<'t>, text: &str) -> Option<Node<'t>> {
    let function = field(node, "function")?;
    let named = grammar.shapes.makers.contains(&text.get(function.byte_range())?);
    node.child_by_field_name("arguments").filter(|_| named)?.named_child(0)
}

/// Finds a child by the name of its field, or by its index among the named children.
fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    match name.parse::<u32>() {
        Ok(number) => node.named_child(number),
        Err(_) => node.child_by_field_name(name),
    }
}

/// Finds the name inside a node: the type before generic arguments, or the last name of a path.
fn last_name(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    for _ in 0..8 {
        let generic = at.kind().contains("generic") || at.kind().contains("template");
        let next = match at.child_by_field_name("name") {
            Some(name) => Some(name),
            None if generic => at.named_child(0),
            None => at
                .named_child_count()
                .checked_sub(1)
                .and_then(|last| at.named_child(u32::try_from(last).ok()?)),
        };
        let Some(next) = next else { break };
        at = next;
    }
    at
}
