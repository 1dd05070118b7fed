//! Removal of repositories and branches from the index, and of contents that no branch contains any more.

use std::time::Duration;

use serde::Serialize;
use tokio_postgres::{Client, Transaction};

use crate::server::Tables;
use crate::upload::TRIES;
use crate::{Server, SharedIndexError, schema};

/// Time limit for a removal from one repository.
const WHOLE: Duration = Duration::from_secs(900);

/// The result of removing a repository or a branch from the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemovalReport {
    /// The name of the repository.
    pub repository: String,
    /// The names of the removed branches.
    pub branches: Vec<String>,
    /// The number of removed file contents.
    pub contents: u64,
    /// The size of the removed file contents, in bytes.
    pub bytes: u64,
}

/// The result of removing unused contents from the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PruneReport {
    /// The number of repositories that were examined.
    pub repositories: usize,
    /// The number of removed file contents.
    pub contents: u64,
    /// The size of the removed file contents, in bytes.
    pub bytes: u64,
    /// The number of removed blocks.
    pub blocks: u64,
}

/// Removes a branch of a repository from the index, or the whole repository, with the contents that no other branch
/// contains.
///
/// Other clients see the removal completely or not at all. A push that is about to write its commit waits for the
/// removal, and then sends the removed contents that its commit needs.
///
/// # Errors
/// If there is no such repository or branch, or the server fails.
pub fn forget(
    server: &Server,
    repository: &str,
    branch: Option<&str>,
) -> Result<RemovalReport, SharedIndexError> {
    again(server, async |client: &mut Client| {
        let fault = |error: tokio_postgres::Error| server.fault(&error);
        let has_vectors = schema::has_vectors(server.place(), client).await?;
        let change = client.transaction().await.map_err(fault)?;
        let find = "select id from toolpost.repositories where name = $1 for update";
        let Some(row) = change.query_opt(find, &[&repository]).await.map_err(fault)? else {
            return Err(unknown(server, &change, repository).await?);
        };
        let id: i32 = row.get(0);
        let remove = "delete from toolpost.versions where repository = $1 and ($2::text is null or branch = $2) returning id, branch";
        let rows = change.query(remove, &[&id, &branch]).await.map_err(fault)?;
        if rows.is_empty() {
            return Err(match branch {
                None => unknown(server, &change, repository).await?,
                Some(branch) => no_branch(server, &change, (id, repository), branch).await?,
            });
        }
        let versions: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
        let branches: Vec<String> = rows.iter().map(|row| row.get(1)).collect();
        let remove = "delete from toolpost.files where repository = $1 and version = any($2)";
        change.execute(remove, &[&id, &versions]).await.map_err(fault)?;
        // Searches without a branch use the main branch. If it was removed, the branch that was pushed last
        // becomes the main one.
        let main = "update toolpost.repositories r set main = v.branch from (select branch from toolpost.versions where repository = $1 \
                    order by pushed desc limit 1) v where r.id = $1 and not exists \
                    (select from toolpost.versions own where own.repository = $1 and own.branch = r.main)";
        change.execute(main, &[&id]).await.map_err(fault)?;
        let pruned = sweep(&change, id, has_vectors).await.map_err(fault)?;
        change.commit().await.map_err(fault)?;
        let repository = repository.to_owned();
        Ok(RemovalReport { repository, branches, contents: pruned.contents, bytes: pruned.bytes })
    })
}

/// Removes the contents and blocks that no branch contains from all repositories. `tell` receives the number of
/// repositories that were examined so far, and the total.
///
/// # Errors
/// If the server fails; contents that were removed before stay removed.
pub fn prune(server: &Server, tell: &mut dyn FnMut(usize, usize)) -> Result<PruneReport, SharedIndexError> {
    let (ids, has_vectors) = server.run(WHOLE, Tables::Needed, async |client: &mut Client| {
        let find = "select id from toolpost.repositories order by name";
        let rows = client.query(find, &[]).await.map_err(|error| server.fault(&error))?;
        let ids: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
        Ok((ids, schema::has_vectors(server.place(), client).await?))
    })?;
    let mut pruned = PruneReport { repositories: ids.len(), ..PruneReport::default() };
    for (done, id) in ids.iter().enumerate() {
        tell(done, ids.len());
        let own = again(server, async |client: &mut Client| {
            let fault = |error: tokio_postgres::Error| server.fault(&error);
            let change = client.transaction().await.map_err(fault)?;
            let lock = "select id from toolpost.repositories where id = $1 for update";
            change.query(lock, &[id]).await.map_err(fault)?;
            let own = sweep(&change, *id, has_vectors).await.map_err(fault)?;
            change.commit().await.map_err(fault)?;
            Ok(own)
        })?;
        pruned.contents += own.contents;
        pruned.bytes += own.bytes;
        pruned.blocks += own.blocks;
    }
    tell(ids.len(), ids.len());
    Ok(pruned)
}

/// Removes the contents, cuts (contents split into blocks) and blocks that no file of a repository uses. The caller
/// must have locked the repository.
async fn sweep(
    change: &Transaction<'_>,
    repository: i32,
    has_vectors: bool,
) -> Result<PruneReport, tokio_postgres::Error> {
    let cuts = "delete from toolpost.cuts c where c.repository = $1 and not exists \
                (select from toolpost.files f where f.repository = $1 and f.hash = c.hash and f.way = c.way) returning id";
    let cuts: Vec<i64> = change.query(cuts, &[&repository]).await?.iter().map(|row| row.get(0)).collect();
    let mut blocks = 0;
    if !cuts.is_empty() {
        if has_vectors {
            let remove = "delete from toolpost.vectors where repository = $1 and cut = any($2)";
            change.execute(remove, &[&repository, &cuts]).await?;
        }
        let remove = "delete from toolpost.blocks where repository = $1 and cut = any($2)";
        blocks = change.execute(remove, &[&repository, &cuts]).await?;
    }
    let dead = "delete from toolpost.blobs b where b.repository = $1 and not exists \
                (select from toolpost.files f where f.repository = $1 and f.hash = b.hash) returning b.hash, b.size";
    let rows = change.query(dead, &[&repository]).await?;
    let hashes: Vec<&[u8]> = rows.iter().map(|row| row.get(0)).collect();
    if !hashes.is_empty() {
        let remove = "delete from toolpost.pieces where repository = $1 and hash = any($2)";
        change.execute(remove, &[&repository, &hashes]).await?;
    }
    let bytes = rows.iter().map(|row| row.get::<_, i64>(1).cast_unsigned()).sum();
    Ok(PruneReport { repositories: 1, contents: hashes.len() as u64, bytes, blocks })
}

/// Runs `work`, a transaction, and repeats it after a conflict with another one.
fn again<T>(
    server: &Server,
    work: impl AsyncFn(&mut Client) -> Result<T, SharedIndexError>,
) -> Result<T, SharedIndexError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match server.run(WHOLE, Tables::Needed, &work) {
            Err(fault) if fault.is_passing() && tries < TRIES => {}
            done => return done,
        }
    }
}

/// Creates the error for an unknown repository, with the names of the known ones.
async fn unknown(
    server: &Server,
    look: &Transaction<'_>,
    asked: &str,
) -> Result<SharedIndexError, SharedIndexError> {
    let find = "select name from toolpost.repositories r where exists (select from toolpost.versions v where v.repository = r.id) \
                order by name limit 21";
    let rows = look.query(find, &[]).await.map_err(|error| server.fault(&error))?;
    Ok(SharedIndexError::NoRepository {
        asked: asked.to_owned(),
        known: listed(rows.iter().map(|row| row.get(0)).collect()),
    })
}

/// Creates the error for an unknown branch of a repository, with the names of the known ones.
async fn no_branch(
    server: &Server,
    look: &Transaction<'_>,
    (id, repository): (i32, &str),
    branch: &str,
) -> Result<SharedIndexError, SharedIndexError> {
    let find = "select branch from toolpost.versions where repository = $1 order by branch limit 21";
    let rows = look.query(find, &[&id]).await.map_err(|error| server.fault(&error))?;
    let known = listed(rows.iter().map(|row| row.get(0)).collect());
    Ok(SharedIndexError::NoBranch { repository: repository.to_owned(), branch: branch.to_owned(), known })
}

fn listed(mut names: Vec<String>) -> String {
    if names.len() > 20 {
        names.truncate(20);
        names.push("others".to_owned());
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
