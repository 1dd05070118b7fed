//! Construction of filters from their values.

use super::{Beside, Field, Node, Word};

/// Creates filters from the value after the colon: a word is split at commas, and brackets into their operands.
pub(super) fn filtered(field: Field, value: Node) -> Node {
    let all = |nodes: Vec<Node>| nodes.into_iter().map(|node| filtered(field, node)).collect();
    match value {
        Node::Word(Word { text, .. }) => {
            let values = text.split(',').filter(|value| !value.is_empty());
            Node::Filter(field, values.map(str::to_owned).collect())
        }
        Node::Phrase(text) => Node::Filter(field, vec![text]),
        Node::All(nodes) => Node::All(all(nodes)),
        Node::Any(nodes) => Node::Any(all(nodes)),
        Node::Not(node) => Node::Not(Box::new(filtered(field, *node))),
        Node::Weighed(node, _) => filtered(field, *node),
        Node::Beside(beside) => one_of_sorts(field, beside),
        kept @ (Node::Filter(..) | Node::In(..)) => kept,
    }
}

/// Creates filters from adjacent operands after one colon.
fn one_of_sorts(field: Field, beside: Beside) -> Node {
    let all =
        |nodes: Vec<Node>| -> Vec<Node> { nodes.into_iter().map(|node| filtered(field, node)).collect() };
    let mut parts = all(beside.must);
    let should = all(beside.should);
    if !should.is_empty() && parts.is_empty() {
        parts.push(if should.len() > 1 { Node::Any(should) } else { Node::All(should) });
    }
    parts.extend(all(beside.never).into_iter().map(|node| Node::Not(Box::new(node))));
    if parts.len() > 1 { Node::All(parts) } else { parts.pop().unwrap_or(Node::Filter(field, Vec::new())) }
}
