//! Tests that a login shell's profile has its effect on every command of a session, although it is run only for some.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests look at the machine")]

mod common;

use std::fs;
use std::path::PathBuf;

use common::{World, text};
use toolpost_process::{
    Environment, Jobs, Launch, Plan, Program, Sandbox, SessionKey, Settings, Shell, available,
};
use toolpost_process::{Means, WaitCondition};
use toolpost_test_rows::each;

/// A job table, and a root that is also the home directory, so that a command sees the profile in it.
struct Host {
    world: World,
    home: tempfile::TempDir,
    is_confined: bool,
}

impl Host {
    fn new(is_confined: bool, profile: &str) -> Self {
        let home = tempfile::tempdir_in("/var/tmp").unwrap();
        let host = Self { world: World::new(), home, is_confined };
        host.set_profile(profile);
        host
    }

    fn at(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    fn set_profile(&self, profile: &str) {
        fs::write(self.at(".bash_profile"), format!("echo x >> ~/count\n{profile}\n")).unwrap();
    }

    fn run(&self, line: &str, shell: Shell) -> String {
        let mut launch = Launch::new(Program::Line { line: line.to_owned(), shell }, self.home.path());
        launch.environment =
            Environment::of_this_process().with("HOME", self.home.path()).with("PATH", "/usr/bin:/bin");
        if self.is_confined {
            launch.sandbox = Sandbox::On(Plan::new([self.home.path()]));
        }
        let job = self.world.start(&launch);
        self.world.assert_gone(&job);
        text(&job)
    }

    /// Counts how often the profile was run.
    fn count(&self) -> usize {
        fs::read_to_string(self.at("count")).unwrap_or_default().lines().count()
    }

    /// Runs a command with the profile several times, until two of them have not run it, at most six times. Returns
    /// the different outputs, and whether that was reached.
    fn outputs(&self, line: &str) -> (Vec<String>, bool) {
        let (mut outputs, mut without) = (Vec::new(), 0);
        for _ in 0..6 {
            let before = self.count();
            outputs.push(self.run(line, Shell::Login));
            // The comparison of both shells runs the profile beside a command.
            std::thread::sleep(std::time::Duration::from_millis(60));
            without = if self.count() == before { without + 1 } else { 0 };
            if without == 2 {
                break;
            }
        }
        outputs.dedup();
        (outputs, without == 2)
    }
}

/// Profiles, a command that shows their effect, its output, and whether it is enough to run the profile for some.
const ROWS: &[(&str, &str, &str, bool)] = &[
    (
        "export A='x y' PATH=$PATH:/opt/bin",
        "echo \"$A ${PATH##*:}\"; env | grep -c '^A='",
        "x y /opt/bin\n1\n",
        true,
    ),
    ("unset LANG; export B=$'a\\nb'", "echo \"${LANG-none}$B\"", "nonea\nb\n", true),
    ("A=1", "echo \"$A\"", "1\n", false),
    ("greet() { echo hello; }", "greet", "hello\n", false),
    ("echo welcome", "echo hi", "welcome\nhi\n", false),
    ("umask 077; set -u", "umask; echo $-  | tr -dc u", "0077\nu", false),
    ("cd /", "pwd", "/\n", false),
    ("export TMPDIR=/nowhere", "echo $TMPDIR", "/nowhere\n", false),
    ("ulimit -n 99", "ulimit -n", "99\n", false),
    ("enable -n test", "enable -n", "enable -n test\n", false),
];

#[test]
fn the_profile_has_its_effect_on_every_command() {
    each([false, true], |is_confined| {
        if is_confined && available().means == Means::Nothing {
            toolpost_test_rows::skip("no sandbox is available");
            return;
        }
        each(ROWS, |(profile, line, wanted, is_captured)| {
            let host = Host::new(is_confined, profile);
            let (outputs, captured) = host.outputs(line);
            assert_eq!(outputs, [*wanted], "{profile}");
            assert_eq!(captured, *is_captured, "{profile}");
            // Another shell does not read the profile.
            assert_ne!(host.run(line, Shell::Plain), *wanted, "{profile}");
        });
    });
}

#[test]
fn a_changed_profile_has_its_effect_on_the_next_command() {
    let host = Host::new(false, "export A=1");
    assert_eq!(host.outputs("echo $A"), (vec!["1\n".to_owned()], true));
    host.set_profile("export A=2");
    assert_eq!(host.outputs("echo $A"), (vec!["2\n".to_owned()], true));
    // Another session reads the profile again.
    let count = host.count();
    let jobs =
        Jobs::new(Settings { spool: host.world.directory.path().to_owned(), ..Settings::default() }).unwrap();
    let mut launch =
        Launch::new(Program::Line { line: "echo $A".to_owned(), shell: Shell::Login }, host.home.path());
    launch.environment = Environment::of_this_process().with("HOME", host.home.path());
    let job = jobs.start(&SessionKey("another".to_owned()), &launch).unwrap();
    host.world.wait(&job, WaitCondition::Gone);
    assert_eq!((text(&job).as_str(), host.count()), ("2\n", count + 1));
}

/// The comparison is a command like others: a server that shuts down leaves none of its processes.
#[test]
fn a_comparison_ends_with_the_server() {
    let profile = common::own("if grep -qa login_shell /proc/$$/cmdline; then sleep 46109; fi");
    let host = Host::new(false, &profile);
    for _ in 0..2 {
        assert_eq!(host.run("echo hi", Shell::Login), "hi\n");
    }
    common::until("the comparison runs", || !common::with_words("sleep 46109").is_empty());
    host.world.block_on(host.world.jobs.shut_down());
    assert_eq!(common::with_words("sleep 46109"), Vec::<String>::new());
}
