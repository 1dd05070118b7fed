//! Tests of the rules about paths.

use crate::{access::Access, decision::Decision, load::RULES, policy::Policy, rule::RuleSource};
use std::path::PathBuf;
use toolpost_test_rows::each;

fn check(access: Access, path: &str, wanted: Decision) {
    let policy = Policy::built_in().unwrap();
    let judged = policy.judge_name(access, path, &format!("/w/{path}"));
    assert_eq!(judged.decision, wanted, "{access:?} {path}");
}

#[test]
fn the_examples_of_the_built_in_rules_hold() {
    let policy = Policy::of(Vec::new()).with(RULES, &RuleSource::BuiltIn).unwrap();
    assert_eq!(policy.rules.len(), Policy::built_in().unwrap().rules.len());
}

#[test]
fn built_in_rules_guard_files_that_run_automatically() {
    let guarded = [
        ".git/hooks/pre-commit",
        ".git/config",
        ".git/info/attributes",
        "sub/.git/hooks/post-merge",
        ".GIT/hooks/x",
        ".git./config ",
        ".vscode/tasks.json",
        ".cursor/mcp.json",
        ".mcp.json",
        ".envrc",
        ".claude/settings.json",
        ".gitmodules",
        ".idea/workspace.xml",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".toolpost/policy.toml",
        ".husky/pre-commit",
        "sub/.vscode/settings.json",
        ".git/modules/x/config",
        ".git/worktrees/x/config.worktree",
        ".exrc",
        ".nvim.lua",
        "sub/.vimrc",
        ".dir-locals.el",
        "project.code-workspace",
        "project.sublime-project",
        ".vs/tasks.vs.json",
        ".trae/mcp.json",
        ".kiro/settings/mcp.json",
        ".amazonq/mcp.json",
        ".crush.json",
        ".mise.toml",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        ".cargo/config.toml",
        ".gdbinit",
        ".mvn/jvm.config",
        ".pnpmfile.cjs",
        ".yarnrc.yml",
        ".devcontainer.json",
        "sub/mise.local.toml",
        ".config/mise/conf.d/a.toml",
        ".config/lefthook.yml",
        ".yarnrc",
    ];
    each(guarded, |path| {
        let policy = Policy::built_in().unwrap();
        let judged = policy.judge_name(Access::Writes, path, &format!("/w/{path}"));
        assert_ne!(judged.decision, Decision::Allow, "write {path}");
    });
    let open = ["src/main.rs", ".github/workflows/ci.yml", ".gitignore", "git/hooks/x", "vscode/tasks.json"];
    each(open, |path| check(Access::Writes, path, Decision::Allow));
}

#[test]
fn names_are_protected_or_reported_and_not_both() {
    let policy = Policy::built_in().unwrap();
    let named = |names: Vec<PathBuf>, name: &str| names.contains(&PathBuf::from(name));
    each([".vscode", ".envrc", ".cargo/config.toml", "*.code-workspace", "mise.*.toml"], |name| {
        assert!(named(policy.protected_names(), name) && !named(policy.reported_names(), name), "{name}");
    });
    each(["AGENTS.md", "CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md"], |name| {
        assert!(named(policy.reported_names(), name) && !named(policy.protected_names(), name), "{name}");
        check(Access::Writes, name, Decision::Allow);
    });
}

#[test]
fn the_sandbox_learns_every_name_that_only_writing_is_guarded_for() {
    let file: toml::Value = toml::from_str(RULES).unwrap();
    let names = Policy::built_in().unwrap().protected_names();
    let of = |rule: &toml::Value, key: &str| -> Vec<String> {
        let list = rule.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let rules = file["rule"].as_array().unwrap().iter();
    let asks = rules.filter(|rule| of(rule, "touch") == ["write"] && rule["decide"].as_str() == Some("ask"));
    let patterns: Vec<String> = asks.flat_map(|rule| of(rule, "paths")).collect();
    assert!(patterns.len() > 80, "{patterns:?}");
    each(patterns, |pattern| {
        let name = pattern.trim_start_matches("**/").trim_end_matches("/**");
        assert!(names.contains(&PathBuf::from(name)), "{pattern}");
    });
}

#[test]
fn operator_patterns_reach_the_sandbox_unless_they_match_everything() {
    let rows = [
        ("*.gen.rs", Some("*.gen.rs")),
        ("**/gen/**", Some("gen")),
        ("**/*", None),
        ("**", None),
        ("*", None),
        ("src/gen/*", None),
    ];
    let operator = RuleSource::Operator("o".to_owned());
    each(rows, |(pattern, wanted)| {
        let text = format!("[[rule]]\ntouch = [\"write\"]\npaths = [\"{pattern}\"]\ndecide = \"deny\"\n");
        let policy = Policy::of(Vec::new()).with(&text, &operator).unwrap();
        let wanted: Vec<PathBuf> = wanted.into_iter().map(PathBuf::from).collect();
        assert_eq!(policy.protected_names(), wanted, "{pattern}");
    });
}

#[test]
fn directories_above_the_root_match_no_rule() {
    let policy = Policy::built_in().unwrap();
    let judged = policy.judge_name(Access::Writes, "src/a.rs", "/home/me/.claude/worktrees/x/src/a.rs");
    assert_eq!(judged.decision, Decision::Allow);
}

#[test]
fn path_rules_ignore_letter_case() {
    let text = "[[rule]]\ntouch = [\"write\"]\npaths = [\"Secrets/\", \"/w/key.pem\"]\ndecide = \"deny\"\n";
    let policy = Policy::built_in().unwrap().with(text, &RuleSource::Operator("o".to_owned())).unwrap();
    each(["secrets/a", "SECRETS/a", "Secrets", "Key.PEM", "key.pem."], |path| {
        let judged = policy.judge_name(Access::Writes, path, &format!("/w/{path}"));
        assert_eq!(judged.decision, Decision::Deny, "{path}");
    });
}

#[test]
fn secret_files_are_detected_by_name() {
    let rows = [
        (".env", Decision::Ask),
        (".env.local", Decision::Ask),
        (".env.production", Decision::Ask),
        (".env.development.local", Decision::Ask),
        ("sub/.env", Decision::Ask),
        ("id_ed25519", Decision::Ask),
        ("testdata/certificate/key.pem", Decision::Ask),
        ("server.key", Decision::Ask),
        ("ssl_key.pem", Decision::Ask),
        ("tls/privkey1.pem", Decision::Ask),
        ("private.PEM", Decision::Ask),
        ("a/release.keystore", Decision::Ask),
        ("cert.pem", Decision::Allow),
        ("pubkey.pem", Decision::Allow),
        ("public_key.pem", Decision::Allow),
        ("keys.md", Decision::Allow),
        ("key.rs", Decision::Allow),
        (".env.example", Decision::Allow),
        (".env.sample", Decision::Allow),
        (".env.template", Decision::Allow),
        (".envrc", Decision::Allow),
        ("environment.ts", Decision::Allow),
        ("my.env.ts", Decision::Allow),
    ];
    each(rows, |(path, wanted)| {
        check(Access::Reads, path, wanted);
    });
}

#[test]
fn the_later_rule_wins_but_a_project_only_tightens() {
    let rule = |decide: &str| {
        format!("[[rule]]\ntouch = [\"read\"]\npaths = [\".env\"]\ndecide = \"{decide}\"\nwhy = \"x\"\n")
    };
    let operator = RuleSource::Operator("o".to_owned());
    let project = RuleSource::Project("p".to_owned());
    let rows = [
        (&operator, "allow", Decision::Allow),
        (&operator, "deny", Decision::Deny),
        (&project, "allow", Decision::Ask),
        (&project, "deny", Decision::Deny),
    ];
    each(rows, |(source, decide, wanted)| {
        let policy = Policy::built_in().unwrap().with(&rule(decide), source).unwrap();
        assert_eq!(
            policy.judge_name(Access::Reads, ".env", "/w/.env").decision,
            wanted,
            "{source:?} {decide}"
        );
    });
}

#[test]
fn a_policy_file_with_a_failing_example_is_refused() {
    let text = "[[rule]]\ntouch = [\"write\"]\npaths = [\"gen/**\"]\ndecide = \"deny\"\nwhy = \"made\"\nexamples = [\"src/a.rs\"]\n";
    let error = Policy::built_in().unwrap().with(text, &RuleSource::Operator("o".to_owned())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "o: rule 1 (`made`) does not match its own example `src/a.rs`; correct the pattern or the example."
    );
}
