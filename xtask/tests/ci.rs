//! `.ci/run` with fake programs: which steps that fail make the run fail.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;
use toolpost_test_rows::each;

/// A program that writes its command line to `log`, and fails if the line contains the text in `FAIL`.
const FAKE: &str = r#"#!/bin/bash
line="${0##*/} $*"
echo "$line" >> "$LOG"
if [ -n "$FAIL" ] && [[ "$line" == *"$FAIL"* ]]; then exit 3; fi
fake() { mkdir -p "$1" && cp "$0" "$1/$2"; }
case "$line" in
  "cargo xtask test"*) echo "test: 7 tests passed, 0 failed, 0 ignored, 0 skipped: passed" ;;
  "cargo run"*) echo "crates/cli/src/main.rs:7:fn main() {" ;;
  "cargo install"*) fake target/mdbook/bin mdbook ;;
  "cargo xtask fuzz"*) echo "fuzz: seed 7" ;;
  "mdbook --version") echo "mdbook v0.5.4" ;;
  "python3 -m venv"*) fake "$3/bin" pip && fake "$3/bin" typos ;;
  "id -u") echo 0 ;;
esac
"#;

/// The faked programs. The others, such as `grep`, are those of this machine.
const PROGRAMS: [&str; 9] = ["apt-get", "cargo", "dpkg", "git", "id", "node", "npm", "python3", "sudo"];

/// Commands whose failure has another consequence than the failure of the run.
const HANDLED: [&str; 7] = [
    // The package is then installed.
    "dpkg -s git",
    // `sudo` is then used.
    "id -u",
    // mdBook is then installed.
    "mdbook --version",
    // A warning.
    "cargo xtask explore",
    "cargo xtask fuzz algorithms",
    "cargo xtask fuzz readers",
    "git log",
];

/// A directory with `.ci/run` and the fake programs.
struct World {
    directory: TempDir,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let programs = directory.path().join("programs");
        fs::create_dir_all(directory.path().join(".ci")).unwrap();
        fs::create_dir(&programs).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        symlink(root.join(".ci/run"), directory.path().join(".ci/run")).unwrap();
        write_program(&directory.path().join("fake"), FAKE);
        for name in PROGRAMS {
            symlink("../fake", programs.join(name)).unwrap();
        }
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Replaces a fake program.
    fn replace(&self, name: &str, script: &str) {
        let program = self.path("programs").join(name);
        fs::remove_file(&program).unwrap();
        write_program(&program, script);
    }

    /// Runs `.ci/run`; the command lines that contain `fail` fail, none if it is empty.
    fn run(&self, fail: &str) -> Output {
        self.run_for(fail, 3900)
    }

    /// Runs `.ci/run`, with the number of seconds after which it skips its last steps.
    fn run_for(&self, fail: &str, enough: u64) -> Output {
        let path = std::env::var("PATH").unwrap();
        let mut run = Command::new(self.path(".ci/run"));
        run.env("PATH", format!("{}:{path}", self.path("programs").display()));
        run.env("LOG", self.path("log")).env("FAIL", fail).env("TOOLPOST_CI_ENOUGH", enough.to_string());
        run.output().unwrap()
    }

    /// Returns the commands of all runs so far.
    fn commands(&self) -> BTreeSet<String> {
        fs::read_to_string(self.path("log")).unwrap().lines().map(str::to_owned).collect()
    }
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns the exit code, the last line of standard output, and the lines with warnings.
fn result(output: &Output) -> (Option<i32>, String, Vec<String>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let last = text(&output.stdout).lines().last().unwrap_or_default().to_owned();
    let errors = text(&output.stderr);
    let warnings = errors.lines().filter(|line| line.contains("WARNING")).map(str::to_owned).collect();
    (output.status.code(), last, warnings)
}

/// Removes the seconds from the last line of a run.
fn without_time(line: &str) -> &str {
    line.rsplit_once(',').map_or(line, |(before, _)| before)
}

const PASSED: &str = "ci: test: 7 tests passed, 0 failed, 0 ignored, 0 skipped: passed";

#[test]
fn a_run_passes_if_every_step_passes() {
    let (code, last, warnings) = result(&World::new().run(""));
    assert_eq!((code, without_time(&last), warnings.len()), (Some(0), PASSED, 0), "{warnings:?}");
}

#[test]
fn each_failing_step_fails_the_run() {
    let all = World::new();
    all.run("");
    // A package is missing, so that packages are installed.
    all.run("dpkg -s git");
    let commands: Vec<String> = all.commands().into_iter().collect();
    assert!(commands.len() > 30, "{commands:?}");
    let is_handled = |command: &str| HANDLED.iter().any(|handled| command.starts_with(handled));
    assert_eq!(commands.iter().filter(|command| is_handled(command)).count(), HANDLED.len(), "{commands:?}");
    let steps = commands.iter().filter(|command| !is_handled(command) && !command.starts_with("dpkg"));
    each(steps, |command| {
        let world = World::new();
        let mut fail = command.clone();
        if command.starts_with("apt-get") {
            // All packages are missing, so the command names other packages.
            world.replace("dpkg", "#!/bin/sh\nexit 1\n");
            fail = command.split(' ').take(2).collect::<Vec<_>>().join(" ");
        }
        let (code, last, _) = result(&world.run(&fail));
        assert!(code.is_some_and(|code| code != 0), "{code:?} {last}");
        assert!(!last.contains("passed"), "{last}");
    });
}

#[test]
fn new_random_cases_and_commit_subjects_only_warn() {
    let rows = [
        ("cargo xtask explore", "a property test has a counterexample"),
        ("cargo xtask fuzz algorithms", "a fuzz target has a finding"),
        ("cargo xtask fuzz readers", "a fuzz target has a finding"),
        ("git log", "the commit subjects were not checked"),
    ];
    each(rows, |(fail, words)| {
        let (code, last, warnings) = result(&World::new().run(fail));
        assert_eq!((code, without_time(&last), warnings.len()), (Some(0), PASSED, 1), "{warnings:?}");
        assert!(warnings[0].contains(words), "{warnings:?}");
    });
    let world = World::new();
    world.replace("git", "#!/bin/sh\necho 'area: change it'\necho 'Changed it'\n");
    let (code, _, warnings) = result(&world.run(""));
    assert_eq!((code, warnings.len()), (Some(0), 1), "{warnings:?}");
    assert!(warnings[0].ends_with(": Changed it"), "{warnings:?}");
    // A missing tool is installed.
    each(["dpkg -s git", "id -u", "mdbook --version"], |fail| {
        let world = World::new();
        world.run("");
        let (code, last, warnings) = result(&world.run(fail));
        assert_eq!((code, without_time(&last), warnings.len()), (Some(0), PASSED, 0), "{warnings:?}");
    });
}

#[test]
fn a_slow_run_skips_the_last_step_with_a_warning() {
    let world = World::new();
    let (code, last, warnings) = result(&world.run_for("", 0));
    assert_eq!((code, without_time(&last), warnings.len()), (Some(0), PASSED, 1), "{warnings:?}");
    let commands = world.commands();
    assert!(!commands.iter().any(|command| command.contains("explore")));
    assert!(commands.contains("cargo xtask features"), "{commands:?}");
}

#[test]
fn a_failed_run_ends_its_background_tasks() {
    let world = World::new();
    // The release build never ends, and the tests fail.
    let hang = "#!/bin/bash\nif [ \"$*\" = \"build --quiet --release --locked\" ]; then\n\
                echo $$ > \"$LOG.pid\"; exec sleep 7000; fi\n\
                if [ \"$1 $2\" = \"xtask test\" ]; then\n\
                while [ ! -s \"$LOG.pid\" ]; do sleep 0.01; done; exit 4; fi\nexec \"${0%/*}/any\" \"$@\"\n";
    symlink("../fake", world.path("programs/any")).unwrap();
    world.replace("cargo", hang);
    let (code, ..) = result(&world.run(""));
    assert_eq!(code, Some(4));
    let build = fs::read_to_string(world.path("log.pid")).unwrap();
    let is_alive = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", build.trim())).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while is_alive() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
