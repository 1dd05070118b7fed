//! Tests of commands that read files without naming them: through wildcards, and from the contents that git has stored.

use crate::commands::World;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use toolpost_policy::{
    Decision::{self, Allow, Ask, Deny},
    Line, Policy, RuleSource,
};
use toolpost_test_rows::each;

fn root(world: &World) -> PathBuf {
    world.workspace.roots()[0].path().to_path_buf()
}

fn put(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Returns a policy for a workspace, with further rules of the operator.
fn ruled(world: &World, rules: &str) -> Policy {
    let policy = Policy::built_in().unwrap().within(vec![root(world)]).with_search(world.workspace.clone());
    policy.with(rules, &RuleSource::Operator("rules.toml".to_owned())).unwrap()
}

fn rule(touch: &str, key: &str, values: &[&str], decide: &str) -> String {
    format!("[[rule]]\ntouch = [\"{touch}\"]\n{key} = {values:?}\ndecide = \"{decide}\"\nwhy = \"said\"\n")
}

/// Commands that read their operand `{}`.
const READERS: [&str; 31] = [
    "cat {}",
    "cat -- {}",
    "cat < {}",
    "head -1 {}",
    "sort {}",
    "grep x {}",
    "grep -r x {}",
    "rg x {}",
    "sed -n 1p {}",
    "awk '{print}' {}",
    "jq . {}",
    "xxd {}",
    "base64 {}",
    "diff {} src/a.md",
    "strings {}",
    "cp {} dest",
    "cp -r {} dest",
    "cp -t dest {}",
    "mv {} dest",
    "ln {} dest",
    "install {} dest",
    "scp {} host:/x",
    "tar cf x.tar {}",
    "tar -c -f x.tar {}",
    "zip x.zip {}",
    "python3 a.py {}",
    "git add {}",
    "env cat {}",
    "timeout 5 cat {}",
    "for i in 1 2; do cat {}; done",
    "echo \"$(cat {})\"",
];

/// Words that the shell expands to `notes/plan.md`, among other files or alone.
const HIDING: [&str; 22] = [
    "notes/*.md",
    "notes/*",
    "*/plan.md",
    "*/*",
    "*/*.md",
    "./notes/*.md",
    "notes/p???.md",
    "notes/[o-q]lan.md",
    "notes/[!a]lan.md",
    "notes/[[:lower:]]lan.md",
    "notes/{plan,other}.md",
    "{src,notes}/*.md",
    "notes/{a..z}lan.md",
    "notes/**",
    "n*s/pl*",
    "notes/../notes/*",
    "src/../*/plan.md",
    "\"notes\"/*.md",
    "'notes'/pl*",
    "note\\s/*.md",
    "notes/pl\"an\".*",
    "link/*.md",
];

/// Words that the shell does not expand to `notes/plan.md`.
const HARMLESS: [&str; 9] = [
    "src/*.md",
    "notes/*.txt",
    "notes/q*",
    "notes/[a-c]*.txt",
    "notes/?",
    "*.md",
    "*/a.md",
    "notes/[!p]*.txt",
    "src/*/*.md",
];

fn hidden_world() -> (World, String) {
    let world = World::new();
    let files = [
        ("notes/plan.md", "secret"),
        ("notes/b.txt", ""),
        ("notes/other.md", ""),
        ("src/a.md", ""),
        ("src/x/y.md", ""),
        ("top.md", ""),
        ("a.py", ""),
    ];
    put(&root(&world), &files);
    std::os::unix::fs::symlink("notes", root(&world).join("link")).unwrap();
    let programs = [
        "cat", "head", "sort", "grep", "rg", "sed", "awk", "jq", "xxd", "base64", "diff", "strings", "cp",
        "mv", "ln", "install", "scp", "tar", "zip", "python3", "git add", "echo",
    ];
    let rules = rule("execute", "commands", &programs, "allow") + &rule("write", "paths", &["**"], "allow");
    (world, rules)
}

/// A file that a rule denies, or asks about, is found behind every wildcard, in every program.
#[test]
fn wildcards_hide_no_withheld_file() {
    let (world, rules) = hidden_world();
    for decide in ["deny", "ask"] {
        let policy = ruled(&world, &(rules.clone() + &rule("read", "paths", &["notes/plan.md"], decide)));
        let wanted = if decide == "deny" { Deny } else { Ask };
        let mut differ: Vec<(String, Decision)> = Vec::new();
        for (reader, word) in READERS.iter().flat_map(|reader| HIDING.iter().map(move |word| (reader, word)))
        {
            let command = reader.replace("{}", word);
            let explained = world.explain(&policy, Line::Shell(command.clone()));
            if explained.decision != wanted {
                differ.push((command, explained.decision));
            }
        }
        assert_eq!(differ, [], "{decide}");
        for (reader, word) in
            READERS.iter().flat_map(|reader| HARMLESS.iter().map(move |word| (reader, word)))
        {
            let command = reader.replace("{}", word);
            let explained = world.explain(&policy, Line::Shell(command.clone()));
            let named = explained
                .segments
                .iter()
                .flat_map(|segment| &segment.touches)
                .any(|touch| touch.what.contains("plan"));
            if named || explained.decision == Deny {
                differ.push((command, explained.decision));
            }
        }
        assert_eq!(differ, [], "{decide}");
    }
    // The prompt and the refusal name the file, and a rule for it allows the command.
    let policy = ruled(&world, &(rules.clone() + &rule("read", "paths", &["notes/plan.md"], "ask")));
    let explained = world.explain(&policy, Line::Shell("cat notes/*.md".to_owned()));
    assert_eq!(explained.reason(), "the command would read notes/plan.md: said");
    let path = root(&world).join("notes/plan.md");
    let allowed = rules
        + &rule("read", "paths", &["notes/plan.md"], "ask")
        + &rule("read", "paths", &[path.to_str().unwrap()], "allow");
    assert_eq!(world.judge(&ruled(&world, &allowed), "cat notes/*.md"), Allow);
}

#[test]
fn wildcards_without_withheld_files_need_no_approval() {
    let world = World::new();
    let files = [
        ("src/a.rs", ""),
        ("src/b.rs", ""),
        (".env", ""),
        ("server.key", ""),
        ("keys/id_rsa", ""),
        ("sub/.env", ""),
        ("doc/x y.md", ""),
        ("secrets.d/a.pem", ""),
    ];
    put(&root(&world), &files);
    world.check(
        &ruled(&world, ""),
        &[
            ("cat src/*.rs", Allow),
            ("cat src/*", Allow),
            ("grep -n main src/*.rs */*.rs", Allow),
            ("cat doc/*", Allow),
            ("cat *", Ask),
            ("cat *.key", Ask),
            ("head -1 s*", Ask),
            ("cat keys/*", Ask),
            ("cat sub/*", Allow),
            ("cat sub/.*", Ask),
            ("grep -r x sub/*", Allow),
            ("grep -r x *", Ask),
            ("grep -r x s[tu]*", Ask),
            ("grep -r x sr*", Allow),
            ("grep -r x doc/*", Allow),
            // Names are not secret.
            ("ls *", Allow),
            ("ls -l keys/*", Allow),
            ("du -sh *", Allow),
            ("wc -l *", Allow),
            ("echo *", Allow),
            ("stat *.key", Allow),
            // A quoted wildcard, or one that no shell reads, is a literal name.
            ("cat '*'", Allow),
            ("cat \\*", Allow),
        ],
    );
    let direct = ["cat", "*"].map(str::to_owned).to_vec();
    assert_eq!(world.explain(&ruled(&world, ""), Line::Words(direct)).decision, Allow);
}

/// A generator of numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// No word that bash expands to a denied file is allowed: compares the policy with bash on random words.
#[test]
#[expect(clippy::too_many_lines, reason = "most lines are rows")]
fn no_word_that_bash_expands_to_a_denied_file_is_allowed() {
    const PIECES: [&str; 32] = [
        "a",
        "b",
        "ab",
        "d",
        "/",
        "/",
        "*",
        "*",
        "?",
        "[ab]",
        "[!b]",
        "[a-d]",
        "[[:alpha:]]",
        "{a,b}",
        "{a,d/b}",
        "{a..d}",
        ".",
        ".h",
        "..",
        "\"a\"",
        "'d/'",
        "\\b",
        "\"*\"",
        "[",
        "{",
        ",",
        "}",
        "]",
        "!",
        "\\!",
        "-",
        "'-'",
    ];
    let world = World::new();
    let files = ["a", "b", "ab", ".h", "a.b", "d/a", "d/b", "d/.h", "d/ab", "e/d/a", "[", "{a", "a,b"];
    put(&root(&world), &files.map(|name| (name, "")));
    let mut numbers = Numbers(20_261_122);
    let words: Vec<String> = (0..8_000)
        .map(|_| (0..=numbers.below(5)).map(|_| PIECES[numbers.below(PIECES.len())]).collect::<String>())
        .filter(|word| !word.starts_with('/') && !word.replace("{a..d}", "").contains(".."))
        .collect();
    let script: String =
        words.iter().map(|word| format!("printf '%s\\037' {word}; printf '\\n'\n")).collect();
    let file = root(&world).join("d/.script");
    fs::write(&file, script).unwrap();
    let output =
        Command::new("bash").args(["--norc", "d/.script"]).current_dir(root(&world)).output().unwrap();
    fs::remove_file(file).unwrap();
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), words.len(), "{}", String::from_utf8_lossy(&output.stderr));
    let policies = files.map(|name| {
        let pattern = root(&world)
            .join(name)
            .display()
            .to_string()
            .replace('[', "[[]")
            .replace('{', "[{]")
            .replace(',', "[,]");
        let rules =
            rule("read", "paths", &[&pattern], "deny") + &rule("execute", "commands", &["zip"], "allow");
        (name, ruled(&world, &rules))
    });
    let (mut hidden, mut allowed) = (0, Vec::new());
    for (word, line) in words.iter().zip(&lines) {
        let expanded: BTreeSet<PathBuf> = line
            .split('\u{1f}')
            .filter(|path| !path.is_empty() && root(&world).join(path).is_file())
            .map(|path| root(&world).join(path).components().collect())
            .collect();
        for (name, policy) in &policies {
            if !expanded.contains(&root(&world).join(name)) {
                continue;
            }
            hidden += 1;
            for program in ["cat", "zip"] {
                if world.judge(policy, &format!("{program} {word}")) == Allow {
                    allowed.push(format!("{program} {word}: {name}"));
                }
            }
        }
    }
    assert_eq!(allowed, Vec::<String>::new());
    assert!(hidden > 1_000, "{hidden}");
}

/// Runs git in a workspace, without the user's configuration.
fn git(world: &World, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .current_dir(root(world))
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Commands that print the stored contents of any tracked file.
const PRINTERS: [&str; 19] = [
    "git show",
    "git show HEAD",
    "git show HEAD~0",
    "git log -p",
    "git log -p -1",
    "git log --patch",
    "git log -U5",
    "git diff HEAD~0",
    "git diff --cached",
    "git diff --staged",
    "git --no-pager diff HEAD",
    "git whatchanged -p",
    "git reflog -p",
    "git stash show -p",
    "git diff-tree -p HEAD",
    "git diff-index -p HEAD",
    "git cat-file -p 0123456",
    "git cat-file blob 0123456",
    "git log --stat -p",
];
/// Commands that print no contents, or only those of other files.
const OTHERS: [&str; 21] = [
    "git log",
    "git log --oneline -5",
    "git log --stat",
    "git show --stat HEAD",
    "git show --name-only",
    "git show -s HEAD",
    "git diff --stat HEAD",
    "git diff --name-status HEAD~0",
    "git diff --cached --quiet",
    "git status",
    "git show HEAD:src/main.rs",
    "git show HEAD -- src",
    "git diff HEAD -- src/main.rs",
    "git diff HEAD src",
    "git log -p -- src",
    "git log -p -- '*.rs'",
    "git diff HEAD -- . ':(exclude)keys/server.key'",
    "git diff HEAD -- ':!keys'",
    "git show HEAD -- ':(top,exclude)keys/server.key'",
    "cd src && git log -p -- .",
    "git cat-file -t HEAD",
];

/// A command that prints stored contents needs approval if git tracks a file that the rules deny or ask about.
#[test]
fn stored_contents_of_withheld_files_are_not_printed_unasked() {
    let world = World::new();
    put(
        &root(&world),
        &[
            ("src/main.rs", "fn main() {}\n"),
            ("keys/server.key", "one\n"),
            (".env", "A=1\n"),
            (".gitignore", ".env\n"),
        ],
    );
    git(&world, &["init", "-q"]);
    git(&world, &["add", "src", ".gitignore"]);
    git(&world, &["commit", "-qm", "one"]);
    let check = |rules: &str, printers: Decision| {
        let policy = ruled(&world, rules);
        let rows = PRINTERS.map(|command| (command, printers));
        world.check(&policy, &rows);
        world.check(&policy, &OTHERS.map(|command| (command, Allow)));
    };
    // The file is not tracked: git prints nothing of it.
    check("", Allow);
    world.check(&ruled(&world, ""), &[("git diff", Allow), ("git show HEAD:.env", Ask)]);
    git(&world, &["add", "keys"]);
    git(&world, &["commit", "-qm", "two"]);
    check("", Ask);
    check(&rule("read", "paths", &["keys/**"], "deny"), Ask);
    check(&rule("read", "paths", &["keys/**"], "allow"), Allow);
    for decide in ["deny", "ask"] {
        let policy = ruled(&world, &rule("read", "paths", &["keys/server.key"], decide));
        let named = if decide == "deny" { Deny } else { Ask };
        // Without a change, `git diff` prints nothing of the file.
        world.check(
            &policy,
            &[("git diff", Allow), ("git diff -- keys", Allow), ("git diff-files -p", Allow)],
        );
        world.check(
            &policy,
            &[
                ("git show HEAD:keys/server.key", named),
                ("git diff HEAD -- keys/server.key", named),
                ("git log -p -- keys/server.key", named),
                ("git blame keys/server.key", named),
                ("git log -p -- keys", Ask),
                ("git diff HEAD keys", Ask),
                ("cd keys && git log -p -- .", Ask),
                ("cd src && git log -p", Ask),
            ],
        );
    }
    let policy = ruled(&world, "");
    fs::write(root(&world).join("keys/server.key"), "three\n").unwrap();
    world.check(&policy, &[("git diff", Ask), ("git diff -- src", Allow), ("git diff -- ':!keys'", Allow)]);
    world.check(&policy, &[("git diff-files -p", Ask), ("git diff --stat", Allow)]);
    let explained = world.explain(&policy, Line::Shell("git diff".to_owned()));
    assert_eq!(
        explained.reason(),
        "the command would read keys/server.key: git tracks this file, and the command may print its content: Such a \
         file usually holds secrets. To leave it out, end the command with `-- ':(top,exclude)keys/server.key'`"
    );
    world.check(&policy, &[("git diff -- ':(top,exclude)keys/server.key'", Allow)]);
    // What git tracks now counts, although an ignore rule names it.
    fs::write(root(&world).join("keys/server.key"), "one\n").unwrap();
    git(&world, &["rm", "-q", "--cached", "keys/server.key"]);
    git(&world, &["add", "-f", ".env"]);
    git(&world, &["commit", "-qm", "three"]);
    let reason = world.explain(&policy, Line::Shell("git show".to_owned())).reason();
    assert!(reason.starts_with("the command would read .env: "), "{reason}");
}

/// Without a readable index, every file that git would not ignore counts as tracked.
#[test]
fn an_unreadable_index_excludes_no_file() {
    let world = World::new();
    put(
        &root(&world),
        &[("a.key", ""), (".gitignore", "b.key\n"), ("b.key", ""), (".git/index", "DIRC"), (".git/HEAD", "")],
    );
    let policy = ruled(&world, "");
    each(["git show", "git diff", "git log -p"], |command| {
        let explained = world.explain(&policy, Line::Shell(command.to_owned()));
        assert_eq!(explained.decision, Ask, "{command}");
        let named: Vec<&str> = explained
            .segments
            .iter()
            .flat_map(|segment| &segment.touches)
            .map(|touch| touch.what.as_str())
            .collect();
        assert_eq!(named, ["a.key"], "{command}");
    });
}
