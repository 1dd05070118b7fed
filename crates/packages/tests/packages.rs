//! Resolution of dependency names with small, made-up registries.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests create their own files, and fail by panicking"
)]

use proptest::{collection::vec, prelude::*, sample::Index, test_runner::FileFailurePersistence};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use toolpost_packages::{Dependencies, Directness, PackageStores, VersionSource};
use toolpost_test_rows::each;
use toolpost_workspace::{Action, Cause, Draft, Expect, Options};
use toolpost_workspace::{CommitError, CommitKind, Workspace};

struct World {
    base: TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { base: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.at("ws")).unwrap();
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.base.path().join(path)
    }

    fn with(&self, files: &[(&str, &str)]) -> &Self {
        for (path, text) in files {
            fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
            fs::write(self.at(path), text).unwrap();
        }
        self
    }

    fn stores(&self) -> PackageStores {
        PackageStores {
            cargo: Some(self.at("home/.cargo")),
            go: Some(self.at("home/go/pkg/mod")),
            python: None,
            maven: Some(self.at("home/.m2/repository")),
            gradle: Some(self.at("home/.gradle/caches/modules-2/files-2.1")),
            unpacked: Some(self.at("cache/sources")),
        }
    }

    fn workspace(&self, root: &str) -> Workspace {
        let options = Options { roots: vec![self.at(root)], ..Options::default() };
        Workspace::open(options).unwrap().0
    }

    fn dependencies(&self) -> Dependencies {
        Dependencies::new(self.workspace("ws"), self.stores())
    }

    /// Resolves a name: returns the display path with its content, or the error.
    fn describe(&self, name: &str) -> String {
        describe(&self.workspace("ws"), &self.dependencies(), name, self.base.path())
    }
}

fn describe(workspace: &Workspace, dependencies: &Dependencies, name: &str, base: &Path) -> String {
    match dependencies.resolve(name) {
        Ok(resolved) => {
            let text = match workspace.read(&resolved.path, 1_000) {
                Ok(read) => format!(" = {}", String::from_utf8(read.bytes).unwrap()),
                Err(_) => String::new(),
            };
            let notes: String = resolved.notes.iter().map(|note| format!(" ({note})")).collect();
            format!("{}{text}{notes}", resolved.path)
        }
        Err(unresolved) => {
            let parts = [Some(unresolved.what), unresolved.found, unresolved.next];
            let words = parts.into_iter().flatten().collect::<Vec<_>>().join(" | ");
            let near = if unresolved.near.is_empty() {
                String::new()
            } else {
                format!(" ~ {}", unresolved.near.join(" "))
            };
            format!("{:?}: {words}{near}", unresolved.why)
                .replace(&base.display().to_string(), "")
                .replace('\n', " ")
        }
    }
}

fn check(world: &World, rows: &[(&str, &str)]) {
    for (name, wanted) in rows {
        assert_eq!(world.describe(name), *wanted, "{name}");
    }
}

const LOCK: &str = r#"
version = 4
[[package]]
name = "own"
version = "0.1.0"
dependencies = ["serde", "syn 2.0.1", "tool_kit", "gone", "forked"]
[[package]]
name = "serde"
version = "1.0.200"
source = "registry+https://example.com/index"
[[package]]
name = "syn"
version = "1.0.9"
source = "registry+https://example.com/index"
[[package]]
name = "syn"
version = "2.0.1"
source = "registry+https://example.com/index"
[[package]]
name = "rand"
version = "0.8.0"
source = "registry+https://example.com/index"
[[package]]
name = "rand"
version = "0.9.0"
source = "registry+https://example.com/index"
[[package]]
name = "tool_kit"
version = "0.2.0"
source = "registry+https://example.com/index"
[[package]]
name = "gone"
version = "3.0.0"
source = "registry+https://example.com/index"
[[package]]
name = "forked"
version = "0.5.0"
source = "git+https://example.com/a/Forks.git?branch=x#0123456789abcdef"
"#;

#[test]
#[expect(clippy::too_many_lines, reason = "the function is one table of cases")]
fn crate_versions_come_from_the_lock_file() {
    let world = World::new();
    let registry = "home/.cargo/registry/src/index.example.com-1";
    world.with(&[
        ("ws/Cargo.lock", LOCK),
        ("ws/vendor/tool_kit/Cargo.toml", "[package]\nname = \"tool_kit\"\nversion = \"0.2.0\"\n"),
        ("ws/vendor/tool_kit/src/lib.rs", "vendored"),
        (&format!("{registry}/serde-1.0.200/src/lib.rs"), "old"),
        (&format!("{registry}/serde-1.0.228/src/lib.rs"), "newer, of another project"),
        (&format!("{registry}/syn-1.0.9/src/lib.rs"), "one"),
        (&format!("{registry}/syn-2.0.1/src/lib.rs"), "two"),
        (&format!("{registry}/tool_kit-0.2.0/src/lib.rs"), "of the registry"),
        ("home/.cargo/git/checkouts/forks-1a2b/0123456/Cargo.toml", "[workspace]\n"),
        (
            "home/.cargo/git/checkouts/forks-1a2b/0123456/crates/f/Cargo.toml",
            "[package]\nname = \"forked\"\nversion.workspace = true\n",
        ),
        ("home/.cargo/git/checkouts/forks-1a2b/0123456/crates/f/lib.rs", "forked"),
    ]);
    let store = "/home/.cargo/registry/src";
    check(
        &world,
        &[
            ("rust:serde", "rust:serde@1.0.200"),
            ("rust:serde/src/lib.rs", "rust:serde@1.0.200/src/lib.rs = old"),
            ("/dep/rust/serde/src/lib.rs", "rust:serde@1.0.200/src/lib.rs = old"),
            ("rust:serde@1.0.200/src/lib.rs", "rust:serde@1.0.200/src/lib.rs = old"),
            (
                "rust:serde@1.0.228",
                "Unknown: The project does not depend on serde 1.0.228. | It depends on rust:serde@1.0.200. ~ rust:serde@1.0.200",
            ),
            (
                "rust:syn/src/lib.rs",
                "rust:syn@2.0.1/src/lib.rs = two (rust:syn@2.0.1 is the version that the project itself requires; its \
                                 dependencies also use rust:syn@1.0.9)",
            ),
            ("rust:syn@1.0.9/src/lib.rs", "rust:syn@1.0.9/src/lib.rs = one"),
            (
                "rust:rand",
                "Several: The project depends on 2 versions of rand: add the version to the name. | \
                 rust:rand@0.8.0 rust:rand@0.9.0 ~ rust:rand@0.8.0 rust:rand@0.9.0",
            ),
            ("rust:tool-kit/src/lib.rs", "rust:tool_kit@0.2.0/src/lib.rs = vendored"),
            ("rust:forked/lib.rs", "rust:forked@0.5.0/lib.rs = forked"),
            (
                "rust:gone",
                &format!(
                    "Absent: The project depends on rust:gone@3.0.0, whose sources are not on this machine. | Searched: \
                                ./vendor/gone-3.0.0 ./vendor/gone {store} | Run `cargo fetch` to install the sources."
                ),
            ),
            (
                "rust:serd",
                "Unknown: The project does not depend on rust:serd. | Read: Cargo.lock (8 packages). | Only packages in the lock files \
                       of the workspace are found, in the versions that the project uses. ~ rust:serde",
            ),
            (
                "rust:own",
                "Unknown: own is a package of the workspace itself, not a dependency. | Read: Cargo.lock (8 \
                 packages). | Use the path of the package in the workspace.",
            ),
            (
                "js:express",
                "Unknown: The dependencies of the project are unknown: there is no package.json or lock file of npm, pnpm or Yarn in the \
                        workspace. | Only packages in the lock files of the workspace are found, in the versions that the project uses.",
            ),
        ],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "the function is one table of cases")]
fn npm_packages_resolve_to_the_nearest_node_modules() {
    let world = World::new();
    world.with(&[
        ("ws/package.json", r#"{"name": "own", "dependencies": {"express": "^4", "@s/kit": "*", "stored": "*", "member": "*", "evil": "*"}}"#),
        ("ws/package-lock.json", r#"{"packages": {"node_modules/express": {"version": "4.18.2"},
            "node_modules/express/node_modules/ms": {"version": "2.0.0"}, "node_modules/ms": {"version": "2.1.3"},
            "node_modules/late": {"version": "1.0.0"}, "node_modules/moved": {"version": "2.0.0"}}}"#),
        ("ws/node_modules/express/package.json", r#"{"version": "4.18.2"}"#),
        ("ws/node_modules/express/index.js", "express"),
        ("ws/node_modules/express/node_modules/ms/package.json", r#"{"version": "2.0.0"}"#),
        ("ws/node_modules/express/node_modules/ms/index.js", "inner"),
        ("ws/node_modules/ms/package.json", r#"{"version": "2.1.3"}"#),
        ("ws/node_modules/ms/index.js", "outer"),
        ("ws/node_modules/@s/kit/package.json", r#"{"version": "1.0.0"}"#),
        ("ws/node_modules/@s/kit/a.d.ts", "kit"),
        ("ws/node_modules/.pnpm/stored@3.0.0/node_modules/stored/package.json", r#"{"version": "3.0.0"}"#),
        ("ws/node_modules/.pnpm/stored@3.0.0/node_modules/stored/a.js", "stored"),
        ("ws/packages/member/package.json", r#"{"name": "member", "version": "0.1.0"}"#),
        ("ws/node_modules/unnamed/package.json", r#"{"version": "7.0.0"}"#),
        ("ws/node_modules/moved/package.json", r#"{"version": "1.0.0"}"#),
        ("node_modules/above/package.json", r#"{"version": "5.0.0"}"#),
        ("secrets/package.json", r#"{"version": "6.6.6"}"#),
        ("secrets/key.js", "CANARY"),
    ]);
    let modules = world.at("ws/node_modules");
    symlink(".pnpm/stored@3.0.0/node_modules/stored", modules.join("stored")).unwrap();
    symlink(world.at("secrets"), modules.join("evil")).unwrap();
    symlink(world.at("secrets/key.js"), modules.join("express/out.js")).unwrap();
    symlink("index.js", modules.join("express/in.js")).unwrap();
    check(
        &world,
        &[
            ("js:express/index.js", "js:express@4.18.2/index.js = express"),
            ("js:express/in.js", "js:express@4.18.2/index.js = express"),
            ("js:@s/kit/a.d.ts", "js:@s/kit@1.0.0/a.d.ts = kit"),
            ("js:@s/kit@1.0.0/a.d.ts", "js:@s/kit@1.0.0/a.d.ts = kit"),
            ("js:stored/a.js", "js:stored@3.0.0/a.js = stored"),
            ("js:stored@3.0.0/a.js", "js:stored@3.0.0/a.js = stored"),
            (
                "js:ms",
                "Several: The project depends on 2 versions of ms: add the version to the name. | \
                 js:ms@2.1.3 js:ms@2.0.0 ~ js:ms@2.1.3 js:ms@2.0.0",
            ),
            ("js:ms@2.0.0/index.js", "js:ms@2.0.0/index.js = inner"),
            ("js:ms@2.1.3/index.js", "js:ms@2.1.3/index.js = outer"),
            ("js:unnamed", "js:unnamed@7.0.0"),
            ("js:above", "js:above@5.0.0"),
            (
                "js:late",
                "Absent: The project depends on js:late@1.0.0, whose sources are not on this machine. | Searched: /ws/node_modules/late \
                     /node_modules/late | Run `npm install`, or your package manager's equivalent, to install the sources.",
            ),
            (
                "js:moved",
                "Absent: The project depends on js:moved@2.0.0, whose sources are not on this machine. | Searched: /ws/node_modules/moved \
                      (which is 1.0.0) /node_modules/moved | Run `npm install`, or your package manager's equivalent, to install the sources.",
            ),
            (
                "js:evil/key.js",
                "Absent: The project depends on js:evil, whose sources are not on this machine. | Searched: /ws/node_modules/evil \
                            /node_modules/evil | Run `npm install`, or your package manager's equivalent, to install the sources.",
            ),
            (
                "js:express/out.js",
                "Outside: js:express/out.js leads out of the package: a link in it leads to /secrets/key.js. ~ js:express@4.18.2",
            ),
            (
                "js:/../..",
                "Malformed: js:/../.. leads out of the package; a valid name is, for example, js:express or js:@ai-sdk/anthropic/dist.",
            ),
            (
                "js:.pnpm",
                "Unknown: The project does not depend on js:.pnpm. | Read: package.json, packages/member/package.json, package-lock.json \
                      (8 packages). | Only packages in the lock files of the workspace are found, in the versions that the project uses.",
            ),
        ],
    );
}

#[test]
fn python_distributions_are_found_by_their_record_file() {
    let world = World::new();
    let site = "ws/.venv/lib/python3.12/site-packages";
    world.with(&[
        ("ws/pyproject.toml", "[project]\nname = \"own\"\ndependencies = [\"Requests>=2\", \"six\", \"google.cloud-x\", \"absent\"]\n"),
        ("ws/uv.lock", "[[package]]\nname = \"absent\"\nversion = \"9.0\"\n[[package]]\nname = \"requests\"\nversion = \"2.30.0\"\n"),
        (&format!("{site}/requests-2.31.0.dist-info/RECORD"), "requests/__init__.py,,\nrequests/api.py,,\n../../bin/x,,\n"),
        (&format!("{site}/requests/__init__.py"), "r"),
        (&format!("{site}/requests/api.py"), "api"),
        (&format!("{site}/six-1.16.0.dist-info/RECORD"), "six.py,,\nsix-1.16.0.dist-info/RECORD,,\n"),
        (&format!("{site}/six.py"), "six"),
        (&format!("{site}/PyYAML-6.0.dist-info/RECORD"), "yaml/__init__.py,,\n_yaml/__init__.py,,\nyaml/loader.py,,\n"),
        (&format!("{site}/yaml/loader.py"), "loader"),
        (&format!("{site}/google_cloud_x-1.0.dist-info/RECORD"), "google/cloud/x/__init__.py,,\ngoogle/cloud/x/a.py,,\n"),
        (&format!("{site}/google/cloud/x/a.py"), "a"),
        (&format!("{site}/google/cloud/other.py"), "of another"),
    ]);
    check(
        &world,
        &[
            ("py:requests/api.py", "py:requests@2.31.0/api.py = api"),
            ("py:Requests", "py:requests@2.31.0"),
            ("py:six", "py:six@1.16.0/six.py = six"),
            ("py:six/six.py", "py:six@1.16.0/six.py = six"),
            (
                "py:six/requests/api.py",
                "Outside: py:six/requests/api.py leads out of the package, which consists of the single \
                 file py:six@1.16.0/six.py. ~ py:six@1.16.0/six.py",
            ),
            ("py:pyyaml/loader.py", "py:pyyaml@6.0/loader.py = loader"),
            ("py:yaml/loader.py", "py:yaml@6.0/loader.py = loader"),
            ("py:yaml@6.0/loader.py", "py:yaml@6.0/loader.py = loader"),
            ("py:google-cloud-x/a.py", "py:google-cloud-x@1.0/a.py = a"),
            (
                "py:absent",
                "Absent: The project depends on py:absent@9.0, whose sources are not on this machine. | Searched: \
                       /ws/.venv/lib/python3.12/site-packages | Install it into the project's environment (.venv), or start Toolpost with VIRTUAL_ENV set to the environment that has it.",
            ),
        ],
    );
}

#[test]
fn go_modules_resolve_with_replacements_and_vendoring() {
    let world = World::new();
    world.with(&[
        ("ws/go.mod", "module example.com/own\n\ngo 1.22\n\nrequire (\n\tgithub.com/BurntSushi/toml v1.3.2\n\tgithub.com/a/b v1.0.0 // indirect\n\t\
                       github.com/a/b/v2 v2.1.0\n\texample.com/near v0.0.0\n\tgithub.com/old/x v1.0.0\n)\nrequire github.com/held/y v0.1.0\n\
                       replace github.com/old/x => github.com/new/x v1.5.0\nreplace example.com/near => ../near\n"),
        ("ws/vendor/modules.txt", "# github.com/held/y v0.1.0\n"),
        ("ws/vendor/github.com/held/y/y.go", "held"),
        ("home/go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2/decode.go", "decode"),
        ("home/go/pkg/mod/github.com/a/b@v1.0.0/sub/s.go", "one"),
        ("home/go/pkg/mod/github.com/a/b/v2@v2.1.0/sub/s.go", "two"),
        ("home/go/pkg/mod/github.com/new/x@v1.5.0/x.go", "new"),
    ]);
    check(
        &world,
        &[
            (
                "go:github.com/BurntSushi/toml/decode.go",
                "go:github.com/BurntSushi/toml@v1.3.2/decode.go = decode",
            ),
            (
                "go:github.com/BurntSushi/toml@v1.3.2/decode.go",
                "go:github.com/BurntSushi/toml@v1.3.2/decode.go = decode",
            ),
            ("go:github.com/a/b/sub/s.go", "go:github.com/a/b@v1.0.0/sub/s.go = one"),
            ("/dep/go/github.com/a/b/v2/sub/s.go", "go:github.com/a/b/v2@v2.1.0/sub/s.go = two"),
            ("go:github.com/old/x/x.go", "go:github.com/old/x@v1.5.0/x.go = new"),
            ("go:github.com/held/y/y.go", "go:github.com/held/y@v0.1.0/y.go = held"),
            (
                "go:example.com/near",
                "Absent: The project depends on go:example.com/near, whose sources are not on this machine. \
                 | A `replace` directive in go.mod replaces this module with the directory ../near; search that \
                 directory by its path.",
            ),
            (
                "go:github.com/BurntSushi/tomll",
                "Unknown: The project does not depend on go:github.com/BurntSushi/tomll. | Read: go.mod (6 packages). | Only packages in the \
                               lock files of the workspace are found, in the versions that the project uses. ~ go:github.com/BurntSushi/toml",
            ),
        ],
    );
}

#[test]
fn maven_artifacts_are_read_from_unpacked_sources() {
    let world = World::new();
    world.with(&[
        ("ws/pom.xml", "<project><dependencies><dependency><groupId>com.a</groupId><artifactId>b</artifactId><version>1.0</version></dependency><dependency>\
                        <groupId>com.a</groupId><artifactId>packed</artifactId><version>2.0</version></dependency></dependencies></project>"),
        ("home/.m2/repository/com/a/b/1.0/b-1.0-sources/com/B.java", "b"),
        ("home/.m2/repository/com/a/packed/2.0/packed-2.0-sources.jar", "PK"),
    ]);
    let next = |words: String| words.split(" | ").last().map(str::to_owned);
    assert_eq!(world.describe("java:com.a:b/com/B.java"), "java:com.a:b@1.0/com/B.java = b");
    assert_eq!(world.describe("java:b@1.0"), "java:com.a:b@1.0");
    assert_eq!(
        next(world.describe("java:packed")).as_deref(),
        Some(
            "packed-2.0-sources.jar exists, but cannot be read: the file is truncated, or is not an archive."
        )
    );
}

#[test]
fn maven_versions_come_from_stored_parents_and_boms() {
    let world = World::new();
    let store = "home/.m2/repository";
    let needs = |artifacts: &[&str]| {
        let one = |artifact: &&str| {
            format!("<dependency><groupId>com.a</groupId><artifactId>{artifact}</artifactId></dependency>")
        };
        format!("<dependencies>{}</dependencies>", artifacts.iter().map(one).collect::<String>())
    };
    let parent = "<parent><groupId>org.up</groupId><artifactId>up</artifactId><version>1</version></parent>";
    world.with(&[
        (
            "ws/pom.xml",
            &format!("<project>{parent}<artifactId>all</artifactId><packaging>pom</packaging><properties><b.version>2.0</b.version></properties></project>"),
        ),
        (
            "ws/app/pom.xml",
            &format!(
                "<project><parent><groupId>org.up</groupId><artifactId>all</artifactId><version>1</version></parent><artifactId>app</artifactId>{}</project>",
                needs(&["b", "listed", "unknown"])
                    .replace("</dependencies>", "<dependency><groupId>org.up</groupId><artifactId>all</artifactId></dependency></dependencies>")
            ),
        ),
        (
            &format!("{store}/org/up/up/1/up-1.pom"),
            "<project><groupId>org.up</groupId><artifactId>up</artifactId><version>1</version><properties><b.version>1.0</b.version></properties>\
             <dependencyManagement><dependencies><dependency><groupId>com.a</groupId><artifactId>b</artifactId><version>${b.version}</version></dependency>\
             <dependency><groupId>com.a</groupId><artifactId>bom</artifactId><version>7</version><type>pom</type><scope>import</scope></dependency>\
             </dependencies></dependencyManagement></project>",
        ),
        (
            "home/.gradle/caches/modules-2/files-2.1/com.a/bom/7/0abc/bom-7.pom",
            "<project><groupId>com.a</groupId><artifactId>bom</artifactId><version>7</version><dependencyManagement><dependencies><dependency>\
             <groupId>com.a</groupId><artifactId>listed</artifactId><version>3.0</version></dependency></dependencies></dependencyManagement></project>",
        ),
        (&format!("{store}/com/a/b/2.0/b-2.0-sources/B.java"), "two"),
        (&format!("{store}/com/a/b/1.0/b-1.0-sources/B.java"), "one"),
        (&format!("{store}/com/a/listed/3.0/listed-3.0-sources/L.java"), "l"),
    ]);
    assert_eq!(world.describe("java:b/B.java"), "java:com.a:b@2.0/B.java = two");
    assert_eq!(world.describe("java:com.a:listed/L.java"), "java:com.a:listed@3.0/L.java = l");
    assert!(
        world.describe("java:unknown").contains("on this machine states the version"),
        "{}",
        world.describe("java:unknown")
    );
    let all = world.dependencies().all(&|| false);
    assert_eq!((all.read, all.odd), (vec!["pom.xml".to_owned(), "app/pom.xml".to_owned()], Vec::new()));
    // Missing sources are listed.
    fs::remove_dir_all(world.at(&format!("{store}/org"))).unwrap();
    let all = world.dependencies().all(&|| false);
    let missing = |file: &str| {
        format!(
            "{file}: org.up:up:1 is not in the local repository, so some versions are unknown; `mvn validate` downloads it"
        )
    };
    assert_eq!(all.odd, [missing("pom.xml"), missing("app/pom.xml")]);
}

#[test]
fn direct_dependencies_are_listed_first_and_missing_ones_named() {
    let world = World::new();
    let registry = "home/.cargo/registry/src/index.example.com-1";
    world.with(&[
        ("ws/Cargo.lock", LOCK),
        ("ws/broken/Cargo.lock", "["),
        ("ws/tests/fixtures/x/Cargo.lock", LOCK),
        (&format!("{registry}/serde-1.0.200/src/lib.rs"), ""),
        (&format!("{registry}/rand-0.8.0/src/lib.rs"), ""),
        (&format!("{registry}/syn-2.0.1/src/lib.rs"), ""),
    ]);
    let all = world.dependencies().all(&|| false);
    let packages: Vec<_> =
        all.packages.iter().map(|package| (package.label.as_str(), package.direct)).collect();
    let (yes, no) = (Directness::Yes, Directness::No);
    assert_eq!(packages, [("rust:serde@1.0.200", yes), ("rust:syn@2.0.1", yes), ("rust:rand@0.8.0", no)]);
    let missing: Vec<_> =
        all.missing.iter().map(|missing| (missing.label.as_str(), missing.direct)).collect();
    let wanted = [
        ("rust:forked@0.5.0", yes),
        ("rust:gone@3.0.0", yes),
        ("rust:tool_kit@0.2.0", yes),
        ("rust:rand@0.9.0", no),
        ("rust:syn@1.0.9", no),
    ];
    assert_eq!(missing, wanted);
    assert_eq!(all.read, ["Cargo.lock"]);
    assert!(matches!(all.odd.as_slice(), [odd] if odd.starts_with("broken/Cargo.lock: ")), "{:?}", all.odd);
}

#[test]
fn unusable_manifests_are_named_with_the_reason() {
    let encoding = "the file is not UTF-8";
    let rows: [(&str, &[u8], &str); 12] = [
        ("package.json", b"{", "the file is not JSON: EOF while parsing an object at line 1 column 1"),
        ("package.json", b"\xff{}", encoding),
        ("package-lock.json", b"\xff{}", encoding),
        ("yarn.lock", b"\xff", encoding),
        ("pom.xml", b"none", "the file is not a valid POM"),
        ("pom.xml", b"\xff", encoding),
        ("gradle.lockfile", b"\xff", encoding),
        ("go.mod", b"\xff", encoding),
        ("Cargo.lock", b"\xff", encoding),
        ("uv.lock", b"\xff", encoding),
        ("pyproject.toml", b"\xff", encoding),
        ("requirements.txt", b"\xff", encoding),
    ];
    each(rows, |(name, content, why)| {
        let world = World::new();
        fs::write(world.at("ws").join(name), content).unwrap();
        assert_eq!(world.dependencies().all(&|| false).odd, [format!("{name}: {why}")]);
    });
    let world = World::new();
    fs::File::create(world.at("ws/package.json")).unwrap().set_len(64 << 20).unwrap();
    assert_eq!(world.dependencies().all(&|| false).odd, ["package.json: the file cannot be read"]);
}

/// A manifest with version ranges is never the source of a version: that is a lock file which states the installed
/// version, or else the installed package.
#[test]
#[expect(clippy::too_many_lines, reason = "most lines are rows")]
fn version_sources_are_lock_files_or_installed_packages() {
    let site = ".venv/lib/python3.12/site-packages";
    let python = |name: &str, version: &str| {
        [
            (format!("ws/{site}/{name}-{version}.dist-info/RECORD"), format!("{name}/__init__.py,,\n")),
            (format!("ws/{site}/{name}/__init__.py"), String::new()),
        ]
    };
    let js = |name: &str, version: &str| {
        [(format!("ws/node_modules/{name}/package.json"), format!("{{\"version\": \"{version}\"}}"))]
    };
    let manifests = [
        (
            "ws/pyproject.toml",
            "[project]\nname = \"own\"\ndependencies = [\"same>=1\", \"newer>=1\", \"only>=1\", \"gone>=1\"]\n",
        ),
        ("ws/package.json", r#"{"dependencies": {"same": "^1", "newer": "^1", "only": "^1", "gone": "^1"}}"#),
    ];
    let locks = [
        (
            "ws/uv.lock",
            "[[package]]\nname = \"same\"\nversion = \"1.0\"\n[[package]]\nname = \"newer\"\nversion = \"1.0\"\n",
        ),
        (
            "ws/package-lock.json",
            r#"{"packages": {"node_modules/same": {"version": "1.0"}, "node_modules/newer": {"version": "1.0"}}}"#,
        ),
    ];
    let file = |path: &str| VersionSource::File(path.to_owned());
    let installed = |path: &str| VersionSource::Installed(path.to_owned());
    for with_locks in [true, false] {
        let world = World::new();
        world.with(&manifests);
        if with_locks {
            world.with(&locks);
        }
        let packages = [("same", "1.0"), ("newer", "2.0"), ("only", "1.0")];
        let files: Vec<(String, String)> = packages
            .iter()
            .flat_map(|(name, version)| python(name, version).into_iter().chain(js(name, version)))
            .collect();
        files.iter().for_each(|(path, text)| {
            world.with(&[(path.as_str(), text.as_str())]);
        });
        let all = world.dependencies().all(&|| false);
        let of = |label: &str| {
            let found = all.packages.iter().find(|package| package.label == label);
            found.unwrap_or_else(|| panic!("{label}: {:?}", all.packages)).version_source.clone()
        };
        let locked = |lock: &str, place: &str| if with_locks { file(lock) } else { installed(place) };
        assert_eq!(of("py:same@1.0"), locked("uv.lock", site));
        assert_eq!(of("js:same@1.0"), locked("package-lock.json", "node_modules"));
        for label in ["py:newer@2.0", "py:only@1.0"] {
            assert_eq!(of(label), installed(site), "{label}");
        }
        for label in ["js:newer@2.0", "js:only@1.0"] {
            assert_eq!(of(label), installed("node_modules"), "{label}");
        }
        let sources = all.version_sources();
        let named = |name: &str| {
            sources.iter().any(|source| matches!(source, VersionSource::File(path) if path == name))
        };
        assert!(!named("pyproject.toml") && !named("package.json"), "{sources:?}");
        assert_eq!(named("uv.lock") && named("package-lock.json"), with_locks, "{sources:?}");
    }
}

#[test]
fn a_changed_lock_file_is_read_again() {
    let world = World::new();
    let registry = "home/.cargo/registry/src/index.example.com-1";
    world.with(&[
        ("ws/Cargo.lock", LOCK),
        (&format!("{registry}/serde-1.0.200/src/lib.rs"), "old"),
        (&format!("{registry}/serde-1.0.228/src/lib.rs"), "new"),
    ]);
    let (workspace, dependencies) = (world.workspace("ws"), world.dependencies());
    let say = || describe(&workspace, &dependencies, "rust:serde/src/lib.rs", world.base.path());
    assert_eq!(say(), "rust:serde@1.0.200/src/lib.rs = old");
    world.with(&[("ws/Cargo.lock", &LOCK.replace("1.0.200", "1.0.228 ").replace("1.0.228 ", "1.0.228"))]);
    fs::File::open(world.at("ws/Cargo.lock"))
        .unwrap()
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    assert_eq!(say(), "rust:serde@1.0.228/src/lib.rs = new");
}

#[test]
fn a_dependency_is_never_written() {
    let world = World::new();
    world.with(&[
        ("ws/package.json", r#"{"dependencies": {"a": "*"}}"#),
        ("ws/node_modules/a/package.json", r#"{"version": "1.0.0"}"#),
        ("ws/node_modules/a/index.js", "as it is"),
    ]);
    let workspace = world.workspace("ws");
    let path = world.dependencies().resolve("js:a/index.js").unwrap().path;
    let held = workspace.hold(std::slice::from_ref(&path), std::time::Duration::from_secs(1)).unwrap();
    let action = Action::Write { bytes: b"other".to_vec(), expect: Expect::Any };
    let refused = held.commit(vec![Draft { path: path.clone(), action }], &Cause::default());
    let refused = refused.map_err(|CommitError { path, why, .. }| (path, why)).map(|_| ());
    assert_eq!(refused, Err((path, CommitKind::External)));
    assert_eq!(fs::read_to_string(world.at("ws/node_modules/a/index.js")).unwrap(), "as it is");
}

/// Manifests and lock files of all package managers, with a package of each in its store.
const MANIFESTS: [(&str, &str); 7] = [
    ("ws/Cargo.toml", "[package]\nname = \"own\"\n[dependencies]\nserde = \"1\"\n"),
    ("ws/Cargo.lock", LOCK),
    ("ws/package.json", r#"{"name": "own", "dependencies": {"express": "^4", "ms": "*"}}"#),
    (
        "ws/package-lock.json",
        r#"{"packages": {"node_modules/express": {"version": "4.18.2"}, "node_modules/ms": {"version": "2.1.3"}}}"#,
    ),
    (
        "ws/go.mod",
        "module example.com/own\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b v1.0.0\n)\nreplace github.com/old/x => ../near\n",
    ),
    (
        "ws/pom.xml",
        "<project><dependencies><dependency><groupId>com.a</groupId><artifactId>b</artifactId><version>1.0</version></dependency></dependencies></project>",
    ),
    ("ws/requirements.txt", "requests==2.31.0\n-r other.txt\n"),
];

/// Text that would lead out of a store, or break a parser, if it were taken for a name or a version.
const HOSTILE: [&str; 12] = [
    "../",
    "../../../../../../secret",
    "/",
    "..",
    "\0",
    "\"",
    "\n",
    "[[[[[[[[",
    "{\"a\":",
    "<![CDATA[",
    "&x;",
    "\u{202e}",
];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/packages.txt"))),
        ..ProptestConfig::default()
    })]

    /// For any manifest and lock file, each package is in a store or in the workspace.
    #[test]
    fn no_lock_file_gives_access_outside_the_stores(
        damage in vec((any::<Index>(), any::<Index>(), any::<Index>(), 0_usize..12), 1..12),
    ) {
        let world = World::new();
        world.with(&[
            ("secret/lib.rs", "secret"),
            ("secret/package.json", r#"{"version": "1.0.0"}"#),
            ("home/.cargo/registry/src/index/serde-1.0.200/src/lib.rs", "serde"),
            ("ws/node_modules/express/package.json", r#"{"version": "4.18.2"}"#),
            ("ws/node_modules/ms/package.json", r#"{"version": "2.1.3"}"#),
            ("home/go/pkg/mod/github.com/a/b@v1.0.0/b.go", "b"),
            ("home/.m2/repository/com/a/b/1.0/b-1.0-sources/com/B.java", "b"),
        ]);
        let mut texts = MANIFESTS.map(|(path, text)| (path, text.to_owned()));
        for (file, token, at, removed) in damage {
            let (_, text) = &mut texts[file.index(MANIFESTS.len())];
            let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let start = at.index(borders.len());
            let end = (start + removed).min(borders.len() - 1);
            text.replace_range(borders[start]..borders[end], HOSTILE[token.index(HOSTILE.len())]);
        }
        world.with(&texts.each_ref().map(|(path, text)| (*path, text.as_str())));
        let base = world.base.path().canonicalize().unwrap();
        let all = world.dependencies().all(&|| false);
        for package in all.packages {
            let path = PathBuf::from(package.path.absolute());
            let path = path.canonicalize().unwrap_or(path);
            let allowed = ["home", "ws", "cache"].iter().any(|folder| path.starts_with(base.join(folder)));
            prop_assert!(allowed, "{} is in {}", package.label, path.display());
            let found = world.describe(&format!("{}/lib.rs", package.label));
            prop_assert!(!found.ends_with("= secret"), "{found}");
        }
    }
}
