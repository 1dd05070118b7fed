//! Selection of candidate blocks by keywords and by meaning, with the stored data that their scores need.

use std::collections::HashMap;

use tokio_postgres::Transaction;
use tokio_postgres::types::ToSql;
use toolpost_ranked::embed::{Vector, likeness};
use toolpost_ranked::portable::{Totals, Word};
use toolpost_workspace::ContentHash;

use crate::cuts::{FORM, halves};
use crate::pack::{WordTable, name_number, number};
use crate::upload::hash_of;
use crate::{Server, SharedIndexError};

/// Weights of a query word: if it is the name of a block, if it occurs anywhere in the block, and if only its stem
/// occurs in a comment. The best blocks by these weights are the candidates, whose scores are then computed exactly.
const WORTH: [f32; 3] = [0.9, 0.45, 0.4];

/// SQL for the searched files, each with its cut: the file content as it was split into blocks.
const PLACED: &str = "placed as materialized (select f.repository, c.id, c.blocks, c.lengths, coalesce(c.model = $4, false) as meant \
     from toolpost.files f left join toolpost.cuts c \
     on c.repository = f.repository and c.hash = f.hash and c.way = f.way and c.whole and c.format = $5 \
     where f.repository = any($1) and f.version = any($2) and f.way is not null and ($3 or not f.test) and ";

/// SQL condition for the files at the path `$6` or below it.
const BELOW: &str = "($6::bytea is null or f.path = $6 or (f.path >= $6 || '\\x2f'::bytea and f.path < $6 || '\\x30'::bytea))";

/// The commits and files to search, and the embedding model.
pub(crate) struct Scope<'s> {
    pub(crate) server: &'s Server,
    pub(crate) look: &'s Transaction<'s>,
    pub(crate) repositories: Vec<i32>,
    pub(crate) versions: Vec<i64>,
    /// Set if tests are searched too.
    pub(crate) tests: bool,
    /// The number of the embedding model in the index; `None` if the index has no embeddings by it.
    pub(crate) model: Option<i32>,
    /// The file or directory to search; `None` for all files.
    pub(crate) path: Option<Vec<u8>>,
}

/// The numbers of files and blocks that are searched.
#[derive(Debug, Default, Clone)]
pub(crate) struct SearchedCounts {
    pub(crate) files: u64,
    /// The number of files that are not split into blocks by this version of Toolpost.
    pub(crate) uncut: u64,
    /// The number of files with blocks, but without embeddings by the model.
    pub(crate) unmeant: u64,
    pub(crate) totals: Totals,
}

/// The key of a block: the ids of its repository and of its cut (a file content split into blocks), and its number in
/// the cut.
pub(crate) type Key = (i32, i64, i32);

/// The blocks that keywords and meaning select as candidates.
#[derive(Default)]
pub(crate) struct SelectedBlocks {
    pub(crate) blocks: Vec<Key>,
    /// For each word of the query, the number of blocks that contain it.
    pub(crate) holding: Vec<u64>,
}

/// The data of a block that the index stores.
pub(crate) struct StoredBlock {
    pub(crate) first: i32,
    pub(crate) held: WordTable,
    pub(crate) likeness: Option<f32>,
}

/// A file that has the content of a cut (a file content split into blocks).
#[derive(Clone)]
pub(crate) struct ContentLocation {
    pub(crate) repository: i32,
    pub(crate) path: String,
    pub(crate) hash: ContentHash,
    pub(crate) way: String,
}

impl Scope<'_> {
    fn fault(&self, error: &tokio_postgres::Error) -> SharedIndexError {
        self.server.fault(error)
    }

    /// Returns the SQL parameters `$1` to `$6` of [`PLACED`] and [`BELOW`].
    fn scope(&self) -> [&(dyn ToSql + Sync); 6] {
        [&self.repositories, &self.versions, &self.tests, &self.model, &FORM, &self.path]
    }

    /// Counts the files and blocks that are searched.
    pub(crate) async fn extent(&self) -> Result<SearchedCounts, SharedIndexError> {
        let sums: Vec<String> =
            (1..=5).map(|place| format!("coalesce(sum(lengths[{place}]), 0)::bigint")).collect();
        let ask = format!(
            "with {PLACED}{BELOW}) select count(*), count(*) filter (where id is null), \
             count(*) filter (where id is not null and not meant), coalesce(sum(blocks), 0)::bigint, {} from placed",
            sums.join(", ")
        );
        let row = self.look.query_one(&ask, &self.scope()).await.map_err(|error| self.fault(&error))?;
        let number = |at: usize| row.get::<_, i64>(at).cast_unsigned();
        let mut totals = Totals { blocks: number(3), lengths: [0; 5] };
        totals.lengths.iter_mut().zip(4..).for_each(|(sum, at)| *sum = number(at));
        Ok(SearchedCounts { files: number(0), uncut: number(1), unmeant: number(2), totals })
    }

    /// Returns the best blocks by keywords and the best by meaning, at most `most` of each.
    pub(crate) async fn best(
        &self,
        words: &[Word],
        vector: &Vector,
        totals: &Totals,
        most: usize,
    ) -> Result<SelectedBlocks, SharedIndexError> {
        let mut best = SelectedBlocks { holding: vec![0; words.len()], ..SelectedBlocks::default() };
        let mut parts = vec![format!(
            "{PLACED}{BELOW}), alive as materialized (select distinct repository, id, meant from placed where id is not null)"
        )];
        let mut wanted = Vec::new();
        if !words.is_empty() {
            parts.push(worded(words, totals, most));
            wanted.push("select 0::smallint as sort, word::bigint as a, holding as b, 0 as c from held");
            wanted.push("select 1::smallint, repository::bigint, cut, number from worded");
        }
        let near = halves(vector);
        if self.model.is_some() && vector.scale > 0.0 {
            parts.push(format!(
                "near as materialized (select v.repository, v.cut, v.number from toolpost.vectors v \
                 join alive a on a.repository = v.repository and a.id = v.cut and a.meant \
                 where v.repository = any($1) and ($3 or not v.test) and vector_dims(v.parts) = {} and v.scale > 0 \
                 order by v.parts <=> '{near}'::halfvec limit {most})",
                vector.parts.len()
            ));
            wanted.push("select 1::smallint, repository::bigint, cut, number from near");
        }
        if wanted.is_empty() {
            return Ok(best);
        }
        let ask = format!("with {} {}", parts.join(", "), wanted.join(" union all "));
        for row in self.look.query(&ask, &self.scope()).await.map_err(|error| self.fault(&error))? {
            let (a, b): (i64, i64) = (row.get(1), row.get(2));
            if row.get::<_, i16>(0) == 1 {
                best.blocks.push((i32::try_from(a).unwrap_or_default(), b, row.get(3)));
            } else if let Some(holding) = usize::try_from(a).ok().and_then(|word| best.holding.get_mut(word))
            {
                *holding = b.cast_unsigned();
            }
        }
        best.blocks.sort_unstable();
        best.blocks.dedup();
        Ok(best)
    }

    /// Loads the stored data of blocks, with their similarity to the query; blocks with damaged data are omitted.
    pub(crate) async fn known(
        &self,
        blocks: &[Key],
        vector: &Vector,
    ) -> Result<HashMap<Key, StoredBlock>, SharedIndexError> {
        let repositories: Vec<i32> = blocks.iter().map(|key| key.0).collect();
        let cuts: Vec<i64> = blocks.iter().map(|key| key.1).collect();
        let numbers: Vec<i32> = blocks.iter().map(|key| key.2).collect();
        let mut asked: Vec<&(dyn ToSql + Sync)> = vec![&repositories, &cuts, &numbers];
        let (mut parts, mut join) = ("null::real, null::real[]", "");
        if self.model.is_some() {
            asked.push(&self.model);
            parts = "v.scale, v.parts::real[]";
            join = "left join (toolpost.cuts c join toolpost.vectors v on v.repository = c.repository and v.cut = c.id) \
                    on c.repository = u.repository and c.id = u.cut and c.model = $4 and v.number = u.number";
        }
        let ask = format!(
            "select u.repository, u.cut, u.number, b.first_line, b.tokens, b.words, {parts} \
             from unnest($1::integer[], $2::bigint[], $3::integer[]) as u (repository, cut, number) \
             join toolpost.blocks b on b.repository = u.repository and b.cut = u.cut and b.number = u.number {join}"
        );
        let rows = self.look.query(&ask, &asked).await.map_err(|error| self.fault(&error))?;
        let mut known = HashMap::new();
        for row in rows {
            let Some(held) = WordTable::read(row.get(4), row.get(5)) else { continue };
            let near = |parts: Vec<f32>, scale: f32| {
                let parts: Vec<i8> = parts.iter().map(|part| *part as i8).collect();
                (parts.len() == vector.parts.len() && vector.scale > 0.0)
                    .then(|| likeness(&parts, scale, &vector.parts, vector.scale))
            };
            let likeness = row
                .get::<_, Option<Vec<f32>>>(7)
                .zip(row.get(6))
                .and_then(|(parts, scale)| near(parts, scale));
            known.insert(
                (row.get(0), row.get(1), row.get(2)),
                StoredBlock { first: row.get(3), held, likeness },
            );
        }
        Ok(known)
    }

    /// Loads the files that contain the given blocks.
    pub(crate) async fn places(
        &self,
        blocks: &[Key],
    ) -> Result<HashMap<(i32, i64), Vec<ContentLocation>>, SharedIndexError> {
        let mut cuts: Vec<i64> = blocks.iter().map(|key| key.1).collect();
        cuts.dedup();
        let ask = format!(
            "select f.repository, c.id, f.path, f.hash, f.way from toolpost.cuts c join toolpost.files f \
             on f.repository = c.repository and f.hash = c.hash and f.way = c.way \
             where c.repository = any($1) and c.id = any($4) and f.version = any($2) and ($3 or not f.test) \
             and c.format = $5 and {BELOW} order by f.path"
        );
        let mut asked = self.scope();
        asked[3] = &cuts;
        let rows = self.look.query(&ask, &asked).await.map_err(|error| self.fault(&error))?;
        let mut places: HashMap<(i32, i64), Vec<ContentLocation>> = HashMap::new();
        for row in rows {
            let Some(hash) = hash_of(row.get(3)) else { continue };
            let path = String::from_utf8_lossy(row.get::<_, &[u8]>(2)).into_owned();
            let place = ContentLocation { repository: row.get(0), path, hash, way: row.get(4) };
            places.entry((place.repository, row.get(1))).or_default().push(place);
        }
        Ok(places)
    }
}

/// Builds the SQL that finds the blocks with the query's words (`hits`), counts the blocks with each word
/// (`held`), and selects the best blocks (`worded`).
fn worded(words: &[Word], totals: &Totals, most: usize) -> String {
    let [name, own, comment] = WORTH;
    let one = |at: usize, token: i32, worth: f32| {
        format!(
            "select {at} as word, {worth}::real as worth, repository, cut, number, test from toolpost.blocks \
             where repository = any($1) and tokens @> array[{token}]"
        )
    };
    let mut all = Vec::new();
    for (at, word) in words.iter().enumerate() {
        all.push(one(at, name_number(&word.token), name));
        all.push(one(at, number(&word.token), own));
        // Only the first stem of a word selects candidates. The second one, the stem as a plain word, counts only in
        // comments, and only for the score of a candidate.
        all.extend(word.stems.iter().take(1).map(|stem| one(at, number(stem), comment)));
    }
    let total = totals.blocks;
    format!(
        "hits as materialized (select w.word, w.repository, w.cut, w.number, max(w.worth) as worth from ({}) w \
         join alive a on a.repository = w.repository and a.id = w.cut where $3 or not w.test group by 1, 2, 3, 4), \
         held as materialized (select word, count(*) as holding from hits group by 1), \
         worded as materialized (select h.repository, h.cut, h.number from hits h join held d on d.word = h.word group by 1, 2, 3 \
         order by sum(h.worth * ln(1 + greatest({total} - d.holding + 0.5, 0) / (d.holding + 0.5))) desc, 1, 2, 3 limit {most})",
        all.join(" union all ")
    )
}
