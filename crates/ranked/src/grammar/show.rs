//! Formatting of a query's syntax tree as a query.

use std::fmt;

use super::{BooleanQuery, Node};

/// The binding strength of an operator, weakest first; it decides where brackets are needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bond {
    Beside,
    Any,
    All,
    One,
}

impl fmt::Display for Node {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, Bond::Beside, out)
    }
}

fn write(node: &Node, around: Bond, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let bond = match node {
        Node::Beside(beside) if beside.all().count() + beside.never.len() + beside.must.len() > 1 => {
            Bond::Beside
        }
        Node::Any(nodes) if nodes.len() > 1 => Bond::Any,
        Node::All(nodes) if nodes.len() > 1 => Bond::All,
        _ => Bond::One,
    };
    if bond < around {
        out.write_str("(")?;
        bare(node, out)?;
        return out.write_str(")");
    }
    bare(node, out)
}

fn bare(node: &Node, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    match node {
        Node::Word(word) => {
            out.write_str(&word.text)?;
            if word.fuzzy > 0 { write!(out, "~{}", word.fuzzy) } else { Ok(()) }
        }
        Node::Phrase(text) => quoted(text, out),
        Node::Filter(field, values) => {
            write!(out, "{}:", field.name())?;
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.write_str(",")?;
                }
                let plain = !value.is_empty()
                    && !value
                        .contains(|letter: char| letter.is_whitespace() || "\"(),|&'`“”".contains(letter));
                if plain { out.write_str(value)? } else { quoted(value, out)? }
            }
            Ok(())
        }
        Node::In(part, node) => {
            write!(out, "{}:", part.name())?;
            write(node, Bond::One, out)
        }
        Node::All(nodes) => joined(nodes, " AND ", Bond::One, out),
        Node::Any(nodes) => joined(nodes, " OR ", Bond::All, out),
        Node::Not(node) => {
            out.write_str("NOT ")?;
            write(node, Bond::One, out)
        }
        Node::Beside(beside) => parts(beside, out),
        Node::Weighed(node, weight) => {
            write(node, Bond::One, out)?;
            write!(out, "^{weight}")
        }
    }
}

fn joined(nodes: &[Node], sign: &str, bond: Bond, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (at, node) in nodes.iter().enumerate() {
        if at > 0 {
            out.write_str(sign)?;
        }
        write(node, bond, out)?;
    }
    Ok(())
}

fn parts(beside: &BooleanQuery, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let groups = [(&beside.must, "+"), (&beside.should, ""), (&beside.never, "-")];
    let mut first = true;
    for (nodes, sign) in groups {
        for node in nodes {
            if !first {
                out.write_str(" ")?;
            }
            first = false;
            out.write_str(sign)?;
            write(node, if sign.is_empty() { Bond::Any } else { Bond::One }, out)?;
        }
    }
    Ok(())
}

fn quoted(text: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(out, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
