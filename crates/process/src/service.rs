//! A program that serves requests through pipes until its handle is dropped, such as a language server.

use std::io::{PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::net::{RecvFlags, SendFlags, recv, send};
use tokio::sync::watch;
use toolpost_sandbox::{Enforcement, Sandbox};

use crate::error::StartError;
use crate::launch::{Launch, Program};
use crate::leftovers::{kill_by_cookie, read};
use crate::message::{MESSAGE, Message};
use crate::prepare::prepare;
use crate::prepared::Supervisor;
use crate::program_search::belongings;
use crate::random::random_name;
use crate::shortage::start_patiently;
use crate::spawn::{raise_file_limit, spawn_apart};
use crate::state::Exit;
use crate::supervisor::KILL;
use crate::tree;

/// Stack size of the thread that waits for the program's exit, in bytes.
const STACK: usize = 128 * 1024;

/// A program that communicates through pipes. Dropping the handle kills the program and everything that it
/// started.
#[derive(Debug)]
pub struct Service {
    shared: Arc<Shared>,
    enforcement: Enforcement,
    ended: watch::Receiver<Option<Exit>>,
}

/// The pipes of a service.
#[derive(Debug)]
pub struct ServicePipes {
    /// The program's standard input.
    pub input: PipeWriter,
    /// The program's standard output.
    pub output: PipeReader,
    /// The program's standard error.
    pub errors: PipeReader,
}

#[derive(Debug)]
struct Shared {
    control: OwnedFd,
    /// The PID of the program's supervisor; `None` after the supervisor was reaped.
    supervisor: Mutex<Option<i32>>,
}

impl Service {
    /// Starts a program. If the launch names the program by its absolute path, the sandbox lets it read its installation
    /// directory.
    ///
    /// # Errors
    /// If the program is not found, cannot be started, or cannot be confined by the plan of the launch.
    pub fn start(launch: &Launch) -> Result<(Self, ServicePipes), StartError> {
        let launch = with_belongings(launch);
        let run = format!("served-{}", random_name()?);
        let ((started, input, errors), enforcement) = start_patiently(|| {
            let prepared = prepare(&launch, &run, None, || Ok(None))?;
            let enforcement = prepared.confinement.as_ref().map(|confined| confined.enforcement.clone());
            Ok((spawn_apart(&launch, prepared, raise_file_limit())?, enforcement))
        })?;
        let supervisor = Mutex::new(Some(started.supervisor.pid()));
        let shared = Arc::new(Shared { control: started.control, supervisor });
        let (tell, ended) = watch::channel(None);
        let (watched, child) = (Arc::clone(&shared), started.supervisor);
        let thread = std::thread::Builder::new().name("served".to_owned()).stack_size(STACK);
        let served = Self { shared, enforcement: enforcement.unwrap_or_else(Enforcement::off), ended };
        // If no thread can be started, `served` (the handle) is dropped, which kills the program.
        thread
            .spawn(move || tell.send_replace(Some(watch_over(&watched, child, &run))))
            .map_err(|fault| StartError::Missing { what: "a thread", fault })?;
        let (output, input) = (started.output.into(), input.into());
        Ok((served, ServicePipes { input, output, errors: errors.into() }))
    }

    /// Returns the sandbox restrictions of the program and of everything that it starts.
    pub fn enforcement(&self) -> &Enforcement {
        &self.enforcement
    }

    /// Returns how the program exited; `None` until the program and everything that it started have exited.
    pub fn exit(&self) -> Option<Exit> {
        *self.ended.borrow()
    }

    /// Waits until the program and everything that it started have exited.
    pub async fn wait(&self) -> Exit {
        let mut ended = self.ended.clone();
        let exit = ended.wait_for(Option::is_some).await.ok().and_then(|exit| *exit);
        exit.unwrap_or(Exit::Unknown)
    }

    /// Kills the program and everything that it started. Returns without waiting for their exit.
    pub fn kill(&self) {
        let _ = send(&self.shared.control, &[KILL], SendFlags::NOSIGNAL);
    }

    /// Returns the resident memory of the program and everything that it started, in bytes; `None` once all
    /// of them have exited.
    pub fn memory(&self) -> Option<u64> {
        let supervisor = self.shared.lock();
        let processes = tree::below((*supervisor)?);
        Some(processes.iter().filter_map(|process| resident(process.pid)).sum())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<i32>> {
        self.supervisor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the files of the program's installation readable in its sandbox, if its path is absolute.
fn with_belongings(launch: &Launch) -> Launch {
    let mut launch = launch.clone();
    if let (Program::Direct { program, .. }, Sandbox::On(plan)) = (&launch.program, &mut launch.sandbox)
        && Path::new(program).is_absolute()
    {
        plan.readable.extend(belongings(Path::new(program)));
    }
    launch
}

/// Reads the resident memory of a process, in bytes; `None` if the kernel does not report it.
fn resident(pid: i32) -> Option<u64> {
    let status = String::from_utf8_lossy(&read(pid, "status", 8 * 1024).ok()?).into_owned();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Reads the supervisor's messages until the supervisor exits. When the program exits, kills everything that
/// it started.
fn watch_over(shared: &Shared, mut supervisor: Supervisor, run: &str) -> Exit {
    let mut exit = None;
    loop {
        let mut bytes = [0; MESSAGE];
        match recv(&shared.control, &mut bytes, RecvFlags::empty()) {
            Err(rustix::io::Errno::INTR) => {}
            Ok((length, _)) if length > 0 => {
                if let Some(Message::Ended(status) | Message::EndedAlone(status)) =
                    Message::read(&bytes[..length])
                {
                    exit = Some(Exit::of(status));
                    let _ = send(&shared.control, &[KILL], SendFlags::NOSIGNAL);
                }
            }
            _ => break,
        }
    }
    // The PID is about to be reaped, after which it can be reused.
    *shared.lock() = None;
    let is_clean = supervisor.wait();
    if exit.is_none() || !is_clean {
        kill_by_cookie(run);
    }
    exit.unwrap_or(Exit::Unknown)
}
