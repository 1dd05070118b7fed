//! Command patterns for approvals that last longer than one call: a program with its subcommand, and any
//! further arguments.

use toolpost_shell::{Assignment, Effect, Segment, Word};

/// Commands whose approval may cover any further arguments. `*` stands for the name of a script.
///
/// A command belongs here only if no further argument can make it run code other than the project's.
/// `toolpost_shell` reports options that could do so as `Effect::More`, and a rule covers such an option only
/// if its pattern names the option. Not listed, and so approved only with their exact arguments: shells and
/// interpreters, commands that install or download (`npm install`, `cargo install`), that accept variables
/// (`make`), that contact a remote (`git push`), and that discard work (`git checkout`).
const GENERAL: &[&str] = &[
    "cargo b",
    "cargo bench",
    "cargo build",
    "cargo c",
    "cargo check",
    "cargo clippy",
    "cargo d",
    "cargo doc",
    "cargo fmt",
    "cargo metadata",
    "cargo nextest run",
    "cargo t",
    "cargo test",
    "cargo tree",
    "git add",
    "git commit",
    "go build",
    "go test",
    "go vet",
    "npm run *",
    "npm run-script *",
    "npm t",
    "npm test",
    "pnpm run *",
    "pnpm test",
    "yarn run *",
    "yarn test",
    "bun run *",
    "bun test",
    "pytest",
    "python -m pytest",
    "python3 -m pytest",
    "poetry run pytest",
    "uv run pytest",
    "python -m unittest",
    "python3 -m unittest",
    "black",
    "flake8",
    "mypy",
    "pylint",
    "ruff check",
    "ruff format",
    "uv run mypy",
    "uv run ruff",
    "python -m black",
    "python -m flake8",
    "python -m mypy",
    "python -m pylint",
    "python -m ruff",
    "python3 -m black",
    "python3 -m flake8",
    "python3 -m mypy",
    "python3 -m pylint",
    "python3 -m ruff",
    "eslint",
    "jest",
    "prettier",
    "vitest",
    "npx eslint",
    "npx jest",
    "npx prettier",
    "npx tsc --noEmit",
    "npx vitest",
    "tsc --noEmit",
];

/// The programs that pass further arguments to a script of the project.
const RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun"];

/// Options that pass code, or a program, to the program that reads them.
const CODE: &[&str] =
    &["-c", "-e", "-exec", "--call", "--command", "--eval", "--exec", "--import", "--print", "--require"];

/// Interpreters, each with the letters of its options that take code.
const INTERPRETERS: &[(&str, &str)] = &[
    ("python", "c"),
    ("pypy", "c"),
    ("node", "epr"),
    ("deno", "e"),
    ("bun", "epr"),
    ("ruby", "er"),
    ("perl", "eEMm"),
    ("php", "rBRE"),
    ("lua", "el"),
    ("Rscript", "e"),
    ("osascript", "e"),
    ("bash", "c"),
    ("dash", "c"),
    ("sh", "c"),
    ("zsh", "c"),
    ("ksh", "c"),
    ("ash", "c"),
    ("fish", "c"),
    ("pwsh", "c"),
];

/// Programs that take code in any argument or in their input.
const ALWAYS_CODE: &[&str] = &[
    "eval", "source", ".", "exec", "trap", "ssh", "awk", "gawk", "mawk", "nawk", "psql", "mysql", "sqlite3",
    "parallel", "xargs", "gdb", "lldb", "ed", "ex", "vi", "vim", "nvim", "emacs",
];

/// Returns the pattern that covers this command with any further arguments; `None` if at most this exact command may be
/// approved.
pub(crate) fn pattern(segment: &Segment) -> Option<String> {
    let words: Vec<&str> = segment.words.iter().map_while(Word::known).collect();
    if !segment.assignments.is_empty() || hands_over_code(segment) {
        return None;
    }
    let rows = GENERAL.iter().filter_map(|row| {
        let pieces: Vec<&str> = row.split(' ').collect();
        let fits = words.len() >= pieces.len()
            && pieces
                .iter()
                .zip(&words)
                .all(|(piece, word)| piece == word || (*piece == "*" && is_name(word)));
        fits.then_some(pieces.len())
    });
    Some(words[..rows.max()?].join(" "))
}

/// Checks whether an argument may pass code to a program, so that no cautious rule (one that an approval
/// wrote) covers the command with further arguments.
pub(crate) fn hands_over_code(segment: &Segment) -> bool {
    let runs_scripts = segment.program_name().is_some_and(|name| RUNNERS.contains(&name));
    segment.words.iter().skip(1).any(|word| match word.known() {
        None => word.may_be_option(),
        Some(word) => {
            let name = word.split('=').next().unwrap_or(word);
            let cluster = word.len() > 1 && word.starts_with('-') && !word.starts_with("--");
            // The project's script may start an interpreter, which reads each letter of an option such as `-pe`
            // separately, so every letter that passes code to an interpreter counts.
            CODE.contains(&name) || (runs_scripts && cluster && word.contains(['c', 'e', 'p', 'r']))
        }
    })
}

/// The source of code that a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GivenCode {
    /// The arguments contain the code.
    Arguments,
    /// The code comes from the input or from a program that the command names, or its source is unknown.
    Input,
}

/// Returns the source of the code that a command runs from its arguments, its variables or its input, so that no rule
/// with further arguments can describe its effect; `None` if it runs no such code.
pub(crate) fn given_code(segment: &Segment) -> Option<GivenCode> {
    let Some(name) = segment.program_name() else { return Some(GivenCode::Input) };
    if ALWAYS_CODE.contains(&name) || segment.assignments.iter().any(Assignment::passes_code) {
        return Some(GivenCode::Input);
    }
    let plain = unversioned(name);
    let Some((_, letters)) = INTERPRETERS.iter().find(|(program, _)| *program == plain) else {
        let names_one = names_programs(segment) || segment.effects.iter().any(Effect::runs_programs);
        return names_one.then_some(GivenCode::Input);
    };
    let all_known = segment.words.iter().all(|word| word.known().is_some());
    let in_arguments = Some(if all_known { GivenCode::Arguments } else { GivenCode::Input });
    for word in segment.words.iter().skip(1) {
        match word.known() {
            None | Some("-") => return Some(GivenCode::Input),
            Some("-m") if plain == "python" => return None,
            Some(option) if option.starts_with("--") => {
                let name = option.split('=').next().unwrap_or(option);
                if CODE.contains(&name) {
                    return in_arguments;
                }
            }
            Some(option) if option.starts_with('-') => {
                if option.contains(|letter| letters.contains(letter)) {
                    return in_arguments;
                }
            }
            // An operand that is not a path may be the value of an option; then the program reads code from
            // its input.
            Some(operand) => return (!operand.contains(['.', '/'])).then_some(GivenCode::Input),
        }
    }
    Some(GivenCode::Input)
}

/// Checks whether the arguments name a program that will run: a setting of git, a command for git to repeat, or an
/// interpreter with code.
fn names_programs(segment: &Segment) -> bool {
    let words: Vec<&str> = segment.words.iter().map(|word| word.known().unwrap_or_default()).collect();
    let git = segment.program_name() == Some("git");
    let has = |word: &str| words.contains(&word);
    let is_setting = |word: &&str| word.contains('.') && !word.to_ascii_lowercase().starts_with("user.");
    let sets = git && has("config") && words.iter().skip(2).any(is_setting);
    let repeats = git && ((has("submodule") && has("foreach")) || has("filter-branch"));
    let is_code = |pair: &[&str]| {
        let name = pair[0].rsplit('/').next().unwrap_or(pair[0]);
        let known = INTERPRETERS.iter().find(|(program, _)| *program == unversioned(name));
        known.is_some_and(|(_, letters)| {
            let option = pair[1].strip_prefix('-').unwrap_or_default();
            option.contains(|letter| letters.contains(letter))
        })
    };
    sets || repeats || words.get(1..).unwrap_or_default().windows(2).any(is_code)
}

/// Removes the version from the name of a program, such as `python3.12`.
fn unversioned(name: &str) -> &str {
    name.trim_end_matches(|found: char| found.is_ascii_digit() || found == '.')
}

fn is_name(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('-')
        && word.chars().all(|found| found.is_ascii_alphanumeric() || "_:-".contains(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_shell as shell;
    use toolpost_test_rows::each;

    fn only(text: &str) -> Segment {
        shell::read(text).segments.into_iter().next().unwrap()
    }

    #[test]
    fn an_approval_covers_a_subcommand_or_exact_arguments() {
        let rows = [
            ("cargo test", Some("cargo test")),
            ("cargo test --release -p a", Some("cargo test")),
            ("cargo +nightly test", None),
            ("cargo install x", None),
            ("cargo run", None),
            ("python3 -m pytest -q tests/a.py", Some("python3 -m pytest")),
            ("python3 -m http.server", None),
            ("python3 a.py", None),
            ("npm test", Some("npm test")),
            ("npm test -- -pe 1", None),
            ("npm run test:unit -- --watch", Some("npm run test:unit")),
            ("npm run ../x", None),
            ("npm install x", None),
            ("npx tsc", None),
            ("npx tsc --noEmit -p .", Some("npx tsc --noEmit")),
            ("git commit -m x", Some("git commit")),
            ("git commit -c HEAD", None),
            ("git push", None),
            ("make test", None),
            ("FOO=1 cargo test", None),
            ("./cargo test", None),
            ("cargo test $X", None),
            ("bash -x a.sh", None),
        ];
        each(rows, |(text, wanted)| {
            assert_eq!(pattern(&only(text)).as_deref(), wanted, "{text}");
        });
    }

    #[test]
    fn code_in_arguments_or_input_is_detected() {
        use GivenCode::{Arguments, Input};
        let rows = [
            ("python3 -c 'print(1)'", Some(Arguments)),
            ("python3 -Ic 'print(1)'", Some(Arguments)),
            ("python3 -c \"$CODE\"", Some(Input)),
            ("python3.12 -", Some(Input)),
            ("python3", Some(Input)),
            ("python3 -W ignore", Some(Input)),
            ("node -e 1", Some(Arguments)),
            ("node --eval=1", Some(Arguments)),
            ("node -r ./a.js b.js", Some(Arguments)),
            ("perl -lane 1 a.txt", Some(Arguments)),
            ("php -r 1", Some(Arguments)),
            ("ruby", Some(Input)),
            ("bash -s x", Some(Input)),
            ("psql -f a.sql", Some(Input)),
            ("eval ls", Some(Input)),
            ("$X a", Some(Input)),
            ("python3 a.py -c", None),
            ("python3 -m venv .venv", None),
            ("node src/a.js", None),
            ("bash -x ./a.sh", None),
            ("make x", None),
            ("git -c core.sshCommand='sh -c id' fetch", Some(Input)),
            ("git -c alias.x='!id' x", Some(Input)),
            ("git --exec-path=./x status", Some(Input)),
            ("git config core.pager 'sh -c id'", Some(Input)),
            ("git config --global alias.x '!id'", Some(Input)),
            ("git submodule foreach 'id'", Some(Input)),
            ("git rebase -x id HEAD~1", Some(Input)),
            ("git bisect run sh -c id", Some(Input)),
            ("git fetch --upload-pack ./x", Some(Input)),
            ("PAGER='sh -c id' man ls", Some(Input)),
            ("env PAGER='sh -c id' man ls", Some(Input)),
            ("GIT_SSH_COMMAND=./x git fetch", Some(Input)),
            ("LD_PRELOAD=./x.so ls", Some(Input)),
            ("LD_PRELOAD=x.so ls", Some(Input)),
            ("PATH=. ls", Some(Input)),
            ("RUSTFLAGS='-C linker=./x' cargo build", Some(Input)),
            ("NODE_OPTIONS=--require=./x.js npm test", Some(Input)),
            ("PAGER=$X man ls", Some(Input)),
            ("CC='sh -c id' make", Some(Input)),
            ("rg --pre ./x y", Some(Input)),
            ("tar -x --to-command=./x -f a.tar", Some(Input)),
            ("docker run a sh -c id", Some(Input)),
            ("npx node -e 1", Some(Input)),
            ("FOO='a b' make", None),
            ("PAGER=less man ls", None),
            ("CC=clang make", None),
            ("PYTHONPATH=src pytest", None),
            ("git config user.name me", None),
            ("git commit -m 'git -c x'", None),
        ];
        each(rows, |(text, wanted)| {
            assert_eq!(given_code(&only(text)), wanted, "{text}");
        });
    }
}
