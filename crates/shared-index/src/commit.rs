//! Replacement of a branch's commit in the index, completely or not at all.

use std::path::Path;

use tokio_postgres::{Client, Transaction};
use toolpost_ranked::is_test;
use toolpost_ranked::portable::{LONGEST, way_of};
use toolpost_workspace::ContentHash;

use crate::cuts::FORM;
use crate::git::TrackedFile;
use crate::server::Tables;
use crate::upload::{AT_ONCE, TRIES, WHOLE};
use crate::{Server, SharedIndexError};

/// A file of the commit that is pushed, with the hash of its content.
pub(crate) struct CommitFile<'f> {
    pub(crate) tracked: &'f TrackedFile,
    pub(crate) hash: ContentHash,
}

/// A commit that a push stores as the current commit of a branch in the index.
pub(crate) struct Commit<'c> {
    pub(crate) repository: i32,
    pub(crate) branch: &'c str,
    pub(crate) commit: &'c str,
    pub(crate) withheld: usize,
    /// The number of the model that computed all embeddings of the commit's blocks; `None` if the server stores no
    /// embeddings.
    pub(crate) model: Option<i32>,
}

impl Commit<'_> {
    /// Replaces the branch's commit in the index in one transaction. Fails with [`SharedIndexError::Changed`] if the
    /// index lacks contents or blocks of the files.
    pub(crate) fn set(&self, server: &Server, files: &[CommitFile<'_>]) -> Result<(), SharedIndexError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let set = server.run(WHOLE, Tables::Needed, async |client: &mut Client| {
                let fault = |error: tokio_postgres::Error| server.fault(&error);
                let change = client.transaction().await.map_err(fault)?;
                let missing = self.write(&change, files).await.map_err(fault)?;
                if missing > 0 {
                    return Err(SharedIndexError::Changed(server.place().to_owned()));
                }
                change.commit().await.map_err(fault)
            });
            match set {
                Err(fault @ SharedIndexError::Failed { .. }) if fault.is_passing() && tries < TRIES => {}
                set => return set,
            }
        }
    }

    /// Writes the commit and its files. Returns the number of files whose content is missing or not split into blocks.
    async fn write(
        &self,
        change: &Transaction<'_>,
        files: &[CommitFile<'_>],
    ) -> Result<i64, tokio_postgres::Error> {
        // The lock excludes other pushes to the repository and removals from it.
        let lock = "select id from toolpost.repositories where id = $1 for update";
        change.query(lock, &[&self.repository]).await?;
        let before = "delete from toolpost.versions where repository = $1 and branch = $2 returning id";
        for row in change.query(before, &[&self.repository, &self.branch]).await? {
            let remove = "delete from toolpost.files where repository = $1 and version = $2";
            change.execute(remove, &[&self.repository, &row.get::<_, i64>(0)]).await?;
        }
        let (count, withheld) = (
            i32::try_from(files.len()).unwrap_or(i32::MAX),
            i32::try_from(self.withheld).unwrap_or(i32::MAX),
        );
        let enter = "insert into toolpost.versions (repository, branch, commit, files, withheld, has_ways) \
                     values ($1, $2, $3, $4, $5, true) returning id";
        let row = change
            .query_one(enter, &[&self.repository, &self.branch, &self.commit, &count, &withheld])
            .await?;
        let version: i64 = row.get(0);
        for part in files.chunks(AT_ONCE) {
            self.enter(change, version, part).await?;
        }
        let count = "update toolpost.versions v set binary_files = n.binary_files, odd_files = n.odd_files from \
                     (select count(*) filter (where b.form = 1) as binary_files, count(*) filter (where b.form = 2) as odd_files \
                     from toolpost.files f join toolpost.blobs b on b.repository = f.repository and b.hash = f.hash \
                     where f.repository = $1 and f.version = $2) n where v.id = $2";
        change.execute(count, &[&self.repository, &version]).await?;
        let missing = "select count(*) from toolpost.files f where f.repository = $1 and f.version = $2 and (not exists \
                       (select from toolpost.blobs b where b.repository = $1 and b.hash = f.hash) or f.way is not null and not exists \
                       (select from toolpost.cuts c where c.repository = $1 and c.hash = f.hash and c.way = f.way and c.whole \
                       and c.format = $3 and ($4::integer is null or c.model = $4)))";
        let row = change.query_one(missing, &[&self.repository, &version, &FORM, &self.model]).await?;
        Ok(row.get(0))
    }

    /// Inserts files of the commit into the table of files.
    async fn enter(
        &self,
        change: &Transaction<'_>,
        version: i64,
        files: &[CommitFile<'_>],
    ) -> Result<(), tokio_postgres::Error> {
        let shown: Vec<String> =
            files.iter().map(|file| String::from_utf8_lossy(&file.tracked.path).into_owned()).collect();
        let paths: Vec<&[u8]> = files.iter().map(|file| file.tracked.path.as_slice()).collect();
        let hashes: Vec<&[u8]> = files.iter().map(|file| &file.hash.as_bytes()[..]).collect();
        let modes: Vec<i32> = files.iter().map(|file| file.tracked.mode).collect();
        let ways: Vec<&str> = shown.iter().map(|path| way_of(Path::new(path))).collect();
        let tests: Vec<bool> = shown.iter().map(|path| is_test(path)).collect();
        let longest = i64::try_from(LONGEST).unwrap_or(i64::MAX);
        let add = "insert into toolpost.files (repository, version, path, hash, mode, way, test) \
                   select $1, $2, u.path, u.hash, u.mode, case when b.form = 0 and b.size <= $3 then u.way end, u.test \
                   from unnest($4::bytea[], $5::bytea[], $6::integer[], $7::text[], $8::boolean[]) as u (path, hash, mode, way, test) \
                   left join toolpost.blobs b on b.repository = $1 and b.hash = u.hash";
        let done = change
            .execute(add, &[&self.repository, &version, &longest, &paths, &hashes, &modes, &ways, &tests])
            .await;
        done.map(|_| ())
    }
}
