//! Paths with a fixed meaning in every sandbox: visible system paths, visible toolchains, and hidden secrets.

/// System paths that are visible in every sandbox.
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

/// The device files of a sandbox, by their names in `/dev`.
pub(crate) const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// The directories that are private and initially empty in a sandbox.
pub(crate) const EMPTY: &[&str] = &["/tmp", "/var/tmp", "/run", "/dev/shm"];

/// Directories that are not treated as a home directory, even if the `HOME` of a system user names them.
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

/// Paths in the home directory that are visible in a sandbox: programs and their downloads, but no
/// credentials.
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

/// Visible paths in the directory that `CARGO_HOME` names; other paths there may contain tokens.
pub(crate) const OF_CARGO: &[&str] = &["bin", "git", "registry"];

/// Paths in the home directory that a sandbox hides, unless a root is in them.
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

/// System paths that a sandbox hides, unless a root is in them.
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

/// The directory of the machine's SSH host keys, and the prefix of their file names.
pub(crate) const MACHINE_KEYS: (&str, &str) = ("/etc/ssh", "ssh_host_");

/// Files of a repository with which git continues an interrupted operation, and which may contain commands.
pub(crate) const UNFINISHED: &[&str] = &["rebase-merge/git-rebase-todo", "rebase-apply", "sequencer/todo"];

/// Directories, in the repository at the top of a root, in which a program may not create anything, because a
/// new submodule or worktree would bring its own configuration.
pub(crate) const NOTHING_NEW: &[&str] = &[".git/modules", ".git/worktrees"];

/// Paths of a repository that contain commands which git or Mercurial runs, or that refer to such commands.
pub(crate) const REPOSITORY: &[&str] = &[
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".git/info/attributes",
    ".git/commondir",
    ".hg/hgrc",
];
