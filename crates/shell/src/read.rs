//! Walks the syntax tree of a shell script and collects its commands.

pub(crate) mod wrap;

use crate::{
    Assignment, Effect, Role, Script, Segment, VariableScope, Word, check, effects, places, segment, word,
};
use toolpost_syntax::{ParseError, parse_bounded};
use tree_sitter::Node;

/// Limits on the nesting of syntax nodes, and of scripts inside scripts (`sh -c`).
const DEEPEST: (usize, usize) = (200, 6);

/// Maximum number of substitutions whose commands are read although the syntax tree does not contain them.
const HIDDEN: usize = 1000;

/// Reads a text that is nested in `depth` others.
pub(crate) fn script(text: &str, depth: usize) -> Script {
    let mut script = Script::default();
    if depth > DEEPEST.1 {
        script.unsure(text, "commands are nested too deeply");
        return script;
    }
    if let Some(why) = check::text(text) {
        script.unsure(text, why);
    }
    let tree = match parse_bounded(&tree_sitter_bash::LANGUAGE.into(), &check::plain(text)) {
        Ok(tree) => tree,
        Err(error @ (ParseError::TooLong | ParseError::TooTangled | ParseError::Grammar)) => {
            script.unsure(text, format!("this text cannot be parsed: {error}"));
            return script;
        }
    };
    let root = tree.root_node();
    if let Some(gap) = check::gap(root, text) {
        script.unsure(&gap, "Toolpost's shell parser does not cover this text");
    }
    if let Some(split) = check::split(root, text) {
        script.unsure(split, "a shell reads this as one word, but Toolpost's shell parser splits it");
    }
    let mut reader = Reader {
        text,
        script,
        depth,
        nested: 0,
        via: Vec::new(),
        functions: Vec::new(),
        substitutions: Vec::new(),
    };
    reader.visit(root);
    let Reader { mut script, substitutions, .. } = reader;
    let hidden = check::hidden(root, text, &substitutions);
    if let Some(first) = hidden.first() {
        let rest = text.get(*first..).unwrap_or(text);
        script.unsure(rest, "a shell may run a command here that Toolpost's shell parser does not find");
    }
    // Errors anywhere in the syntax tree count, even in nodes that were not visited.
    if root.has_error() && script.unsure.is_empty() {
        script.unsure(text, "Toolpost's shell parser cannot parse this");
    }
    script.places = places::of(&script.segments);
    if script.unsure.is_empty() && is_chain(root) {
        places::leave_start(&mut script);
    }
    // The commands of hidden substitutions are read, too, so that a rule that denies one of them finds it.
    for inner in check::substituted(text, &hidden).into_iter().take(HIDDEN) {
        script.add(self::script(&inner, depth + 1), &[segment::SUBSTITUTION.to_owned()]);
    }
    script
}

/// Returns whether a text is one chain of commands with `&&`, so that each command runs only if the one
/// before it has succeeded.
fn is_chain(root: Node<'_>) -> bool {
    let (Some(list), 1) = (root.named_child(0), root.named_child_count()) else { return false };
    let parts = if list.kind() == "list" { check::parts(list) } else { Vec::new() };
    let mut operators = parts.iter().skip(1).step_by(2);
    parts.first().is_some_and(|first| first.kind() == "command") && operators.all(|part| part.kind() == "&&")
}

pub(crate) struct Reader<'t> {
    pub(crate) text: &'t str,
    script: Script,
    depth: usize,
    nested: usize,
    via: Vec<&'static str>,
    /// The functions that are certainly defined at the current position.
    functions: Vec<String>,
    /// The byte ranges of the command substitutions whose contents were judged.
    substitutions: Vec<std::ops::Range<usize>>,
}

impl<'t> Reader<'t> {
    pub(crate) fn visit(&mut self, node: Node<'_>) {
        if self.nested > DEEPEST.0 {
            self.unsure(node, "this is nested too deeply");
            return;
        }
        self.nested += 1;
        self.look(node);
        self.nested -= 1;
    }

    fn look(&mut self, node: Node<'_>) {
        if node.is_error() || node.is_missing() {
            self.unsure(node, "Toolpost's shell parser cannot parse this");
            return self.children(node);
        }
        match node.kind() {
            "command" => self.command(node, None),
            "redirected_statement" => self.redirected(node),
            "declaration_command" | "unset_command" => self.declaration(node),
            "variable_assignment" => self.assignments(&[node], node),
            "variable_assignments" => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                self.assignments(&parts, node);
            }
            "function_definition" => self.function(node),
            "list" => check::parts(node).into_iter().for_each(|part| self.visit(part)),
            "command_substitution" => self.substitution(node),
            "process_substitution" => {
                self.substitutions.push(node.byte_range());
                self.within(segment::SUBSTITUTION, node);
            }
            "for_statement" => self.for_each(node),
            "while_statement" => self.within(segment::LOOP, node),
            "c_style_for_statement" => {
                self.unsure(node, "arithmetic can run the content of a variable");
                self.within(segment::LOOP, node);
            }
            "file_redirect" | "heredoc_redirect" | "herestring_redirect" => self.bare(node, &[node]),
            "comment" if !check::is_comment(node, self.text) => {
                self.unsure(node, "a shell might read this as code, not as a comment");
            }
            "expansion" => {
                if let Some(why) = check::expansion(node, self.slice(node)) {
                    self.unsure(node, why);
                }
                self.children(node);
            }
            "arithmetic_expansion" => self.arithmetic(node),
            "compound_statement" if self.slice(node).starts_with("((") => self.arithmetic(node),
            "test_command" => self.test(node),
            "regex" | "extglob_pattern" if check::may_expand(self.slice(node)) => {
                self.unsure(node, "a shell expands text in this pattern");
                self.children(node);
            }
            "subscript" => {
                self.unsure(node, "an index can run the content of a variable");
                self.children(node);
            }
            kind if check::is_known(kind) || !node.is_named() => self.children(node),
            _ => {
                self.unsure(node, "Toolpost does not support this shell syntax");
                self.children(node);
            }
        }
    }

    pub(crate) fn children(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        children.into_iter().for_each(|child| self.visit(child));
    }

    fn within(&mut self, via: &'static str, node: Node<'_>) {
        self.via.push(via);
        self.children(node);
        self.via.pop();
    }

    fn substitution(&mut self, node: Node<'_>) {
        let text = self.slice(node);
        if text.starts_with('`') && text.contains('\\') {
            self.unsure(node, "a shell processes the backslashes in this backquoted text twice");
        }
        self.substitutions.push(node.byte_range());
        self.within(segment::SUBSTITUTION, node);
    }

    fn arithmetic(&mut self, node: Node<'_>) {
        if !check::is_plain_arithmetic(node) {
            self.unsure(node, "arithmetic can run the content of a variable");
        }
        self.substitutions.push(node.byte_range());
        self.children(node);
    }

    /// Reads `[ … ]` or `[[ … ]]`, which is harmless, except for tests that evaluate arithmetic or indices.
    fn test(&mut self, node: Node<'_>) {
        let text = self.slice(node);
        if check::test_evaluates(text) {
            self.unsure(node, "this test can evaluate a variable as code, or a shell reads it differently");
        }
        self.children(node);
        let mut effects = Vec::new();
        self.tested(node, &mut effects);
        self.push(Segment { role: Role::Nothing, text: self.shown(node), effects, ..Segment::default() });
    }

    /// Records the operands of a test, which may be paths.
    fn tested(&self, node: Node<'_>, effects: &mut Vec<Effect>) {
        match node.kind() {
            "word" | "string" | "raw_string" | "concatenation" => {
                let mut holes = Vec::new();
                collect_holes(node, &mut holes);
                let base = node.start_byte();
                let ranges: Vec<_> = holes.iter().map(|hole| hole.start - base..hole.end - base).collect();
                effects.extend(word::read(self.slice(node), &ranges).ok().map(Effect::Tests));
            }
            "test_command" | "unary_expression" | "binary_expression" | "parenthesized_expression" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).for_each(|child| self.tested(child, effects));
            }
            _ => {}
        }
    }

    pub(crate) fn command(&mut self, node: Node<'_>, around: Option<(Node<'_>, &[Node<'_>])>) {
        let shown = around.map_or(node, |(outer, _)| outer);
        let mut segment = Segment { text: self.shown(shown), ..Segment::default() };
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for parts in children.chunk_by(|one, next| check::is_one_word(*one, *next)) {
            let [child] = parts else {
                let word = self.word_of(parts);
                segment.words.push(word);
                continue;
            };
            match child.kind() {
                "variable_assignment" => self.assigned(*child, VariableScope::Programs, &mut segment),
                "command_name" => {
                    let inner = child.child(0).unwrap_or(*child);
                    let word = self.word(inner);
                    segment.words.push(word);
                }
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    self.redirect(*child, &mut segment);
                }
                _ if child.is_named() => {
                    let word = self.word(*child);
                    segment.words.push(word);
                }
                _ => self.visit(*child),
            }
        }
        let redirects = around.map_or(&[][..], |(_, redirects)| redirects);
        // The grammar drops the word `-` before a here-document, so it is added here.
        let dropped = redirects.first().and_then(|first| self.text.get(node.end_byte()..first.start_byte()));
        if dropped.is_some_and(|dropped| dropped.trim() == "-") {
            segment.words.push(Word::known_as("-"));
        }
        for redirect in redirects {
            self.redirect(*redirect, &mut segment);
        }
        if segment.words.is_empty() {
            segment.role = Role::Nothing;
        }
        self.called(&mut segment, node);
        self.push(segment);
    }

    /// Marks a command as a call if it names a function of the same script. The call runs the function's
    /// commands, which are judged at its definition.
    fn called(&mut self, segment: &mut Segment, node: Node<'_>) {
        if !segment.program().is_some_and(|program| self.functions.iter().any(|name| name == program)) {
            return;
        }
        if self.via.contains(&segment::FUNCTION) {
            self.unsure(
                node,
                "a function calls a function of the same script, so the calls may recurse without end",
            );
        }
        segment.role = Role::Function;
    }

    /// Records the variable that a `for` loop sets, because it may affect programs, as `PATH` does.
    fn for_each(&mut self, node: Node<'_>) {
        if let Some(variable) = node.child_by_field_name("variable") {
            let mut segment =
                Segment { role: Role::Nothing, text: self.shown(variable), ..Segment::default() };
            let name = self.slice(variable).to_owned();
            let value = Word::beginning("…", "");
            segment.assignments.push(Assignment { name, value, reach: VariableScope::Shell });
            self.push(segment);
        }
        self.within(segment::LOOP, node);
    }

    fn declaration(&mut self, node: Node<'_>) {
        let mut segment = Segment { text: self.shown(node), ..Segment::default() };
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let plain = !children.iter().any(|child| self.slice(*child).starts_with('-'));
        let keyword = children.first().map_or("", |first| self.slice(*first));
        let local = plain && matches!(keyword, "local" | "readonly" | "declare" | "typeset");
        let reach = if local { VariableScope::Shell } else { VariableScope::Programs };
        for (at, child) in children.into_iter().enumerate() {
            match child.kind() {
                _ if at == 0 => segment.words.push(Word::known_as(keyword)),
                "variable_assignment" => {
                    self.assigned(child, reach, &mut segment);
                    segment.words.push(Word::beginning(self.slice(child), "="));
                }
                _ => {
                    let word = self.word(child);
                    declared(&word, reach, &mut segment);
                    segment.words.push(word);
                }
            }
        }
        self.push(segment);
    }

    fn assignments(&mut self, parts: &[Node<'_>], node: Node<'_>) {
        let mut segment = Segment { role: Role::Nothing, text: self.shown(node), ..Segment::default() };
        for part in parts {
            self.assigned(*part, VariableScope::Shell, &mut segment);
        }
        self.push(segment);
    }

    fn assigned(&mut self, node: Node<'_>, reach: VariableScope, segment: &mut Segment) {
        let Some(name) = node.child_by_field_name("name") else {
            return self.unsure(node, "it is unclear which variable this sets");
        };
        if name.kind() != "variable_name" {
            self.visit(name);
        }
        let value = match node.child_by_field_name("value") {
            Some(value) if value.kind() == "array" => {
                self.children(value);
                Word::beginning(self.slice(value), "")
            }
            Some(value) => self.word(value),
            None => Word::known_as(""),
        };
        let name = self.slice(name).to_owned();
        segment.assignments.push(Assignment { name, value, reach });
    }

    fn function(&mut self, node: Node<'_>) {
        let name = node.child_by_field_name("name").map(|name| self.slice(name).to_owned());
        self.via.push(segment::FUNCTION);
        let mut cursor = node.walk();
        let before = self.functions.len();
        // The name of the function is recorded before its body is read, so that a recursive call is detected.
        self.functions.extend(name.clone());
        let parts: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for child in parts.into_iter().filter(|child| child.is_named() && child.kind() != "word") {
            self.visit(child);
        }
        self.via.pop();
        self.functions.truncate(before);
        let follows = node.next_sibling().map(|next| next.kind());
        let certain = node.parent().is_some_and(|parent| parent.kind() == "program") && follows != Some("&");
        self.functions.extend(name.filter(|_| certain));
    }

    /// Reads a word, and judges the command substitutions in it.
    pub(crate) fn word(&mut self, node: Node<'_>) -> Word {
        if node.kind() == "process_substitution" {
            self.visit(node);
            return Word::beginning(self.slice(node), "/dev/fd/");
        }
        self.word_of(&[node])
    }

    /// Reads a word that the syntax tree splits into adjacent parts.
    fn word_of(&mut self, parts: &[Node<'_>]) -> Word {
        let mut holes = Vec::new();
        for part in parts {
            collect_holes(*part, &mut holes);
            self.visit(*part);
        }
        let base = parts.first().map_or(0, Node::start_byte);
        let end = parts.last().map_or(base, Node::end_byte);
        let ranges: Vec<_> = holes.iter().map(|hole| hole.start - base..hole.end - base).collect();
        let text = self.text.get(base..end).unwrap_or_default();
        match word::read(text, &ranges) {
            Ok(word) => word,
            Err(why) => {
                self.script.unsure(text, why);
                Word::beginning(text, "")
            }
        }
    }

    pub(crate) fn push(&mut self, mut segment: Segment) {
        segment.via = self.via.iter().map(|via| (*via).to_owned()).collect();
        wrap::segment(&mut self.script, segment, self.depth);
    }

    pub(crate) fn unsure(&mut self, node: Node<'_>, why: impl Into<std::borrow::Cow<'static, str>>) {
        let text = if node.is_missing() { self.text } else { self.slice(node) };
        self.script.unsure(text, why);
    }

    pub(crate) fn slice(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the text of a command as reports show it: only the first line if the command has a
    /// here-document.
    pub(crate) fn shown(&self, node: Node<'_>) -> String {
        let text = self.slice(node);
        if text.contains("<<") { text.lines().next().unwrap_or_default().to_owned() } else { text.to_owned() }
    }
}

/// Records the effect of a word after `export` or a similar command. The word is examined without its quotes, because
/// `export "A=b"` is an assignment, too.
fn declared(word: &Word, reach: VariableScope, segment: &mut Segment) {
    let Some(known) = word.known() else {
        return segment.more(word.text.clone(), "the variable that the command sets is unknown");
    };
    let name = known.split_once('=').map_or(known, |(name, _)| name.trim_end_matches('+'));
    if !known.starts_with(['-', '+']) && !effects::is_name(name) {
        return segment.more(word.text.clone(), effects::INDEX);
    }
    if let Some((name, _)) = known.split_once('=') {
        let value = word.after(&format!("{name}=")).unwrap_or_else(|| Word::beginning(&word.text, ""));
        segment.assignments.push(Assignment { name: name.to_owned(), value, reach });
    }
}

/// Finds the parts of a word that are known only when the command runs.
fn collect_holes(node: Node<'_>, holes: &mut Vec<std::ops::Range<usize>>) {
    match node.kind() {
        "simple_expansion"
        | "expansion"
        | "command_substitution"
        | "process_substitution"
        | "arithmetic_expansion"
        | "brace_expression"
        | "subscript" => holes.push(node.byte_range()),
        _ => {
            let mut cursor = node.walk();
            node.children(&mut cursor).for_each(|child| collect_holes(child, holes));
        }
    }
}
