//! Push of a commit to the index: first the file contents that the index lacks, then the commit in one transaction.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use tokio_postgres::Client;
use toolpost_ranked::embed::{Embedder as _, Static};
use toolpost_ranked::portable::way_of;
use toolpost_workspace::ContentHash;

use crate::commit::{Commit, CommitFile};
use crate::content::{Content, is_cut};
use crate::content_batch::ContentBatch;
use crate::cuts::{self, IndexModel};
use crate::git::{Git, TrackedFile, name_of};
use crate::schema::{self, Vectors};
use crate::server::Tables;
use crate::upload::{AT_ONCE, PART, SOUND, STANDS, TRIES, hash_of};
use crate::{Server, SharedIndexError};

/// A request to push a commit of a local repository to the index.
pub struct Push<'p> {
    /// The top directory of the repository.
    pub folder: &'p Path,
    /// The repository's name in the index; `None` to derive it from the clone URL or the directory.
    pub repository: Option<String>,
    /// The commit to push, in git's notation, such as `HEAD`.
    pub commit: String,
    /// The branch whose commit is replaced in the index; `None` for the checked-out branch, or `HEAD` if there is none.
    pub branch: Option<String>,
    /// Returns whether the access rules permit reading a path, which is relative to the top directory.
    pub may_read: &'p dyn Fn(&[u8]) -> bool,
}

/// The result of pushing a commit to the index.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PushReport {
    /// The repository's name in the index.
    pub repository: String,
    /// The branch whose commit was replaced.
    pub branch: String,
    /// The id of the commit.
    pub commit: String,
    /// The number of files of the commit that the index now has.
    pub files: usize,
    /// The number of files of the commit that the access rules exclude.
    pub withheld: usize,
    /// The number of file contents that were sent.
    pub sent: usize,
    /// The size of the text that was sent, in bytes.
    pub sent_bytes: u64,
    /// The number of file contents that were split into blocks, counted once for each language.
    pub cut: usize,
    /// The reason why the index has no embeddings of the file contents; `None` if it has them.
    pub without_vectors: Option<String>,
}

impl Push<'_> {
    /// Pushes the commit. `tell` receives the number of file contents that were read so far, and the total.
    ///
    /// Until the push is complete, other clients see the previous commit.
    ///
    /// # Errors
    /// If git or the server fails, or the embedding model is not usable. The next push does not repeat contents that
    /// were sent.
    pub fn run(
        &self,
        server: &Server,
        tell: &mut dyn FnMut(usize, usize),
    ) -> Result<PushReport, SharedIndexError> {
        let git = Git::of(self.folder)?;
        let commit = git.commit(&self.commit)?;
        git.be_at_top()?;
        let branch = self.branch.clone().or_else(|| git.branch()).unwrap_or_else(|| "HEAD".to_owned());
        let name = self.repository.clone().unwrap_or_else(|| name(Some(&git), self.folder));
        let all = git.files(&commit)?;
        let files: Vec<TrackedFile> =
            all.iter().filter(|file| (self.may_read)(&file.path)).cloned().collect();
        let withheld = all.len() - files.len();
        let model = Static::embedded().map_err(|bad| SharedIndexError::Model(bad.to_string()))?;
        let mut pushed = PushReport {
            repository: name,
            branch,
            commit,
            files: files.len(),
            withheld,
            sent: 0,
            sent_bytes: 0,
            cut: 0,
            without_vectors: None,
        };
        for _ in 0..TRIES {
            match bring(server, &git, &model, &files, &mut pushed, tell) {
                // Another process removed contents that the push relied on; the next attempt sends them again.
                Err(SharedIndexError::Changed(_)) => {}
                done => return done.map(|()| pushed),
            }
        }
        Err(SharedIndexError::Changed(server.place().to_owned()))
    }
}

/// Sends those contents of a commit's files that the index lacks, and then the commit.
fn bring(
    server: &Server,
    git: &Git,
    model: &Static,
    files: &[TrackedFile],
    pushed: &mut PushReport,
    tell: &mut dyn FnMut(usize, usize),
) -> Result<(), SharedIndexError> {
    let entered = enter(server, &pushed.repository, &pushed.branch, model.name())?;
    let maker = IndexModel { model, number: entered.model };
    let repository = entered.repository;
    let mut known = known(server, repository, files)?;
    let missing = missing(server, repository, maker, files, &known)?;
    let total = missing.len();
    let mut sending = ContentBatch::new(server, repository, maker);
    let mut done = 0;
    git.contents(&missing.keys().cloned().collect(), &mut |id, bytes| {
        let ways = missing.get(id).cloned().unwrap_or_default();
        let content = Content::of(&packed(id), bytes, ways);
        let stood = KnownContent { hash: content.hash, is_cut: is_cut(content.form, content.size) };
        if known.insert(id.to_vec(), stood).is_none() {
            pushed.sent += 1;
            pushed.sent_bytes += content.weight() as u64;
        }
        done += 1;
        tell(done, total);
        sending.add(content)
    })?;
    sending.send()?;
    pushed.cut += sending.cut;
    pushed.without_vectors = entered.without;
    let filed =
        files.iter().filter_map(|tracked| Some(CommitFile { tracked, hash: known.get(&tracked.id)?.hash }));
    let filed: Vec<CommitFile<'_>> = filed.collect();
    let (branch, commit, withheld) = (pushed.branch.as_str(), pushed.commit.as_str(), pushed.withheld);
    Commit { repository, branch, commit, withheld, model: entered.model }.set(server, &filed)
}

/// Lists the file contents to send or to split into blocks, by their git ids, each with the languages for which to
/// split it.
fn missing(
    server: &Server,
    repository: i32,
    maker: IndexModel<'_>,
    files: &[TrackedFile],
    known: &HashMap<Vec<u8>, KnownContent>,
) -> Result<HashMap<Vec<u8>, BTreeSet<&'static str>>, SharedIndexError> {
    let texts: HashSet<ContentHash> = known.values().filter(|own| own.is_cut).map(|own| own.hash).collect();
    let cuts = cuts::known(server, repository, maker, &texts.into_iter().collect::<Vec<_>>())?;
    let mut missing: HashMap<Vec<u8>, BTreeSet<&'static str>> = HashMap::new();
    for file in files {
        let way = way_of(Path::new(&*String::from_utf8_lossy(&file.path)));
        let is_missing = match known.get(&file.id) {
            Some(own) => own.is_cut && !cuts.contains(&(own.hash, way.to_owned())),
            None => true,
        };
        if is_missing {
            missing.entry(file.id.clone()).or_default().insert(way);
        }
    }
    Ok(missing)
}

/// Returns the default name of the repository in a directory.
#[must_use]
pub fn name_in(folder: &Path) -> String {
    // If git is not installed, the clone URL is unknown, and the name is that of the directory.
    name(Git::of(folder).ok().as_ref(), folder)
}

fn name(git: Option<&Git>, folder: &Path) -> String {
    let own = || {
        folder.file_name().map_or_else(|| "repository".to_owned(), |name| name.to_string_lossy().into_owned())
    };
    git.and_then(Git::origin).as_deref().and_then(name_of).unwrap_or_else(own)
}

/// A repository and the embedding model, as registered in the index.
struct RegisteredRepository {
    repository: i32,
    /// The number of the embedding model in the index; `None` if the server stores no embeddings.
    model: Option<i32>,
    /// The reason why the server stores no embeddings; `None` if it does.
    without: Option<String>,
}

/// Registers the repository and the embedding model in the index, if they are new.
fn enter(
    server: &Server,
    name: &str,
    branch: &str,
    model: &str,
) -> Result<RegisteredRepository, SharedIndexError> {
    server.run(PART, Tables::MadeNow, async |client: &mut Client| {
        let fault = |error: tokio_postgres::Error| server.fault(&error);
        let vectors = schema::make_vectors(server.place(), client).await?;
        let enter = "insert into toolpost.repositories (name, main) values ($1, $2) on conflict do nothing";
        client.execute(enter, &[&name, &branch]).await.map_err(fault)?;
        // If all branches of the repository were removed, this push determines its main branch again.
        let begin = "update toolpost.repositories r set main = $2 where name = $1 and main <> $2 \
                     and not exists (select from toolpost.versions v where v.repository = r.id)";
        client.execute(begin, &[&name, &branch]).await.map_err(fault)?;
        let find = "select id from toolpost.repositories where name = $1";
        let repository = client.query_one(find, &[&name]).await.map_err(fault)?.get(0);
        if let Vectors::NotKept(why) = vectors {
            return Ok(RegisteredRepository { repository, model: None, without: Some(why) });
        }
        let enter = "insert into toolpost.models (name) values ($1) on conflict do nothing";
        client.execute(enter, &[&model]).await.map_err(fault)?;
        let find = "select id from toolpost.models where name = $1";
        let model = client.query_one(find, &[&model]).await.map_err(fault)?.get(0);
        Ok(RegisteredRepository { repository, model: Some(model), without: None })
    })
}

/// A file content that the index already has.
struct KnownContent {
    hash: ContentHash,
    /// Set if contents of this kind and size are split into blocks.
    is_cut: bool,
}

/// Returns those contents of `files` that the index already has, by their git ids.
fn known(
    server: &Server,
    repository: i32,
    files: &[TrackedFile],
) -> Result<HashMap<Vec<u8>, KnownContent>, SharedIndexError> {
    let ids: HashSet<&Vec<u8>> = files.iter().map(|file| &file.id).collect();
    let ids: Vec<&Vec<u8>> = ids.into_iter().collect();
    let find = format!(
        "select b.git, b.hash, b.form, b.size from toolpost.blobs b {STANDS} \
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
                let stands = KnownContent { hash, is_cut: is_cut(row.get(2), row.get(3)) };
                known.insert((*id).clone(), stands);
            }
        }
    }
    Ok(known)
}

/// Decodes the hexadecimal digits of a git id into bytes.
fn packed(id: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map_or(0, |digit| digit as u8);
    id.chunks(2).map(|pair| pair.iter().fold(0, |number, byte| number << 4 | digit(*byte))).collect()
}
