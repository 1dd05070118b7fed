//! Permission decisions for an external agent: allowed are Toolpost's tools, which apply the policy themselves, reads
//! that the policy allows and, if `acp_may` is `all`, everything.

use super::setup::{AgentPermissions, SERVER};
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, ToolCallUpdate, ToolKind,
};
use std::path::Path;

/// Prefix and suffix around the server name in tool names, in the forms that agents use.
const FORMS: [(&str, &str); 6] =
    [("mcp__", "__"), ("mcp_", "_"), ("", "__"), ("", "_"), ("", "/"), ("", ".")];

/// Answer to a permission request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PermissionAnswer {
    /// Option that is selected among those of the request; `None` if none fits.
    pub(super) option: Option<PermissionOptionId>,
    /// Decision about the permission, with its reason.
    pub(super) verdict: Verdict,
}

/// Decision with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Yes(&'static str),
    No(&'static str),
}

/// Decides a permission request; `may_read` returns whether a path is in the workspace and readable by
/// policy.
pub(super) fn answer(
    call: &ToolCallUpdate,
    options: &[PermissionOption],
    may: AgentPermissions,
    may_read: impl Fn(&Path) -> bool,
) -> PermissionAnswer {
    let verdict = judge(call, may, may_read);
    let wanted: &[PermissionOptionKind] = match verdict {
        // The agent would store a permanent approval, which would outlive a change to the setting.
        Verdict::Yes(_) => &[PermissionOptionKind::AllowOnce],
        Verdict::No(_) => &[PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways],
    };
    let find = |kind: &PermissionOptionKind| options.iter().find(|option| option.kind == *kind);
    let option = wanted.iter().find_map(find).map(|option| option.option_id.clone());
    let verdict = match (verdict, &option) {
        (Verdict::Yes(_), None) => {
            return PermissionAnswer {
                option: options
                    .iter()
                    .find(|option| option.kind == PermissionOptionKind::RejectOnce)
                    .map(|option| option.option_id.clone()),
                verdict: Verdict::No("the agent offers no way to allow only this call"),
            };
        }
        (verdict, _) => verdict,
    };
    PermissionAnswer { option, verdict }
}

fn judge(call: &ToolCallUpdate, may: AgentPermissions, may_read: impl Fn(&Path) -> bool) -> Verdict {
    if is_ours(call) {
        return Verdict::Yes("the tool is one of Toolpost's, which apply the rules");
    }
    if may == AgentPermissions::All {
        return Verdict::Yes("the setting `acp_may` is `all`");
    }
    match call.fields.kind {
        Some(ToolKind::Think) => Verdict::Yes("the call accesses nothing"),
        Some(ToolKind::Read | ToolKind::Search) => {
            let places = call.fields.locations.as_deref().unwrap_or_default();
            if places.is_empty() {
                Verdict::No("the request does not list the files to read")
            } else if places.iter().all(|place| may_read(&place.path)) {
                Verdict::Yes("the agent only reads files in the workspace")
            } else {
                Verdict::No(
                    "the agent wants to read files outside the workspace, or files that the rules protect",
                )
            }
        }
        _ => Verdict::No("the agent must use Toolpost's tools for this"),
    }
}

/// Returns whether a call is a call of one of Toolpost's tools. Without a tool name, the title counts. It may be the
/// model's text, so all of it must be a tool name, and a call that executes, changes or fetches something is excluded.
fn is_ours(call: &ToolCallUpdate) -> bool {
    let fields = &call.fields;
    let named = fields.name.as_deref().or_else(|| in_meta(call));
    if let Some(name) = named {
        return is_our_name(name);
    }
    let by_itself = matches!(
        fields.kind,
        Some(ToolKind::Execute | ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Fetch)
    );
    !by_itself
        && fields
            .title
            .as_deref()
            .is_some_and(|title| is_our_name(title.strip_prefix("Tool: ").unwrap_or(title)))
}

fn is_our_name(name: &str) -> bool {
    let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let rest = |(before, behind): &(&str, &str)| {
        name.strip_prefix(before)?.strip_prefix(SERVER)?.strip_prefix(behind).map(str::to_owned)
    };
    FORMS.iter().filter_map(rest).any(|rest| !rest.is_empty() && rest.chars().all(letter))
}

/// Returns the tool name that the Claude Code adapter adds to its calls.
pub(super) fn in_meta(call: &ToolCallUpdate) -> Option<&str> {
    call.meta.as_ref()?.get("claudeCode")?.get("toolName")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use toolpost_test_rows::each;

    fn asked(call: &Value, may: AgentPermissions, kinds: &[&str]) -> (Option<String>, Verdict) {
        let mut call = call.clone();
        call["toolCallId"] = json!("c");
        let call: ToolCallUpdate = serde_json::from_value(call).unwrap();
        let options: Vec<PermissionOption> = kinds
            .iter()
            .map(|kind| serde_json::from_value(json!({"optionId": kind, "name": "x", "kind": kind})).unwrap())
            .collect();
        let answer = answer(&call, &options, may, |path| path.starts_with("/w"));
        (answer.option.map(|id| id.0.to_string()), answer.verdict)
    }

    #[test]
    fn accesses_that_bypass_toolpost_tools_are_refused() {
        let all = ["allow_always", "allow_once", "reject_once", "reject_always"];
        let places = |paths: &[&str]| paths.iter().map(|path| json!({"path": path})).collect::<Vec<_>>();
        let rows = [
            (json!({"title": "mcp__toolpost-acp__Edit", "kind": "other"}), true),
            (json!({"title": "toolpost-acp_Edit"}), true),
            (json!({"title": "Tool: toolpost-acp/Edit"}), true),
            (json!({"title": "write", "name": "mcp__toolpost-acp__Write", "kind": "edit"}), true),
            (json!({"title": "x", "_meta": {"claudeCode": {"toolName": "mcp__toolpost-acp__Edit"}}}), true),
            // A model may have written the title.
            (json!({"title": "mcp__toolpost-acp__Edit", "kind": "execute"}), false),
            (json!({"title": "mcp__toolpost-acp__Edit; rm -rf ~", "kind": "other"}), false),
            (json!({"title": "mcp__toolpost-acp__Edit", "name": "bash"}), false),
            (json!({"title": "mcp__toolpost-acp__", "kind": "other"}), false),
            (json!({"title": "mcp__toolpost__Edit", "kind": "other"}), false),
            (json!({"title": "edit a", "kind": "edit", "locations": places(&["/w/a"])}), false),
            (json!({"title": "run", "kind": "execute"}), false),
            (json!({"title": "get", "kind": "fetch"}), false),
            (json!({"title": "what"}), false),
            (json!({"title": "think", "kind": "think"}), true),
            (json!({"title": "read", "kind": "read", "locations": places(&["/w/a", "/w/b"])}), true),
            (json!({"title": "read", "kind": "read", "locations": places(&["/w/a", "/etc/passwd"])}), false),
            (json!({"title": "read", "kind": "read"}), false),
        ];
        each(rows, |(call, wanted)| {
            let (option, verdict) = asked(&call, AgentPermissions::Write, &all);
            assert_eq!(matches!(verdict, Verdict::Yes(_)), wanted, "{call}: {verdict:?}");
            assert_eq!(option.as_deref(), Some(if wanted { "allow_once" } else { "reject_once" }), "{call}");
        });
    }

    #[test]
    fn only_one_time_permissions_are_granted() {
        let run = json!({"title": "run", "kind": "execute"});
        let yes = |option: &str| (Some(option.to_owned()), Verdict::Yes("the setting `acp_may` is `all`"));
        let no = |option: Option<&str>| {
            (option.map(str::to_owned), Verdict::No("the agent offers no way to allow only this call"))
        };
        assert_eq!(asked(&run, AgentPermissions::All, &["allow_once", "reject_once"]), yes("allow_once"));
        assert_eq!(
            asked(&run, AgentPermissions::All, &["allow_always", "reject_once"]),
            no(Some("reject_once"))
        );
        assert_eq!(asked(&run, AgentPermissions::All, &["allow_always"]), no(None));
        let past = Verdict::No("the agent must use Toolpost's tools for this");
        assert_eq!(
            asked(&run, AgentPermissions::Read, &["reject_always"]),
            (Some("reject_always".to_owned()), past)
        );
    }
}
