//! The selection of the tools to publish, by name and by kind of access.

use crate::published::Published;
use thiserror::Error;
use toolpost_engine::Access;
use toolpost_text::wildcard;

/// The prefix of the published names of all upstream tools.
const REMOTE: &str = "mcp__";

/// The selection of the tools to publish.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSelection {
    /// The only tools to publish: names, `dialect_name`, or patterns with `*`; a leading `!` excludes. `None`
    /// and a list of only exclusions start from all tools.
    pub tools: Option<Vec<String>>,
    /// The denied kinds of access. Tools that may make such accesses themselves are not published, and no call may
    /// make them.
    pub deny: Vec<Access>,
    /// The only dialect whose tools clients see. The tools of other dialects are available only to nested
    /// calls.
    pub shown: Option<&'static str>,
}

/// The reason why a selection of tools is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NarrowError {
    /// A name in the selection belongs to no tool.
    #[error("no tool is called `{name}`; the tools are {}", .known.join(", "))]
    NoSuchTool {
        /// The name that belongs to no tool.
        name: String,
        /// The names of all tools.
        known: Vec<String>,
    },
    /// The selection leaves no tool.
    #[error("no tool is left: every selected tool is excluded or denied; select others, or deny less")]
    Nothing,
}

impl ToolSelection {
    /// Returns true if the selection restricts anything.
    pub(crate) fn says_something(&self) -> bool {
        !self.deny.is_empty() || self.tools.is_some()
    }

    /// Returns true if the selection publishes a tool: the tool is selected, not excluded, and makes no
    /// denied access.
    pub(crate) fn keeps(&self, tool: &Published) -> bool {
        let listed = self.tools.as_ref().is_none_or(|list| wildcard::picks(list, |name| means(name, tool)));
        listed && self.denied(tool.access()).is_none()
    }

    /// Returns the first denied kind of access among those that a tool or an operation can make; `None` if it may be
    /// called.
    pub(crate) fn denied(&self, possible: &[Access]) -> Option<Access> {
        // For a tool that makes nested calls, only a denial of delegating counts, because each nested call is
        // checked separately.
        let calls = possible.contains(&Access::Calls);
        let counts = |access: &&Access| !calls || **access == Access::Delegates;
        self.deny.iter().filter(counts).find(|access| possible.contains(access)).copied()
    }

    /// Returns true if a name in the selection may match an upstream tool, which may be published later.
    pub(crate) fn may_mean_remote(&self) -> bool {
        self.tools.iter().flatten().any(|name| {
            let (head, rest) = name.split_once('*').unwrap_or((name, ""));
            head.starts_with(REMOTE) || (head.len() + rest.len() < name.len() && REMOTE.starts_with(head))
        })
    }

    /// Finds the first name in the selection that matches no tool. Names of upstream tools are not checked,
    /// because their servers may not be connected yet.
    pub(crate) fn unknown(&self, tools: &[impl AsRef<Published>]) -> Option<&str> {
        let names = self.tools.iter().flatten().map(|name| name.strip_prefix('!').unwrap_or(name));
        let mut wrong = names.filter(|name| {
            let known = tools.iter().any(|tool| means(name, tool.as_ref()));
            !known && *name != "*" && !name.starts_with(REMOTE)
        });
        wrong.next()
    }
}

/// Returns true if a name or a pattern of the selection matches a tool.
fn means(name: &str, tool: &Published) -> bool {
    if name.contains('*') { wildcard::matches(name, &tool.name) } else { tool.is_called(name) }
}
