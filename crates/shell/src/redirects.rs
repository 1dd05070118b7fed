//! Effects of redirections: the files that they read and write.

use crate::{Effect, Role, Segment, check, read::Reader};
use tree_sitter::Node;

impl Reader<'_> {
    pub(crate) fn redirected(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let redirects: Vec<Node<'_>> = node.children_by_field_name("redirect", &mut cursor).collect();
        match node.child_by_field_name("body") {
            Some(body) if body.kind() == "command" => self.command(body, Some((node, &redirects))),
            Some(body) => {
                self.visit(body);
                self.bare(node, &redirects);
            }
            None => self.bare(node, &redirects),
        }
    }

    /// Adds a command that consists only of redirections.
    pub(crate) fn bare(&mut self, node: Node<'_>, redirects: &[Node<'_>]) {
        let mut segment = Segment { role: Role::Nothing, text: self.shown(node), ..Segment::default() };
        for redirect in redirects {
            self.redirect(*redirect, &mut segment);
        }
        if !segment.words.is_empty() {
            self.unsure(node, "words after a redirection may be a command");
            segment.words.clear();
        }
        if !segment.effects.is_empty() {
            self.push(segment);
        }
    }

    pub(crate) fn redirect(&mut self, node: Node<'_>, segment: &mut Segment) {
        match node.kind() {
            "file_redirect" => self.file_redirect(node, segment),
            "herestring_redirect" => self.children(node),
            _ => self.here_document(node, segment),
        }
    }

    fn file_redirect(&mut self, node: Node<'_>, segment: &mut Segment) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let operator = children.iter().find(|child| !child.is_named()).map_or("", |child| child.kind());
        let mut words = Vec::new();
        for child in children.iter().filter(|child| child.is_named()) {
            match child.kind() {
                "file_descriptor" => {}
                "ERROR" => self.visit(*child),
                _ => words.push(self.word(*child)),
            }
        }
        let mut words = words.into_iter();
        if operator.ends_with('-') {
            return segment.words.extend(words);
        }
        let Some(target) = words.next() else {
            return self.unsure(node, "the target of this redirection is unclear");
        };
        // The words after the target of the redirection belong to the command again.
        segment.words.extend(words);
        let copies = target.known().is_some_and(|known| {
            known == "-" || known.trim_end_matches('-').chars().all(|found| found.is_ascii_digit())
        });
        match operator {
            "<&" | ">&" if copies => {}
            "<" => segment.effects.push(Effect::Reads(target)),
            ">" | ">>" | ">|" | "&>" | "&>>" | ">&" => segment.effects.push(Effect::Writes(target)),
            _ => self.unsure(node, "this redirection is not supported"),
        }
    }

    fn here_document(&mut self, node: Node<'_>, segment: &mut Segment) {
        if let Some(why) = check::here_document(node, self.text) {
            self.unsure(node, why);
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for (at, child) in children.into_iter().enumerate() {
            let field = node.field_name_for_child(u32::try_from(at).unwrap_or(u32::MAX));
            match (child.kind(), field) {
                ("file_redirect" | "herestring_redirect" | "heredoc_redirect", _) => {
                    self.redirect(child, segment);
                }
                ("heredoc_start" | "heredoc_end" | "file_descriptor", _) => {}
                (_, Some("argument")) => {
                    let word = self.word(child);
                    segment.words.push(word);
                }
                _ => self.visit(child),
            }
        }
    }
}
