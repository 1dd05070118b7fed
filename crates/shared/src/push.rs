//! Brings what a commit holds into the index: contents that are missing first, then the commit as a whole.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use tokio_postgres::{Client, Transaction};
use toolpost_workspace::ContentHash;

use crate::content::Content;
use crate::git::{Git, Tracked, name_of};
use crate::server::Tables;
use crate::{Fault, Server};

/// So much text is sent at once, and so many contents.
const WEIGHT: usize = 8 << 20;
const COUNT: usize = 1_000;

/// About so many contents, or files, the server is asked or told at once.
const AT_ONCE: usize = 8_192;

/// How long one statement may take: a part of the contents, or the whole commit.
const PART: Duration = Duration::from_secs(180);
const WHOLE: Duration = Duration::from_secs(900);

/// How often something is tried that others came into the way of.
const TRIES: usize = 4;

/// What is sound: all pieces of the content are there, with all their bytes.
pub(crate) const SOUND: &str = "b.pieces = s.pieces and (b.form <> 0 or b.size = s.size)";

/// What is there of a content `b`.
pub(crate) const STANDS: &str = "cross join lateral (select count(*) as pieces, coalesce(sum(octet_length(p.body)), 0) as size \
     from toolpost.pieces p where p.repository = b.repository and p.hash = b.hash) s";

/// What is brought into the index.
pub struct Push<'p> {
    /// A directory of the repository.
    pub folder: &'p Path,
    /// What the repository is called in the index; if not said, by where it was cloned from, or by its directory.
    pub repository: Option<String>,
    /// The commit, as git understands it.
    pub commit: String,
    /// The branch whose commit this is; if not said, the one that is checked out.
    pub branch: Option<String>,
    /// Which paths the rules let be read.
    pub may_read: &'p dyn Fn(&[u8]) -> bool,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Pushed {
    /// What the repository is called.
    pub repository: String,
    /// The branch.
    pub branch: String,
    /// The commit.
    pub commit: String,
    /// How many files it has in the index.
    pub files: usize,
    /// How many files the rules keep out.
    pub withheld: usize,
    /// How many contents were sent, and how many bytes of text.
    pub sent: usize,
    /// How many bytes of text these have.
    pub sent_bytes: u64,
}

/// A file of the commit, with its content.
struct Filed<'f> {
    tracked: &'f Tracked,
    hash: ContentHash,
}

impl Push<'_> {
    /// Brings the commit into the index; `tell` hears how many of how many contents were sent.
    ///
    /// Until it is done, others see the commit that was there before.
    ///
    /// # Errors
    /// When git or the server fails; what was sent until then is not sent again the next time.
    pub fn run(&self, server: &Server, tell: &mut dyn FnMut(usize, usize)) -> Result<Pushed, Fault> {
        let git = Git::of(self.folder)?;
        let commit = git.commit(&self.commit)?;
        git.be_at_top()?;
        let branch = self.branch.clone().or_else(|| git.branch()).unwrap_or_else(|| "HEAD".to_owned());
        let name = self.repository.clone().unwrap_or_else(|| name(Some(&git), self.folder));
        let all = git.files(&commit)?;
        let files: Vec<Tracked> = all.iter().filter(|file| (self.may_read)(&file.path)).cloned().collect();
        let withheld = all.len() - files.len();
        let repository = enter(server, &name, &branch)?;
        let (mut sent, mut sent_bytes) = (0, 0);
        for _ in 0..TRIES {
            let mut known = known(server, repository, &files)?;
            let missing: HashSet<Vec<u8>> = files
                .iter()
                .filter(|file| !known.contains_key(&file.id))
                .map(|file| file.id.clone())
                .collect();
            let total = missing.len();
            let mut sending = Sending { server, repository, batch: Vec::new(), weight: 0 };
            let mut done = 0;
            git.contents(&missing, &mut |id, bytes| {
                let content = Content::of(&packed(id), bytes);
                known.insert(id.to_vec(), content.hash);
                sent_bytes += content.weight() as u64;
                done += 1;
                tell(done, total);
                sending.add(content)
            })?;
            sending.send()?;
            sent += total;
            let filed: Vec<Filed<'_>> = files
                .iter()
                .filter_map(|tracked| Some(Filed { tracked, hash: *known.get(&tracked.id)? }))
                .collect();
            let commit = Commit { repository, branch: &branch, commit: &commit, withheld };
            match commit.set(server, &filed) {
                // Somebody removed contents that were there; they are sent again.
                Err(Fault::Changed(_)) => {}
                done => {
                    done?;
                    let files = filed.len();
                    let commit = commit.commit.to_owned();
                    return Ok(Pushed {
                        repository: name,
                        branch,
                        commit,
                        files,
                        withheld,
                        sent,
                        sent_bytes,
                    });
                }
            }
        }
        Err(Fault::Changed(server.place().to_owned()))
    }
}

/// Gives the name that a repository has in the index, where none is said.
#[must_use]
pub fn name_in(folder: &Path) -> String {
    // Where there is no git, nothing was cloned.
    name(Git::of(folder).ok().as_ref(), folder)
}

fn name(git: Option<&Git>, folder: &Path) -> String {
    let own = || {
        folder.file_name().map_or_else(|| "repository".to_owned(), |name| name.to_string_lossy().into_owned())
    };
    git.and_then(Git::origin).as_deref().and_then(name_of).unwrap_or_else(own)
}

/// Enters the repository, if it is not there; gives its number.
fn enter(server: &Server, name: &str, branch: &str) -> Result<i32, Fault> {
    server.run(PART, Tables::MadeNow, async |client: &mut Client| {
        let fault = |error: tokio_postgres::Error| server.fault(&error);
        let enter = "insert into toolpost.repositories (name, main) values ($1, $2) on conflict do nothing";
        client.execute(enter, &[&name, &branch]).await.map_err(fault)?;
        let find = "select id from toolpost.repositories where name = $1";
        Ok(client.query_one(find, &[&name]).await.map_err(fault)?.get(0))
    })
}

/// Asks which contents are there, by the names that git has for them.
fn known(
    server: &Server,
    repository: i32,
    files: &[Tracked],
) -> Result<HashMap<Vec<u8>, ContentHash>, Fault> {
    let ids: HashSet<&Vec<u8>> = files.iter().map(|file| &file.id).collect();
    let ids: Vec<&Vec<u8>> = ids.into_iter().collect();
    let find = format!(
        "select b.git, b.hash from toolpost.blobs b {STANDS} \
         where b.repository = $1 and b.git = any($2) and {SOUND}"
    );
    let mut known = HashMap::new();
    for part in ids.chunks(AT_ONCE) {
        let asked: HashMap<Vec<u8>, &Vec<u8>> = part.iter().map(|id| (packed(id), *id)).collect();
        let keys: Vec<&[u8]> = asked.keys().map(Vec::as_slice).collect();
        let rows = server.run(PART, Tables::Needed, async |client: &mut Client| {
            client.query(&find, &[&repository, &keys]).await.map_err(|error| server.fault(&error))
        })?;
        for row in rows {
            if let (Some(id), Some(hash)) = (asked.get(row.get::<_, &[u8]>(0)), hash_of(row.get(1))) {
                known.insert((*id).clone(), hash);
            }
        }
    }
    Ok(known)
}

/// Contents on their way.
struct Sending<'s> {
    server: &'s Server,
    repository: i32,
    batch: Vec<Content>,
    weight: usize,
}

impl Sending<'_> {
    fn add(&mut self, content: Content) -> Result<(), Fault> {
        self.weight += content.weight();
        self.batch.push(content);
        if self.weight >= WEIGHT || self.batch.len() >= COUNT { self.send() } else { Ok(()) }
    }

    /// Sends what has gathered: all of it, or nothing.
    fn send(&mut self) -> Result<(), Fault> {
        let mut batch = std::mem::take(&mut self.batch);
        self.weight = 0;
        // Two that send the same wait for one another in one order.
        batch.sort_unstable_by_key(|content| content.hash);
        batch.dedup_by_key(|content| content.hash);
        let (server, repository) = (self.server, self.repository);
        let mut tries = 0;
        while !batch.is_empty() {
            tries += 1;
            let sent = server.run(PART, Tables::Needed, async |client: &mut Client| {
                let fault = |error: tokio_postgres::Error| server.fault(&error);
                let change = client.transaction().await.map_err(fault)?;
                send(&change, repository, &batch).await.map_err(fault)?;
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
        // Others have sent them; what is damaged of that is made anew.
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

/// Enters contents; gives the hashes of those that were not there.
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

/// A commit that becomes that of its branch.
struct Commit<'c> {
    repository: i32,
    branch: &'c str,
    commit: &'c str,
    withheld: usize,
}

impl Commit<'_> {
    /// Sets it in place of the one that was there, as a whole.
    fn set(&self, server: &Server, files: &[Filed<'_>]) -> Result<(), Fault> {
        let mut tries = 0;
        loop {
            tries += 1;
            let set = server.run(WHOLE, Tables::Needed, async |client: &mut Client| {
                let fault = |error: tokio_postgres::Error| server.fault(&error);
                let change = client.transaction().await.map_err(fault)?;
                let missing = self.write(&change, files).await.map_err(fault)?;
                if missing > 0 {
                    return Err(Fault::Changed(server.place().to_owned()));
                }
                change.commit().await.map_err(fault)
            });
            match set {
                Err(fault @ Fault::Failed { .. }) if fault.is_passing() && tries < TRIES => {}
                set => return set,
            }
        }
    }

    /// Writes it; gives how many of its contents are not there.
    async fn write(
        &self,
        change: &Transaction<'_>,
        files: &[Filed<'_>],
    ) -> Result<i64, tokio_postgres::Error> {
        // One at a time, and nobody removes contents meanwhile.
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
        let enter = "insert into toolpost.versions (repository, branch, commit, files, withheld) \
                     values ($1, $2, $3, $4, $5) returning id";
        let row = change
            .query_one(enter, &[&self.repository, &self.branch, &self.commit, &count, &withheld])
            .await?;
        let version: i64 = row.get(0);
        for part in files.chunks(AT_ONCE) {
            let paths: Vec<&[u8]> = part.iter().map(|file| file.tracked.path.as_slice()).collect();
            let hashes: Vec<&[u8]> = part.iter().map(|file| &file.hash.as_bytes()[..]).collect();
            let modes: Vec<i32> = part.iter().map(|file| file.tracked.mode).collect();
            let add = "insert into toolpost.files (repository, version, path, hash, mode) \
                       select $1, $2, * from unnest($3::bytea[], $4::bytea[], $5::integer[])";
            change.execute(add, &[&self.repository, &version, &paths, &hashes, &modes]).await?;
        }
        let missing = "select count(*) from toolpost.files f where f.repository = $1 and f.version = $2 and not exists \
                       (select from toolpost.blobs b where b.repository = $1 and b.hash = f.hash)";
        let count = "update toolpost.versions v set binary_files = n.binary_files, odd_files = n.odd_files from \
                     (select count(*) filter (where b.form = 1) as binary_files, count(*) filter (where b.form = 2) as odd_files \
                     from toolpost.files f join toolpost.blobs b on b.repository = f.repository and b.hash = f.hash \
                     where f.repository = $1 and f.version = $2) n where v.id = $2";
        change.execute(count, &[&self.repository, &version]).await?;
        Ok(change.query_one(missing, &[&self.repository, &version]).await?.get(0))
    }
}

/// Reads a hash; none if it is none.
pub(crate) fn hash_of(bytes: &[u8]) -> Option<ContentHash> {
    Some(ContentHash::from_bytes(bytes.try_into().ok()?))
}

/// Writes the hexadecimal digits of a name that git has in half the bytes.
fn packed(id: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map_or(0, |digit| digit as u8);
    id.chunks(2).map(|pair| pair.iter().fold(0, |number, byte| number << 4 | digit(*byte))).collect()
}
