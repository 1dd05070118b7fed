//! Keyword and semantic search over the blocks of the repositories in the shared index, without local clones.

use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;
use tokio_postgres::Transaction;
use toolpost_ranked::Fusion;
use toolpost_ranked::embed::{Embedder as _, Static, TextRole, Vector};
use toolpost_ranked::portable::{Word, asked};

use crate::across::{counted, named};
use crate::block::{BlockAcross, Candidate};
use crate::candidates::{ContentLocation, Key, Scope, SearchedCounts, StoredBlock};
use crate::names::Names;
use crate::verified_blocks::VerifiedBlocks;
use crate::versions::{Version, versions};
use crate::{Server, SharedIndexError};

fn file_count(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "file", "files")
}

/// Time limit for the queries of a search.
const TIME: Duration = Duration::from_secs(60);

/// Number of candidates for each requested block, and the minimum and maximum number of candidates; for keywords and
/// for meaning each.
const CLOSELY: (usize, usize, usize) = (8, 400, 8_000);

/// Maximum number of words of the query that are listed for a block.
const WORDS: usize = 6;

/// A query, and the repositories and files in which to search.
#[derive(Debug, Clone)]
pub struct SemanticQuery {
    /// The query: words that describe the code.
    pub question: String,
    /// The names of the repositories to search; `*` is a wildcard.
    pub repositories: Vec<String>,
    /// The branch to search; `None` for the main branch of each repository, which is usually the one that was pushed
    /// first.
    pub branch: Option<String>,
    /// A file or directory to search; `None` for all files.
    pub path: Option<String>,
    /// Set if tests are searched too.
    pub tests: bool,
    /// Maximum number of blocks in the result.
    pub limit: usize,
}

/// The result of a semantic search over repositories.
#[derive(Debug, Default, Serialize)]
pub struct SemanticResults {
    /// The blocks that were found, best first.
    pub blocks: Vec<BlockAcross>,
    /// The number of repositories that were searched.
    pub repositories: usize,
    /// The number of files in the search, including those without usable blocks.
    pub searched: u64,
    /// The number of blocks in the searched files.
    pub compared: u64,
    /// The embedding model that was used; `None` for a search by keywords alone.
    pub model: Option<String>,
    /// The repositories and files that were not searched, or by keywords alone, with reasons.
    pub left_out: Vec<String>,
}

impl SemanticQuery {
    /// Runs the search on a server.
    ///
    /// # Errors
    /// If the query is empty, a name is not valid, no repository has such a name, or the server fails.
    pub fn run(&self, server: &Server) -> Result<SemanticResults, SharedIndexError> {
        let names = Names::new(&self.repositories)?;
        let words = asked(&self.question);
        if words.is_empty() {
            return Err(SharedIndexError::Question(self.question.clone()));
        }
        let model = Static::embedded().map_err(|bad| SharedIndexError::Model(bad.to_string()))?;
        let vector = model.vector(TextRole::Question, &self.question);
        server.read(TIME, async |look: &Transaction<'_>| {
            let versions = versions(server, look, &names, &self.repositories, self.branch.as_deref()).await?;
            let (words, vector, model) = (&words, &vector, &model);
            Search { server, asked: self, words, vector, model, versions: &versions }.all(look).await
        })
    }
}

/// The state of one semantic search over repositories.
struct Search<'s> {
    server: &'s Server,
    asked: &'s SemanticQuery,
    words: &'s [Word],
    vector: &'s Vector,
    model: &'s Static,
    versions: &'s [Version],
}

impl Search<'_> {
    async fn all(&self, look: &Transaction<'_>) -> Result<SemanticResults, SharedIndexError> {
        let (has_vectors, number) = self.number(look).await?;
        let with: Vec<&Version> = self.versions.iter().filter(|version| version.has_ways).collect();
        let scope = Scope {
            server: self.server,
            look,
            repositories: with.iter().map(|version| version.repository).collect(),
            versions: with.iter().map(|version| version.id).collect(),
            tests: self.asked.tests,
            model: number,
            path: self.asked.path.as_ref().map(|path| path.trim_matches('/').as_bytes().to_vec()),
        };
        let extent = scope.extent().await?;
        let (each, least, largest) = CLOSELY;
        let most = self.asked.limit.saturating_mul(each).clamp(least, largest);
        let best = scope.best(self.words, self.vector, &extent.totals, most).await?;
        let known = scope.known(&best.blocks, self.vector).await?;
        let places = scope.places(&best.blocks).await?;
        let candidates = self.scored(&best.holding, &extent, &known, &places);
        let mut shown = VerifiedBlocks::new(self.server, look, self.model, self.vector, self.versions);
        shown.fill(candidates, &known, self.asked.limit).await?;
        let mut left_out = self.left_out(&extent, has_vectors, number);
        left_out.extend(shown.damage());
        Ok(SemanticResults {
            blocks: shown.blocks,
            repositories: self.versions.len(),
            searched: extent.files,
            compared: extent.totals.blocks,
            model: number.filter(|_| self.vector.scale > 0.0).map(|_| self.model.shown()),
            left_out,
        })
    }

    /// Returns whether the index stores embeddings, and the number of this program's model in the index; `None` if it
    /// has none by this model.
    async fn number(&self, look: &Transaction<'_>) -> Result<(bool, Option<i32>), SharedIndexError> {
        let find = "select to_regclass('toolpost.vectors') is not null, (select id from toolpost.models where name = $1)";
        let row =
            look.query_one(find, &[&self.model.name()]).await.map_err(|error| self.server.fault(&error))?;
        let has_vectors: bool = row.get(0);
        Ok((has_vectors, row.get::<_, Option<i32>>(1).filter(|_| has_vectors)))
    }

    /// Computes the scores of the candidate blocks as the local index of a workspace does, and sorts them, best first.
    fn scored(
        &self,
        holding: &[u64],
        extent: &SearchedCounts,
        known: &HashMap<Key, StoredBlock>,
        places: &HashMap<(i32, i64), Vec<ContentLocation>>,
    ) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (key, block) in known {
            let counts = |token: &str| block.held.counts(token);
            let mut words: Vec<(u64, String)> = Vec::new();
            for (word, holding) in self.words.iter().zip(holding) {
                if *holding <= extent.totals.blocks / 3 + 3 && word.is_held(&counts) {
                    words.push((*holding, word.shown.clone()));
                }
            }
            words.sort();
            let words: Vec<String> = words.into_iter().map(|(_, word)| word).take(WORDS).collect();
            for place in places.get(&(key.0, key.1)).into_iter().flatten() {
                let fits = |(word, holding): (&Word, &u64)| {
                    word.fits(&counts, &place.path, &block.held.lengths, &extent.totals, *holding)
                };
                let fits = self.words.iter().zip(holding).map(fits).sum();
                all.push(Candidate {
                    key: *key,
                    place: place.clone(),
                    score: 0.0,
                    words: words.clone(),
                    fits,
                });
            }
        }
        let near = |candidate: &Candidate| {
            known
                .get(&candidate.key)
                .and_then(|block| block.likeness)
                .map_or(0.0, |near| f64::from(near).max(0.0))
        };
        let nearest = all.iter().map(near).fold(f64::MIN_POSITIVE, f64::max);
        let fittest = all.iter().map(|candidate| candidate.fits).fold(f64::MIN_POSITIVE, f64::max);
        for candidate in &mut all {
            candidate.score = Fusion::best(near(candidate), nearest, candidate.fits, fittest);
        }
        all.retain(|candidate| candidate.score > 0.0);
        let names: HashMap<i32, &str> =
            self.versions.iter().map(|version| (version.repository, version.name.as_str())).collect();
        let shown = |candidate: &Candidate| {
            let name = names.get(&candidate.key.0).copied().unwrap_or_default();
            (
                name.to_owned(),
                candidate.place.path.clone(),
                known.get(&candidate.key).map_or(0, |block| block.first),
            )
        };
        all.sort_by(|one, other| {
            other.score.total_cmp(&one.score).then_with(|| shown(one).cmp(&shown(other)))
        });
        all
    }

    /// Lists the repositories and files that were not searched, or by keywords alone, with reasons and advice.
    fn left_out(&self, extent: &SearchedCounts, has_vectors: bool, number: Option<i32>) -> Vec<String> {
        let mut notes = Vec::new();
        let old: Vec<&str> = self
            .versions
            .iter()
            .filter(|version| !version.has_ways)
            .map(|version| version.name.as_str())
            .collect();
        if !old.is_empty() {
            let named = named(old.iter().copied());
            let old = counted(old.len(), "repository", "repositories");
            notes.push(format!(
                "{old} that an older version of Toolpost pushed without the blocks that this search needs ({named}): repeat \
                 `toolpost index push` in those repositories"
            ));
        }
        if extent.uncut > 0 {
            let files = file_count(extent.uncut);
            notes.push(format!(
                "{files} with blocks that are damaged or from another version of Toolpost: repeat \
                 `toolpost index push` in those repositories"
            ));
        }
        if !has_vectors {
            notes.push(
                "embeddings, because the index has no table for them: install the extension `vector` on the \
                 server, and repeat `toolpost index push`"
                    .to_owned(),
            );
        } else if number.is_none() {
            notes.push(
                "embeddings, because the index has none of this program's model: repeat `toolpost index push` \
                 with this program to add them"
                    .to_owned(),
            );
        } else if self.vector.scale <= 0.0 {
            notes.push(
                "embeddings, because the model knows none of the query's words: ask in English".to_owned(),
            );
        } else if extent.unmeant > 0 {
            let files = file_count(extent.unmeant);
            notes.push(format!(
                "the embeddings of {files}, because they are not from this program's model: repeat \
                 `toolpost index push` in those repositories"
            ));
        }
        notes
    }
}
