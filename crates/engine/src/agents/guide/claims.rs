//! The required form of claims: each with the positions that support it, so that it can be checked.

/// A parsed answer.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// The claims, each with its citations.
    pub(crate) claims: Vec<Claim>,
    /// The open questions.
    pub(crate) gaps: Vec<String>,
    /// True if the answer declares that there is nothing to claim.
    pub(crate) nothing: bool,
}

/// A claim and its citations.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) text: String,
    pub(crate) cites: Vec<String>,
}

/// Maximum length of a claim in characters, and maximum number of claims and of gaps in one answer.
const LONGEST: usize = 1_000;
const MOST: usize = 50;

/// Parses an answer; skips lines that are not in the required form.
pub(crate) fn read(answer: &str) -> Said {
    let mut said = Said::default();
    for line in answer.lines() {
        let Some((word, rest)) = keyword(line) else { continue };
        match word {
            Word::Claim if said.claims.len() < MOST && !rest.is_empty() => {
                said.claims.push(Claim { text: shortened(rest), cites: Vec::new() });
            }
            Word::Cite => {
                if let Some(claim) = said.claims.last_mut() {
                    claim.cites.push(rest.to_owned());
                }
            }
            Word::Gap if said.gaps.len() < MOST && !rest.is_empty() => said.gaps.push(shortened(rest)),
            Word::Nothing => said.nothing = true,
            Word::Claim | Word::Gap => {}
        }
    }
    said
}

#[derive(Clone, Copy)]
enum Word {
    Claim,
    Cite,
    Gap,
    Nothing,
}

/// Splits the keyword off a line, after any list or emphasis markers.
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
    use super::read;

    #[test]
    fn claims_stand_with_what_they_cite() {
        let rows = [
            ("CLAIM a\nCITE E1\nCITE x.py:3 | b: c\nGAP d", "a <E1> <x.py:3 | b: c>", "d"),
            ("Here it is:\n- **CLAIM:** a\n  - CITE: `x:1` | y\nCLAIM b\n", "a <`x:1` | y>; b", ""),
            ("CLAIMS are nothing\nCITE E1\nGAPS\nclaim c", "", ""),
            ("", "", ""),
        ];
        for (answer, claims, gaps) in rows {
            let said = read(answer);
            let shown = said.claims.iter().map(|claim| {
                let cites = claim.cites.iter().map(|cite| format!(" <{cite}>"));
                claim.text.clone() + &cites.collect::<String>()
            });
            assert_eq!(
                (shown.collect::<Vec<_>>().join("; ").as_str(), said.gaps.join("; ").as_str()),
                (claims, gaps),
                "{answer}"
            );
        }
        assert!(read("NOTHING").nothing && !read("NOTHINGNESS").nothing);
    }
}
