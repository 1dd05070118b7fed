//! Subtrees of a deep tree that are queried separately.

use tree_sitter::Node;

use crate::Tree;

/// The number of levels below a queried node in which matches can begin.
pub(super) const LEVELS: u32 = 100;

impl Tree<'_> {
    /// Returns the root, and in a deep tree also the nodes at regular levels.
    ///
    /// The query engine may begin a match at each level and keep it open down to the deepest level. With one query
    /// over the whole tree, the work for thousands of chained calls would therefore be quadratic.
    pub(super) fn parts(&self) -> Vec<Node<'_>> {
        let mut parts = vec![self.root()];
        let mut cursor = self.root().walk();
        let mut level = 0_u32;
        loop {
            if cursor.goto_first_child() {
                level += 1;
                if level.is_multiple_of(LEVELS + 1) {
                    parts.push(cursor.node());
                }
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return parts;
                }
                level -= 1;
            }
            if level.is_multiple_of(LEVELS + 1) {
                parts.push(cursor.node());
            }
        }
    }
}
