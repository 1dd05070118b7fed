//! The selection of published tools, by name and by access.

use crate::published::Published;
use thiserror::Error;
use toolpost_engine::Access;
use toolpost_text::wildcard;

/// The prefix of the names of all upstream tools.
const REMOTE: &str = "mcp__";

/// The selection of published tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrow {
    /// The only tools to publish: names, `dialect_name`, or patterns with `*`; a leading `!` excludes. `None` and a
    /// list of only exclusions start from all tools.
    pub tools: Option<Vec<String>>,
    /// The denied kinds of access: tools that may use them are not published, and no touch of these kinds is allowed,
    /// whichever tool makes it.
    pub deny: Vec<Access>,
    /// The only dialect whose tools clients see; the others are available to nested calls.
    pub shown: Option<&'static str>,
}

/// The reason why a selection of tools is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NarrowError {
    /// No tool has a name in the selection.
    #[error("no tool is called `{name}`; there are {}", .known.join(", "))]
    NoSuchTool {
        /// The name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// No tool would be left.
    #[error("no tool is left: each of those that were asked for is denied; ask for others, or deny less")]
    Nothing,
}

impl Narrow {
    /// Returns true if the selection restricts anything.
    pub(crate) fn says_something(&self) -> bool {
        !self.deny.is_empty() || self.tools.is_some()
    }

    /// Returns true if a tool is published: selected, not excluded, and with no denied access.
    pub(crate) fn keeps(&self, tool: &Published) -> bool {
        let listed = self.tools.as_ref().is_none_or(|list| wildcard::picks(list, |name| means(name, tool)));
        // A tool that makes nested calls does nothing else, unless it delegates: each nested call is checked
        // separately.
        let calls = tool.access().contains(&Access::Calls);
        let counts = |access: &Access| !calls || *access == Access::Delegates;
        listed && !self.deny.iter().any(|access| counts(access) && tool.access().contains(access))
    }

    /// Returns true if a name may match an upstream tool, which may be published later.
    pub(crate) fn may_mean_remote(&self) -> bool {
        self.tools.iter().flatten().any(|name| name.contains('*') || name.starts_with(REMOTE))
    }

    /// Finds a name that matches no tool; upstream tools may not be connected yet.
    pub(crate) fn unknown(&self, tools: &[impl AsRef<Published>]) -> Option<&str> {
        let names = self.tools.iter().flatten().map(|name| name.strip_prefix('!').unwrap_or(name));
        let mut wrong = names.filter(|name| {
            let known = tools.iter().any(|tool| means(name, tool.as_ref()));
            !known && *name != "*" && !name.starts_with(REMOTE)
        });
        wrong.next()
    }
}

/// Returns true if a name or a pattern matches a tool.
fn means(name: &str, tool: &Published) -> bool {
    if name.contains('*') { wildcard::matches(name, &tool.name) } else { tool.is_called(name) }
}
