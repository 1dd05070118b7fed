//! Parser for a model's answer: lines that start with `CLAIM`, `CITE`, `GAP` or `NOTHING`.
//!
//! Each claim cites the locations that support the claim, so that the citations can be checked.

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct ParsedAnswer {
    /// The `CLAIM` lines of the answer, each with the `CITE` lines after it.
    pub(crate) claims: Vec<Claim>,
    /// The `GAP` lines: open questions.
    pub(crate) gaps: Vec<String>,
    /// True if the answer has a `NOTHING` line: there is nothing to claim.
    pub(crate) nothing: bool,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) text: String,
    pub(crate) cites: Vec<String>,
}

/// Maximum length of a claim or a gap, in characters; longer ones are cut.
const LONGEST: usize = 1_000;
/// Maximum number of claims, and of gaps, in one answer; later ones are ignored.
const MOST: usize = 50;

/// Parses a model's answer. Lines without a keyword such as `CLAIM` are ignored.
pub(crate) fn read(answer: &str) -> ParsedAnswer {
    let mut parsed = ParsedAnswer::default();
    // False after a claim that is ignored: its citations do not belong to the claim before it.
    let mut is_kept = false;
    for line in answer.lines() {
        let Some((word, rest)) = keyword(line) else { continue };
        match word {
            Word::Claim => {
                is_kept = parsed.claims.len() < MOST && !rest.is_empty();
                if is_kept {
                    parsed.claims.push(Claim { text: shortened(rest), cites: Vec::new() });
                }
            }
            Word::Cite => {
                if let Some(claim) = parsed.claims.last_mut().filter(|_| is_kept) {
                    claim.cites.push(rest.to_owned());
                }
            }
            Word::Gap if parsed.gaps.len() < MOST && !rest.is_empty() => parsed.gaps.push(shortened(rest)),
            Word::Nothing => parsed.nothing = true,
            Word::Gap => {}
        }
    }
    parsed
}

#[derive(Clone, Copy)]
enum Word {
    Claim,
    Cite,
    Gap,
    Nothing,
}

/// Splits the keyword off a line; `None` if the line has none. Markdown markers for lists, headings and emphasis may
/// precede the keyword.
fn keyword(line: &str) -> Option<(Word, &str)> {
    let line = line.trim_start_matches(|letter: char| letter.is_whitespace() || "-*#>`".contains(letter));
    let words =
        [("CLAIM", Word::Claim), ("CITE", Word::Cite), ("GAP", Word::Gap), ("NOTHING", Word::Nothing)];
    words.into_iter().find_map(|(name, word)| {
        let rest = line.strip_prefix(name)?;
        // The keyword must not be the beginning of another word.
        if rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_') {
            return None;
        }
        Some((
            word,
            rest.trim_start_matches(|letter: char| letter.is_whitespace() || ":*".contains(letter))
                .trim_end(),
        ))
    })
}

fn shortened(text: &str) -> String {
    toolpost_text::cut::line(text, LONGEST).0.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{MOST, read};
    use toolpost_test_rows::each;

    #[test]
    fn claims_are_parsed_with_their_citations() {
        let rows = [
            ("CLAIM a\nCITE E1\nCITE x.py:3 | b: c\nGAP d", "a <E1> <x.py:3 | b: c>", "d"),
            ("Here it is:\n- **CLAIM:** a\n  - CITE: `x:1` | y\nCLAIM b\n", "a <`x:1` | y>; b", ""),
            ("CLAIMS are nothing\nCITE E1\nGAPS\nclaim c", "", ""),
            ("CLAIM a\nCITE E1\nCLAIM\nCITE E2\nCLAIM b\nCITE E3", "a <E1>; b <E3>", ""),
            ("CITE E1\nCLAIM a", "a", ""),
            ("", "", ""),
        ];
        each(rows, |(answer, claims, gaps)| {
            let parsed = read(answer);
            let shown = parsed.claims.iter().map(|claim| {
                let cites = claim.cites.iter().map(|cite| format!(" <{cite}>"));
                claim.text.clone() + &cites.collect::<String>()
            });
            assert_eq!(
                (shown.collect::<Vec<_>>().join("; ").as_str(), parsed.gaps.join("; ").as_str()),
                (claims, gaps),
                "{answer}"
            );
        });
        let answer: String = (0..=MOST).map(|number| format!("CLAIM {number}\nCITE E{number}\n")).collect();
        let claims = read(&answer).claims;
        assert_eq!((claims.len(), claims[MOST - 1].cites.as_slice()), (MOST, ["E49".to_owned()].as_slice()));
        assert!(read("NOTHING").nothing && !read("NOTHINGNESS").nothing);
    }
}
