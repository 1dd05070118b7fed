//! Upload of cuts (file contents split into blocks), with the words of each block and, if the server supports them,
//! embeddings.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use tokio_postgres::{Client, Transaction};
use toolpost_ranked::Block;
use toolpost_ranked::embed::{Static, TextRole, Vector};
use toolpost_ranked::portable::{self, FORMAT};
use toolpost_workspace::{ContentHash, on_threads};

use crate::content::Content;
use crate::pack::PackedWords;
use crate::server::Tables;
use crate::upload::{AT_ONCE, PART, hash_of};
use crate::{Server, SharedIndexError};

/// The version of the format of blocks; cuts with another version are not used.
pub(crate) const FORM: i32 = FORMAT as i32;

/// The embedding model and its number in the index; `None` if the server stores no embeddings.
#[derive(Clone, Copy)]
pub(crate) struct IndexModel<'m> {
    pub(crate) model: &'m Static,
    pub(crate) number: Option<i32>,
}

/// A file content that was split into blocks for one language.
pub(crate) struct SplitContent {
    hash: ContentHash,
    way: &'static str,
    blocks: Vec<PreparedBlock>,
    lengths: [u64; 5],
}

/// A block with its words and its embedding, ready to send.
struct PreparedBlock {
    block: Block,
    packed: PackedWords,
    vector: Option<Vector>,
}

/// The hash of a content, and the language for which it is split: the key of a cut.
pub(crate) type Name = (ContentHash, String);

/// Returns the keys of those cuts of `contents` that the index already has completely, with embeddings by the model if
/// the server stores any.
pub(crate) fn known(
    server: &Server,
    repository: i32,
    maker: IndexModel<'_>,
    contents: &[ContentHash],
) -> Result<HashSet<Name>, SharedIndexError> {
    let find = "select hash, way from toolpost.cuts where repository = $1 and hash = any($2) and format = $3 and whole \
                and ($4::integer is null or model = $4)";
    let mut known = HashSet::new();
    for part in contents.chunks(AT_ONCE) {
        let hashes: Vec<&[u8]> = part.iter().map(|content| &content.as_bytes()[..]).collect();
        let rows = server.run(PART, Tables::Needed, async |client: &mut Client| {
            let rows = client.query(find, &[&repository, &hashes, &FORM, &maker.number]).await;
            rows.map_err(|error| server.fault(&error))
        })?;
        known.extend(rows.iter().filter_map(|row| Some((hash_of(row.get(0))?, row.get(1)))));
    }
    Ok(known)
}

/// Splits file contents into blocks for all their languages, on all cores. The cuts are in the order of content hashes
/// and languages.
pub(crate) fn make(contents: &[Content], maker: IndexModel<'_>) -> Vec<SplitContent> {
    let one = |content: &Content| -> Vec<SplitContent> {
        content.ways.iter().map(|way| SplitContent::of(content, way, maker)).collect()
    };
    let mut made: Vec<SplitContent> =
        on_threads(contents, 1, &one, &|| false).into_iter().flatten().collect();
    made.sort_unstable_by(|one, other| (one.hash, one.way).cmp(&(other.hash, other.way)));
    made
}

impl SplitContent {
    fn of(content: &Content, way: &'static str, maker: IndexModel<'_>) -> Self {
        let mut lengths = [0; 5];
        let pieces = portable::cut(way, content.text()).unwrap_or_default();
        let blocks = pieces.into_iter().map(|piece| {
            lengths.iter_mut().zip(piece.lengths).for_each(|(sum, own)| *sum += u64::from(own));
            let vector = maker.number.map(|_| maker.model.vector(TextRole::Code, &piece.text));
            PreparedBlock { packed: PackedWords::of(&piece), vector, block: piece.block }
        });
        let blocks = blocks.collect();
        Self { hash: content.hash, way, blocks, lengths }
    }

    fn name(&self) -> Name {
        (self.hash, self.way.to_owned())
    }
}

/// Sends cuts (split file contents) in a transaction. Those that the index already has are kept, except damaged ones
/// and those in another format, which are replaced. Embeddings by another model are replaced too.
pub(crate) async fn send(
    change: &Transaction<'_>,
    repository: i32,
    model: Option<i32>,
    cuts: &[SplitContent],
) -> Result<(), tokio_postgres::Error> {
    let mut new = insert(change, repository, model, &cuts.iter().collect::<Vec<_>>()).await?;
    let there: Vec<&SplitContent> = cuts.iter().filter(|cut| !new.contains_key(&cut.name())).collect();
    let mut again: HashMap<Name, i64> = HashMap::new();
    if !there.is_empty() {
        let hashes: Vec<&[u8]> = there.iter().map(|cut| &cut.hash.as_bytes()[..]).collect();
        let find = "select hash, way, id, whole and format = $3, model is not distinct from $4 from toolpost.cuts \
                    where repository = $1 and hash = any($2) order by hash, way for update";
        let (mut damaged, mut other) = (HashSet::new(), HashMap::new());
        let mut old = Vec::new();
        for row in change.query(find, &[&repository, &hashes, &FORM, &model]).await? {
            let Some(hash) = hash_of(row.get(0)) else { continue };
            let name: Name = (hash, row.get(1));
            if !there.iter().any(|cut| cut.hash == name.0 && cut.way == name.1) {
                continue;
            }
            if !row.get::<_, bool>(3) {
                old.push(row.get::<_, i64>(2));
                damaged.insert(name);
            } else if model.is_some() && !row.get::<_, bool>(4) {
                other.insert(name, row.get::<_, i64>(2));
            }
        }
        let gone: Vec<i64> = other.values().chain(&old).copied().collect();
        remove(change, repository, model.is_some(), &old, &gone).await?;
        let anew: Vec<&SplitContent> =
            there.into_iter().filter(|cut| damaged.contains(&cut.name())).collect();
        new.extend(insert(change, repository, model, &anew).await?);
        again = other;
    }
    blocks(change, repository, cuts, &new).await?;
    if model.is_some() {
        let all = new.iter().chain(&again).map(|(name, id)| (name.clone(), *id)).collect();
        vectors(change, repository, cuts, &all).await?;
        let ids: Vec<i64> = again.values().copied().collect();
        let tell = "update toolpost.cuts set model = $3 where repository = $1 and id = any($2)";
        change.execute(tell, &[&repository, &ids, &model]).await?;
    }
    Ok(())
}

/// Removes cuts (split file contents). `cuts`: ids of the cuts to remove with their blocks. `vectors`: ids of the cuts
/// that lose their embeddings.
async fn remove(
    change: &Transaction<'_>,
    repository: i32,
    has_vectors: bool,
    cuts: &[i64],
    vectors: &[i64],
) -> Result<(), tokio_postgres::Error> {
    if has_vectors && !vectors.is_empty() {
        let remove = "delete from toolpost.vectors where repository = $1 and cut = any($2)";
        change.execute(remove, &[&repository, &vectors]).await?;
    }
    if !cuts.is_empty() {
        let remove = "delete from toolpost.blocks where repository = $1 and cut = any($2)";
        change.execute(remove, &[&repository, &cuts]).await?;
        let remove = "delete from toolpost.cuts where repository = $1 and id = any($2)";
        change.execute(remove, &[&repository, &cuts]).await?;
    }
    Ok(())
}

/// Inserts cuts (split file contents), and returns the database ids of those that the index did not have.
async fn insert(
    change: &Transaction<'_>,
    repository: i32,
    model: Option<i32>,
    cuts: &[&SplitContent],
) -> Result<HashMap<Name, i64>, tokio_postgres::Error> {
    if cuts.is_empty() {
        return Ok(HashMap::new());
    }
    let hashes: Vec<&[u8]> = cuts.iter().map(|cut| &cut.hash.as_bytes()[..]).collect();
    let ways: Vec<&str> = cuts.iter().map(|cut| cut.way).collect();
    let counts: Vec<i32> =
        cuts.iter().map(|cut| i32::try_from(cut.blocks.len()).unwrap_or(i32::MAX)).collect();
    let lengths: Vec<String> = cuts.iter().map(|cut| braced(cut.lengths.iter())).collect();
    let add = "insert into toolpost.cuts (repository, hash, way, format, blocks, lengths, whole, model) \
               select $1, u.hash, u.way, $2, u.blocks, u.lengths::bigint[], true, $3 \
               from unnest($4::bytea[], $5::text[], $6::integer[], $7::text[]) as u (hash, way, blocks, lengths) \
               on conflict do nothing returning hash, way, id";
    let rows = change.query(add, &[&repository, &FORM, &model, &hashes, &ways, &counts, &lengths]).await?;
    Ok(rows.iter().filter_map(|row| Some(((hash_of(row.get(0))?, row.get(1)), row.get(2)))).collect())
}

/// Writes the blocks of those cuts whose database id is in `numbers`.
async fn blocks(
    change: &Transaction<'_>,
    repository: i32,
    cuts: &[SplitContent],
    numbers: &HashMap<Name, i64>,
) -> Result<(), tokio_postgres::Error> {
    let rows = rows(cuts, numbers);
    for part in rows.chunks(AT_ONCE) {
        let ids: Vec<i64> = part.iter().map(|(id, ..)| *id).collect();
        let numbers: Vec<i32> = part.iter().map(|(_, number, _)| *number).collect();
        let all = || part.iter().map(|(.., made)| *made);
        let line = |line: u32| i32::try_from(line).unwrap_or(i32::MAX);
        let firsts: Vec<i32> = all().map(|made| line(made.block.first)).collect();
        let lasts: Vec<i32> = all().map(|made| line(made.block.last)).collect();
        let kinds: Vec<&str> = all().map(|made| made.block.kind.name()).collect();
        let names: Vec<String> = all().map(|made| made.block.name.replace('\0', "")).collect();
        let tests: Vec<bool> = all().map(|made| made.block.test).collect();
        let tokens: Vec<String> = all().map(|made| braced(made.packed.tokens.iter())).collect();
        let words: Vec<&[u8]> = all().map(|made| made.packed.words.as_slice()).collect();
        let add = "insert into toolpost.blocks (repository, cut, number, first_line, last_line, kind, name, test, tokens, words) \
                   select $1, u.cut, u.number, u.first, u.last, u.kind, u.name, u.test, u.tokens::integer[], u.words \
                   from unnest($2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::text[], $7::text[], $8::boolean[], \
                   $9::text[], $10::bytea[]) as u (cut, number, first, last, kind, name, test, tokens, words)";
        change
            .execute(
                add,
                &[&repository, &ids, &numbers, &firsts, &lasts, &kinds, &names, &tests, &tokens, &words],
            )
            .await?;
    }
    Ok(())
}

/// Writes the embeddings of those cuts whose database id is in `numbers`.
async fn vectors(
    change: &Transaction<'_>,
    repository: i32,
    cuts: &[SplitContent],
    numbers: &HashMap<Name, i64>,
) -> Result<(), tokio_postgres::Error> {
    let rows = rows(cuts, numbers);
    for part in rows.chunks(AT_ONCE) {
        let with: Vec<(i64, i32, &PreparedBlock, &Vector)> = part
            .iter()
            .filter_map(|(id, number, made)| Some((*id, *number, *made, made.vector.as_ref()?)))
            .collect();
        let ids: Vec<i64> = with.iter().map(|(id, ..)| *id).collect();
        let numbers: Vec<i32> = with.iter().map(|(_, number, ..)| *number).collect();
        let tests: Vec<bool> = with.iter().map(|(.., made, _)| made.block.test).collect();
        let scales: Vec<f32> = with.iter().map(|(.., vector)| vector.scale).collect();
        let parts: Vec<String> = with.iter().map(|(.., vector)| halves(vector)).collect();
        let add = "insert into toolpost.vectors (repository, cut, number, test, scale, parts) \
                   select $1, u.cut, u.number, u.test, u.scale, u.parts::halfvec \
                   from unnest($2::bigint[], $3::integer[], $4::boolean[], $5::real[], $6::text[]) as u (cut, number, test, scale, parts)";
        change.execute(add, &[&repository, &ids, &numbers, &tests, &scales, &parts]).await?;
    }
    Ok(())
}

/// Lists the blocks of those cuts whose database id is in `numbers`: the id of the cut, the number of the block in the
/// cut, and the block.
fn rows<'c>(cuts: &'c [SplitContent], numbers: &HashMap<Name, i64>) -> Vec<(i64, i32, &'c PreparedBlock)> {
    let own = |cut: &'c SplitContent| {
        let id = numbers.get(&cut.name()).copied();
        id.into_iter().flat_map(|id| (0..).zip(&cut.blocks).map(move |(number, made)| (id, number, made)))
    };
    cuts.iter().flat_map(own).collect()
}

/// Formats an embedding for the column type `halfvec`, whose two bytes per number store the integers of an
/// embedding exactly.
pub(crate) fn halves(vector: &Vector) -> String {
    let inner = braced(vector.parts.iter());
    format!("[{}]", inner.trim_matches(['{', '}']))
}

/// Formats numbers as a PostgreSQL array, such as `{1,2}`.
fn braced<N: std::fmt::Display>(numbers: impl Iterator<Item = N>) -> String {
    let mut out = String::from("{");
    for number in numbers {
        if out.len() > 1 {
            out.push(',');
        }
        // Writing to a string cannot fail.
        let _ = write!(out, "{number}");
    }
    out.push('}');
    out
}
