//! Upload of file contents with their blocks, in batches that are stored completely or not at all.

use std::collections::HashSet;

use tokio_postgres::{Client, Transaction};

use crate::content::Content;
use crate::cuts::{self, IndexModel};
use crate::server::Tables;
use crate::upload::{PART, SOUND, STANDS, TRIES};
use crate::{Server, SharedIndexError};

/// Size at which a batch is sent: bytes of text, or number of file contents.
const WEIGHT: usize = 8 << 20;
const COUNT: usize = 1_000;

pub(crate) struct ContentBatch<'s> {
    server: &'s Server,
    repository: i32,
    maker: IndexModel<'s>,
    batch: Vec<Content>,
    weight: usize,
    /// The number of contents that were split into blocks, once for each language.
    pub(crate) cut: usize,
}

impl<'s> ContentBatch<'s> {
    pub(crate) fn new(server: &'s Server, repository: i32, maker: IndexModel<'s>) -> Self {
        Self { server, repository, maker, batch: Vec::new(), weight: 0, cut: 0 }
    }

    /// Adds a file content to the batch, and sends the batch if it is full.
    pub(crate) fn add(&mut self, content: Content) -> Result<(), SharedIndexError> {
        self.weight += content.weight();
        self.batch.push(content);
        if self.weight >= WEIGHT || self.batch.len() >= COUNT { self.send() } else { Ok(()) }
    }

    /// Sends the batch to the server, where it is stored completely or not at all.
    pub(crate) fn send(&mut self) -> Result<(), SharedIndexError> {
        let mut batch = std::mem::take(&mut self.batch);
        self.weight = 0;
        // Contents are sorted, so that two pushes of the same contents wait for one another without a deadlock.
        batch.sort_unstable_by_key(|content| content.hash);
        batch.dedup_by(|next, kept| {
            let same = next.hash == kept.hash;
            if same {
                kept.ways.append(&mut next.ways);
            }
            same
        });
        let cuts = cuts::make(&batch, self.maker);
        self.cut += cuts.len();
        let model = self.maker.number;
        let (server, repository) = (self.server, self.repository);
        let mut tries = 0;
        while !batch.is_empty() {
            tries += 1;
            let sent = server.run(PART, Tables::Needed, async |client: &mut Client| {
                let fault = |error: tokio_postgres::Error| server.fault(&error);
                let change = client.transaction().await.map_err(fault)?;
                send(&change, repository, &batch).await.map_err(fault)?;
                cuts::send(&change, repository, model, &cuts).await.map_err(fault)?;
                change.commit().await.map_err(fault)
            });
            match sent {
                Err(fault) if fault.is_passing() && tries < TRIES => {}
                sent => return sent,
            }
        }
        Ok(())
    }
}

async fn send(
    change: &Transaction<'_>,
    repository: i32,
    batch: &[Content],
) -> Result<(), tokio_postgres::Error> {
    let mut new = insert(change, repository, batch.iter()).await?;
    let there: Vec<&[u8]> = batch
        .iter()
        .map(|content| &content.hash.as_bytes()[..])
        .filter(|hash| !new.contains(*hash))
        .collect();
    if !there.is_empty() {
        // Contents that another push has stored in the meantime are left out, except damaged ones, which are replaced.
        let find = format!(
            "select b.hash from toolpost.blobs b {STANDS} where b.repository = $1 and b.hash = any($2) and not ({SOUND})"
        );
        let rows = change.query(&find, &[&repository, &there]).await?;
        let damaged: HashSet<Vec<u8>> = rows.iter().map(|row| row.get(0)).collect();
        if !damaged.is_empty() {
            let hashes: Vec<&[u8]> = damaged.iter().map(Vec::as_slice).collect();
            for table in ["pieces", "blobs"] {
                let remove = format!("delete from toolpost.{table} where repository = $1 and hash = any($2)");
                change.execute(&remove, &[&repository, &hashes]).await?;
            }
            let again = batch.iter().filter(|content| damaged.contains(&content.hash.as_bytes()[..]));
            new.extend(insert(change, repository, again).await?);
        }
    }
    if new.is_empty() {
        return Ok(());
    }
    let rows: Vec<(&[u8], i32, i64, &str)> = batch
        .iter()
        .filter(|content| new.contains(&content.hash.as_bytes()[..]))
        .flat_map(|content| {
            let pieces = (0..).zip(&content.pieces);
            pieces
                .map(|(number, (start, body))| (&content.hash.as_bytes()[..], number, *start, body.as_str()))
        })
        .collect();
    let hashes: Vec<&[u8]> = rows.iter().map(|row| row.0).collect();
    let numbers: Vec<i32> = rows.iter().map(|row| row.1).collect();
    let starts: Vec<i64> = rows.iter().map(|row| row.2).collect();
    let bodies: Vec<&str> = rows.iter().map(|row| row.3).collect();
    let add = "insert into toolpost.pieces (repository, hash, number, start, body) \
               select $1, * from unnest($2::bytea[], $3::integer[], $4::bigint[], $5::text[])";
    change.execute(add, &[&repository, &hashes, &numbers, &starts, &bodies]).await?;
    let tell = "update toolpost.repositories set learnt = learnt + 1 where id = $1";
    change.execute(tell, &[&repository]).await?;
    Ok(())
}

/// Inserts file contents into the table, and returns the hashes of those that it did not have.
async fn insert<'c>(
    change: &Transaction<'_>,
    repository: i32,
    contents: impl Iterator<Item = &'c Content>,
) -> Result<HashSet<Vec<u8>>, tokio_postgres::Error> {
    let contents: Vec<&Content> = contents.collect();
    let hashes: Vec<&[u8]> = contents.iter().map(|content| &content.hash.as_bytes()[..]).collect();
    let ids: Vec<&[u8]> = contents.iter().map(|content| content.git.as_slice()).collect();
    let sizes: Vec<i64> = contents.iter().map(|content| content.size).collect();
    let forms: Vec<i16> = contents.iter().map(|content| content.form).collect();
    let pieces: Vec<i32> =
        contents.iter().map(|content| i32::try_from(content.pieces.len()).unwrap_or(i32::MAX)).collect();
    let add = "insert into toolpost.blobs (repository, hash, git, size, form, pieces) \
               select $1, * from unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::smallint[], $6::integer[]) \
               on conflict do nothing returning hash";
    let rows = change.query(add, &[&repository, &hashes, &ids, &sizes, &forms, &pieces]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}
