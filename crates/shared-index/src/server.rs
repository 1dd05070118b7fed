//! The PostgreSQL server with the shared index, and a small pool of connections to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::Host;
use tokio_postgres::{Client, IsolationLevel, NoTls, Transaction};

use crate::address::Address;
use crate::tls::PostgresTlsConnector;
use crate::{SharedIndexError, schema};

/// Maximum number of idle connections in the pool.
const IDLE: usize = 4;

/// Time limit for opening a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Additional time for which the client waits after the server's time limit, so that the server's error arrives first.
const GRACE: Duration = Duration::from_secs(1);

/// A server with a shared index. A connection is opened at the first use. Cloning is cheap.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    address: Address,
    /// The runtime of the connections; `None` only while the value is dropped.
    threads: Option<Runtime>,
    idle: Mutex<Vec<Client>>,
    /// Set once the version of the tables has been checked.
    looked: AtomicBool,
}

/// The reaction to missing or outdated tables: an error, or their creation or migration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tables {
    Needed,
    MadeNow,
}

impl Server {
    /// Creates the client for a server from its URL, without connecting.
    ///
    /// # Errors
    /// If the URL is not valid, or requires an unsupported feature.
    pub fn at(address: &str) -> Result<Self, SharedIndexError> {
        let address = Address::read(address)?;
        let threads = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("shared-index")
            .enable_all()
            .build()
            .map_err(|fault| SharedIndexError::Unreachable {
                place: address.place.clone(),
                why: fault.to_string(),
            })?;
        let (idle, looked) = (Mutex::default(), AtomicBool::new(false));
        Ok(Self(Arc::new(Inner { address, threads: Some(threads), idle, looked })))
    }

    /// Returns the location of the server for display, without user name and password.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.0.address.place
    }

    /// Converts the error of an SQL statement.
    pub(crate) fn fault(&self, error: &tokio_postgres::Error) -> SharedIndexError {
        SharedIndexError::of(&self.0.address.place, error)
    }

    /// Runs `work` on a connection of the pool within a time limit. If the server has closed that connection, runs it
    /// on a new one.
    pub(crate) fn run<T>(
        &self,
        time: Duration,
        tables: Tables,
        work: impl AsyncFn(&mut Client) -> Result<T, SharedIndexError>,
    ) -> Result<T, SharedIndexError> {
        let silent = || {
            let why = format!("the server did not answer within {} s", time.as_secs());
            SharedIndexError::Unreachable { place: self.0.address.place.clone(), why }
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
                // `standard_conforming_strings` is fixed, because the quoting of literals depends on it.
                // `search_path` includes the schemas in which the extensions may be.
                let limit = format!(
                    "set statement_timeout = {}; set standard_conforming_strings = on; \
                     set search_path = \"$user\", public, extensions, toolpost",
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
        // The server's time limit is shorter, so its error arrives before this timeout.
        let patience = time + GRACE;
        threads
            .block_on(async { tokio::time::timeout(patience, all).await.unwrap_or_else(|_| Err(silent())) })
    }

    /// Runs queries that read one snapshot of the database, within a time limit.
    pub(crate) fn read<T>(
        &self,
        time: Duration,
        work: impl AsyncFn(&Transaction<'_>) -> Result<T, SharedIndexError>,
    ) -> Result<T, SharedIndexError> {
        self.run(time, Tables::Needed, async |client: &mut Client| {
            let fault = |error: tokio_postgres::Error| self.fault(&error);
            let look =
                client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
            let look = look.start().await.map_err(fault)?;
            let done = work(&look).await?;
            look.commit().await.map_err(fault)?;
            Ok(done)
        })
    }

    /// Checks at the first use that the tables have the supported version; creates or migrates them if `tables` demands
    /// it.
    async fn look(&self, client: &mut Client, tables: Tables) -> Result<(), SharedIndexError> {
        if tables == Tables::MadeNow {
            schema::make(self.place(), client).await?;
        } else if !self.0.looked.load(Ordering::Relaxed) {
            schema::check(self.place(), client).await?;
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

    async fn connect(&self) -> Result<Client, SharedIndexError> {
        let unreachable =
            |why: String| SharedIndexError::Unreachable { place: self.0.address.place.clone(), why };
        let Address { host, port, .. } = &self.0.address;
        match host {
            Host::Unix(folder) => {
                let socket = folder.join(format!(".s.PGSQL.{port}"));
                let stream = toolpost_net::dial_socket(&socket, CONNECT).await;
                self.greet(stream.map_err(|fault| unreachable(fault.to_string()))?).await
            }
            Host::Tcp(host) => {
                let stream = toolpost_net::dial_named(host, *port, CONNECT).await;
                self.greet(stream.map_err(|fault| unreachable(fault.to_string()))?).await
            }
        }
    }

    /// Authenticates over a connection, which is encrypted before that if the URL requires it.
    async fn greet<S>(&self, stream: S) -> Result<Client, SharedIndexError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Address { config, place, securing, .. } = &self.0.address;
        let late = |_| SharedIndexError::Unreachable {
            place: place.clone(),
            why: "the server does not answer".to_owned(),
        };
        let fault = |error: tokio_postgres::Error| match SharedIndexError::of(place, &error) {
            SharedIndexError::Unreachable { place, why } if securing.is_some() => {
                SharedIndexError::Unsecured { place, why }
            }
            fault => fault,
        };
        let Some(securing) = securing else {
            let linked = tokio::time::timeout(CONNECT, config.connect_raw(stream, NoTls)).await;
            let (client, connection) = linked.map_err(late)?.map_err(fault)?;
            tokio::spawn(connection);
            return Ok(client);
        };
        let securer = PostgresTlsConnector(securing.clone());
        let linked = tokio::time::timeout(CONNECT, config.connect_raw(stream, securer)).await;
        let (client, connection) = linked.map_err(late)?.map_err(fault)?;
        tokio::spawn(connection);
        Ok(client)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // The last clone may be dropped on a thread that must not block.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}
