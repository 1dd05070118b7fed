//! Which of the tools are published: by their names, and by what they may touch.

use crate::published::Published;
use thiserror::Error;
use toolpost_engine::Access;
use toolpost_text::wildcard;

/// What the names of all tools of other servers begin with.
const REMOTE: &str = "mcp__";

/// Which of the tools are published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrow {
    /// Only these: names, `dialect_name`, patterns with `*`, and with `!` in front what is left out; all where nothing is
    /// said, or only what is left out.
    pub tools: Option<Vec<String>>,
    /// None that may do this; and no touch of this sort is allowed, whatever tool makes it.
    pub deny: Vec<Access>,
    /// The dialect whose tools alone are shown to clients; the others are there for the calls that those make.
    pub shown: Option<&'static str>,
}

/// Why the tools cannot be narrowed as was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NarrowError {
    /// No tool has a name that was said.
    #[error("no tool is called `{name}`; there are {}", .known.join(", "))]
    NoSuchTool {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// No tool would be left.
    #[error("no tool is left: each of those that were asked for is denied; ask for others, or deny less")]
    Nothing,
}

impl Narrow {
    /// Tells whether anything was said.
    pub(crate) fn says_something(&self) -> bool {
        !self.deny.is_empty() || self.tools.is_some()
    }

    /// Tells whether a tool is kept: named, not left out, and nothing of it denied.
    pub(crate) fn keeps(&self, tool: &Published) -> bool {
        let listed = self.tools.as_ref().is_none_or(|list| wildcard::picks(list, |name| means(name, tool)));
        // What makes calls does nothing else, unless it leaves them to others: each of them is judged by itself.
        let calls = tool.access().contains(&Access::Calls);
        let counts = |access: &Access| !calls || *access == Access::Delegates;
        listed && !self.deny.iter().any(|access| counts(access) && tool.access().contains(access))
    }

    /// Tells whether a tool of another server may be meant, which may come later.
    pub(crate) fn may_mean_remote(&self) -> bool {
        self.tools.iter().flatten().any(|name| name.contains('*') || name.starts_with(REMOTE))
    }

    /// Finds a name that means no tool; those of other servers may not have come yet.
    pub(crate) fn unknown(&self, tools: &[impl AsRef<Published>]) -> Option<&str> {
        let names = self.tools.iter().flatten().map(|name| name.strip_prefix('!').unwrap_or(name));
        let mut wrong = names.filter(|name| {
            let known = tools.iter().any(|tool| means(name, tool.as_ref()));
            !known && *name != "*" && !name.starts_with(REMOTE)
        });
        wrong.next()
    }
}

/// Tells whether a name or a pattern means a tool.
fn means(name: &str, tool: &Published) -> bool {
    if name.contains('*') { wildcard::matches(name, &tool.name) } else { tool.is_called(name) }
}
