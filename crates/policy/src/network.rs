//! Hosts that well-known commands usually need, so that an approval prompt can mention the network.

use crate::{access::command::Host, decision::Decision, policy::Policy, rule::Rule};
use toolpost_shell::{Effect, Segment};

const NPM: &[&str] = &["registry.npmjs.org"];
const YARN: &[&str] = &["registry.yarnpkg.com"];
const PYPI: &[&str] = &["pypi.org", "files.pythonhosted.org"];
const CRATES: &[&str] = &["index.crates.io", "static.crates.io"];
const GO: &[&str] = &["proxy.golang.org", "sum.golang.org"];

/// Command prefixes, each with the hosts from which the command fetches unless its configuration names
/// others.
const NEEDS: &[(&str, &[&str])] = &[
    ("npm install", NPM),
    ("npm i", NPM),
    ("npm ci", NPM),
    ("npm add", NPM),
    ("npm update", NPM),
    ("npm audit", NPM),
    ("npm outdated", NPM),
    ("npm view", NPM),
    ("npm publish", NPM),
    ("npm exec", NPM),
    ("npm create", NPM),
    ("npm init", NPM),
    ("npx", NPM),
    ("pnpm install", NPM),
    ("pnpm i", NPM),
    ("pnpm add", NPM),
    ("pnpm update", NPM),
    ("pnpm dlx", NPM),
    ("bun install", NPM),
    ("bun add", NPM),
    ("bunx", NPM),
    ("yarn install", YARN),
    ("yarn add", YARN),
    ("yarn dlx", YARN),
    ("pip install", PYPI),
    ("pip3 install", PYPI),
    ("pip download", PYPI),
    ("pip3 download", PYPI),
    ("python -m pip install", PYPI),
    ("python3 -m pip install", PYPI),
    ("pipx install", PYPI),
    ("pipx run", PYPI),
    ("uv sync", PYPI),
    ("uv add", PYPI),
    ("uv lock", PYPI),
    ("uv pip install", PYPI),
    ("uv tool install", PYPI),
    ("uvx", PYPI),
    ("poetry install", PYPI),
    ("poetry add", PYPI),
    ("cargo fetch", CRATES),
    ("cargo add", CRATES),
    ("cargo update", CRATES),
    ("cargo install", CRATES),
    ("cargo search", CRATES),
    ("cargo publish", CRATES),
    ("go get", GO),
    ("go install", GO),
    ("go mod download", GO),
    ("go mod tidy", GO),
    ("gem install", &["rubygems.org"]),
    ("bundle install", &["rubygems.org"]),
    ("composer install", &["repo.packagist.org"]),
    ("composer require", &["repo.packagist.org"]),
    ("rustup update", &["static.rust-lang.org"]),
    ("rustup toolchain install", &["static.rust-lang.org"]),
    ("gh", &["api.github.com"]),
];

/// Options with a separate value that can precede the subcommand of a program in `NEEDS`.
const VALUED: &[(&str, &[&str])] = &[
    ("npm", &["--prefix", "-C", "--workspace", "-w", "--loglevel", "--registry", "--cache", "--userconfig"]),
    ("pnpm", &["--dir", "-C", "--filter", "-F", "--loglevel"]),
    ("yarn", &["--cwd", "--registry", "--cache-folder"]),
    ("bun", &["--cwd", "--config", "-c"]),
    ("pip", &["--python", "--cache-dir", "--proxy", "--log"]),
    ("pip3", &["--python", "--cache-dir", "--proxy", "--log"]),
    ("uv", &["--directory", "--project", "--config-file", "--cache-dir", "--color", "--python", "-p"]),
    ("poetry", &["--directory", "-C", "--project", "-P"]),
    ("cargo", &["-C", "-Z", "--config", "--color", "--manifest-path"]),
    ("go", &["-C"]),
    ("composer", &["--working-dir", "-d"]),
];

/// The git subcommands that contact the host of a remote, which the repository's configuration names.
const REMOTE: &[&str] = &["clone", "fetch", "ls-remote", "pull", "push"];

/// Network access that a command needs and that no rule allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NetworkRequirement {
    /// Hosts that no rule allows commands to reach.
    Hosts(Vec<&'static str>),
    /// The host of a git remote, which is not known before the command runs.
    Remote,
    /// A host that the command names. A sandboxed command reaches it only if a rule allowed it when Toolpost
    /// started.
    Named(String),
}

impl Policy {
    /// Returns the network access that a command needs and that no rule allows; `None` if it is not known to need
    /// any, or if the rules allow it. For a git remote, a rule that allows at least one host is enough, because the
    /// host of the remote is not known.
    pub(crate) fn unmet(&self, segment: &Segment) -> Option<NetworkRequirement> {
        if let Some(host) = self.unreached(segment) {
            return Some(NetworkRequirement::Named(host));
        }
        if segment.git_subcommand().is_some_and(|word| REMOTE.contains(&word)) {
            let reaches_some =
                self.rules.iter().flat_map(Rule::hosts).any(|(_, said)| said == Decision::Allow);
            return (!reaches_some).then_some(NetworkRequirement::Remote);
        }
        let name = segment.program_name()?;
        // A word that is known only when the command runs can be the value of an option, but matches nothing else.
        let words = segment.words.iter().skip(1).map(|word| word.known().unwrap_or_default());
        let words: Vec<&str> = words.collect();
        let begins = |row: &str, words: &[&str]| {
            let mut pieces = row.split(' ');
            pieces.next() == Some(name) && pieces.enumerate().all(|(at, piece)| words.get(at) == Some(&piece))
        };
        let rest = without_options(name, &words);
        let (_, hosts) = NEEDS.iter().find(|(row, _)| begins(row, &words) || begins(row, rest))?;
        let closed = |host: &&&str| self.judge_host(&Host::new(host)).decision != Decision::Allow;
        let hosts: Vec<&'static str> = hosts.iter().filter(closed).copied().collect();
        (!hosts.is_empty()).then_some(NetworkRequirement::Hosts(hosts))
    }
}

/// Skips the options of a program before its subcommand. A word that begins with `+` selects a toolchain of `cargo`.
fn without_options<'w, 's>(name: &str, words: &'w [&'s str]) -> &'w [&'s str] {
    let valued = VALUED.iter().find(|(own, _)| *own == name).map_or(&[][..], |(_, options)| *options);
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
        at += if valued.contains(word) { 2 } else { 1 };
    }
    words.get(at..).unwrap_or_default()
}

impl Policy {
    /// Returns a host that the command names and that no rule allows; `None` if there is none, or if commands run
    /// without a sandbox. Loopback addresses need no rule, because they belong to the session's own network.
    fn unreached(&self, segment: &Segment) -> Option<String> {
        self.reach.as_ref()?;
        let is_loopback = |name: &str| name == "localhost" || name == "::1" || name.starts_with("127.");
        segment.effects.iter().find_map(|effect| {
            let Effect::Fetches(word) = effect else { return None };
            let host = word.known().and_then(Host::of_url)?;
            let is_closed = self.judge_host(&host).decision != Decision::Allow && !is_loopback(host.name());
            is_closed.then(|| host.name().to_owned())
        })
    }
}

impl NetworkRequirement {
    /// Formats the needed network access for an approval prompt.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Hosts(hosts) => format!(
                "the command usually fetches from {}, which no rule allows commands to reach; without such a rule it will fail",
                hosts.join(" and ")
            ),
            Self::Remote => {
                "the command needs the host of the git remote, but no rule allows commands to reach any host; \
                             if the remote is not on this machine, the command will fail"
                    .to_owned()
            }
            Self::Named(host) => format!(
                "commands reach only hosts that a rule allowed when Toolpost started, so this command cannot reach {host} now: \
                 a permanent approval or a new rule takes effect at the next start"
            ),
        }
    }

    /// Formats the requirement as the possible reason why the command failed or ran out of time, with the rule that would
    /// meet it.
    pub(crate) fn as_reason(&self) -> String {
        let rule = |hosts: &[&str]| {
            format!(
                "To allow that, the operator adds a rule with `touch = [\"fetch\"]`, `hosts = {}` and `decide = \"allow\"`. It takes \
                 effect when Toolpost starts again.",
                serde_json::json!(hosts)
            )
        };
        match self {
            Self::Hosts(hosts) => format!(
                "This command usually fetches from {}, which no rule allows commands to reach, so it may have failed or waited for \
                 that reason. {}",
                hosts.join(" and "),
                rule(hosts)
            ),
            Self::Remote => "This command needs the host of the git remote, but no rule allows commands to reach any host, so it \
                             may have failed or waited for that reason. To allow that, the operator adds a rule with `touch = \
                             [\"fetch\"]`, the host in `hosts` and `decide = \"allow\"`. It takes effect when Toolpost starts again."
                .to_owned(),
            Self::Named(host) => format!(
                "Commands cannot reach {host}, so this command may have failed or waited for that reason. {}",
                rule(&[host])
            ),
        }
    }
}
