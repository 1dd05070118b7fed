//! Tests of the rules about paths.

use crate::{access::Access, decision::Decision, defaults, policy::Policy, rule::RuleSource};
use std::path::PathBuf;

fn check(access: Access, path: &str, wanted: Decision) {
    let policy = Policy::built_in().unwrap();
    let judged = policy.judge_name(access, path, &format!("/w/{path}"));
    assert_eq!(judged.decision, wanted, "{access:?} {path}");
}

#[test]
fn the_examples_of_the_built_in_rules_hold() {
    let policy = Policy::of(Vec::new()).with(defaults::RULES, &RuleSource::BuiltIn).unwrap();
    assert_eq!(policy.rules.len(), Policy::built_in().unwrap().rules.len());
}

#[test]
fn built_in_rules_guard_what_runs_by_itself() {
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
    ];
    for path in guarded {
        let policy = Policy::built_in().unwrap();
        let judged = policy.judge_name(Access::Writes, path, &format!("/w/{path}"));
        assert_ne!(judged.decision, Decision::Allow, "write {path}");
    }
    let policy = Policy::built_in().unwrap();
    let named = |names: Vec<PathBuf>, name: &str| names.contains(&PathBuf::from(name));
    for name in [".vscode", ".envrc", ".trae", ".cargo/config.toml", ".exrc"] {
        assert!(named(policy.kept_names(), name) && !named(policy.reported_names(), name), "{name}");
    }
    for name in ["AGENTS.md", "CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md"] {
        assert!(named(policy.reported_names(), name) && !named(policy.kept_names(), name), "{name}");
        check(Access::Writes, name, Decision::Allow);
    }
    for path in ["src/main.rs", ".github/workflows/ci.yml", ".gitignore", "git/hooks/x", "vscode/tasks.json"]
    {
        check(Access::Writes, path, Decision::Allow);
    }
}

#[test]
fn what_lies_above_the_root_decides_nothing() {
    let policy = Policy::built_in().unwrap();
    let judged = policy.judge_name(Access::Writes, "src/a.rs", "/home/me/.claude/worktrees/x/src/a.rs");
    assert_eq!(judged.decision, Decision::Allow);
}

#[test]
fn letter_case_is_passed_over() {
    let text = "[[rule]]\ntouch = [\"write\"]\npaths = [\"Secrets/\", \"/w/key.pem\"]\ndecide = \"deny\"\n";
    let policy = Policy::built_in().unwrap().with(text, &RuleSource::Operator("o".to_owned())).unwrap();
    for path in ["secrets/a", "SECRETS/a", "Secrets", "Key.PEM", "key.pem."] {
        let judged = policy.judge_name(Access::Writes, path, &format!("/w/{path}"));
        assert_eq!(judged.decision, Decision::Deny, "{path}");
    }
}

#[test]
fn secrets_are_known_by_their_exact_names() {
    let rows = [
        (".env", Decision::Ask),
        (".env.local", Decision::Ask),
        (".env.production", Decision::Ask),
        (".env.development.local", Decision::Ask),
        ("sub/.env", Decision::Ask),
        ("id_ed25519", Decision::Ask),
        (".env.example", Decision::Allow),
        (".env.sample", Decision::Allow),
        (".env.template", Decision::Allow),
        (".envrc", Decision::Allow),
        ("environment.ts", Decision::Allow),
        ("my.env.ts", Decision::Allow),
    ];
    for (path, wanted) in rows {
        check(Access::Reads, path, wanted);
    }
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
    for (source, decide, wanted) in rows {
        let policy = Policy::built_in().unwrap().with(&rule(decide), source).unwrap();
        assert_eq!(
            policy.judge_name(Access::Reads, ".env", "/w/.env").decision,
            wanted,
            "{source:?} {decide}"
        );
    }
}

#[test]
fn a_file_is_refused_where_its_example_does_not_hold() {
    let text = "[[rule]]\ntouch = [\"write\"]\npaths = [\"gen/**\"]\ndecide = \"deny\"\nwhy = \"made\"\nexamples = [\"src/a.rs\"]\n";
    let error = Policy::built_in().unwrap().with(text, &RuleSource::Operator("o".to_owned())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "o: rule 1 (`made`) does not match its own example `src/a.rs`; correct the pattern or the example."
    );
}
