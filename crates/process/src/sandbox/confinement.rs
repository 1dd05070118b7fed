//! Confinement of a program, derived from a plan: the steps between fork and execute, and the resulting enforcement.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::environment::Environment;
use crate::error::StartError;
use crate::sandbox::bubblewrap::{self, Bubblewrap};
use crate::sandbox::calls::NetworkOrigin;
use crate::sandbox::creations::{Creations, unavailable};
use crate::sandbox::enforcement::{Enforcement, Guard, GuardState, Means};
use crate::sandbox::filter::{Attributes, Sockets};
use crate::sandbox::inner_plan::NamespacePlan;
use crate::sandbox::locks::Locks;
use crate::sandbox::pins::{Pins, pins};
use crate::sandbox::plan::{Access, Network, Plan};
use crate::sandbox::rules::{NetworkScope, Right, Rules};
use crate::sandbox::scope::Scope;
use crate::sandbox::script::{GUARD_WORDS, NETWORK_WORDS, PROXY, Script, Stop};
use crate::sandbox::session_network::SessionNetwork;
use crate::sandbox::view::{Content, View, view};
use crate::sandbox::{fallback, host};

/// Confinement of a program.
#[derive(Debug)]
pub(crate) struct Confinement {
    /// Enforced restrictions.
    pub(crate) enforcement: Enforcement,
    /// The namespaces, which are made first; `None` without them.
    pub(crate) namespaces: Option<Namespaces>,
    /// The names that may not be created.
    pub(crate) creations: Option<Creations>,
    /// The locks that are closed last.
    pub(crate) locks: Locks,
    /// Access to paths and to the network, for replies.
    pub(crate) scope: Scope,
    /// Additional environment variables.
    pub(crate) variables: Vec<(&'static str, OsString)>,
}

/// The namespaces of a program.
#[derive(Debug)]
pub(crate) struct Namespaces {
    /// Creator of the namespaces.
    pub(crate) maker: Maker,
    network: Network,
    /// The session's network, which is joined first; without one the program gets its own.
    pub(crate) joined: Option<Arc<SessionNetwork>>,
}

/// Creator of the namespaces.
#[derive(Debug)]
pub(crate) enum Maker {
    /// This program, between fork and execute.
    Own(Script),
    /// The distribution's `bwrap`.
    Bubblewrap(Bubblewrap),
}

impl Confinement {
    /// Confines a program by Landlock and a filter of system calls alone; `why` says why by nothing better.
    pub(crate) fn by_landlock(
        plan: &Plan,
        environment: &Environment,
        version: u32,
        why: &str,
    ) -> Result<Self, StartError> {
        fallback::confine(plan, environment, version, why)
    }

    /// Confines a program in namespaces of its own.
    pub(crate) fn in_namespaces(
        means: Means,
        plan: &Plan,
        environment: &Environment,
        directory: &Path,
        landlock: Option<u32>,
        joined: Option<Arc<SessionNetwork>>,
    ) -> Result<Self, StartError> {
        let view = view(plan, environment).map_err(root)?;
        let directory = host::real(directory).unwrap_or_else(|_| directory.to_owned());
        let pinned = match plan.access {
            Access::Change => pins_of(&view, &plan.protected)?,
            Access::Read => Vec::new(),
        };
        let missing = missing(&pinned);
        let maker = match means {
            Means::Bubblewrap => {
                let inside = NamespacePlan {
                    network: plan.network,
                    landlock,
                    allowed: allowed(&view),
                    pinned: Vec::new(),
                    creations: missing.clone(),
                };
                Bubblewrap::new(&plan.roots, &view, &pinned, inside).map(Maker::Bubblewrap)
            }
            _ => Ok(Maker::Own(Script::new(&view, &pinned, &directory, plan.network))),
        };
        let maker = maker?;
        let enforcement = Enforcement {
            means,
            landlock,
            guards: guards(&pinned, plan.network, of_network(joined.as_deref())),
        };
        let rules = landlock.map(|version| Rules::new(version, NetworkScope::Own, allowed(&view)));
        let namespaces = Namespaces { maker, network: plan.network, joined };
        let creations = Creations::new(missing);
        let locks = Locks::new(rules, Sockets::Own, Attributes::Allowed);
        let mut variables = vec![("TMPDIR", OsString::from("/tmp"))];
        if plan.network == Network::Proxied {
            let proxy = format!("http://127.0.0.1:{PROXY}");
            let names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
            variables.extend(names.map(|name| (name, OsString::from(&proxy))));
            variables.extend(["no_proxy", "NO_PROXY"].map(|name| (name, "localhost,127.0.0.1,::1".into())));
        }
        let scope = Scope::new(&view, &pinned, (plan.access, plan.network), means, None);
        Ok(Self { enforcement, namespaces: Some(namespaces), creations, locks, scope, variables })
    }

    /// Returns the network of its session, if the program joins it.
    pub(crate) fn session_network(&self) -> Option<&Arc<SessionNetwork>> {
        self.namespaces.as_ref()?.joined.as_ref()
    }

    /// Describes the part that failed.
    pub(crate) fn words(&self, part: u16) -> String {
        match (Locks::words(part), &self.namespaces) {
            (Some(words), _) => words.to_owned(),
            (None, _) if part == Stop::GUARD => GUARD_WORDS.to_owned(),
            (None, _) if part == Stop::NETWORK => NETWORK_WORDS.to_owned(),
            (None, Some(Namespaces { maker: Maker::Own(script), .. })) => script.words(part),
            (None, Some(Namespaces { maker: Maker::Bubblewrap(_), .. })) => {
                bubblewrap::words(part).unwrap_or("it could not be made").to_owned()
            }
            (None, None) => "it could not be made".to_owned(),
        }
    }
}

impl Namespaces {
    /// Returns whether what listens for a proxy comes out of it.
    pub(crate) fn is_proxied(&self) -> bool {
        self.network == Network::Proxied && self.joined.is_none()
    }

    /// Returns the network that it gets.
    pub(crate) fn of_network(&self) -> NetworkOrigin {
        of_network(self.joined.as_deref())
    }
}

/// Returns a confinement of nothing, by which a means is tried.
pub(crate) fn to_be_tried(means: Means, landlock: Option<u32>) -> Result<Confinement, String> {
    let none: [PathBuf; 0] = [];
    let (plan, environment) = (Plan::new(none), Environment::of_this_process());
    let made = match (means, landlock) {
        (Means::Namespaces | Means::Bubblewrap, landlock) => {
            Confinement::in_namespaces(means, &plan, &environment, Path::new("/"), landlock, None)
        }
        (_, Some(version)) => fallback::confine(&plan, &environment, version, ""),
        (_, None) => Err(StartError::NoSandbox { tried: "there is no Landlock".to_owned() }),
    };
    made.map_err(|error| error.to_string())
}

/// Returns the error for a root that cannot be confined.
pub(crate) fn root((root, why): (PathBuf, String)) -> StartError {
    StartError::Sandbox { step: format!("the root {}", root.display()), fault: std::io::Error::other(why) }
}

/// Finds the protected paths of each root.
pub(crate) fn pins_of(view: &View, protected: &[PathBuf]) -> Result<Vec<Pins>, StartError> {
    let look = |root: &PathBuf| {
        pins(root, protected).map_err(|errno| StartError::Sandbox {
            step: format!("what is protected in {} could not be looked at", root.display()),
            fault: errno.into(),
        })
    };
    view.roots.iter().map(look).collect()
}

/// Lists what is missing in the roots and may not be created.
fn missing(pins: &[Pins]) -> Vec<CString> {
    let paths = pins.iter().flat_map(|pins| pins.missing.iter().map(|path| pins.root.join(path)));
    paths.filter_map(|path| CString::new(path.into_os_string().as_bytes()).ok()).collect()
}

/// Returns the second lock: paths that are writable in the view are writable, all others read-only.
fn allowed(view: &View) -> Vec<(CString, Right)> {
    let path = |path: &Path| CString::new(path.as_os_str().as_bytes()).unwrap_or_default();
    let mut allowed = vec![(c"/".to_owned(), Right::Read), (c"/dev".to_owned(), Right::Device)];
    for place in &view.places {
        if matches!(place.shown, Content::Change | Content::Other(_) | Content::Empty) {
            allowed.push((path(&place.path), Right::Change));
        }
    }
    allowed
}

fn of_network(joined: Option<&SessionNetwork>) -> NetworkOrigin {
    if joined.is_some() { NetworkOrigin::Joined } else { NetworkOrigin::New }
}

fn guards(pins: &[Pins], network: Network, of: NetworkOrigin) -> Vec<(Guard, GuardState)> {
    let unless = |open: Vec<String>, how| {
        if open.is_empty() { GuardState::Yes(how) } else { GuardState::No(open.join("; ")) }
    };
    let open = pins.iter().flat_map(|pins| pins.open.clone()).collect();
    let network = match (of, network) {
        (NetworkOrigin::New, Network::Closed) => "a network of its own, with nothing in it",
        (NetworkOrigin::New, Network::Proxied) => "a network of its own, with nothing in it but a proxy",
        (NetworkOrigin::Joined, Network::Closed) => {
            "the network of its session, which contains only its commands"
        }
        (NetworkOrigin::Joined, Network::Proxied) => {
            "the network of its session, which contains only its commands and a proxy"
        }
    };
    vec![
        (Guard::Writes, GuardState::Yes("all else is read-only or not there")),
        (Guard::Reads, GuardState::Yes("all else is not there")),
        (Guard::Protected, unless(open, "mounted read-only, and not to be moved")),
        (
            Guard::Missing,
            match unavailable() {
                None => GuardState::Yes("calls that would create one at the top of a root are refused"),
                Some(why) => GuardState::No(why.to_owned()),
            },
        ),
        (Guard::Network, GuardState::Yes(network)),
        (Guard::Processes, GuardState::Yes("processes of its own, and no other")),
        (Guard::Services, GuardState::Yes("no socket and no shared memory of the host is there")),
        (Guard::Kernel, GuardState::Yes("no rights, no way to new ones, a filter of system calls")),
    ]
}
