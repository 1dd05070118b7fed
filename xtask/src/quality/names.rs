//! Searches for the names of symbols: the share of searches that rank the definition first.

use super::output;
use crate::disk;
use anyhow::{Context, Result, anyhow, ensure};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use toolpost_ranked::embed::{Static, TextRole};
use toolpost_ranked::{
    EmbeddingIndex, Fusion, Hit, Index, SearchCriterion, SearchRequest, SemanticQuery, Tests,
    grammar::{Node, parse},
};
use toolpost_syntax::{Kind, Language};
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// Maximum number of names to search for in a tree, evenly spaced.
const ASKED: usize = 200;
/// Minimum length of a name, in characters.
const SHORTEST: usize = 3;
/// Number of code blocks that each search requests.
const BLOCKS: usize = 10;

/// Names of symbols, each with the file and the line of its definitions.
type Names = BTreeMap<String, BTreeSet<(String, u32)>>;

/// Counts of searches: all (`asked`), those whose first result is the definition (`first`), and those with the
/// definition among the first three results (`three`). `missed` lists the names of all other searches.
#[derive(Default)]
struct Figures {
    asked: usize,
    first: usize,
    three: usize,
    missed: Vec<String>,
}

/// Searches each tree by keywords and by the combination with embeddings, and prints the shares and the names
/// that were not found.
pub(super) fn measure(trees: &[PathBuf]) -> Result<()> {
    output::line("| tree | search | names | definition first | in the first three |\n|---|---|--:|--:|--:|");
    for tree in trees {
        one(tree).with_context(|| format!("{} cannot be measured", tree.display()))?;
    }
    Ok(())
}

fn one(tree: &Path) -> Result<()> {
    let tree = disk::canonical(tree)?;
    let options = Options { roots: vec![tree.clone()], ..Options::default() };
    let (workspace, _) = Workspace::open(options).context("the tree cannot be opened")?;
    let root = workspace.resolve(".").map_err(|error| anyhow!("{error}"))?;
    let index = Index::new(workspace);
    let names = names(&index, &root, &tree)?;
    ensure!(!names.is_empty(), "the code of the tree defines no names");
    let meaning = EmbeddingIndex::new(Static::embedded()?, None);
    meaning.fill(&index, std::slice::from_ref(&root), &|_| true, &|| false)?;
    let count = names.len().min(ASKED);
    let (mut words, mut both) = (Figures::default(), Figures::default());
    for at in 0..count {
        let Some((name, wanted)) = names.iter().nth(at * names.len() / count) else { continue };
        words.note(name, wanted, &by_words(&index, &root, name)?);
        both.note(name, wanted, &by_both(&index, &meaning, &root, name)?);
    }
    for (way, figures) in [("words", words), ("words and meaning", both)] {
        let share = |part: usize| part as f64 / figures.asked.max(1) as f64;
        output::line(&format!(
            "| {} | {way} | {} | {:.3} | {:.3} |",
            tree.file_name().unwrap_or_default().to_string_lossy(),
            figures.asked,
            share(figures.first),
            share(figures.three)
        ));
        if !figures.missed.is_empty() {
            output::line(&format!("not in the first three: {}", figures.missed.join(", ")));
        }
    }
    Ok(())
}

/// Lists the names that the code outside tests defines.
fn names(index: &Index, root: &WorkspacePath, tree: &Path) -> Result<Names> {
    let all = parse("NOT zzqqxxjjzz").map_err(|fault| anyhow!("{fault:?}"))?.node;
    let files: BTreeSet<String> =
        search(index, root, &all, Tests::LeftOut)?.into_iter().map(|hit| hit.key.path).collect();
    let mut names = Names::new();
    for file in files {
        let Ok(text) = disk::read(&tree.join(&file)) else { continue };
        let Some(language) = Language::of_text(Path::new(&file), &text).filter(|known| known.is_code())
        else {
            continue;
        };
        let Ok(parsed) = language.parse(&text) else { continue };
        for symbol in parsed.symbols() {
            let at = symbol.at.clone().map_or(symbol.signature.start, |at| at.start);
            let is_word = symbol.name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            let defines = symbol.kind.defines() && !matches!(symbol.kind, Kind::Impl | Kind::Module);
            if defines && is_word && symbol.name.trim_matches('_').len() >= SHORTEST {
                let line = 1 + text[..at].matches('\n').count();
                names.entry(symbol.name).or_default().insert((file.clone(), u32::try_from(line)?));
            }
        }
    }
    Ok(names)
}

fn search(index: &Index, root: &WorkspacePath, node: &Node, tests: Tests) -> Result<Vec<Hit>> {
    let lent = index.lend(&|| false)?;
    let ask =
        SearchRequest { what: SearchCriterion::Query(node), base: root, tests, may: &|_| true, after: None };
    Ok(lent.search(&ask).map_err(|why| anyhow!("{why:?}"))?.hits)
}

fn by_words(index: &Index, root: &WorkspacePath, name: &str) -> Result<Vec<Hit>> {
    let query = parse(name).or_else(|_| parse(&format!("\"{name}\"")));
    // Search the tests too, because a name can come from the test module of a file outside the tests.
    search(index, root, &query.map_err(|fault| anyhow!("{fault:?}"))?.node, Tests::Searched)
}

fn by_both(index: &Index, meaning: &EmbeddingIndex, root: &WorkspacePath, name: &str) -> Result<Vec<Hit>> {
    let mut made = meaning.model().embed(TextRole::Question, &[name], &|| false)?;
    let vector = made.pop().context("the model returned no embedding")?;
    let lent = index.lend(&|| false)?;
    let found = lent.search_meaning(
        meaning,
        &SemanticQuery {
            question: name,
            vector: &vector,
            bases: std::slice::from_ref(root),
            may: &|_| true,
            most: BLOCKS,
            fusion: Fusion::of_question(name),
        },
    );
    Ok(found.hits.into_iter().map(|(hit, _)| hit).collect())
}

impl Figures {
    fn note(&mut self, name: &str, wanted: &BTreeSet<(String, u32)>, hits: &[Hit]) {
        let defines = |hit: &Hit| {
            wanted.iter().any(|(path, line)| {
                hit.key.path == *path && hit.block.first <= *line && *line <= hit.block.last
            })
        };
        self.asked += 1;
        match hits.iter().take(BLOCKS).position(defines) {
            Some(0) => (self.first, self.three) = (self.first + 1, self.three + 1),
            Some(1 | 2) => self.three += 1,
            _ => self.missed.push(name.to_owned()),
        }
    }
}
