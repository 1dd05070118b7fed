//! Sandboxes for macOS: a Seatbelt profile, and the arguments of `sandbox-exec`.
//!
//! The other modules of this crate do not build on macOS yet, so this module uses only paths and text. The
//! paths of the plan must not contain links (`/private/tmp`, not `/tmp`).

#[cfg(test)]
mod judge;

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::system_paths::{REPOSITORY, SECRETS, TOOLCHAINS};
use super::{Access, Plan};

/// The program that applies a Seatbelt profile to itself and then executes another program.
const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// The start of every profile: permissions that every program needs. With these alone, a program can neither send events
/// to applications, nor open documents, nor reach a daemon that fetches certificates.
const HEAD: &str = r#"(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal process-info* (target same-sandbox))
(allow sysctl-read)
(allow pseudo-tty)
(allow ipc-posix-sem)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.DirectoryService.libinfo_v1")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.logger"))
(allow file-read-data (literal "/"))
(allow file-read* file-write-data file-ioctl
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/tty")
  (literal "/dev/ptmx"))
(allow file-read*
  (literal "/dev/random")
  (literal "/dev/urandom")
  (literal "/dev/autofs_nowait")
  (subpath "/dev/fd"))
"#;

/// System paths that are visible in every macOS sandbox.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library/Apple",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Library/Java",
    "/Applications/Xcode.app",
    "/opt",
    "/nix/store",
    "/private/etc",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/select",
];

/// System paths that are never visible in a macOS sandbox.
const SYSTEM_SECRETS: &[&str] = &[
    "/private/etc/master.passwd",
    "/private/etc/sudoers",
    "/private/etc/sudoers.d",
    "/private/etc/ssl/private",
];

/// Paths in the home directory that are hidden only on macOS, in addition to `SECRETS`.
const HOME_SECRETS: &[&str] = &["Library/Keychains", "Library/Cookies", "Library/Application Support"];

/// A Seatbelt profile, and the paths that are its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seatbelt {
    profile: String,
    places: Vec<PathBuf>,
}

impl Seatbelt {
    /// Writes the profile of a sandbox plan; `proxy` is the port of the proxy on this machine.
    pub(crate) fn new(plan: &Plan, home: Option<&Path>, proxy: Option<u16>) -> Self {
        let mut made = Self { profile: HEAD.to_owned(), places: Vec::new() };
        let system = SYSTEM.iter().map(PathBuf::from);
        let of_home = home.into_iter().flat_map(|home| TOOLCHAINS.iter().map(|name| home.join(name)));
        let shown: Vec<PathBuf> = system.chain(of_home).chain(plan.readable.iter().cloned()).collect();
        let open: Vec<&PathBuf> = plan.roots.iter().chain(&plan.temporary).collect();
        made.ways(shown.iter().chain(open.iter().copied()));
        made.rule("allow", "file-read*", "subpath", &shown);
        made.rule("allow", "file-read*", "subpath", &open);
        let changed: Vec<&PathBuf> = match plan.access {
            Access::Change => open,
            Access::Read => plan.temporary.iter().collect(),
        };
        made.rule("allow", "file-write* file-ioctl", "subpath", &changed);
        // The last matching rule wins, so denials come after permissions.
        made.protect(plan);
        made.hide(plan, home);
        if let Some(port) = proxy {
            let _ = writeln!(made.profile, "(allow network-outbound (remote ip \"localhost:{port}\"))");
        }
        made
    }

    /// Returns the command line of `sandbox-exec` up to the program to execute.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let mut words = vec![OsString::from(PROGRAM)];
        for (number, place) in self.places.iter().enumerate() {
            let mut named = OsString::from(format!("P{number}="));
            named.push(place);
            words.extend(["-D".into(), named]);
        }
        words.extend(["-p".into(), OsString::from(&self.profile), "--".into()]);
        words
    }

    /// Allows traversing the parents of visible paths, but not listing them.
    fn ways<'p>(&mut self, shown: impl Iterator<Item = &'p PathBuf>) {
        let mut above: Vec<&Path> = shown.flat_map(|path| path.ancestors().skip(1)).collect();
        above.extend(["/var", "/tmp", "/etc"].map(Path::new));
        above.sort_unstable();
        above.dedup();
        self.rule("allow", "file-read-metadata", "literal", &above);
    }

    /// Denies changing files that a repository would execute, at any depth and in any letter case, and the
    /// protected paths of the plan.
    fn protect(&mut self, plan: &Plan) {
        let relative =
            plan.protected.iter().filter(|path| path.is_relative()).filter_map(|path| path.to_str());
        for root in &plan.roots {
            let top = pattern(&root.to_string_lossy());
            let names = REPOSITORY.iter().map(|name| (*name, "(/.*)?/"));
            for (name, depth) in names.chain(relative.clone().map(|name| (name, "/"))) {
                self.deny("file-write*", &format!("^{top}{depth}{}(/.*)?$", any_case(name)));
                // A program that could rename a parent directory could replace the protected path.
                for above in Path::new(name).ancestors().skip(1).filter_map(Path::to_str) {
                    if !above.is_empty() {
                        self.deny("file-write-unlink", &format!("^{top}{depth}{}$", any_case(above)));
                    }
                }
            }
        }
        let absolute: Vec<&PathBuf> = plan.protected.iter().filter(|path| path.is_absolute()).collect();
        self.rule("deny", "file-write*", "subpath", &absolute);
        self.stay(plan, &absolute);
    }

    /// Prevents renaming the directories above protected and hidden paths, because under another name the contained
    /// paths would be accessible.
    fn stay(&mut self, plan: &Plan, guarded: &[impl AsRef<Path>]) {
        let is_inside =
            |above: &&Path| plan.roots.iter().any(|root| *above != root && above.starts_with(root));
        let mut above: Vec<&Path> =
            guarded.iter().flat_map(|path| path.as_ref().ancestors().skip(1)).filter(is_inside).collect();
        above.sort_unstable();
        above.dedup();
        self.rule("deny", "file-write-unlink", "literal", &above);
    }

    /// Hides paths with credentials and the hidden paths of the plan, also inside visible paths, unless a root is inside
    /// them.
    fn hide(&mut self, plan: &Plan, home: Option<&Path>) {
        let of_home = home
            .into_iter()
            .flat_map(|home| SECRETS.iter().chain(HOME_SECRETS).map(move |secret| home.join(secret)));
        let hidden: Vec<PathBuf> = of_home
            .chain(SYSTEM_SECRETS.iter().map(PathBuf::from))
            .chain(plan.hidden.iter().cloned())
            .filter(|secret| !plan.roots.iter().any(|root| root.starts_with(secret)))
            .collect();
        self.rule("deny", "file-read* file-write*", "subpath", &hidden);
        self.stay(plan, &hidden);
        self.deny("file-read*", "^/private/etc/ssh/ssh_host_");
    }

    fn rule(&mut self, what: &str, operations: &str, filter: &str, paths: &[impl AsRef<Path>]) {
        if paths.is_empty() {
            return;
        }
        let _ = write!(self.profile, "({what} {operations}");
        for path in paths {
            let number = self.number(path.as_ref());
            let _ = write!(self.profile, "\n  ({filter} (param \"P{number}\"))");
        }
        self.profile.push_str(")\n");
    }

    fn deny(&mut self, operations: &str, pattern: &str) {
        let _ = writeln!(self.profile, "(deny {operations} (regex #\"{pattern}\"))");
    }

    /// Returns the parameter number of a path. Profiles refer to paths by parameters, so paths may contain
    /// any characters.
    fn number(&mut self, path: &Path) -> usize {
        self.places.iter().position(|place| place == path).unwrap_or_else(|| {
            self.places.push(path.to_owned());
            self.places.len() - 1
        })
    }
}

/// Returns a pattern that matches a path; characters that are special in patterns or profiles match anything.
fn pattern(path: &str) -> String {
    let mut out = String::new();
    for letter in path.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '/' | '_' | '-' => out.push(letter),
            '.' => out.push_str("[.]"),
            letter if letter.is_ascii() => out.push('.'),
            // A non-ASCII character may be one or several in the file system's encoding.
            _ => out.push_str(".+"),
        }
    }
    out
}

/// Returns a pattern that matches a name in any letter case, because most volumes ignore case. A `*` in the name
/// stands for any text without a slash.
fn any_case(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphabetic() {
            let _ = write!(out, "[{}{}]", letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
        } else if letter == '*' {
            out.push_str("[^/]*");
        } else {
            out.push_str(&pattern(letter.encode_utf8(&mut [0; 4])));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::judge::Judge;
    use super::*;
    use toolpost_test_rows::each;

    const HOME: &str = "/Volumes/me";

    fn plan() -> Plan {
        let mut plan = Plan::new(["/Volumes/me/work \"1\"", "/Volumes/me/öl"]);
        plan.protected = [".vscode", "*.project", "/Volumes/me/öl/kept"].map(PathBuf::from).into();
        plan.temporary = Some("/private/var/folders/x/T/toolpost".into());
        plan.readable = vec!["/Volumes/me/.config/tool".into()];
        plan.hidden = vec!["/Volumes/me/.config/tool/key".into(), "/Volumes/me/öl/.toolpost".into()];
        plan
    }

    fn judge(plan: &Plan, proxy: Option<u16>) -> Judge {
        let made = Seatbelt::new(plan, Some(Path::new(HOME)), proxy);
        Judge::new(&made.words())
    }

    #[test]
    fn the_profile_allows_only_the_planned_access() {
        let judge = judge(&plan(), None);
        let rows = [
            ("file-read-data", "/usr/bin/env", true),
            ("file-write-data", "/usr/bin/env", false),
            ("file-read-data", "/Volumes/me/work \"1\"/src/main.rs", true),
            ("file-write-create", "/Volumes/me/work \"1\"/src/main.rs", true),
            ("file-write-create", "/Volumes/me/work \"1\"2/main.rs", false),
            ("file-write-data", "/Volumes/me/öl/a", true),
            ("file-write-data", "/Volumes/me/öl/kept/a", false),
            ("file-read-data", "/Volumes/me/öl/kept/a", true),
            ("file-read-data", "/Volumes/me/other/secret", false),
            ("file-read-metadata", "/Volumes/me", true),
            ("file-read-data", "/Volumes/me", false),
            ("file-read-data", "/Volumes/me/.config/tool/x", true),
            ("file-read-data", "/Volumes/me/.config/tool/key", false),
            ("file-read-data", "/Volumes/me/öl/.toolpost/state", false),
            ("file-write-create", "/Volumes/me/öl/.toolpost/state", false),
            ("file-read-data", "/Volumes/me/.cargo/bin/cargo", true),
            ("file-read-data", "/Volumes/me/.cargo/credentials.toml", false),
            ("file-read-data", "/Volumes/me/.ssh/id_ed25519", false),
            ("file-read-data", "/Volumes/me/Library/Keychains/login.keychain-db", false),
            ("file-read-data", "/private/etc/hosts", true),
            ("file-read-data", "/private/etc/ssh/ssh_host_rsa_key", false),
            ("file-read-data", "/private/etc/sudoers", false),
            ("file-write-create", "/private/tmp/x", false),
            ("file-write-create", "/private/var/folders/x/T/toolpost/x", true),
            ("file-write-data", "/dev/null", true),
            ("file-write-data", "/dev/disk0", false),
            ("file-read-data", "/dev/ttys003", false),
            ("mach-lookup", "com.apple.trustd", false),
            ("mach-lookup", "com.apple.system.logger", true),
            ("network-outbound", "93.184.216.34:443", false),
            ("network-bind", "localhost:8080", false),
            ("appleevent-send", "com.apple.finder", false),
        ];
        each(rows, |(operation, what, allowed)| {
            assert_eq!(judge.allows(operation, what), allowed, "{operation} {what}");
        });
    }

    #[test]
    fn the_profile_protects_files_that_other_programs_execute() {
        let judge = judge(&plan(), None);
        let root = "/Volumes/me/work \"1\"";
        let rows = [
            ("file-write-create", ".git/hooks/pre-commit", false),
            ("file-write-create", ".GIT/Hooks/pre-commit", false),
            ("file-write-data", ".git/config", false),
            ("file-write-create", "my.Project", false),
            ("file-write-create", "my.project2", true),
            ("file-write-data", ".git/configuration", true),
            ("file-write-data", ".git/index", true),
            ("file-write-data", "deep/er/.git/config", false),
            ("file-write-unlink", ".git", false),
            ("file-write-unlink", "deep/.Git", false),
            ("file-write-unlink", ".git/index.lock", true),
            ("file-write-create", ".vscode", false),
            ("file-write-create", ".VSCode/tasks.json", false),
            ("file-write-create", "xvscode/tasks.json", true),
            ("file-read-data", ".git/config", true),
        ];
        each(rows, |(operation, what, allowed)| {
            assert_eq!(judge.allows(operation, &format!("{root}/{what}")), allowed, "{operation} {what}");
        });
        assert!(!judge.allows("file-write-create", "/Volumes/me/öl/.git/hooks/x"), "in the other root");
    }

    #[test]
    fn a_read_only_plan_allows_writes_only_to_temporary_files() {
        let judge = judge(&Plan { access: Access::Read, ..plan() }, None);
        assert!(judge.allows("file-read-data", "/Volumes/me/öl/a"));
        assert!(!judge.allows("file-write-data", "/Volumes/me/öl/a"));
        assert!(judge.allows("file-write-create", "/private/var/folders/x/T/toolpost/x"));
    }

    #[test]
    fn network_access_is_limited_to_the_proxy() {
        let judge = judge(&plan(), Some(4711));
        assert!(judge.allows("network-outbound", "localhost:4711"));
        assert!(!judge.allows("network-outbound", "localhost:4712"));
        assert!(!judge.allows("network-outbound", "93.184.216.34:443"));
    }

    #[test]
    fn an_explicit_root_overrides_secret_directories() {
        let mut plan = plan();
        plan.roots = vec!["/Volumes/me/Library/Application Support/mine".into()];
        assert!(
            judge(&plan, None).allows("file-write-data", "/Volumes/me/Library/Application Support/mine/a")
        );
    }

    #[test]
    fn parents_of_guarded_paths_cannot_be_moved() {
        let mut plan = plan();
        plan.roots = vec![HOME.into()];
        plan.protected = vec!["/Volumes/me/conf/keys".into()].into();
        let judge = judge(&plan, None);
        let rows = [
            (".config", false),
            (".config/gh", false),
            ("conf", false),
            ("conf/keys", false),
            ("conf/others", true),
        ];
        each(rows, |(name, allowed)| {
            assert_eq!(judge.allows("file-write-unlink", &format!("{HOME}/{name}")), allowed, "{name}");
        });
        assert!(judge.allows("file-write-create", "/Volumes/me/.config/new"));
    }

    #[test]
    fn sandbox_exec_arguments_end_with_a_separator() {
        let words = Seatbelt::new(&plan(), None, None).words();
        assert_eq!(words.first(), Some(&OsString::from("/usr/bin/sandbox-exec")));
        assert_eq!(words.last(), Some(&OsString::from("--")));
        assert!(words.iter().any(|word| word.to_string_lossy().ends_with("=/Volumes/me/work \"1\"")));
    }
}
