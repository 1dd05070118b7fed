//! Real refusals of the sandbox: the reply has one line for each, and none for other errors.

use crate::commands::{engine_with, ran};
use crate::common::World;
use std::path::Path;
use toolpost_engine::{Available, Confinement, Hosts, Means, Plan, Session, inner_step_of};
use toolpost_test_rows::skip;

/// Commands that fail, and the line that the reply has for each; `None`: no line.
const ROWS: &[(&str, Option<&str>)] = &[
    // Paths: read-only, protected, hidden, and in a private directory.
    ("touch /etc/toolpost-x", Some("lets commands only read `/etc/toolpost-x`")),
    ("echo x > /usr/toolpost-x", Some("lets commands only read `/usr/toolpost-x`")),
    ("perl -e 'mkdir(q(/usr/x)) or die $!'", Some("lets commands only read ")),
    ("echo x > .git/config", Some("keeps `.git/config` unchanged")),
    ("mv .git .g", Some("keeps `.git` unchanged and in place")),
    ("mkdir .git/hooks", Some("did not let this command create or change `.git/hooks`")),
    ("cat /srv/other/file", Some("hides `/srv/other/file`")),
    ("cat /etc/shadow", Some("hides `/etc/shadow`")),
    ("cat /var/tmp/other.log", Some("private, empty directory in place of `/var/tmp/other.log`")),
    // The network: ports, addresses and names.
    ("exec 3<>/dev/tcp/127.0.0.1/9", Some("gives each session its own network: at 127.0.0.1:9,")),
    ("exec 3<>/dev/tcp/192.0.2.1/80", Some("gives commands no network")),
    ("exec 3<>/dev/tcp/crates.io/80", Some("`hosts = [\"crates.io\"]`")),
    (
        "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(Listen => 1, LocalAddr => q(127.0.0.1:80)) or die qq(bind: $!\\n)'",
        Some("listen only on ports from 1024"),
    ),
    (
        "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(Listen => 1, LocalAddr => q(192.0.2.1:8080)) or die qq(bind: $!\\n)'",
        Some("no network interface but the loopback"),
    ),
    // Processes and rights.
    ("kill -CONT 4194301", Some("shows commands only processes that they started")),
    ("perl -e 'chroot(q(.)) or die qq($!\n)'", Some("gives commands no root privileges")),
    ("touch f; chown 12345 f", Some("gives commands no root privileges")),
    (
        "perl -MSocket -e 'socket(my $s, 16, SOCK_RAW, 0) or die qq($!\n)'",
        Some("create only Unix sockets, and TCP sockets"),
    ),
    // Errors that the sandbox does not cause.
    ("cat missing", None),
    ("echo x > f; chmod 644 f; ./f", None),
    ("false", None),
    ("touch /etc/toolpost-x || true", None),
    // A part of a command can fail although the command as a whole succeeds.
    ("echo x > .git/config; echo done", Some("keeps `.git/config` unchanged")),
    ("mv .git .g || true", Some("File tools refuse to change it, too")),
];

fn is_missing(means: Means) -> bool {
    inner_step_of(Path::new(env!("CARGO_BIN_EXE_toolpost")));
    let is_missing = Available::up_to(means).means != means;
    if is_missing {
        skip(&format!("{} is not available here", means.name()));
    }
    is_missing
}

/// Runs each row in the sandbox, and checks the notes that explain a refusal: one line with the expected text, or none.
fn check(means: Means, access: Confinement, rows: &[(&str, Option<&str>)]) {
    if is_missing(means) {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let world = World::new();
    world.write(".git/config", b"[core]\n");
    world.write(".git/HEAD", b"ref: refs/heads/main\n");
    let plan = Plan { means, access, ..Plan::new([world.root()]) };
    let (engine, session) = (engine_with(&world, plan, |commands| commands), Session::new());
    for (line, wanted) in rows {
        let (output, notes) = runtime.block_on(ran(&engine, &session, line));
        let lines: Vec<&str> = notes.lines().filter(|note| note.starts_with("Toolpost's sandbox ")).collect();
        match wanted {
            Some(wanted) => {
                assert!(lines.len() == 1 && lines[0].contains(wanted), "{line}\n{output}\n{notes}");
            }
            None => assert!(lines.is_empty(), "{line}\n{output}\n{notes}"),
        }
    }
}

#[test]
fn namespace_refusals_are_explained_in_one_line_each() {
    check(Means::Namespaces, Confinement::Change, ROWS);
}

#[test]
fn bubblewrap_refusals_are_explained_in_one_line_each() {
    let of_session = |row: &&(&str, Option<&str>)| row.1.is_some_and(|line| line.contains("each session"));
    let mut rows: Vec<_> = ROWS.iter().filter(|row| !of_session(row)).copied().collect();
    rows.push(("exec 3<>/dev/tcp/127.0.0.1/9", Some("gives each command its own network: at 127.0.0.1:9,")));
    check(Means::Bubblewrap, Confinement::Change, &rows);
}

#[test]
fn landlock_refusals_are_explained_in_one_line_each() {
    let rows = [
        ("touch /etc/toolpost-x", Some("lets commands only read `/etc/toolpost-x`")),
        ("cat /srv/other/file || ls /root/x", Some("hides `")),
        ("exec 3<>/dev/tcp/127.0.0.1/9", Some("does not let commands create sockets")),
        ("cat missing", None),
    ];
    check(Means::Landlock, Confinement::Change, &rows);
}

#[test]
fn read_only_refusals_name_the_setting() {
    let rows = [("touch x", Some("because the setting `read_only` is on")), ("cat x", None)];
    check(Means::Namespaces, Confinement::Read, &rows);
}

#[test]
fn failed_name_lookups_mention_the_proxy() {
    if is_missing(Means::Namespaces) {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let world = World::new();
    let hosts = Hosts::new(["nobody.invalid"]).unwrap();
    let engine = crate::commands::engine_for_hosts(&world, Means::Namespaces, hosts);
    let (output, notes) =
        runtime.block_on(ran(&engine, &Session::new(), "exec 3<>/dev/tcp/nobody.invalid/80"));
    assert!(notes.contains("only through the proxy that `https_proxy` names"), "{output}\n{notes}");
}
