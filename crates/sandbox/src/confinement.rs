//! The sandbox of one program, derived from a plan: the steps between fork and execute, and the restrictions
//! that they enforce.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bubblewrap::{self, Bubblewrap};
use crate::calls::NetworkOrigin;
use crate::creations::{Creations, unavailable};
use crate::enforcement::{Enforcement, Guard, GuardState, Means};
use crate::environment::Environment;
use crate::error::SandboxError;
use crate::filter::{Attributes, Sockets};
use crate::host;
use crate::locks::Locks;
use crate::namespace_plan::NamespacePlan;
use crate::pins::{Pins, pins_of};
use crate::plan::{Access, Network, Plan};
use crate::rules::{AccessRight, NetworkScope, Rules};
use crate::scope::Scope;
use crate::script::{GUARD_WORDS, NETWORK_WORDS, PROXY, Script, StepFailure};
use crate::session_network::SessionNetwork;
use crate::view::{Content, View, root, view};

/// The variable with the directory of temporary files.
const TEMPORARY: &str = "TMPDIR";
/// The variables with the address of the proxy.
const PROXIES: [&str; 5] = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
/// The variables with the hosts that are reached without the proxy.
const UNPROXIED: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// Lists the names of all variables that a sandbox can add for its program.
pub fn added_variables() -> impl Iterator<Item = &'static str> {
    [TEMPORARY].into_iter().chain(PROXIES).chain(UNPROXIED)
}

/// The sandbox of one program, ready to be applied between fork and execute.
#[derive(Debug)]
pub struct Confinement {
    /// The restrictions that hold in this sandbox, and those that do not.
    pub enforcement: Enforcement,
    /// The namespaces of the program, which are created first; `None` for a sandbox without namespaces.
    pub namespaces: Option<Namespaces>,
    /// The guard of protected paths, which the supervisor enforces; `None` if it is not needed or not
    /// supported.
    pub creations: Option<Creations>,
    /// The restrictions that are applied last, just before the program is executed.
    pub locks: Locks,
    /// The files and the network that the program can access, with which replies explain its errors.
    pub scope: Scope,
    /// Environment variables that the sandbox adds for the program.
    pub variables: Vec<(&'static str, OsString)>,
}

/// The namespaces of a confined program.
#[derive(Debug)]
pub struct Namespaces {
    /// The creator of the namespaces: Toolpost or `bwrap`.
    pub maker: NamespaceBackend,
    network: Network,
    /// The session's network, which is joined before the other namespaces are created; `None` if the program
    /// gets a new network.
    pub joined: Option<Arc<SessionNetwork>>,
}

/// The creator of a program's namespaces.
#[derive(Debug)]
pub enum NamespaceBackend {
    /// Toolpost creates the namespaces: a fork of this process before it executes the program, or a launcher.
    Own {
        /// The steps that build the file system.
        script: Script,
        /// The restrictions in the namespaces, for a program that another process starts.
        inside: NamespacePlan,
    },
    /// The distribution's `bwrap` creates the namespaces.
    Bubblewrap(Bubblewrap),
}

impl Confinement {
    /// Builds the sandbox of a program in new namespaces.
    pub fn in_namespaces(
        means: Means,
        plan: &Plan,
        environment: &Environment,
        directory: &Path,
        landlock: Option<u32>,
        joined: Option<Arc<SessionNetwork>>,
    ) -> Result<Self, SandboxError> {
        let view = view(plan, environment).map_err(root)?;
        let directory = host::real(directory).unwrap_or_else(|_| directory.to_owned());
        let pinned = match plan.access {
            Access::Change => pins_of(&view, plan)?,
            Access::Read => Vec::new(),
        };
        let missing: Vec<CString> = pinned.iter().flat_map(Pins::guarded).collect();
        let inside = NamespacePlan {
            network: plan.network,
            landlock,
            allowed: allowed(&view),
            pinned: Vec::new(),
            creations: missing.clone(),
        };
        let maker = match means {
            Means::Bubblewrap => {
                NamespaceBackend::Bubblewrap(Bubblewrap::new(&plan.roots, &view, &pinned, inside)?)
            }
            _ => NamespaceBackend::Own {
                script: Script::new(&view, &pinned, &directory, plan.network),
                inside,
            },
        };
        let enforcement = Enforcement {
            means,
            landlock,
            guards: guards(&pinned, plan.access, plan.network, of_network(joined.as_deref())),
        };
        let rules = landlock.map(|version| Rules::new(version, NetworkScope::Own, allowed(&view)));
        let namespaces = Namespaces { maker, network: plan.network, joined };
        let creations = Creations::new(missing);
        let locks = Locks::new(rules, Sockets::Own, Attributes::Allowed);
        let mut variables = vec![(TEMPORARY, OsString::from("/tmp"))];
        if plan.network == Network::Proxied {
            let proxy = format!("http://127.0.0.1:{PROXY}");
            variables.extend(PROXIES.map(|name| (name, OsString::from(&proxy))));
            variables.extend(UNPROXIED.map(|name| (name, "localhost,127.0.0.1,::1".into())));
        }
        let scope = Scope::new(&view, &pinned, (plan.access, plan.network), means, None);
        Ok(Self { enforcement, namespaces: Some(namespaces), creations, locks, scope, variables })
    }

    /// Returns the network of the session if the program joins it; otherwise `None`.
    pub fn session_network(&self) -> Option<&Arc<SessionNetwork>> {
        self.namespaces.as_ref()?.joined.as_ref()
    }

    /// Describes the failure of the sandbox step with this number.
    pub fn words(&self, part: u16) -> String {
        match (Locks::words(part), &self.namespaces) {
            (Some(words), _) => words.to_owned(),
            (None, _) if part == StepFailure::GUARD => GUARD_WORDS.to_owned(),
            (None, _) if part == StepFailure::NETWORK => NETWORK_WORDS.to_owned(),
            (None, Some(Namespaces { maker: NamespaceBackend::Own { script, .. }, .. })) => {
                script.words(part)
            }
            (None, Some(Namespaces { maker: NamespaceBackend::Bubblewrap(_), .. })) => {
                bubblewrap::words(part).unwrap_or("the sandbox could not be created").to_owned()
            }
            (None, None) => "the sandbox could not be created".to_owned(),
        }
    }
}

impl Namespaces {
    /// Returns whether the program gets a new network with a proxy. If so, the server receives the proxy's
    /// listener.
    pub fn is_proxied(&self) -> bool {
        self.network == Network::Proxied && self.joined.is_none()
    }

    /// Returns the origin of the program's network: new, or joined.
    pub fn of_network(&self) -> NetworkOrigin {
        of_network(self.joined.as_deref())
    }
}

/// Returns a sandbox without workspace roots, to test whether a mechanism works on this machine.
pub fn to_be_tried(means: Means, landlock: Option<u32>) -> Result<Confinement, SandboxError> {
    let none: [PathBuf; 0] = [];
    let (plan, environment) = (Plan::new(none), Environment::of_this_process());
    match (means, landlock) {
        (Means::Namespaces | Means::Bubblewrap, landlock) => {
            Confinement::in_namespaces(means, &plan, &environment, Path::new("/"), landlock, None)
        }
        (_, Some(version)) => Confinement::by_landlock(&plan, &environment, version, ""),
        (_, None) => Err(SandboxError::NoSandbox { tried: "the kernel has no Landlock".to_owned() }),
    }
}

/// Returns the Landlock rules, which repeat the restrictions of the mounts: paths that are writable in the
/// sandbox's file system are writable, devices can be used, and all other paths are read-only.
fn allowed(view: &View) -> Vec<(CString, AccessRight)> {
    let path = |path: &Path| CString::new(path.as_os_str().as_bytes()).unwrap_or_default();
    let mut allowed = vec![(c"/".to_owned(), AccessRight::Read), (c"/dev".to_owned(), AccessRight::Device)];
    for place in &view.places {
        if matches!(place.shown, Content::Change | Content::Other(_) | Content::Empty) {
            allowed.push((path(&place.path), AccessRight::Change));
        }
    }
    allowed
}

fn of_network(joined: Option<&SessionNetwork>) -> NetworkOrigin {
    if joined.is_some() { NetworkOrigin::Joined } else { NetworkOrigin::New }
}

fn guards(pins: &[Pins], access: Access, network: Network, of: NetworkOrigin) -> Vec<(Guard, GuardState)> {
    let unless = |open: Vec<String>, how| {
        if open.is_empty() { GuardState::Yes(how) } else { GuardState::No(open.join("; ")) }
    };
    let open = pins.iter().flat_map(|pins| pins.open.clone()).collect();
    let network = match (of, network) {
        (NetworkOrigin::New, Network::Closed) => "a separate network, with nothing in it",
        (NetworkOrigin::New, Network::Proxied) => "a separate network, with nothing in it but a proxy",
        (NetworkOrigin::Joined, Network::Closed) => {
            "the network of the command's session, which contains only this session's commands"
        }
        (NetworkOrigin::Joined, Network::Proxied) => {
            "the network of the command's session, which contains only this session's commands and a proxy"
        }
    };
    let writes = match access {
        Access::Change => "outside the roots and temporary directories, everything is read-only or absent",
        Access::Read => "outside temporary directories, everything is read-only or absent",
    };
    let reads = "everything is absent except the roots and their repositories, the system, toolchains, \
                 temporary directories, and additional readable paths";
    vec![
        (Guard::Writes, GuardState::Yes(writes)),
        (Guard::Reads, GuardState::Yes(reads)),
        (Guard::Protected, unless(open, "mounted read-only, and cannot be moved")),
        (
            Guard::Missing,
            match unavailable() {
                None => GuardState::Yes(
                    "calls that would create a protected path at the top of a root, a submodule or a worktree are refused",
                ),
                Some(why) => GuardState::No(why.to_owned()),
            },
        ),
        (Guard::Network, GuardState::Yes(network)),
        (Guard::Processes, GuardState::Yes("only the command's own processes are visible")),
        (Guard::Services, GuardState::Yes("sockets and shared memory of the host are absent")),
        (Guard::Kernel, GuardState::Yes("no privileges, no way to gain any, a system call filter")),
    ]
}
