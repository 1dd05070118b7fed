//! A generated repository in five languages, identical on every machine.

use super::corpus::{Chance, STAMP};
use crate::{disk, output};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Number of functions in a module, in addition to its type.
const FUNCTIONS: usize = 6;
/// Number of modules in a directory.
const FOLDER: usize = 40;
const VERBS: [&str; 12] = [
    "load", "parse", "merge", "decode", "render", "find", "store", "split", "count", "apply", "resolve",
    "collect",
];

/// Naming convention.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Snake,
    Camel,
    Pascal,
}

/// A programming language of the generated repository, with its templates.
pub(super) struct Language {
    /// Directory of the language's files.
    folder: &'static str,
    ending: &'static str,
    text: &'static str,
    /// Content and extension of an additional file for each module.
    beside: Option<(&'static str, &'static str)>,
    case: Case,
    /// Separator between directory and module in an import.
    between: &'static str,
    end: &'static str,
    /// Names of three shared functions: all modules call the first, every fortieth module the second, and one
    /// module the third.
    pub(super) called: [&'static str; 3],
    /// The definition of a function in `called`: the text before its name, and the text after it.
    written: [&'static str; 2],
}

/// The languages; each has the same number of files.
pub(super) const TONGUES: [Language; 5] = [
    Language {
        folder: "python",
        ending: "py",
        text: include_str!("code/python.txt"),
        beside: None,
        case: Case::Snake,
        between: ".",
        end: "",
        called: ["check_value", "note_value", "once_value"],
        written: ["def ", "(size: int) -> int:\n    return size\n\n\n"],
    },
    Language {
        folder: "typescript",
        ending: "ts",
        text: include_str!("code/typescript.txt"),
        beside: None,
        case: Case::Camel,
        between: "/",
        end: ";",
        called: ["ensureValue", "markValue", "singleValue"],
        written: ["export function ", "(size: number): number {\n  return size;\n}\n\n"],
    },
    Language {
        folder: "rust/src",
        ending: "rs",
        text: include_str!("code/rust.txt"),
        beside: None,
        case: Case::Snake,
        between: "::",
        end: ";",
        called: ["verify_value", "mark_some", "mark_lone"],
        written: ["pub fn ", "(size: usize) -> usize {\n    size\n}\n\n"],
    },
    Language {
        folder: "c",
        ending: "c",
        text: include_str!("code/c.txt"),
        beside: Some((include_str!("code/header.txt"), "h")),
        case: Case::Snake,
        between: "/",
        end: ";",
        called: ["assert_value", "trace_value", "lone_value"],
        written: ["static inline size_t ", "(size_t size)\n{\n    return size;\n}\n\n"],
    },
    Language {
        folder: "go",
        ending: "go",
        text: include_str!("code/go.txt"),
        beside: None,
        case: Case::Pascal,
        between: "/",
        end: "",
        called: ["RequireValue", "TraceValue", "LoneValue"],
        written: ["func ", "(size int) int {\n\treturn size\n}\n\n"],
    },
];

/// A generated module: one file, or two in a language with header files.
struct Module<'t> {
    tongue: &'t Language,
    number: usize,
}

/// Generates a repository of about `files` files unless it exists; returns its path.
pub(super) fn tree(folder: &Path, files: usize) -> Result<PathBuf> {
    let root = folder.join(format!("code-{files}"));
    if disk::exists(&root.join(STAMP)) {
        return Ok(root);
    }
    output::line(&format!("creating a repository with {files} source files"));
    disk::remove_folder(&root)?;
    disk::write(&root.join(".git/HEAD"), b"ref: refs/heads/main\n")?;
    disk::write(&root.join("go/go.mod"), b"module example.com/code\n\ngo 1.22\n")?;
    disk::write(&root.join("rust/Cargo.toml"), b"[package]\nname = \"code\"\n")?;
    for tongue in &TONGUES {
        let modules = files / TONGUES.len() / if tongue.beside.is_some() { 2 } else { 1 };
        for number in 0..modules {
            let module = Module { tongue, number };
            let place = root.join(module.path());
            let base = Module { tongue, number: (number + modules - FOLDER.min(modules)) % modules };
            disk::write(&place.with_extension(tongue.ending), module.text(tongue.text, &base).as_bytes())?;
            if let Some((text, ending)) = tongue.beside {
                disk::write(&place.with_extension(ending), module.text(text, &base).as_bytes())?;
            }
        }
        common(&root, tongue)?;
        match tongue.ending {
            "rs" => modules_of_rust(&root, tongue, modules)?,
            "py" => packages(&root, tongue, modules)?,
            _ => {}
        }
    }
    disk::write(&root.join(STAMP), b"")?;
    Ok(root)
}

/// Returns the name of the function `at` in the module `number` of a language; both are counted from 0.
pub(super) fn function(tongue: &'static Language, number: usize, at: usize) -> String {
    Module { tongue, number }.function(at)
}

/// Writes the functions in `called`, which all modules of a language use.
fn common(root: &Path, tongue: &Language) -> Result<()> {
    let ending = tongue.beside.map_or(tongue.ending, |(_, ending)| ending);
    let package = if tongue.ending == "go" { "package common\n\n" } else { "" };
    let [before, behind] = tongue.written;
    let all: String = tongue.called.iter().map(|name| format!("{before}{name}{behind}")).collect();
    let place = root.join(tongue.folder).join("common").join("values").with_extension(ending);
    Ok(disk::write(&place, format!("{package}{all}").as_bytes())?)
}

/// Writes the files that turn directories into packages.
fn packages(root: &Path, tongue: &Language, modules: usize) -> Result<()> {
    let root = root.join(tongue.folder);
    let folders = (0..modules).step_by(FOLDER).map(|number| Module { tongue, number }.package());
    for folder in folders.chain([String::new(), "common".to_owned()]) {
        disk::write(&root.join(folder).join("__init__.py"), b"")?;
    }
    Ok(())
}

/// Writes the `mod` lines of the Rust crate.
fn modules_of_rust(root: &Path, tongue: &Language, modules: usize) -> Result<()> {
    let root = root.join(tongue.folder);
    let mut top = String::from("pub mod common;\n");
    for first in (0..modules).step_by(FOLDER) {
        let own = |number| Module { tongue, number };
        let names = (first..modules.min(first + FOLDER)).map(|number| own(number).name());
        let all: String = names.map(|name| format!("pub mod {name};\n")).collect();
        let folder = own(first).package();
        disk::write(&root.join(&folder).join("mod.rs"), all.as_bytes())?;
        top.push_str(&format!("pub mod {folder};\n"));
    }
    disk::write(&root.join("common/mod.rs"), b"pub mod values;\n")?;
    Ok(disk::write(&root.join("lib.rs"), top.as_bytes())?)
}

impl Module<'_> {
    fn chance(&self) -> Chance {
        Chance::new(self.number as u64 * 31 + self.tongue.folder.len() as u64)
    }

    fn name(&self) -> String {
        format!("{}_{}", self.chance().word(), self.number)
    }

    fn package(&self) -> String {
        let folder = self.number / FOLDER;
        format!("{}_{folder:02}", Chance::new(folder as u64).word())
    }

    fn path(&self) -> String {
        format!("{}/{}/{}", self.tongue.folder, self.package(), self.name())
    }

    /// Returns the name of the module's type.
    fn kind(&self) -> String {
        let mut chance = self.chance();
        format!("{}{}", Case::Pascal.write(&[chance.word(), chance.word()]), self.number)
    }

    fn function(&self, at: usize) -> String {
        let mut chance = Chance::new((self.number * FUNCTIONS + at) as u64 * 77);
        let verb = VERBS[at * 2 % VERBS.len() + self.number % 2];
        let number = format!("{}", self.number);
        self.tongue.case.write(&[verb, chance.word(), &number])
    }

    /// Fills a template with the module's names.
    fn text(&self, template: &str, base: &Module<'_>) -> String {
        let mut parts = template.split("%%\n");
        let mut next = || parts.next().unwrap_or_default();
        let (head, block, tail) = (next(), next(), next());
        let mut text = self.filled(head, base, 0);
        (0..FUNCTIONS).for_each(|at| text.push_str(&self.filled(block, base, at)));
        text.push_str(&self.filled(tail, base, 0));
        text
    }

    fn filled(&self, text: &str, base: &Module<'_>, at: usize) -> String {
        let mut chance = Chance::new((self.number * 97 + at) as u64 + 5);
        let (first, second, third) = (chance.word(), chance.word(), chance.word());
        let path = format!("{}{}{}", base.package(), self.tongue.between, base.name());
        let pairs = [
            ("$BASE_PACKAGE", base.package()),
            ("$BASE_PATH", path),
            ("$BASE_CALL", base.function(self.number % FUNCTIONS)),
            ("$BASE", base.kind()),
            ("$TYPE", self.kind()),
            ("$FUNCTION", self.function(at)),
            ("$OTHER", self.function((at + 1) % FUNCTIONS)),
            ("$OWN", self.name()),
            ("$PACKAGE", self.package()),
            ("$CHECKS", self.checks()),
            ("$D", format!("{}", chance.below(900) + 2)),
            ("$N", format!("{}", self.number)),
            ("$n", first.to_owned()),
            ("$m", second.to_owned()),
            ("$W", Case::Pascal.write(&[third])),
            ("$w", third.to_owned()),
        ];
        pairs.iter().fold(text.to_owned(), |text, (mark, with)| text.replace(mark, with))
    }

    /// Generates the calls of the shared functions.
    fn checks(&self) -> String {
        let wanted = [true, self.number % FOLDER == 7, self.number == 7];
        let package = if self.tongue.ending == "go" { "common." } else { "" };
        let indent = match self.tongue.ending {
            "go" => "\t",
            "ts" | "c" => "    ",
            _ => "        ",
        };
        let all = self.tongue.called.iter().zip(wanted).filter(|(_, wanted)| *wanted);
        let all = all.map(|(name, _)| format!("{package}{name}(size){}", self.tongue.end));
        all.collect::<Vec<_>>().join(&format!("\n{indent}"))
    }
}

impl Case {
    fn write(self, words: &[&str]) -> String {
        let great = |word: &str| {
            let mut letters = word.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        };
        match self {
            Self::Snake => words.join("_"),
            Self::Pascal => words.iter().map(|word| great(word)).collect(),
            Self::Camel => {
                let (first, rest) = words.split_first().unwrap_or((&"", &[]));
                format!("{first}{}", rest.iter().map(|word| great(word)).collect::<String>())
            }
        }
    }
}
