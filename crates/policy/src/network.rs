//! Hosts that well-known commands usually need, so that a question can mention the network.

use crate::{access::command::Host, decision::Decision, policy::Policy, rule::Rule};
use toolpost_shell::{Segment, Word};

const NPM: &[&str] = &["registry.npmjs.org"];
const YARN: &[&str] = &["registry.yarnpkg.com"];
const PYPI: &[&str] = &["pypi.org", "files.pythonhosted.org"];
const CRATES: &[&str] = &["index.crates.io", "static.crates.io"];
const GO: &[&str] = &["proxy.golang.org", "sum.golang.org"];

/// Command prefixes, with the hosts that they fetch from unless a configuration names others.
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

/// The git subcommands that reach the host of a remote, which the repository's configuration names.
const REMOTE: &[&str] = &["clone", "fetch", "ls-remote", "pull", "push"];

/// Network access that a command needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Need {
    /// Hosts, none of them within the reach of commands.
    Hosts(Vec<&'static str>),
    /// The host of a git remote.
    Remote,
}

impl Policy {
    /// Returns the network access that a command needs and no rule gives to commands.
    pub(crate) fn unmet(&self, segment: &Segment) -> Option<Need> {
        let words: Vec<&str> = segment.words.iter().map_while(Word::known).collect();
        let name = segment.program_name()?;
        let rest = words.get(1..).unwrap_or_default();
        if name == "git"
            && rest.iter().find(|word| !word.starts_with('-')).is_some_and(|word| REMOTE.contains(word))
        {
            let reaches_some =
                self.rules.iter().flat_map(Rule::hosts).any(|(_, said)| said == Decision::Allow);
            return (!reaches_some).then_some(Need::Remote);
        }
        let begins = |row: &str| {
            let mut pieces = row.split(' ');
            pieces.next() == Some(name) && pieces.enumerate().all(|(at, piece)| rest.get(at) == Some(&piece))
        };
        let (_, hosts) = NEEDS.iter().find(|(row, _)| begins(row))?;
        let closed = |host: &&&str| self.judge_host(&Host::new(host)).decision != Decision::Allow;
        let hosts: Vec<&'static str> = hosts.iter().filter(closed).copied().collect();
        (!hosts.is_empty()).then_some(Need::Hosts(hosts))
    }
}

impl Need {
    /// Formats it for a person who is asked.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Hosts(hosts) => format!(
                "it usually fetches from {}, which no rule opens to commands: without one it will fail",
                hosts.join(" and ")
            ),
            Self::Remote => "it needs the host of the remote, and no rule opens a host to commands: if the remote is not on this \
                             machine, it will fail"
                .to_owned(),
        }
    }
}
