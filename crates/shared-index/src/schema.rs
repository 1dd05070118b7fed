//! The tables of the shared index, and their migration to the supported version.

use tokio_postgres::{Client, Transaction, error::SqlState};

use crate::SharedIndexError;

/// The version of the tables that this program supports.
const VERSION: i32 = 2;

/// Key of the advisory lock that lets only one process at a time create the tables.
const LOCK: i64 = 0x746f_6f6c_706f_7374;

/// The SQL statements that migrate the tables from each version to the next, with the partitioned tables that each
/// adds; the first one creates the tables.
const STEPS: &[(&str, &[&str])] = &[
    (include_str!("schema/1.sql"), &["files", "blobs", "pieces"]),
    (include_str!("schema/2.sql"), &["cuts", "blocks"]),
];

/// The SQL statement that creates the table of embeddings, which needs an extension.
const VECTORS: &str = include_str!("schema/vectors.sql");

/// The number of partitions of each large table. All rows of a repository are in the same partition.
const PARTS: u32 = 16;

/// The server's support for storing embeddings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Vectors {
    Kept,
    /// The reason why the server cannot store embeddings, with advice.
    NotKept(String),
}

/// Checks that the tables in the database have the supported version.
pub(crate) async fn check(place: &str, client: &mut Client) -> Result<(), SharedIndexError> {
    let owned = || place.to_owned();
    match version(place, client).await? {
        Some(VERSION) => Ok(()),
        None => Err(SharedIndexError::NotMade(owned())),
        Some(found) if found < VERSION => {
            Err(SharedIndexError::Older { place: owned(), found, known: VERSION })
        }
        Some(found) => Err(SharedIndexError::Version { place: owned(), found, known: VERSION }),
    }
}

/// SQL that checks whether a table exists, in a transaction that has waited for `LOCK`. `to_regclass` is not reliable
/// here, because it reads the session's cache, which the wait does not refresh. It would miss a table that another
/// client has just created.
const EXISTS: &str = "select exists (select from pg_tables where schemaname = 'toolpost' and tablename = $1)";

/// Creates the tables in the database, or migrates them to the supported version.
pub(crate) async fn make(place: &str, client: &mut Client) -> Result<(), SharedIndexError> {
    let owned = || place.to_owned();
    let fault = |error: tokio_postgres::Error| SharedIndexError::of(place, &error);
    if version(place, client).await? == Some(VERSION) {
        return Ok(());
    }
    let encoding: String = client.query_one("show server_encoding", &[]).await.map_err(fault)?.get(0);
    if encoding != "UTF8" {
        return Err(SharedIndexError::Encoding { place: owned(), found: encoding });
    }
    let change = client.transaction().await.map_err(fault)?;
    change.execute("select pg_advisory_xact_lock($1)", &[&LOCK]).await.map_err(fault)?;
    let mut found = 0;
    if change.query_one(EXISTS, &[&"schema"]).await.map_err(fault)?.get(0) {
        found = change.query_one("select version from toolpost.schema", &[]).await.map_err(fault)?.get(0);
    }
    if found > VERSION {
        return Err(SharedIndexError::Version { place: owned(), found, known: VERSION });
    }
    for (step, tables) in STEPS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        if found == 0 {
            extensions(place, &change).await?;
        }
        change.batch_execute(step).await.map_err(fault)?;
        change.batch_execute(&parts(tables)).await.map_err(fault)?;
        found += 1;
        if found == 1 {
            let can = "select exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals))";
            if change.query_one(can, &[]).await.map_err(fault)?.get(0) {
                // Compared with the default compression, lz4 takes a fifth more space and halves the time to
                // read a piece.
                change.batch_execute(&quick()).await.map_err(fault)?;
            }
        }
    }
    change.execute("update toolpost.schema set version = $1", &[&VERSION]).await.map_err(fault)?;
    change.commit().await.map_err(fault)
}

/// Creates the table of embeddings, if the server supports it; all other functions work without it.
pub(crate) async fn make_vectors(place: &str, client: &mut Client) -> Result<Vectors, SharedIndexError> {
    let fault = |error: tokio_postgres::Error| SharedIndexError::of(place, &error);
    if has_vectors(place, client).await? {
        return Ok(Vectors::Kept);
    }
    let can = "select exists (select from pg_available_extensions where name = 'vector')";
    if !client.query_one(can, &[]).await.map_err(fault)?.get::<_, bool>(0) {
        let why = "the server has no extension vector; install pgvector 0.7 or later there (Debian: postgresql-NN-pgvector) and repeat `toolpost index push`";
        return Ok(Vectors::NotKept(why.to_owned()));
    }
    let change = client.transaction().await.map_err(fault)?;
    let made = async {
        change.execute("select pg_advisory_xact_lock($1)", &[&LOCK]).await?;
        if change.query_one(EXISTS, &[&"vectors"]).await?.get(0) {
            return Ok(());
        }
        change.batch_execute("create extension if not exists vector").await?;
        change.batch_execute(VECTORS).await?;
        change.batch_execute(&parts(&["vectors"])).await
    };
    let made: Result<(), tokio_postgres::Error> = made.await;
    match made {
        Ok(()) => change.commit().await.map_err(fault).map(|()| Vectors::Kept),
        Err(error) => {
            let code = error.code().cloned();
            let said =
                error.as_db_error().map_or_else(|| error.to_string(), |said| said.message().to_owned());
            drop(change);
            let next = match code {
                Some(code) if code == SqlState::INSUFFICIENT_PRIVILEGE => {
                    "ask an administrator to run `create extension vector` in this database, and repeat `toolpost index push`"
                }
                // Versions of pgvector before 0.7 lack the type `halfvec`.
                Some(code) if code == SqlState::UNDEFINED_OBJECT => {
                    "install pgvector 0.7 or later there, run `alter extension vector update`, and repeat `toolpost index push`"
                }
                _ => return Err(fault(error)),
            };
            Ok(Vectors::NotKept(format!("{said}; {next}")))
        }
    }
}

/// Returns whether the database has the table of embeddings.
pub(crate) async fn has_vectors(place: &str, client: &Client) -> Result<bool, SharedIndexError> {
    let find = "select to_regclass('toolpost.vectors') is not null";
    Ok(client.query_one(find, &[]).await.map_err(|error| SharedIndexError::of(place, &error))?.get(0))
}

/// Returns the version of the tables; `None` if the database has none.
async fn version(place: &str, client: &Client) -> Result<Option<i32>, SharedIndexError> {
    let fault = |error: tokio_postgres::Error| SharedIndexError::of(place, &error);
    let there =
        client.query_one("select to_regclass('toolpost.schema') is not null", &[]).await.map_err(fault)?;
    if !there.get::<_, bool>(0) {
        return Ok(None);
    }
    Ok(Some(client.query_one("select version from toolpost.schema", &[]).await.map_err(fault)?.get(0)))
}

/// Creates the PostgreSQL extensions that the tables need. Fails if the server does not have one of them.
async fn extensions(place: &str, change: &Transaction<'_>) -> Result<(), SharedIndexError> {
    for name in ["pg_trgm", "btree_gin"] {
        let fault = |error: tokio_postgres::Error| SharedIndexError::of(place, &error);
        let can = "select exists (select from pg_available_extensions where name = $1)";
        if !change.query_one(can, &[&name]).await.map_err(fault)?.get::<_, bool>(0) {
            return Err(SharedIndexError::Extension { place: place.to_owned(), name: name.to_owned() });
        }
        change.batch_execute(&format!("create extension if not exists {name}")).await.map_err(fault)?;
    }
    Ok(())
}

/// Builds the SQL statements that create the partitions of tables.
fn parts(tables: &[&str]) -> String {
    let part = |table: &str, number: u32| {
        format!(
            "create table toolpost.{table}_{number} partition of toolpost.{table} \
             for values with (modulus {PARTS}, remainder {number});\n"
        )
    };
    tables.iter().flat_map(|table| (0..PARTS).map(move |number| part(table, number))).collect()
}

/// Builds the SQL statements that set the compression of the texts of files.
fn quick() -> String {
    let part = |number: u32| {
        format!("alter table toolpost.pieces_{number} alter column body set compression lz4;\n")
    };
    let whole = "alter table toolpost.pieces alter column body set compression lz4;\n".to_owned();
    std::iter::once(whole).chain((0..PARTS).map(part)).collect()
}
