//! Checks for merges of a snippet into a text, in every language, with code built from pieces and with
//! random text.

use arbitrary::Arbitrary;

#[path = "../../../../crates/syntax/tests/common/mod.rs"]
mod common;

#[derive(Arbitrary, Debug)]
pub(crate) struct Input {
    language: u8,
    file: Vec<u8>,
    /// Parts of the snippet: lines of the file, pieces of code and markers, in any order.
    snippet: Vec<Pick>,
    noise: Option<(String, String)>,
}

#[derive(Arbitrary, Debug)]
enum Pick {
    Marker(u8),
    Lines(u8, u8),
    Piece(u8),
    Indented(u8),
}

pub(crate) fn check(input: Input) {
    let file: String = input.file.iter().map(|pick| format!("{}\n", common::piece(*pick))).collect();
    let (original, snippet) = match &input.noise {
        Some(noise) => noise.clone(),
        None => (file.clone(), said(&file, &input.snippet)),
    };
    common::check(&original, &snippet, common::language(input.language));
}

fn said(file: &str, picks: &[Pick]) -> String {
    let lines: Vec<&str> = file.lines().collect();
    let mut out = String::new();
    for pick in picks {
        match pick {
            Pick::Marker(at) => out.push_str(common::marker(*at)),
            Pick::Lines(first, count) => {
                let first = usize::from(*first) % lines.len().max(1);
                let last = (first + usize::from(*count % 8)).min(lines.len());
                out.push_str(&lines[first.min(last)..last].join("\n"));
            }
            Pick::Piece(at) => out.push_str(common::piece(*at)),
            Pick::Indented(at) => {
                let lines = common::piece(*at).lines();
                out.push_str(&lines.map(|line| format!("    {line}\n")).collect::<String>());
            }
        }
        out.push('\n');
    }
    out
}
