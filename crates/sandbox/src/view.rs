//! The paths of the host that are visible to a confined program.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use crate::environment::{Environment, TOOLCHAIN_VARIABLES};
use crate::error::SandboxError;
use crate::host::{self, Kind, OpenOutcome, plain};
use crate::plan::{Access, Plan};
use crate::system_paths::{
    EMPTY, MACHINE_KEYS, NO_HOMES, OF_CARGO, SECRETS, SYSTEM, SYSTEM_SECRETS, TOOLCHAINS,
};

/// Maximum number of symbolic links that are followed in one path, as in the kernel.
const LINKS: usize = 40;

/// The visible paths of a sandbox, in mount order: later ones cover earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    /// The visible paths with their content. No path leads through a link.
    pub(crate) places: Vec<VisiblePath>,
    /// The workspace roots, by their paths without links.
    pub(crate) roots: Vec<PathBuf>,
    /// Paths that are hidden although a path above them is visible.
    pub(crate) hidden: Vec<PathBuf>,
}

/// A visible path, and its content in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VisiblePath {
    pub(crate) path: PathBuf,
    pub(crate) shown: Content,
}

/// Content of a visible path in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// The content that the path has on the host, read-only.
    Read,
    /// The content that the path has on the host, writable.
    Change,
    /// The content of another path of the host, writable.
    Other(PathBuf),
    /// A private empty directory.
    Empty,
    /// A symbolic link to this target.
    Link(PathBuf),
}

/// Determines the visible paths of a plan. The error is a workspace root that cannot be made visible, with the
/// reason.
pub(crate) fn view(plan: &Plan, environment: &Environment) -> Result<View, (PathBuf, String)> {
    let roots = real_roots(plan)?;
    let home = home(environment);
    let mut view = View { places: Vec::new(), roots, hidden: Vec::new() };
    // The private home directory would cover a system directory in it that is mounted before.
    let is_in_home = |place: &Path| home.as_ref().is_some_and(|home| place.starts_with(home));
    let (in_home, system): (Vec<&Path>, Vec<&Path>) =
        SYSTEM.iter().map(Path::new).partition(|place| is_in_home(place));
    system.into_iter().for_each(|place| view.system(place));
    view.add_empty(plan, home.as_deref());
    in_home.into_iter().for_each(|place| view.system(place));
    let of_home = HomeNames::of(home.as_deref());
    for place in toolchains(environment, home.as_deref()) {
        if of_home.may_hold(&place) {
            view.read(&place, home.as_deref());
        }
    }
    for place in &plan.readable {
        view.read(place, None);
    }
    for root in view.roots.clone() {
        if let Some(repository) = repository_of_worktree(&root) {
            view.add(repository, Content::Read);
        }
        let shown = match plan.access {
            Access::Change => Content::Change,
            Access::Read => Content::Read,
        };
        view.add(root, shown);
    }
    for root in plan.roots.iter().chain(home.as_ref()) {
        view.links(root);
    }
    view.hide(home.as_deref(), &of_home, &plan.hidden);
    Ok(view)
}

/// Returns the home directory without links; `None` if `HOME` is not set to an existing absolute path, or if
/// it is a system directory, which must stay visible.
pub(crate) fn home(environment: &Environment) -> Option<PathBuf> {
    let home = environment.get("HOME").map(Path::new).filter(|home| host::is_plain(home));
    let home = home.and_then(|home| host::real(home).ok());
    home.filter(|home| !NO_HOMES.iter().any(|system| home == Path::new(system)))
}

/// Returns the error for a workspace root that cannot be made visible.
pub(crate) fn root((root, why): (PathBuf, String)) -> SandboxError {
    SandboxError::Step {
        step: format!("the root {} cannot be used", root.display()),
        fault: std::io::Error::other(why),
    }
}

impl View {
    /// Returns whether a path has its host content in the sandbox.
    pub(crate) fn shows(&self, path: &Path) -> bool {
        let place = self.places.iter().rev().find(|place| path.starts_with(&place.path));
        place.is_some_and(|place| matches!(place.shown, Content::Read | Content::Change))
    }

    fn add(&mut self, path: PathBuf, shown: Content) {
        self.places.push(VisiblePath { path, shown });
    }

    /// Makes a system path visible: the directory, or the link at that path.
    fn system(&mut self, path: &Path) {
        match host::kind(path) {
            Some(Kind::Link) => {
                if let Some(target) = host::link(path) {
                    self.add(path.to_owned(), Content::Link(target));
                }
            }
            Some(Kind::Directory) => self.add(path.to_owned(), Content::Read),
            Some(Kind::Other) | None => {}
        }
    }

    /// Makes a file or directory visible, read-only, unless `is_too_much` excludes it.
    fn read(&mut self, path: &Path, home: Option<&Path>) {
        if !host::is_plain(path) {
            return;
        }
        match host::direct(path) {
            OpenOutcome::Here if self.shows(path) || self.is_too_much(path, path, home) => return,
            OpenOutcome::Here => return self.add(path.to_owned(), Content::Read),
            OpenOutcome::Missing => return,
            OpenOutcome::Unknown => {}
        }
        let Ok(real) = host::real(path) else { return };
        if self.is_too_much(path, &real, home) {
            return;
        }
        if !self.shows(&real) {
            self.add(real, Content::Read);
        }
        self.links(path);
    }

    /// Returns whether a path would be visible if the plan listed it as readable. A path that does not exist
    /// is judged by its text.
    pub(crate) fn can_show(&self, path: &Path, home: Option<&Path>) -> bool {
        let real = host::real(path).unwrap_or_else(|_| plain(path));
        host::is_plain(path)
            && !self.is_too_much(path, &real, home)
            && !self.hidden.iter().any(|hidden| real.starts_with(hidden))
    }

    /// Returns whether a path must not become visible, because it contains the home directory or a directory that
    /// is empty in the sandbox, is a secret or belongs to the kernel, or leads into or through a root.
    fn is_too_much(&self, path: &Path, real: &Path, home: Option<&Path>) -> bool {
        real == Path::new("/")
            || home.is_some_and(|home| home.starts_with(real))
            || home.is_some_and(|home| SECRETS.iter().any(|secret| real.starts_with(home.join(secret))))
            || EMPTY.iter().any(|place| Path::new(place).starts_with(real))
            || ["/proc", "/sys", "/dev"].iter().any(|place| real.starts_with(place))
            || self.is_of_roots(path, real)
    }

    /// Returns whether a path leads into or through a root, where a program could have created any link.
    fn is_of_roots(&self, path: &Path, real: &Path) -> bool {
        let is_inside = |path: &Path| self.roots.iter().any(|root| path.starts_with(root));
        let leads_through =
            || path.ancestors().any(|above| host::real(above).is_ok_and(|above| is_inside(&above)));
        is_inside(real) || (path != real && leads_through())
    }

    /// Adds the private empty directories that are not in a root. If the plan has a temporary directory, `/tmp`
    /// shows that directory instead.
    fn add_empty(&mut self, plan: &Plan, home: Option<&Path>) {
        for place in EMPTY.iter().map(Path::new).chain(home) {
            let is_of_roots = self.roots.iter().any(|root| place.starts_with(root));
            if is_of_roots || self.places.iter().any(|before| before.path == place) {
                continue;
            }
            let other = plan.temporary.as_ref().filter(|_| place == Path::new("/tmp"));
            match other.and_then(|other| host::real(other).ok()) {
                Some(other) => self.add(place.to_owned(), Content::Other(other)),
                None => self.add(place.to_owned(), Content::Empty),
            }
        }
    }

    /// Makes the links in a path visible, so that the path leads to the same target as on the host.
    fn links(&mut self, path: &Path) {
        for (link, target) in links_on(path).unwrap_or_default() {
            if !self.shows(&link) && !self.places.iter().any(|place| place.path == link) {
                self.add(link, Content::Link(target));
            }
        }
    }

    /// Hides secrets, and the paths `further`, inside visible paths, unless a root is in them.
    fn hide(&mut self, home: Option<&Path>, of_home: &HomeNames<'_>, further: &[PathBuf]) {
        let (folder, prefix) = MACHINE_KEYS;
        let is_key = |name: &OsStr| name.to_string_lossy().starts_with(prefix);
        let keys = host::names(Path::new(folder)).into_iter().filter(|name| is_key(name));
        let keys = keys.map(|name| Path::new(folder).join(name));
        let of_system = SYSTEM_SECRETS.iter().map(PathBuf::from);
        let own = home.into_iter().flat_map(|home| SECRETS.iter().map(|secret| home.join(secret)));
        let all: Vec<PathBuf> = of_system.chain(keys).chain(own).chain(further.iter().cloned()).collect();
        for secret in all.into_iter().filter(|secret| of_home.may_hold(secret)) {
            // A link is hidden by hiding its target.
            let Ok(secret) = host::real(&secret) else { continue };
            let is_root = self.roots.iter().any(|root| root.starts_with(&secret));
            if self.shows(&secret) && !is_root && !self.hidden.contains(&secret) {
                self.hidden.push(secret);
            }
        }
    }
}

/// The names in the home directory, in lower case. The directory is read once to find out which of many paths are
/// missing.
struct HomeNames<'a> {
    home: Option<&'a Path>,
    /// `None` if the directory could not be read.
    names: Option<HashSet<OsString>>,
}

impl<'a> HomeNames<'a> {
    fn of(home: Option<&'a Path>) -> Self {
        let lower = |names: Vec<OsString>| names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Self { home, names: home.and_then(host::listed).map(lower) }
    }

    /// Returns whether a path may exist. False only for a path in the home directory whose first component is not
    /// there in upper or lower case; some file systems ignore case.
    fn may_hold(&self, path: &Path) -> bool {
        let (Some(home), Some(names)) = (self.home, &self.names) else { return true };
        match path.strip_prefix(home).map(|below| below.components().next()) {
            Ok(Some(Component::Normal(first))) => names.contains(&first.to_ascii_lowercase()),
            Ok(_) | Err(_) => true,
        }
    }
}

/// Returns the workspace roots without links, parents first. Refuses roots that are not existing directories,
/// system roots such as `/` and `/proc`, and roots behind a link in another root.
fn real_roots(plan: &Plan) -> Result<Vec<PathBuf>, (PathBuf, String)> {
    let real = |root: &PathBuf| host::real(root).map_err(|errno| (root.clone(), errno.to_string()));
    let all = plan.roots.iter().map(real).collect::<Result<Vec<PathBuf>, _>>()?;
    let mut roots: Vec<PathBuf> = Vec::new();
    for (root, real) in plan.roots.iter().zip(&all) {
        let is_machine = ["/", "/dev", "/proc", "/sys"].iter().any(|place| real == Path::new(place))
            || real.starts_with("/proc")
            || real.starts_with("/sys");
        let links = links_on(root).ok_or_else(|| {
            let why = "the links in the path cannot be followed: pass the real path of the directory";
            (root.clone(), why.to_owned())
        })?;
        if links.iter().any(|(link, _)| all.iter().any(|other| link.starts_with(other))) {
            return Err((
                root.clone(),
                "the path leads through a link in another root: pass the real path of the directory"
                    .to_owned(),
            ));
        }
        if is_machine || host::kind(real) != Some(Kind::Directory) {
            return Err((
                root.clone(),
                "this path cannot be a root of a sandbox: pass the directory of a project".to_owned(),
            ));
        }
        if !roots.contains(real) {
            roots.push(real.clone());
        }
    }
    // A root inside another root is mounted over it, so it comes later.
    roots.sort_by_key(|root| root.components().count());
    Ok(roots)
}

/// Returns the links through which a path leads, each by its path without links, with its target. Includes links in the
/// targets of links. `None` if there are more than [`LINKS`], or if a link cannot be read.
fn links_on(path: &Path) -> Option<Vec<(PathBuf, PathBuf)>> {
    // The components leave out a slash at the end, with which the kernel follows a link there.
    let mut path: PathBuf = path.components().collect();
    let mut links = Vec::new();
    while host::direct(&path) != OpenOutcome::Here {
        let mut above: Vec<&Path> = path.ancestors().collect();
        above.reverse();
        let Some(found) = above.into_iter().find(|above| host::kind(above) == Some(Kind::Link)) else {
            break;
        };
        if links.len() == LINKS {
            return None;
        }
        let target = host::link(found)?;
        let rest = path.strip_prefix(found).unwrap_or(Path::new(""));
        let next = found.parent().unwrap_or(Path::new("/")).join(&target).join(rest);
        // A `..` stays until no link is before it, because it leads to the parent of the link's target.
        let next: PathBuf = next.components().collect();
        links.push((plain(found), target));
        path = next;
    }
    Some(links)
}

/// Lists the directories of toolchains: in the home directory, in environment variables and in the `PATH`.
fn toolchains(environment: &Environment, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Some(home) = home {
        found.extend(TOOLCHAINS.iter().map(|toolchain| home.join(toolchain)));
    }
    let variable = |name: &&str| environment.get(name).map(PathBuf::from);
    found.extend(TOOLCHAIN_VARIABLES.iter().filter_map(variable));
    if let Some(cargo) = environment.get("CARGO_HOME").map(PathBuf::from) {
        found.extend(OF_CARGO.iter().map(|part| cargo.join(part)));
    }
    if let Some(go) = environment.get("GOPATH").map(PathBuf::from) {
        found.extend(["bin", "pkg"].iter().map(|part| go.join(part)));
    }
    found.extend(environment.get("PATH").iter().flat_map(|path| std::env::split_paths(path)));
    found
}

/// Returns the directory of the repository to which a Git worktree belongs, if that repository also refers to
/// the worktree.
fn repository_of_worktree(root: &Path) -> Option<PathBuf> {
    let file = root.join(".git");
    if host::kind(&file) != Some(Kind::Other) {
        return None;
    }
    let says = String::from_utf8(host::begins(&file)?).ok()?;
    let of_worktree = host::real(&root.join(says.strip_prefix("gitdir:")?.trim())).ok()?;
    // A command may have written the worktree's `.git` file, so the repository must refer back to it.
    let back = String::from_utf8(host::begins(&of_worktree.join("gitdir"))?).ok()?;
    let back = host::real(Path::new(back.trim())).ok()?;
    let worktrees = of_worktree.parent()?;
    let is_it = back == file && worktrees.file_name()? == "worktrees";
    is_it.then(|| worktrees.parent().map(Path::to_owned)).flatten()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests create directories")]

    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use toolpost_test_rows::each;

    /// Formats the visible paths that are in the test directory.
    fn shown(top: &Path, plan: &Plan, variables: &[(&str, String)]) -> Vec<String> {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        let view = view(plan, &Environment::from(variables)).unwrap();
        let own = view.places.iter().filter(|place| place.path.starts_with(top));
        own.map(|place| format!("{} {:?}", place.path.strip_prefix(top).unwrap().display(), place.shown))
            .collect()
    }

    #[test]
    fn the_view_contains_roots_and_safe_tool_directories() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let top = host::real(directory.path()).unwrap();
        let at = |path: &str| top.join(path).display().to_string();
        for path in
            ["home/.cargo/bin", "home/.ssh", "home/work/bin", "other/secret", "tools/bin", "data/alias"]
        {
            fs::create_dir_all(top.join(path)).unwrap();
        }
        symlink(top.join("data"), top.join("link")).unwrap();
        // The `PATH` contains a link in a root, which a command could have created.
        symlink(top.join("other"), top.join("home/work/evil")).unwrap();
        let home = ("HOME", at("home"));
        let path = |paths: &[&str]| ("PATH", paths.join(":"));
        let usual = ["home Empty", "home/.cargo/bin Read", "home/work Change"];
        let with = |more: &[&'static str], at: usize| {
            let mut all = usual.to_vec();
            for (number, more) in more.iter().enumerate() {
                all.insert(at + number, more);
            }
            all
        };
        let root = || Plan::new([top.join("home/work")]);
        let linked = format!("link Link({:?})", at("data"));
        let rows = [
            (vec![home.clone()], with(&[], 0)),
            (vec![home.clone(), path(&[&at("tools/bin")])], with(&["tools/bin Read"], 2)),
            (vec![home.clone(), path(&[&at("home/work/bin"), &at("home/work/evil")])], with(&[], 0)),
            (
                vec![home.clone(), path(&[&at("home"), &top.display().to_string(), "/tmp", "/", "bin"])],
                with(&[], 0),
            ),
            (vec![home.clone(), path(&[&at("home/.ssh")])], with(&[], 0)),
            (vec![home.clone(), ("JAVA_HOME", at("tools"))], with(&["tools Read"], 2)),
            (vec![("HOME", "/".to_owned())], vec!["home/work Change"]),
            (vec![], vec!["home/work Change"]),
        ];
        each(rows, |(variables, wanted)| {
            assert_eq!(shown(&top, &root(), &variables), wanted, "{variables:?}");
        });
        let plan = Plan::new([top.join("link/alias")]);
        assert_eq!(shown(&top, &plan, &[]), ["data/alias Change", linked.as_str()]);
        let mut plan = root();
        plan.access = Access::Read;
        plan.readable.push(top.join("other"));
        assert_eq!(shown(&top, &plan, &[]), ["other Read", "home/work Read"]);
        // A link in another root could lead anywhere, so a root behind it is refused.
        let plan = Plan::new([top.join("home/work"), top.join("home/work/evil")]);
        let refused = view(&plan, &Environment::from([])).map(|_| ()).map_err(|(root, _)| root);
        assert_eq!(refused, Err(top.join("home/work/evil")));
    }

    #[test]
    fn a_root_behind_a_link_in_a_root_is_refused() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let top = host::real(directory.path()).unwrap();
        for path in ["data/work/sub", "other"] {
            fs::create_dir_all(top.join(path)).unwrap();
        }
        for (link, target) in [
            ("alias", "data"),
            ("data/work/evil", "../../other"),
            ("data/work/inner", "sub"),
            ("outside", "data/work/evil"),
            ("outside2", "data/work/evil/../other"),
            ("chain20", "data/work/evil"),
        ] {
            symlink(target, top.join(link)).unwrap();
        }
        for number in 0..20 {
            symlink(format!("chain{}", number + 1), top.join(format!("chain{number}"))).unwrap();
        }
        type Paths = &'static [&'static str];
        let rows: [(Paths, Result<Paths, &str>); 12] = [
            (&["data/work", "data/work/sub"], Ok(&["data/work", "data/work/sub"])),
            // The link is above both roots, so no command can change it.
            (&["alias/work", "alias/work/sub"], Ok(&["data/work", "data/work/sub"])),
            (&["alias/work", "data/work/sub"], Ok(&["data/work", "data/work/sub"])),
            (&["alias/work", "data/work"], Ok(&["data/work"])),
            (&["outside"], Ok(&["other"])),
            (&["data/work", "data/work/evil"], Err("data/work/evil")),
            // The same link by another path, and behind another link.
            (&["data/work", "alias/work/evil"], Err("alias/work/evil")),
            (&["data/work", "outside"], Err("outside")),
            (&["data/work", "outside2"], Err("outside2")),
            (&["outside2"], Ok(&["other"])),
            (&["data/work", "chain0"], Err("chain0")),
            (&["alias/work", "alias/work/inner"], Err("alias/work/inner")),
        ];
        each(rows, |(roots, wanted)| {
            let found = real_roots(&Plan::new(roots.iter().map(|root| top.join(root))));
            let below = |path: PathBuf| path.strip_prefix(&top).unwrap().display().to_string();
            let found = found.map(|roots| roots.into_iter().map(below).collect::<Vec<_>>());
            let wanted = wanted.map(|roots| roots.iter().map(|root| (*root).to_owned()).collect::<Vec<_>>());
            assert_eq!(found.map_err(|(root, _)| below(root)), wanted.map_err(str::to_owned));
        });
    }
}
