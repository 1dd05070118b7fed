//! The tables of the index, and their versions.

use tokio_postgres::Client;

use crate::{Fault, Server};

/// The version of the tables that this program knows.
const VERSION: i32 = 1;

/// One process at a time makes the tables.
const LOCK: i64 = 0x746f_6f6c_706f_7374;

/// What brings the tables from each version to the next; the first makes them.
const STEPS: &[&str] = &[include_str!("schema/1.sql")];

/// In how many parts the large tables lie; all that belongs to a repository lies in one.
const PARTS: u32 = 16;

/// The tables that lie in parts.
const PARTED: &[&str] = &["files", "blobs", "pieces"];

/// Looks whether the tables are there in the version that is known.
pub(crate) async fn check(server: &Server, client: &mut Client) -> Result<(), Fault> {
    match version(server, client).await? {
        Some(VERSION) => Ok(()),
        None => Err(Fault::NotMade(server.place().to_owned())),
        Some(found) => Err(Fault::Version { place: server.place().to_owned(), found, known: VERSION }),
    }
}

/// Makes the tables, or brings them to the version that is known.
pub(crate) async fn make(server: &Server, client: &mut Client) -> Result<(), Fault> {
    let place = || server.place().to_owned();
    let fault = |error: tokio_postgres::Error| server.fault(&error);
    if version(server, client).await? == Some(VERSION) {
        return Ok(());
    }
    let encoding: String = client.query_one("show server_encoding", &[]).await.map_err(fault)?.get(0);
    if encoding != "UTF8" {
        return Err(Fault::Encoding { place: place(), found: encoding });
    }
    let change = client.transaction().await.map_err(fault)?;
    change.execute("select pg_advisory_xact_lock($1)", &[&LOCK]).await.map_err(fault)?;
    let there =
        change.query_one("select to_regclass('toolpost.schema') is not null", &[]).await.map_err(fault)?;
    let mut found = 0;
    if there.get(0) {
        found = change.query_one("select version from toolpost.schema", &[]).await.map_err(fault)?.get(0);
    }
    if found > VERSION {
        return Err(Fault::Version { place: place(), found, known: VERSION });
    }
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        if found == 0 {
            extensions(server, &change).await?;
        }
        change.batch_execute(step).await.map_err(fault)?;
        found += 1;
        if found == 1 {
            let can = "select exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals))";
            if change.query_one(can, &[]).await.map_err(fault)?.get(0) {
                // A fifth more room, and half the time to look into a piece.
                let quick = "alter table toolpost.pieces alter column body set compression lz4";
                change.batch_execute(quick).await.map_err(fault)?;
            }
            change.batch_execute(&parts()).await.map_err(fault)?;
        }
    }
    change.execute("update toolpost.schema set version = $1", &[&VERSION]).await.map_err(fault)?;
    change.commit().await.map_err(fault)
}

/// Gives the version of the tables; none if there are none.
async fn version(server: &Server, client: &Client) -> Result<Option<i32>, Fault> {
    let fault = |error: tokio_postgres::Error| server.fault(&error);
    let there =
        client.query_one("select to_regclass('toolpost.schema') is not null", &[]).await.map_err(fault)?;
    if !there.get::<_, bool>(0) {
        return Ok(None);
    }
    Ok(Some(client.query_one("select version from toolpost.schema", &[]).await.map_err(fault)?.get(0)))
}

/// Sees to it that what the tables need of the server is there.
async fn extensions(server: &Server, change: &tokio_postgres::Transaction<'_>) -> Result<(), Fault> {
    for name in ["pg_trgm", "btree_gin"] {
        let fault = |error: tokio_postgres::Error| server.fault(&error);
        let can = "select exists (select from pg_available_extensions where name = $1)";
        if !change.query_one(can, &[&name]).await.map_err(fault)?.get::<_, bool>(0) {
            return Err(Fault::Extension { place: server.place().to_owned(), name: name.to_owned() });
        }
        change.batch_execute(&format!("create extension if not exists {name}")).await.map_err(fault)?;
    }
    Ok(())
}

/// Writes what makes the parts of the large tables.
fn parts() -> String {
    let part = |table: &str, number: u32| {
        format!(
            "create table toolpost.{table}_{number} partition of toolpost.{table} \
             for values with (modulus {PARTS}, remainder {number});\n"
        )
    };
    PARTED.iter().flat_map(|table| (0..PARTS).map(move |number| part(table, number))).collect()
}
