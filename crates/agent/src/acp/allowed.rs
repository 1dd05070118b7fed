//! What an agent is allowed that asks: our own tools, which are judged where they are called, and what only reads.

use super::setup::{May, SERVER};
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, ToolCallUpdate, ToolKind,
};
use std::path::Path;

/// What stands before and behind our name in the name of one of our tools, as agents write it.
const FORMS: [(&str, &str); 6] =
    [("mcp__", "__"), ("mcp_", "_"), ("", "__"), ("", "_"), ("", "/"), ("", ".")];

/// What was answered, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    /// Which option was taken; none where there was none that fits.
    pub(super) option: Option<PermissionOptionId>,
    /// Whether it is a yes.
    pub(super) verdict: Verdict,
}

/// A yes or a no, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Yes(&'static str),
    No(&'static str),
}

/// Answers an agent that asks; `may_read` says of a path whether it lies in the workspace and the rules let it be read.
pub(super) fn answer(
    call: &ToolCallUpdate,
    options: &[PermissionOption],
    may: May,
    may_read: impl Fn(&Path) -> bool,
) -> Answer {
    let verdict = judge(call, may, may_read);
    let wanted: &[PermissionOptionKind] = match verdict {
        // An answer for always would be the agent's to keep, and past the setting of the next time.
        Verdict::Yes(_) => &[PermissionOptionKind::AllowOnce],
        Verdict::No(_) => &[PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways],
    };
    let find = |kind: &PermissionOptionKind| options.iter().find(|option| option.kind == *kind);
    let option = wanted.iter().find_map(find).map(|option| option.option_id.clone());
    let verdict = match (verdict, &option) {
        (Verdict::Yes(_), None) => {
            return Answer {
                option: options
                    .iter()
                    .find(|option| option.kind == PermissionOptionKind::RejectOnce)
                    .map(|option| option.option_id.clone()),
                verdict: Verdict::No("it offers no answer that holds for this once"),
            };
        }
        (verdict, _) => verdict,
    };
    Answer { option, verdict }
}

fn judge(call: &ToolCallUpdate, may: May, may_read: impl Fn(&Path) -> bool) -> Verdict {
    if is_ours(call) {
        return Verdict::Yes("it is one of our tools, which judges what it is asked for");
    }
    if may == May::All {
        return Verdict::Yes("the operator allows all that it asks for");
    }
    match call.fields.kind {
        Some(ToolKind::Think) => Verdict::Yes("it touches nothing"),
        Some(ToolKind::Read | ToolKind::Search) => {
            let places = call.fields.locations.as_deref().unwrap_or_default();
            if places.is_empty() {
                Verdict::No("it does not say what it reads")
            } else if places.iter().all(|place| may_read(&place.path)) {
                Verdict::Yes("it reads in the workspace")
            } else {
                Verdict::No("it reads outside the workspace, or what the rules do not let be read")
            }
        }
        _ => Verdict::No("it goes past our tools"),
    }
}

/// Tells whether a call is one of our tools. What the agent says in a title may come from its model: the whole of it has to be a
/// name, and what runs or changes something by itself is not taken for ours.
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

/// Gives the name that an adapter of Claude Code writes beside its calls.
pub(super) fn in_meta(call: &ToolCallUpdate) -> Option<&str> {
    call.meta.as_ref()?.get("claudeCode")?.get("toolName")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn asked(call: &Value, may: May, kinds: &[&str]) -> (Option<String>, Verdict) {
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
    fn what_goes_past_our_tools_is_refused() {
        let all = ["allow_always", "allow_once", "reject_once", "reject_always"];
        let places = |paths: &[&str]| paths.iter().map(|path| json!({"path": path})).collect::<Vec<_>>();
        let rows = [
            (json!({"title": "mcp__toolpost-acp__Edit", "kind": "other"}), true),
            (json!({"title": "toolpost-acp_Edit"}), true),
            (json!({"title": "Tool: toolpost-acp/Edit"}), true),
            (json!({"title": "write", "name": "mcp__toolpost-acp__Write", "kind": "edit"}), true),
            (json!({"title": "x", "_meta": {"claudeCode": {"toolName": "mcp__toolpost-acp__Edit"}}}), true),
            // A title is what a model may have written.
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
        for (call, wanted) in rows {
            let (option, verdict) = asked(&call, May::Write, &all);
            assert_eq!(matches!(verdict, Verdict::Yes(_)), wanted, "{call}: {verdict:?}");
            assert_eq!(option.as_deref(), Some(if wanted { "allow_once" } else { "reject_once" }), "{call}");
        }
    }

    #[test]
    fn an_answer_holds_for_this_once() {
        let run = json!({"title": "run", "kind": "execute"});
        let yes = |option: &str| {
            (Some(option.to_owned()), Verdict::Yes("the operator allows all that it asks for"))
        };
        let no = |option: Option<&str>| {
            (option.map(str::to_owned), Verdict::No("it offers no answer that holds for this once"))
        };
        assert_eq!(asked(&run, May::All, &["allow_once", "reject_once"]), yes("allow_once"));
        assert_eq!(asked(&run, May::All, &["allow_always", "reject_once"]), no(Some("reject_once")));
        assert_eq!(asked(&run, May::All, &["allow_always"]), no(None));
        let past = Verdict::No("it goes past our tools");
        assert_eq!(asked(&run, May::Read, &["reject_always"]), (Some("reject_always".to_owned()), past));
    }
}
