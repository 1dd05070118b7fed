//! The commits that a search covers, and the texts of their files.

use std::collections::{BTreeMap, HashMap};

use tokio_postgres::Transaction;
use toolpost_workspace::{ContentHash, hash};

use crate::names::Names;
use crate::upload::hash_of;
use crate::{Server, SharedIndexError};

/// A commit of a branch in the index.
pub(crate) struct Version {
    pub(crate) repository: i32,
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) commit: String,
    pub(crate) withheld: i32,
    pub(crate) binary: i32,
    pub(crate) odd: i32,
    /// Set if the files of the commit record the languages for which they are split into blocks; older versions of
    /// Toolpost did not.
    pub(crate) has_ways: bool,
}

/// Lists the commits that a search covers, ordered by the names of their repositories.
pub(crate) async fn versions(
    server: &Server,
    look: &Transaction<'_>,
    names: &Names,
    asked: &[String],
    branch: Option<&str>,
) -> Result<Vec<Version>, SharedIndexError> {
    let find = "select v.repository, v.id, r.name, v.commit, v.withheld, v.binary_files, v.odd_files, v.has_ways \
                from toolpost.repositories r \
                join toolpost.versions v on v.repository = r.id and v.branch = coalesce($1, r.main) order by r.name";
    let rows = look.query(find, &[&branch]).await.map_err(|error| server.fault(&error))?;
    let all = rows.iter().map(|row| Version {
        repository: row.get(0),
        id: row.get(1),
        name: row.get(2),
        commit: row.get(3),
        withheld: row.get(4),
        binary: row.get(5),
        odd: row.get(6),
        has_ways: row.get(7),
    });
    let (wanted, others): (Vec<Version>, Vec<Version>) = all.partition(|version| names.name(&version.name));
    if wanted.is_empty() {
        let mut known: Vec<String> = others.iter().take(20).map(|version| version.name.clone()).collect();
        if others.len() > known.len() {
            known.push(format!("{} more", others.len() - known.len()));
        }
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(SharedIndexError::NoRepository { asked: asked.join(", "), known });
    }
    Ok(wanted)
}

/// Fetches the texts of file contents; a text that does not have the right hash is omitted.
pub(crate) async fn whole_texts(
    server: &Server,
    look: &Transaction<'_>,
    repository: i32,
    contents: &[ContentHash],
) -> Result<HashMap<ContentHash, String>, SharedIndexError> {
    let hashes: Vec<&[u8]> = contents.iter().map(|content| &content.as_bytes()[..]).collect();
    let find = "select hash, body from toolpost.pieces where repository = $1 and hash = any($2) order by hash, number";
    let rows = look.query(find, &[&repository, &hashes]).await.map_err(|error| server.fault(&error))?;
    let mut texts: BTreeMap<ContentHash, String> = BTreeMap::new();
    for row in &rows {
        if let Some(content) = hash_of(row.get(0)) {
            texts.entry(content).or_default().push_str(row.get(1));
        }
    }
    Ok(texts.into_iter().filter(|(content, text)| hash(text.as_bytes()) == *content).collect())
}
