//! Fuzz target for manifests and lock files of projects.

use std::{fs, sync::OnceLock};
use tempfile::TempDir;
use toolpost_packages::{Dependencies, PackageStores};
use toolpost_workspace::{Options, Workspace};

/// Pieces of lock files.
pub(crate) const WORDS: &[&str] = &[
    "[[package]]\n",
    "name = \"a\"\n",
    "version = \"1.0.0\"\n",
    "source = \"registry+x\"\n",
    "../../secret",
    "\"node_modules/a\": {",
    "\"version\": \"1.0.0\"",
    "\"lockfileVersion\": 1",
    "\"dependencies\": {",
    "<dependency>",
    "</dependency>",
    "<groupId>",
    "<version>${a}</version>",
    "<parent>",
    "<![CDATA[",
    "&x;",
    "require (\n",
    "replace a => ../b\n",
    "  /a@1.0.0:\n",
    "a@^1.0.0:\n  version \"1.0.0\"\n",
    "-r other.txt\n",
    "a==1.0 ; python_version > '3'\n",
    "[tool.poetry.dependencies]\n",
    "{ path = \"/\" }",
    "\u{202e}",
];

/// Names of the files. The first byte of an input selects one, and the input is its content.
const FILES: [&str; 13] = [
    "Cargo.lock",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "go.mod",
    "pom.xml",
    "requirements.txt",
    "poetry.lock",
    "uv.lock",
    "Pipfile.lock",
    "pyproject.toml",
    "package.json",
    "Cargo.toml",
];

/// Package stores and a project, in which only one file changes.
struct World {
    base: TempDir,
    workspace: Workspace,
}

/// Checks that every package is in a store or in the project, whatever a lock file contains.
pub(crate) fn run(data: &[u8]) {
    static WORLD: OnceLock<World> = OnceLock::new();
    let world = WORLD.get_or_init(world);
    let Some((which, content)) = data.split_first() else { return };
    let file = world.base.path().join("ws").join(FILES[usize::from(*which) % FILES.len()]);
    fs::write(&file, content).unwrap();
    // A new resolver for each input, because a resolver caches the files.
    let dependencies = Dependencies::new(world.workspace.clone(), stores(&world.base));
    let all = dependencies.all(&|| false);
    let base = world.base.path().canonicalize().unwrap();
    for package in all.packages {
        let path = std::path::PathBuf::from(package.path.absolute());
        let path = path.canonicalize().unwrap_or(path);
        let allowed = ["home", "ws"].iter().any(|folder| path.starts_with(base.join(folder)));
        assert!(allowed, "{} lies in {}", package.label, path.display());
    }
    fs::remove_file(&file).unwrap();
}

fn world() -> World {
    let base = tempfile::tempdir().unwrap();
    let files = [
        ("secret/package.json", "{\"version\": \"1.0.0\"}"),
        ("home/.cargo/registry/src/index/a-1.0.0/src/lib.rs", ""),
        ("ws/node_modules/a/package.json", "{\"version\": \"1.0.0\"}"),
        ("home/go/pkg/mod/github.com/a/b@v1.0.0/b.go", ""),
        ("home/.m2/repository/com/a/b/1.0/b-1.0-sources/com/B.java", ""),
    ];
    for (path, text) in files {
        let path = base.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let options = Options { roots: vec![base.path().join("ws")], ..Options::default() };
    let workspace = Workspace::open(options).unwrap().0;
    World { base, workspace }
}

fn stores(base: &TempDir) -> PackageStores {
    let at = |path: &str| Some(base.path().join(path));
    PackageStores {
        cargo: at("home/.cargo"),
        go: at("home/go/pkg/mod"),
        python: None,
        maven: at("home/.m2/repository"),
        gradle: None,
        unpacked: None,
    }
}
