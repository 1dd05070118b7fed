//! Third-party programs whose calls are evaluated, with their dependencies.

use super::go::Go;
use crate::{debian, disk, output, programs};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// A third-party program in a fixed version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Corpus {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) tongue: Language,
    from: CorpusOrigin,
    /// Path of the evaluated directory in the package; empty for the whole package.
    part: &'static str,
    /// Packages that the program imports.
    beside: &'static [&'static str],
}

/// Language of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    TypeScript,
    C,
    Go,
    Rust,
}

/// Origin of a corpus: the kind of package, and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CorpusOrigin {
    /// Source archive of a Python package.
    Sources(&'static str),
    /// npm package that contains the sources of the program.
    Npm(&'static str),
    /// Debian package with Go sources, in Debian's version.
    Debian(&'static str),
    /// Package of crates.io.
    Crate(&'static str),
}

/// The corpora (evaluated programs), small ones first.
pub(super) const CORPORA: &[Corpus] = &[
    Corpus {
        name: "flask",
        version: "3.1.3",
        tongue: Language::Python,
        from: CorpusOrigin::Sources("flask"),
        part: "",
        beside: &["flask==3.1.3", "pytest", "asgiref", "python-dotenv", "celery", "cryptography"],
    },
    Corpus {
        name: "requests",
        version: "2.34.2",
        tongue: Language::Python,
        from: CorpusOrigin::Sources("requests"),
        part: "",
        beside: &["requests==2.34.2", "pytest", "pytest-httpbin", "pysocks", "trustme", "setuptools"],
    },
    Corpus {
        name: "sphinx",
        version: "9.0.4",
        tongue: Language::Python,
        from: CorpusOrigin::Sources("sphinx"),
        part: "",
        beside: &["sphinx==9.0.4", "pytest", "defusedxml", "setuptools", "html5lib", "psutil"],
    },
    Corpus {
        name: "rxjs",
        version: "7.8.2",
        tongue: Language::TypeScript,
        from: CorpusOrigin::Npm("rxjs"),
        part: "src",
        beside: &[],
    },
    Corpus {
        name: "zod",
        version: "4.6.7",
        tongue: Language::TypeScript,
        from: CorpusOrigin::Npm("zod"),
        part: "src",
        beside: &["vitest@3", "@types/node@22"],
    },
    Corpus {
        name: "ethers",
        version: "6.17.0",
        tongue: Language::TypeScript,
        from: CorpusOrigin::Npm("ethers"),
        part: "src.ts",
        beside: &["@types/node@22"],
    },
    Corpus {
        name: "lua",
        version: "lupa-2.8",
        tongue: Language::C,
        from: CorpusOrigin::Sources("lupa"),
        part: "third-party/lua54",
        beside: &[],
    },
    Corpus {
        name: "mux",
        version: "1.8.0-1",
        tongue: Language::Go,
        from: CorpusOrigin::Debian("golang-github-gorilla-mux-dev"),
        part: "github.com/gorilla/mux",
        beside: &[],
    },
    Corpus {
        name: "goldmark",
        version: "1.5.4-1",
        tongue: Language::Go,
        from: CorpusOrigin::Debian("golang-github-yuin-goldmark-dev"),
        part: "github.com/yuin/goldmark",
        beside: &[],
    },
    Corpus {
        name: "ignore",
        version: "0.4.34",
        tongue: Language::Rust,
        from: CorpusOrigin::Crate("ignore"),
        part: "",
        beside: &[],
    },
    Corpus {
        name: "clap_builder",
        version: "4.6.7",
        tongue: Language::Rust,
        from: CorpusOrigin::Crate("clap_builder"),
        part: "",
        beside: &[],
    },
];

impl Language {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::TypeScript => "TypeScript",
            Self::C => "C",
            Self::Go => "Go",
            Self::Rust => "Rust",
        }
    }

    /// Returns the languages of the program's files.
    pub(super) fn languages(self) -> &'static [&'static str] {
        match self {
            Self::Python => &["python"],
            Self::TypeScript => &["typescript", "tsx"],
            Self::C => &["c"],
            Self::Go => &["go"],
            Self::Rust => &["rust"],
        }
    }

    /// Returns the language server whose answers count as correct.
    pub(super) fn oracle(self) -> &'static str {
        match self {
            Self::Python => "ty",
            Self::TypeScript => "TypeScript 7",
            Self::C => "clangd",
            Self::Go => "gopls",
            Self::Rust => "rust-analyzer",
        }
    }
}

/// A corpus on the disk.
pub(super) struct InstalledCorpus {
    pub(super) corpus: Corpus,
    /// The evaluated directory.
    pub(super) tree: PathBuf,
    /// Directories of additional programs that the language server needs.
    pub(super) path: Vec<PathBuf>,
    /// Environment variables with which the language server finds imports.
    pub(super) variables: Vec<(&'static str, PathBuf)>,
}

impl Corpus {
    /// Downloads the corpus and its dependencies unless they exist.
    pub(super) fn lay(self, tools: &Path) -> Result<InstalledCorpus> {
        let folder = tools.join("corpora").join(self.name);
        let stamp = folder.join("laid");
        let wanted = format!("{self:?}\n");
        let tree = folder.join("tree");
        if disk::read(&stamp).ok().as_ref() != Some(&wanted) {
            output::complain(&format!("downloads {} {}", self.name, self.version));
            disk::remove_folder(&folder)?;
            disk::make_folder(&tree)?;
            match self.from {
                CorpusOrigin::Sources(package) => self.sources(package, &folder)?,
                CorpusOrigin::Npm(package) => self.npm(package, &folder)?,
                CorpusOrigin::Debian(package) => debian::unpack(package, Some(self.version), &tree)?,
                CorpusOrigin::Crate(package) => self.vendor(package, &folder)?,
            }
            if self.tongue == Language::Python {
                self.install(&folder.join("environment"))?;
            }
            disk::write(&stamp, wanted.as_bytes())?;
        }
        Ok(match self.tongue {
            Language::Python => {
                let variables = vec![("VIRTUAL_ENV", disk::canonical(&folder.join("environment"))?)];
                InstalledCorpus { corpus: self, tree, path: Vec::new(), variables }
            }
            Language::TypeScript | Language::C | Language::Rust => {
                InstalledCorpus { corpus: self, tree, path: Vec::new(), variables: Vec::new() }
            }
            Language::Go => {
                let go = Go::fetch(tools)?;
                let tree = tree.join("usr/share/gocode/src").join(self.part);
                InstalledCorpus { corpus: self, tree, path: go.path(), variables: go.variables() }
            }
        })
    }

    fn sources(self, package: &str, folder: &Path) -> Result<()> {
        let version = self.version.rsplit('-').next().unwrap_or(self.version);
        let mut pip = programs::program("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
        pip.args(["--no-binary", package, "--dest"]).arg(folder).arg(format!("{package}=={version}"));
        programs::output(&mut pip)?;
        let archive = disk::list(folder)?.into_iter().find(|path| path.to_string_lossy().ends_with(".gz"));
        self.unpack(&archive.with_context(|| format!("pip downloaded no archive of {package}"))?, folder)?;
        if self.tongue == Language::C { compiled(&folder.join("tree")) } else { Ok(()) }
    }

    fn npm(self, package: &str, folder: &Path) -> Result<()> {
        let mut npm = programs::program("npm");
        npm.args(["pack", "--silent", "--pack-destination"]).arg(folder).current_dir(folder);
        programs::output(npm.arg(format!("{package}@{}", self.version)))?;
        let archive = disk::list(folder)?.into_iter().find(|path| path.to_string_lossy().ends_with(".tgz"));
        self.unpack(&archive.with_context(|| format!("npm downloaded no archive of {package}"))?, folder)?;
        // TypeScript looks for imported packages in the parent directories of the tree.
        let mut npm = programs::program("npm");
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
        npm.arg(folder).arg(format!("{package}@{}", self.version)).args(self.beside);
        programs::output(&mut npm)?;
        let settings = "{\n  \"compilerOptions\": { \"strict\": true, \"target\": \"es2022\", \"module\": \"esnext\", \
                        \"moduleResolution\": \"bundler\", \"skipLibCheck\": true, \"noEmit\": true, \
                        \"allowImportingTsExtensions\": true },\n  \"include\": [\"**/*\"]\n}\n";
        Ok(disk::write(&folder.join("tree").join("tsconfig.json"), settings.as_bytes())?)
    }

    /// Downloads a crate and its dependencies, and makes the crate a workspace.
    fn vendor(self, package: &str, folder: &Path) -> Result<()> {
        let needs = folder.join("needs");
        let manifest = format!(
            "[package]\nname = \"needs\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n{package} = \"={}\"\n\n[workspace]\n",
            self.version
        );
        disk::write(&needs.join("Cargo.toml"), manifest.as_bytes())?;
        disk::write(&needs.join("src").join("lib.rs"), b"")?;
        let mut cargo = programs::cargo();
        programs::output(cargo.args(["vendor", "--quiet", "vendor"]).current_dir(&needs))?;
        let tree = folder.join("tree");
        disk::remove_folder(&tree)?;
        let mut copy = programs::program("cp");
        programs::output(copy.arg("-r").arg(needs.join("vendor").join(package)).arg(&tree))?;
        let manifest = tree.join("Cargo.toml");
        let alone = format!("{}\n[workspace]\n", disk::read(&manifest)?);
        Ok(disk::write(&manifest, alone.as_bytes())?)
    }

    /// Unpacks the evaluated part of an archive.
    fn unpack(self, archive: &Path, folder: &Path) -> Result<()> {
        let strip = 1 + if self.part.is_empty() { 0 } else { self.part.split('/').count() };
        let mut tar = programs::program("tar");
        tar.arg("xzf").arg(archive).arg("-C").arg(folder.join("tree"));
        tar.arg(format!("--strip-components={strip}"));
        if !self.part.is_empty() {
            tar.args(["--wildcards", &format!("*/{}/*", self.part)]);
        }
        programs::output(&mut tar).map(drop)
    }

    /// Installs the imports of a Python program, but not the program itself.
    fn install(self, environment: &Path) -> Result<()> {
        programs::output(programs::program("python3").args(["-m", "venv"]).arg(environment))?;
        let python = environment.join("bin").join("python");
        let pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
        programs::output(programs::program(&python).args(pip).arg("install").args(self.beside))?;
        programs::output(programs::program(&python).args(pip).args(["uninstall", "--yes", self.name]))
            .map(drop)
    }
}

/// Writes `compile_commands.json`, which the C language server needs.
fn compiled(tree: &Path) -> Result<()> {
    let (mut commands, mut folders) = (Vec::new(), vec![tree.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in disk::list(&folder)? {
            if disk::is_folder(&path) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c") {
                let arguments = ["cc", "-I.", "-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3", "-c"].map(str::to_owned);
                let mut arguments = arguments.to_vec();
                arguments.push(path.to_string_lossy().into_owned());
                commands.push(serde_json::json!({ "directory": tree, "file": path, "arguments": arguments }));
            }
        }
    }
    let text = serde_json::to_string_pretty(&commands)?;
    Ok(disk::write(&tree.join("compile_commands.json"), text.as_bytes())?)
}
