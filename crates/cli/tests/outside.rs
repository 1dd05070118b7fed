//! Accesses of commands to paths outside the workspace.
//!
//! An access that an approval or a rule grants works. An access that the sandbox prevents is refused without a
//! prompt, or the reply names the path.

use crate::{commands::confined, common};
use toolpost_test_rows::each;

use common::{World, call};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use tempfile::TempDir;

/// A workspace, a home directory with files, and a directory outside both. The temporary directory of the system
/// is private for commands, so `place` is elsewhere.
struct Outside {
    world: World,
    place: TempDir,
}

impl Outside {
    fn new() -> Option<Self> {
        let world = World::with(&[
            ("a.txt", b"CONTENT\n"),
            ("../home/notes.txt", b"CONTENT\n"),
            ("../home/.ssh/id_rsa", b"CONTENT\n"),
            ("../home/sub/f.txt", b"CONTENT\n"),
            (".git/config", b"[core]\n"),
        ]);
        let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(place.path().join("sub")).unwrap();
        for name in ["f.txt", "sub/f.txt", "with space.txt"] {
            std::fs::write(place.path().join(name), "CONTENT\n").unwrap();
        }
        confined(&world).then_some(Self { world, place })
    }

    fn outside(&self) -> PathBuf {
        std::fs::canonicalize(self.place.path()).unwrap()
    }

    /// Replaces the placeholders of a path.
    fn path(&self, path: &str) -> String {
        let path = path.replace("OUT", &self.outside().display().to_string());
        path.replace("HOME", &self.world.base().join("home").display().to_string())
            .replace("ROOT", &self.world.root().display().to_string())
    }
}

/// Runs a command in a new server; approves every question. Returns the question, and the text of the reply.
fn approved(world: &World, flags: &[&str], line: &str) -> (Option<String>, String) {
    let mut server = world.serve_asking(&[&["--dialect", "zblade"], flags].concat());
    let id = server.ask_call(&call("run_command", json!({ "command": line })));
    let mut question = None;
    loop {
        let message = server.next();
        if message["id"] == id && message.get("method").is_none() {
            return (question, text(&message["result"]));
        }
        question = Some(message["params"]["message"].as_str().unwrap_or_default().to_owned());
        server.answer(&message, &json!({ "action": "accept", "content": { "decision": "once" } }));
    }
}

fn text(result: &Value) -> String {
    let parts = result["content"].as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Commands that show the content of a file, whatever their exit code.
const READS: &[&str] = &[
    "cat PATH",
    "cat PATH | head -1",
    "head -1 PATH; echo next",
    "cat < PATH",
    "grep CONT PATH || true",
    "cat a.txt > /dev/null && sed -n 1p PATH",
    "cat PATH; cat none.txt",
];

/// An approval, or a rule, makes a file visible to every command that names it.
#[test]
fn approved_outside_files_are_readable_by_commands() {
    let Some(outside) = Outside::new() else { return };
    let rules = outside.world.base().join("out/rules.toml");
    let paths = [
        "OUT/f.txt",
        "OUT/sub/f.txt",
        "'OUT/with space.txt'",
        "~/notes.txt",
        "HOME/notes.txt",
        "~/sub/f.txt",
    ];
    each(paths, |path| {
        let path = outside.path(path);
        let bare = path.trim_matches('\'');
        let rule = format!(
            "[[rule]]\ntouch = [\"read\"]\npaths = [\"{bare}\"]\ndecide = \"allow\"\nwhy = \"A test.\"\n"
        );
        std::fs::write(&rules, rule).unwrap();
        each(READS, |read| {
            let line = read.replace("PATH", &path);
            let (question, reply) = approved(&outside.world, &[], &line);
            assert!(question.is_some() && reply.contains("CONTENT"), "{line}\n{question:?}\n{reply}");
            assert!(!reply.contains("Toolpost's sandbox"), "{line}\n{reply}");
            let flags = ["--policy", rules.to_str().unwrap()];
            let (question, reply) = approved(&outside.world, &flags, &line);
            assert!(question.is_none() && reply.contains("CONTENT"), "{line}\n{question:?}\n{reply}");
        });
    });
}

/// No question and no rule is offered for an access that the sandbox prevents.
#[test]
fn accesses_that_the_sandbox_prevents_are_not_offered() {
    let Some(outside) = Outside::new() else { return };
    let rows = [
        ("ls ~", "private, empty home directory"),
        ("ls -la HOME | head", "private, empty home directory"),
        ("ls /var", "only a part of this directory"),
        ("ls /", "only a part of this directory"),
        ("cat /etc/shadow", "no approval or rule makes it visible"),
        ("cat ~/.ssh/id_rsa || true", "no approval or rule makes it visible"),
        ("touch /etc/x", "lets commands write outside the workspace"),
        ("echo x > OUT/f.txt", "lets commands write outside the workspace"),
        ("echo x > ~/new.txt", "lets commands write outside the workspace"),
        ("cp a.txt HOME/new.txt", "lets commands write outside the workspace"),
        ("echo x >> .git/config", "Version control keeps its own files"),
        ("tee .git/hooks/pre-commit < a.txt", "Version control keeps its own files"),
    ];
    each(rows, |(line, why)| {
        let line = outside.path(line);
        let (question, reply) = approved(&outside.world, &[], &line);
        // A rule of the defaults may decide before the sandbox does; it must not ask either.
        assert!(
            question.is_none() && reply.contains("Not allowed to execute"),
            "{line}\n{question:?}\n{reply}"
        );
        assert!(
            reply.contains(why) || reply.contains("denies it") || reply.contains("It holds secrets"),
            "{line}\n{reply}"
        );
        assert!(!reply.contains("touch = ["), "{line}\n{reply}");
    });
    // Without the sandbox, an approval makes each of these accesses possible.
    let (question, reply) =
        approved(&outside.world, &["--sandbox", "off"], &outside.path("ls HOME/.. && ls ~"));
    assert!(question.is_some() && reply.contains("notes.txt"), "{question:?}\n{reply}");
}

/// If commands see a path as their own private directory, the prompt about the path reports that.
#[test]
fn questions_state_that_temporary_directories_are_private() {
    let Some(outside) = Outside::new() else { return };
    let rows = [
        ("echo x > /tmp/toolpost-new.txt", true),
        ("cp a.txt /tmp/", true),
        ("touch /tmp/../tmp/toolpost-new", true),
        ("echo x > new.txt", false),
        ("cp a.txt b.txt", false),
    ];
    each(rows, |(line, is_private)| {
        let (question, reply) = approved(&outside.world, &[], line);
        let question = question.unwrap_or_default();
        let states =
            question.contains("commands have a private directory there, which other programs do not see");
        assert!(question.contains("write ") && states == is_private, "{line}\n{question}\n{reply}");
    });
    assert!(!std::path::Path::new("/tmp/toolpost-new.txt").exists());
    let (question, _) = approved(&outside.world, &["--sandbox", "off"], "touch ROOT/../none/x");
    assert!(!question.unwrap_or_default().contains("private directory"));
}

/// If commands cannot see a path, or see only a part of a directory, the reply names it, whatever the exit code.
#[test]
fn replies_name_paths_that_commands_see_only_in_part() {
    let Some(outside) = Outside::new() else { return };
    let rules = outside.world.base().join("out/rules.toml");
    let rule = "[[rule]]\ntouch = [\"read\"]\npaths = [\"/**\", \"~\", \"~/**\"]\ndecide = \"allow\"\nwhy = \"A test.\"\n";
    std::fs::write(&rules, rule).unwrap();
    let flags = ["--policy", rules.to_str().unwrap()];
    let rows = [
        // A path that a rule allows is shown.
        ("test -e OUT/f.txt && echo yes || echo no", "yes\n"),
        ("[ -e OUT/f.txt ] && echo yes || echo no", "yes\n"),
        ("[[ ! -e 'OUT/f.txt' || -d /nowhere ]] && echo no || echo yes", "yes\n"),
        ("ls /var", "shows commands only a part of `/var`"),
        ("ls /", "shows commands only a part of `/`"),
        ("ls -A ~ | wc -l", "in place of `~`"),
    ];
    each(rows, |(line, wanted)| {
        let (line, wanted) = (outside.path(line), outside.path(wanted));
        let (_, reply) = approved(&outside.world, &flags, &line);
        assert!(reply.contains("Exit code: 0") && reply.contains(&wanted), "{line}\n{reply}");
    });
    let plain = [
        "ls ROOT",
        "test -e a.txt",
        "test -e /etc/passwd",
        "cat /etc/hostname | wc -l",
        "ls /usr/bin | wc -l",
    ];
    each(plain, |line| {
        let (_, reply) = approved(&outside.world, &flags, &outside.path(line));
        assert!(!reply.contains("Toolpost's sandbox"), "{line}\n{reply}");
    });
}

/// A prompt about a host warns if commands cannot reach the host.
#[test]
fn prompts_warn_of_unreachable_hosts() {
    let Some(outside) = Outside::new() else { return };
    let rows = [
        ("curl -sS https://example.com", true),
        ("wget http://example.com/x", true),
        ("curl -s http://127.0.0.1:9/", false),
        ("curl -s http://localhost:9/", false),
    ];
    each(rows, |(line, wanted)| {
        let (question, _) = approved(&outside.world, &[], line);
        let says = question
            .as_ref()
            .is_some_and(|question| question.contains("this command cannot reach example.com now"));
        assert_eq!(says, wanted, "{line}\n{question:?}");
    });
}

/// A program that did not reach its host fails, but the exit code of a pipe is that of its last program.
#[test]
fn replies_of_pipes_name_unreachable_hosts() {
    let Some(outside) = Outside::new() else { return };
    let program = outside.world.root().join("curl");
    std::fs::write(&program, "#!/bin/sh\necho \"curl: (6) Could not resolve host\" >&2\nexit 6\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let rows = [
        ("./curl -sS https://example.com | head -2", true),
        ("./curl -sS https://example.com || true", true),
        ("./curl -sS http://localhost:9 | head -2", false),
    ];
    each(rows, |(line, wanted)| {
        let (_, reply) = approved(&outside.world, &[], line);
        assert!(
            reply.contains("Could not resolve host") && reply.contains("Exit code: 0"),
            "{line}\n{reply}"
        );
        let names = reply.contains("Commands cannot reach example.com, so this command may have failed");
        let restarts = reply.contains("It takes effect when Toolpost starts again.");
        assert_eq!((names, restarts), (wanted, wanted), "{line}\n{reply}");
    });
}
