//! Verified display of blocks: each text is fetched, checked by its hash, and split again.

use std::collections::{HashMap, HashSet};

use tokio_postgres::Transaction;
use toolpost_index::embed::{Side, Static, Vector, likeness};
use toolpost_index::ranked::portable::{Piece, cut};
use toolpost_workspace::ContentHash;

use crate::block::{BlockAcross, Candidate, Stretch};
use crate::candidates::{Key, Known};
use crate::pack::Packed;
use crate::versions::{Version, whole_texts};
use crate::{Fault, Server};

/// Maximum number of bytes shown of a block.
const MOST: usize = 4_000;

/// Maximum number of listed duplicates of a block.
const ALSO: usize = 8;

/// Tolerance when comparing a stored and a computed similarity.
const NEAR: f32 = 0.01;

/// A content that was split for one language.
type Name = (ContentHash, String);

/// The verified blocks.
pub(crate) struct Shown<'s> {
    server: &'s Server,
    look: &'s Transaction<'s>,
    model: &'s Static,
    vector: &'s Vector,
    versions: HashMap<i32, &'s Version>,
    /// The fetched texts with their blocks; `None` for a damaged text.
    cuts: HashMap<Name, Option<(String, Vec<Piece>)>>,
    pub(crate) blocks: Vec<BlockAcross>,
    damaged: Vec<String>,
}

impl<'s> Shown<'s> {
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

    /// Verifies the best blocks; duplicates at other locations are listed with the first.
    pub(crate) async fn fill(
        &mut self,
        candidates: Vec<Candidate>,
        known: &HashMap<Key, Known>,
        limit: usize,
    ) -> Result<(), Fault> {
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

    /// Fetches the texts of blocks.
    async fn fetch(&mut self, candidates: &[Candidate]) -> Result<(), Fault> {
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

    /// Builds the shown form of a block; `None` if the index contradicts the text.
    fn block(&self, candidate: &Candidate, known: Option<&Known>) -> Option<BlockAcross> {
        let name = (candidate.place.hash, candidate.place.way.clone());
        let (text, pieces) = self.cuts.get(&name)?.as_ref()?;
        let piece = pieces.get(usize::try_from(candidate.key.2).ok()?)?;
        let known =
            known.filter(|known| known.first == i32::try_from(piece.block.first).unwrap_or(i32::MAX))?;
        if !known.held.is(&Packed::of(piece)) {
            return None;
        }
        let near = known.likeness.map(|_| {
            let own = self.model.vector(Side::Code, &piece.text);
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
            kind: piece.block.kind.clone(),
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

    /// Reports the blocks that were omitted because the index contradicts their text.
    pub(crate) fn damage(&self) -> Option<String> {
        if self.damaged.is_empty() {
            return None;
        }
        let named = self.damaged.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let count = self.damaged.len();
        Some(format!(
            "{count} blocks whose text, words or vectors in the index are damaged ({named}); \
             `toolpost index forget` the repository and push it again"
        ))
    }
}
