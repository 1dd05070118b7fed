//! Attempts to escape from the sandbox, and to create guarded names in it.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::common::{self, host::Host, host::is_missing, text};
use toolpost_process::{Exit, Means, Sandbox};
use toolpost_test_rows::table::Table;

/// A host for all rows of a table, which is created when the first of them runs. Rows use it one after the other, because
/// each checks that nothing was left.
struct Shared(Mutex<Option<(Host, Vec<String>)>>);

impl Shared {
    fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Calls `check` with the host and its state before the first row.
    fn with(&self, check: impl FnOnce(&Host, &[String])) {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (host, before) = shared.get_or_insert_with(|| {
            let host = Host::new();
            let before = host.state();
            (host, before)
        });
        check(host, before);
    }
}

/// The expected result of an escape attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Open,
    Shut,
    /// The result depends on the machine, or on the user.
    Unknown,
}

use Way::{Open, Shut, Unknown};

/// The escape attempts, with the expected results: without a sandbox, with Landlock alone, with `bwrap`, and
/// in Toolpost's own namespaces.
///
/// A command prints `A` if the attempt succeeds.
const WAYS: &[(&str, &str, [Way; 4])] = &[
    ("01 write in the workspace", "echo x > w && rm w && echo A", [Open, Open, Open, Open]),
    (
        "02 write home",
        "echo x > $HOME/x; test -e $OUT/../home/x && rm $HOME/x && echo A",
        [Open, Shut, Shut, Shut],
    ),
    ("03 read a secret", "grep -q SECRET $HOME/.ssh/id && echo A", [Open, Shut, Shut, Shut]),
    (
        "04 environment of a process",
        "grep -q SECRET /proc/$DAEMON/environ && echo A",
        [Open, Shut, Shut, Shut],
    ),
    ("05 inherited secret", "test -n \"$API_TOKEN\" && echo A", [Shut, Shut, Shut, Shut]),
    ("06 TCP to the host", "echo x > /dev/tcp/127.0.0.1/$TCP && echo A", [Open, Shut, Shut, Shut]),
    ("07 UDP to the host", "echo x > /dev/udp/127.0.0.1/$UDP && echo A", [Open, Shut, Shut, Shut]),
    ("08 abstract socket", "$PROBE abstract $NAME", [Open, Shut, Shut, Shut]),
    ("09 socket with a path", "$PROBE path $OUT/d.sock", [Open, Shut, Shut, Shut]),
    ("10 signal", "kill -CONT $DAEMON && echo A", [Open, Shut, Shut, Shut]),
    ("11 ptrace", "$PROBE ptrace $DAEMON", [Unknown, Shut, Shut, Shut]),
    ("11 memory of a process", "$PROBE look $DAEMON", [Open, Shut, Shut, Shut]),
    ("12 hooks", "echo x > .git/hooks/h && rm .git/hooks/h && echo A", [Open, Shut, Shut, Shut]),
    (
        "13 config",
        "cp .git/config c; echo x >> .git/config && echo A; cat c > .git/config; rm c",
        [Open, Shut, Shut, Shut],
    ),
    (
        "13 another common directory",
        "echo /x > .git/commondir && rm .git/commondir && echo A",
        [Open, Shut, Shut, Shut],
    ),
    (
        "13 attributes",
        "echo x > .git/info/attributes && rm .git/info/attributes && echo A",
        [Open, Shut, Shut, Shut],
    ),
    ("14 move the repository", "mv .git .g && mv .g .git && echo A", [Open, Shut, Shut, Shut]),
    (
        "14 move to a missing name",
        "mkdir x; mv -T x .vscode && rmdir .vscode && echo A; rmdir x",
        [Open, Shut, Shut, Shut],
    ),
    ("14 move a protected directory", "mv .idea .i && mv .i .idea && echo A", [Open, Shut, Shut, Shut]),
    // A command may create a repository; Toolpost runs none of its hooks.
    (
        "15 new repository",
        "mkdir -p new/.git/hooks && echo x > new/.git/hooks/h && echo A; rm -r new",
        [Open, Open, Open, Open],
    ),
    (
        "15 hooks of a repository below",
        "echo x > sub/.git/hooks/h && rm sub/.git/hooks/h && echo A",
        [Open, Shut, Shut, Shut],
    ),
    (
        "15 config of a repository below",
        "cp sub/.git/config c; echo x >> sub/.git/config && echo A; cat c > sub/.git/config; rm c",
        [Open, Shut, Shut, Shut],
    ),
    ("15 move a repository below", "mv sub s && mv s sub && echo A", [Open, Shut, Shut, Shut]),
    (
        "15 hooks of a submodule",
        "mkdir .git/modules/m/hooks && rmdir .git/modules/m/hooks && echo A",
        [Open, Shut, Shut, Shut],
    ),
    (
        "15 folder that can run code, in a subdirectory",
        "echo x > pkg/.vscode/x && rm pkg/.vscode/x && echo A",
        [Open, Shut, Shut, Shut],
    ),
    ("16 file that can run code", "echo x > .mcp.json && rm .mcp.json && echo A", [Open, Shut, Shut, Shut]),
    (
        "16 folder that can run code",
        "mkdir -p .vscode && echo x > .vscode/tasks.json && rm -r .vscode && echo A",
        [Open, Shut, Shut, Shut],
    ),
    (
        "16 write in a protected directory",
        "echo x > .idea/x && rm .idea/x && echo A",
        [Open, Shut, Shut, Shut],
    ),
    (
        "17 through a link",
        "ln -s $HOME/.ssh l; echo x > l/x && rm l/x && echo A; rm l",
        [Open, Shut, Shut, Shut],
    ),
    ("18 hard link", "ln $OUT/file h && echo A; rm -f h", [Open, Shut, Shut, Shut]),
    ("19 shared memory", "grep -q SECRET /dev/shm/$NAME && echo A", [Open, Shut, Shut, Shut]),
    ("20 user namespace", "$PROBE unshare", [Unknown, Shut, Shut, Shut]),
    ("21 io_uring", "$PROBE io_uring", [Unknown, Shut, Shut, Shut]),
    ("23 vsock", "$PROBE socket 40 1", [Unknown, Shut, Shut, Shut]),
    ("24 netlink", "$PROBE socket 16 3", [Open, Shut, Shut, Shut]),
    ("24 raw", "$PROBE socket 2 3", [Unknown, Shut, Shut, Shut]),
    ("25 set-user-id", "grep -q 'NoNewPrivs:.0' /proc/self/status && echo A", [Open, Shut, Shut, Shut]),
    (
        "25 rights",
        "grep 'Cap[PE]' /proc/self/status | grep -qv 0000000000000000 && echo A",
        [Unknown, Shut, Shut, Shut],
    ),
    ("27 other processes", "grep -q sleep /proc/$DAEMON/cmdline && echo A", [Open, Open, Shut, Shut]),
    // Under `bwrap`, the parent is Toolpost's inner step, whose command line contains nothing secret.
    ("27 the parent process", "grep -q . /proc/$PPID/cmdline && echo A", [Open, Open, Open, Shut]),
    ("28 keyring", "$PROBE keyring", [Unknown, Shut, Shut, Shut]),
    ("29 another project", "grep -q SECRET $OUT/file && echo A", [Open, Shut, Shut, Shut]),
    (
        "30 the system's secrets",
        "test -r /etc/shadow && cat /etc/shadow && echo A",
        [Unknown, Shut, Shut, Shut],
    ),
    ("30 the system", "echo x > /etc/$NAME && rm /etc/$NAME && echo A", [Unknown, Shut, Shut, Shut]),
    (
        "30 settings of the kernel",
        "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern && echo A",
        [Unknown, Shut, Shut, Shut],
    ),
    ("30 mounts", "$PROBE mount $PWD", [Unknown, Shut, Shut, Shut]),
    ("31 mode of a file outside", "chmod 644 $OUT/file && echo A", [Open, Shut, Shut, Shut]),
    (
        "31 mode through a directory",
        "cd $OUT/..; chmod 644 outside/file && echo A; cd - >/dev/null",
        [Open, Shut, Shut, Shut],
    ),
    ("31 mode through a link", "ln -s $OUT/file l; chmod 644 l && echo A; rm l", [Open, Shut, Shut, Shut]),
    ("31 mode of an open file", "$PROBE fchmod /usr/bin/env", [Unknown, Shut, Shut, Shut]),
    ("31 times", "touch -c -r $OUT/file $OUT/file && echo A", [Open, Shut, Unknown, Unknown]),
    ("31 owner", "chown $(id -u) $OUT/file && echo A", [Open, Shut, Shut, Shut]),
    ("31 extended attribute", "$PROBE setxattr $OUT/file", [Unknown, Shut, Shut, Shut]),
    (
        "31 mode and times in the workspace",
        "echo x > w && chmod 700 w && touch -d @1 w && $PROBE fchmod w && chmod 755 . && rm w && echo A",
        [Open, Open, Open, Open],
    ),
    ("32 limits of a process", "$PROBE limits $DAEMON", [Open, Shut, Shut, Shut]),
    // In namespaces the shared memory is private to the command.
    ("32 System V shared memory", "$PROBE 'shared memory'", [Open, Shut, Open, Open]),
    ("30 the directory above", "ls .. | grep -q outside && echo A", [Open, Shut, Shut, Shut]),
];

pub(crate) fn sandboxed_commands_cannot_escape() -> [Table; 4] {
    [Means::Nothing, Means::Landlock, Means::Bubblewrap, Means::Namespaces].map(|means| {
        let name = format!("escapes::sandboxed_commands_cannot_escape::{}", means.name());
        let shared = Shared::new();
        Table::new(
            &name,
            WAYS,
            |(name, _, _)| (*name).to_owned(),
            move |(name, line, expected)| {
                if means != Means::Nothing && is_missing(means) {
                    return;
                }
                shared.with(|host, before| {
                    let sandbox =
                        if means == Means::Nothing { Sandbox::Off } else { Sandbox::On(host.plan(means)) };
                    let job = host.run(&host.launch(&format!("{line}\ntrue"), sandbox));
                    let outcome = if text(&job).lines().any(|line| line == "A") { Open } else { Shut };
                    host.world.assert_gone(&job);
                    let expected = expected[means as usize];
                    assert!(
                        expected == Unknown || outcome == expected,
                        "{outcome:?}, not {expected:?}\n{}",
                        text(&job)
                    );
                    assert_eq!(host.state(), before, "{name} {means:?}: {}", text(&job));
                });
            },
        )
    })
}

/// Ways to create a guarded name, all of which are refused: each command prints its exit code.
const CREATIONS: &[(&str, &str)] = &[
    ("to write", "echo x > .envrc"),
    ("to append", "echo x >> ./sub/../.envrc"),
    ("in another case", "echo x > .ENVRC"),
    ("by the whole path", "echo x > $PWD/.envrc"),
    ("from another directory", "cd sub && echo x > ../.envrc"),
    ("through the working directory of the process", "echo x > /proc/self/cwd/.envrc"),
    ("through the root of the process", "echo x > /proc/self/root/$PWD/.envrc"),
    ("through a descriptor", "exec 7<. && echo x > /proc/self/fd/7/.envrc"),
    ("through a link to it", "ln -s .envrc free && echo x > free"),
    ("through two links", "ln -s two one; ln -s .envrc two; echo x > one"),
    ("through a link to its directory", "ln -s . here; echo x > here/.envrc"),
    ("as a link", "ln -s sub .envrc"),
    ("as a second name", "echo x > free; ln free .envrc"),
    ("by moving", "echo x > free; mv free .envrc"),
    ("by moving a directory", "mkdir free; echo x > free/tasks.json; mv -T free .vscode"),
    ("a directory", "mkdir .vscode"),
    ("a directory with a slash", "mkdir .vscode/"),
    ("a pipe", "mkfifo .envrc"),
    ("by copying", "echo x > free; cp free .mcp.json"),
    ("in place of another name", "echo x > free; $PROBE exchange free .envrc"),
    ("from a file without a name", "$PROBE nameless . .envrc"),
    ("by the newest call", "$PROBE openat2 .envrc"),
    ("with unreadable memory", "$PROBE undumpable .envrc"),
    ("a file in a missing directory", "mkdir -p .tool && echo x > .tool/mcp.json"),
    ("a new submodule", "mkdir .git/modules/new"),
    ("a new submodule by moving", "mkdir free; mv -T free .git/modules/new"),
    ("worktrees", "mkdir .git/worktrees"),
    ("a submodule of a submodule", "mkdir -p .git/modules/m/modules/x"),
    ("a worktree of a submodule", "mkdir .git/modules/m/worktrees"),
    ("a submodule of a nested repository", "mkdir sub/.git/modules"),
    ("a worktree of a nested repository", "mkdir -p sub/.git/worktrees/w"),
    ("a name that a pattern matches", "echo x > a.project"),
    ("a name that a pattern matches, in another case", "echo x > a.PROJECT"),
    ("a name that a pattern matches, by moving", "echo x > free; mv free a.project"),
    ("a directory that a pattern matches", "mkdir a.project"),
    ("a directory that contains it", "mkdir free; echo x > free/mcp.json; mv -T free .tool"),
    ("a link to a directory that contains it", "mkdir free; echo x > free/mcp.json; ln -s free .tool"),
];

/// Names that may be created, because they are not guarded.
const OTHERS: &[&str] = &[
    "echo x > .envrc2; rm .envrc2",
    "echo x > a.projects; rm a.projects",
    "echo x > sub/a.project; rm sub/a.project",
    "echo x > sub/.envrc; rm sub/.envrc",
    "mkdir .tool; echo x > .tool/other; rm -r .tool",
    "echo x > /tmp/.envrc; rm /tmp/.envrc",
    "echo x > free; mv free other; rm other",
    "mkdir -p .git/modules/m; echo x > .git/modules/m/index; rm .git/modules/m/index",
    "echo x > /dev/null; echo x > /dev/stdout; echo x > /dev/fd/1",
];

/// The tables of the refused and of the allowed commands, for each mechanism.
pub(crate) fn guarded_names_cannot_be_created() -> Vec<Table> {
    let tables = [Means::Landlock, Means::Bubblewrap, Means::Namespaces]
        .map(|means| [refused_creations(means), allowed_changes(means)]);
    tables.into_iter().flatten().collect()
}

fn refused_creations(means: Means) -> Table {
    let shared = Shared::new();
    let name = format!("escapes::guarded_names_cannot_be_created::{}", means.name());
    Table::new(
        &name,
        CREATIONS,
        |(name, _)| (*name).to_owned(),
        move |(name, line)| {
            if is_missing(means) {
                return;
            }
            shared.with(|host, before| {
                let line = format!("( {line} ); echo code $?; rm -rf free one two here; rmdir .tool; true");
                let job = host.run(&host.launch(&line, guarded(host, means)));
                host.world.assert_gone(&job);
                let output = text(&job);
                assert!(!output.contains("code 0\n"), "{means:?} {name}: {output}");
                // If the memory of the process is unreadable, the call is refused, but the name is unknown.
                let is_known = !job.refused().is_empty() || name.contains("unreadable memory");
                assert!(is_known, "{means:?} {name}: {output}");
                assert_eq!(host.state(), before, "{means:?} {name}: {output}");
            });
        },
    )
}

fn allowed_changes(means: Means) -> Table {
    let shared = Shared::new();
    let name = format!("escapes::other_names_can_be_created::{}", means.name());
    Table::new(&name, OTHERS, ToString::to_string, move |line| {
        if is_missing(means) {
            return;
        }
        shared.with(|host, before| {
            let job = host.run(&host.launch(&format!("set -e; {line}"), guarded(host, means)));
            host.world.assert_gone(&job);
            let ended = (job.ending().map(|ending| ending.exit), job.refused());
            assert_eq!(ended, (Some(Exit::Code(0)), Vec::new()), "{means:?} {line}: {}", text(&job));
            assert_eq!(host.state(), before, "{line}");
        });
    })
}

/// A sandbox with more guarded names.
fn guarded(host: &Host, means: Means) -> Sandbox {
    let mut plan = host.plan(means);
    let more = [".tool/mcp.json", "*.project"].map(PathBuf::from);
    plan.protected = plan.protected.iter().cloned().chain(more).collect::<Vec<_>>().into();
    plan.temporary = if means == Means::Landlock { Some("/tmp".into()) } else { plan.temporary };
    Sandbox::On(plan)
}

/// Runs the tables again as a user without privileges, if this process is root.
pub(crate) fn unprivileged_commands_cannot_escape() -> Table {
    let name = "unprivileged::unprivileged_commands_cannot_escape";
    let tables = [
        ("escapes::sandboxed_commands_cannot_escape", WAYS.len() * 4),
        ("escapes::guarded_names_cannot_be_created", CREATIONS.len() * 3),
        ("escapes::other_names_can_be_created", OTHERS.len() * 3),
    ];
    Table::new(
        name,
        tables,
        |(table, _)| (*table).to_owned(),
        |(table, count)| {
            if rustix::process::geteuid().is_root() {
                // The names of these rows contain those of the tables.
                let result = format!("test result: ok. {count} passed; 0 failed");
                common::run_as_nobody(&["--skip", "unprivileged::", table], &result);
            } else {
                toolpost_test_rows::covered(table);
            }
        },
    )
}
