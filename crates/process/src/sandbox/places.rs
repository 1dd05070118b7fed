//! The names of places that every sandbox knows: the system's, toolchains' and those of secrets.

/// Visible system paths.
pub(crate) const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/snap",
    "/home/linuxbrew/.linuxbrew",
    "/sys/devices/system/cpu",
];

/// The device files that a program gets.
pub(crate) const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// The directories that are empty in a sandbox, and its own.
pub(crate) const EMPTY: &[&str] = &["/tmp", "/var/tmp", "/run", "/dev/shm"];

/// The system's own directories, some of which are the homes of users that nobody is: those are left as they are.
pub(crate) const NO_HOMES: &[&str] = &[
    "/",
    "/bin",
    "/dev",
    "/etc",
    "/lib",
    "/opt",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/local/bin",
    "/usr/sbin",
    "/var",
];

/// Visible paths of a home directory: programs and their downloads, and no credentials.
pub(crate) const TOOLCHAINS: &[&str] = &[
    ".asdf",
    ".bun/bin",
    ".bun/install/cache",
    ".cabal/packages",
    ".cache/bazelisk",
    ".cache/deno",
    ".cache/ms-playwright",
    ".cache/node",
    ".cache/pip",
    ".cache/pypoetry",
    ".cache/uv",
    ".cache/yarn",
    ".cargo/bin",
    ".cargo/git",
    ".cargo/registry",
    ".conan2/p",
    ".config/git/attributes",
    ".config/git/config",
    ".config/git/ignore",
    ".deno/bin",
    ".dotnet",
    ".elan",
    ".gem/ruby",
    ".ghcup",
    ".gitconfig",
    ".gradle/caches",
    ".gradle/wrapper",
    ".jenv",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2/repository",
    ".m2/wrapper",
    ".npm/_cacache",
    ".nuget/packages",
    ".nvm",
    ".opam",
    ".pub-cache/hosted",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".stack",
    ".volta",
    "go/bin",
    "go/pkg",
];

/// Visible paths of the directory that `CARGO_HOME` names; the rest may hold tokens.
pub(crate) const OF_CARGO: &[&str] = &["bin", "git", "registry"];

/// Paths of a home directory that are never visible.
pub(crate) const SECRETS: &[&str] = &[
    ".ssh",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".gnupg",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".boto",
    ".s3cfg",
    ".databrickscfg",
    ".vault-token",
    ".password-store",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".psql_history",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/git/credentials",
    ".config/github-copilot",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/toolpost",
    ".gem/credentials",
    ".gradle/gradle.properties",
    ".local/share/keyrings",
    ".local/share/toolpost",
    ".local/state/toolpost",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".mozilla",
    ".pub-cache/credentials.json",
    ".terraform.d/credentials.tfrc.json",
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
];

/// System paths that are never visible.
pub(crate) const SYSTEM_SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/etc/wireguard",
    "/etc/docker/key.json",
    "/etc/kubernetes",
    "/etc/NetworkManager/system-connections",
];

/// Locations of the machine's host keys.
pub(crate) const MACHINE_KEYS: (&str, &str) = ("/etc/ssh", "ssh_host_");

/// Files with which git continues an interrupted operation: they may hold commands.
pub(crate) const UNFINISHED: &[&str] =
    &[".git/rebase-merge/git-rebase-todo", ".git/rebase-apply", ".git/sequencer/todo"];

/// Directories of a repository in which nothing new may appear: a submodule or worktree would bring its own configuration.
pub(crate) const NOTHING_NEW: &[&str] = &[".git/modules", ".git/worktrees"];

/// Paths of a repository with commands that git or Mercurial runs, or that name where such commands are.
pub(crate) const REPOSITORY: &[&str] = &[
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".git/info/attributes",
    ".git/commondir",
    ".hg/hgrc",
];
