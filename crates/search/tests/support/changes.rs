//! Random changes to the files of a tree.

use crate::dice::Dice;
use std::io::Write;
use std::path::Path;

const DIRECTORIES: [&str; 8] = ["", "src/", "src/deep/", "lib/", "lib/a b/", ".hidden/", "build/", "docs/"];
const ENDINGS: [&str; 5] = ["rs", "py", "txt", "log", "md"];
const WORDS: [&str; 12] = [
    "needle",
    "Needle",
    "hay",
    "stack",
    "fn main",
    "return value;",
    "größe",
    "GRÖSSE",
    "xyz",
    "a.b",
    "TODO fix",
    "end",
];

/// Executes one command: an action, and the seed of its details.
#[expect(clippy::too_many_lines, reason = "an arm for each kind of change")]
pub(crate) fn act(root: &Path, what: &str, dice: &mut Dice) {
    let name = |dice: &mut Dice| {
        root.join(format!("{}f{}.{}", dice.one_of(&DIRECTORIES), dice.roll(14), dice.one_of(&ENDINGS)))
    };
    let text = |dice: &mut Dice| {
        let mut text = String::new();
        for _ in 0..dice.roll(12) {
            text.push_str(dice.one_of(&WORDS));
            text.push_str(
                dice.one_of(&[" ", " ", "\n", "\n", "\r\n", "\t", "\r", "\u{a0}", "\u{2003}", "\u{b}"]),
            );
        }
        text
    };
    let write = |path: &Path, bytes: &[u8]| {
        if !path.is_dir() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    };
    let path = name(dice);
    match what {
        "write" => write(&path, text(dice).as_bytes()),
        "append" => {
            if let Ok(mut file) = std::fs::File::options().append(true).open(&path) {
                file.write_all(text(dice).as_bytes()).unwrap();
            }
        }
        "map" => {
            let Ok(file) = std::fs::File::options().read(true).write(true).open(&path) else { return };
            let len = usize::try_from(file.metadata().unwrap().len()).unwrap();
            if len == 0 {
                return;
            }
            #[expect(unsafe_code, reason = "no other process changes the file while it is mapped")]
            let mut map = unsafe { memmap2::MmapMut::map_mut(&file).unwrap() };
            let word = dice.one_of(&WORDS).as_bytes();
            let at = dice.roll(len);
            let end = (at + word.len()).min(len);
            map[at..end].copy_from_slice(&word[..end - at]);
        }
        // A file of several blocks, which an indexed search reads only in parts.
        "long" => {
            let filler = "filler of a long file\n".repeat(800 + dice.roll(1_600));
            let whole: Vec<String> = (0..1 + dice.roll(4)).map(|_| text(dice) + &filler).collect();
            write(&path, (whole.concat() + &text(dice)).as_bytes());
        }
        "remove" => drop(std::fs::remove_file(&path)),
        "rename" => {
            let to = name(dice);
            if path.is_file() && !to.is_dir() {
                std::fs::create_dir_all(to.parent().unwrap()).unwrap();
                std::fs::rename(&path, to).unwrap();
            }
        }
        "move directory" => {
            let (from, to) = (root.join("src/deep"), root.join("lib/deep"));
            let (from, to) = if from.is_dir() { (from, to) } else { (to, from) };
            let _ = std::fs::create_dir_all(to.parent().unwrap());
            let _ = std::fs::rename(from, to);
        }
        "remove directory" => drop(std::fs::remove_dir_all(root.join("docs"))),
        "rules" => {
            let rules = dice.one_of(&["", "*.log\n", "build/\n*.log\n", "/docs\n!keep\n"]);
            write(&root.join(dice.one_of(&[".gitignore", "src/.gitignore", ".ignore"])), rules.as_bytes());
        }
        "odd" => {
            let bytes: &[u8] = dice.one_of(&[
                b"needle\0hay\n".as_slice(),
                b"\xFF\xFEn\0e\0e\0d\0l\0e\0\n\0",
                b"\xEF\xBB\xBFneedle\n",
                b"gr\xF6\xDFe needle\n",
            ]);
            write(&path, bytes);
        }
        "link" => drop(std::os::unix::fs::symlink(name(dice), root.join("src/deep/link.rs"))),
        "switch" => {
            for _ in 0..60 {
                let path = name(dice);
                match dice.roll(4) {
                    0 => drop(std::fs::remove_file(path)),
                    _ => write(&path, text(dice).as_bytes()),
                }
            }
        }
        other => panic!("{other}"),
    }
}
