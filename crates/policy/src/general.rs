//! Patterns for approvals that last longer than once: a program with its subcommand, and any further words.

use toolpost_shell::{Segment, Word};

/// The commands whose further words an approval may leave open. `*` is the name of a script.
///
/// A row belongs here only if no further word can make the command run code other than the project's own. The options
/// that can are known to `toolpost_syntax`, which reports them as more than the harmless form, so that no rule covers
/// them unnamed. Not here, and so approved by their exact words: shells and interpreters, commands that install or
/// download (`npm install`, `cargo install`), that accept variables (`make`), that reach a remote (`git push`), and
/// that discard work (`git checkout`).
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

/// The programs that pass their further words to a script of the project.
const RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun"];

/// Options that pass code, or a program, to the program that reads them.
const CODE: &[&str] =
    &["-c", "-e", "-exec", "--call", "--command", "--eval", "--exec", "--import", "--print", "--require"];

/// Interpreters, with the letters of the options that take code.
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

/// Programs whose words or input are code, in any form.
const ALWAYS_CODE: &[&str] = &[
    "eval", "source", ".", "exec", "trap", "ssh", "awk", "gawk", "mawk", "nawk", "psql", "mysql", "sqlite3",
    "parallel", "xargs", "gdb", "lldb", "ed", "ex", "vi", "vim", "nvim", "emacs",
];

/// Returns the pattern that covers a command with any further words; none if only its exact words may be approved.
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

/// Returns whether a word of a command may hand code to a program, so that no cautious rule covers it.
pub(crate) fn hands_over_code(segment: &Segment) -> bool {
    let runs_scripts = segment.program_name().is_some_and(|name| RUNNERS.contains(&name));
    segment.words.iter().skip(1).any(|word| match word.known() {
        None => word.may_be_option(),
        Some(word) => {
            let name = word.split('=').next().unwrap_or(word);
            let cluster = word.len() > 1 && word.starts_with('-') && !word.starts_with("--");
            // A script may be an interpreter, which reads the letters of `-pe` one by one.
            CODE.contains(&name) || (runs_scripts && cluster && word.contains(['c', 'e', 'p', 'r']))
        }
    })
}

/// Returns whether a command runs code from its words or its input, so that no rule can name its effect.
pub(crate) fn runs_given_code(segment: &Segment) -> bool {
    let Some(name) = segment.program_name() else { return true };
    if ALWAYS_CODE.contains(&name) {
        return true;
    }
    let plain = name.trim_end_matches(|found: char| found.is_ascii_digit() || found == '.');
    let Some((_, letters)) = INTERPRETERS.iter().find(|(program, _)| *program == plain) else { return false };
    for word in segment.words.iter().skip(1) {
        match word.known() {
            None | Some("-") => return true,
            Some("-m") if plain == "python" => return false,
            Some(option) if option.starts_with("--") => {
                let name = option.split('=').next().unwrap_or(option);
                if CODE.contains(&name) {
                    return true;
                }
            }
            Some(option) if option.starts_with('-') => {
                if option.contains(|letter| letters.contains(letter)) {
                    return true;
                }
            }
            // A word that is not a path may be the value of an option; then the code comes from the input.
            Some(operand) => return !operand.contains(['.', '/']),
        }
    }
    true
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

    fn only(text: &str) -> Segment {
        shell::read(text).segments.into_iter().next().unwrap()
    }

    #[test]
    fn an_approval_covers_a_subcommand_or_exact_words() {
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
        for (text, wanted) in rows {
            assert_eq!(pattern(&only(text)).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn code_in_the_words_or_in_the_input_is_known() {
        let given = [
            "python3 -c 'print(1)'",
            "python3 -Ic 'print(1)'",
            "python3.12 -",
            "python3",
            "python3 -W ignore",
            "node -e 1",
            "node --eval=1",
            "node -r ./a.js b.js",
            "perl -lane 1 a.txt",
            "php -r 1",
            "ruby",
            "bash -s x",
            "psql -f a.sql",
            "eval ls",
            "$X a",
        ];
        for text in given {
            assert!(runs_given_code(&only(text)), "{text}");
        }
        for text in ["python3 a.py -c", "python3 -m venv .venv", "node src/a.js", "bash -x ./a.sh", "make x"]
        {
            assert!(!runs_given_code(&only(text)), "{text}");
        }
    }
}
