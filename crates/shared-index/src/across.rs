//! Regular expression search over the repositories in the shared index, without local clones.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio_postgres::Transaction;
use toolpost_search::Case;
use toolpost_search::grep::{Line, Texts};
use toolpost_trigrams::{Letters, Pattern, Reach};
use toolpost_workspace::ContentHash;

use crate::condition::condition;
use crate::names::{Names, Paths};
use crate::upload::hash_of;
use crate::versions::{Version, versions, whole_texts};
use crate::{Server, SharedIndexError};

/// Time limit for a search; when it is reached, the results so far are returned.
const TIME: Duration = Duration::from_secs(60);

/// Time limit for each SQL statement of a search on the server, and for all of them on the client.
const STATEMENT: Duration = Duration::from_secs(120);

/// The number of repositories that are searched one by one. After them, one query finds which of the remaining ones
/// have candidate files.
const FIRST: usize = 8;

/// The number of file contents that are fetched from the server at a time.
const FETCHED: usize = 64;

/// Maximum number of characters of a line that are shown; longer lines are cut around the match.
const MAX_LINE: usize = 400;

/// A regular expression, and the repositories and files in which to search for it.
#[derive(Debug, Clone)]
pub struct RegexSearch {
    /// The regular expression; it is searched line by line.
    pub pattern: String,
    /// Comparison of upper-case and lower-case letters.
    pub case: Case,
    /// The names of the repositories to search; `*` is a wildcard.
    pub repositories: Vec<String>,
    /// The branch to search; `None` for the main branch of each repository, which is usually the one that was pushed
    /// first.
    pub branch: Option<String>,
    /// Globs that select the files to search, as for `rg --glob`; `!` excludes.
    pub globs: Vec<String>,
    /// The number of context lines around each match.
    pub around: usize,
    /// Maximum number of matching lines in the result.
    pub limit: usize,
}

/// The result of a regular expression search over repositories.
#[derive(Debug, Default, Serialize)]
pub struct FoundAcross {
    /// The files with matches, ordered by repository and path.
    pub files: Vec<FileAcross>,
    /// The number of matching lines in `files`.
    pub lines: u64,
    /// Set if there may be more matches, because the limit or the time limit was reached.
    pub more: bool,
    /// The number of repositories that were searched; `left_out` names the last one if only a part of it was searched.
    pub repositories: usize,
    /// The repositories and files that were not searched, with reasons.
    pub left_out: Vec<String>,
}

/// A file with matches in a repository.
#[derive(Debug, Serialize)]
pub struct FileAcross {
    /// The name of the repository.
    pub repository: String,
    /// The id of the commit that was searched.
    pub commit: String,
    /// The path, relative to the top of the repository; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The matching lines, with lines of context.
    pub lines: Vec<Line>,
}

/// The state of one regular expression search over repositories.
struct Search<'s> {
    server: &'s Server,
    asked: &'s RegexSearch,
    paths: &'s Paths,
    condition: Option<&'s str>,
    until: Instant,
}

/// Counts of files that cannot be searched, by reason.
#[derive(Default)]
struct LeftOut {
    binary: i64,
    odd: i64,
    withheld: i64,
    damaged: Vec<String>,
}

impl RegexSearch {
    /// Runs the search on a server.
    ///
    /// # Errors
    /// If the regular expression or a name is not valid, no repository has such a name, or the server fails.
    pub fn run(&self, server: &Server) -> Result<FoundAcross, SharedIndexError> {
        let names = Names::new(&self.repositories)?;
        let paths = Paths::new(&self.globs)?;
        Texts::new(&self.pattern, self.case, self.around, MAX_LINE)?;
        let letters = match self.case {
            Case::Sensitive => Letters::AsWritten,
            // A condition without regard to case only adds candidates, which the regular expression then rejects.
            Case::Insensitive | Case::Smart => Letters::AnyCase,
        };
        let condition = Pattern::read(&self.pattern, letters, Reach::Line).and_then(|read| condition(&read));
        let until = Instant::now() + TIME;
        let search = Search { server, asked: self, paths: &paths, condition: condition.as_deref(), until };
        server.read(STATEMENT, async |look: &Transaction<'_>| {
            let versions = versions(server, look, &names, &self.repositories, self.branch.as_deref()).await?;
            search.all(look, &versions).await
        })
    }
}

impl Search<'_> {
    fn fault(&self, error: &tokio_postgres::Error) -> SharedIndexError {
        self.server.fault(error)
    }

    async fn all(
        &self,
        look: &Transaction<'_>,
        versions: &[Version],
    ) -> Result<FoundAcross, SharedIndexError> {
        let mut found = FoundAcross::default();
        let mut left = LeftOut::default();
        let mut with: Option<HashSet<i32>> = None;
        for (number, version) in versions.iter().enumerate() {
            if number == FIRST && self.condition.is_some() {
                with = Some(self.with_any(look, versions.get(FIRST..).unwrap_or_default()).await?);
            }
            let mut rest = 0;
            if with.as_ref().is_none_or(|with| with.contains(&version.repository)) {
                rest = self.one(look, version, &mut found, &mut left).await?;
            }
            found.repositories += 1;
            if found.more {
                break;
            }
            if Instant::now() >= self.until {
                let timed_out = timed_out(&version.name, rest, versions.len() - found.repositories);
                found.more = timed_out.is_some();
                found.left_out.extend(timed_out);
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

    /// Returns the database ids of those repositories that contain a candidate file.
    async fn with_any(
        &self,
        look: &Transaction<'_>,
        versions: &[Version],
    ) -> Result<HashSet<i32>, SharedIndexError> {
        let ids: Vec<i32> = versions.iter().map(|version| version.repository).collect();
        let condition = self.condition.unwrap_or("true");
        let find = format!(
            "select distinct repository from toolpost.pieces where {condition} and repository = any($1)"
        );
        let rows = look.query(&find, &[&ids]).await.map_err(|error| self.fault(&error))?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Searches a repository's commit. Returns the number of candidate files that were not searched because the time
    /// limit was reached.
    async fn one(
        &self,
        look: &Transaction<'_>,
        version: &Version,
        found: &mut FoundAcross,
        left: &mut LeftOut,
    ) -> Result<usize, SharedIndexError> {
        let mut texts = Texts::new(&self.asked.pattern, self.asked.case, self.asked.around, MAX_LINE)?;
        let files = self.candidates(look, version).await?;
        let mut rest = files.len();
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
                    return Ok(0);
                }
            }
            rest -= part.len();
            if Instant::now() >= self.until {
                return Ok(rest);
            }
        }
        Ok(0)
    }

    /// Lists the candidate files of a repository's commit, ordered by path.
    async fn candidates(
        &self,
        look: &Transaction<'_>,
        version: &Version,
    ) -> Result<Vec<(String, ContentHash)>, SharedIndexError> {
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

/// Describes what a search left out because of its time limit: a number of files in the repository `name`, and whole
/// repositories; `None` if everything was searched.
fn timed_out(name: &str, files: usize, repositories: usize) -> Option<String> {
    let files = (files > 0).then(|| format!("{} of {name}", counted(files, "file", "files")));
    let repositories = (repositories > 0).then(|| counted(repositories, "repository", "repositories"));
    let all: Vec<String> = files.into_iter().chain(repositories).collect();
    (!all.is_empty()).then(|| format!("{}, because the time limit was reached", all.join(" and ")))
}

/// Formats a count with a noun in the singular or plural.
pub(crate) fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Joins the first five names, and counts the ones that remain.
pub(crate) fn named<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    let first = names.by_ref().take(5).collect::<Vec<_>>().join(", ");
    match names.count() {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

impl LeftOut {
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut say = |count: i64, one: &str, several: &str| {
            let count = usize::try_from(count).unwrap_or(0);
            if count > 0 {
                words.push(counted(count, one, several));
            }
        };
        say(self.binary, "binary file", "binary files");
        say(self.odd, "file that is not UTF-8, or too long", "files that are not UTF-8, or too long");
        say(
            self.withheld,
            "file that the rules excluded from the push",
            "files that the rules excluded from the push",
        );
        if !self.damaged.is_empty() {
            let named = named(self.damaged.iter().map(String::as_str));
            let files = counted(self.damaged.len(), "file", "files");
            words.push(format!(
                "{files} with damaged text in the index ({named}): repeat `toolpost index push` in those repositories"
            ));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::timed_out;
    use toolpost_test_rows::each;

    #[test]
    fn a_time_limit_names_everything_that_was_not_searched() {
        let rows = [
            ((0, 0), None),
            ((0, 1), Some("1 repository")),
            ((1, 0), Some("1 file of acme/tool")),
            ((12, 3), Some("12 files of acme/tool and 3 repositories")),
        ];
        each(rows, |((files, repositories), wanted)| {
            let wanted = wanted.map(|what| format!("{what}, because the time limit was reached"));
            assert_eq!(timed_out("acme/tool", files, repositories), wanted);
        });
    }
}
