//! Regular expression search over many repositories, without local clones.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio_postgres::{Client, IsolationLevel, Transaction};
use toolpost_grams::{Letters, Pattern, Reach};
use toolpost_search::Case;
use toolpost_search::grep::{Line, Texts};
use toolpost_workspace::ContentHash;

use crate::condition::condition;
use crate::names::{Names, Paths};
use crate::server::Tables;
use crate::upload::hash_of;
use crate::versions::{Version, versions, whole_texts};
use crate::{Fault, Server};

/// Time limit of a search; partial results are returned.
const TIME: Duration = Duration::from_secs(60);

/// Time limit of a statement.
const STATEMENT: Duration = Duration::from_secs(120);

/// The number of repositories that are searched in order before one query selects the others with candidates.
const FIRST: usize = 8;

/// The number of contents per fetch.
const FETCHED: usize = 64;

/// Maximum number of characters of a line; longer lines are cut around the match.
const MAX_LINE: usize = 400;

/// A query and its scope.
#[derive(Debug, Clone)]
pub struct Across {
    /// The regular expression; it is searched line by line.
    pub pattern: String,
    /// Case sensitivity.
    pub case: Case,
    /// The repository names; `*` is a wildcard.
    pub repositories: Vec<String>,
    /// The branch; the default is the one that was pushed first.
    pub branch: Option<String>,
    /// File globs, as for `rg --glob`; `!` excludes.
    pub globs: Vec<String>,
    /// The number of context lines around each match.
    pub around: usize,
    /// Maximum number of matching lines.
    pub limit: usize,
}

/// The result of a search.
#[derive(Debug, Default, Serialize)]
pub struct FoundAcross {
    /// The files with matches, by repository and path.
    pub files: Vec<FileAcross>,
    /// The number of matching lines.
    pub lines: u64,
    /// Set if there are more matches.
    pub more: bool,
    /// The number of searched repositories.
    pub repositories: usize,
    /// The parts that were not searched, with reasons.
    pub left_out: Vec<String>,
}

/// A file with matches.
#[derive(Debug, Serialize)]
pub struct FileAcross {
    /// The repository.
    pub repository: String,
    /// The commit.
    pub commit: String,
    /// The path, relative to the top of the repository; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// One search.
struct Search<'s> {
    server: &'s Server,
    asked: &'s Across,
    paths: &'s Paths,
    condition: Option<&'s str>,
    until: Instant,
}

/// Counts of files that cannot be searched.
#[derive(Default)]
struct LeftOut {
    binary: i64,
    odd: i64,
    withheld: i64,
    damaged: Vec<String>,
}

impl Across {
    /// Runs the search.
    ///
    /// # Errors
    /// If the expression or a name is not valid, no repository has such a name, or the server fails.
    pub fn run(&self, server: &Server) -> Result<FoundAcross, Fault> {
        let names = Names::new(&self.repositories)?;
        let paths = Paths::new(&self.globs)?;
        Texts::new(&self.pattern, self.case, self.around, MAX_LINE)?;
        let letters = match self.case {
            Case::Sensitive => Letters::AsWritten,
            // A condition that selects too little of the pattern only adds candidates, which are searched.
            Case::Insensitive | Case::Smart => Letters::AnyCase,
        };
        let condition = Pattern::read(&self.pattern, letters, Reach::Line).and_then(|read| condition(&read));
        let until = Instant::now() + TIME;
        let search = Search { server, asked: self, paths: &paths, condition: condition.as_deref(), until };
        server.run(STATEMENT, Tables::Needed, async |client: &mut Client| {
            let fault = |error: tokio_postgres::Error| server.fault(&error);
            // All queries use one snapshot.
            let look =
                client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
            let look = look.start().await.map_err(fault)?;
            let versions =
                versions(server, &look, &names, &self.repositories, self.branch.as_deref()).await?;
            let found = search.all(&look, &versions).await?;
            look.commit().await.map_err(fault)?;
            Ok(found)
        })
    }
}

impl Search<'_> {
    fn fault(&self, error: &tokio_postgres::Error) -> Fault {
        self.server.fault(error)
    }

    async fn all(&self, look: &Transaction<'_>, versions: &[Version]) -> Result<FoundAcross, Fault> {
        let mut found = FoundAcross::default();
        let mut left = LeftOut::default();
        let mut with: Option<HashSet<i32>> = None;
        for (number, version) in versions.iter().enumerate() {
            if number == FIRST && self.condition.is_some() {
                with = Some(self.with_any(look, versions.get(FIRST..).unwrap_or_default()).await?);
            }
            if with.as_ref().is_none_or(|with| with.contains(&version.repository)) {
                self.one(look, version, &mut found, &mut left).await?;
            }
            found.repositories += 1;
            if found.more {
                break;
            }
            if Instant::now() >= self.until {
                let rest = versions.len() - found.repositories;
                found.more = true;
                found.left_out.push(format!("{rest} repositories: the time was up"));
                break;
            }
        }
        for version in versions.iter().take(found.repositories) {
            left.withheld += i64::from(version.withheld);
            left.binary += i64::from(version.binary);
            left.odd += i64::from(version.odd);
        }
        found.left_out.extend(left.words());
        Ok(found)
    }

    /// Returns the repositories with a candidate content.
    async fn with_any(&self, look: &Transaction<'_>, versions: &[Version]) -> Result<HashSet<i32>, Fault> {
        let ids: Vec<i32> = versions.iter().map(|version| version.repository).collect();
        let condition = self.condition.unwrap_or("true");
        let find = format!(
            "select distinct repository from toolpost.pieces where {condition} and repository = any($1)"
        );
        let rows = look.query(&find, &[&ids]).await.map_err(|error| self.fault(&error))?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    async fn one(
        &self,
        look: &Transaction<'_>,
        version: &Version,
        found: &mut FoundAcross,
        left: &mut LeftOut,
    ) -> Result<(), Fault> {
        let mut texts = Texts::new(&self.asked.pattern, self.asked.case, self.asked.around, MAX_LINE)?;
        let files = self.candidates(look, version).await?;
        for part in files.chunks(FETCHED) {
            let hashes: Vec<ContentHash> = part.iter().map(|(_, content)| *content).collect();
            let contents = whole_texts(self.server, look, version.repository, &hashes).await?;
            for (path, content) in part {
                let Some(text) = contents.get(content) else {
                    left.damaged.push(format!("{}: {path}", version.name));
                    continue;
                };
                let room =
                    usize::try_from(found.lines).map_or(0, |lines| self.asked.limit.saturating_sub(lines));
                let held = texts.search(text, room.saturating_mul(2 * self.asked.around + 1));
                if held.matching_lines == 0 {
                    continue;
                }
                found.lines += held.matching_lines;
                let (repository, commit) = (version.name.clone(), version.commit.clone());
                if room > 0 {
                    found.files.push(FileAcross {
                        repository,
                        commit,
                        path: path.clone(),
                        lines: held.lines,
                    });
                }
                if found.lines > self.asked.limit as u64 {
                    found.lines = self.asked.limit as u64;
                    found.more = true;
                    return Ok(());
                }
            }
            if Instant::now() >= self.until {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Lists the candidate files of a commit, by path.
    async fn candidates(
        &self,
        look: &Transaction<'_>,
        version: &Version,
    ) -> Result<Vec<(String, ContentHash)>, Fault> {
        let repository = version.repository;
        let contents = match self.condition {
            Some(condition) => format!(
                "select distinct hash from toolpost.pieces where repository = {repository} and {condition}"
            ),
            None => format!(
                "select hash from toolpost.blobs where repository = {repository} and form = 0 and size > 0"
            ),
        };
        let find = format!(
            "select f.path, f.hash from toolpost.files f join ({contents}) c on c.hash = f.hash \
             where f.repository = {repository} and f.version = $1 order by f.path"
        );
        let rows = look.query(&find, &[&version.id]).await.map_err(|error| self.fault(&error))?;
        let read = |row: &tokio_postgres::Row| {
            let path = String::from_utf8_lossy(row.get::<_, &[u8]>(0)).into_owned();
            Some((path, hash_of(row.get(1))?))
        };
        let files = rows.iter().filter_map(read);
        Ok(files.filter(|(path, _)| self.paths.wants(path)).collect())
    }
}

impl LeftOut {
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut say = |count: i64, what: &str| {
            if count > 0 {
                words.push(format!("{count} {what}"));
            }
        };
        say(self.binary, "binary files");
        say(self.odd, "files that are not UTF-8, or too long");
        say(self.withheld, "files that the rules kept out when they were pushed");
        if !self.damaged.is_empty() {
            let named = self.damaged.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
            let count = self.damaged.len();
            words
                .push(format!("{count} files whose text in the index is damaged ({named}); push them again"));
        }
        words
    }
}
