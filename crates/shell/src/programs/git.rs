//! The options and operands of git and its subcommands, as table entries.

use super::{
    Form,
    Operands::{Change, Names, TextThenFiles},
    OptionEffect,
    OptionEffect::{Changes, Elsewhere, Reads, Runs, Writes},
    form,
};

/// Options of git before its subcommand that take a value.
pub(crate) const VALUED: &str = "-C -c --exec-path --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --list-cmds";

/// Options of git before its subcommand with which git runs other programs or works elsewhere.
pub(crate) const ACTS: &[(&str, OptionEffect)] = &[
    ("-c --config-env --exec-path -p --paginate", Runs),
    ("-C --git-dir --work-tree --namespace --bare --super-prefix --attr-source", Elsewhere),
];

/// Options that every subcommand with output may have, even if its table entry does not list them.
pub(crate) const ANYWHERE: &[(&str, OptionEffect)] =
    &[("--output --output-directory", Writes), ("--ext-diff --textconv", Runs)];

/// Subcommands whose operands can be `REVISION:PATH`, or that show the content of paths.
pub(crate) const OF_REVISIONS: &[&str] = &[
    "show",
    "cat-file",
    "log",
    "diff",
    "blame",
    "annotate",
    "whatchanged",
    "grep",
    "ls-tree",
    "rev-parse",
    "archive",
    "checkout",
    "restore",
    "shortlog",
    "rev-list",
];

pub(super) const FORMS: &[Form] = &[
    form("git status, git rev-parse, git rev-list, git ls-files, git ls-tree, git cat-file, git describe, git merge-base, git name-rev, git for-each-ref, git count-objects, git check-ignore, git check-attr, git show-ref, git cherry, git var, git version, git help, git shortlog", Names).valued("--output").acts(&[("--output", Writes), ("--textconv --filters --open-files-in-pager -w --web", Runs)]),
    form("git log, git show, git whatchanged, git diff-tree, git diff-index, git diff-files, git range-diff, git blame, git annotate", Names).acts(&[("--output", Writes), ("--ext-diff --textconv --show-signature", Runs), ("-O --contents", Reads)]).valued("--contents -O -S -G -n -L -U --output --format --since --until --after --before --author --committer --grep --max-count --skip --diff-filter"),
    form("git diff", Names).acts(&[("--output", Writes), ("--ext-diff --textconv", Runs), ("-O", Reads), ("--no-index", Elsewhere)]).valued("-O -S -G -n -L -U --output --format --diff-filter"),
    form("git reflog, git stash", Change).acts(&[("--output", Writes), ("--ext-diff --textconv", Runs), ("-O", Reads)]).valued("-O -S -G -n -L -U --output --format --since --until --after --before --author --committer --grep --max-count --skip --diff-filter"),
    form("git reflog show, git stash list, git stash show", Names).acts(&[("--output", Writes), ("--ext-diff --textconv", Runs), ("-O", Reads)]).valued("-O -S -G -n -L -U --output --format --since --until --after --before --author --committer --grep --max-count --skip --diff-filter"),
    form("git grep", TextThenFiles("-e -f")).valued("-e -f -m -A -B -C -d -D --regexp --file").acts(&[("-O --open-files-in-pager --textconv", Runs), ("-f", Reads)]),
    form("git branch", Change).valued("--contains --no-contains --points-at --merged --no-merged --format --sort -l --list").acts(&[("-d -D --delete -m -M --move -c -C --copy -f --force -u --set-upstream-to --unset-upstream -s --sign --create-reflog", Changes), ("--edit-description -e --edit", Runs), ("--file", Reads)]),
    form("git tag", Change).valued("--contains --no-contains --points-at --merged --no-merged --format --sort -l --list").acts(&[("-d -D --delete -m -M --move -c -C --copy -f --force -u --set-upstream-to --unset-upstream -s --sign --create-reflog", Changes), ("--edit-description -e --edit -v --verify", Runs), ("--file", Reads)]),
    form("git remote, git worktree, git submodule, git notes, git symbolic-ref, git config", Change).valued("--get --get-all --get-regexp --type --default -f --file --blob").acts(&[("-f --file --blob", Reads), ("-e --edit", Runs), ("--unset --add --replace-all", Changes)]),
    form("git remote show, git remote get-url, git worktree list, git submodule status, git config get, git config list, git notes show, git notes list", Names),
    form("git push", Names).valued("-o --push-option --repo").same(&[("-f", "--force"), ("-d", "--delete")]).acts(&[("-f --force --force-with-lease --mirror -d --delete --prune --no-verify", Changes), ("--receive-pack --exec", Runs)]),
    form("git fetch, git pull, git clone, git ls-remote, git archive, git fetch-pack", Names).valued("-u --upload-pack --exec --remote -o --output -b --branch -c --config").acts(&[("--upload-pack --receive-pack --exec -u -c --config --template", Runs), ("--remote", Elsewhere), ("-o --output", Writes), ("-f --force", Changes)]),
    form("git rebase", Names).valued("-x --exec").acts(&[("-x --exec -i --interactive", Runs)]),
    form("git reset", Names).acts(&[("--hard --merge --keep", Changes)]),
    form("git clean", Names).same(&[("-f", "--force")]).acts(&[("-f --force", Changes)]),
    form("git checkout, git restore, git switch", Names).same(&[("-f", "--force")]).acts(&[("-f --force --discard-changes", Changes)]),
    form("git merge, git am, git apply, git cherry-pick, git revert", Names).valued("-m -F --message --file").acts(&[("--no-verify -n --amend", Changes), ("--exec", Runs)]),
    form("git bisect, git submodule foreach, git difftool, git mergetool, git filter-branch", Change).acts(&[("--upload-pack --receive-pack --exec", Runs), ("-u", Changes), ("--remote", Elsewhere)]),
];
