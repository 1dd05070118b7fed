//! Verification of found blocks: the text of each is fetched, checked by its hash, and split again.

use std::collections::{HashMap, HashSet};

use tokio_postgres::Transaction;
use toolpost_ranked::embed::{Static, TextRole, Vector, likeness};
use toolpost_ranked::portable::{PortableBlock, cut};
use toolpost_workspace::ContentHash;

use crate::across::{counted, named};
use crate::block::{BlockAcross, Candidate, Stretch};
use crate::candidates::{Key, StoredBlock};
use crate::pack::PackedWords;
use crate::versions::{Version, whole_texts};
use crate::{Server, SharedIndexError};

/// Maximum number of bytes of a block's text that are shown.
const MOST: usize = 4_000;

/// Maximum number of other locations that are listed for a block.
const ALSO: usize = 8;

/// Maximum difference between a block's similarity by its stored embedding and by an embedding that is computed
/// again. If the difference is greater, the stored data of the block counts as wrong.
const NEAR: f32 = 0.01;

/// The hash of a content, and the language for which it is split: the key of a cut.
type Name = (ContentHash, String);

/// The blocks of a search result that were verified, with the data for the verification.
pub(crate) struct VerifiedBlocks<'s> {
    server: &'s Server,
    look: &'s Transaction<'s>,
    model: &'s Static,
    vector: &'s Vector,
    versions: HashMap<i32, &'s Version>,
    /// The fetched texts, each with its blocks; `None` for a damaged or missing text.
    cuts: HashMap<Name, Option<(String, Vec<PortableBlock>)>>,
    pub(crate) blocks: Vec<BlockAcross>,
    damaged: Vec<String>,
}

impl<'s> VerifiedBlocks<'s> {
    pub(crate) fn new(
        server: &'s Server,
        look: &'s Transaction<'s>,
        model: &'s Static,
        vector: &'s Vector,
        versions: &'s [Version],
    ) -> Self {
        let versions = versions.iter().map(|version| (version.repository, version)).collect();
        Self {
            server,
            look,
            model,
            vector,
            versions,
            cuts: HashMap::new(),
            blocks: Vec::new(),
            damaged: Vec::new(),
        }
    }

    /// Verifies the best candidates, until `limit` blocks are found. A block with the same text at another location is
    /// listed with the first one.
    pub(crate) async fn fill(
        &mut self,
        candidates: Vec<Candidate>,
        known: &HashMap<Key, StoredBlock>,
        limit: usize,
    ) -> Result<(), SharedIndexError> {
        let mut at: HashMap<(ContentHash, String, i32), usize> = HashMap::new();
        let mut rest = candidates.into_iter().peekable();
        while self.blocks.len() < limit && rest.peek().is_some() {
            let part: Vec<Candidate> = rest.by_ref().take(limit.max(16)).collect();
            self.fetch(&part).await?;
            for candidate in part {
                let same = (candidate.place.hash, candidate.place.way.clone(), candidate.key.2);
                if let Some(block) = at.get(&same).and_then(|at| self.blocks.get_mut(*at)) {
                    let name =
                        self.versions.get(&candidate.key.0).map_or("", |version| version.name.as_str());
                    if block.also.len() < ALSO {
                        block.also.push(format!("{name}: {}", candidate.place.path));
                    }
                    continue;
                }
                if self.blocks.len() >= limit {
                    continue;
                }
                match self.block(&candidate, known.get(&candidate.key)) {
                    Some(block) => {
                        at.insert(same, self.blocks.len());
                        self.blocks.push(block);
                    }
                    None => self.damaged.push(self.named(&candidate)),
                }
            }
        }
        Ok(())
    }

    /// Fetches the texts of the files that contain candidate blocks, and splits them into blocks.
    async fn fetch(&mut self, candidates: &[Candidate]) -> Result<(), SharedIndexError> {
        let mut wanted: HashMap<i32, HashSet<Name>> = HashMap::new();
        for candidate in candidates {
            let name = (candidate.place.hash, candidate.place.way.clone());
            if !self.cuts.contains_key(&name) {
                wanted.entry(candidate.place.repository).or_default().insert(name);
            }
        }
        for (repository, names) in wanted {
            let hashes: Vec<ContentHash> = names.iter().map(|(hash, _)| *hash).collect();
            let found = whole_texts(self.server, self.look, repository, &hashes).await?;
            for (hash, way) in names {
                let own = found
                    .get(&hash)
                    .and_then(|text| Some((text.clone(), cut(&way, text.clone().into_bytes())?)));
                self.cuts.insert((hash, way), own);
            }
        }
        Ok(())
    }

    /// Builds the result for a candidate block; `None` if its text is missing or damaged, or does not match the stored
    /// data of the block.
    fn block(&self, candidate: &Candidate, known: Option<&StoredBlock>) -> Option<BlockAcross> {
        let name = (candidate.place.hash, candidate.place.way.clone());
        let (text, pieces) = self.cuts.get(&name)?.as_ref()?;
        let piece = pieces.get(usize::try_from(candidate.key.2).ok()?)?;
        let known =
            known.filter(|known| known.first == i32::try_from(piece.block.first).unwrap_or(i32::MAX))?;
        if !known.held.is(&PackedWords::of(piece)) {
            return None;
        }
        let near = known.likeness.map(|_| {
            let own = self.model.vector(TextRole::Code, &piece.text);
            likeness(&own.parts, own.scale, &self.vector.parts, self.vector.scale)
        });
        if near.zip(known.likeness).is_some_and(|(own, said)| (own - said).abs() > NEAR) {
            return None;
        }
        let version = self.versions.get(&candidate.key.0)?;
        let (first, last) = (piece.block.first, piece.block.last);
        let mut lines = String::new();
        let mut cut = false;
        for line in text.lines().skip(first as usize - 1).take((last - first + 1) as usize) {
            if lines.len() + line.len() > MOST {
                cut = true;
                break;
            }
            lines.push_str(line);
            lines.push('\n');
        }
        lines.pop();
        Some(BlockAcross {
            repository: version.name.clone(),
            commit: version.commit.clone(),
            path: candidate.place.path.clone(),
            first_line: first,
            last_line: last,
            kind: piece.block.kind.name().to_owned(),
            name: piece.block.name.clone(),
            score: candidate.score,
            likeness: near.map(f64::from),
            words: candidate.words.clone(),
            lines: vec![Stretch { first, text: lines }],
            cut,
            also: Vec::new(),
        })
    }

    fn named(&self, candidate: &Candidate) -> String {
        let name = self.versions.get(&candidate.key.0).map_or("", |version| version.name.as_str());
        format!("{name}: {}", candidate.place.path)
    }

    /// Returns a note about the blocks that were omitted because their stored data does not match their text.
    pub(crate) fn damage(&self) -> Option<String> {
        if self.damaged.is_empty() {
            return None;
        }
        let named = named(self.damaged.iter().map(String::as_str));
        let blocks = counted(self.damaged.len(), "block", "blocks");
        Some(format!(
            "{blocks} with damaged text, words or embeddings in the index ({named}): remove the repository \
             with `toolpost index forget`, and repeat `toolpost index push` in it"
        ))
    }
}
