//! Queries of a workspace to the shared index: which file contents the index has, and which of them may match a
//! pattern.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio_postgres::{Client, Row, Transaction};
use toolpost_trigrams::{Answer, Knows, Lost, Pattern, SharedIndex, SharedState};
use toolpost_workspace::ContentHash;

use crate::condition::condition;
use crate::server::Tables;
use crate::upload::{SOUND, STANDS, hash_of};
use crate::{Server, SharedIndexError};

/// The server's time limit for finding candidates. A longer query would save no time, because a local search of all
/// files takes about as long.
const FIND: Duration = Duration::from_secs(2);

/// The server's time limit for finding out which contents the index has.
const KNOWS: Duration = Duration::from_secs(60);

/// If more pieces of file contents than this may match, the query saves no time, and its result is not used.
const MOST: usize = 20_000;

/// A client that queries the shared index for the repositories of a workspace.
pub struct IndexClient {
    server: Server,
    names: Vec<String>,
    /// The database ids of those repositories that are in the index.
    ids: Mutex<Vec<i32>>,
}

impl IndexClient {
    /// Creates a client for the repositories with the given names.
    #[must_use]
    pub fn new(server: Server, names: Vec<String>) -> Self {
        Self { server, names, ids: Mutex::default() }
    }

    async fn known(
        &self,
        look: &Transaction<'_>,
        contents: &[&[u8]],
    ) -> Result<(Vec<Row>, Vec<Row>), SharedIndexError> {
        let fault = |error: tokio_postgres::Error| self.server.fault(&error);
        let find = "select id, learnt, forgotten from toolpost.repositories where name = any($1)";
        let repositories = look.query(find, &[&self.names]).await.map_err(fault)?;
        let ids: Vec<i32> = repositories.iter().map(|row| row.get(0)).collect();
        let find = format!(
            "select distinct b.hash from toolpost.blobs b {STANDS} \
             where b.repository = any($1) and b.hash = any($2) and b.form = 0 and {SOUND}"
        );
        let mut known = Vec::new();
        if !ids.is_empty() && !contents.is_empty() {
            known = look.query(&find, &[&ids, &contents]).await.map_err(fault)?;
        }
        Ok((repositories, known))
    }
}

impl SharedIndex for IndexClient {
    fn knows(&self, contents: &[ContentHash]) -> Result<Knows, Lost> {
        let asked: Vec<&[u8]> = contents.iter().map(|content| &content.as_bytes()[..]).collect();
        let work = async |look: &Transaction<'_>| self.known(look, &asked).await;
        let (repositories, known) = match self.server.read(KNOWS, work) {
            // The tables do not exist yet, so the index has no repository.
            Err(SharedIndexError::NotMade(_)) => (Vec::new(), Vec::new()),
            done => done.map_err(|fault| Lost(fault.to_string()))?,
        };
        let state = repositories.iter().fold(SharedState::default(), |state, row| SharedState {
            learnt: state.learnt + row.get::<_, i64>(1).cast_unsigned(),
            forgotten: state.forgotten + row.get::<_, i64>(2).cast_unsigned(),
        });
        let ids = repositories.iter().map(|row| row.get(0)).collect();
        *self.ids.lock().unwrap_or_else(PoisonError::into_inner) = ids;
        let known: std::collections::HashSet<&[u8]> = known.iter().map(|row| row.get(0)).collect();
        let known = asked.iter().map(|content| known.contains(content)).collect();
        Ok(Knows { state, known })
    }

    fn find(&self, pattern: &Pattern) -> Result<Option<Answer>, Lost> {
        let ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (Some(condition), false) = (condition(pattern), ids.is_empty()) else { return Ok(None) };
        let ask = question(&ids, &condition);
        let work = async |client: &mut Client| {
            client.query(&ask, &[]).await.map_err(|error| self.server.fault(&error))
        };
        match self.server.run(FIND, Tables::Needed, work) {
            Ok(rows) => Ok(answer(&rows)),
            Err(SharedIndexError::Slow(_)) => Ok(None),
            Err(fault) => Err(Lost(fault.to_string())),
        }
    }
}

/// Builds one SQL statement that returns the state of the repositories, and the pieces of file contents that may match.
fn question(ids: &[i32], condition: &str) -> String {
    let found: Vec<String> = ids
        .iter()
        .map(|id| {
            format!(
                "(select hash, start, octet_length(body) as length from toolpost.pieces \
                 where repository = {id} and {condition} limit {})",
                MOST + 1
            )
        })
        .collect();
    let list: Vec<String> = ids.iter().map(ToString::to_string).collect();
    format!(
        "select r.learnt, r.forgotten, p.hash, p.start, p.length from \
         (select sum(learnt)::bigint as learnt, sum(forgotten)::bigint as forgotten \
         from toolpost.repositories where id in ({})) r left join ({}) p on true",
        list.join(", "),
        found.join(" union all ")
    )
}

/// Parses the rows of the statement that `question` builds; `None` if there are too many candidates, no repository was
/// found, or a position is invalid.
fn answer(rows: &[Row]) -> Option<Answer> {
    if rows.len() > MOST {
        return None;
    }
    let first = rows.first()?;
    let (learnt, forgotten) = (first.get::<_, Option<i64>>(0)?, first.get::<_, Option<i64>>(1)?);
    let mut answer = Answer {
        state: SharedState { learnt: learnt.cast_unsigned(), forgotten: forgotten.cast_unsigned() },
        contents: HashMap::new(),
    };
    for row in rows {
        let Some(hash) = row.get::<_, Option<&[u8]>>(2).and_then(hash_of) else { continue };
        let (start, length) = (row.get::<_, i64>(3), i64::from(row.get::<_, i32>(4)));
        let (Ok(from), Ok(to)) = (u32::try_from(start), u32::try_from(start + length)) else { return None };
        answer.contents.entry(hash).or_default().push(from..to);
    }
    answer.contents.values_mut().for_each(|parts| {
        parts.sort_unstable_by_key(|part| part.start);
        // The caller would reject an answer with duplicates, because their lines would be searched twice.
        parts.dedup();
    });
    Some(answer)
}
