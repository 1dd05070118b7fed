//! A plan as macOS enforces it: a Seatbelt profile, and the words with which `sandbox-exec` takes it.
//!
//! It is written for systems on which the rest of this crate is not built yet, so it knows paths and text alone: the
//! paths of the plan are taken as they are, without links (`/private/tmp`, not `/tmp`).

#[cfg(test)]
mod judge;

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::places::{REPOSITORY, SECRETS, TOOLCHAINS};
use super::{Access, Plan};

/// The program that puts itself under a profile and then executes another.
const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// What every program needs, and nothing that reaches another one: no events to applications, no opening of documents by
/// others, no daemon that would fetch certificates for it.
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

/// Visible system paths.
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

/// System paths that are never visible.
const SYSTEM_SECRETS: &[&str] = &[
    "/private/etc/master.passwd",
    "/private/etc/sudoers",
    "/private/etc/sudoers.d",
    "/private/etc/ssl/private",
];

/// What of a home directory is never shown here, besides what is nowhere.
const HOME_SECRETS: &[&str] = &["Library/Keychains", "Library/Cookies", "Library/Application Support"];

/// A profile, and the paths that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seatbelt {
    profile: String,
    places: Vec<PathBuf>,
}

impl Seatbelt {
    /// Writes the profile of a plan; a proxy is reached by its port on this machine.
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
        // The last word counts: what is denied comes after all that is allowed.
        made.protect(plan);
        made.hide(plan, home);
        if let Some(port) = proxy {
            let _ = writeln!(made.profile, "(allow network-outbound (remote ip \"localhost:{port}\"))");
        }
        made
    }

    /// Returns the words that are executed in front of those of the program itself.
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

    /// Lets the way to what is shown be walked, and nothing beside it be seen.
    fn ways<'p>(&mut self, shown: impl Iterator<Item = &'p PathBuf>) {
        let mut above: Vec<&Path> = shown.flat_map(|path| path.ancestors().skip(1)).collect();
        above.extend(["/var", "/tmp", "/etc"].map(Path::new));
        above.sort_unstable();
        above.dedup();
        self.rule("allow", "file-read-metadata", "literal", &above);
    }

    /// Keeps what a repository would execute as it is, at any depth and in any case of letters, and what the plan names.
    fn protect(&mut self, plan: &Plan) {
        let relative =
            plan.protected.iter().filter(|path| path.is_relative()).filter_map(|path| path.to_str());
        for root in &plan.roots {
            let top = pattern(&root.to_string_lossy());
            let names = REPOSITORY.iter().map(|name| (*name, "(/.*)?/"));
            for (name, depth) in names.chain(relative.clone().map(|name| (name, "/"))) {
                self.deny("file-write*", &format!("^{top}{depth}{}(/.*)?$", any_case(name)));
                // Who could rename the directory above could put another one in its place.
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

    /// Keeps the directories above what is protected or hidden where they are: by another name it would be in reach.
    fn stay(&mut self, plan: &Plan, guarded: &[impl AsRef<Path>]) {
        let is_inside =
            |above: &&Path| plan.roots.iter().any(|root| *above != root && above.starts_with(root));
        let mut above: Vec<&Path> =
            guarded.iter().flat_map(|path| path.as_ref().ancestors().skip(1)).filter(is_inside).collect();
        above.sort_unstable();
        above.dedup();
        self.rule("deny", "file-write-unlink", "literal", &above);
    }

    /// Hides credentials, also those that lie in what is shown; a root that was named is meant.
    fn hide(&mut self, plan: &Plan, home: Option<&Path>) {
        let of_home = home
            .into_iter()
            .flat_map(|home| SECRETS.iter().chain(HOME_SECRETS).map(move |secret| home.join(secret)));
        let hidden: Vec<PathBuf> = of_home
            .chain(SYSTEM_SECRETS.iter().map(PathBuf::from))
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

    /// Numbers a path: profiles take them as parameters, whatever letters are in them.
    fn number(&mut self, path: &Path) -> usize {
        self.places.iter().position(|place| place == path).unwrap_or_else(|| {
            self.places.push(path.to_owned());
            self.places.len() - 1
        })
    }
}

/// Writes a path as a pattern that matches it; letters that patterns or profiles would misread match anything.
fn pattern(path: &str) -> String {
    let mut out = String::new();
    for letter in path.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '/' | '_' | '-' => out.push(letter),
            '.' => out.push_str("[.]"),
            letter if letter.is_ascii() => out.push('.'),
            // Of how many bytes or signs it is made is the file system's to say.
            _ => out.push_str(".+"),
        }
    }
    out
}

/// Writes a name as a pattern for all cases of its letters: most volumes do not tell them apart.
fn any_case(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphabetic() {
            let _ = write!(out, "[{}{}]", letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
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

    const HOME: &str = "/Volumes/me";

    fn plan() -> Plan {
        let mut plan = Plan::new(["/Volumes/me/work \"1\"", "/Volumes/me/öl"]);
        plan.protected = vec![".vscode".into(), "/Volumes/me/öl/kept".into()];
        plan.temporary = Some("/private/var/folders/x/T/toolpost".into());
        plan.readable = vec!["/Volumes/me/.config/tool".into()];
        plan
    }

    fn judge(plan: &Plan, proxy: Option<u16>) -> Judge {
        let made = Seatbelt::new(plan, Some(Path::new(HOME)), proxy);
        Judge::new(&made.words())
    }

    #[test]
    fn what_is_allowed_and_what_is_not() {
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
        for (operation, what, allowed) in rows {
            assert_eq!(judge.allows(operation, what), allowed, "{operation} {what}");
        }
    }

    #[test]
    fn what_runs_later_stays_as_it_is() {
        let judge = judge(&plan(), None);
        let root = "/Volumes/me/work \"1\"";
        let rows = [
            ("file-write-create", ".git/hooks/pre-commit", false),
            ("file-write-create", ".GIT/Hooks/pre-commit", false),
            ("file-write-data", ".git/config", false),
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
        for (operation, what, allowed) in rows {
            assert_eq!(judge.allows(operation, &format!("{root}/{what}")), allowed, "{operation} {what}");
        }
        assert!(!judge.allows("file-write-create", "/Volumes/me/öl/.git/hooks/x"), "in the other root");
    }

    #[test]
    fn a_plan_to_read_changes_nothing_but_what_is_temporary() {
        let judge = judge(&Plan { access: Access::Read, ..plan() }, None);
        assert!(judge.allows("file-read-data", "/Volumes/me/öl/a"));
        assert!(!judge.allows("file-write-data", "/Volumes/me/öl/a"));
        assert!(judge.allows("file-write-create", "/private/var/folders/x/T/toolpost/x"));
    }

    #[test]
    fn the_network_is_the_proxy_alone() {
        let judge = judge(&plan(), Some(4711));
        assert!(judge.allows("network-outbound", "localhost:4711"));
        assert!(!judge.allows("network-outbound", "localhost:4712"));
        assert!(!judge.allows("network-outbound", "93.184.216.34:443"));
    }

    #[test]
    fn a_root_that_holds_secrets_was_meant() {
        let mut plan = plan();
        plan.roots = vec!["/Volumes/me/Library/Application Support/mine".into()];
        assert!(
            judge(&plan, None).allows("file-write-data", "/Volumes/me/Library/Application Support/mine/a")
        );
    }

    #[test]
    fn what_is_guarded_is_reached_by_no_other_name() {
        let mut plan = plan();
        plan.roots = vec![HOME.into()];
        plan.protected = vec!["/Volumes/me/conf/keys".into()];
        let judge = judge(&plan, None);
        let rows = [
            (".config", false),
            (".config/gh", false),
            ("conf", false),
            ("conf/keys", false),
            ("conf/others", true),
        ];
        for (name, allowed) in rows {
            assert_eq!(judge.allows("file-write-unlink", &format!("{HOME}/{name}")), allowed, "{name}");
        }
        assert!(judge.allows("file-write-create", "/Volumes/me/.config/new"));
    }

    #[test]
    fn the_program_follows_after_the_words() {
        let words = Seatbelt::new(&plan(), None, None).words();
        assert_eq!(words.first(), Some(&OsString::from("/usr/bin/sandbox-exec")));
        assert_eq!(words.last(), Some(&OsString::from("--")));
        assert!(words.iter().any(|word| word.to_string_lossy().ends_with("=/Volumes/me/work \"1\"")));
    }
}
