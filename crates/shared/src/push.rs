//! Upload of a commit: first its missing contents, then the commit in one transaction.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use tokio_postgres::Client;
use toolpost_index::embed::{Embedder as _, Static};
use toolpost_index::ranked::portable::way_of;
use toolpost_workspace::ContentHash;

use crate::commit::{Commit, Filed};
use crate::content::{Content, is_cut};
use crate::cuts::{self, Maker};
use crate::git::{Git, Tracked, name_of};
use crate::schema::{self, Vectors};
use crate::send::Sending;
use crate::server::Tables;
use crate::upload::{AT_ONCE, PART, SOUND, STANDS, TRIES, hash_of};
use crate::{Fault, Server};

/// A push.
pub struct Push<'p> {
    /// A directory of the repository.
    pub folder: &'p Path,
    /// The repository's name in the index; by default from its clone URL, or its directory.
    pub repository: Option<String>,
    /// The commit, in git's notation.
    pub commit: String,
    /// The branch of the commit; by default the checked-out one.
    pub branch: Option<String>,
    /// The paths that the rules permit to read.
    pub may_read: &'p dyn Fn(&[u8]) -> bool,
}

/// The result of a push.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Pushed {
    /// The name of the repository.
    pub repository: String,
    /// The branch.
    pub branch: String,
    /// The commit.
    pub commit: String,
    /// The number of its files in the index.
    pub files: usize,
    /// The number of files that the rules exclude.
    pub withheld: usize,
    /// The number of sent contents.
    pub sent: usize,
    /// Their bytes of text.
    pub sent_bytes: u64,
    /// The number of contents that were split into blocks.
    pub cut: usize,
    /// The reason why the index has no embeddings of them; `None` if it has.
    pub without_vectors: Option<String>,
}

impl Push<'_> {
    /// Pushes the commit; `tell` receives the number of sent contents and the total.
    ///
    /// Until it is done, others see the previous commit.
    ///
    /// # Errors
    /// If git or the server fails; contents that were sent are not sent again.
    pub fn run(&self, server: &Server, tell: &mut dyn FnMut(usize, usize)) -> Result<Pushed, Fault> {
        let git = Git::of(self.folder)?;
        let commit = git.commit(&self.commit)?;
        git.be_at_top()?;
        let branch = self.branch.clone().or_else(|| git.branch()).unwrap_or_else(|| "HEAD".to_owned());
        let name = self.repository.clone().unwrap_or_else(|| name(Some(&git), self.folder));
        let all = git.files(&commit)?;
        let files: Vec<Tracked> = all.iter().filter(|file| (self.may_read)(&file.path)).cloned().collect();
        let withheld = all.len() - files.len();
        let model = Static::embedded().map_err(|bad| Fault::Model(bad.to_string()))?;
        let mut pushed = Pushed {
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
                // Another process removed contents that were there; they are sent again.
                Err(Fault::Changed(_)) => {}
                done => return done.map(|()| pushed),
            }
        }
        Err(Fault::Changed(server.place().to_owned()))
    }
}

/// Sends the missing contents of a commit's files, and then the commit.
fn bring(
    server: &Server,
    git: &Git,
    model: &Static,
    files: &[Tracked],
    pushed: &mut Pushed,
    tell: &mut dyn FnMut(usize, usize),
) -> Result<(), Fault> {
    let entered = enter(server, &pushed.repository, &pushed.branch, model.name())?;
    let maker = Maker { model, number: entered.model };
    let repository = entered.repository;
    let mut known = known(server, repository, files)?;
    let missing = missing(server, repository, maker, files, &known)?;
    let total = missing.len();
    let mut sending = Sending::new(server, repository, maker);
    let mut done = 0;
    git.contents(&missing.keys().cloned().collect(), &mut |id, bytes| {
        let ways = missing.get(id).cloned().unwrap_or_default();
        let content = Content::of(&packed(id), bytes, ways);
        let stood = Stands { hash: content.hash, is_cut: is_cut(content.form, content.size) };
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
        files.iter().filter_map(|tracked| Some(Filed { tracked, hash: known.get(&tracked.id)?.hash }));
    let filed: Vec<Filed<'_>> = filed.collect();
    let (branch, commit, withheld) = (pushed.branch.as_str(), pushed.commit.as_str(), pushed.withheld);
    Commit { repository, branch, commit, withheld, model: entered.model }.set(server, &filed)
}

/// Lists the contents to read, by git's ids, and the languages for which each is split.
fn missing(
    server: &Server,
    repository: i32,
    maker: Maker<'_>,
    files: &[Tracked],
    known: &HashMap<Vec<u8>, Stands>,
) -> Result<HashMap<Vec<u8>, BTreeSet<&'static str>>, Fault> {
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

/// Returns the default name of a repository.
#[must_use]
pub fn name_in(folder: &Path) -> String {
    // Without git there is no clone URL.
    name(Git::of(folder).ok().as_ref(), folder)
}

fn name(git: Option<&Git>, folder: &Path) -> String {
    let own = || {
        folder.file_name().map_or_else(|| "repository".to_owned(), |name| name.to_string_lossy().into_owned())
    };
    git.and_then(Git::origin).as_deref().and_then(name_of).unwrap_or_else(own)
}

/// A registered repository.
struct Entered {
    repository: i32,
    /// The number of the model; `None` if the server stores no embeddings.
    model: Option<i32>,
    /// The reason for a missing model.
    without: Option<String>,
}

/// Registers the repository and the model, if they are new.
fn enter(server: &Server, name: &str, branch: &str, model: &str) -> Result<Entered, Fault> {
    server.run(PART, Tables::MadeNow, async |client: &mut Client| {
        let fault = |error: tokio_postgres::Error| server.fault(&error);
        let vectors = schema::make_vectors(server.place(), client).await?;
        let enter = "insert into toolpost.repositories (name, main) values ($1, $2) on conflict do nothing";
        client.execute(enter, &[&name, &branch]).await.map_err(fault)?;
        // A forgotten repository starts again, and its main branch is chosen again.
        let begin = "update toolpost.repositories r set main = $2 where name = $1 and main <> $2 \
                     and not exists (select from toolpost.versions v where v.repository = r.id)";
        client.execute(begin, &[&name, &branch]).await.map_err(fault)?;
        let find = "select id from toolpost.repositories where name = $1";
        let repository = client.query_one(find, &[&name]).await.map_err(fault)?.get(0);
        if let Vectors::NotKept(why) = vectors {
            return Ok(Entered { repository, model: None, without: Some(why) });
        }
        let enter = "insert into toolpost.models (name) values ($1) on conflict do nothing";
        client.execute(enter, &[&model]).await.map_err(fault)?;
        let find = "select id from toolpost.models where name = $1";
        let model = client.query_one(find, &[&model]).await.map_err(fault)?.get(0);
        Ok(Entered { repository, model: Some(model), without: None })
    })
}

/// A content in the index.
struct Stands {
    hash: ContentHash,
    /// Set if it is split into blocks.
    is_cut: bool,
}

/// Returns which contents are in the index, by git's ids.
fn known(server: &Server, repository: i32, files: &[Tracked]) -> Result<HashMap<Vec<u8>, Stands>, Fault> {
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
                let stands = Stands { hash, is_cut: is_cut(row.get(2), row.get(3)) };
                known.insert((*id).clone(), stands);
            }
        }
    }
    Ok(known)
}

/// Decodes the hexadecimal digits of a git id.
fn packed(id: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map_or(0, |digit| digit as u8);
    id.chunks(2).map(|pair| pair.iter().fold(0, |number, byte| number << 4 | digit(*byte))).collect()
}
