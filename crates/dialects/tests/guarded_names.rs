//! Tests of files that programs run or load automatically: no file tool writes one without a prompt.

use crate::common::World;

use serde_json::{Value, json};
use toolpost_engine::Kind;
use toolpost_runtime::Outcome;
use toolpost_tool::Dialect;

/// Files that an editor, a shell, a hook, an agent, a toolchain or version control runs without asking.
const GUARDED: &[&str] = &[
    ".git/hooks/pre-commit",
    ".git/config",
    ".git/modules/x/config",
    ".git/rebase-merge/git-rebase-todo",
    ".git/worktrees/x/gitdir",
    "sub/.git/hooks/post-merge",
    ".GIT/hooks/x",
    ".hg/hgrc",
    ".gitmodules",
    ".vscode/tasks.json",
    "sub/.vscode/settings.json",
    ".idea/workspace.xml",
    ".vs/tasks.vs.json",
    ".cursor/mcp.json",
    ".claude/settings.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".trae/mcp.json",
    ".kiro/settings/mcp.json",
    ".amazonq/mcp.json",
    ".mcp.json",
    ".crush.json",
    "opencode.json",
    ".envrc",
    ".bashrc",
    ".exrc",
    ".nvim.lua",
    "sub/.vimrc",
    ".dir-locals.el",
    "project.code-workspace",
    "project.sublime-project",
    ".gdbinit",
    ".mise.toml",
    ".husky/pre-commit",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    ".cargo/config.toml",
    ".mvn/jvm.config",
    ".pnpmfile.cjs",
    ".yarnrc.yml",
    ".devcontainer.json",
    "mise.local.toml",
    "mise.production.toml",
    ".mise.local.toml",
    ".mise/config.toml",
    ".config/mise/config.toml",
    "lefthook.toml",
    ".config/lefthook.yaml",
    "lefthook-local.yml",
    ".yarnrc",
    ".pnpmfile.mjs",
    ".dir-locals-2.el",
    ".amp/settings.json",
    ".factory/mcp.json",
    ".kilocode/mcp.json",
    ".junie/mcp/mcp.json",
    ".github/hooks/start.json",
    ".toolpost/policy.toml",
    ".env",
    "sub/.env.local",
    ".npmrc",
];

/// A tool that writes, with the arguments for a path.
struct Writer {
    dialect: &'static Dialect,
    tool: &'static str,
    state: State,
    arguments: fn(&str) -> Value,
}

/// The state of the path before the call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Exists,
    New,
}

use State::{Exists, New};
use toolpost_dialects::{claude, opencode, probe, trae, zblade};

static WRITERS: &[Writer] = &[
    Writer {
        dialect: &claude::DIALECT,
        tool: "Write",
        state: New,
        arguments: |path| json!({ "file_path": path, "content": "new\n" }),
    },
    Writer {
        dialect: &claude::DIALECT,
        tool: "Edit",
        state: Exists,
        arguments: |path| json!({ "file_path": path, "old_string": "old", "new_string": "new" }),
    },
    Writer {
        dialect: &opencode::DIALECT,
        tool: "write",
        state: New,
        arguments: |path| json!({ "filePath": path, "content": "new\n" }),
    },
    Writer {
        dialect: &opencode::DIALECT,
        tool: "edit",
        state: Exists,
        arguments: |path| json!({ "filePath": path, "oldString": "old", "newString": "new" }),
    },
    Writer {
        dialect: &opencode::DIALECT,
        tool: "multiedit",
        state: Exists,
        arguments: |path| json!({ "edits": [{ "filePath": path, "oldString": "old", "newString": "new" }] }),
    },
    Writer {
        dialect: &opencode::DIALECT,
        tool: "patch",
        state: New,
        arguments: |path| json!({ "patch_text": format!("*** Begin Patch\n*** Add File: {path}\n+new\n*** End Patch") }),
    },
    Writer {
        dialect: &probe::DIALECT,
        tool: "create",
        state: New,
        arguments: |path| json!({ "file_path": path, "content": "new\n" }),
    },
    Writer {
        dialect: &probe::DIALECT,
        tool: "edit",
        state: Exists,
        arguments: |path| json!({ "file_path": path, "old_string": "old", "new_string": "new" }),
    },
    Writer {
        dialect: &trae::DIALECT,
        tool: "write_to_file",
        state: New,
        arguments: |path| json!({ "file_path": path, "content": "new\n", "rewrite": false }),
    },
    Writer {
        dialect: &trae::DIALECT,
        tool: "update_file",
        state: Exists,
        arguments: |path| json!({ "file_path": path, "replace_blocks": [{ "old_str": "old", "new_str": "new" }] }),
    },
    Writer {
        dialect: &trae::DIALECT,
        tool: "rename_file",
        state: New,
        arguments: |path| json!({ "file_path": "plain.txt", "rename_file_path": path }),
    },
    Writer {
        dialect: &trae::DIALECT,
        tool: "delete_file",
        state: Exists,
        arguments: |path| json!({ "file_paths": [path] }),
    },
    Writer {
        dialect: &zblade::DIALECT,
        tool: "write_file",
        state: New,
        arguments: |path| json!({ "path": path, "content": "new\n" }),
    },
    Writer {
        dialect: &zblade::DIALECT,
        tool: "create_file",
        state: New,
        arguments: |path| json!({ "path": path, "contents": "new\n" }),
    },
    Writer {
        dialect: &zblade::DIALECT,
        tool: "edit_file",
        state: Exists,
        arguments: |path| json!({ "path": path, "old_content": "old", "new_content": "new" }),
    },
    Writer {
        dialect: &zblade::DIALECT,
        tool: "apply_patch",
        state: Exists,
        arguments: |path| json!({ "path": path, "old_text": "old\n", "new_text": "new\n" }),
    },
    Writer {
        dialect: &zblade::DIALECT,
        tool: "delete_file",
        state: Exists,
        arguments: |path| json!({ "path": path }),
    },
    Writer {
        dialect: &zblade::DIALECT,
        tool: "move_file",
        state: New,
        arguments: |path| json!({ "source": "plain.txt", "destination": path }),
    },
    Writer {
        dialect: &zblade::DIALECT,
        tool: "copy_file",
        state: New,
        arguments: |path| json!({ "source": "plain.txt", "destination": path }),
    },
];

#[tokio::test]
async fn no_file_tool_writes_a_guarded_name_without_a_prompt() {
    let mut wrong = Vec::new();
    for writer in WRITERS {
        let world = World::new(writer.dialect);
        world.put("plain.txt", "old\n");
        if writer.state == Exists {
            GUARDED.iter().for_each(|path| world.put(path, "old\n"));
            world.put("control.txt", "old\n");
        }
        let before = world.files();
        for path in GUARDED {
            let outcome = world.call(writer.tool, (writer.arguments)(path)).await;
            if !matches!(outcome, Outcome::Failed(Kind::Denied, _)) || world.files() != before {
                wrong.push(format!("{} {} {path}: {outcome:?}", writer.dialect.name, writer.tool));
            }
        }
        // The rules allow the same call for another name, so the refusal above is due to the name.
        let control = world.call(writer.tool, (writer.arguments)("control.txt")).await;
        if matches!(control, Outcome::NoSuchTool(_) | Outcome::Failed(Kind::Denied | Kind::Invalid, _)) {
            wrong.push(format!("{} {} control: {control:?}", writer.dialect.name, writer.tool));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
