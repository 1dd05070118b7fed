//! Selection of candidate blocks by keywords and by meaning, and the data to score them.

use std::collections::HashMap;

use tokio_postgres::Transaction;
use tokio_postgres::types::ToSql;
use toolpost_index::embed::{Vector, likeness};
use toolpost_index::ranked::portable::{Totals, Word};
use toolpost_workspace::ContentHash;

use crate::cuts::{FORM, halves};
use crate::pack::{Held, name_number, number};
use crate::upload::hash_of;
use crate::{Fault, Server};

/// Weights of a word as the block's name, anywhere, or as a stem in comments; the best blocks by these
/// weights are scored exactly.
const WORTH: [f32; 3] = [0.9, 0.45, 0.4];

/// The searched files, with their cuts.
const PLACED: &str = "placed as materialized (select f.repository, c.id, c.blocks, c.lengths, coalesce(c.model = $4, false) as meant \
     from toolpost.files f left join toolpost.cuts c \
     on c.repository = f.repository and c.hash = f.hash and c.way = f.way and c.whole and c.format = $5 \
     where f.repository = any($1) and f.version = any($2) and f.way is not null and ($3 or not f.test) and ";

/// Condition for a path, or a directory above it.
const BELOW: &str = "($6::bytea is null or f.path = $6 or (f.path >= $6 || '\\x2f'::bytea and f.path < $6 || '\\x30'::bytea))";

/// The scope of a search, and its model.
pub(crate) struct Scope<'s> {
    pub(crate) server: &'s Server,
    pub(crate) look: &'s Transaction<'s>,
    pub(crate) repositories: Vec<i32>,
    pub(crate) versions: Vec<i64>,
    /// Set to search tests too.
    pub(crate) tests: bool,
    /// The number of the model; `None` if the index has no embeddings by it.
    pub(crate) model: Option<i32>,
    /// A file or a directory; everything by default.
    pub(crate) path: Option<Vec<u8>>,
}

/// The size of the scope.
#[derive(Debug, Default, Clone)]
pub(crate) struct Extent {
    pub(crate) files: u64,
    /// The number of files without current blocks.
    pub(crate) uncut: u64,
    /// The number of further files without embeddings by the model.
    pub(crate) unmeant: u64,
    pub(crate) totals: Totals,
}

/// The key of a block: its repository, its cut, and its number in the cut.
pub(crate) type Key = (i32, i64, i32);

/// The candidate blocks.
#[derive(Default)]
pub(crate) struct Best {
    pub(crate) blocks: Vec<Key>,
    /// The number of blocks with each word of the query.
    pub(crate) holding: Vec<u64>,
}

/// The stored data of a block.
pub(crate) struct Known {
    pub(crate) first: i32,
    pub(crate) held: Held,
    pub(crate) likeness: Option<f32>,
}

/// The location of a cut: a file of a commit.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) repository: i32,
    pub(crate) path: String,
    pub(crate) hash: ContentHash,
    pub(crate) way: String,
}

impl Scope<'_> {
    fn fault(&self, error: &tokio_postgres::Error) -> Fault {
        self.server.fault(error)
    }

    /// The beginning of every query about the scope.
    fn scope(&self) -> [&(dyn ToSql + Sync); 6] {
        [&self.repositories, &self.versions, &self.tests, &self.model, &FORM, &self.path]
    }

    /// Returns the size of the scope.
    pub(crate) async fn extent(&self) -> Result<Extent, Fault> {
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
        Ok(Extent { files: number(0), uncut: number(1), unmeant: number(2), totals })
    }

    /// Returns the best candidates by keywords and by meaning, up to a number of each.
    pub(crate) async fn best(
        &self,
        words: &[Word],
        vector: &Vector,
        totals: &Totals,
        most: usize,
    ) -> Result<Best, Fault> {
        let mut best = Best { holding: vec![0; words.len()], ..Best::default() };
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

    /// Loads the data of blocks; damaged ones are omitted.
    pub(crate) async fn known(&self, blocks: &[Key], vector: &Vector) -> Result<HashMap<Key, Known>, Fault> {
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
            let Some(held) = Held::read(row.get(4), row.get(5)) else { continue };
            let near = |parts: Vec<f32>, scale: f32| {
                let parts: Vec<i8> = parts.iter().map(|part| *part as i8).collect();
                (parts.len() == vector.parts.len() && vector.scale > 0.0)
                    .then(|| likeness(&parts, scale, &vector.parts, vector.scale))
            };
            let likeness = row
                .get::<_, Option<Vec<f32>>>(7)
                .zip(row.get(6))
                .and_then(|(parts, scale)| near(parts, scale));
            known.insert((row.get(0), row.get(1), row.get(2)), Known { first: row.get(3), held, likeness });
        }
        Ok(known)
    }

    /// Loads the locations of cuts.
    pub(crate) async fn places(&self, blocks: &[Key]) -> Result<HashMap<(i32, i64), Vec<Place>>, Fault> {
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
        let mut places: HashMap<(i32, i64), Vec<Place>> = HashMap::new();
        for row in rows {
            let Some(hash) = hash_of(row.get(3)) else { continue };
            let path = String::from_utf8_lossy(row.get::<_, &[u8]>(2)).into_owned();
            let place = Place { repository: row.get(0), path, hash, way: row.get(4) };
            places.entry((place.repository, row.get(1))).or_default().push(place);
        }
        Ok(places)
    }
}

/// Builds the query for the blocks with the query's words, the number of blocks per word, and the best of them.
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
        // The second stem of a word that is already a stem occurs only in comments, so it is looked up later.
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
