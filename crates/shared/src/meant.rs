//! Keyword and semantic search over the blocks of many repositories, without local clones.

use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;
use tokio_postgres::{Client, IsolationLevel, Transaction};
use toolpost_index::embed::{Embedder as _, Side, Static, Vector};
use toolpost_index::ranked::Fusion;
use toolpost_index::ranked::portable::{Word, asked};

use crate::block::{BlockAcross, Candidate};
use crate::candidates::{Extent, Key, Known, Place, Scope};
use crate::names::Names;
use crate::server::Tables;
use crate::shown::Shown;
use crate::versions::{Version, versions};
use crate::{Fault, Server};

/// Time limit of a search.
const TIME: Duration = Duration::from_secs(60);

/// The number of candidates per requested block, and its bounds.
const CLOSELY: (usize, usize, usize) = (8, 400, 8_000);

/// Maximum number of words in an explanation.
const WORDS: usize = 6;

/// A query and its scope.
#[derive(Debug, Clone)]
pub struct Meant {
    /// The query text.
    pub question: String,
    /// The repository names; `*` is a wildcard.
    pub repositories: Vec<String>,
    /// The branch; the default is the one that was pushed first.
    pub branch: Option<String>,
    /// A file, or a directory to search below.
    pub path: Option<String>,
    /// Set to search tests too.
    pub tests: bool,
    /// Maximum number of returned blocks.
    pub limit: usize,
}

/// The result of a search.
#[derive(Debug, Default, Serialize)]
pub struct FoundMeant {
    /// The blocks, the best first.
    pub blocks: Vec<BlockAcross>,
    /// The number of searched repositories.
    pub repositories: usize,
    /// The number of their files.
    pub searched: u64,
    /// The number of their blocks.
    pub compared: u64,
    /// The model for semantic scores; `None` for a search by keywords alone.
    pub model: Option<String>,
    /// The parts that were not searched, or not by meaning, with reasons.
    pub left_out: Vec<String>,
}

impl Meant {
    /// Runs the search.
    ///
    /// # Errors
    /// If the query is empty, a name is not valid, no repository has such a name, or the server fails.
    pub fn run(&self, server: &Server) -> Result<FoundMeant, Fault> {
        let names = Names::new(&self.repositories)?;
        let words = asked(&self.question);
        if words.is_empty() {
            return Err(Fault::Question(self.question.clone()));
        }
        let model = Static::embedded().map_err(|bad| Fault::Model(bad.to_string()))?;
        let vector = model.vector(Side::Question, &self.question);
        server.run(TIME, Tables::Needed, async |client: &mut Client| {
            let fault = |error: tokio_postgres::Error| server.fault(&error);
            // All queries use one snapshot.
            let look =
                client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
            let look = look.start().await.map_err(fault)?;
            let versions =
                versions(server, &look, &names, &self.repositories, self.branch.as_deref()).await?;
            let search = Search {
                server,
                asked: self,
                words: &words,
                vector: &vector,
                model: &model,
                versions: &versions,
            };
            let found = search.all(&look).await?;
            look.commit().await.map_err(fault)?;
            Ok(found)
        })
    }
}

/// One search.
struct Search<'s> {
    server: &'s Server,
    asked: &'s Meant,
    words: &'s [Word],
    vector: &'s Vector,
    model: &'s Static,
    versions: &'s [Version],
}

impl Search<'_> {
    async fn all(&self, look: &Transaction<'_>) -> Result<FoundMeant, Fault> {
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
        let mut shown = Shown::new(self.server, look, self.model, self.vector, self.versions);
        shown.fill(candidates, &known, self.asked.limit).await?;
        let mut left_out = self.left_out(&extent, has_vectors, number);
        left_out.extend(shown.damage());
        Ok(FoundMeant {
            blocks: shown.blocks,
            repositories: self.versions.len(),
            searched: extent.files,
            compared: extent.totals.blocks,
            model: number.filter(|_| self.vector.scale > 0.0).map(|_| self.model.shown()),
            left_out,
        })
    }

    /// Returns whether the index has embeddings at all, and the number of the model in it.
    async fn number(&self, look: &Transaction<'_>) -> Result<(bool, Option<i32>), Fault> {
        let find = "select to_regclass('toolpost.vectors') is not null, (select id from toolpost.models where name = $1)";
        let row =
            look.query_one(find, &[&self.model.name()]).await.map_err(|error| self.server.fault(&error))?;
        let has_vectors: bool = row.get(0);
        Ok((has_vectors, row.get::<_, Option<i32>>(1).filter(|_| has_vectors)))
    }

    /// Scores the candidates like the index of a workspace; the best first.
    fn scored(
        &self,
        holding: &[u64],
        extent: &Extent,
        known: &HashMap<Key, Known>,
        places: &HashMap<(i32, i64), Vec<Place>>,
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

    /// Lists the parts that were not searched, or by keywords alone.
    fn left_out(&self, extent: &Extent, has_vectors: bool, number: Option<i32>) -> Vec<String> {
        let mut said = Vec::new();
        let old: Vec<&str> = self
            .versions
            .iter()
            .filter(|version| !version.has_ways)
            .map(|version| version.name.as_str())
            .collect();
        if !old.is_empty() {
            let named = old.iter().take(5).copied().collect::<Vec<_>>().join(", ");
            let count = old.len();
            said.push(format!(
                "{count} repositories ({named}), which an older version pushed without blocks; push them again"
            ));
        }
        if extent.uncut > 0 {
            let count = extent.uncut;
            said.push(format!(
                "{count} files whose blocks in the index are damaged or of another version; push them again"
            ));
        }
        if !has_vectors {
            said.push(
                "by meaning: the index has no vectors, since its server has no extension vector".to_owned(),
            );
        } else if number.is_none() {
            said.push(
                "by meaning: nothing in the index has vectors by the model of this program; push with it"
                    .to_owned(),
            );
        } else if self.vector.scale <= 0.0 {
            said.push("by meaning: the model knows none of these words; ask in English".to_owned());
        } else if extent.unmeant > 0 {
            let count = extent.unmeant;
            said.push(format!(
                "by meaning: {count} files without vectors by the model of this program; push them again"
            ));
        }
        said
    }
}
