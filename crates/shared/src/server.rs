//! The server that keeps the index, and the few connections to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config, NoTls};

use crate::{Fault, schema};

/// How many connections are kept open while nobody needs them.
const IDLE: usize = 4;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How much longer than the server may take an answer is waited for.
const GRACE: Duration = Duration::from_secs(1);

/// The port where none is named.
const PORT: u16 = 5432;

/// A server that keeps an index; nothing is asked before it has to be. Cheap to clone.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    config: Config,
    place: String,
    /// None only while it is dropped.
    threads: Option<Runtime>,
    idle: Mutex<Vec<Client>>,
    /// Whether the tables were looked at.
    looked: AtomicBool,
}

/// Whether the tables have to be there already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tables {
    Needed,
    MadeNow,
}

impl Server {
    /// Names a server by its address.
    ///
    /// # Errors
    /// When the address is none, or asks for what is not spoken.
    pub fn at(address: &str) -> Result<Self, Fault> {
        let bad = || Fault::Address(without_password(address));
        if !address.starts_with("postgres://") && !address.starts_with("postgresql://") {
            return Err(bad());
        }
        let mut config: Config = address.parse().map_err(|_| bad())?;
        let Some(host) = config.get_hosts().first() else { return Err(bad()) };
        let host = match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        };
        let port = config.get_ports().first().copied().unwrap_or(PORT);
        let place = format!("{host}:{port}/{}", config.get_dbname().unwrap_or("postgres"));
        if config.get_ssl_mode() == SslMode::Require {
            return Err(Fault::NoTls(place));
        }
        // A server that hangs is given up by both sides.
        config.ssl_mode(SslMode::Disable).application_name("toolpost");
        let threads = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("shared-index")
            .enable_all()
            .build()
            .map_err(|fault| Fault::Unreachable { place: place.clone(), why: fault.to_string() })?;
        let (idle, looked) = (Mutex::default(), AtomicBool::new(false));
        Ok(Self(Arc::new(Inner { config, place, threads: Some(threads), idle, looked })))
    }

    /// Gives where it is, without the user and the password.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.0.place
    }

    /// Words what a statement failed with.
    pub(crate) fn fault(&self, error: &tokio_postgres::Error) -> Fault {
        Fault::of(&self.0.place, error)
    }

    /// Does some work on a connection, within a time; where one that was kept turns out to be gone, on another one.
    pub(crate) fn run<T>(
        &self,
        time: Duration,
        tables: Tables,
        work: impl AsyncFn(&mut Client) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let silent = || {
            let why = format!("it gave no answer within {} s", time.as_secs());
            Fault::Unreachable { place: self.0.place.clone(), why }
        };
        let Some(threads) = &self.0.threads else { return Err(silent()) };
        let all = async {
            loop {
                let kept = self.0.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let is_kept = kept.is_some();
                let mut client = match kept {
                    Some(client) if client.is_closed() => continue,
                    Some(client) => client,
                    None => self.connect().await?,
                };
                // Texts are quoted as this setting has it, whatever the server's own is.
                let limit = format!(
                    "set statement_timeout = {}; set standard_conforming_strings = on",
                    time.as_millis().max(1)
                );
                let done = match client.batch_execute(&limit).await {
                    Ok(()) => {
                        self.look(&mut client, tables).await?;
                        work(&mut client).await
                    }
                    Err(error) => Err(self.fault(&error)),
                };
                match done {
                    Err(_) if is_kept && client.is_closed() => {}
                    done => {
                        self.keep(client);
                        return done;
                    }
                }
            }
        };
        // The server gives up first, and says so.
        let patience = time + GRACE;
        threads
            .block_on(async { tokio::time::timeout(patience, all).await.unwrap_or_else(|_| Err(silent())) })
    }

    /// Looks once whether the tables are those that are known, and makes them if that is asked for.
    async fn look(&self, client: &mut Client, tables: Tables) -> Result<(), Fault> {
        if tables == Tables::MadeNow {
            schema::make(self, client).await?;
        } else if !self.0.looked.load(Ordering::Relaxed) {
            schema::check(self, client).await?;
        }
        self.0.looked.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn keep(&self, client: Client) {
        let mut idle = self.0.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE && !client.is_closed() {
            idle.push(client);
        }
    }

    async fn connect(&self) -> Result<Client, Fault> {
        let place = || self.0.place.clone();
        let unreachable = |why: String| Fault::Unreachable { place: place(), why };
        let late = || unreachable("it does not answer".to_owned());
        let port = self.0.config.get_ports().first().copied().unwrap_or(PORT);
        let client = match self.0.config.get_hosts().first() {
            Some(Host::Unix(folder)) => {
                let socket = folder.join(format!(".s.PGSQL.{port}"));
                let stream = toolpost_net::dial_socket(&socket, CONNECT).await;
                let stream = stream.map_err(|fault| unreachable(fault.to_string()))?;
                let linked = tokio::time::timeout(CONNECT, self.0.config.connect_raw(stream, NoTls)).await;
                let (client, connection) = linked.map_err(|_| late())?.map_err(|error| self.fault(&error))?;
                tokio::spawn(connection);
                client
            }
            Some(Host::Tcp(host)) => {
                let stream = toolpost_net::dial_named(host, port, CONNECT).await;
                let stream = stream.map_err(|fault| unreachable(fault.to_string()))?;
                let linked = tokio::time::timeout(CONNECT, self.0.config.connect_raw(stream, NoTls)).await;
                let (client, connection) = linked.map_err(|_| late())?.map_err(|error| self.fault(&error))?;
                tokio::spawn(connection);
                client
            }
            None => return Err(Fault::Address(place())),
        };
        Ok(client)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // The last one may go where nothing may wait.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

/// Takes the password out of what was said as an address.
#[must_use]
pub fn without_password(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").map_or(("", address), |(scheme, rest)| (scheme, rest));
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let bare = match rest.get(..end).and_then(|part| part.rfind('@')) {
        Some(at) => {
            let user = rest.get(..at).unwrap_or_default().split(':').next().unwrap_or_default();
            format!("{user}@{}", rest.get(at + 1..).unwrap_or_default())
        }
        None => rest.to_owned(),
    };
    let bare = match bare.split_once('?') {
        Some((before, query)) if query.contains("password") => before.to_owned(),
        _ => bare,
    };
    if scheme.is_empty() { bare } else { format!("{scheme}://{bare}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_named_without_their_passwords() {
        let rows = [
            ("postgres://me:secret@host:1/base", "postgres://me@host:1/base"),
            ("postgres://me:se@cret@host/base", "postgres://me@host/base"),
            ("postgres://host/base?password=secret", "postgres://host/base"),
            ("postgres://host/base?sslmode=disable", "postgres://host/base?sslmode=disable"),
            ("me:secret@host", "me@host"),
            ("host", "host"),
        ];
        for (address, shown) in rows {
            assert_eq!(without_password(address), shown);
        }
    }

    #[test]
    fn what_is_no_address_is_said_to_be_none() {
        let said = |address: &str| Server::at(address).map(|server| server.place().to_owned());
        assert_eq!(said("postgres://me:secret@db.example:5433/code").unwrap(), "db.example:5433/code");
        assert_eq!(said("postgresql:///code?host=/run/pg").unwrap(), "/run/pg:5432/code");
        for address in
            ["", "db.example", "mysql://host/base", "postgres://", "postgres:///base", "postgres://h:x/b"]
        {
            let said = said(address).unwrap_err().to_string();
            assert!(said.contains("is no address of an index"), "{address}: {said}");
        }
        let said = said("postgres://me:secret@host/base?sslmode=require").unwrap_err().to_string();
        assert!(said.contains("host:5432/base asks for an encrypted connection") && !said.contains("secret"));
    }
}
